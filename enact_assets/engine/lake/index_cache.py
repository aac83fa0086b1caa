"""Cache of scans of the lake: per table, the files as listed and their records."""

import logging
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from enact_assets import __version__
from enact_assets.contracts.errors import OutputError
from enact_assets.engine.lake.file_metadata import contract_sha
from enact_assets.engine.lake.file_records import FileRecord, Heads
from enact_assets.engine.tables import Table
from enact_assets.system.atomic import replacing
from enact_assets.system.places import Entry

FORMAT = "1"
"""Raise when columns, or what decides the answers, change."""
_SCHEMA = pa.schema(
    [
        ("name", pa.large_string()),
        ("size", pa.int64()),
        ("mtime_ns", pa.int64()),
        ("mark", pa.uint64()),
        ("content_sha", pa.large_string()),
        ("made_from", pa.large_string()),
        ("problem", pa.large_string()),
        ("images", pa.large_list(pa.uint64())),
    ]
)
_UNREADABLE = (pa.ArrowException, pl.exceptions.PolarsError, OSError, ValueError, TypeError)

_log = logging.getLogger(__name__)


class IndexCache:
    """One file per table in ``folder``. What is damaged, of other code or of another lake is none.

    ``address`` is that of the lake: names, sizes and times of two lakes may agree.
    """

    def __init__(self, folder: Path, address: str) -> None:
        self._folder = folder
        self._address = address

    def read(self, contract: type[Table]) -> dict[Entry, FileRecord]:
        """What is remembered of the files of a table."""
        try:
            with pq.ParquetFile(self._path(contract), page_checksum_verification=True) as file:
                if file.schema_arrow.metadata.get(_KEY) != self._fingerprint(contract):
                    return {}
                return _decoded(file.read())
        except (*_UNREADABLE, AttributeError):
            return {}

    def write(self, contract: type[Table], files: Sequence[tuple[Entry, FileRecord]]) -> None:
        """Remember only ``files``. A cache that cannot be written costs time, not an error."""
        table = _encoded(files).replace_schema_metadata({_KEY: self._fingerprint(contract)})
        try:
            with replacing(self._path(contract)) as temporary:
                pq.write_table(
                    table,
                    temporary,
                    compression="zstd",
                    compression_level=1,
                    use_dictionary=False,
                    write_statistics=False,
                    write_page_checksum=True,
                )
        except (OutputError, pa.ArrowException) as error:
            _log.info("the next scan of %s takes longer: %s", contract.table_name(), error)

    def _path(self, contract: type[Table]) -> Path:
        return self._folder / f"{contract.table_name()}.parquet"

    def _fingerprint(self, contract: type[Table]) -> bytes:
        parts = (FORMAT, __version__, contract_sha(contract), self._address)
        return "\n".join(parts).encode()


_KEY = b"enact.index"


def _encoded(files: Sequence[tuple[Entry, FileRecord]]) -> pa.Table:
    entries = [entry for entry, _ in files]
    records = [record for _, record in files]
    named = [record.images for record in records]
    columns = [
        *([getattr(entry, field) for entry in entries] for field in Entry._fields),
        [record.content_sha for record in records],
        [record.made_from for record in records],
        [record.problem for record in records],
    ]
    arrays = [pa.array(c, field.type) for c, field in zip(columns, _SCHEMA, strict=False)]
    offsets = np.concatenate([[0], np.cumsum([0 if of is None else len(of) for of in named])])
    is_none = pa.array([of is None for of in named], pa.bool_())
    values = np.concatenate([np.empty(0, np.uint64), *(of for of in named if of is not None)])
    images = pa.LargeListArray.from_arrays(
        pa.array(offsets, pa.int64()), pa.array(values, pa.uint64()), mask=is_none
    )
    return pa.Table.from_arrays([*arrays, images], schema=_SCHEMA)


def _decoded(table: pa.Table) -> dict[Entry, FileRecord]:
    table = table.combine_chunks()
    # By way of polars: Arrow makes an object of its own of each value first.
    name, size, mtime_ns, mark, content_sha, made_from, problem = (
        pl.Series(table.column(field)).to_list() for field in _SCHEMA.names[:-1]
    )
    images: list[Heads | None] = [None] * len(name)
    column = table.column("images")
    if column.null_count < len(column):
        images = _decoded_lists(column.chunk(0))
    records = map(FileRecord, content_sha, made_from, problem, size, mtime_ns, images)
    return dict(zip(map(Entry, name, size, mtime_ns, mark), records, strict=True))


def _decoded_lists(column: pa.LargeListArray) -> list[Heads | None]:
    values = column.values.to_numpy()
    values.flags.writeable = False
    offsets = column.offsets.to_numpy().tolist()
    is_none = column.is_null().to_numpy(zero_copy_only=False).tolist()
    bounds = zip(offsets[:-1], offsets[1:], is_none, strict=True)
    return [None if none else values[first:last] for first, last, none in bounds]
