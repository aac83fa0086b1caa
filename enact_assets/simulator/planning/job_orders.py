"""Schedules: sub-goals of which some must come before others, in an order drawn by the seed.

Every order that keeps to what must come first has the same chance. So an order tells no more than
what the sub-goals need of each other.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from enact_assets.engine.errors import PlanError
from enact_assets.simulator.planning.basic_steps import Task

MOST_SETS = 100_000
"""Of jobs that may be done first: counting the orders that follow each takes half a second."""
DISTANCE = 1e-6


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

    Up to MOST_SETS sets of jobs that may be done first, exact: it counts the orders in which the
    rest can follow each of them. Beyond, jobs that have nothing to do with each other are ordered
    apart and shuffled together, which is exact, too; if these are too many, as :func:`_by_swaps`.

    Errors: :class:`PlanError` if a job is named that is not given, or if jobs wait for each other.
    """
    number = {job: k for k, job in enumerate(jobs)}
    unknown = [first for job in jobs for first in job.after if first not in number]
    if unknown:
        raise PlanError(
            f"{len(unknown)} jobs must come first and are not part of the schedule, first "
            f"{unknown[0].steps}. Pass them too."
        )
    needs = [sum({1 << number[first] for first in job.after}) for job in jobs]
    order = _counted(rng, needs)
    if order is None:
        parts = [[part[k] for k in _of_part(rng, needs, part)] for part in _parts(needs)]
        turns = rng.permutation(np.repeat(range(len(parts)), [len(part) for part in parts]))
        following = [iter(part) for part in parts]
        order = [next(following[turn]) for turn in turns.tolist()]
    return tuple(step for k in order for step in jobs[k].steps)


def _counted(rng: np.random.Generator, needs: Sequence[int]) -> list[int] | None:
    """One of all valid orders of jobs that each need a set of others (its bits), with equal
    chances; None if there are too many sets of jobs that may be done first.
    """
    every = (1 << len(needs)) - 1

    def ready(done: int) -> list[int]:
        return [k for k, need in enumerate(needs) if not done >> k & 1 and need & done == need]

    layers = [{0}]
    while layers[-1] - {every}:
        layers.append({done | 1 << k for done in layers[-1] for k in ready(done)})
        if sum(map(len, layers)) > MOST_SETS:
            return None
    if layers[-1] != {every}:
        raise PlanError(f"no order of {len(needs)} jobs is valid: some wait for each other")
    orders = {every: 1}
    for layer in layers[-2::-1]:
        for done in layer:
            orders[done] = sum(orders[done | 1 << k] for k in ready(done))
    order: list[int] = []
    done = 0
    while done != every:
        rank = int(rng.integers(orders[done]))
        following = iter(ready(done))
        k = next(following)
        while rank >= orders[done | 1 << k]:
            rank -= orders[done | 1 << k]
            k = next(following)
        order.append(k)
        done |= 1 << k
    return order


def _parts(needs: Sequence[int]) -> list[list[int]]:
    """The jobs in parts, of which none needs any of another part."""
    found: list[int] = []
    for k, need in enumerate(needs):
        own = need | 1 << k
        for part in [part for part in found if part & own]:
            found.remove(part)
            own |= part
        found.append(own)
    return [[k for k in range(len(needs)) if part >> k & 1] for part in found]


def _of_part(rng: np.random.Generator, needs: Sequence[int], part: Sequence[int]) -> list[int]:
    """An order of the jobs of a part, which are numbered in it."""
    own = [sum(1 << j for j, k in enumerate(part) if needs[i] >> k & 1) for i in part]
    order = _counted(rng, own)
    return _by_swaps(rng, own) if order is None else order


def _by_swaps(rng: np.random.Generator, needs: Sequence[int]) -> list[int]:
    """One of all valid orders of jobs, with chances that differ from equal ones by at most DISTANCE
    (total variation).

    Swaps neighbours at random places, where neither needs the other. Source: Bubley and Dyer,
    Faster random generation of linear extensions (1999): with places drawn by their weights
    k(n - k), orders that differ get nearer by the factor 1 - 6 / (n^3 - n) with each swap, and are
    at first at most n^2 apart. Errors: as :func:`in_valid_order`.
    """
    n, order, done = len(needs), list[int](), 0
    while len(order) < n:
        ready = [k for k in range(n) if not done >> k & 1 and needs[k] & done == needs[k]]
        if not ready:
            raise PlanError(f"no order of {n} jobs is valid: some wait for each other")
        order += ready
        done |= sum(1 << k for k in ready)
    if n == 1:
        return order
    weights = np.array([k * (n - k) for k in range(1, n)], dtype=np.float64)
    n_swaps = math.ceil((n**3 - n) / 6 * math.log(n**2 / DISTANCE))
    places = rng.choice(n - 1, n_swaps, p=weights / weights.sum())
    for k in places[rng.integers(2, size=n_swaps) > 0].tolist():
        first, second = order[k], order[k + 1]
        if not needs[second] >> first & 1:
            order[k], order[k + 1] = second, first
    return order
