"""Jobs and what they make; runs in progress and failed runs, of any origin."""

import uuid
from datetime import UTC, datetime
from functools import cache

import dagster as dg

from enact_assets.engine.graph import Names, Partition, partition_key, partition_tuple
from enact_assets.engine.planning.marks import Marks
from enact_assets.engine.planning.shards import members
from enact_assets.engine.steps import STEPS
from enact_assets.pipeline.lineage.graph import REPORT, STEP_NAMED, STEP_OF, WAREHOUSE

UNFINISHED = [
    dg.DagsterRunStatus.QUEUED,
    dg.DagsterRunStatus.NOT_STARTED,
    dg.DagsterRunStatus.STARTING,
    dg.DagsterRunStatus.STARTED,
    dg.DagsterRunStatus.CANCELING,
]
FAILED = [dg.DagsterRunStatus.FAILURE, dg.DagsterRunStatus.CANCELED]
PARTITION_TAG = "dagster/partition"
TRIGGER_TAG = "enact/trigger"
WHY_TAG = "enact/why"
INVOCATION_TAG = "enact/invocation"
"""Of all runs that one `enact-assets materialize` started: the same value, when and which."""
FROM_NOTHING_TAG = "enact/from_nothing"
"""Of a run that publishes without the former file, whatever its value; the UI may set it, too."""
CHECK_JOB = "check_freshness"
REBUILD = "rebuild"
"""Job and schedule of scheduled rebuilds, and the trigger of the runs that they start."""


def job_of(step: str) -> str:
    """Name of the job that makes ``step``."""
    if step in STEPS:
        return STEPS[step].job
    return {WAREHOUSE: "publish_warehouse", REPORT: "write_report"}.get(step, f"refresh_{step}")


@cache
def assets_of_jobs() -> dict[str, tuple[str, ...]]:
    """Job -> the assets that it makes, in the order data flow.

    Dagster runs assets of one set of partitions together, and no others.
    """
    found: dict[str, tuple[str, ...]] = {}
    for name, spec in STEP_NAMED.items():
        found[job_of(name)] = (*found.get(job_of(name), ()), *spec.assets)
    return found


def invocation_tags(trigger: str = "materialize") -> dict[str, str]:
    """Tags for the runs of one invocation of a driver that begins now."""
    began = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return {TRIGGER_TAG: trigger, INVOCATION_TAG: f"{began}-{uuid.uuid4().hex[:6]}"}


def unfinished_runs(instance: dg.DagsterInstance) -> list[dg.DagsterRun]:
    """Every run that has not ended yet."""
    return list(instance.get_runs(dg.RunsFilter(statuses=UNFINISHED)))


def running(runs: list[dg.DagsterRun], names: Names) -> Marks:
    """The partitions that ``runs`` make; all assets of a step together, as it lands them.

    Of a shard, all of its members: which of them a run has still to make is not known.
    """
    marks = Marks()
    for run in runs:
        partition = partition_tuple(run.tags.get(PARTITION_TAG))
        if run.asset_selection is not None:
            assets = {key.to_user_string() for key in run.asset_selection}
        else:
            assets = set(assets_of_jobs().get(run.job_name, ()))
        for asset in sorted(assets & set(STEP_OF)):
            for one in members(names, asset, partition):
                marks.add(STEP_NAMED[STEP_OF[asset].name].assets, one)
    return marks


def last_failed_run(
    instance: dg.DagsterInstance, trigger: str, asset: str, partition: Partition
) -> tuple[str, float] | None:
    """Id and end (Unix time, s) of the last run of ``trigger`` that failed to make a partition."""
    tags = {TRIGGER_TAG: trigger}
    key = partition_key(partition)
    if key is not None:
        tags[PARTITION_TAG] = key
    for record in instance.get_run_records(dg.RunsFilter(statuses=FAILED, tags=tags)):
        run = record.dagster_run
        if dg.AssetKey(asset) in (run.asset_selection or ()):
            return run.run_id, record.end_time or record.update_timestamp.timestamp()
    return None
