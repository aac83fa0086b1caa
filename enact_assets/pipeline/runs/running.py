"""Jobs and their assets; runs in progress and failed runs, of any origin."""

import uuid
from datetime import UTC, datetime
from functools import cache

import dagster as dg

from enact_assets.engine.graph import Names
from enact_assets.engine.grids import Partition
from enact_assets.engine.planning.marks import Marks
from enact_assets.engine.planning.shards import members
from enact_assets.engine.steps import STEPS
from enact_assets.pipeline.lineage.graph import REPORT, STEP_NAMED, STEP_OF, WAREHOUSE
from enact_assets.pipeline.runs.marts import mart_files
from enact_assets.pipeline.runs.ranges import PARTITION_TAG, partitions_of_run

UNFINISHED = [
    dg.DagsterRunStatus.QUEUED,
    dg.DagsterRunStatus.NOT_STARTED,
    dg.DagsterRunStatus.STARTING,
    dg.DagsterRunStatus.STARTED,
    dg.DagsterRunStatus.CANCELING,
]
FAILED = [dg.DagsterRunStatus.FAILURE, dg.DagsterRunStatus.CANCELED]
TRIGGER_TAG = "enact/trigger"
WHY_TAG = "enact/why"
INVOCATION_TAG = "enact/invocation"
"""Tag of all runs of one `enact-assets materialize`: they have the same value, with the time and an
id.
"""
FROM_NOTHING_TAG = "enact/from_nothing"
"""Tag of a run that publishes without the former file; its value does not matter. People can set it
in the UI, too.
"""
CHECK_JOB = "check_freshness"
REBUILD = "rebuild"
"""Name of the job and schedule of rebuilds, and trigger of the runs that they start."""


def job_of(step: str) -> str:
    """Name of the job that makes ``step``."""
    if step in STEPS:
        return STEPS[step].job
    return {WAREHOUSE: "publish_warehouse", REPORT: "write_report"}.get(step, f"refresh_{step}")


@cache
def assets_made_with(step: str) -> tuple[str, ...]:
    """Assets of a run that makes ``step``: its tables, and for the warehouse also all marts."""
    marts = tuple(file.name for file in mart_files()) if step == WAREHOUSE else ()
    return (*STEP_NAMED[step].assets, *marts)


def asset_keys(step: str) -> list[dg.AssetKey]:
    """Keys of the assets of ``step``: Dagster refuses a run of only some of them."""
    return [dg.AssetKey(asset) for asset in assets_made_with(step)]


@cache
def assets_of_jobs() -> dict[str, tuple[str, ...]]:
    """Job -> the assets that it makes, in data-flow order.

    Dagster runs only assets with the same partitions together.
    """
    found: dict[str, tuple[str, ...]] = {}
    for name in STEP_NAMED:
        found[job_of(name)] = (*found.get(job_of(name), ()), *assets_made_with(name))
    return found


def invocation_tags(trigger: str = "materialize") -> dict[str, str]:
    """Tags for the runs of one invocation of a driver that begins now."""
    began = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return {TRIGGER_TAG: trigger, INVOCATION_TAG: f"{began}-{uuid.uuid4().hex[:6]}"}


def unfinished_runs(instance: dg.DagsterInstance) -> list[dg.DagsterRun]:
    """Every run that has not ended yet."""
    return list(instance.get_runs(dg.RunsFilter(statuses=UNFINISHED)))


def assets_of_run(run: dg.DagsterRun) -> set[str]:
    """The assets that ``run`` makes."""
    if run.asset_selection is not None:
        return {key.to_user_string() for key in run.asset_selection}
    return set(assets_of_jobs().get(run.job_name, ()))


def running(instance: dg.DagsterInstance, runs: list[dg.DagsterRun], names: Names) -> Marks:
    """The partitions that ``runs`` make, for all assets of a step, as it writes them together.

    For a range and a shard all partitions are included, as it is unknown which ones are still to be
    made.
    """
    marks = Marks()
    for run in runs:
        for asset in sorted(assets_of_run(run) & STEP_OF.keys()):
            for key in partitions_of_run(instance, names, asset, run.tags):
                marks.add(STEP_NAMED[STEP_OF[asset].name].assets, *members(names, asset, key))
    return marks


def last_failed_run(
    instance: dg.DagsterInstance, trigger: str, asset: str, partition: Partition
) -> tuple[str, float] | None:
    """Id and end (Unix time, s) of the last run of ``trigger`` that failed to make a partition."""
    tags = {TRIGGER_TAG: trigger}
    if partition:
        tags[PARTITION_TAG] = partition.key
    for record in instance.get_run_records(dg.RunsFilter(statuses=FAILED, tags=tags)):
        run = record.dagster_run
        if dg.AssetKey(asset) in (run.asset_selection or ()):
            return run.run_id, record.end_time or record.update_timestamp.timestamp()
    return None
