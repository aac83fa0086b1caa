"""Verifies files of the lake against their seals, bit by bit: one file or very many."""

from collections.abc import Mapping, Sequence
from enum import Enum
from pathlib import Path
from typing import IO, NamedTuple

import msgspec
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from enact_assets.engine.errors import (
    DamagedFile,
    DamagedFileError,
    LakeError,
    MisfitFileError,
    MissingPartitionError,
    UnreadableFileError,
)
from enact_assets.engine.lake.file_errors import OTHER_COLUMNS, TableFile
from enact_assets.engine.lake.file_metadata import (
    NOT_OURS,
    FileMetadata,
    contract_sha,
    partition_text,
)
from enact_assets.engine.lake.parquet_files import (
    HELD,
    N_ROWS,
    SEAL_BYTES,
    checked_metadata,
    intact_key_values,
    whole_file,
)
from enact_assets.engine.lake.seals import SEAL
from enact_assets.engine.system.many_files import File
from enact_assets.engine.system.places import Entry, Place
from enact_assets.engine.tables import Table, table


class Verified(NamedTuple):
    """An intact file: hash and number of its rows.

    ``held`` maps columns that hold names of partitions (:func:`held_dimensions`) -> the names in
    them; a column may be left out.
    """

    content_sha: str
    n_rows: int
    held: Mapping[str, Sequence[str]]


_Held = dict[str, list[str]]


class Fault(Enum):
    """Why a file could not be verified."""

    DAMAGED = "its bytes changed"
    MISFIT = "it is whole, and not the partition"
    UNREADABLE = "the system refuses to read it"
    GONE = "it was removed since it was listed"


class Refused(NamedTuple):
    """A file that cannot be used: the kind of fault, and a message."""

    fault: Fault
    file: DamagedFile


def verify_file(
    place: Place, name: str, contract: type[Table], partition: Mapping[str, str]
) -> Verified:
    """Read a table file once and compare it with its seal, or its pages with their checksums.

    Errors: :class:`DamagedFileError`, :class:`MisfitFileError` or another :class:`LakeError` for a
    file that does not exist or cannot be read.
    """
    file = TableFile(place.where(name), contract, partition)
    with file.reading(), place.open(name) as handle:
        source, found = whole_file(handle, file)
        return _verified(source, found, file, contract_sha(contract))


def verify_content(content: bytes, file: TableFile, contract_hash: str) -> Verified:
    """As :func:`verify_file`, for the bytes of a file.

    ``contract_hash`` is the table's :func:`contract_sha`, computed once for many files.
    """
    with file.reading():
        found = intact_key_values(content, file)
        return _verified(content, found, file, contract_hash)


def _verified(
    source: IO[bytes] | pa.BufferReader | bytes,
    found: Mapping[str, str],
    file: TableFile,
    contract_hash: str,
) -> Verified:
    if SEAL not in found:
        return _verify_pages(pa.BufferReader(source) if isinstance(source, bytes) else source, file)
    metadata = FileMetadata.decoded(found)
    if metadata is None:
        raise file.misfit(NOT_OURS)
    misfit = metadata.misfit(file.table, contract_hash, partition_text(file.partition))
    if misfit is not None:
        raise file.misfit(misfit)
    try:
        n_rows, held = int(found[N_ROWS]), msgspec.json.decode(found.get(HELD, "{}"), type=_Held)
    except (ValueError, msgspec.DecodeError):  # a seal of another project
        raise file.misfit(NOT_OURS) from None
    return Verified(metadata.content_sha, n_rows, held)


def _verify_pages(source: IO[bytes] | pa.BufferReader, file: TableFile) -> Verified:
    """Verify by the checksums of pages: for files written before seals existed."""
    parquet = pq.ParquetFile(source, page_checksum_verification=True)
    metadata = checked_metadata(parquet, file)
    if dict(pl.Schema(parquet.schema_arrow)) != file.table.schema():
        raise file.damaged(OTHER_COLUMNS)
    for group in range(parquet.num_row_groups):
        parquet.read_row_group(group)
    return Verified(metadata.content_sha, parquet.metadata.num_rows, {})


def verify_files(
    place: Place, table_name: str, files: Sequence[File], copies: Path | None = None
) -> list[Verified | Refused]:
    """Verify each of ``files``, read as a whole, in order; the result says why one cannot be used.

    Files with rows are copied to the folder ``copies`` if it is given.
    """
    contract = table(table_name)
    contract_hash = contract_sha(contract)
    ends = place.tails([e for _, e in files if e.size <= SEAL_BYTES], SEAL_BYTES)
    found: list[Verified | Refused] = []
    for values, entry in files:
        partition = dict(zip(contract.by, values, strict=True))
        file = TableFile(place.where(entry.name), contract, partition)
        end = None if entry.size > SEAL_BYTES else next(ends)
        try:
            verified, content = _verify_entry(place, entry, end, file, contract_hash)
        except (MissingPartitionError, UnreadableFileError, DamagedFileError) as error:
            found.append(_refused(error, file))
            continue
        if copies is not None and verified.n_rows:
            _copy(place.read(entry.name) if content is None else content, copies / entry.name)
        found.append(verified)
    return found


def _verify_entry(
    place: Place, entry: Entry, end: bytes | OSError | None, file: TableFile, contract_hash: str
) -> tuple[Verified, bytes | None]:
    """The result, and the content of the file. Without an ``end`` the file is too large for
    memory.
    """
    if end is None:
        return verify_file(place, entry.name, file.table, file.partition), None
    with file.reading():
        if isinstance(end, OSError):
            raise end
        try:
            return verify_content(end, file, contract_hash), end
        except DamagedFileError:
            if place.entry(entry.name) == entry:
                raise
        # The file was replaced since it was listed: the listed length is that of the old file.
        content = place.read(entry.name)
        return verify_content(content, file, contract_hash), content


def _refused(error: LakeError, file: TableFile) -> Refused:
    if isinstance(error, DamagedFileError):
        fault = Fault.MISFIT if isinstance(error, MisfitFileError) else Fault.DAMAGED
        return Refused(fault, error.files[0])
    fault = Fault.GONE if isinstance(error, MissingPartitionError) else Fault.UNREADABLE
    return Refused(fault, DamagedFile(str(error), file.table.table_name(), dict(file.partition)))


def _copy(content: bytes, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
