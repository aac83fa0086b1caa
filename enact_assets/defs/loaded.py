"""The registry as it was when the definitions were loaded; it may have grown since.

Gatings and variants are static partitions; Dagster refuses a run of one that is new.
"""

from dataclasses import replace
from typing import Any

import dagster as dg

from enact_assets.contracts.registry import Registry


def loaded_registry(registry: Registry, graph: Any) -> Registry:
    """``registry`` without gatings and variants that came after Dagster's asset ``graph`` did."""

    def names(root: str) -> set[str]:
        partitions = graph.get(dg.AssetKey(root)).partitions_def
        return set(partitions.get_partition_keys()) if partitions is not None else set()

    gatings, variants = names("gating_config"), names("variant_config")
    return replace(
        registry,
        gatings={name: g for name, g in registry.gatings.items() if name in gatings},
        variants={
            name: v
            for name, v in registry.variants.items()
            if name in variants and v.gating in gatings
        },
    )
