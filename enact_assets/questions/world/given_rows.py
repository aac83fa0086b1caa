"""Rows of CSV files about actions: of step files, and of ``actions.csv`` beside a video."""

from collections.abc import Sequence
from pathlib import Path

from enact_assets.engine.errors import GivenTextError, StepFileError
from enact_assets.engine.given_csv import GivenCsv, read_csv
from enact_assets.engine.given_files import read_given
from enact_assets.engine.given_text import SAVE_AS_UTF8, text_of
from enact_assets.engine.package_files import PACKAGE, file_bytes
from enact_assets.engine.plurals import counted

MAX_SHOWN = 300
MAX_SHOWN_COLUMNS = 12
NUMBERS = ("start_time", "end_time", "start", "end", "duration(sec)", "frame_rate")
NAMING = ("recording_id", "step_idx", "object", "place")
"""Columns that come first and hold names, which a ``#`` may begin."""


def read_csv_file(path: Path, known: Sequence[str]) -> GivenCsv:
    """The CSV file ``path``, whose columns should be ``known``.

    Errors: :class:`StepFileError` if it is no CSV in UTF-8, or has one of these columns twice;
    ``FileNotFoundError``.
    """
    try:
        is_ours = path.is_relative_to(PACKAGE)
        content = file_bytes(path) if is_ours else read_given(path)
        found = read_csv(text_of(content), known, NAMING, NUMBERS)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise StepFileError(f"{path}: cannot be read ({error.strerror}).") from error
    except GivenTextError as error:
        raise StepFileError(f"{path}, {error}. {SAVE_AS_UTF8}.") from None
    if found.fault:
        line, reason = found.fault
        raise StepFileError(
            f"{path}, line {line}: cannot be read as CSV ({reason}). Close the quotation marks."
        )
    if not found.columns:
        raise StepFileError(f"{path}: cannot be read as CSV (it holds nothing).")
    twice = [name for name in known if found.columns.count(name) > 1]
    if twice:
        raise StepFileError(
            f"{path}, line {found.header_line}: column {twice[0]!r} is there twice. Delete one."
        )
    return found


def check_columns(path: Path, found: GivenCsv, needed: Sequence[str]) -> None:
    """Errors: :class:`StepFileError` for a column that is missing."""
    columns = found.columns
    lacking = [name for name in needed if name not in columns]
    if lacking:
        has = shown(list(columns)[:MAX_SHOWN_COLUMNS])
        raise StepFileError(f"{path}: lacks columns {lacking}; it has {has}.")


def whole_rows(path: Path, found: GivenCsv) -> tuple[list[int], list[dict[str, str]], list[str]]:
    """Lines, rows by column, and a problem if rows with more fields than columns are left out."""
    n = len(found.columns)
    whole = [(line, found.of(row)) for line, row in found.rows if len(row) <= n]
    long = [(line, len(row)) for line, row in found.rows if len(row) > n]
    problems = [
        f"{path}: {counted(len(long), 'row')} left out: more fields than columns (first: line "
        f"{line}, {fields} fields, {n} columns). Put text with separators in quotes."
        for line, fields in long[:1]
    ]
    return [line for line, _ in whole], [of for _, of in whole], problems


def shown(value: object) -> str:
    """A value for a message: at most 300 characters, all of which can be printed."""
    text = ascii(value) if not str(value).isprintable() else repr(value)
    return text if len(text) <= MAX_SHOWN else f"{text[: MAX_SHOWN - 3]}..."
