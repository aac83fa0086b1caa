"""The job and the schedule ``rebuild``: one run a night, which starts a driver.

The driver handles order, early cut-off, budgets and the lock against a second driver; it starts
separate runs, like `enact-assets materialize`. The schedule only checks whether any partition is
due, so that no run starts without work. Results of the last nights are read from Dagster: runs of
the job, and ticks of the schedule without a run.
"""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import dagster as dg
import msgspec

from enact_assets.answers.models.budget import Budget
from enact_assets.engine.errors import EnactError
from enact_assets.engine.grids import Partition
from enact_assets.engine.planning.verdicts import Verdict, Verdicts
from enact_assets.engine.plurals import all_fresh, counted, named
from enact_assets.engine.progress import Progress
from enact_assets.pipeline.costs.spending import costing_money
from enact_assets.pipeline.driver.materialize import Driver
from enact_assets.pipeline.driver.walk import Failure, Limits, Observer, Report, Withheld
from enact_assets.pipeline.rebuild.settings import RebuildSettings, read_settings
from enact_assets.pipeline.root.scope import is_unused
from enact_assets.pipeline.runs.driver_lock import driver_at_work
from enact_assets.pipeline.runs.lost_runs import mark_all_lost, process_tags
from enact_assets.pipeline.runs.making import WHY_CHARACTERS
from enact_assets.pipeline.runs.resources import DataResource
from enact_assets.pipeline.runs.run import Run
from enact_assets.pipeline.runs.running import (
    REBUILD,
    TRIGGER_TAG,
    UNFINISHED,
    WHY_TAG,
    invocation_tags,
)
from enact_assets.settings.paths import SCHEDULE_FILE, DataRoot

NIGHT_TAG = "enact/night"
"""Tag of a run that the schedule requested: the planned start of the night."""
COUNTS_TAG = ".dagster/enact_night"
"""Tag with run id and counts. Dagster hides tags that begin with a dot, and copies them to
retries.
"""
SHOWN = 5
"""Most partitions of each step that the log names."""
LOG_EVERY_S = 60.0
TICKS_KEPT = 30
"""How many of the last ticks are read."""


class Counts(msgspec.Struct, frozen=True):
    """Numbers of partitions of one night; ``usd`` is the amount spent during the night.

    ``cut_off`` might have become stale and did not; ``left`` are still stale because of limits,
    ``blocked`` because an input failed.
    """

    made: int = 0
    cut_off: int = 0
    failed: int = 0
    blocked: int = 0
    left: int = 0
    usd: float = 0.0

    def words(self) -> str:
        """All numbers in one line."""
        blocked = f", {self.blocked:,} blocked" if self.blocked else ""
        return (
            f"{self.made:,} made, {self.cut_off:,} cut off, {self.failed:,} failed{blocked}, "
            f"{self.left:,} left, {self.usd:.2f} USD"
        )


@dataclass(frozen=True)
class Night:
    """One night: start (Unix time, s), duration (s, None while it runs), counts (None if unknown),
    and a message about its result.
    """

    began: float
    seconds: float | None
    counts: Counts | None
    status: str
    run_id: str | None = None


def counts_tags(run_id: str, counts: Counts) -> dict[str, str]:
    """Tags in which :func:`last_nights` finds the counts of the run ``run_id``."""
    return {COUNTS_TAG: f"{run_id} {msgspec.json.encode(counts).decode()}"}


def last_nights(instance: dg.DagsterInstance, n: int) -> list[Night]:
    """The last ``n`` nights, newest first; Dagster keeps nights without a run for two days."""
    records = instance.get_run_records(dg.RunsFilter(job_name=REBUILD), limit=n)
    nights = [_night(record) for record in records]
    return sorted([*nights, *_without_runs(instance)], key=lambda night: -night.began)[:n]


def _night(record: dg.RunRecord) -> Night:
    run = record.dagster_run
    began = record.start_time or record.create_timestamp.timestamp()
    seconds = None if record.end_time is None else record.end_time - began
    run_id, _, text = run.tags.get(COUNTS_TAG, "").partition(" ")
    counts = msgspec.json.decode(text, type=Counts) if run_id == run.run_id else None
    return Night(began, seconds, counts, run.status.value.lower(), run.run_id)


