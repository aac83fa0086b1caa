"""Limits a run of some assets to whole steps, without checks of other assets.

In Dagster a check is part of every run that makes its asset, whether the UI, a backfill or
``dagster asset materialize`` started it, and there is no option to change that. Part of a step is
refused, except in the UI, which adds the rest. This module replaces the function of Dagster that
selects the assets and checks of a run.
"""

from typing import Any

import dagster as dg
from dagster._core.definitions.assets.job import asset_job

_left_out: set[dg.AssetCheckKey] = set()
_pick = asset_job.get_asset_graph_for_job


def left_out_of_asset_runs(checks: dg.AssetChecksDefinition) -> dg.AssetChecksDefinition:
    """A decorator: ``checks`` are evaluated alone, and by jobs that select them, but not in runs of
    assets.
    """
    _left_out.update(checks.check_keys)
    return checks


def _pick_whole_steps(graph: Any, selection: dg.AssetSelection, **others: Any) -> Any:
    if assets := selection.resolve(graph):
        whole = {key for asset in assets for key in graph.get(asset).execution_set_asset_keys}
        selection |= dg.AssetSelection.assets(*whole).without_checks()
        selection -= dg.AssetSelection.checks(*(_left_out & graph.asset_check_keys))
    return _pick(graph, selection, **others)


setattr(asset_job, "get_asset_graph_for_job", _pick_whole_steps)  # noqa: B010 - a function
