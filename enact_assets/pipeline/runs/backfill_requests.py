"""Removes checks from the runs that a backfill requests.

For a list of partitions, Dagster's daemon requests one run, which names every check of its assets.
The code server leaves out checks that are about more than the assets of the run
(``dagster/asset_runs.py``), and then the daemon aborts the backfill: "Failed to target asset
selection". If a request names no checks, the code server selects them. The daemon is Dagster's, and
loads only those modules of ours that ``dagster.yaml`` names: our storages import this module, and
the values for Kubernetes, where the chart has its own storages, name :class:`QueuedRuns`.
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
    """Dagster's own queue in this module, so that the daemon loads the module before any
    backfill.
    """


def _without_checks(*arguments: Any, **others: Any) -> list[dg.RunRequest]:
    return [
        request.with_replaced_attrs(asset_check_keys=None)
        for request in _requests(*arguments, **others)
    ]


setattr(asking, _NAME, _without_checks)
# The daemon has already imported the function by its name when it opens the instance.
if (_backfills := sys.modules.get("dagster._core.execution.asset_backfill")) is not None:
    setattr(_backfills, _NAME, _without_checks)
