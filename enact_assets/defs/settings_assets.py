"""Config roots: their data version is the hash of a resolved registry entry.

A changed setting makes exactly one partition of one root new; what lies downstream of it follows.
"""

from typing import Any

import dagster as dg

from enact_assets.contracts.registry import load_registry
from enact_assets.defs.partitions import Partitions
from enact_assets.engine.graph import partition_tuple
from enact_assets.lineage.versions import root_version, settings_as_told
from enact_assets.runs.reported import SETTINGS

GROUP = "config"


def _report(asset: str, partition: str | None) -> dg.MaterializeResult[Any]:
    registry, names = load_registry(), partition_tuple(partition)
    settings = settings_as_told(registry, asset, names)
    return dg.MaterializeResult(
        data_version=dg.DataVersion(root_version(registry, asset, names)),
        metadata={SETTINGS: dg.MetadataValue.json(settings)},
    )


def settings_assets(p: Partitions) -> list[dg.AssetsDefinition]:
    """The three roots: gatings, variants, question settings."""

    @dg.asset(
        partitions_def=p.of("gating_config"), group_name=GROUP, code_version="1", kinds={"yaml"}
    )
    def gating_config(context: dg.AssetExecutionContext) -> dg.MaterializeResult[Any]:
        """Which predicates make key frames, and all constants of the profile that applies."""
        return _report("gating_config", context.partition_key)

    @dg.asset(
        partitions_def=p.of("variant_config"), group_name=GROUP, code_version="1", kinds={"yaml"}
    )
    def variant_config(context: dg.AssetExecutionContext) -> dg.MaterializeResult[Any]:
        """One named setting of camera, renderer, robot appearance and gating."""
        return _report("variant_config", context.partition_key)

    @dg.asset(group_name=GROUP, code_version="1", kinds={"yaml"})
    def question_config() -> dg.MaterializeResult[Any]:
        """How many questions are written and asked, their wording and their seed."""
        return _report("question_config", None)

    return [gating_config, variant_config, question_config]
