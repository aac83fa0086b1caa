"""What an update of the package makes stale, and what making it again takes."""

from collections import Counter
from collections.abc import Iterable
from statistics import fmean
from typing import NamedTuple

import dagster as dg

from enact_assets.engine.errors import LakeError
from enact_assets.engine.grids import Partition
from enact_assets.engine.lake.lake import Lake
from enact_assets.engine.planning.verdicts import Verdicts
from enact_assets.pipeline.lineage.graph import STEP_NAMED, dimensions
from enact_assets.pipeline.runs.ranges import FIRST_TAG
from enact_assets.pipeline.runs.running import job_of

PICTURES = ("frame_images",)
ANSWERS = ("predictions", "world_predictions")
LAST_RUNS = 50
"""Runs of a step from which its time is learned."""


class NewVersion(NamedTuple):
    """Partitions that other code made, the rows of these that take longest, and the time.

    ``hours`` are those of one run after the other, by the last runs of each step; None if a step
    never ran here.
    """

    n_partitions: int
    n_pictures: int
    n_answers: int
    hours: float | None


def made_by_other_code(
    instance: dg.DagsterInstance, lake: Lake, plan: Verdicts
) -> NewVersion | None:
    """What of ``plan`` is made again because the code is another one; None if nothing is."""
    stale = [s for s in plan.stale if any(cause.is_new_code for cause in s.causes)]
    if not stale:
        return None

    def rows(assets: Iterable[str]) -> int:
        return sum(_rows(lake, s.step, s.partition) for s in stale if s.step in assets)

    numbers = Counter(s.step for s in stale)
    took = [_seconds(instance, step) for step in numbers]
    seconds = [n * s for n, s in zip(numbers.values(), took, strict=True) if s is not None]
    hours = None if None in took else sum(seconds) / 3600
    return NewVersion(len(stale), rows(PICTURES), rows(ANSWERS), hours)


def _rows(lake: Lake, step: str, partition: Partition) -> int:
    """Rows that ``step`` landed before; none if they cannot be read."""
    where = partition.as_dict(dimensions(step))
    try:
        return lake.read(step, where).height
    except LakeError:
        return 0


def _seconds(instance: dg.DagsterInstance, step: str) -> float | None:
    """Mean time of a partition in the last runs of ``step``; None if there was none."""
    of_job = dg.RunsFilter(job_name=job_of(step), statuses=[dg.DagsterRunStatus.SUCCESS])
    keys = {dg.AssetKey(asset) for asset in STEP_NAMED[step].assets}
    took = [
        (record.end_time - record.start_time) / _n_made(instance, record.dagster_run, len(keys))
        for record in instance.get_run_records(of_job, limit=LAST_RUNS)
        if record.end_time and record.start_time
        if keys <= (record.dagster_run.asset_selection or keys)
    ]
    return fmean(took) if took else None


def _n_made(instance: dg.DagsterInstance, run: dg.DagsterRun, n_assets: int) -> int:
    """Partitions of a step with ``n_assets`` that ``run`` told of."""
    if FIRST_TAG not in run.tags:
        return 1
    n_told = instance.get_run_stats(run.run_id).materializations
    return max(1, n_told // len(run.asset_selection or range(n_assets)))
