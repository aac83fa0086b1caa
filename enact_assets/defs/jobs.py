"""Jobs: one per partition set, in the order data flows, for the launchpad and for backfills."""

from typing import Any

import dagster as dg

from enact_assets.defs.checks import sql_check_specs
from enact_assets.defs.job_assets import CHECK_JOB, JOBS
from enact_assets.defs.up_to_date import up_to_date
from enact_assets.lineage.pipeline import WAREHOUSE


def all_jobs() -> list[Any]:
    """The jobs; their partitions are those of their assets."""
    sql_checks = dg.AssetSelection.checks(*(spec.key for spec in sql_check_specs()))
    jobs = []
    for name, description, keys in JOBS:
        # Without up_to_date, which would read the whole lake in each run of a backfill.
        selection: Any = dg.AssetSelection.assets(*keys).without_checks()
        if WAREHOUSE in keys:
            selection |= sql_checks
        jobs.append(dg.define_asset_job(name, selection=selection, description=description))
    about = "Ask the plan whether each asset is up to date; the answers are checks of the assets."
    check = dg.define_asset_job(
        CHECK_JOB, selection=dg.AssetSelection.checks(up_to_date), description=about
    )
    return [*jobs, check]
