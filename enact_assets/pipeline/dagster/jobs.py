"""Jobs for the launchpad and for backfills: each makes the steps that name it."""

from typing import Any

import dagster as dg

from enact_assets.pipeline.dagster.checks import sql_check_specs
from enact_assets.pipeline.dagster.up_to_date import up_to_date
from enact_assets.pipeline.lineage.graph import ROOTS, WAREHOUSE
from enact_assets.pipeline.runs.running import CHECK_JOB, assets_of_jobs


def asset_jobs() -> list[Any]:
    """The jobs that make assets; their partitions are those of their assets."""
    sql_checks = dg.AssetSelection.checks(*(spec.key for spec in sql_check_specs()))
    jobs = []
    for name, keys in assets_of_jobs().items():
        # Without up_to_date, which would read the whole lake in each run of a backfill.
        selection: Any = dg.AssetSelection.assets(*keys).without_checks()
        if WAREHOUSE in keys:
            selection |= sql_checks
        kind = "Refreshes" if keys[0] in ROOTS else "Makes"
        about = f"{kind} {', '.join(keys)}."
        if len(keys) > 1:
            about += " It makes all of them, whether or not rows come out as they were."
        jobs.append(dg.define_asset_job(name, selection=selection, description=about))
    return jobs


def all_jobs() -> list[Any]:
    """Jobs that make assets, and the one that evaluates the up_to_date checks."""
    about = "Evaluates the up_to_date check of each asset."
    check = dg.define_asset_job(
        CHECK_JOB, selection=dg.AssetSelection.checks(up_to_date), description=about
    )
    return [*asset_jobs(), check]
