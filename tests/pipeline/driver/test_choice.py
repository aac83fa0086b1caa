"""How many runs of a stage are handed out at once."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from small_sites import empty_site, outcomes, trivial

from enact_assets.pipeline.driver.choice import Runners
from enact_assets.pipeline.driver.contract import Outcome, Progressed, Site, Started, StepRun
from enact_assets.pipeline.driver.step_runs import InProcessRunner, leave
from enact_assets.pipeline.runs.instance import open_instance
from enact_assets.pipeline.runs.pools import API, LIMITS, POOL_OF


class Counting(InProcessRunner):
    """Runs steps here, and remembers how many it was given at once."""

    def __init__(self, site: Site) -> None:
        super().__init__(site)
        self.given: list[int] = []

    def run(
        self, runs: Sequence[StepRun], started: Started, progress: Progressed
    ) -> Iterator[Outcome]:
        self.given.append(len(runs))
        yield from super().run(runs, started, progress)


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    yield empty_site(tmp_path)
    leave()


@pytest.mark.parametrize(
    ("limit", "given"),
    [
        (None, [4, 1]),
        (2, [2, 2, 1]),
        pytest.param(0, [1] * 5, marks=pytest.mark.slow),
    ],
)
def test_a_driver_asks_no_more_at_once_than_the_pool_allows(
    site: Site, limit: int | None, given: list[int]
) -> None:
    """Those who answer limit or bill what is asked at once, however large the cluster is."""
    assert POOL_OF["predictions"] == API
    assert LIMITS[API] == 4
    instance = open_instance(site.data_root)
    if limit is not None:
        instance.event_log_storage.set_concurrency_slots(API, limit)
    instance.dispose()
    asked = [StepRun("predictions", f"m{k}|baseline", {}) for k in range(5)]
    with Runners(site, 8, "tcp://127.0.0.1:8786") as runners:
        counting = runners._elsewhere = Counting(site)
        made = outcomes(runners, *asked)
        assert [o.run for o in made] == asked
        assert counting.given == given
        outcomes(runners, *trivial(*["high"] * 5), *trivial("low"))
    assert counting.given == [*given, 6]


def test_processes_that_are_there_get_what_would_not_be_worth_starting_them(site: Site) -> None:
    """After the pictures, the other core would idle through evaluation, errors and probes."""
    with Runners(site, 2) as runners:
        here = runners._here = Counting(site)
        outcomes(runners, *trivial(*["high"] * 4))
        there = runners._elsewhere = Counting(site)
        outcomes(runners, *trivial(*["high"] * 4))
        outcomes(runners, *trivial(*["high"] * 3))
        outcomes(runners, *[StepRun("predictions", f"m{k}|baseline", {}) for k in range(5)])
        outcomes(runners, *[StepRun("visibility", f"a-{k}|state", {}) for k in range(7)])
    assert here.given == [4, 3, 5, 7]
    assert there.given == [4]


def test_pictures_that_two_variants_show_are_rendered_once(site: Site) -> None:
    """F14: at once, a variant in other words rendered its baseline's pictures a second time."""
    partitions = ["a-0|symbolic_predicates", "a-0|baseline", "a-0|high", "b-0|symbolic_predicates"]
    with Runners(site, 2, "tcp://127.0.0.1:8786") as runners:
        counting = runners._elsewhere = Counting(site)
        made = outcomes(runners, *[StepRun("frame_images", p, {}) for p in partitions])
    assert counting.given == [3, 1]
    first, last = made[:3], made[3].run.partition
    assert {o.run.partition for o in first} == set(partitions[1:])
    assert last == partitions[0]
