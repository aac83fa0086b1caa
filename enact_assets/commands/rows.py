"""Rows of a query for other programs: whole values, all rows, as CSV or as JSON lines."""

import io
import json
import math
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any, TextIO

import polars as pl

from enact_assets.commands.terminal import printable

Out = TextIO | io.TextIOBase
EXACT_DIGITS = 15
"""Decimal digits that every float preserves."""


def write_csv(rows: pl.DataFrame, out: Out) -> None:
    """Names and rows as CSV; lists and structs as JSON. An empty field is null, ``""`` a text."""
    if not rows.width:
        return
    nested = {name for name, kind in rows.schema.items() if kind.is_nested() or kind == pl.Binary}
    columns = [_as_json_texts(column) if column.name in nested else column for column in rows]
    out.write(pl.DataFrame(columns).write_csv())


def write_json_lines(rows: pl.DataFrame, out: Out) -> None:
    """One JSON object per row, on one line; NaN and infinity, which JSON lacks, are null."""
    out.writelines(
        _json({name: _plain(value) for name, value in row.items()}) + "\n"
        for row in rows.iter_rows(named=True)
    )


@contextmanager
def plain_output() -> Iterator[Out]:
    """Standard output as UTF-8 in any locale. If the reader closes it (``| head``), there is no
    error. A terminal gets no control characters.
    """
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")
    try:
        yield _Shown(sys.stdout) if sys.stdout.isatty() else sys.stdout
        sys.stdout.flush()
    except BrokenPipeError:
        # Otherwise Python would flush again at its end, and print an error.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class _Shown(io.TextIOBase):
    """Writes text to a terminal after :func:`printable`."""

    def __init__(self, terminal: TextIO) -> None:
        self._terminal = terminal

    def write(self, text: str) -> int:
        self._terminal.write(printable(text))
        return len(text)


def text_of(value: Any) -> str:
    """``value`` as text for people: lists and structs as JSON, ``null`` for None."""
    return "null" if value is None else _text(_plain(value))


def _as_json_texts(column: pl.Series) -> pl.Series:
    texts = [None if value is None else _text(_plain(value)) for value in column.to_list()]
    return pl.Series(column.name, texts, pl.String)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else _json(value)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _plain(value: Any) -> Any:
    """``value`` as JSON: types without a form in JSON become texts that DuckDB can parse."""
    if isinstance(value, dict):
        return {name: _plain(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple | pl.Series):
        return [_plain(inner) for inner in value]
    if isinstance(value, float | Decimal):
        return _number(value)
    if isinstance(value, bytes):
        return value.hex()
    if value is None or isinstance(value, str | int):
        return value
    return value.isoformat() if isinstance(value, datetime | date | time) else str(value)


def _number(value: float | Decimal) -> int | float | str | None:
    """DuckDB's sums of whole numbers are decimals, too."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    parts = value.as_tuple()
    if isinstance(parts.exponent, int) and parts.exponent >= 0:
        return int(value)
    return float(value) if len(parts.digits) <= EXACT_DIGITS else str(value)
