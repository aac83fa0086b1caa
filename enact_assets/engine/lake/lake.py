"""The lake: one Parquet file per table and partition, checked when written and when read."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType

import polars as pl

from enact_assets.engine.errors import (
    DamagedFileError,
    LakeError,
    MisfitFileError,
    MissingPartitionError,
    TableContractError,
    UnreadableFileError,
)
from enact_assets.engine.lake.catalogue import Catalogue
from enact_assets.engine.lake.file_metadata import FileMetadata, partition_text
from enact_assets.engine.lake.file_verification import verify_file
from enact_assets.engine.lake.parquet_files import (
    SEAL_BYTES,
    file_content,
    read_file,
    read_metadata,
    record_of,
)
from enact_assets.engine.lake.seals import is_intact
from enact_assets.engine.lake.set_aside import name_before, set_aside, where_aside
from enact_assets.engine.loading import check_declared
from enact_assets.engine.provenance import Provenance
from enact_assets.engine.system.local_places import LocalPlace
from enact_assets.engine.system.place_urls import open_place
from enact_assets.engine.system.places import Entry, Place
from enact_assets.engine.tables import TABLES, Table, table

Partition = Mapping[str, str]
"""Dimension -> value, e.g. ``{"demonstration": "setting_the_table-0", "gating": "state"}``."""

SUFFIX = ".parquet"
MAX_VALUE_CHARACTERS = 120
# ``|`` joins the dimensions of a partition key in Dagster; a leading dot marks temporary files.
_VALUE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.:+@-]*")


def check_partition_value(value: str, where: str) -> str:
    """Return ``value`` if it can name a partition: it becomes a file name and part of a Dagster
    key.

    Letters, digits and ``_ . : + @ -``, not starting with a dot or sign, no ``..``, at most 120
    characters. Errors: :class:`LakeError`, which names the source ``where``.
    """
    if _VALUE.fullmatch(value) and ".." not in value and len(value) <= MAX_VALUE_CHARACTERS:
        return value
    shown = value if len(value) <= MAX_VALUE_CHARACTERS else value[:MAX_VALUE_CHARACTERS] + "..."
    raise LakeError(
        f"{where}: {shown!r} cannot name a partition (letters a to z and A to Z, digits and _.:+@- "
        f"only, starting with a letter, digit or _, no '..', 1 to {MAX_VALUE_CHARACTERS} "
        "characters)."
    )


class Lake:
    """Tables under ``root``: ``<table>/<first dimension>/<second dimension>.parquet``.

    A table with one dimension is in ``<table>/<value>.parquet``, a table without dimensions in
    ``<table>.parquet``. ``root`` is a folder or an fsspec URL such as ``s3://bucket/prefix``.
    Writers never block readers: a reader sees the old file or the new one. Metadata of written
    files are noted in ``catalogue``, a SQLite file (engine/lake/catalogue.py).
    """

    def __init__(self, root: Path | str, catalogue: Path | None = None) -> None:
        self.place: Place = open_place(root)
        self._catalogue = None
        if catalogue is not None:
            self._catalogue = Catalogue(catalogue, self.place.address)

    @property
    def root(self) -> Path:
        """The folder. Errors: :class:`LakeError` if the lake is elsewhere."""
        return _local(self.place).root

    def where(self, table_name: str, partition: Partition | None = None) -> str:
        """Path or URL of a partition, to be shown. Errors: as :meth:`path` of a local lake."""
        return self.place.where(file_name(*_resolved(table_name, partition)))

    def path(self, table_name: str, partition: Partition | None = None) -> Path:
        """Path of a partition, whether or not it exists.

        Errors: :class:`LakeError` if the dimensions are not those of the table, a value cannot
        be a file name, or the lake is not in a folder.
        """
        return _local(self.place).root / file_name(*_resolved(table_name, partition))

    def write(
        self,
        table_name: str,
        rows: pl.DataFrame,
        partition: Partition | None = None,
        provenance: Provenance | None = None,
        *,
        is_checked: bool = False,
    ) -> str:
        """Check ``rows`` against the contract, write them atomically, return their content hash.

        Rows that a step returned are checked already (``is_checked``). ``provenance`` has the
        inputs and code versions of the rows; rows and provenance appear together.
        Errors (nothing is written and the old file stays): :class:`TableContractError` if rows
        break the contract or hold rows of another partition; :class:`OutputError` if the file
        cannot be written.
        """
        contract, values = _resolved(table_name, partition)
        if not is_checked:
            rows = contract.check(rows, partition_text(values))
        for dimension, value in values.items():
            strays = rows.filter(pl.col(dimension) != value)
            if strays.height:
                raise TableContractError(
                    f"{table_name} partition {partition_text(values)!r}: {strays.height} of "
                    f"{rows.height} rows belong to another {dimension}, first "
                    f"{strays.get_column(dimension)[0]!r}"
                )
        name = file_name(contract, values)
        sha, content = file_content(contract, values, rows, provenance)
        entry = self.place.put(name, content)
        if self._catalogue is not None and entry is not None:
            record = record_of(self.place, contract, values, entry, content)
            self._catalogue.note(contract, [("|".join(values.values()), entry, record)])
        return sha

    def read(self, table_name: str, partition: Partition | None = None) -> pl.DataFrame:
        """Rows of one partition in key order, after comparing the file with its seal.

        Errors: :class:`MissingPartitionError` names what to materialize; :class:`DamagedFileError`
        names the file, what is wrong and what to do; :class:`UnreadableFileError` says why the
        system refuses to read it. Nothing is changed.
        """
        check_declared(table_name)
        contract, values = _resolved(table_name, partition)
        return read_file(self.place, file_name(contract, values), contract, values)

    def content_sha(self, table_name: str, partition: Partition | None = None) -> str:
        """Hash of a partition's rows, from the file's metadata. Errors: as :meth:`read`."""
        return self.metadata(table_name, partition).content_sha

    def metadata(self, table_name: str, partition: Partition | None = None) -> FileMetadata:
        """Metadata of the file, without reading rows. Errors: as :meth:`read`."""
        contract, values = _resolved(table_name, partition)
        return read_metadata(self.place, file_name(contract, values), contract, values)

    def verify(self, table_name: str, partition: Partition | None = None) -> str:
        """Compare all bytes of a partition with its seal; returns its content hash.

        Errors: as :meth:`read`.
        """
        contract, values = _resolved(table_name, partition)
        return verify_file(self.place, file_name(contract, values), contract, values).content_sha

    def set_aside(self, table_name: str, partition: Partition | None = None) -> str | None:
        """Rename the file of a partition if it is damaged, so that the partition is made again.

        The file is read once more. It stays if it is intact (such as a file of another version), if
        the system refuses to read it, or if another process replaces it meanwhile. Returns the new
        path or URL of the damaged file, even if another process renamed it; None if no file is
        damaged.
        Errors: :class:`LakeError` if the file is damaged and cannot be renamed.
        """
        contract, values = _resolved(table_name, partition)
        name = file_name(contract, values)
        entry = self.place.entry(name)
        if entry is None:
            aside = where_aside(self.place, name)
            return None if aside is None else self.place.where(aside)
        if not self._is_damaged(entry, contract, values):
            return None
        return set_aside(self.place, entry)

    def _is_damaged(self, entry: Entry, contract: type[Table], values: Partition) -> bool:
        try:
            # Only the bytes count: a file that a library fails to parse may be intact.
            if entry.size <= SEAL_BYTES and is_intact(self.place.read(entry.name)):
                return False
            verify_file(self.place, entry.name, contract, values)
        except DamagedFileError as error:
            return not isinstance(error, MisfitFileError)
        except (MissingPartitionError, UnreadableFileError, OSError):
            return False
        return False

    def where_aside(self, table_name: str, partition: Partition | None = None) -> str | None:
        """Name, below the root, of a file of the partition that was set aside, or None."""
        return where_aside(self.place, file_name(*_resolved(table_name, partition)))

    def exists(self, table_name: str, partition: Partition | None = None) -> bool:
        """Whether the partition's file exists (it may still be damaged)."""
        return self.place.entry(file_name(*_resolved(table_name, partition))) is not None

    def files(self, table_name: str) -> Iterator[Entry]:
        """Files in the folders of the table's partitions, including foreign files and some files
        that were set aside.
        """
        contract = table(table_name)
        if contract.by:
            return self.place.files(contract.table_name())
        name = file_name(contract, {})
        found = self.place.entry(name)
        if found is None and (aside := where_aside(self.place, name)) is not None:
            found = self.place.entry(aside)
        return iter([] if found is None else [found])

    def files_aside(self) -> Iterator[tuple[str, tuple[str, ...], Entry]]:
        """Table, values of the partition, and file, for every file that was set aside."""
        for entry in self.place.files(""):
            before = name_before(entry.name)
            contract = None if before is None else _table_of(before)
            if before is not None and contract is not None:
                values = values_of(contract, before)
                if values is not None:
                    yield contract.table_name(), values, entry

    def listings(self, tables: Sequence[str]) -> Iterator[tuple[str, Iterable[Entry]]]:
        """:meth:`files` of each of ``tables``; an object store is listed once for all of them."""
        if isinstance(self.place, LocalPlace) or len(tables) == 1:
            yield from ((name, self.files(name)) for name in tables)
            return
        found: dict[str, list[Entry]] = {name: [] for name in tables}
        for entry in self.place.files(""):
            contract = _table_of(name_before(entry.name) or entry.name)
            if contract is not None and contract.table_name() in found:
                found[contract.table_name()].append(entry)
        yield from found.items()

    def entries(self, table_name: str) -> Iterator[tuple[tuple[str, ...], Entry]]:
        """Values of each partition that exists, and its file; foreign files are left out."""
        check_declared(table_name)
        contract = table(table_name)
        for entry in self.files(table_name):
            values = values_of(contract, entry.name)
            if values is not None:
                yield values, entry

    def partitions(self, table_name: str) -> list[dict[str, str]]:
        """Existing partitions, sorted by their values; foreign files are left out."""
        contract = table(table_name)
        found = sorted(values for values, _ in self.entries(table_name))
        return [dict(zip(contract.by, values, strict=True)) for values in found]

    def read_all(
        self,
        table_name: str,
        *,
        among: Mapping[str, Collection[str]] = MappingProxyType({}),
        **fixed: str,
    ) -> pl.DataFrame:
        """Rows of all partitions that match ``fixed``, in the order of the partitions.

        ``among`` maps dimension -> names: files of other names, which may be removed ones, are not
        opened. If no partition matches, the table is empty; the caller decides whether that is an
        error.
        Errors: :class:`LakeError` for an unknown dimension; else as :meth:`read`.
        """
        contract = table(table_name)
        unknown = sorted({*fixed, *among} - set(contract.by))
        if unknown:
            raise LakeError(f"{table_name} has no dimension {unknown[0]!r}: {contract.by}")
        sets = {dimension: frozenset(names) for dimension, names in among.items()}
        wanted = [
            p
            for p in self.partitions(table_name)
            if fixed.items() <= p.items() and all(p[d] in names for d, names in sets.items())
        ]
        return pl.concat([contract.empty(), *(self.read(table_name, p) for p in wanted)])

    def foreign_files(self) -> list[str]:
        """Paths or URLs of files that belong to no partition, sorted.

        Temporary files and files that were set aside are left out.
        """
        names = [entry.name for entry in self.place.files("")]
        foreign = [name for name in names if not _is_partition(name_before(name) or name)]
        return sorted(map(self.place.where, foreign))


