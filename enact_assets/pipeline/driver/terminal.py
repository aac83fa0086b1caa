"""Output of the headless driver in a terminal, or in a log without one."""

import sys
import time
from collections import deque
from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from enact_assets.engine.planning.lineage import NEVER
from enact_assets.engine.plurals import all_fresh, counted, named
from enact_assets.engine.progress import Progress
from enact_assets.engine.system.kernel_cache import has_kernels
from enact_assets.pipeline.driver.walk import Failure, Observer, Report
from enact_assets.pipeline.lineage.graph import STEP_NAMED
from enact_assets.pipeline.runs.run import Run

LINE_EVERY_S = 10.0
READING_SHOWN_S = 1.0
WARM_S, LEAST_SHARE = 2.0, 0.01
"""Least time and share of the work from which remaining time is estimated."""
STEP_WIDTH = max(map(len, STEP_NAMED))
"""Columns for the name of a step."""
COMPILING = "Compiling numeric code, once per installation: the first steps take a minute longer."


class Pace:
    """Estimates the remaining time of one step from the work done so far.

    Work is counted in the unit of the runs' progress, or in partitions if runs report no progress.
    Cached results do not count as work done; the work of later partitions is reduced in proportion.
    The pace is that of the last half of the time, as the first answers and pictures fill caches.
    """

    def __init__(self) -> None:
        self._worked = 0.0
        self._n_ended = 0
        self._began = 0.0
        self._noted: deque[tuple[float, float]] = deque()

    def run_ends(self, last: Progress | None, n: int, now: float) -> None:
        """Record that a run of ``n`` partitions ended; ``last`` is its last progress report."""
        self._worked += _work_of(last, n)[1]
        self._n_ended += n
        self._note(self._worked, now)

    def left(
        self, running: Sequence[tuple[Progress | None, int]], n_left: int, now: float
    ) -> float | None:
        """Seconds left for ``n_left`` partitions, including ``running`` ones; None if it is too
        early.

        ``running`` has, for each run, its last progress report (or None) and its number of
        partitions.
        """
        # A run that has not reported yet is assumed to be like the earlier ones.
        expected = self._worked / self._n_ended if self._n_ended else 1.0
        works = [
            _work_of(p, n) if p is not None and p.total else (0.0, expected * n) for p, n in running
        ]
        worked = sum(work for work, _ in works)
        whole = sum(work for _, work in works)
        done = self._worked + worked
        self._note(done, now)
        if len(self._noted) < 2 or now - self._began < WARM_S:
            return None
        since, before = self._noted[0]
        n_running = sum(n for _, n in running)
        known = self._n_ended + n_running
        of_each = (self._worked + whole) / known if known else 1.0
        to_do = whole - worked + (n_left - n_running) * of_each
        if done <= before or done < LEAST_SHARE * (done + to_do):
            return None
        return (now - since) / (done - before) * to_do

    def _note(self, done: float, now: float) -> None:
        """Count time from the first finished work on, without start-up (workers, kernels), which
        happens once.
        """
        if not self._noted:
            self._began = now
        if done > (self._noted[-1][1] if self._noted else 0.0):
            self._noted.append((now, done))
        middle = (self._began + now) / 2
        while len(self._noted) > 2 and self._noted[1][0] <= middle:
            self._noted.popleft()


def _work_of(progress: Progress | None, n: int) -> tuple[float, float]:
    """Work done and total work of a run of ``n`` partitions."""
    if progress is None or not progress.total:
        return float(n), float(n)
    return progress.done - progress.free, progress.total - progress.free


