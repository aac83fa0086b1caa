"""What became of each task, file or model, as a table, and what failed."""

import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from rich.console import Console
from rich.table import Table

from enact_assets.commands.release.outcomes import MAX_SHOWN, Outcome, Summary
from enact_assets.commands.terminal import plain, printable
from enact_assets.engine.errors import OutputError
from enact_assets.engine.system.atomic import replacing

_FIRST_LINE = "All failures of the last run of enact-assets.\n"
"""First line of a file of failures. A file with another first line belongs to the user, and
stays.
"""


def print_summary(
    console: Console,
    summary: Summary,
    what: str,
    output: Path,
    failed_file: Path | None = None,
    *,
    shows_all: bool = False,
) -> int:
    """The outcomes as a table, then what failed; returns the exit code, 0 or 1.

    Failures beyond those that are printed are in ``failed_file``: see :func:`print_failures`.
    """
    done = [o for o in summary.outcomes if o.error is None]
    if done:
        columns = list(dict.fromkeys(name for o in done for name in o.numbers))
        table = Table(what, *columns, box=None, pad_edge=False)
        for column in table.columns[1:]:
            column.justify = "right"
        shown = done if shows_all else done[:MAX_SHOWN]
        for outcome in shown:
            table.add_row(plain(outcome.name), *(_cell(outcome.numbers.get(c)) for c in columns))
        if len(done) > len(shown):
            table.add_row(f"... {len(done) - len(shown)} more; --all shows them")
        if len(done) > 1:
            table.add_row("all", *(_total(summary, done, c) for c in columns), style="bold")
        console.print(table)
    for note in summary.notes:
        console.print(plain(note))
    failed = [(o.name, o.error or "") for o in summary.failures]
    file = None if summary.is_dry_run else failed_file
    is_kept = print_failures(console, failed, file, shows_all=shows_all)
    n_failed, n_all = len(summary.failures), len(summary.outcomes)
    ended = f"{n_all - n_failed} of {n_all} done" if n_failed else f"{n_all} done"
    place = f"written to {output}"
    if summary.is_dry_run or (n_failed == n_all and not summary.has_output):
        place = f"nothing {'else ' if is_kept else ''}was written"
        place += " (dry run)" if summary.is_dry_run else ""
    console.print(plain(f"{ended}, {place}"))
    sys.stdout.flush()
    return 0 if summary.is_success else 1


def print_failures(
    console: Console,
    failed: Sequence[tuple[str, str]],
    file: Path | None = None,
    *,
    shows_all: bool = False,
) -> bool:
    """Name and message of each, up to a number that can be read unless ``shows_all``.

    If there are more, all are written to ``file``; if not, one of an earlier run is removed.
    Returns whether it was written.
    """
    lines = [m if m.startswith(f"{name}: ") else f"{name}: {m}" for name, m in failed]
    shown = lines if shows_all else lines[:MAX_SHOWN]
    for line in shown:
        console.print(plain(f"failed: {line}", "red"))
    hint = "--all shows them"
    is_kept = False
    if file is not None:
        try:
            is_kept = _keep(lines, file)
        except (OSError, OutputError) as error:
            hint = f"{file} cannot be written ({error}), {hint}"
    if is_kept:
        hint = f"{file} lists all {len(lines)}"
    if len(shown) < len(lines):
        console.print(plain(f"... {len(lines) - len(shown)} more failed; {hint}", "red"))
    return is_kept


def _keep(lines: Sequence[str], file: Path) -> bool:
    """Write ``lines`` to ``file`` if they are too many to print; returns whether it did."""
    with suppress(FileNotFoundError), file.open(encoding="utf-8", errors="replace") as found:
        if found.read(len(_FIRST_LINE)) != _FIRST_LINE:
            return False
    if len(lines) <= MAX_SHOWN:
        file.unlink(missing_ok=True)
        return False
    with replacing(file) as temporary:
        text = "".join(f"{printable(line)}\n" for line in lines)
        temporary.write_text(_FIRST_LINE + text, encoding="utf-8")
    return True


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
