"""Schedules: every valid order has the same chance, no other is drawn, and visits hold together."""

from collections import Counter
from itertools import permutations

import numpy as np
import pytest

from enact_assets.engine.errors import PlanError
from enact_assets.simulator.planning.basic_steps import Close, Open, Press
from enact_assets.simulator.planning.job_orders import Job, in_valid_order, in_visits

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


@pytest.mark.parametrize("is_open", [False, True])
def test_what_needs_a_door_open_is_done_while_it_is_open(is_open: bool) -> None:
    """Doors alternate, all jobs lie between, and a seed draws one visit or two."""
    visits = set()
    for seed in range(40):
        rng = np.random.default_rng(seed)
        jobs = in_visits(rng, "left", "box", [_job(name) for name in "abc"], is_open=is_open)
        plan = in_valid_order(rng, *jobs, _job("free"))
        open_now, n_closed = is_open, 0
        for step in plan:
            if isinstance(step, Open | Close):
                assert isinstance(step, Close) == open_now
                open_now = not open_now
                n_closed += isinstance(step, Close)
            else:
                assert open_now or _names((step,)) == ("free",)
        assert not open_now
        assert sorted(n for n in _names(plan) if n != "box") == ["a", "b", "c", "free"]
        visits.add(n_closed)
    assert visits == {1, 2}
