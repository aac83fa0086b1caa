"""Everything that Dagster loads, built for a registry and a data root."""

import warnings
from pathlib import Path
from typing import Any

import dagster as dg

from enact_assets.engine.planning.shards import Shards
from enact_assets.pipeline.dagster.alerts import alerts_sensor
from enact_assets.pipeline.dagster.automation import automation_sensor
from enact_assets.pipeline.dagster.batch_collection import collect_batches, hourly_batches
from enact_assets.pipeline.dagster.checks import sql_checks
from enact_assets.pipeline.dagster.lake_rows import LAKE_ROWS, LakeRows
from enact_assets.pipeline.dagster.partitions import Partitions
from enact_assets.pipeline.dagster.sensors import changed_sources, lost_runs, registered_partitions
from enact_assets.pipeline.dagster.table_assets import settings_assets, table_assets
from enact_assets.pipeline.dagster.up_to_date import every_quarter, up_to_date
from enact_assets.pipeline.dagster.warehouse_asset import report_asset, warehouse_asset
from enact_assets.pipeline.lineage.graph import ROOTS
from enact_assets.pipeline.root.partitions_file import read_shards
from enact_assets.pipeline.root.scope import scoped_registry
from enact_assets.pipeline.runs.resources import DataResource
from enact_assets.pipeline.runs.running import CHECK_JOB, assets_of_jobs
from enact_assets.questions.world.step_files import world_sources
from enact_assets.settings.registry import Registry

check_freshness = dg.define_asset_job(
    CHECK_JOB,
    selection=dg.AssetSelection.checks(up_to_date),
    description="Evaluates the up_to_date check of each asset.",
)


def asset_jobs() -> list[Any]:
    """The jobs that make assets; a job has the partitions of its assets."""
    jobs = []
    for name, keys in assets_of_jobs().items():
        about = f"{'Refreshes' if keys[0] in ROOTS else 'Makes'} {', '.join(keys)}."
        if len(keys) > 1:
            about += " It makes all of them, even if rows do not change."
        selection = dg.AssetSelection.assets(*keys).without_checks()
        jobs.append(dg.define_asset_job(name, selection=selection, description=about))
    return jobs


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
        jobs=[*asset_jobs(), check_freshness, collect_batches],
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
