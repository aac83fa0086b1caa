"""Rows of the catalogue as columns, each row with a seal that reveals damage."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from enact_assets.engine.fingerprints import Number, Numbers, input_number, version_numbers
from enact_assets.engine.lake.file_records import FileRecord
from enact_assets.engine.system.places import Entry

Objects = NDArray[np.object_]
ROWS = "partition, version, problem, numbers"
_N_NUMBERS = 6
_UNSIGNED = (1 << 64) - 1


class CataloguedFiles(NamedTuple):
    """Files of a table as catalogued: one entry each, shape (n_files,).

    ``partition`` are keys; ``size``, ``mtime_ns`` and ``mark`` are those of the listing, 64 bits
    each; ``version`` is the content hash of the rows, empty if there is a ``problem``; ``number``
    is the version as a number.
    """

    partition: list[str]
    size: Numbers
    mtime_ns: Numbers
    mark: Numbers
    version: Objects
    code: Numbers
    made_of: Numbers
    problem: Objects
    number: Numbers

    def at(self, which: NDArray[np.int64]) -> "CataloguedFiles":
        """The files at these indices, in that order."""
        columns: list[Any] = [column[which] for column in self[1:]]
        return CataloguedFiles([self.partition[k] for k in which.tolist()], *columns)


def row_seals(stat: Sequence[Number], version: Number, code: Number, made_of: Number) -> Number:
    """Seal of each row, which reveals damage: 64-bit numbers.

    ``stat`` are size, time of change and mark.
    """
    found = input_number("files", stat[0], stat[1])
    for number in (stat[2], version, code, made_of):
        found = input_number("files", found, number)
    return found


def rows_to_note(files: Sequence[tuple[str, Entry, FileRecord]]) -> Iterator[tuple[object, ...]]:
    """Rows of the table ``files`` without the asset, from partition key, file and its metadata."""
    made = [record.provenance for _, _, record in files]
    versions = [record.content_sha or "" for _, _, record in files]
    columns = [
        numbers(column) for column in zip(*(entry[1:] for _, entry, _ in files), strict=True)
    ]
    code = version_numbers("" if of is None else of.code_version for of in made)
    made_of = np.array([0 if of is None else of.inputs_number for of in made], np.uint64)
    seal = row_seals(columns, version_numbers(versions), code, made_of)
    table = np.stack([*columns, code, made_of, seal], axis=1)
    for (key, _, record), version, row in zip(files, versions, table, strict=True):
        yield key, version, record.problem, blob(row)


def in_columns(rows: Sequence[tuple[Any, ...]]) -> CataloguedFiles:
    """Columns from rows that were read (:data:`ROWS`); damaged rows are left out."""
    keys, version, problem, blobs = zip(*rows, strict=True) if rows else ((), (), (), ())
    table = np.frombuffer(b"".join(blobs), "<u8").astype(np.uint64).reshape(len(rows), _N_NUMBERS)
    *stat, code, made_of, seal = np.ascontiguousarray(table.T)
    number = version_numbers(version)
    is_whole = row_seals(stat, number, code, made_of) == seal
    columns: list[Any] = [*stat, texts(version), code, made_of, texts(problem), number]
    found = CataloguedFiles(list(keys), *columns)
    return found if is_whole.all() else found.at(np.flatnonzero(is_whole))


def numbers(values: Sequence[int]) -> Numbers:
    """Integers as 64 bits each, signed or unsigned."""
    try:
        return np.array(values, np.int64).view(np.uint64)
    except OverflowError:  # for example inodes of some file servers
        return np.array([value & _UNSIGNED for value in values], np.uint64)


def texts(values: Sequence[str | None]) -> Objects:
    """Texts as an array of objects."""
    found = np.empty(len(values), np.object_)
    found[:] = values
    return found


def blob(named: Numbers) -> bytes:
    """Numbers of 64 bits each, or a file's pictures, as one value."""
    return named.astype("<u8").tobytes()
