"""What a run makes that was asked for some assets: whole steps, and no check of more than them.

To Dagster a check is part of every run that makes its asset, started by the UI, by a backfill or by
``dagster asset materialize``, and there is no way to say otherwise. A part of a step is refused,
unless the UI asked for it, which adds the rest. One function of Dagster's is replaced, which picks
what a run makes of its job.
"""

from typing import Any

import dagster as dg
from dagster._core.definitions.assets.job import asset_job

_left_out: set[dg.AssetCheckKey] = set()
_pick = asset_job.get_asset_graph_for_job


def left_out_of_asset_runs(checks: dg.AssetChecksDefinition) -> dg.AssetChecksDefinition:
    """A decorator: ``checks`` are evaluated by themselves, and by jobs that name them only."""
    _left_out.update(checks.check_keys)
    return checks


def _pick_whole_steps(graph: Any, selection: dg.AssetSelection, **others: Any) -> Any:
    if assets := selection.resolve(graph):
        whole = {key for asset in assets for key in graph.get(asset).execution_set_asset_keys}
        selection |= dg.AssetSelection.assets(*whole).without_checks()
        selection -= dg.AssetSelection.checks(*(_left_out & graph.asset_check_keys))
    return _pick(graph, selection, **others)


setattr(asset_job, "get_asset_graph_for_job", _pick_whole_steps)  # noqa: B010 - a function
