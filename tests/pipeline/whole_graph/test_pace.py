"""The estimate of time left: it counts what is worked on, and nothing that was found ready made."""

import pytest

from enact_assets.pipeline.driver.terminal import Pace
from enact_assets.pipeline.runs.progress import Progress


def pictures(done: int, total: int, cached: int = 0) -> Progress:
    return Progress("pictures", done, total, "pictures", cached)


def test_pictures_found_in_the_cache_do_not_quicken_the_pace() -> None:
    """Ninety of a hundred found, one rendered in 10 s: 90 s are left, not one."""
    pace = Pace()
    assert pace.left([pictures(90, 100, 90)], 1, now=0.0) is None
    assert pace.left([pictures(91, 100, 90)], 1, now=20.0) is None, "the first is start-up"
    assert pace.left([pictures(92, 100, 90)], 1, now=30.0) == pytest.approx(80.0)


def test_steps_to_come_are_taken_to_be_as_cached_as_those_before() -> None:
    pace = Pace()
    pace.left([pictures(0, 10)], 4, now=0.0)
    pace.left([pictures(1, 10)], 4, now=5.0)
    pace.step_ends(pictures(10, 10), now=14.0)
    pace.step_ends(pictures(10, 10, cached=10), now=14.1)
    # Ten rendered and ten found: five a step are expected of the last two. One takes a second.
    assert pace.left([None], 2, now=14.0) == pytest.approx(10.0)
    assert pace.left([pictures(4, 10, 4)], 2, now=14.0) == pytest.approx(6.0 + 16.0 / 3)


def test_a_slow_beginning_is_forgotten() -> None:
    """The first answers read pictures that all others share: 53 minutes were said of 54 s."""

    def answers(done: int) -> list[Progress]:
        return [Progress("asking", done, 2304, "answers")]

    pace = Pace()
    for second in range(1, 11):
        assert pace.left(answers(second), 1, now=float(second)) is None, "a share too small"
    for second in range(11, 21):
        left = pace.left(answers(10 + 100 * (second - 10)), 1, now=float(second))
    assert left == pytest.approx((2304 - 1010) / 100, rel=0.1)
    assert pace.left(answers(1010), 1, now=60.0) == pytest.approx((2304 - 1010) / 100 * 41, rel=0.1)


def test_all_found_means_nothing_left_to_say() -> None:
    """No division by the nothing that was worked on."""
    pace = Pace()
    pace.step_ends(pictures(10, 10, cached=10), now=1.0)
    assert pace.left([pictures(10, 10, 10)], 1, now=9.0) is None


def test_steps_that_report_nothing_count_as_one_each() -> None:
    pace = Pace()
    pace.step_ends(None, now=10.0)
    assert pace.left([None], 3, now=11.0) is None
    pace.step_ends(None, now=14.0)
    assert pace.left([None], 2, now=14.0) == pytest.approx(8.0)
    # Simulated seconds have no total either.
    assert pace.left([Progress("replaying", 30.0, 0, "s simulated")], 2, now=14.0) == 8.0
