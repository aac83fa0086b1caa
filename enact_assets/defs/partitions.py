"""Partition sets, and Dagster's mappings for what ``contracts/lineage.py`` declares.

Dagster allows two dimensions at most and orders them by name: demonstration | gating,
demonstration | variant, model | variant. Demonstrations, models and imported question files are
dynamic (they arrive), gatings and variants are static (they stand in the registry).
"""

import warnings
from typing import Any

import dagster as dg

from enact_assets.contracts.lineage import EXTERNAL, Input, Rule, StepSpec, dimensions
from enact_assets.contracts.registry import BASELINE, Registry

demonstration_partitions = dg.DynamicPartitionsDefinition(name="demonstration")
question_file_partitions = dg.DynamicPartitionsDefinition(name="question_file")
model_partitions = dg.DynamicPartitionsDefinition(name="model")


class Partitions:
    """Partition definitions and mappings for one registry."""

    def __init__(self, registry: Registry) -> None:
        variants = registry.variants
        self.gating = dg.StaticPartitionsDefinition(sorted(registry.gatings))
        self.variant = dg.StaticPartitionsDefinition(sorted(variants))
        self._one: dict[str, dg.PartitionsDefinition[str]] = {
            "demonstration": demonstration_partitions,
            "gating": self.gating,
            "model": model_partitions,
            "question_file": question_file_partitions,
            "variant": self.variant,
        }
        self._two: dict[tuple[str, ...], dg.MultiPartitionsDefinition] = {}
        of_variant: dict[str, str | list[str]] = {
            g: [v for v in variants if variants[v].gating == g] for g in registry.gatings
        }
        release: dict[str, str | list[str]] = {
            g: [g] if x.profile.release else [] for g, x in registry.gatings.items()
        }
        # A probe reads its own variant and the baseline: one mapping says both.
        and_baseline: dict[str, str | list[str]] = {
            v: list(variants) if v == BASELINE else [v] for v in variants
        }
        self._static = {
            Rule.OF_VARIANT: ("gating", dg.StaticPartitionMapping(of_variant)),
            Rule.RELEASE: ("gating", dg.StaticPartitionMapping(release)),
            Rule.AND_BASELINE: ("variant", dg.StaticPartitionMapping(and_baseline)),
        }

    def of(self, asset: str) -> dg.PartitionsDefinition[Any] | None:
        """The partitions of ``asset``; None if it has none."""
        named = dimensions(asset)
        if not named:
            return None
        if len(named) == 1:
            return self._one[named[0]]
        if named not in self._two:
            self._two[named] = dg.MultiPartitionsDefinition({d: self._one[d] for d in named})
        return self._two[named]

    def deps(self, step: StepSpec) -> list[dg.AssetDep]:
        """What ``step`` reads of our own assets, each with its mapping."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", dg.BetaWarning)  # mappings: pinned, tested, settled on
            own = dimensions(step.assets[0])
            return [
                dg.AssetDep(given.asset, partition_mapping=self._mapping(own, given))
                for given in step.inputs
                if given.asset not in EXTERNAL
            ]

    def _mapping(self, ours: tuple[str, ...], given: Input) -> dg.PartitionMapping | None:
        theirs = dimensions(given.asset)
        if given.rule is Rule.BASELINE:
            return dg.SpecificPartitionsPartitionMapping([BASELINE])
        if given.rule is Rule.BY_NAME:
            return self._by_name(ours, theirs)
        if given.rule is Rule.AND_BASELINE and len(theirs) < len(ours):
            # Dagster has no mapping that says both: our own plan knows better.
            return self._by_name(ours, theirs)
        changed, static = self._static[given.rule]
        if len(theirs) == 1:
            return static
        to = "variant" if given.rule is Rule.OF_VARIANT else changed
        same = dg.IdentityPartitionMapping()
        return dg.MultiPartitionMapping(
            {
                d: dg.DimensionPartitionMapping(to, static)
                if d == changed
                else dg.DimensionPartitionMapping(d, same)
                for d in theirs
            }
        )

    def _by_name(
        self, ours: tuple[str, ...], theirs: tuple[str, ...]
    ) -> dg.PartitionMapping | None:
        shared = [d for d in theirs if d in ours]
        if not theirs or ours == theirs:
            return None
        if not shared:
            return dg.AllPartitionMapping()
        if len(ours) == len(theirs):
            same = dg.IdentityPartitionMapping()
            return dg.MultiPartitionMapping(
                {shared[0]: dg.DimensionPartitionMapping(shared[0], same)}
            )
        return dg.MultiToSingleDimensionPartitionMapping(shared[0])
