"""Partitions that are being made or queued, by whomever: the UI, automation, or a driver."""

import dagster as dg

from enact_assets.contracts.lineage import STEP_NAMED, STEP_OF
from enact_assets.defs.job_assets import JOBS
from enact_assets.lineage.follow import partition_tuple
from enact_assets.lineage.plan import Marks

UNFINISHED = [
    dg.DagsterRunStatus.QUEUED,
    dg.DagsterRunStatus.NOT_STARTED,
    dg.DagsterRunStatus.STARTING,
    dg.DagsterRunStatus.STARTED,
    dg.DagsterRunStatus.CANCELING,
]
PARTITION_TAG = "dagster/partition"
TRIGGER_TAG = "enact/trigger"
WHY_TAG = "enact/why"
DRIVER = "materialize"
"""The trigger of runs that a driver started."""
_ASSETS_OF = {name: assets for name, _, assets in JOBS}


def unfinished_runs(instance: dg.DagsterInstance) -> list[dg.DagsterRun]:
    """Every run that has not ended yet."""
    return list(instance.get_runs(dg.RunsFilter(statuses=UNFINISHED)))


def running(runs: list[dg.DagsterRun]) -> Marks:
    """The partitions that ``runs`` make; all assets of a step together, as it lands them."""
    marks = Marks()
    for run in runs:
        partition = partition_tuple(run.tags.get(PARTITION_TAG))
        if run.asset_selection is not None:
            assets = {key.to_user_string() for key in run.asset_selection}
        else:
            assets = set(_ASSETS_OF.get(run.job_name, ()))
        for asset in sorted(assets & set(STEP_OF)):
            marks.add(STEP_NAMED[STEP_OF[asset].name].assets, partition)
    return marks


def is_driver_at_work(runs: list[dg.DagsterRun]) -> bool:
    """Whether one of ``runs`` is a driver's, which walks the whole graph by itself."""
    return any(run.tags.get(TRIGGER_TAG) == DRIVER for run in runs)
