"""Runs that a backfill asks for: they name no checks.

For a list of partitions Dagster's daemon asks for one run, which names every check of its assets.
The code server leaves out those that are about more than the run makes (``dagster/asset_runs.py``),
and then the daemon gives up the backfill: "Failed to target asset selection". Where a request names
no check, the code server picks them. The daemon is Dagster's own, and loads of ours what
``dagster.yaml`` names: our storages import this module, and the values for Kubernetes, where the
chart has its own storages, name :class:`QueuedRuns`.
"""

import sys
from collections.abc import Callable, Sequence
from typing import Any

import dagster as dg
from dagster._core.definitions import automation_tick_evaluation_context as asking
from dagster._core.run_coordinator.queued_run_coordinator import QueuedRunCoordinator

_NAME = "build_run_requests_with_backfill_policies"
_requests: Callable[..., Sequence[dg.RunRequest]] = getattr(asking, _NAME)


class QueuedRuns(QueuedRunCoordinator):
    """Dagster's own queue, in a module of ours: the daemon loads it before any backfill."""


def _without_checks(*arguments: Any, **others: Any) -> list[dg.RunRequest]:
    return [
        request.with_replaced_attrs(asset_check_keys=None)
        for request in _requests(*arguments, **others)
    ]


setattr(asking, _NAME, _without_checks)
# The daemon has imported the function by its name before it opens the instance.
if (_backfills := sys.modules.get("dagster._core.execution.asset_backfill")) is not None:
    setattr(_backfills, _NAME, _without_checks)
