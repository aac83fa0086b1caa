"""Partitions that were requested but do not exist, listed with the stale ones.

A partition is missing if it does not exist although a run was started to make it, or although
something that it is made from, under the same names, is there or missing itself. The registry alone
asks for nothing: a first look makes a few of its names, and the others must not fill the list.
"""

from collections.abc import Callable, Collection, Iterator

import polars as pl

from enact_assets.engine.graph import (
    Follow,
    Graph,
    Partition,
    StepSpec,
    partition_key,
    partition_tuple,
)
from enact_assets.engine.planning.marks import Marks
from enact_assets.engine.planning.plan import Lineage

STALE, MISSING = "stale", "missing"
NOT_MADE = "its run failed or was stopped"
_SCHEMA = {"asset": pl.String, "partition": pl.String, "state": pl.String, "why": pl.String}

Tried = Callable[[str], Collection[Partition]]
"""Asset -> its partitions for which a run was ever started."""


def not_current(lineage: Lineage, tried: Tried) -> pl.DataFrame:
    """Stale partitions, then missing ones, each in the order of the graph: ``stale_partitions``.

    Columns: asset, partition (null for an asset without partitions), state (stale or missing), why.
    ``tried`` is called only for assets that lack partitions.
    """
    rows = [
        (asset, key, _state(lineage, asset, partition_tuple(key)), why)
        for asset, key, why in out_of_date(lineage)
    ]
    rows += [
        (asset, partition_key(partition), MISSING, why)
        for step, partition, why in _missing(lineage, tried)
        for asset in step.assets
    ]
    return pl.DataFrame(rows, schema=_SCHEMA, orient="row")


def out_of_date(lineage: Lineage) -> list[tuple[str, str | None, str]]:
    """Rows that are there, and older than what they are made from: asset, partition key and why.

    What is made from a stale partition is one itself, though nothing it reads has changed yet.
    The warehouse is left out: it is what says so; and the report, which repeats it.
    """
    plan = lineage.plan(only_there=True)
    stale: dict[str, dict[Partition, str]] = {}
    for planned in plan.stale:
        stale.setdefault(planned.name, {})[planned.partition] = planned.why
    marked = Marks()
    rows = []
    for step in lineage.steps:
        if step.name in lineage.graph.whole:
            continue
        why, following = stale.get(step.name, {}), plan.may_follow.get(step.name, ())
        for partition in sorted([*why, *following]):
            older = (f.asset for f in lineage.follows(step) if marked.count(f, partition))
            text = why.get(partition) or f"made from {next(older)}, which is stale"
            rows += [(asset, partition_key(partition), text) for asset in step.assets]
        if step.name not in lineage.graph.roots:
            marked.add(step.assets, *why, *following)
    return rows


def _state(lineage: Lineage, asset: str, partition: Partition) -> str:
    """A step of several tables is made again also if one of them is gone."""
    return MISSING if lineage.states.get(asset, partition) is None else STALE


def _missing(lineage: Lineage, tried: Tried) -> Iterator[tuple[StepSpec, Partition, str]]:
    """Step, partition and why it counts as missing."""
    graph = lineage.graph
    found: set[tuple[str, Partition]] = set()
    for step in lineage.steps:
        if step.name in graph.roots or step.name in graph.whole:
            continue
        absent = lineage.absent(step)
        if not absent:
            continue
        asked_for = tried(step.assets[0])
        inputs = [
            follow for follow in lineage.follows(step) if _has_same_names(graph, step, follow)
        ]
        for partition in absent:
            own = [(f.asset, f.groups(partition)[0]) for f in inputs]
            gone = [asset for asset, of in own if (asset, of) in found]
            there = [asset for asset, of in own if lineage.states.get(asset, of) is not None]
            if gone:
                why = f"made from {gone[0]}, which is missing"
            elif partition in asked_for:
                why = NOT_MADE
            elif there:
                why = f"made from {there[0]}, which is there"
            else:
                continue
            found.update((asset, partition) for asset in step.assets)
            yield step, partition, why


def _has_same_names(graph: Graph, step: StepSpec, follow: Follow) -> bool:
    """Whether each partition of ``step`` has one input partition of the same names."""
    is_ours = follow.asset not in graph.roots and follow.asset not in graph.external
    return (
        is_ours
        and follow.is_by_name
        and set(graph.dimensions[follow.asset]) == set(graph.dimensions[step.assets[0]])
    )
