"""Jobs for the launchpad and for backfills; steps name their job."""

from typing import Any

import dagster as dg

from enact_assets.pipeline.dagster.up_to_date import up_to_date
from enact_assets.pipeline.lineage.graph import ROOTS
from enact_assets.pipeline.runs.running import CHECK_JOB, assets_of_jobs


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


def all_jobs() -> list[Any]:
    """Jobs that make assets, and the job that evaluates the up_to_date checks."""
    about = "Evaluates the up_to_date check of each asset."
    check = dg.define_asset_job(
        CHECK_JOB, selection=dg.AssetSelection.checks(up_to_date), description=about
    )
    return [*asset_jobs(), check]
