"""Everything that Dagster loads, built for a registry and a data root."""

import warnings
from pathlib import Path

import dagster as dg

from enact_assets.engine.planning.shards import Shards
from enact_assets.pipeline.dagster.alerts import alerts_sensor
from enact_assets.pipeline.dagster.automation import automation_sensor
from enact_assets.pipeline.dagster.batch_collection import collect_batches, hourly_batches
from enact_assets.pipeline.dagster.checks import sql_checks
from enact_assets.pipeline.dagster.jobs import all_jobs, asset_jobs
from enact_assets.pipeline.dagster.lake_rows import LAKE_ROWS, LakeRows
from enact_assets.pipeline.dagster.partitions import Partitions
from enact_assets.pipeline.dagster.report_asset import report_asset
from enact_assets.pipeline.dagster.schedules import every_quarter
from enact_assets.pipeline.dagster.sensors import changed_sources, lost_runs, registered_partitions
from enact_assets.pipeline.dagster.settings_assets import settings_assets
from enact_assets.pipeline.dagster.table_assets import table_assets
from enact_assets.pipeline.dagster.up_to_date import up_to_date
from enact_assets.pipeline.dagster.warehouse_asset import warehouse_asset
from enact_assets.pipeline.root.partitions_file import read_shards
from enact_assets.pipeline.root.scope import scoped_registry
from enact_assets.pipeline.runs.resources import DataResource
from enact_assets.questions.world.step_files import world_sources
from enact_assets.settings.registry import Registry


def build_definitions(
    registry: Registry | None = None,
    data: DataResource | None = None,
    shards: Shards | None = None,
    *,
    for_steps: bool = False,
) -> dg.Definitions:
    """All assets, checks, jobs, automation and resources for one registry and data root.

    Without a ``registry``, the registry in force is used, limited to the scope of the data root,
    with the data root's shards.
    With ``for_steps``, only the definitions that a step needs are built: assets, their jobs,
    resources.
    """
    data = data or DataResource()
    if registry is None:
        root = Path(data.root)
        registry, shards = scoped_registry(root), read_shards(root)
    sources = world_sources(data.data_root.step_files)
    partitions = Partitions(registry.with_worlds(sources), shards)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dg.BetaWarning)  # backfill policies: pinned and tested
        assets = [
            *settings_assets(partitions),
            *table_assets(partitions),
            warehouse_asset(partitions),
            report_asset(partitions),
        ]
    resources = {"data": data, LAKE_ROWS: LakeRows(data=data)}
    if for_steps:
        return dg.Definitions(assets=assets, jobs=asset_jobs(), resources=resources)
    return dg.Definitions(
        assets=assets,
        jobs=[*all_jobs(), collect_batches],
        asset_checks=[up_to_date, sql_checks],
        sensors=[
            registered_partitions,
            changed_sources,
            lost_runs,
            alerts_sensor,
            automation_sensor(),
        ],
        schedules=[every_quarter, hourly_batches],
        resources=resources,
        # Steps run in one process: starting a process takes seconds, and most steps take
        # milliseconds.
        executor=dg.in_process_executor,
    )
