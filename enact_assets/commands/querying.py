"""The command ``sql``: one query on the DuckDB file, and how its rows are shown to people.

A table that fits the terminal, or one record after the other.
"""

import argparse
import re
import shutil
import sys
from collections.abc import Collection, Iterator, Sequence
from itertools import starmap
from typing import Any

import polars as pl
from rich.cells import cell_len, set_cell_size
from rich.console import Console

from enact_assets.commands.leaderboard import warn_if_altered
from enact_assets.commands.rows import plain_output, text_of, write_csv, write_json_lines
from enact_assets.commands.terminal import printable
from enact_assets.engine.plurals import counted
from enact_assets.results.published import query
from enact_assets.settings.paths import DataRoot

MAX_ROWS = 50
"""Rows that are shown unless all are asked for."""
MAX_CELL = 40
"""Characters that a cell of the table may take; a record shows whole values."""
GAP = "  "


def table_lines(rows: pl.DataFrame, width: int | None, max_rows: int | None) -> Iterator[str]:
    """``rows`` as a table of at most ``width`` characters, then what it does not show.

    If the columns do not fit, long names are broken after underscores. If that does not suffice,
    columns with the same value in all rows are listed below the table with that value, then columns
    that do not fit. A single row that does not fit becomes a record. None for ``width`` or
    ``max_rows``: all columns, all rows.
    """
    rows = _with_one_line_names(rows)
    shown = rows[:max_rows]
    cells = {column.name: [_cell(value) for value in column] for column in shown}
    heads = {name: [name] for name in rows.columns}
    widths = _widths(heads, cells)
    if width is not None and _width(widths.values()) > width:
        heads = {name: _broken(name, cells[name]) for name in rows.columns}
        widths = _widths(heads, cells)
    same, left_out = _not_shown(rows, widths, width)
    if rows.height == 1 and (same or left_out):
        yield from record_lines(rows, max_rows)
        return
    names = [name for name in rows.columns if name not in same and name not in left_out]
    is_number = {name: rows.schema[name].is_numeric() for name in names}

    def line(texts: Sequence[str]) -> str:
        padded = (
            " " * (widths[name] - cell_len(text)) + text
            if is_number[name]
            else set_cell_size(text, widths[name])
            for name, text in zip(names, texts, strict=True)
        )
        return GAP.join(padded).rstrip()

    if names:
        n_lines = max(len(heads[name]) for name in names)
        above = ([""] * (n_lines - len(heads[name])) + heads[name] for name in names)
        yield from map(line, zip(*above, strict=True))
        yield GAP.join("─" * widths[name] for name in names)
        yield from map(line, zip(*(cells[name] for name in names), strict=True))
    if same:
        values = (f"{name} = {cells[name][0]}" for name in same)
        yield f"The same in all rows: {', '.join(values)}."
    if left_out:
        yield f"No room for: {', '.join(left_out)}. Name columns in the query, or use --record."
    yield from _row_count(rows.height, shown.height)


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


def _cell(value: Any) -> str:
    text = f"{value:.6g}" if isinstance(value, float) else text_of(value)
    text = _one_line(text)
    return text if cell_len(text) <= MAX_CELL else set_cell_size(text, MAX_CELL - 1) + "…"


def _broken(name: str, cells: Sequence[str]) -> list[str]:
    """``name`` in lines as wide as its longest word or cell."""
    words = re.findall(r"[^_]*_+|[^_]+", name) or [name]
    width = max(map(cell_len, (*words, *cells)))
    lines = [""]
    for word in words:
        if cell_len(lines[-1] + word) <= width:
            lines[-1] += word
        else:
            lines.append(word)
    return lines


def _widths(heads: dict[str, list[str]], cells: dict[str, list[str]]) -> dict[str, int]:
    return {name: max(map(cell_len, (*head, *cells[name]))) for name, head in heads.items()}


def _width(widths: Collection[int]) -> int:
    return sum(widths) + len(GAP) * (len(widths) - 1)


def _not_shown(
    rows: pl.DataFrame, widths: dict[str, int], width: int | None
) -> tuple[list[str], list[str]]:
    """Columns with the same value in all rows, and columns that do not fit."""
    if width is None or _width(widths.values()) <= width:
        return [], []
    same = [c.name for c in rows if not c.dtype.is_nested() and c.n_unique() == 1]
    left_out, used = [], 0
    for name in rows.columns:
        if name in same:
            continue
        needed = widths[name] + (len(GAP) if used else 0)
        if used + needed <= width:
            used += needed
        else:
            left_out.append(name)
    return same, left_out


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
            out.writelines(f"{line}\n" for line in table_lines(rows, width, max_rows))
    return 0
