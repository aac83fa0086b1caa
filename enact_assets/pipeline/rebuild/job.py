"""The job and the schedule ``rebuild``: one run a night, which starts a driver.

The driver handles order, early cut-off, budgets and the lock against a second driver; it starts
separate runs, like `enact-assets materialize`. The schedule only checks whether any partition is
due, so that no run starts without work.
"""

from pathlib import Path

import dagster as dg

from enact_assets.engine.errors import EnactError
from enact_assets.engine.plurals import counted
from enact_assets.pipeline.driver.walk import Report
from enact_assets.pipeline.rebuild.night import (
    NightRun,
    begin_of,
    nothing_due,
    planning,
    why_late,
    why_nothing,
)
from enact_assets.pipeline.rebuild.nights import NIGHT_TAG, Counts, counts_tags
from enact_assets.pipeline.rebuild.settings import RebuildSettings, read_settings
from enact_assets.pipeline.runs.failures import WHY_CHARACTERS
from enact_assets.pipeline.runs.lost_runs import process_tags
from enact_assets.pipeline.runs.resources import DataResource
from enact_assets.pipeline.runs.running import REBUILD, TRIGGER_TAG, WHY_TAG, invocation_tags


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
