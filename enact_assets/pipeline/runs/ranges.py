"""Ranges of partitions: a run's tags name the first and the last partition that it makes.

Dagster sorts dynamic names by time of arrival, all others alphabetically. A range in two dimensions
is the product of a range in each.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import product
from typing import Any

import dagster as dg

from enact_assets.engine.graph import Names
from enact_assets.engine.grids import Partition
from enact_assets.engine.planning.shards import Shards, shard_at
from enact_assets.pipeline.lineage.graph import dimensions

PARTITION_TAG = "dagster/partition"
FIRST_TAG, LAST_TAG = "dagster/asset_partition_range_start", "dagster/asset_partition_range_end"


def range_tags(partitions: Sequence[Partition]) -> dict[str, str]:
    """Tags of a run that makes ``partitions``, which are one list of :func:`in_ranges`."""
    return {FIRST_TAG: partitions[0].key, LAST_TAG: partitions[-1].key}


def in_ranges(
    definition: dg.PartitionsDefinition[Any] | None,
    partitions: Collection[Partition],
    instance: dg.DagsterInstance,
    most: int | None = None,
) -> list[list[Partition]]:
    """``partitions`` in as few ranges of ``definition`` as possible, each with at most ``most``.

    With two dimensions a range has one name in the dimension with fewer names.
    A partition that Dagster does not know gets its own range, so that only its run fails.
    """
    if definition is None:
        return [[partition] for partition in partitions]
    parts = (
        [part.partitions_def for part in definition.partitions_defs]
        if isinstance(definition, dg.MultiPartitionsDefinition)
        else [definition]
    )
    orders = [
        {name: i for i, name in enumerate(d.get_partition_keys(dynamic_partitions_store=instance))}
        for d in parts
    ]
    known = {p for p in partitions if all(n in order for n, order in zip(p, orders, strict=True))}
    along = max(range(len(orders)), key=lambda i: len({p[i] for p in known}))

    def place(partition: Partition) -> tuple[tuple[int, ...], int]:
        at = [order[name] for name, order in zip(partition, orders, strict=True)]
        return (*at[:along], *at[along + 1 :]), at[along]

    found = [[partition] for partition in partitions if partition not in known]
    last: tuple[tuple[int, ...], int] | None = None
    for partition in sorted(known, key=place):
        others, at = place(partition)
        if last == (others, at - 1) and len(found[-1]) != most:
            found[-1].append(partition)
        else:
            found.append([partition])
        last = others, at
    return found


def partitions_of_run(
    instance: dg.DagsterInstance, names: Names, asset: str, tags: Mapping[str, str]
) -> list[Partition]:
    """Partitions in Dagster of ``asset`` that a run with ``tags`` makes, in order."""
    one = Partition.of_key(tags.get(PARTITION_TAG))
    if FIRST_TAG not in tags:
        return [one]
    first, last = Partition.of_key(tags[FIRST_TAG]), Partition.of_key(tags[LAST_TAG])
    named = zip(dimensions(asset), first, last, strict=False)
    return [Partition(of) for of in product(*(_between(instance, names, *one) for one in named))]


def _between(
    instance: dg.DagsterInstance, names: Names, dimension: str, first: str, last: str
) -> Iterable[str]:
    if first == last:
        return [first]
    arrived = list(instance.get_dynamic_partitions(dimension))
    if first in arrived and last in arrived:
        return arrived[arrived.index(first) : arrived.index(last) + 1]
    every: Iterable[str] = names.of[dimension]
    if shard_at(Partition.of(first)) is not None:
        every = Shards(dimension, int(first.rpartition("/")[2])).names
    return [name for name in every if first <= name <= last]
