"""Which partitions one run makes, as told by its first and its last."""

from collections.abc import Iterator
from dataclasses import replace

import dagster as dg
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pipeline.lineage.small_world import NAMES

from enact_assets.engine.grids import Partition
from enact_assets.engine.planning.shards import Shards
from enact_assets.pipeline.runs.ranges import (
    PARTITION_TAG,
    in_ranges,
    partitions_of_run,
    range_tags,
)
from enact_assets.pipeline.runs.running import running

ARRIVED = ("pour-0", "fold-0", "fold-1", "fold-2")
"""In another order than their letters have."""
GATINGS = ("contact", "release", "state")
BOTH = dg.MultiPartitionsDefinition(
    {
        "demonstration": dg.DynamicPartitionsDefinition(name="demonstration"),
        "gating": dg.StaticPartitionsDefinition(GATINGS),
    }
)
EVERY = [Partition.of(name, gating) for name in ARRIVED for gating in GATINGS]
NOW = replace(NAMES, of={**NAMES.of, "demonstration": tuple(sorted(ARRIVED))})


def of_state(*names: str) -> list[Partition]:
    return [Partition.of(name, "state") for name in names]


@pytest.fixture(scope="module")
def instance() -> Iterator[dg.DagsterInstance]:
    with dg.DagsterInstance.ephemeral() as found:
        found.add_dynamic_partitions("demonstration", list(ARRIVED))
        yield found


@given(wanted=st.sets(st.sampled_from(EVERY), min_size=1))
def test_ranges_make_what_was_asked_for_and_nothing_else(
    instance: dg.DagsterInstance, wanted: set[tuple[str, str]]
) -> None:
    """By Dagster's own reading of a range, and by ours of the tags of its run."""
    ranges = in_ranges(BOTH, wanted, instance)
    assert sorted(p for of in ranges for p in of) == sorted(wanted)
    for of in ranges:
        first, last = (of[i].key for i in (0, -1))
        keys = BOTH.get_partition_keys_in_range(dg.PartitionKeyRange(first, last), instance)
        assert [Partition.of_key(str(key)) for key in keys] == of
        assert partitions_of_run(instance, NOW, "scene_graphs", range_tags(of)) == of


def test_two_dimensions_are_a_run_for_each_name_of_the_smaller_one(
    instance: dg.DagsterInstance,
) -> None:
    wanted = [p for p in EVERY if p[1] != "release"]
    assert [(of[0], len(of)) for of in in_ranges(BOTH, wanted, instance)] == [
        (("pour-0", "contact"), 4),
        (("pour-0", "state"), 4),
    ]
    assert len(in_ranges(BOTH, wanted, instance, most=3)) == 4


def test_a_partition_that_dagster_does_not_know_stands_alone(instance: dg.DagsterInstance) -> None:
    ranges = in_ranges(BOTH, [Partition.of("nobody", "state"), *EVERY[:3]], instance)
    assert ranges == [[("nobody", "state")], EVERY[:3]]
    assert in_ranges(None, [Partition()], instance) == [[()]]


def test_an_unfinished_run_of_a_range_makes_all_of_it(instance: dg.DagsterInstance) -> None:
    """Of a range of shards the members of each."""
    shards = Shards("demonstration", 2).names
    for tags, names in (
        (
            range_tags([Partition.of("fold-0", "state"), Partition.of("fold-1", "state")]),
            {"fold-0", "fold-1"},
        ),
        (
            range_tags([Partition.of(shards[0], "state"), Partition.of(shards[1], "state")]),
            {*ARRIVED},
        ),
        ({PARTITION_TAG: "fold-1|state"}, {"fold-1"}),
    ):
        keys = frozenset([dg.AssetKey("segmented_frames"), dg.AssetKey("scene_graphs")])
        run = dg.DagsterRun("a_job", asset_selection=keys, tags=tags)
        found = running(instance, [run], NOW).of
        assert found["scene_graphs"] == {(name, "state") for name in names}
