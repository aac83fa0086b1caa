"""One night: reasons to skip it, its plan, and the run of the driver within the limits."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from zoneinfo import ZoneInfo

import dagster as dg

from enact_assets.answers.models.budget import Budget
from enact_assets.engine.grids import Partition
from enact_assets.engine.planning.verdicts import Verdict, Verdicts
from enact_assets.engine.plurals import all_fresh, counted, named
from enact_assets.engine.progress import Progress
from enact_assets.pipeline.costs.spending import costing_money
from enact_assets.pipeline.driver.materialize import Driver
from enact_assets.pipeline.driver.walk import Failure, Limits, Observer, Report, Withheld
from enact_assets.pipeline.rebuild.nights import NIGHT_TAG, Counts
from enact_assets.pipeline.rebuild.settings import RebuildSettings
from enact_assets.pipeline.root.scope import is_unused
from enact_assets.pipeline.runs.driver_lock import driver_at_work
from enact_assets.pipeline.runs.lost_runs import mark_all_lost
from enact_assets.pipeline.runs.run import Run
from enact_assets.pipeline.runs.running import REBUILD, UNFINISHED
from enact_assets.settings.paths import SCHEDULE_FILE, DataRoot

SHOWN = 5
"""Most partitions of each step that the log names."""
LOG_EVERY_S = 60.0


def clock(at: float, settings: RebuildSettings) -> str:
    """A time (Unix, s) as readable text, in the time zone of the settings."""
    return datetime.fromtimestamp(at, ZoneInfo(settings.time_zone)).strftime("%Y-%m-%d %H:%M %Z")


def begin_of(run: dg.DagsterRun) -> float:
    """Planned start of the night of ``run`` (Unix time, s): now, if a person started or repeated
    it. A retry by the daemon keeps its window.
    """
    night = run.tags.get(NIGHT_TAG)
    if night is None or (run.parent_run_id and "dagster/retry_number" not in run.tags):
        return time.time()
    return datetime.fromisoformat(night).timestamp()


def why_nothing(
    instance: dg.DagsterInstance, root: DataRoot, settings: RebuildSettings, begin: float
) -> str | None:
    """Why the night planned for ``begin`` is skipped, whatever is due; None if it is not skipped.

    Errors: :class:`SettingsError` if the database cannot be reached.
    """
    if is_unused(root):
        return (
            "nothing was made here yet, so there is nothing to rebuild. `enact-assets demo` or "
            "`enact-assets materialize` says what is made"
        )
    driver = driver_at_work(root.root)
    if driver is not None:
        return f"skipped: a driver is at work and makes it ({driver})"
    mark_all_lost(instance)
    filters = dg.RunsFilter(job_name=REBUILD, statuses=UNFINISHED)
    if others := instance.get_runs(filters, limit=1):
        return f"skipped: run {others[0].run_id[:8]} of an earlier night is queued or at work"
    return why_late(settings, begin)


def why_late(settings: RebuildSettings, begin: float) -> str | None:
    """Message about a night whose window has already ended, as after a missed night; None
    otherwise.
    """
    ends = settings.ends(begin)
    if ends is None or time.time() < ends:
        return None
    return (
        f"the window of this night ended at {clock(ends, settings)}, so nothing begins: the next "
        "night makes what is due"
    )


def withheld(root: DataRoot, settings: RebuildSettings) -> Withheld:
    """Partitions that a night does not make because they cost money and there is no budget."""
    if settings.max_usd is not None:
        return lambda _step, _partition: False
    return costing_money(root.root)


def nothing_due(plan: Verdicts) -> str:
    """Message about a plan without due partitions."""
    if not plan.left:
        return f"nothing is due: {all_fresh(plan.n_fresh)}"
    n = counted(len(plan.left), "stale partition")
    return f"nothing is due but {n} that would cost money, and {SCHEDULE_FILE} sets no max_usd"


@contextmanager
def planning(root: DataRoot, settings: RebuildSettings) -> Iterator[tuple[Driver, Verdicts]]:
    """A driver, and the verdicts on partitions that a night would make, as far as known now."""
    driver = Driver(root.root)
    try:
        yield driver, driver.plan(withheld=withheld(root, settings))[0]
    finally:
        driver.instance.dispose()


class Log(Observer):
    """Writes the events of the driver to the log of a run."""

    def __init__(self, log: dg.DagsterLogManager) -> None:
        self._log = log
        self._at = time.monotonic()

    def notes(self, texts: Sequence[str]) -> None:  # noqa: D102
        for text in texts:
            self._log.info(text)

    def planned(self, plan: Verdicts) -> None:  # noqa: D102
        self._log.info(
            f"{counted(len(plan.stale), 'partition')} due, {plan.n_following:,} more may become "
            f"stale, {plan.n_fresh:,} fresh"
            + (f"; {len(plan.left):,} left, as they cost money" if plan.left else "")
        )
        of: dict[str, list[Verdict]] = {}
        for row in plan.stale:
            of.setdefault(row.step, []).append(row)
        for name, rows in of.items():
            self._log.info(f"due: {_some(name, [row.key for row in rows])}: {rows[0].why}")

    def stage_starts(self, name: str, n: int) -> None:  # noqa: D102
        self._log.info(f"{name}: {counted(n, 'partition')}")

    def progress(self, run: Run, progress: Progress) -> None:  # noqa: ARG002, D102
        if time.monotonic() - self._at >= LOG_EVERY_S:
            self._at = time.monotonic()
            self._log.info(progress.as_text())

    def run_ends(self, run: Run, n: int, failures: Sequence[Failure]) -> None:  # noqa: ARG002, D102
        for failure in failures:
            self._log.error(f"{failure.run}: {failure.message} (run {failure.run_id[:8]})")


def _some(name: str, keys: Sequence[str | None]) -> str:
    shown = named([key or "the whole" for key in keys], SHOWN)
    return f"{name}, {counted(len(keys), 'partition')} ({shown})"


class NightRun:
    """The driver's run of one night; ``counts`` has its results so far, even if it was stopped."""

    def __init__(
        self,
        root: DataRoot,
        settings: RebuildSettings,
        log: dg.DagsterLogManager,
        tags: dict[str, str],
        begin: float,
    ) -> None:
        self._settings, self._log = settings, log
        ends = settings.ends(begin)
        self._limits = Limits(tags, ends, settings.max_partitions, withheld(root, settings))
        self._ledger = None if settings.max_usd is None else Budget(root.ledger, None)
        self._usd = self._committed_usd()
        self._driver = Driver(
            root.root, workers=settings.workers, dask=settings.dask, observer=Log(log)
        )
        window = "" if ends is None else f" It begins nothing after {clock(ends, settings)}."
        log.info(f"This night: {settings.words()}.{window}")

    def go(self) -> Report:
        """Make due partitions, publish, and log the results. Errors: as of ``Driver.run``."""
        try:
            report = self._driver.run(max_usd=self._settings.max_usd, limits=self._limits)
        finally:
            self._driver.instance.dispose()
        cut_off: dict[str, list[str | None]] = {}
        for name, partition in _cut_off(report):
            cut_off.setdefault(name, []).append("|".join(partition) or None)
        for name, keys in cut_off.items():
            self._log.info(f"cut off: {_some(name, keys)}")
        for why, runs in report.left.items():
            left: dict[str, list[str | None]] = {}
            for run in runs:
                left.setdefault(run.step, []).append(run.key)
            for name, keys in left.items():
                self._log.info(f"left: {_some(name, keys)}: {why}")
        for message in (*report.rejected, *report.damaged):
            self._log.warning(message)
        return report

    def counts(self) -> Counts:
        """Numbers of partitions so far."""
        report = self._driver.report
        return Counts(
            len(report.made),
            len(_cut_off(report)),
            len(report.failures),
            len(report.blocked),
            sum(map(len, report.left.values())),
            max(0.0, self._committed_usd() - self._usd),
        )

    def _committed_usd(self) -> float:
        return 0.0 if self._ledger is None else self._ledger.committed_usd()


def _cut_off(report: Report) -> list[tuple[str, Partition]]:
    """Partitions that might have become stale, but turned out fresh."""
    if report.plan is None:
        return []
    fresh = {name: set(partitions) for name, partitions in report.fresh.items()}
    return [
        (name, partition)
        for name, partitions in report.plan.may_follow.items()
        for partition in partitions
        if partition in fresh.get(name, ())
    ]
