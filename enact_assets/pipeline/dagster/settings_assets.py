"""Config roots: their data version is the hash of a resolved registry entry.

A changed setting makes exactly one partition of one root new; what lies downstream of it follows.
"""

import inspect
from typing import Any

import dagster as dg

from enact_assets.engine.graph import partition_tuple
from enact_assets.engine.parameters import SETTINGS, Setting
from enact_assets.pipeline.dagster.labels import OWNERS, as_markdown, tags_of
from enact_assets.pipeline.dagster.partitions import Partitions
from enact_assets.pipeline.lineage.versions import root_version, settings_as_told
from enact_assets.pipeline.runs.failures import said_first
from enact_assets.pipeline.runs.reported import SETTINGS as SETTINGS_KEY
from enact_assets.settings.registry import load_registry

GROUP = "config"


def _report(asset: str, partition: str | None) -> dg.MaterializeResult[Any]:
    registry, names = load_registry(), partition_tuple(partition)
    settings = settings_as_told(registry, asset, names)
    return dg.MaterializeResult(
        data_version=dg.DataVersion(root_version(registry, asset, names)),
        metadata={SETTINGS_KEY: dg.MetadataValue.json(settings)},
    )


def settings_assets(p: Partitions) -> list[dg.AssetsDefinition]:
    """One asset for each part of the registry that steps ask for, described by its settings."""
    return [_asset(p, setting) for setting in SETTINGS.values()]


def _asset(p: Partitions, setting: Setting) -> dg.AssetsDefinition:
    @dg.asset(
        name=setting.root,
        description=as_markdown(inspect.getdoc(setting.kind) or ""),
        partitions_def=p.of(setting.root),
        group_name=GROUP,
        code_version="1",
        kinds={"yaml"},
        owners=OWNERS,
        tags=tags_of(setting.root, "setting"),
    )
    def entry(context: dg.AssetExecutionContext) -> dg.MaterializeResult[Any]:
        key = context.partition_key if context.has_partition_key else None
        with said_first(context):
            return _report(setting.root, key)

    return entry
