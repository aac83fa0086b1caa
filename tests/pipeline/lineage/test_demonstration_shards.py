"""Which shard a demonstration belongs to, and which partitions a shard stands for."""

from hypothesis import given
from hypothesis import strategies as st
from pipeline.lineage.small_world import NAMES

from benchmarks.many_partitions import demonstration_names
from enact_assets.engine.grids import Partition
from enact_assets.engine.planning.shards import Shards, members, shard_at, version_of
from enact_assets.engine.planning.states import State
from enact_assets.pipeline.lineage.graph import STEPS, dimensions
from enact_assets.settings.classes import is_partition_name

ASSETS = sorted({step.assets[0] for step in STEPS})
numbers = st.integers(1, 30)


@given(st.text(min_size=1, max_size=20), numbers)
def test_every_name_has_one_shard_and_always_the_same(name: str, n: int) -> None:
    """It depends on nothing but the name: a new demonstration moves none that is there."""
    shards = Shards("demonstration", n)
    assert shards.names.count(shards.of(name)) == 1
    assert shards.of(name) == Shards("demonstration", n).of(name)


def test_names_of_shards_are_in_order_and_differ() -> None:
    names = Shards("demonstration", 1_200).names
    assert list(names) == sorted(set(names))
    assert (names[0], names[-1]) == ("shard_0000/1200", "shard_1199/1200")


def test_shards_differ_little_in_size_and_stay_where_they_are() -> None:
    shards = Shards("demonstration", 100)
    sizes = dict.fromkeys(shards.names, 0)
    for name in demonstration_names(10_000):
        sizes[shards.of(name)] += 1
    assert min(sizes.values()) >= 65
    assert max(sizes.values()) <= 140
    # Another hash would move all demonstrations of a data root to other partitions.
    assert shards.of("setting_the_table-0") == "shard_069/100"


@given(st.sampled_from(ASSETS), numbers)
def test_shards_of_an_asset_stand_for_each_of_its_partitions_once(asset: str, n: int) -> None:
    shards, named = Shards("demonstration", n), dimensions(asset)
    keys = {shards.partition(named, partition) for partition in NAMES.partitions(asset)}
    found = {key: members(NAMES, asset, Partition.of_key(key.key)) for key in keys}
    every = [partition for of in found.values() for partition in of]
    assert sorted(every) == sorted(NAMES.partitions(asset))
    for key, of in found.items():
        assert {shards.partition(named, partition) for partition in of} <= {key}
        assert (shard_at(key) is not None) == ("demonstration" in named)


def test_no_demonstration_has_the_name_of_a_shard() -> None:
    assert not any(map(is_partition_name, Shards("demonstration", 3).names))


def test_shards_of_another_number_are_other_partitions() -> None:
    """A data root changes to other shards, and back, without any event that means another thing."""
    assert set(Shards("demonstration", 2).names).isdisjoint(Shards("demonstration", 4).names)


def test_partitions_of_names_that_are_gone_are_not_made() -> None:
    """Automation asked for a shard; then a demonstration was forgotten, or a variant."""
    shard = Shards("demonstration", 1).names[0]
    assert members(NAMES, "frame_images", Partition.of(shard, "nobody")) == []
    assert [p for p, _ in members(NAMES, "frame_images", Partition.of(shard, "high"))] == [
        "fold-0",
        "fold-1",
        "pour-0",
    ]


def test_the_version_of_a_shard_is_that_of_what_is_there() -> None:
    a, b, c = map(Partition.of, "abc")
    there = [(a, State("1")), (b, State("2"))]
    version = version_of(there)
    assert version == version_of([*reversed(there), (c, None)])
    assert version != version_of([(a, State("2")), (b, State("1"))])
    assert version != version_of(there[:1])
    assert not version_of([(a, None)])
