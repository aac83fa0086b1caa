"""Partitions that were requested but do not exist, listed with the stale ones.

A partition is missing if it does not exist although a run was started to make it, or although an
input with the same names exists or is itself missing. Names of the registry do not count as
requested: a first look makes only a few of them, and the others must not fill the list.
"""

from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import groupby

import polars as pl

from enact_assets.engine.graph import Follow, Graph, StepSpec
from enact_assets.engine.grids import Partition
from enact_assets.engine.planning.lineage import Lineage
from enact_assets.engine.planning.verdicts import FOLLOWS, MISSING, STALE, Verdict, judge

NOT_MADE = "its run failed or was stopped"
_SCHEMA = {"asset": pl.String, "partition": pl.String, "state": pl.String, "why": pl.String}

Tried = Callable[[str], Collection[Partition]]
"""Asset -> its partitions for which a run was started at any time."""


def not_current(lineage: Lineage, tried: Tried) -> pl.DataFrame:
    """Stale partitions, then missing ones, each in the order of the graph: ``stale_partitions``.

    Columns: asset, partition (null for an asset without partitions), state (stale or missing), why.
    ``tried`` is called only for assets that lack partitions. Partitions downstream of a stale one
    count as stale, even if their own inputs have not changed yet. The warehouse, which contains
    this list, and the report, which repeats it, are left out.
    """
    verdicts = judge(lineage, only_there=True)
    graph = lineage.graph
    old = (row for row in verdicts.rows(STALE, FOLLOWS) if row.step not in graph.whole)
    rows = [
        (asset, row.key, _state(lineage, asset, row), row.why or _follows(row))
        for row in old
        for asset in graph.step_named[row.step].assets
    ]
    rows += [
        (asset, row.key, MISSING, why)
        for row, why in _requested(lineage, verdicts.rows(MISSING), tried)
        for asset in graph.step_named[row.step].assets
    ]
    return pl.DataFrame(rows, schema=_SCHEMA, orient="row")


def _follows(row: Verdict) -> str:
    return f"made from {row.upstream[0]}, which is stale"


def _state(lineage: Lineage, asset: str, row: Verdict) -> str:
    """The state of an asset: a step with several tables is also made again if one of them is
    gone.
    """
    return MISSING if lineage.states.get(asset, row.partition) is None else STALE


def _requested(
    lineage: Lineage, missing: Iterable[Verdict], tried: Tried
) -> Iterator[tuple[Verdict, str]]:
    """Missing partitions that were requested, and why they count as missing."""
    graph = lineage.graph
    found: set[tuple[str, Partition]] = set()
    for step, rows in groupby(missing, key=lambda row: graph.step_named[row.step]):
        if step.name in graph.roots or step.name in graph.whole:
            continue
        asked_for = tried(step.assets[0])
        inputs = [f for f in lineage.follows(step) if _has_same_names(graph, step, f)]
        for row in rows:
            own = [(f.asset, f.groups(row.partition)[0]) for f in inputs]
            gone = [asset for asset, of in own if (asset, of) in found]
            there = [asset for asset, of in own if lineage.states.get(asset, of) is not None]
            if gone:
                why = f"made from {gone[0]}, which is missing"
            elif row.partition in asked_for:
                why = NOT_MADE
            elif there:
                why = f"made from {there[0]}, which exists"
            else:
                continue
            found.update((asset, row.partition) for asset in step.assets)
            yield row, why


def _has_same_names(graph: Graph, step: StepSpec, follow: Follow) -> bool:
    """Whether each partition of ``step`` has one input partition of the same names."""
    is_ours = follow.asset not in graph.roots and follow.asset not in graph.external
    return (
        is_ours
        and follow.is_by_name
        and set(graph.dimensions[follow.asset]) == set(graph.dimensions[step.assets[0]])
    )
