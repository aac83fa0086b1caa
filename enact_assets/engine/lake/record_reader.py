"""Reads records of files of the lake from their footers, many at a time."""

from collections.abc import Mapping, Sequence

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from enact_assets.engine.errors import LakeError
from enact_assets.engine.lake.file_metadata import (
    NOT_OURS,
    FileMetadata,
    contract_sha,
    partition_text,
)
from enact_assets.engine.lake.file_records import FileRecord, Heads, heads
from enact_assets.engine.lake.parquet_files import (
    FOOTER_BYTES,
    needed_bytes,
    read_key_values,
)
from enact_assets.engine.system.many_files import File
from enact_assets.engine.system.places import Entry, Place
from enact_assets.engine.tables import Table, table


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
            content = _whole_footer(place, entry, end)
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


def _whole_footer(place: Place, entry: Entry, end: bytes | OSError) -> bytes:
    if isinstance(end, OSError):
        raise end
    n_needed = needed_bytes(end)
    return end if n_needed <= len(end) else place.tail(entry.name, n_needed)


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
