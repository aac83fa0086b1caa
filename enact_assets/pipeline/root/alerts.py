"""Sends alerts about failures, as set in `alerts.yaml` of the data root or in environment
variables.

Without such a setting no alert is sent. A webhook gets JSON, whose ``text`` chat services show; a
command gets the same text as its input.
"""

import http.client
import json
import os
import shlex
import subprocess
import urllib.error
import urllib.request
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlsplit

import msgspec

from enact_assets.engine.errors import AlertError, SettingsError
from enact_assets.engine.plurals import counted
from enact_assets.pipeline.root.root_files import read_root_file
from enact_assets.settings.paths import ALERTS_FILE

WEBHOOK_VARIABLE, COMMAND_VARIABLE = "ENACT_ALERT_WEBHOOK", "ENACT_ALERT_COMMAND"
WAIT_S = 20.0
"""Time limit for the response of a webhook, and for a command."""
MOST_SHOWN = 10


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
