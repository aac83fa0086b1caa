"""What a walk was asked to make: some steps, some names; and what is stale upstream of it."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from enact_assets.contracts.errors import EnactError, UnknownNameError
from enact_assets.contracts.registry import BASELINE, Registry
from enact_assets.engine.graph import Names, Partition, StepSpec
from enact_assets.engine.planning.plan import Lineage, Plan
from enact_assets.learned.training_scope import trained_activities
from enact_assets.lineage.pipeline import ROOTS, STEPS, dimensions
from enact_assets.replay.sources import Sources

_FIXED = ("variant", BASELINE)
_COMPARING = tuple(
    step
    for step in STEPS
    if any(_FIXED in given.fixed and given.asset not in ROOTS for given in step.inputs)
)
"""Steps that read rows of the baseline, whatever variant they make."""


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
    """Which steps and partitions are wanted.

    Named variants bring the baseline along if a wanted step compares them with it. ``asking`` are
    the variants and gatings under which a demonstration is asked about, where these alone count.
    """

    def __init__(
        self, assets: Iterable[str] | None, only: Mapping[str, Iterable[str]] | None
    ) -> None:
        self._assets = None if assets is None else set(assets)
        check_assets(self._assets or ())
        self.only = {d: set(names) for d, names in (only or {}).items()}
        self.asking: dict[str, Mapping[str, set[str]]] = {}
        if "variant" in self.only and any(map(self.has, _COMPARING)):
            self.only["variant"].add(BASELINE)

    def has(self, step: StepSpec) -> bool:
        """Whether the step is wanted, by its own name or by that of a table it makes."""
        return self._assets is None or not self._assets.isdisjoint((step.name, *step.assets))

    def is_chosen(self, step: StepSpec, partition: Partition) -> bool:
        """Whether one partition of a step is wanted."""
        return self.has(step) and self.matches(step, partition)

    def matches(self, step: StepSpec, partition: Partition, besides: str | None = None) -> bool:
        """Whether the names are wanted, in every dimension but ``besides``."""
        named = dict(zip(dimensions(step.assets[0]), partition, strict=True))
        named.pop(besides or "", None)
        asking = self.asking.get(named.get("demonstration", ""), {})
        return all(
            name in self.only.get(dimension, {name}) and name in asking.get(dimension, {name})
            for dimension, name in named.items()
        )


def choose(
    assets: Iterable[str] | None,
    only: Mapping[str, Iterable[str]] | None,
    names: Names,
    registry: Registry,
    sources: Sources,
) -> Chosen:
    """What is wanted of all ``names``; a plan and a walk use it.

    Variants alone choose the demonstrations that one of them asks about, by their sources, and
    each under the gatings and variants that do. Also a demonstration without a source, since its
    recording is gone: the step that reads it says so.
    Errors: :class:`UnknownNameError` for an unknown asset or variant.
    """
    chosen = Chosen(assets, only)
    if "demonstration" in chosen.only:
        # Chosen demonstrations choose what is trained, as far as chosen models learn from them.
        models = chosen.only.get("model", names.of["model"])
        chosen.only["training_activity"] = trained_activities(chosen.only["demonstration"], models)
    named = [registry.variant(name) for name in (only or {}).get("variant", ())]
    if not named or chosen.only.get("demonstration"):
        return chosen
    variants = [registry.variant(name) for name in chosen.only["variant"]]
    wanted = set[str]()
    for demonstration in names.of["demonstration"]:
        try:
            source = sources.find(demonstration).name
        except EnactError:
            wanted.add(demonstration)
            continue
        if any(source in variant.sources for variant in named):
            wanted.add(demonstration)
            asking = [variant for variant in variants if source in variant.sources]
            chosen.asking[demonstration] = {
                "variant": {variant.name for variant in asking},
                "gating": {variant.gating for variant in asking},
            }
    chosen.only["demonstration"] = wanted
    return chosen
