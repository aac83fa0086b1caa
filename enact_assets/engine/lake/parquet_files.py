"""Table files: Parquet with metadata, checked when written and when read, one by one or many.

A seal covers the whole file (engine/lake/seals.py) and is compared before rows are read. Every page
also carries a checksum, for other programs and for files written before seals existed. Without
both, a flipped bit in a compressed page is silently read as other data (in 45 of 60 random trials).
"""

import json
import os
from collections.abc import Mapping, Sequence
from typing import IO

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from enact_assets import __version__
from enact_assets.engine.errors import LakeError
from enact_assets.engine.ids import table_sha
from enact_assets.engine.lake.file_errors import CHANGED, OTHER_COLUMNS, TableFile
from enact_assets.engine.lake.file_metadata import (
    HEADS,
    NOT_OURS,
    FileMetadata,
    FileRecord,
    Heads,
    contract_sha,
    encoded_heads,
    heads,
    partition_text,
)
from enact_assets.engine.lake.seals import (
    SEAL,
    is_intact,
    is_intact_file,
    sealed_parquet,
    shows_seal,
)
from enact_assets.engine.provenance import Provenance
from enact_assets.engine.system.many_files import File
from enact_assets.engine.system.places import Entry, Place
from enact_assets.engine.tables import Table, dimensions, table

ROW_GROUP_ROWS = 128_000
"""DuckDB reads row groups in parallel; their size also limits the memory of a check."""
FOOTER_BYTES = 1 << 16
"""Footers of our tables have a few kilobytes; a larger footer needs a second read."""
SEAL_BYTES = 1 << 26
"""Maximum size of a file that is read into memory as a whole."""
_MAGIC = b"PAR1"
N_ROWS = "enact.n_rows"
HELD = "enact.held"
MAX_HELD = 100
"""With more names in a column, the footer would become larger than the column it saves reading."""
MAX_HEADS = 2_000


def write_file(
    place: Place,
    name: str,
    table: type[Table],
    partition: Mapping[str, str],
    rows: pl.DataFrame,
    *,
    provenance: Provenance | None = None,
) -> str:
    """Write checked ``rows`` atomically; returns the hash of their content.

    Errors: :class:`OutputError` if the file cannot be written; the old file stays.
    """
    sha, content = file_content(table, partition, rows, provenance)
    place.put(name, content)
    return sha


def file_content(
    table: type[Table],
    partition: Mapping[str, str],
    rows: pl.DataFrame,
    provenance: Provenance | None = None,
) -> tuple[str, bytes]:
    """Hash of the content of checked ``rows``, and the bytes of their file."""
    metadata = FileMetadata(
        table.table_name(),
        partition_text(partition),
        table_sha(rows, table.key()),
        contract_sha(table),
        __version__,
        None if provenance is None else provenance.encoded(),
    )
    return metadata.content_sha, encoded_file(table, rows.to_arrow(), metadata)


def encoded_file(table: type[Table], rows: pa.Table, metadata: FileMetadata) -> bytes:
    """The bytes of a table file."""
    more = {N_ROWS: str(rows.num_rows)}
    held = {
        name: rows.column(name).drop_null().unique().to_pylist() for name in held_dimensions(table)
    }
    few = {name: sorted(values) for name, values in held.items() if len(values) <= MAX_HELD}
    if few:
        more[HELD] = json.dumps(few, sort_keys=True)
    if table.image_column is not None:
        named = heads(rows.column(table.image_column).to_pylist())
        if len(named) <= MAX_HEADS:
            more[HEADS] = encoded_heads(named)
    return sealed_parquet(
        rows.replace_schema_metadata(metadata.encoded()),
        more,
        compression="zstd",
        row_group_size=ROW_GROUP_ROWS,
        write_page_checksum=True,
    )


def read_file(
    place: Place, name: str, table: type[Table], partition: Mapping[str, str]
) -> pl.DataFrame:
    """All rows of a table file, in key order, after checking the file's seal and metadata."""
    file = TableFile(place.where(name), table, partition)
    with file.reading(), place.open(name) as handle:
        source, _ = whole_file(handle, file)
        parquet = pq.ParquetFile(source, page_checksum_verification=True)
        checked_metadata(parquet, file)
        frame = pl.from_arrow(parquet.read(list(table.schema())))
    if not isinstance(frame, pl.DataFrame) or frame.schema != table.schema():
        raise file.damaged(OTHER_COLUMNS)
    return frame


