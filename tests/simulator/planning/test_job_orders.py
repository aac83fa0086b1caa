"""Schedules: every valid order has the same chance, no other is drawn, and visits hold together."""

from collections import Counter
from itertools import permutations

import numpy as np
import pytest

from enact_assets.engine.errors import PlanError
from enact_assets.simulator.planning import job_orders
from enact_assets.simulator.planning.basic_steps import Press
from enact_assets.simulator.planning.job_orders import Job, in_valid_order

N_DRAWS = 3000


def _job(name: str, *after: Job) -> Job:
    return Job((Press("left", name),), list(after))


def _names(plan: tuple[object, ...]) -> tuple[str, ...]:
    return tuple(getattr(step, "fixture", "") for step in plan)


def test_every_valid_order_is_as_likely_as_any_other_and_no_other_is_drawn() -> None:
    """Drawing one of the jobs that are ready would favour some orders: a pattern to learn."""
    a, d = _job("a"), _job("d")
    b = _job("b", a)
    c = _job("c", b)
    rng = np.random.default_rng(0)
    drawn = Counter(_names(in_valid_order(rng, c, d, b, a)) for _ in range(N_DRAWS))
    valid = [p for p in permutations("abcd") if p.index("a") < p.index("b") < p.index("c")]
    assert set(drawn) == set(valid)
    expected = N_DRAWS / len(valid)
    # Five standard deviations.
    assert max(abs(n - expected) for n in drawn.values()) < 5 * np.sqrt(expected)


def test_the_same_seed_draws_the_same_order() -> None:
    plans = [
        _names(in_valid_order(np.random.default_rng(7), *(_job(name) for name in "abcdefgh")))
        for _ in range(2)
    ]
    assert plans[0] == plans[1]
    assert plans[0] != tuple("abcdefgh")


def test_jobs_that_wait_for_each_other_or_for_none_of_the_schedule_are_refused() -> None:
    """Both are slips of an activity; the first would draw nothing, the second ignore a need."""
    rng = np.random.default_rng(0)
    a = _job("a")
    b = _job("b", a)
    a.after.append(b)
    with pytest.raises(PlanError, match="no order of 2 jobs is valid"):
        in_valid_order(rng, a, b)
    with pytest.raises(PlanError, match=r"1 jobs must come first .* first \(Press\(.*'a'"):
        in_valid_order(rng, b)


def _valid_orders(needs: list[int]) -> list[tuple[int, ...]]:
    """All orders in which each job comes after those it needs (its bits), one by one."""
    return [
        order
        for order in permutations(range(len(needs)))
        if all(
            not needs[k] >> first & 1 or order.index(first) < order.index(k)
            for k in order
            for first in order
        )
    ]


@pytest.mark.parametrize("needs", [[0, 0b1, 0b1, 0, 0b1000], [0, 0, 0b11, 0b100, 0]])
def test_swaps_draw_every_valid_order_with_equal_chances(needs: list[int]) -> None:
    """What is used where the orders are too many to be counted."""
    valid, rng = _valid_orders(needs), np.random.default_rng(1)
    n = 30 * len(valid)
    drawn = Counter(tuple(job_orders._by_swaps(rng, needs)) for _ in range(n))
    assert set(drawn) <= set(valid)
    # The sum of squares of so many normal numbers; four standard deviations.
    spread = sum((drawn[order] - 30) ** 2 / 30 for order in valid)
    assert abs(spread - len(valid)) < 4 * np.sqrt(2 * len(valid))


def test_jobs_that_have_nothing_to_do_with_each_other_are_shuffled_together(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The same chances as where all orders are counted."""
    monkeypatch.setattr(job_orders, "MOST_SETS", 8)
    a, c, e = _job("a"), _job("c"), _job("e")
    b, d = _job("b", a), _job("d", c)
    rng = np.random.default_rng(0)
    drawn = Counter(_names(in_valid_order(rng, d, b, a, c, e)) for _ in range(1500))
    valid = [p for p in permutations("abcde") if p.index("a") < p.index("b")]
    valid = [p for p in valid if p.index("c") < p.index("d")]
    assert set(drawn) == set(valid)
    expected = 1500 / len(valid)
    assert max(abs(n - expected) for n in drawn.values()) < 5 * np.sqrt(expected)


def test_many_jobs_are_put_in_a_valid_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forty independent jobs have more sets than can be counted; in a long ladder there are no
    parts.
    """
    monkeypatch.setattr(job_orders, "MOST_SETS", 1000)
    rng = np.random.default_rng(0)
    free = [_job(str(k)) for k in range(40)]
    assert sorted(_names(in_valid_order(rng, *free)), key=int) == [str(k) for k in range(40)]
    jobs = [_job("0"), _job("1")]
    for k in range(2, 30):
        jobs.append(_job(str(k), jobs[0], *(jobs[-3:-2] if k % 2 else ())))
    plan = _names(in_valid_order(rng, *jobs))
    for job in jobs:
        for first in job.after:
            assert plan.index(_names(first.steps)[0]) < plan.index(_names(job.steps)[0])
    a = _job("a")
    a.after.append(_job("b", a))
    with pytest.raises(PlanError, match="no order of 2 jobs is valid"):
        job_orders._by_swaps(rng, [0b10, 0b01])
