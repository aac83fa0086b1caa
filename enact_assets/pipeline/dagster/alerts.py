"""Alerts about failed runs and checks, to the receivers in `alerts.yaml` of the data root or in
environment variables; without such a setting no alert is sent.

One message covers all failures since the last tick. When a full disk fails a hundred runs,
Dagster's own hooks would send a hundred messages. A webhook gets JSON, whose ``text`` chat services
show; a command gets the same text as its input.
"""

import http.client
import json
import os
import shlex
import subprocess
import urllib.error
import urllib.request
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import dagster as dg
import msgspec

from enact_assets.engine import errors
from enact_assets.engine.errors import AlertError, SettingsError
from enact_assets.engine.ids import content_sha
from enact_assets.engine.plurals import counted
from enact_assets.pipeline.runs.ranges import PARTITION_TAG
from enact_assets.pipeline.runs.reported import last_event_id
from enact_assets.pipeline.runs.resources import DataResource
from enact_assets.settings.paths import ALERTS_FILE
from enact_assets.settings.root_files import read_root_file

WEBHOOK_VARIABLE, COMMAND_VARIABLE = "ENACT_ALERT_WEBHOOK", "ENACT_ALERT_COMMAND"
WAIT_S = 20.0
"""Time limit for the response of a webhook, and for a command."""
MOST_SHOWN = 10
EVERY_S = 60
MOST_CHARACTERS = 500
AT_ONCE = 100
WILL_RETRY_TAG = "dagster/will_retry"


class Alerts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``webhook`` is an http(s) URL, ``command`` a command line (no shell); with ``warnings``,
    failed checks of severity warning are sent, too.
    """

    webhook: str | None = None
    command: str | None = None
    warnings: bool = False

    @property
    def is_on(self) -> bool:
        """Whether alerts are sent."""
        return self.webhook is not None or self.command is not None


class Failure(msgspec.Struct, frozen=True):
    """Failure of a run or a check: its name, its message, and the id of its run (empty without
    one).
    """

    kind: str
    name: str
    says: str
    run_id: str


def read_alerts(root: Path) -> Alerts:
    """Alerts from `alerts.yaml` of ``root``; environment variables have priority.

    Errors: :class:`SettingsError` names the file or variable, but never a webhook, which is secret.
    """
    path = root / ALERTS_FILE
    advice = (
        "It may have `webhook` (a URL), `command` (a command line) and `warnings` (true or false)."
    )
    found = read_root_file(path, Alerts, advice) or Alerts()
    given = {"webhook": WEBHOOK_VARIABLE, "command": COMMAND_VARIABLE}
    values = {name: os.environ.get(variable) or None for name, variable in given.items()}
    where = {n: given[n] if values[n] else f"{path}: {n}" for n in given}
    found = msgspec.structs.replace(found, **{n: v for n, v in values.items() if v is not None})
    if found.webhook is not None and not _is_web_address(found.webhook):
        raise SettingsError(f"{where['webhook']} is no http(s) URL. Correct or remove it.")
    if found.command is not None:
        try:
            words = shlex.split(found.command)
        except ValueError as error:
            raise SettingsError(f"{where['command']}: {error}. Correct or remove it.") from error
        if not words:
            raise SettingsError(f"{where['command']} is empty. Name a program, or remove it.")
    return found


def _is_web_address(text: str) -> bool:
    try:
        url = urlsplit(text)
        is_whole = url.scheme in {"http", "https"} and bool(url.hostname) and url.port != 0
    except ValueError:  # such as an unclosed bracket, or a port that is not a number
        return False
    # Python's client would refuse other characters only when sending, and show the secret address.
    return is_whole and text.isascii() and text.isprintable() and " " not in text


def alert_text(root: Path, failures: Sequence[Failure]) -> str:
    """Text of an alert: the number of failures, then a line for each of the first ten."""
    lines = [f"enact_assets, {root}: {counted(len(failures), 'failure')}"]
    lines += [f"{f.kind} {f.name}: {f.says}" for f in failures[:MOST_SHOWN]]
    if len(failures) > MOST_SHOWN:
        lines.append(f"and {len(failures) - MOST_SHOWN} more")
    return "\n".join(lines)


def send(alerts: Alerts, root: Path, failures: Sequence[Failure]) -> None:
    """Send an alert about ``failures``, by webhook and by command; both are tried even if one
    fails.

    Errors: :class:`AlertError` says which of them failed, and why.
    """
    text, problems = alert_text(root, failures), list[str]()
    if alerts.webhook is not None:
        shown = failures[:MOST_SHOWN]
        body = {"text": text, "n_failures": len(failures), "failures": msgspec.to_builtins(shown)}
        problems += _post(alerts.webhook, json.dumps(body).encode())
    if alerts.command is not None:
        problems += _run(alerts.command, text)
    if problems:
        raise AlertError(
            f"{counted(len(failures), 'failure')} could not be reported: {'; '.join(problems)}. "
            "Another attempt follows at the next tick."
        )


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Refuses redirects, so that alerts go only to the given address."""

    def redirect_request(self, *_: object, **__: object) -> None:
        """Return None, so that no request is made."""


def _post(url: str, body: bytes) -> list[str]:
    """Problems of sending; empty if the receiver accepted the alert. Path and query of ``url`` are
    secret.
    """
    host = urlsplit(url).hostname
    request = urllib.request.Request(url, body, {"Content-Type": "application/json"})  # noqa: S310
    try:
        with urllib.request.build_opener(_NoRedirect).open(request, timeout=WAIT_S):
            return []
    except urllib.error.HTTPError as error:
        return [f"the webhook at {host} answered {error.code}"]
    except (OSError, http.client.HTTPException) as error:
        return [f"the webhook at {host} cannot be reached ({_reason(error)})"]


def _reason(error: Exception) -> object:
    said = getattr(error, "reason", None) or getattr(error, "strerror", None)
    return said or type(error).__name__


def _run(command: str, text: str) -> list[str]:
    """Problems of the command; empty if it ended with exit code 0."""
    words = shlex.split(command)
    try:
        ended = subprocess.run(  # noqa: S603 - the command of whoever runs this
            words, input=text, text=True, capture_output=True, timeout=WAIT_S, check=False
        )
    except OSError as error:
        return [f"{words[0]} cannot be started ({error.strerror})"]
    except subprocess.TimeoutExpired:
        return [f"{words[0]} did not end within {WAIT_S:.0f} s"]
    said = ended.stderr.strip().rpartition("\n")[2]
    why = f": {said[:200]}" if said else ""
    return [] if ended.returncode == 0 else [f"{words[0]} ended with {ended.returncode}{why}"]


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
