"""How far long work is: what whoever works reports, and who hears it."""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Progress:
    """How far long work is, in ``unit``; ``total`` is 0 where it is unknown beforehand.

    ``text`` is what is worked on. ``free`` of what is done cost no time: it says nothing about the
    pace. ``note`` is what people should be told in passing.
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
    """Nobody listens."""


def about(text: str, on_progress: OnProgress) -> OnProgress:
    """``on_progress``, which is told that ``text`` is worked on."""
    return lambda progress: on_progress(replace(progress, text=text))


def at_most_every(seconds: float, on_progress: OnProgress) -> OnProgress:
    """``on_progress`` at most that often, but always when everything is done."""
    told_at = -seconds

    def tell(progress: Progress) -> None:
        nonlocal told_at
        now = time.monotonic()
        if progress.done == progress.total or now - told_at >= seconds:
            told_at = now
            on_progress(progress)

    return tell
