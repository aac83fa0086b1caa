"""How many runs of a stage are handed out at once."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_sites import empty_site, outcomes, trivial

from enact_assets.engine.grids import Partition
from enact_assets.pipeline.driver.choice import Runners, in_lists
from enact_assets.pipeline.driver.contract import Progressed, Site, Started
from enact_assets.pipeline.driver.step_runs import InProcessRunner, leave
from enact_assets.pipeline.runs.instance import open_instance
from enact_assets.pipeline.runs.pools import API, LIMITS, POOL_OF
from enact_assets.pipeline.runs.run import Outcome, Run
from enact_assets.settings.registry import load_registry


class Counting(InProcessRunner):
    """Runs steps here, and remembers how many it was given at once."""

    def __init__(self, site: Site) -> None:
        super().__init__(site)
        self.given: list[int] = []

    def run(self, runs: Sequence[Run], started: Started, progress: Progressed) -> Iterator[Outcome]:
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
    asked = run_of("predictions", *(f"m{k}|baseline" for k in range(5)))
    with Runners(site, 8, "tcp://127.0.0.1:8786") as runners:
        counting = runners._elsewhere = Counting(site)
        made = outcomes(runners, asked)
        assert [o.run.partitions for o in made] == [(p,) for p in asked.partitions], "a run each"
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
        outcomes(runners, *(run_of("predictions", f"m{k}|baseline") for k in range(5)))
        outcomes(runners, *(run_of("visibility", f"a-{k}|state") for k in range(7)))
    assert here.given == [4, 3, 5, 7]
    assert there.given == [4]


def test_pictures_that_two_variants_show_are_rendered_once(site: Site) -> None:
    """F14: at once, a variant in other words rendered its baseline's pictures a second time."""
    keys = ["a-0|symbolic_predicates", "a-0|baseline", "a-0|high", "b-0|symbolic_predicates"]
    with Runners(site, 2, "tcp://127.0.0.1:8786") as runners:
        counting = runners._elsewhere = Counting(site)
        made = outcomes(runners, run_of("frame_images", *keys))
    assert counting.given == [3, 1]
    first, last = made[:3], made[3].run.key
    assert {o.run.key for o in first} == set(keys[1:])
    assert last == keys[0]


def run_of(step: str, *keys: str) -> Run:
    return Run(step, tuple(Partition.of_key(key) for key in keys))


def test_a_step_is_cut_where_dagster_has_a_gap_and_where_names_are_unknown(site: Site) -> None:
    """Dagster names the partitions of a run by the first and the last one."""
    variants = sorted(load_registry().variants)
    asked = run_of("variant_config", *variants[:3], "nobody", *variants[4:6])
    with Runners(site, 1) as runners:
        runners._here = Counting(site)
        unknown, *made = outcomes(runners, asked)
    assert (unknown.run.key, len(unknown.run.partitions)) == ("nobody", 1)
    assert "nobody" in str(unknown.error)
    assert [[p[0] for p in o.run.partitions] for o in made] == [variants[:3], variants[4:6]]
    assert [o.error for o in made] == [None, None]


@given(st.lists(st.integers(1, 60), max_size=4), st.integers(1, 6), st.integers(1, 50))
def test_lists_are_balanced_over_the_workers(lengths: list[int], n: int, most: int) -> None:
    """Each partition once and in order, no list over a gap, and the last ones short."""
    ranges = [[(str(i), str(k)) for k in range(length)] for i, length in enumerate(lengths)]
    cut = list(in_lists(ranges, n, most))
    assert [p for part in cut for p in part] == [p for of in ranges for p in of]
    assert all(len({p[0] for p in part}) == 1 and 1 <= len(part) <= most for part in cut)
    left = sum(lengths)
    for part in cut:
        assert n == 1 or len(part) <= max(1, left / (2 * n) + 1), "a share of what is left"
        left -= len(part)
    if n == 1:
        assert len(cut) == sum(-(-length // most) for length in lengths)
