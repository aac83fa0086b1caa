"""Partition sets and how partitions of one table follow from partitions of another.

Dagster allows two dimensions at most and orders them by name: demonstration | gating,
demonstration | variant, model | variant. Demonstrations, models and imported question files are
dynamic (they arrive), gatings and variants are static (they stand in the registry).
"""

import warnings

import dagster as dg

from enact_assets.contracts.registry import BASELINE, Registry

demonstration_partitions = dg.DynamicPartitionsDefinition(name="demonstration")
question_file_partitions = dg.DynamicPartitionsDefinition(name="question_file")
model_partitions = dg.DynamicPartitionsDefinition(name="model")


class Partitions:
    """Partition definitions and mappings for one registry."""

    def __init__(self, registry: Registry) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", dg.BetaWarning)  # mappings: pinned, tested, settled on
            self._build(registry)

    def _build(self, registry: Registry) -> None:
        variants = registry.variants
        self.gating = dg.StaticPartitionsDefinition(sorted(registry.gatings))
        self.variant = dg.StaticPartitionsDefinition(sorted(variants))
        self.demonstration = demonstration_partitions
        self.question_file = question_file_partitions
        self.demonstration_gating = dg.MultiPartitionsDefinition(
            {"demonstration": demonstration_partitions, "gating": self.gating}
        )
        self.demonstration_variant = dg.MultiPartitionsDefinition(
            {"demonstration": demonstration_partitions, "variant": self.variant}
        )
        self.model_variant = dg.MultiPartitionsDefinition(
            {"model": model_partitions, "variant": self.variant}
        )
        # A gating feeds every variant that names it.
        self.gating_to_variants = dg.StaticPartitionMapping(
            {g: [v for v in variants if variants[v].gating == g] for g in registry.gatings}
        )
        same = dg.IdentityPartitionMapping()
        self.gating_to_variants_of_demonstration = dg.MultiPartitionMapping(
            {
                "demonstration": dg.DimensionPartitionMapping("demonstration", same),
                "gating": dg.DimensionPartitionMapping("variant", self.gating_to_variants),
            }
        )
        # Questions of the public release also hang on changes that are no edge of the graph.
        release = {g: [g] if x.profile.release else [] for g, x in registry.gatings.items()}
        self.release_only = dg.MultiPartitionMapping(
            {
                "demonstration": dg.DimensionPartitionMapping("demonstration", same),
                "gating": dg.DimensionPartitionMapping(
                    "gating", dg.StaticPartitionMapping(release)
                ),
            }
        )
        self.pictures_to_answers = dg.MultiPartitionMapping(
            {"variant": dg.DimensionPartitionMapping("variant", same)}
        )
        # A probe reads its own variant and the baseline: one mapping says both.
        self.variant_and_baseline = dg.MultiPartitionMapping(
            {
                "model": dg.DimensionPartitionMapping("model", same),
                "variant": dg.DimensionPartitionMapping(
                    "variant",
                    dg.StaticPartitionMapping(
                        {v: list(variants) if v == BASELINE else [v] for v in variants}
                    ),
                ),
            }
        )
        self.baseline_only = dg.SpecificPartitionsPartitionMapping([BASELINE])


def dimension(name: str) -> dg.MultiToSingleDimensionPartitionMapping:
    """Between a two-dimensional partition and the one called ``name``, either way."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dg.BetaWarning)
        return dg.MultiToSingleDimensionPartitionMapping(name)
