"""Slow, obvious twin of ``enact_assets.lineage``: one question per pair of partitions."""

from enact_assets.contracts.registry import BASELINE
from enact_assets.engine.graph import Input, Names, Partition, Rule, StepSpec
from enact_assets.lineage.pipeline import dimensions


def belongs(step: StepSpec, ours: Partition, given: Input, theirs: Partition, names: Names) -> bool:
    """Whether partition ``theirs`` of an input is read to make partition ``ours`` of ``step``."""
    mine = dict(zip(dimensions(step.assets[0]), ours, strict=True))
    other = dict(zip(dimensions(given.asset), theirs, strict=True))
    shared = {d for d in other if d in mine}
    if given.rule is Rule.AND_BASELINE:
        if other["variant"] not in (mine["variant"], BASELINE):
            return False
        shared.discard("variant")
    if given.rule is Rule.OF_VARIANT and other["gating"] != names.gating_of[mine["variant"]]:
        return False
    if given.rule is Rule.BASELINE and other["variant"] != BASELINE:
        return False
    if given.rule is Rule.RELEASE and mine["gating"] not in names.release:
        return False
    return all(mine[d] == other[d] for d in shared)


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