def file_name(contract: type[Table], values: Partition) -> str:
    """Name of a partition's file below the root of the lake."""
    return "/".join([contract.table_name(), *values.values()]) + SUFFIX


def _local(place: Place) -> LocalPlace:
    if isinstance(place, LocalPlace):
        return place
    raise LakeError(f"{place.address}: the lake must be in a folder here, not at a URL")


def _table_of(name: str) -> type[Table] | None:
    return TABLES.get(name.partition("/")[0].removesuffix(SUFFIX))


def _is_partition(name: str) -> bool:
    contract = _table_of(name)
    return contract is not None and values_of(contract, name) is not None


def values_of(contract: type[Table], name: str) -> tuple[str, ...] | None:
    """Values of the partition whose file is called ``name``; None if no partition has that name."""
    if not name.endswith(SUFFIX):
        return None
    values = tuple(name[: -len(SUFFIX)].split("/")[1:])
    if len(values) != len(contract.by) or not all(map(_can_name, values)):
        return None
    return values


@lru_cache(maxsize=1 << 20)
def _can_name(value: str) -> bool:
    try:
        check_partition_value(value, "")
    except LakeError:
        return False
    return True


def _resolved(table_name: str, partition: Partition | None) -> tuple[type[Table], dict[str, str]]:
    """Contract and checked partition, its dimensions in the contract's order.

    Errors: :class:`UndeclaredReadError` in the body of a step; errors about wrong names.
    """
    check_declared(table_name)
    contract = table(table_name)
    partition = partition or {}
    if set(partition) != set(contract.by):
        raise LakeError(
            f"{table_name} is partitioned by {list(contract.by)}, not {sorted(partition)}"
        )
    where = f"{table_name} partition"
    return contract, {d: check_partition_value(partition[d], f"{where} {d}") for d in contract.by}
