"""Everything that Dagster loads, built for a registry and a data root."""

from pathlib import Path

import dagster as dg

from enact_assets.contracts.registry import Registry
from enact_assets.data_root.partitions_file import read_shards
from enact_assets.data_root.scope import scoped_registry
from enact_assets.defs.automation import automation_sensor
from enact_assets.defs.batch_collection import collect_batches, hourly_batches
from enact_assets.defs.jobs import all_jobs, asset_jobs
from enact_assets.defs.mart_assets import mart_assets
from enact_assets.defs.partitions import Partitions
from enact_assets.defs.report_asset import report_asset
from enact_assets.defs.schedules import every_quarter, nightly
from enact_assets.defs.sensors import changed_sources, lost_runs, registered_partitions
from enact_assets.defs.settings_assets import settings_assets
from enact_assets.defs.table_assets import table_assets
from enact_assets.defs.up_to_date import up_to_date
from enact_assets.defs.warehouse_asset import warehouse_asset
from enact_assets.engine.planning.shards import Shards
from enact_assets.runs.resources import DataResource


def build_definitions(
    registry: Registry | None = None,
    data: DataResource | None = None,
    shards: Shards | None = None,
    *,
    for_steps: bool = False,
) -> dg.Definitions:
    """All assets, checks, jobs, automation and resources for one registry and data root.

    Without a ``registry`` it is the one in force, within the scope of the data root, and shards
    are those of the data root.
    With ``for_steps`` only what a step needs: assets, the checks that are part of them, their jobs,
    resources.
    """
    data = data or DataResource()
    if registry is None:
        root = Path(data.root)
        registry, shards = scoped_registry(root), read_shards(root)
    partitions = Partitions(registry, shards)
    assets = [
        *settings_assets(partitions),
        *table_assets(partitions),
        warehouse_asset(partitions),
        report_asset(partitions),
    ]
    resources = {"data": data}
    if for_steps:
        return dg.Definitions(assets=assets, jobs=asset_jobs(), resources=resources)
    return dg.Definitions(
        assets=[*assets, *mart_assets()],
        jobs=[*all_jobs(), collect_batches],
        asset_checks=[up_to_date],
        sensors=[registered_partitions, changed_sources, lost_runs, automation_sensor()],
        schedules=[every_quarter, nightly, hourly_batches],
        resources=resources,
        # A process per step costs seconds; most steps take hundredths of one.
        executor=dg.in_process_executor,
    )
