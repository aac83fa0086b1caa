"""Registry and shards at the time when the definitions were loaded; they may have changed since.

Names of the registry and shards are static partitions; Dagster refuses runs of new ones.
"""

from dataclasses import replace
from typing import Any

import dagster as dg

from enact_assets.engine.planning.shards import Shards
from enact_assets.pipeline.lineage.graph import GRAPH
from enact_assets.pipeline.root.partitions_file import SHARDED
from enact_assets.settings.classes import world_source_of
from enact_assets.settings.registry import Registry


def loaded_registry(registry: Registry, graph: Any) -> Registry:
    """``registry`` without names that were added after Dagster's asset ``graph`` was loaded."""

    def names(root: str) -> set[str]:
        partitions = graph.get(dg.AssetKey(root)).partitions_def
        return set(partitions.get_partition_keys()) if partitions is not None else set()

    gatings, sets = names("gating_config"), names("question_set_config")
    sets = {n for n, s in registry.question_sets.items() if n in sets and s.gating in gatings}
    variants = names("variant_config")
    worlds = {source for name in variants if (source := world_source_of(name)) is not None}
    return replace(
        registry,
        loaded_worlds=frozenset(worlds),
        gatings={name: g for name, g in registry.gatings.items() if name in gatings},
        question_sets={name: s for name, s in registry.question_sets.items() if name in sets},
        variants={
            name: v
            for name, v in registry.variants.items()
            if name in variants and v.question_set in sets
        },
    )


def loaded_shards(graph: Any) -> Shards | None:
    """The shards of Dagster's asset ``graph``; None if each demonstration is a partition."""
    asset = next(step.assets[0] for step in GRAPH.steps if _is_of_demonstrations(step.assets[0]))
    found = graph.get(dg.AssetKey(asset)).partitions_def
    is_static = isinstance(found, dg.StaticPartitionsDefinition)
    return Shards(SHARDED, len(found.get_partition_keys())) if is_static else None


def _is_of_demonstrations(asset: str) -> bool:
    return GRAPH.dimensions[asset] == (SHARDED,)
