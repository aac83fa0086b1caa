"""Partitions as tuples of names, and how those of an input follow from the one that is made."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product

from enact_assets.contracts.lineage import Input, Rule, StepSpec, dimensions
from enact_assets.contracts.registry import BASELINE, Registry

Partition = tuple[str, ...]
"""Names in the order of the asset's dimensions; empty for an asset without partitions."""


@dataclass(frozen=True)
class Names:
    """Every name there is now, and what the registry says about gatings and variants.

    ``of`` maps dimension -> names, sorted. ``gating_of`` maps variant -> gating. ``release`` are
    the gatings under a profile of the public release.
    """

    of: Mapping[str, tuple[str, ...]]
    gating_of: Mapping[str, str]
    release: frozenset[str]

    @classmethod
    def now(
        cls,
        registry: Registry,
        demonstrations: Collection[str],
        models: Collection[str],
        question_files: Collection[str],
    ) -> "Names":
        """Names of the registry, and of what has arrived."""
        named = {
            "demonstration": demonstrations,
            "gating": registry.gatings,
            "model": models,
            "question_file": question_files,
            "variant": registry.variants,
        }
        return cls(
            {dimension: tuple(sorted(names)) for dimension, names in named.items()},
            {name: variant.gating for name, variant in registry.variants.items()},
            frozenset(g for g, gating in registry.gatings.items() if gating.profile.release),
        )

    def partitions(self, asset: str) -> list[Partition]:
        """All partitions that ``asset`` should have, in order."""
        return list(product(*(self.of[d] for d in dimensions(asset))))

    def has(self, asset: str, partition: Partition) -> bool:
        """Whether ``partition`` is one of :meth:`partitions`."""
        sets = self._sets
        return all(n in sets[d] for d, n in zip(dimensions(asset), partition, strict=True))

    @cached_property
    def _sets(self) -> Mapping[str, frozenset[str]]:
        """For :meth:`has`, which a plan asks half a million times of ten thousand names."""
        return {dimension: frozenset(names) for dimension, names in self.of.items()}


def partition_key(partition: Partition) -> str | None:
    """The partition's key in Dagster; None where there are no dimensions."""
    return "|".join(partition) if partition else None


def partition_tuple(key: str | None) -> Partition:
    """Inverse of :func:`partition_key`."""
    return tuple(key.split("|")) if key is not None else ()


class Follow:
    """One input of one step: which of its partitions belong to a partition that is made.

    They come in groups: ``bound`` are the dimensions of the input in which the group says the
    name; in all others every name belongs to it.
    """

    def __init__(self, step: StepSpec, given: Input, names: Names) -> None:
        self.asset = given.asset
        self.rule = given.rule
        ours, theirs = dimensions(step.assets[0]), dimensions(given.asset)
        by_variant = {"gating"} if given.rule is Rule.OF_VARIANT else set()
        always = {"variant"} if given.rule is Rule.BASELINE else set()
        self.bound = tuple(d for d in theirs if d in ours or d in by_variant | always)
        self.is_rolled_up = self.bound != theirs
        """Whether it is made from what there is of an input, however many that are."""
        self.bound_positions = tuple(theirs.index(d) for d in self.bound)
        """Where the bound dimensions stand in a partition of the input."""
        self._positions = tuple(ours.index(d) if d in ours else -1 for d in self.bound)
        self._variant = ours.index("variant") if "variant" in ours else -1
        self._gating = ours.index("gating") if "gating" in ours else -1
        self._at = self.bound.index("variant") if "variant" in self.bound else -1
        self._names = names

    def groups(self, partition: Partition) -> tuple[Partition, ...]:
        """The names in the dimensions ``bound``; a partition of the input that has them belongs."""
        if self.rule is Rule.RELEASE and partition[self._gating] not in self._names.release:
            return ()
        if self.rule is Rule.BY_NAME or self.rule is Rule.RELEASE:
            return (tuple([partition[i] for i in self._positions]),)
        if self.rule is Rule.AND_BASELINE:
            own = tuple([partition[i] for i in self._positions])
            base = (*own[: self._at], BASELINE, *own[self._at + 1 :])
            return (own,) if own == base else (own, base)
        # The one dimension that the step does not have.
        is_gating = self.rule is Rule.OF_VARIANT
        other = self._names.gating_of[partition[self._variant]] if is_gating else BASELINE
        return (tuple([partition[i] if i >= 0 else other for i in self._positions]),)


class Follows:
    """The inputs of every step, for one set of names."""

    def __init__(self, names: Names, steps: Collection[StepSpec]) -> None:
        self._names = names
        self._steps = {step.name: step for step in steps}
        self._of: dict[str, tuple[Follow, ...]] = {}

    def of(self, step: str) -> tuple[Follow, ...]:
        """Inputs of ``step`` in the order in which they are declared."""
        if step not in self._of:
            spec = self._steps[step]
            self._of[step] = tuple(Follow(spec, given, self._names) for given in spec.inputs)
        return self._of[step]
