"""Runs that make assets leave out checks that are about more than what the run makes.

To Dagster a check is part of every run that makes its asset, started by the UI, by a backfill or by
``dagster asset materialize``, and there is no way to say otherwise. One function of Dagster's is
replaced: it picks the part of a job that a run is to make, and leaves such checks out of parts with
assets now.
"""

from typing import Any

import dagster as dg
from dagster._core.definitions.assets.job import asset_job

_left_out: set[dg.AssetCheckKey] = set()
_pick = asset_job.get_asset_graph_for_job


def left_out_of_asset_runs(checks: dg.AssetChecksDefinition) -> dg.AssetChecksDefinition:
    """A decorator: ``checks`` are evaluated by themselves and by jobs that name them only."""
    _left_out.update(checks.check_keys)
    return checks


def _pick_without(graph: Any, selection: dg.AssetSelection, **others: Any) -> Any:
    known = _left_out & graph.asset_check_keys
    if known and selection.resolve(graph):
        selection -= dg.AssetSelection.checks(*known)
    return _pick(graph, selection, **others)


setattr(asset_job, "get_asset_graph_for_job", _pick_without)  # noqa: B010 - a function
