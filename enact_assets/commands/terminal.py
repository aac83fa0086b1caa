"""Output of commands: plain texts, and progress."""

import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from rich import progress as bars
from rich.console import Console
from rich.segment import Segment
from rich.text import Text

from enact_assets.engine.progress import OnProgress, Progress

LINE_EVERY_S = 10.0


@contextmanager
def shown_progress(console: Console, name: str) -> Iterator[OnProgress]:
    """Progress as a bar on a terminal, or as a line every ten seconds in a log; on standard
    error.
    """
    if not console.is_terminal:
        said_at = time.monotonic()

        def say(progress: Progress) -> None:
            nonlocal said_at
            if time.monotonic() - said_at >= LINE_EVERY_S:
                said_at = time.monotonic()
                print(f"{name} {progress.text}: {progress.share:.0%}", file=sys.stderr)

        yield say
        return
    text = bars.TextColumn("{task.description}", markup=False)
    columns = text, bars.BarColumn(), bars.TimeRemainingColumn()
    with bars.Progress(*columns, console=TextConsole(stderr=True), transient=True) as bar:
        task = bar.add_task(name, total=None)

        def show(progress: Progress) -> None:
            done, total = progress.done, progress.total
            bar.update(task, description=f"{name} {progress.text}", completed=done, total=total)

        yield show


class TextConsole(Console):
    """Prints texts as they are: no markup or emoji codes in them, and :func:`printable` only."""

    def __init__(self, **options: Any) -> None:
        super().__init__(markup=False, emoji=False, highlight=False, **options)

    def _render_buffer(self, buffer: Iterable[Segment]) -> str:
        # Rich's own output to the terminal is control codes or styles.
        return super()._render_buffer(
            part if part.control else part._replace(text=printable(part.text)) for part in buffer
        )


def plain(text: str, style: str = "") -> Text:
    """Text for a terminal, unchanged except for replacements by :func:`printable`."""
    return Text(printable(text), style)


def printable(text: str) -> str:
    """Escapes characters that a terminal or an encoding does not support, and control characters,
    which names of files and answers of models may contain.
    """
    return "".join(c if c.isprintable() or c == "\n" else ascii(c)[1:-1] for c in text)
