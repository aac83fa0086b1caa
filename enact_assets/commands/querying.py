"""The command ``sql``: one query on the DuckDB file."""

import argparse
import shutil
import sys

from rich.console import Console

from enact_assets.commands.leaderboard import warn_if_altered
from enact_assets.commands.rows import plain_output, write_csv, write_json_lines
from enact_assets.commands.shown_rows import MAX_ROWS, record_lines, table_lines
from enact_assets.results.published import query
from enact_assets.settings.paths import DataRoot


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
