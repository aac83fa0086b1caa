"""The lake: one Parquet file per table and partition, checked when written and when read."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import polars as pl

from enact_assets.contracts.errors import LakeError, TableContractError
from enact_assets.contracts.tables import TABLES, Table, table
from enact_assets.storage.atomic import is_temporary
from enact_assets.storage.parquet_files import (
    partition_text,
    read_file,
    read_metadata,
    verify_file,
    write_file,
)

Partition = Mapping[str, str]
"""Dimension -> value, e.g. ``{"demonstration": "setting_the_table-0", "gating": "state"}``."""

SUFFIX = ".parquet"
MAX_VALUE_CHARACTERS = 120
# ``|`` joins the dimensions of a partition key in Dagster; a leading dot marks temporary files.
_VALUE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.:+@-]*")


def check_partition_value(value: str, where: str) -> str:
    """``value`` if it can name a partition: it becomes a file name, and a Dagster key.

    Letters, digits and ``_ . : + @ -``, not starting with a dot or sign, no ``..``, at most 120
    characters. Errors: :class:`LakeError` with ``where`` it came from.
    """
    if _VALUE.fullmatch(value) and ".." not in value and len(value) <= MAX_VALUE_CHARACTERS:
        return value
    shown = value if len(value) <= MAX_VALUE_CHARACTERS else value[:MAX_VALUE_CHARACTERS] + "..."
    raise LakeError(
        f"{where}: {shown!r} cannot name a partition (letters, digits and _.:+@- only, starting "
        f"with a letter, digit or _, no '..', 1 to {MAX_VALUE_CHARACTERS} characters)."
    )


class Lake:
    """Tables under ``root``: ``<table>/<first dimension>/<second dimension>.parquet``.

    A table with one dimension stands in ``<table>/<value>.parquet``, one without in
    ``<table>.parquet``. Writers never block readers: a reader sees the old file or the new one.
    """

    def __init__(self, root: Path) -> None:
        self.root = Path(root)

    def path(self, table_name: str, partition: Partition | None = None) -> Path:
        """Where a partition stands, whether or not it is there.

        Errors: :class:`LakeError` if the dimensions are not those of the table, or a value cannot
        be a file name.
        """
        return self._path(*_resolved(table_name, partition))

    def write(self, table_name: str, rows: pl.DataFrame, partition: Partition | None = None) -> str:
        """Check ``rows`` against the contract, write them atomically, return their content hash.

        Errors: :class:`TableContractError` if they break the contract or hold rows of another
        partition; then nothing is written and the old file stays.
        """
        contract, values = _resolved(table_name, partition)
        rows = contract.check(rows, partition_text(values))
        for dimension, value in values.items():
            strays = rows.filter(pl.col(dimension) != value)
            if strays.height:
                raise TableContractError(
                    f"{table_name} partition {partition_text(values)!r}: {strays.height} of "
                    f"{rows.height} rows belong to another {dimension}, first "
                    f"{strays.get_column(dimension)[0]!r}"
                )
        return write_file(self._path(contract, values), contract, values, rows)

    def read(self, table_name: str, partition: Partition | None = None) -> pl.DataFrame:
        """Rows of one partition in key order.

        Errors: :class:`MissingPartitionError` names what to materialize;
        :class:`DamagedFileError` names the file, what is wrong and what to do. Nothing is changed.
        """
        contract, values = _resolved(table_name, partition)
        return read_file(self._path(contract, values), contract, values)

    def content_sha(self, table_name: str, partition: Partition | None = None) -> str:
        """Hash of a partition's rows, from the file's metadata. Errors: as :meth:`read`."""
        contract, values = _resolved(table_name, partition)
        return read_metadata(self._path(contract, values), contract, values).content_sha

    def verify(self, table_name: str, partition: Partition | None = None) -> str:
        """Compare every page of a partition with its checksum; returns its content hash.

        Errors: as :meth:`read`.
        """
        contract, values = _resolved(table_name, partition)
        return verify_file(self._path(contract, values), contract, values)

    def exists(self, table_name: str, partition: Partition | None = None) -> bool:
        """Whether the partition's file is there (it may still be damaged)."""
        return self.path(table_name, partition).is_file()

    def partitions(self, table_name: str) -> list[dict[str, str]]:
        """Partitions that are there, sorted by their values; foreign files are left out."""
        contract = table(table_name)
        found = (self._partition_of(contract, path) for path in self._files(contract))
        return sorted((p for p in found if p is not None), key=lambda p: tuple(p.values()))

    def read_all(self, table_name: str, **fixed: str) -> pl.DataFrame:
        """Rows of all partitions that match ``fixed``, in the order of the partitions.

        No matching partition gives an empty table: whether that is an error, the caller knows.
        Errors: :class:`LakeError` for an unknown dimension; else as :meth:`read`.
        """
        contract = table(table_name)
        unknown = sorted(set(fixed) - set(contract.partitions))
        if unknown:
            raise LakeError(f"{table_name} has no dimension {unknown[0]!r}: {contract.partitions}")
        wanted = [p for p in self.partitions(table_name) if fixed.items() <= p.items()]
        return pl.concat([contract.empty(), *(self.read(table_name, p) for p in wanted)])

    def foreign_files(self) -> list[Path]:
        """Files that belong to no partition of any table, sorted; temporary ones left out."""
        known = {
            path
            for contract in TABLES.values()
            for path in self._files(contract)
            if self._partition_of(contract, path) is not None
        }
        found = (p for p in self.root.rglob("*") if not p.is_dir() and not is_temporary(p))
        return sorted(p for p in found if p not in known)

    def _path(self, contract: Table, values: Partition) -> Path:
        parts = (contract.name, *values.values())
        return self.root.joinpath(*parts[:-1], parts[-1] + SUFFIX)

    def _files(self, contract: Table) -> Iterator[Path]:
        """Files at the depth at which the table's partitions stand."""
        levels = ["*"] * len(contract.partitions)
        pattern = "/".join([contract.name, *levels]) + SUFFIX
        return (p for p in self.root.glob(pattern) if p.is_file() and not is_temporary(p))

    def _partition_of(self, contract: Table, path: Path) -> dict[str, str] | None:
        parts = path.relative_to(self.root).with_suffix("").parts[1:]
        try:
            for value in parts:
                check_partition_value(value, str(path))
        except LakeError:
            return None
        return dict(zip(contract.partitions, parts, strict=True))


def _resolved(table_name: str, partition: Partition | None) -> tuple[Table, dict[str, str]]:
    """Contract and checked partition, its dimensions in the contract's order."""
    contract = table(table_name)
    partition = partition or {}
    if set(partition) != set(contract.partitions):
        raise LakeError(
            f"{table_name} is partitioned by {list(contract.partitions)}, not {sorted(partition)}"
        )
    where = f"{table_name} partition"
    return contract, {
        d: check_partition_value(partition[d], f"{where} {d}") for d in contract.partitions
    }
