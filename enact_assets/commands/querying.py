"""The command ``sql``: one query on the DuckDB file, and how its rows are shown.

To people: a table that fits the terminal, or one record after the other. To other programs: whole
values, all rows, as CSV or as JSON lines.
"""

import argparse
import io
import json
import math
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from datetime import date, datetime, time
from decimal import Decimal
from itertools import starmap
from typing import Any, TextIO

import duckdb
import polars as pl
from rich.cells import cell_len, set_cell_size
from rich.console import Console

from enact_assets.commands.leaderboard import warn_if_altered
from enact_assets.commands.terminal import printable
from enact_assets.engine.plurals import counted
from enact_assets.results.published import query
from enact_assets.settings.paths import DataRoot

MAX_ROWS = 50
"""Rows that are shown unless all are asked for."""
DRAWN_ROWS = 9_999
"""More DuckDB does not count."""
WIDEST = 1_000_000
"""Characters of a line where no terminal limits it."""
GAP = "  "
Out = TextIO | io.TextIOBase
EXACT_DIGITS = 15
"""Decimal digits that every float preserves."""


def table_text(rows: pl.DataFrame, width: int | None, max_rows: int | None) -> str:
    """``rows`` as DuckDB draws tables, at most ``width`` characters wide (80 or more). Columns that
    do not fit are left out in the middle and counted. None: all columns, all rows.
    """
    shown = rows[:max_rows]
    out = io.StringIO()
    with redirect_stdout(out):
        for start in range(0, max(shown.height, 1), DRAWN_ROWS):
            part = shown[start : start + DRAWN_ROWS]
            found = duckdb.from_arrow(part.to_arrow())
            found.show(max_width=width or WIDEST, max_rows=part.height + 1)
    text = printable(out.getvalue().replace("\n\n", "\n"))
    if "…" in text:
        text += "--record shows all columns and whole values; or name columns in the query.\n"
    return text + "".join(f"{line}\n" for line in _row_count(rows.height, shown.height))


def record_lines(rows: pl.DataFrame, max_rows: int | None) -> Iterator[str]:
    """Each of ``rows`` as lines of a column and its whole value; None for ``max_rows``: all."""
    rows = _with_one_line_names(rows)
    shown = rows[:max_rows]
    width = max(map(cell_len, rows.columns), default=0)

    def field(name: str, value: Any) -> str:
        text = printable(text_of(value)).replace("\n", "\n" + " " * (width + len(GAP)))
        return f"{set_cell_size(name, width)}{GAP}{text}"

    for k, row in enumerate(shown.iter_rows(named=True), 1):
        if rows.height > 1:
            yield f"── row {k} of {rows.height} ──"
        yield from starmap(field, row.items())
    yield from _row_count(rows.height, shown.height)


def _one_line(text: str) -> str:
    return "".join(c if c.isprintable() else " " for c in text)


def _with_one_line_names(rows: pl.DataFrame) -> pl.DataFrame:
    """``rows``; characters of column names that a terminal would obey become spaces."""
    names = [_one_line(name) for name in rows.columns]
    if len(set(names)) < len(names):
        names = [f"{name} ({k})" for k, name in enumerate(names, 1)]
    return rows.rename(dict(zip(rows.columns, names, strict=True)))


def _row_count(n_rows: int, n_shown: int) -> Iterator[str]:
    if n_shown < n_rows:
        yield f"{n_shown:,} of {n_rows:,} rows are shown; --all shows all."
    elif n_rows != 1:
        yield counted(n_rows, "row")


def run_sql(arguments: argparse.Namespace, _console: Console) -> int:
    """``sql``; returns the exit code."""
    warehouse = DataRoot(arguments.data).warehouse
    warn_if_altered(warehouse)
    rows = query(warehouse, arguments.query, is_trusted=arguments.files)
    max_rows = None if arguments.all else MAX_ROWS
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    with plain_output() as out:
        if arguments.csv or arguments.json:
            (write_csv if arguments.csv else write_json_lines)(rows, out)
        elif arguments.record:
            out.writelines(f"{line}\n" for line in record_lines(rows, max_rows))
        else:
            out.write(table_text(rows, width, max_rows))
    return 0


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