def read_metadata(
    place: Place, name: str, table: type[Table], partition: Mapping[str, str]
) -> FileMetadata:
    """Metadata of a table file, without reading rows."""
    file = TableFile(place.where(name), table, partition)
    with file.reading():
        footer = _whole_footer(place, name, place.tail(name, FOOTER_BYTES))
        return checked_metadata(pq.ParquetFile(pa.BufferReader(footer)), file)


def whole_file(
    handle: IO[bytes], file: TableFile
) -> tuple[IO[bytes] | pa.BufferReader, dict[str, str]]:
    """Compare an open file with its seal; returns the source to read from, and its key values.

    A file written before seals existed is not compared: its pages have checksums. A large file is
    not kept in memory. Errors: :class:`DamagedFileError`; to be called in
    :meth:`TableFile.reading`.
    """
    content = handle.read(SEAL_BYTES + 1)
    if len(content) <= SEAL_BYTES:
        return pa.BufferReader(content), intact_key_values(content, file)
    end = _end(handle, FOOTER_BYTES)
    end = _end(handle, max(needed_bytes(end), len(end)))
    shown = needed_bytes(end) > 0 and shows_seal(end)
    if shown and not is_intact_file(handle, len(end)):
        raise file.damaged(CHANGED)
    found = read_key_values(end)
    if has_seal(found, file) and not shown:
        raise file.damaged(CHANGED)
    handle.seek(0)
    return handle, found


def _end(handle: IO[bytes], n_bytes: int) -> bytes:
    handle.seek(-min(n_bytes, handle.seek(0, os.SEEK_END)), os.SEEK_END)
    return handle.read()


def intact_key_values(content: bytes, file: TableFile) -> dict[str, str]:
    """Key values of a file after comparing it with its seal, if it has one.

    Errors: :class:`DamagedFileError`; ``pa.ArrowInvalid`` if it is not a Parquet file.
    """
    # This comes before any parsing: on some damaged footers the parser prints a panic.
    shown = needed_bytes(content) > 0 and shows_seal(content)
    if shown and not is_intact(content):
        raise file.damaged(CHANGED)
    found = read_key_values(content)
    if has_seal(found, file) and not shown:
        raise file.damaged(CHANGED)
    return found


def has_seal(found: Mapping[str, str], file: TableFile) -> bool:
    """Whether a file is sealed, according to its key values.

    Errors: :class:`DamagedFileError` if it was sealed but the seal is lost: one flipped bit in a
    key is enough.
    """
    if (SEAL in found) != (N_ROWS in found):
        raise file.damaged(CHANGED)
    return SEAL in found


def _whole_footer(place: Place, name: str, end: bytes) -> bytes:
    """The ``end`` of a file, or a longer one if it lacks a part of the footer."""
    n_needed = needed_bytes(end)
    return end if n_needed <= len(end) else place.tail(name, n_needed)


def needed_bytes(end: bytes) -> int:
    """Length of a file's footer in bytes, read from the file's ``end``; 0 if it is not Parquet."""
    if end[-4:] != _MAGIC or len(end) < 8:
        return 0
    return int.from_bytes(end[-8:-4], "little") + 8


def held_dimensions(table: type[Table]) -> list[str]:
    """Columns of a table that hold names of partitions, other than its own."""
    return sorted(dimensions() & table.schema().keys() - set(table.by))


def read_key_values(content: bytes) -> dict[str, str]:
    """Key-value metadata of a Parquet file, or of the end of a file that includes its footer.

    Errors: ``pa.ArrowInvalid`` if it is not a Parquet file.
    """
    try:
        # This is five times as fast as Arrow's reader, and ten times as fast as opening the file as
        # a table.
        footer = content[-needed_bytes(content) :]
        return pl.read_parquet_metadata(footer, credential_provider=None)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, ValueError) as error:
        raise pa.ArrowInvalid(" ".join(str(error).split())[:200]) from error


