"""What a walk was asked to make: some steps, some names; and what is stale upstream of it."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from enact_assets.contracts.errors import UnknownNameError
from enact_assets.contracts.registry import BASELINE
from enact_assets.engine.graph import Partition, StepSpec
from enact_assets.engine.planning.plan import Lineage, Plan
from enact_assets.lineage.pipeline import STEPS, dimensions


def check_assets(names: Iterable[str]) -> None:
    """Raise :class:`UnknownNameError` for the first of ``names`` that is not an asset or step."""
    known = {name for step in STEPS for name in (step.name, *step.assets)}
    for name in sorted(set(names) - known):
        raise UnknownNameError.of("asset", name, known)


def with_upstream(plan: Plan, lineage: Lineage, chosen: "Chosen") -> Plan:
    """``plan`` of some steps, with what is stale upstream of them and what may follow from that."""
    every = lineage.plan(chosen.matches)
    wanted = {step.name for step in lineage.steps if chosen.has(step)}
    above = lineage.graph.upstream(wanted) - wanted
    known = {(step.name, step.partition) for step in plan.stale}
    may_follow = {
        name: left
        for name, found in every.may_follow.items()
        if name in wanted and (left := tuple(p for p in found if (name, p) not in known))
    }
    n_more = sum(map(len, may_follow.values())) - sum(map(len, plan.may_follow.values()))
    stale = tuple(step for step in every.stale if step.name in above)
    return replace(plan, upstream=stale, may_follow=may_follow, n_fresh=plan.n_fresh - n_more)


class Chosen:
    """Which steps and partitions are wanted."""

    def __init__(
        self, assets: Iterable[str] | None, only: Mapping[str, Iterable[str]] | None
    ) -> None:
        self._assets = None if assets is None else set(assets)
        check_assets(self._assets or ())
        self.only = {d: set(names) for d, names in (only or {}).items()}
        if "variant" in self.only:
            self.only["variant"].add(BASELINE)

    def has(self, step: StepSpec) -> bool:
        """Whether the step is wanted, by its own name or by that of a table it makes."""
        return self._assets is None or not self._assets.isdisjoint((step.name, *step.assets))

    def is_chosen(self, step: StepSpec, partition: Partition) -> bool:
        """Whether one partition of a step is wanted."""
        return self.has(step) and self.matches(step, partition)

    def matches(self, step: StepSpec, partition: Partition, besides: str | None = None) -> bool:
        """Whether the names are wanted, in every dimension but ``besides``."""
        named = zip(dimensions(step.assets[0]), partition, strict=True)
        return all(n in self.only[d] for d, n in named if d in self.only and d != besides)
