"""Lines of the ledger: one JSON object each, which ends with a checksum of all bytes before it.

::

    {"request_sha": ..., "text": "[2, 1]", ..., "crc32":"0f3a9c21"}

Lines without one, as versions before 2026-11 wrote them, are read as they are. A killed process
leaves at most a truncated last line, which was never acknowledged and is ignored.
"""

import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

import msgspec

from enact_assets.engine.errors import PredictionError

SUFFIX = ".jsonl"
_END = b',"crc32":"%08x"}\n'
_N_END = len(_END % 0)
_ENDS = re.compile(rb',"crc32":"[0-9a-f]{8}"\}\n')
_T = TypeVar("_T")


def line_of(row: object) -> bytes:
    """``row`` as a line with its checksum."""
    begins = msgspec.json.encode(row).removesuffix(b"}")
    return begins + _END % zlib.crc32(begins)


def ledger_files(folder: Path) -> list[Path]:
    """All ledger files below ``folder``, oldest first."""
    return sorted(folder.rglob(f"*{SUFFIX}"), key=lambda path: path.name)


def whole_lines(path: Path, start: int = 0) -> Iterator[bytes]:
    """Lines of a file from byte ``start`` on, but for a torn last one, or one being written."""
    with path.open("rb") as file:
        file.seek(start)
        for line in file:
            # Whole but for its line break, a line is damaged, not torn.
            if not line.endswith(b"\n") and not _is_intact(line[:-1] + b"\n"):
                return  # its other half may come at any moment, and is no line
            yield line


def rows_in(path: Path, decoder: msgspec.json.Decoder[_T]) -> Iterator[_T]:
    """The rows of a file; none of one that is gone, as its run ended without an answer.

    Errors: as :func:`decoded`.
    """
    try:
        for number, line in enumerate(whole_lines(path), start=1):
            yield decoded(line, decoder, path, number)
    except FileNotFoundError:
        return


def decoded(line: bytes, decoder: msgspec.json.Decoder[_T], path: Path, number: int) -> _T:
    """One line. Errors: :class:`PredictionError` names file and line of one that is damaged."""
    try:
        if has_checksum(line) and not _is_intact(line):
            raise ValueError("it is not what its checksum says")
        return decoder.decode(line)
    except ValueError as error:  # of msgspec and of Unicode, too
        raise PredictionError(
            f"{path}, line {number}: damaged ({error}). Nothing was asked. Restore the file from a "
            "backup, or remove that line: its question will be bought again."
        ) from error


def has_checksum(line: bytes) -> bool:
    """Whether a line was written with a checksum."""
    return _ENDS.fullmatch(line, max(0, len(line) - _N_END)) is not None


def _is_intact(line: bytes) -> bool:
    begins = memoryview(line)[:-_N_END]
    return line[-_N_END:] == _END % zlib.crc32(begins)
