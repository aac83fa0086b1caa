"""Entry point of the Dagster code location: what `workspace.yaml` loads."""

import dagster as dg

from enact_assets.contracts.registry import Registry, load_registry
from enact_assets.defs.assets import all_assets
from enact_assets.defs.automation import automation_sensor
from enact_assets.defs.jobs import all_jobs
from enact_assets.defs.partitions import Partitions
from enact_assets.defs.resources import DataResource
from enact_assets.defs.schedules import every_quarter, nightly
from enact_assets.defs.sensors import changed_sources, registered_partitions
from enact_assets.defs.up_to_date import up_to_date


def build_definitions(
    registry: Registry | None = None, data: DataResource | None = None
) -> dg.Definitions:
    """All assets, checks, jobs, automation and resources for one registry and data root."""
    partitions = Partitions(registry or load_registry())
    return dg.Definitions(
        assets=all_assets(partitions),
        jobs=all_jobs(),
        asset_checks=[up_to_date],
        sensors=[registered_partitions, changed_sources, automation_sensor()],
        schedules=[every_quarter, nightly],
        resources={"data": data or DataResource()},
        # A process per step costs seconds; most steps take hundredths of one.
        executor=dg.in_process_executor,
    )


defs = build_definitions()
