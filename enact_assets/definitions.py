"""Entry point of the Dagster code location: what `workspace.yaml` loads."""

import dagster as dg

from enact_assets.contracts.registry import Registry, load_registry
from enact_assets.defs.assets import all_assets
from enact_assets.defs.jobs import all_jobs
from enact_assets.defs.partitions import Partitions
from enact_assets.defs.resources import DataResource
from enact_assets.defs.sensors import registered_partitions


def build_definitions(
    registry: Registry | None = None, data: DataResource | None = None
) -> dg.Definitions:
    """All assets, jobs, sensors and resources for one registry and data root."""
    partitions = Partitions(registry or load_registry())
    return dg.Definitions(
        assets=all_assets(partitions),
        jobs=all_jobs(),
        sensors=[registered_partitions],
        resources={"data": data or DataResource()},
        # A process per step costs seconds; most steps take hundredths of one.
        executor=dg.in_process_executor,
    )


defs = build_definitions()