def _without_runs(instance: dg.DagsterInstance) -> Iterator[Night]:
    """Ticks of the schedule without a run: nothing was due, or they failed."""
    for state in instance.all_instigator_state():
        if state.instigator_name != REBUILD:
            continue
        ticks = instance.get_ticks(state.instigator_origin_id, state.selector_id, limit=TICKS_KEPT)
        for tick in ticks:
            why = tick.skip_reason or (tick.error.message.strip() if tick.error else "")
            if not tick.run_ids and why:
                yield Night(tick.timestamp, 0.0, None, why)


def switched_in_ui(instance: dg.DagsterInstance) -> bool | None:
    """State of the schedule if it was switched on or off in the UI, which has priority; None if
    not.
    """
    for state in instance.all_instigator_state():
        if state.instigator_name == REBUILD and state.status.value in {"RUNNING", "STOPPED"}:
            return bool(state.status.value == "RUNNING")
    return None


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


@dg.op(description="Makes what is due, in order, with early cut-off, and publishes once.")
def make_what_is_due(context: dg.OpExecutionContext, data: DataResource) -> None:
    """The op's output has the numbers of partitions made as metadata."""
    run, root = context.run, data.data_root
    settings, begin = read_settings(root.root), begin_of(run)
    tags = invocation_tags(REBUILD)
    context.instance.add_run_tags(run.run_id, process_tags(run.run_id) | tags)
    late = why_late(settings, begin)
    if late is not None:
        context.log.info(late)
        _keep(context, Counts())
        return
    night = None
    try:
        night = NightRun(root, settings, context.log, tags, begin)
        report = night.go()
    except EnactError as error:
        raise dg.Failure(str(error), allow_retries=False) from error
    finally:
        if night is not None:
            _keep(context, night.counts())
    if report.failures:
        raise dg.Failure(_failed(report), allow_retries=False)


def _keep(context: dg.OpExecutionContext, counts: Counts) -> None:
    context.log.info(counts.words())
    context.instance.add_run_tags(context.run.run_id, counts_tags(context.run.run_id, counts))


def _failed(report: Report) -> str:
    first, blocked = report.failures[0], counted(len(report.blocked), "partition")
    return (
        f"{counted(len(report.failures), 'partition')} failed, first {first.run}: {first.message} "
        f"(run {first.run_id[:8]}). {len(report.made):,} were made, {blocked} skipped because an "
        "input failed. The next night tries again."
    )


@dg.job(
    name=REBUILD,
    executor_def=dg.in_process_executor,
    description="Makes everything that is stale or missing, within the limits of schedule.yaml in "
    "the data root, then publishes once. Its log says what was due, cut off and left.",
)
def rebuild() -> None:
    """The job has one op."""
    make_what_is_due()


def rebuild_schedule(settings: RebuildSettings) -> dg.ScheduleDefinition:
    """The schedule with the ``settings`` of the time when the definitions are loaded; the limits of
    a night are read again each time.
    """
    status = dg.DefaultScheduleStatus

    @dg.schedule(
        name=REBUILD,
        job=rebuild,
        cron_schedule=settings.cron,
        execution_timezone=settings.time_zone,
        default_status=status.RUNNING if settings.enabled else status.STOPPED,
        description="Starts a rebuild of everything that is due, and says so if nothing is. Its "
        "time, limits and switch: schedule.yaml in the data root, or ENACT_REBUILD_... variables.",
    )
    def tick(
        context: dg.ScheduleEvaluationContext, data: DataResource
    ) -> dg.RunRequest | dg.SkipReason:
        night, root = context.scheduled_execution_time, data.data_root
        now = read_settings(root.root)
        why = why_nothing(context.instance, root, now, night.timestamp())
        if why is not None:
            return dg.SkipReason(why)
        with planning(root, now) as (_, plan):
            if not plan.stale:
                return dg.SkipReason(nothing_due(plan))
        first = plan.stale[0]
        what = f"{first.step} {first.key or ''}".strip()
        why = f"{counted(len(plan.stale), 'partition')} due, first {what}: {first.why}"
        tags = {NIGHT_TAG: night.isoformat(), TRIGGER_TAG: REBUILD, WHY_TAG: why[:WHY_CHARACTERS]}
        return dg.RunRequest(run_key=night.isoformat(), tags=tags)

    return tick


def rebuild_definitions(data: DataResource | None = None) -> dg.Definitions:
    """The job and the schedule of a data root; by default of the data root in the environment,
    whose resource must be merged with them.

    Errors: :class:`SettingsError` for a wrong ``schedule.yaml``.
    """
    schedule = rebuild_schedule(read_settings(Path((data or DataResource()).root)))
    resources = {} if data is None else {"data": data}
    return dg.Definitions(jobs=[rebuild], schedules=[schedule], resources=resources)
