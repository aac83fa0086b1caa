"""Estimates how much a plan makes and how long that takes, in all and because of an update of the
package.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from enact_assets.engine.errors import LakeError
from enact_assets.engine.grids import Partition
from enact_assets.engine.lake.lake import Lake
from enact_assets.engine.planning.verdicts import Verdict, Verdicts
from enact_assets.pipeline.lineage.graph import dimensions
from enact_assets.pipeline.runs.step_times import StepTime, StepTimes

PICTURES = ("frame_images",)
ANSWERS = ("predictions",)
LONG = (*PICTURES, *ANSWERS)
"""These take longest, so they are named first."""


class NewVersion(NamedTuple):
    """Partitions made by other code, rows of the steps that take longest, and the time.

    ``hours`` is the time of all runs one after the other, estimated from the last runs of each
    step; None if no time is known of one.
    """

    n_partitions: int
    n_pictures: int
    n_answers: int
    hours: float | None


class Work(NamedTuple):
    """What a plan makes: ``n_pictures`` and ``n_answers`` are those of partitions that were made
    before, ``n_new_pictures`` and ``n_new_answers`` count partitions that never were, whose rows
    are not known yet. ``hours`` is the time of all runs one after the other, by the last runs here;
    ``hours_of_machine`` of it are those of steps that never ran here, by runs in other data roots
    on this machine. Of ``unknown`` steps no time is known; they are left out.
    """

    n_pictures: int
    n_new_pictures: int
    n_answers: int
    n_new_answers: int
    hours: float
    unknown: list[str]
    hours_of_machine: float


def work_of(times: StepTimes, lake: Lake, stale: Sequence[Verdict]) -> Work:
    """How much work ``stale`` partitions of a plan are."""
    pictures, answers = (
        [_rows(lake, s.step, s.partition) for s in stale if s.step in steps]
        for steps in (PICTURES, ANSWERS)
    )
    numbers = Counter(s.step for s in stale)
    took = {step: times.of(step) for step in numbers}
    known = {step: time for step, time in took.items() if time is not None}

    def hours(took: Mapping[str, StepTime]) -> float:
        return sum(numbers[step] * time.seconds for step, time in took.items()) / 3600

    return Work(
        sum(filter(None, pictures)),
        pictures.count(None),
        sum(filter(None, answers)),
        answers.count(None),
        hours(known),
        sorted(numbers.keys() - known.keys(), key=lambda step: (step not in LONG, step)),
        hours({step: time for step, time in known.items() if time.is_of_machine}),
    )


def made_by_other_code(times: StepTimes, lake: Lake, plan: Verdicts) -> NewVersion | None:
    """Partitions of ``plan`` that are made again because the code changed; None if there are
    none.
    """
    stale = [s for s in plan.stale if any(cause.is_new_code for cause in s.causes)]
    if not stale:
        return None
    work = work_of(times, lake, stale)
    hours = None if work.unknown else work.hours
    return NewVersion(len(stale), work.n_pictures, work.n_answers, hours)


def _rows(lake: Lake, step: str, partition: Partition) -> int | None:
    """Number of rows that ``step`` has written before; None if there is nothing to read."""
    where = partition.as_dict(dimensions(step))
    try:
        return lake.read(step, where).height
    except LakeError:
        return None
