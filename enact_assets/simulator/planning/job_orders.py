"""Schedules: sub-goals of which some must come before others, in an order drawn by the seed.

Every order that keeps to what must come first has the same chance. So an order tells no more than
what the sub-goals need of each other.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache

import numpy as np

from enact_assets.engine.errors import PlanError
from enact_assets.simulator.planning.basic_steps import Close, Open, Task
from enact_assets.simulator.robot.kinematics import Side


@dataclass(eq=False)
class Job:
    """A sub-goal: steps that belong together, and the jobs that must be done before.

    It begins and ends with empty hands, so that others may come between it and its neighbours.
    """

    steps: Task
    after: list["Job"] = field(default_factory=list)


def in_valid_order(rng: np.random.Generator, *jobs: Job) -> Task:
    """The steps of all ``jobs``, each job after those it names: one of all such orders, with equal
    chances.

    Exact: counts the orders in which the rest can follow each set of jobs that may be done first,
    at most 2**n sets of n jobs. Errors: :class:`PlanError` if a job is named that is not given, or
    if jobs wait for each other.
    """
    number = {job: k for k, job in enumerate(jobs)}
    unknown = [first for job in jobs for first in job.after if first not in number]
    if unknown:
        raise PlanError(
            f"{len(unknown)} jobs must come first and are not part of the schedule, first "
            f"{unknown[0].steps}. Pass them too."
        )
    needs = [sum({1 << number[first] for first in job.after}) for job in jobs]
    every = (1 << len(jobs)) - 1

    def ready(done: int) -> list[int]:
        return [k for k, need in enumerate(needs) if not done >> k & 1 and need & done == need]

    @cache
    def orders(done: int) -> int:
        return 1 if done == every else sum(orders(done | 1 << k) for k in ready(done))

    if not orders(0):
        raise PlanError(f"no order of {len(jobs)} jobs is valid: some wait for each other")
    plan: list[Job] = []
    done = 0
    while done != every:
        rank = int(rng.integers(orders(done)))
        following = iter(ready(done))
        k = next(following)
        while rank >= orders(done | 1 << k):
            rank -= orders(done | 1 << k)
            k = next(following)
        plan.append(jobs[k])
        done |= 1 << k
    return tuple(step for job in plan for step in job.steps)


def in_visits(
    rng: np.random.Generator,
    side: Side,
    fixture: str,
    jobs: Sequence[Job],
    *,
    least: int = 1,
    most: int = 2,
    is_open: bool = False,
) -> list[Job]:
    """``jobs`` that need ``fixture`` open, with its opening and closing before and after.

    The fixture is visited ``least`` to ``most`` times: the seed draws how often, and which jobs are
    done on which visit, so these must not wait for each other if there are several. ``is_open`` at
    the start, it needs no first opening.
    """
    n_visits = int(rng.integers(least, min(most, len(jobs)) + 1))
    order = [jobs[k] for k in rng.permutation(len(jobs)).tolist()]
    cuts = np.sort(rng.choice(len(jobs) - 1, n_visits - 1, replace=False) + 1).tolist()
    found = list(jobs)
    last: Job | None = None
    for visit, (start, stop) in enumerate(zip([0, *cuts], [*cuts, len(jobs)], strict=True)):
        opening = None
        if visit or not is_open:
            opening = Job((Open(side, fixture),), [] if last is None else [last])
            found.append(opening)
        for job in order[start:stop]:
            if opening is not None:
                job.after.append(opening)
        last = Job((Close(side, fixture),), order[start:stop])
        found.append(last)
    return found
