"""Config roots: their data version is the hash of a resolved registry entry.

A changed setting makes exactly one partition of one root new; what lies downstream of it follows.
"""

import dataclasses
import json
from typing import Any

import dagster as dg

from enact_assets.contracts.registry import load_registry, settings_sha
from enact_assets.defs.partitions import Partitions

GROUP = "config"
ROOTS = ("gating_config", "question_config", "variant_config")


def current_sha(asset: str, partition: str | None) -> str:
    """Hash of the registry entry that root ``asset`` stands for, as the file says now."""
    return settings_sha(_settings(asset, partition))


def _settings(asset: str, partition: str | None) -> Any:
    registry = load_registry()
    if asset == "gating_config":
        return registry.gating(str(partition))
    if asset == "variant_config":
        return registry.variant(str(partition))
    return registry.questions


def _report(asset: str, partition: str | None) -> dg.MaterializeResult[Any]:
    settings = dataclasses.asdict(_settings(asset, partition))
    return dg.MaterializeResult(
        data_version=dg.DataVersion(current_sha(asset, partition)),
        metadata={"settings": dg.MetadataValue.json(json.loads(json.dumps(settings)))},
    )


def assets(p: Partitions) -> list[dg.AssetsDefinition]:
    """The three roots: gatings, variants, question settings."""

    @dg.asset(partitions_def=p.gating, group_name=GROUP, code_version="1", kinds={"yaml"})
    def gating_config(context: dg.AssetExecutionContext) -> dg.MaterializeResult[Any]:
        """Which predicates make key frames, and all constants of the profile that applies."""
        return _report("gating_config", context.partition_key)

    @dg.asset(partitions_def=p.variant, group_name=GROUP, code_version="1", kinds={"yaml"})
    def variant_config(context: dg.AssetExecutionContext) -> dg.MaterializeResult[Any]:
        """One named setting of camera, renderer, robot appearance and gating."""
        return _report("variant_config", context.partition_key)

    @dg.asset(group_name=GROUP, code_version="1", kinds={"yaml"})
    def question_config() -> dg.MaterializeResult[Any]:
        """How many questions are written and asked, their wording and their seed."""
        return _report("question_config", None)

    return [gating_config, variant_config, question_config]
