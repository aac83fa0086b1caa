"""Progress of long steps: into the run's log for the UI, and to a listener in the terminal."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

import dagster as dg

from enact_assets.answers.models.session import Progress as AskingProgress

LOG_EVERY_S = 15.0


@dataclass(frozen=True)
class Progress:
    """How far one step is, in ``unit``; ``total`` is 0 where it is unknown beforehand.

    ``free`` of what is done cost no time: it says nothing about the pace.
    """

    text: str
    done: float
    total: float
    unit: str
    free: float = 0.0

    def as_text(self) -> str:
        """One line, such as ``pictures setting_the_table-0 baseline: 3/27 pictures``."""
        return f"{self.text}: {self.count}"

    @property
    def count(self) -> str:
        """``3/27 pictures``."""
        of_total = f"/{self.total:,.0f}" if self.total else ""
        return f"{self.done:,.0f}{of_total} {self.unit}"


Listener = Callable[[Progress], None]
_listener: ContextVar[Listener | None] = ContextVar("enact_progress_listener", default=None)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Within the block, steps that run in this process report to ``listener`` too."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


@contextmanager
def within(done: int, total: int, unit: str) -> Iterator[None]:
    """In the block, what steps report is progress within one of ``total`` parts of a run."""
    outer = _listener.get()
    if outer is None:
        yield
        return

    def tell(progress: Progress) -> None:
        share, free = (
            (n / progress.total if progress.total else 0.0) for n in (progress.done, progress.free)
        )
        outer(Progress(progress.text, done + share, total, unit, free))

    with listening(tell):
        yield


class Reporter:
    """Hands the progress of one step on, to the log at most every 15 seconds."""

    def __init__(self, context: dg.AssetExecutionContext, text: str) -> None:
        self._context = context
        self._text = text
        self._logged_at = time.monotonic()

    def simulated(self, seconds: float) -> None:
        """Report simulated time; how long a demonstration gets is known when it ends."""
        self._report(Progress(self._text, seconds, 0, "s simulated"))

    def read(self, done: int, total: int) -> None:
        """Report bytes read of a recording."""
        self._report(Progress(self._text, done / 1e6, total / 1e6, "MB read"))

    def played(self, done: int, total: int) -> None:
        """Report frames that another simulator played back."""
        self._report(Progress(self._text, done, total, "frames"))

    def parts(self, done: int, total: int, unit: str) -> None:
        """Report parts of a run that ended, such as demonstrations of a shard."""
        self._report(Progress(self._text, done, total, unit))

    def pictures(self, done: int, total: int, n_from_cache: int, _seconds: float) -> None:
        """Report pictures made, of which ``n_from_cache`` had been rendered before."""
        cached = f"pictures ({n_from_cache:,} rendered before)" if n_from_cache else "pictures"
        self._report(Progress(self._text, done, total, cached, n_from_cache))

    def answers(self, asked: AskingProgress) -> None:
        """Report questions answered, what they cost, and those without an answer."""
        notes = [f"{asked.n_from_ledger:,} known"] if asked.n_from_ledger else []
        notes += [f"{asked.n_missing:,} missing"] if asked.n_missing else []
        notes += [f"{asked.usd:.2f} USD"] if asked.usd else []
        unit = f"answers ({', '.join(notes)})" if notes else "answers"
        if asked.note:
            self._context.log.warning(asked.note)
        self._report(Progress(self._text, asked.n_done, asked.n_total, unit, asked.n_from_ledger))

    def published(self, share: float) -> None:
        """Report the share of a publication that is done, 0 to 1."""
        self._report(Progress(self._text, 100 * share, 100, "%"))

    def _report(self, progress: Progress) -> None:
        listener = _listener.get()
        if listener is not None:
            listener(progress)
        now = time.monotonic()
        if now - self._logged_at >= LOG_EVERY_S:
            self._logged_at = now
            self._context.log.info(progress.as_text())


def reporter(context: dg.AssetExecutionContext, text: str) -> Reporter:
    """A reporter for the step that ``context`` runs."""
    return Reporter(context, text)
