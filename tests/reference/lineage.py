"""Slow, obvious twin of ``enact_assets.pipeline.lineage``: one question per pair of partitions."""

from collections.abc import Mapping

from enact_assets.engine.graph import Input, Names, StepSpec
from enact_assets.engine.grids import Partition


def belongs(step: StepSpec, ours: Partition, given: Input, theirs: Partition, names: Names) -> bool:
    """Whether partition ``theirs`` of an input is read to make partition ``ours`` of ``step``."""
    dimensions = names.graph.dimensions
    mine = known_names(dict(zip(dimensions[step.assets[0]], ours, strict=True)), names)
    other = dict(zip(dimensions[given.asset], theirs, strict=True))
    if given.when is not None and not condition_holds(given.when, mine, names):
        return False
    follows_by_name = agrees(other, mine)
    has_fixed_name = agrees(other, {**mine, **dict(given.fixed)})
    if given.is_also_own:
        return follows_by_name or has_fixed_name
    return has_fixed_name


def known_names(mine: Mapping[str, str], names: Names) -> dict[str, str]:
    """The names of a partition, and those that they determine."""
    found = dict(mine)
    while True:
        known = {
            other: names.determined[dimension][found[dimension]]
            for dimension, other in names.graph.determines.items()
            if dimension in found and other not in found
        }
        if not known:
            return found
        found |= known


def condition_holds(condition: str, mine: Mapping[str, str], names: Names) -> bool:
    return mine[names.graph.conditions[condition]] in names.holds.get(condition, ())


def agrees(other: Mapping[str, str], mine: Mapping[str, str]) -> bool:
    """Whether they have the same name in every dimension that both have."""
    return all(other[dimension] == mine[dimension] for dimension in other if dimension in mine)


def upstream(step: StepSpec, ours: Partition, given: Input, names: Names) -> set[Partition]:
    """Every partition of an input that is read, whether or not it is there."""
    return {p for p in names.partitions(given.asset) if belongs(step, ours, given, p, names)}


def closure(
    steps: tuple[StepSpec, ...], changed: set[tuple[str, Partition]], names: Names
) -> set[tuple[str, Partition]]:
    """Every (step, partition) that is downstream of changed (asset, partition) pairs."""
    reached, found = set(changed), set()
    for step in steps:
        for ours in names.partitions(step.assets[0]):
            read = {
                (given.asset, theirs)
                for given in step.inputs
                for theirs in upstream(step, ours, given, names)
            }
            if not read.isdisjoint(reached):
                found.add((step.name, ours))
                reached |= {(asset, ours) for asset in step.assets}
    return found
