"""What became of each task, file or model, as a table, and what failed."""

import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from enact_assets.commands.release.outcomes import Outcome, Summary
from enact_assets.commands.terminal import plain

MAX_SHOWN = 30


def print_summary(console: Console, summary: Summary, what: str, output: Path) -> int:
    """The outcomes as a table, then what failed; returns the exit code, 0 or 1."""
    done = [o for o in summary.outcomes if o.error is None]
    if done:
        columns = list(dict.fromkeys(name for o in done for name in o.numbers))
        table = Table(what, *columns, box=None, pad_edge=False)
        for column in table.columns[1:]:
            column.justify = "right"
        shown = done[:MAX_SHOWN]
        for outcome in shown:
            table.add_row(plain(outcome.name), *(_cell(outcome.numbers.get(c)) for c in columns))
        if len(done) > len(shown):
            table.add_row(f"... {len(done) - len(shown)} more")
        if len(done) > 1:
            table.add_row("all", *(_total(summary, done, c) for c in columns), style="bold")
        console.print(table)
    for note in summary.notes:
        console.print(plain(note))
    print_failures(console, [(o.name, o.error or "") for o in summary.failures])
    n_failed, n_all = len(summary.failures), len(summary.outcomes)
    ended = f"{n_all - n_failed} of {n_all} done" if n_failed else f"{n_all} done"
    place = f"written to {output}"
    if summary.is_dry_run or (n_failed == n_all and not summary.has_output):
        place = "nothing was written" + (" (dry run)" if summary.is_dry_run else "")
    console.print(plain(f"{ended}, {place}"))
    sys.stdout.flush()
    return 0 if summary.is_success else 1


def print_failures(console: Console, failed: Sequence[tuple[str, str]]) -> None:
    """Name and message of each, up to a number that can be read."""
    for name, message in failed[:MAX_SHOWN]:
        shown = message if message.startswith(f"{name}: ") else f"{name}: {message}"
        console.print(plain(f"failed: {shown}", "red"))
    if len(failed) > MAX_SHOWN:
        console.print(Text(f"... {len(failed) - MAX_SHOWN} more failed", "red"))


def _cell(value: object) -> str:
    if value is None:
        return ""
    return f"{value:.4f}" if isinstance(value, float) else str(value)


def _total(summary: Summary, done: list[Outcome], column: str) -> str:
    """The sum of counts; nothing for what does not add up."""
    values = [o.numbers.get(column, 0) for o in done]
    if any(not isinstance(v, int) for v in values):
        return ""
    return str(int(summary.total(column)))
