"""Config roots: their data version is the hash of a resolved registry entry.

A changed setting changes exactly one partition of one root; partitions downstream of it become
stale.
"""

import inspect
from collections.abc import Iterator
from typing import Any

import dagster as dg

from enact_assets.engine.grids import Partition
from enact_assets.engine.parameters import SETTINGS, Setting
from enact_assets.pipeline.dagster.labels import OWNERS, as_markdown, tags_of
from enact_assets.pipeline.dagster.partitions import Partitions
from enact_assets.pipeline.lineage.versions import reported_settings, root_version
from enact_assets.pipeline.runs.failures import said_first
from enact_assets.pipeline.runs.making import makes_several, partition_of_run
from enact_assets.pipeline.runs.range_making import tell, without_event
from enact_assets.pipeline.runs.reported import SETTINGS as SETTINGS_KEY
from enact_assets.settings.registry import load_registry

GROUP = "config"


def _report(asset: str, partition: str | None) -> dg.MaterializeResult[Any]:
    registry, names = load_registry(), Partition.of_key(partition)
    settings = reported_settings(registry, asset, names)
    return dg.MaterializeResult(
        data_version=dg.DataVersion(root_version(registry, asset, names)),
        metadata={SETTINGS_KEY: dg.MetadataValue.json(settings)},
    )


def settings_assets(p: Partitions) -> list[dg.AssetsDefinition]:
    """One asset for each settings type of the registry that steps use, described by its
    docstring.
    """
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
        backfill_policy=dg.BackfillPolicy.single_run(),
    )
    def entry(context: dg.AssetExecutionContext) -> Iterator[dg.MaterializeResult[Any]]:
        with said_first(context):
            if makes_several(context):
                for key in context.partition_keys:
                    tell(context, setting.root, key, _report(setting.root, key))
                yield without_event(setting.root)
            else:
                yield _report(setting.root, partition_of_run(context).key)

    return entry
