"""Progress reports of long work, and their receivers."""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Progress:
    """How far long work is, counted in ``unit``; ``total`` is 0 if it is unknown.

    ``text`` names the current work. ``free`` of the finished units cost no time and are left out of
    estimates of the pace. ``note`` is a remark to show to people.
    """

    done: float
    total: float = 0
    unit: str = ""
    text: str = ""
    free: float = 0
    note: str = ""

    def as_text(self) -> str:
        """One line, such as ``pictures setting_the_table-0 baseline: 3/27 pictures``."""
        return f"{self.text}: {self.count}"

    @property
    def count(self) -> str:
        """``3/27 pictures``."""
        of_total = f"/{self.total:,.0f}" if self.total else ""
        return f"{self.done:,.0f}{of_total} {self.unit}"

    @property
    def share(self) -> float:
        """0 to 1; 0 where the total is unknown."""
        return self.done / self.total if self.total else 0.0


OnProgress = Callable[[Progress], None]


def unheard(_progress: Progress) -> None:
    """Ignore progress reports."""


def about(text: str, on_progress: OnProgress) -> OnProgress:
    """``on_progress`` with reports whose ``text`` is replaced by this one."""
    return lambda progress: on_progress(replace(progress, text=text))


def at_most_every(seconds: float, on_progress: OnProgress) -> OnProgress:
    """``on_progress``, called at most once in ``seconds``, and always when the work is done."""
    reported_at = -seconds

    def report(progress: Progress) -> None:
        nonlocal reported_at
        now = time.monotonic()
        if progress.done == progress.total or now - reported_at >= seconds:
            reported_at = now
            on_progress(progress)

    return report
