"""Estimates how much a plan makes and how long that takes, in all and because of an update of the
package.
"""

from collections import Counter
from collections.abc import Sequence
from statistics import fmean
from typing import NamedTuple

import dagster as dg

from enact_assets.engine.errors import LakeError
from enact_assets.engine.grids import Partition
from enact_assets.engine.lake.lake import Lake
from enact_assets.engine.planning.verdicts import Verdict, Verdicts
from enact_assets.pipeline.lineage.graph import STEP_NAMED, dimensions
from enact_assets.pipeline.runs.ranges import FIRST_TAG
from enact_assets.pipeline.runs.running import job_of

PICTURES = ("frame_images",)
ANSWERS = ("predictions",)
LAST_RUNS = 50
"""How many runs of a step its time is estimated from."""


class NewVersion(NamedTuple):
    """Partitions made by other code, rows of the steps that take longest, and the time.

    ``hours`` is the time of all runs one after the other, estimated from the last runs of each
    step; None if a step never ran here.
    """

    n_partitions: int
    n_pictures: int
    n_answers: int
    hours: float | None


class Work(NamedTuple):
    """What a plan makes: ``n_pictures`` and ``n_answers`` are those of partitions that were made
    before, ``n_new_pictures`` and ``n_new_answers`` count partitions that never were, whose rows
    are not known yet. ``hours`` is the time of all runs one after the other, by the last runs here,
    without those of ``unknown`` steps, which never ran here.
    """

    n_pictures: int
    n_new_pictures: int
    n_answers: int
    n_new_answers: int
    hours: float
    unknown: list[str]


def work_of(instance: dg.DagsterInstance, lake: Lake, stale: Sequence[Verdict]) -> Work:
    """How much work ``stale`` partitions of a plan are."""
    pictures, answers = (
        [_rows(lake, s.step, s.partition) for s in stale if s.step in steps]
        for steps in (PICTURES, ANSWERS)
    )
    numbers = Counter(s.step for s in stale)
    took = {step: _seconds(instance, step) for step in numbers}
    known = {step: seconds for step, seconds in took.items() if seconds is not None}
    return Work(
        sum(filter(None, pictures)),
        pictures.count(None),
        sum(filter(None, answers)),
        answers.count(None),
        sum(numbers[step] * seconds for step, seconds in known.items()) / 3600,
        [step for step in numbers if step not in known],
    )


def made_by_other_code(
    instance: dg.DagsterInstance, lake: Lake, plan: Verdicts
) -> NewVersion | None:
    """Partitions of ``plan`` that are made again because the code changed; None if there are
    none.
    """
    stale = [s for s in plan.stale if any(cause.is_new_code for cause in s.causes)]
    if not stale:
        return None
    work = work_of(instance, lake, stale)
    hours = None if work.unknown else work.hours
    return NewVersion(len(stale), work.n_pictures, work.n_answers, hours)


def _rows(lake: Lake, step: str, partition: Partition) -> int | None:
    """Number of rows that ``step`` has written before; None if there is nothing to read."""
    where = partition.as_dict(dimensions(step))
    try:
        return lake.read(step, where).height
    except LakeError:
        return None


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
    """Number of partitions of a step with ``n_assets`` that ``run`` reported."""
    if FIRST_TAG not in run.tags:
        return 1
    n_reported = instance.get_run_stats(run.run_id).materializations
    return max(1, n_reported // len(run.asset_selection or range(n_assets)))