def checked_metadata(parquet: pq.ParquetFile, file: TableFile) -> FileMetadata:
    """Metadata of a file, after checking that it is the expected partition.

    Errors: :class:`MisfitFileError` for another partition or another version;
    :class:`DamagedFileError` if its columns differ from its metadata.
    """
    found = parquet.metadata.metadata or {}
    metadata = FileMetadata.decoded(
        {k.decode(errors="replace"): v.decode(errors="replace") for k, v in found.items()}
    )
    if metadata is None:
        raise file.misfit(NOT_OURS)
    table, partition = file.table, partition_text(file.partition)
    misfit = metadata.misfit(table, contract_sha(table), partition)
    if misfit is not None:
        raise file.misfit(misfit)
    if parquet.schema_arrow.names != list(table.schema()):
        raise file.damaged(OTHER_COLUMNS)
    return metadata


def read_records(place: Place, table_name: str, files: Sequence[File]) -> list[FileRecord | None]:
    """Record of each of ``files``, in order; None for a file that no longer exists.

    A damaged file is not an error, but a record with a problem. Errors: :class:`LakeError` for a
    file that cannot be read: taken for damaged, it would be made again, and its answers bought
    again.
    """
    contract = table(table_name)
    records: list[FileRecord | None] = []
    ends = place.tails([entry for _, entry in files], FOOTER_BYTES)
    for (values, entry), end in zip(files, ends, strict=True):
        try:
            if isinstance(end, OSError):
                raise end
            content = _whole_footer(place, entry.name, end)
        except FileNotFoundError:
            records.append(None)
            continue
        except OSError as error:
            raise LakeError(
                f"{place.where(entry.name)}: cannot be read ({error.strerror or error}). Its "
                "version is unknown. Let this user read it and run again. Delete it only to have "
                "it made again."
            ) from error
        partition = dict(zip(contract.by, values, strict=True))
        record = record_of(place, contract, partition, entry, content)
        if record.problem is not None and (now := place.entry(entry.name)) != entry:
            # The file was replaced since it was listed: the end that was read may belong to neither
            # version.
            if now is None:
                records.append(None)
                continue
            content = place.tail(now.name, now.size)
            record = record_of(place, contract, partition, now, content)
        records.append(record)
    return records


def record_of(
    place: Place,
    contract: type[Table],
    partition: Mapping[str, str],
    entry: Entry,
    content: bytes,
) -> FileRecord:
    """Record of one file; ``content`` is the whole file, or its end with the footer."""
    record = _record(contract, contract_sha(contract), partition_text(partition), entry, content)
    pictures = contract.image_column
    if pictures is not None and record.problem is None and record.images is None:
        whole = content if len(content) >= entry.size else place.read(entry.name)
        record = _with_pictures(record, entry, whole, pictures)
    return record


def _record(
    contract: type[Table], expected: str, partition: str, entry: Entry, content: bytes
) -> FileRecord:
    try:
        found = read_key_values(content)
    except pa.ArrowInvalid as error:
        return _unusable(entry, f"not readable as Parquet, so truncated or damaged ({error})")
    metadata = FileMetadata.decoded(found)
    if metadata is None:
        return _unusable(entry, NOT_OURS)
    misfit = metadata.misfit(contract, expected, partition)
    if misfit is not None:
        return _unusable(entry, misfit)
    try:
        named = metadata.heads
    except ValueError as error:
        return _unusable(entry, f"its pictures cannot be read ({error})")
    size, mtime_ns = entry.size, entry.mtime_ns
    return FileRecord(metadata.content_sha, metadata.made_from, None, size, mtime_ns, named)


def _with_pictures(record: FileRecord, entry: Entry, content: bytes, column: str) -> FileRecord:
    try:
        file = pq.ParquetFile(pa.BufferReader(content), page_checksum_verification=True)
        hashes = pl.Series(file.read([column], use_threads=False).column(0))
        named: Heads = heads(hashes.to_list())
    except (pa.ArrowException, OSError, ValueError, TypeError) as error:
        return _unusable(entry, f"its pictures cannot be read ({error})")
    return record._replace(images=named)


def _unusable(entry: Entry, reason: str) -> FileRecord:
    return FileRecord(None, None, reason, entry.size, entry.mtime_ns)
