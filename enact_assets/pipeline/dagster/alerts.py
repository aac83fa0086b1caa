"""Alerts about failed runs and checks, to the receivers in `alerts.yaml` of the data root.

One message covers all failures since the last tick. When a full disk fails a hundred runs,
Dagster's own hooks would send a hundred messages.
"""

import json
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

import dagster as dg

from enact_assets.engine import errors
from enact_assets.engine.ids import content_sha
from enact_assets.engine.plurals import counted
from enact_assets.pipeline.root.alerts import Alerts, Failure, read_alerts, send
from enact_assets.pipeline.runs.ranges import PARTITION_TAG
from enact_assets.pipeline.runs.reported import last_event_id
from enact_assets.pipeline.runs.resources import DataResource
from enact_assets.settings.paths import ALERTS_FILE

EVERY_S = 60
MOST_CHARACTERS = 500
AT_ONCE = 100
WILL_RETRY_TAG = "dagster/will_retry"


@dg.sensor(
    name="alerts",
    description="Reports failed runs and checks by webhook or command, as set in alerts.yaml of "
    "the data root; off without it. A run that is retried is reported when the last attempt fails.",
    minimum_interval_seconds=EVERY_S,
    default_status=dg.DefaultSensorStatus.RUNNING,
    target=None,
)
def alerts_sensor(context: dg.SensorEvaluationContext, data: DataResource) -> dg.SensorResult:
    """Report failures since the last tick. The first tick reports nothing, as earlier failures are
    known.

    Errors: those of :func:`read_alerts` and :func:`send`; the same failures are then reported
    again.
    """
    root, instance = Path(data.root), context.instance
    alerts = read_alerts(root)
    if not alerts.is_on:
        return dg.SensorResult(skip_reason=f"off: no receiver is set in {ALERTS_FILE}", cursor="")
    before = json.loads(context.cursor) if context.cursor else None
    now = last_event_id(instance)
    if before is not None and before["until"] == now:
        return dg.SensorResult(skip_reason="nothing happened", cursor=context.cursor)
    graph = context.repository_def.asset_graph if context.repository_def else None
    failing = dict(_failing_checks(instance, graph.asset_check_keys if graph else (), alerts))
    failures = []
    if before is not None:
        failures = list(_failed_runs(instance, before["until"], now))
        for name, (says, run_id) in failing.items():
            if before["failing"].get(name) != content_sha(says):
                failures.append(Failure("check", name, says, run_id))
    if failures:
        send(alerts, root, failures)
    result = f"reported {counted(len(failures), 'failure')}" if failures else "nothing failed"
    known = {name: content_sha(says) for name, (says, _) in failing.items()}
    return dg.SensorResult(
        skip_reason=result if before is not None else "watching from now on",
        cursor=json.dumps({"until": now, "failing": known}),
    )


def _failed_runs(instance: dg.DagsterInstance, after: int, until: int) -> Iterator[Failure]:
    """Runs that failed after event ``after``, in order, without those that Dagster retries."""
    wanted = dg.RunStatusChangeRecordsFilter(
        dg.DagsterEventType.RUN_FAILURE, after_storage_id=after
    )
    cursor, has_more = None, True
    while has_more:
        found = instance.fetch_run_status_changes(wanted, AT_ONCE, cursor, ascending=True)
        cursor, has_more = found.cursor, found.has_more
        for record in found.records:
            run = instance.get_run_by_id(record.run_id)
            is_over = run is not None and run.tags.get(WILL_RETRY_TAG) != "true"
            if run is not None and is_over and record.storage_id <= until:
                name = f"{run.job_name} {run.tags.get(PARTITION_TAG, '')}".strip()
                yield Failure("run", name, _why(record.event_log_entry.dagster_event), run.run_id)


def _failing_checks(
    instance: dg.DagsterInstance, keys: Collection[dg.AssetCheckKey], alerts: Alerts
) -> Iterator[tuple[str, tuple[str, str]]]:
    """Checks whose last result is a failure: name -> message, and the id of the run."""
    found = instance.event_log_storage.get_latest_asset_check_execution_by_key(list(keys))
    for key, record in sorted(found.items(), key=lambda item: str(item[0])):
        event = record.event.dagster_event if record.event is not None else None
        result = event.event_specific_data if event is not None else None
        if not isinstance(result, dg.AssetCheckEvaluation) or result.passed:
            continue
        if alerts.warnings or result.severity == dg.AssetCheckSeverity.ERROR:
            says = _first_words(result.description or "failed")
            yield f"{key.asset_key.to_user_string()}: {key.name}", (says, record.run_id)


def _why(event: dg.DagsterEvent | None) -> str:
    """Message of the first failed step, or why the run failed without one."""
    if event is None:
        return "failed"
    data: Any = event.event_specific_data
    step = getattr(data, "first_step_failure_event", None)
    if step is None:
        return _first_words(event.message or "failed")
    failure = step.event_specific_data
    given = failure.user_failure_data
    if given is not None and given.description:
        return _first_words(given.description)
    error = failure.error
    while error is not None and error.cause is not None:
        error = error.cause
    if error is None:
        return _first_words(step.message)
    is_ours = hasattr(
        errors, str(error.cls_name)
    )  # an error of this package: its message needs no class name
    return _first_words(error.message.split(": ", 1)[-1] if is_ours else error.message)


def _first_words(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= MOST_CHARACTERS else f"{words[:MOST_CHARACTERS]} ..."