class TerminalObserver(Observer):
    """Prints one line per asset, which is updated while its partitions are made, with time left.

    In a terminal the running line is redrawn; elsewhere a line is printed every ten seconds.
    """

    def __init__(self, console: Console) -> None:
        self._console = console
        self._stage = ""
        self._n = 0
        self._n_done = 0
        self._began: float | None = None
        self._stage_began = 0.0
        self._line_at = 0.0
        self._n_failed = 0
        self._running: dict[str, tuple[Progress | None, int]] = {}
        self._pace = Pace()
        self._is_first_stage = True

    def reading(self, share: float) -> None:  # noqa: D102
        if self._began is None:
            self._began = self._line_at = time.monotonic()
        if share < 1.0 and time.monotonic() - self._began > READING_SHOWN_S:
            self._put(f"  reading the lake   {100 * share:.0f} %")
        elif share >= 1.0:
            self._began = None  # it may be read again after a failure
            self._clear()

    def notes(self, texts: Sequence[str]) -> None:  # noqa: D102
        for text in texts:
            self._console.print(Text(text))

    def stage_starts(self, name: str, n: int) -> None:  # noqa: D102
        if self._is_first_stage and not has_kernels():
            self._console.print(COMPILING)
        self._is_first_stage = False
        self._stage, self._n, self._n_done, self._n_failed = name, n, 0, 0
        self._running = {}
        self._pace = Pace()
        self._stage_began = self._line_at = time.monotonic()

    def run_starts(self, run: Run) -> None:  # noqa: D102
        self._running[run.id] = None, len(run.partitions)
        why = "" if not run.why or run.whys[0] == NEVER else f" ({run.whys[0]})"
        self._show(f"{run.key}{why}".strip())

    def progress(self, run: Run, progress: Progress) -> None:  # noqa: D102
        self._running[run.id] = progress, len(run.partitions)
        # The progress of a run of several partitions is included in the counts before.
        self._show(run.key if run.is_list else f"{progress.count}  {run.key}")

    def run_ends(self, run: Run, n: int, failures: Sequence[Failure]) -> None:  # noqa: D102
        self._n_done += n
        last, _ = self._running.pop(run.id, (None, 0))
        self._pace.run_ends(last, n, time.monotonic())
        self._n_failed += len(failures)
        for failure in failures:
            self._clear()
            self._console.print(Text(f"  failed: {failure.run}", "red"))
        if self._n_done == self._n:
            self._clear()
            took = duration(time.monotonic() - self._stage_began)
            failed = f", {self._n_failed} failed" if self._n_failed else ""
            partitions = counted(self._n, "partition")
            self._console.print(f"  {self._stage:<{STEP_WIDTH}} {partitions:<15} {took:>9}{failed}")

    def _left(self) -> str:
        running, n_left = list(self._running.values()), self._n - self._n_done
        seconds = self._pace.left(running, n_left, time.monotonic())
        return "" if seconds is None else f", about {duration(seconds)} left"

    def _show(self, text: str) -> None:
        # A narrow terminal cuts off the end.
        within = (int(p.done) for p, n in self._running.values() if p is not None and n > 1)
        n_done = self._n_done + sum(within)
        done = f"{n_done:,}/{counted(self._n, 'partition')}{self._left()}"
        self._put(f"  {self._stage:<{STEP_WIDTH}} {done}  {text}".rstrip())

    def _put(self, line: str) -> None:
        if self._console.is_terminal:
            width = self._console.width
            sys.stdout.write("\r" + line[: width - 1].ljust(width - 1))
            sys.stdout.flush()
        elif time.monotonic() - self._line_at >= LINE_EVERY_S:
            self._line_at = time.monotonic()
            self._console.print(line, highlight=False)

    def _clear(self) -> None:
        if self._console.is_terminal:
            sys.stdout.write("\r" + " " * (self._console.width - 1) + "\r")
            sys.stdout.flush()


def duration(seconds: float) -> str:
    """Seconds in readable units: ``0.4 s``, ``12 s``, ``3 min 05 s``."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest:02d} s" if minutes else f"{rest} s"


def print_report(console: Console, report: Report) -> None:
    """Print the report of a run, with failures last, so that they stay on the screen."""
    if not report.made and report.is_success:
        console.print(f"Nothing to do: {all_fresh(report.n_fresh)} ({duration(report.seconds)}).")
        return
    counts = [f"{counted(len(report.made), 'partition')} made", f"{report.n_fresh:,} already fresh"]
    counts.append(f"{len(report.failures):,} failed")
    if report.blocked:
        counts.append(f"{len(report.blocked):,} skipped because an input failed")
    if report.kept:
        counts.append(f"{len(report.kept):,} kept as they were because an input failed")
    console.print(f"{', '.join(counts)}, in {duration(report.seconds)}.")
    for message in report.rejected:
        console.print(Text(f"Ignored: {message}", "bold red"))
    for message in report.damaged:
        console.print(Text(f"Found damaged: {message}", "yellow"))
    alike: dict[tuple[str, str], list[Failure]] = {}
    for failure in report.failures:
        alike.setdefault((failure.run.step, failure.message), []).append(failure)
    for (name, message), failures in alike.items():
        failed = _partitions(name, [failure.run for failure in failures])
        console.print(Text(f"Failed: {failed} (run {failures[0].run_id[:8]})", "bold red"))
        console.print(Text(f"  {message}", "red"))
    blocked: dict[str, list[Run]] = {}
    for run in report.blocked:
        blocked.setdefault(run.step, []).append(run)
    for name, runs in blocked.items():
        console.print(Text(f"Skipped: {_partitions(name, runs)}; upstream failed", "yellow"))


def _partitions(name: str, runs: Sequence[Run]) -> str:
    return f"{name} {named([run.key for run in runs], 1)}".strip()
