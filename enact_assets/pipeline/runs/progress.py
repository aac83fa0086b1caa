"""Reports progress of long steps to the run's log for the UI, and to a listener in the terminal."""

import time
from contextlib import AbstractContextManager
from contextvars import ContextVar

import dagster as dg

from enact_assets.engine.progress import OnProgress, Progress, unheard
from enact_assets.engine.system.contexts import holding

LOG_EVERY_S = 15.0

_listener: ContextVar[OnProgress] = ContextVar("enact_progress_listener", default=unheard)


def listening(listener: OnProgress) -> AbstractContextManager[None]:
    """Within the block, steps that run in this process report to ``listener`` too."""
    return holding(_listener, listener)


def within(done: int, total: int, unit: str) -> AbstractContextManager[None]:
    """Within the block, progress of steps is scaled to one of ``total`` parts of a run."""
    outer = _listener.get()

    def report(progress: Progress) -> None:
        free = progress.free / progress.total if progress.total else 0.0
        outer(Progress(done + progress.share, total, unit, progress.text, free))

    return listening(report)


def reporter(context: dg.AssetExecutionContext, text: str) -> OnProgress:
    """A receiver for progress of the step that ``context`` runs; ``text`` names the step's work.

    It writes to the log at most every 15 seconds, but each note immediately.
    """
    logged_at = time.monotonic()

    def report(progress: Progress) -> None:
        nonlocal logged_at
        if progress.note:
            context.log.warning(progress.note)
        named = Progress(progress.done, progress.total, progress.unit, text, progress.free)
        _listener.get()(named)
        now = time.monotonic()
        if now - logged_at >= LOG_EVERY_S:
            logged_at = now
            context.log.info(named.as_text())

    return report
