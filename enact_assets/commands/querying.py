"""The command ``sql``: one query on the DuckDB file, and how its rows are shown to people.

A table that fits the terminal, or one record after the other.
"""

import argparse
import io
import shutil
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from itertools import starmap
from typing import Any

import duckdb
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
DRAWN_ROWS = 9_999
"""More DuckDB does not count."""
WIDEST = 1_000_000
"""Characters of a line where no terminal limits it."""
GAP = "  "


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
