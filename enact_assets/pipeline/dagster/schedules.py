"""Schedules: the up_to_date checks every quarter of an hour, a refresh every night."""

from collections.abc import Iterator
from pathlib import Path

import dagster as dg

from enact_assets.engine.graph import partition_key
from enact_assets.pipeline.dagster.automation import RUN_TAGS, is_automated
from enact_assets.pipeline.dagster.loaded import loaded_registry
from enact_assets.pipeline.dagster.up_to_date import changed_answers
from enact_assets.pipeline.lineage.graph import ROOTS, STEP_NAMED, WAREHOUSE
from enact_assets.pipeline.root.partitions_file import read_shards
from enact_assets.pipeline.root.scope import scoped_registry
from enact_assets.pipeline.runs.driver_lock import driver_at_work
from enact_assets.pipeline.runs.reported import read_lineage, untold
from enact_assets.pipeline.runs.resources import DataResource
from enact_assets.pipeline.runs.running import CHECK_JOB, TRIGGER_TAG, WHY_TAG, asset_keys

QUARTERLY = "*/15 * * * *"
NIGHTLY = "0 3 * * *"


@dg.schedule(
    cron_schedule=QUARTERLY,
    job_name=CHECK_JOB,
    default_status=dg.DefaultScheduleStatus.RUNNING,
    description="Evaluates the check up_to_date of every asset, in a run only if a result changed.",
)
def every_quarter(
    context: dg.ScheduleEvaluationContext, data: DataResource
) -> dg.RunRequest | dg.SkipReason:
    """Evaluates up_to_date of every asset, and reports what is fresh and Dagster does not know or
    calls failed; in a run only if there is any, or an answer changed.
    """
    root = Path(data.root)
    lineage = read_lineage(context.instance, data, scoped_registry(root))
    changed = [f"{a.asset}: {a.text}" for a in changed_answers(context.instance, lineage)]
    fresh = untold(context.instance, data, lineage, read_shards(root))
    if (first := next(fresh, None)) is not None:
        partition = f" {first.partition}" if first.partition else ""
        changed.append(f"{first.asset_key.to_user_string()}{partition} is fresh, unlike reported")
    if not changed:
        return dg.SkipReason("every up_to_date check is current, and what is fresh is reported")
    why = "; ".join(changed)
    return dg.RunRequest(tags={TRIGGER_TAG: "every_quarter", WHY_TAG: why[:1000]})


@dg.schedule(
    cron_schedule=NIGHTLY,
    job_name="__ASSET_JOB",
    default_status=dg.DefaultScheduleStatus.RUNNING
    if is_automated()
    else dg.DefaultScheduleStatus.STOPPED,
    description="Refreshes settings that changed since their last run, and the warehouse. Off by "
    "default.",
)
def nightly(
    context: dg.ScheduleEvaluationContext, data: DataResource
) -> Iterator[dg.RunRequest | dg.SkipReason]:
    """Refreshes settings that changed since their last run, and the warehouse. Off by default."""
    driver = driver_at_work(Path(data.root))
    if driver is not None:
        yield dg.SkipReason(f"skipped: a driver is at work and does both ({driver})")
        return
    # Dagster refuses all that is asked for if one partition is new to it.
    registry = loaded_registry(scoped_registry(Path(data.root)), context.repository_def.asset_graph)
    lineage = read_lineage(context.instance, data, registry)
    night = context.scheduled_execution_time.isoformat()
    for name in (*ROOTS, WAREHOUSE):
        step = STEP_NAMED[name]
        for partition in lineage.partitions(step):
            causes = lineage.causes(step, partition)
            if name in ROOTS and not causes:
                continue
            why = "; ".join(str(cause) for cause in causes) or "every night"
            key = partition_key(partition)
            yield dg.RunRequest(
                run_key=f"{night} {name} {key or ''}",
                partition_key=key,
                asset_selection=asset_keys(name),
                tags=RUN_TAGS | {TRIGGER_TAG: "nightly", WHY_TAG: why},
            )
