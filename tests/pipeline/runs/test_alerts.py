"""Failed runs and checks are told, once each, by webhook and command."""

import json
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import dagster as dg
import pytest

from enact_assets.engine.errors import AlertError, MaterializationError, SettingsError
from enact_assets.pipeline.dagster.alerts import (
    Alerts,
    Failure,
    alert_text,
    alerts_sensor,
    read_alerts,
    send,
)
from enact_assets.pipeline.runs.resources import DataResource

MATERIALIZE = "__ephemeral_asset_job__"
"""Dagster's name for the job of ``dg.materialize``."""
ERROR = dg.AssetCheckSeverity.ERROR


class Receiver:
    """A web server that keeps what it is sent, and answers ``status``."""

    def __init__(self) -> None:
        self.told: list[dict[str, object]] = []
        self.status = 200
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                receiver.told.append(
                    json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                )
                self.send_response(receiver.status)
                self.send_header("Location", "/elsewhere")
                self.end_headers()

            def log_message(self, *_: object) -> None:
                """Nothing."""

        self._server = HTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/hook/secret-1"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    found = Receiver()
    yield found
    found.close()


@pytest.fixture
def instance() -> Iterator[dg.DagsterInstance]:
    with dg.DagsterInstance.ephemeral() as found:
        yield found


@dg.asset(partitions_def=dg.StaticPartitionsDefinition(["pour-0"]))
def poured() -> None:
    """An asset that fails."""
    raise MaterializationError("pour-0: 3 facts are missing. Import it again.")


@dg.asset
def counted() -> None:
    """An asset with a check."""


def checked(passed: bool, severity: dg.AssetCheckSeverity, says: str) -> dg.AssetChecksDefinition:
    @dg.asset_check(asset="counted", name="adds_up")
    def check() -> dg.AssetCheckResult:
        return dg.AssetCheckResult(passed=passed, severity=severity, description=says)

    return check


def look(root: Path, instance: dg.DagsterInstance, cursor: str | None) -> tuple[str, str]:
    data = DataResource(root=str(root))
    definitions = dg.Definitions([counted], asset_checks=[checked(True, ERROR, "")])
    with dg.build_sensor_context(
        instance=instance, cursor=cursor, resources={"data": data}, definitions=definitions
    ) as context:
        found = alerts_sensor(context)
    assert isinstance(found, dg.SensorResult)
    assert found.cursor is not None
    assert isinstance(found.skip_reason, dg.SkipReason)
    return found.cursor, str(found.skip_reason.skip_message)


def fail(instance: dg.DagsterInstance, tags: dict[str, str] | None = None) -> None:
    dg.materialize(
        [poured], partition_key="pour-0", instance=instance, raise_on_error=False, tags=tags
    )


def check(
    instance: dg.DagsterInstance, says: str, *, passed: bool = False, is_error: bool = True
) -> None:
    severity = ERROR if is_error else dg.AssetCheckSeverity.WARN
    dg.materialize(
        [counted, checked(passed, severity, says)], instance=instance, raise_on_error=False
    )


def test_nobody_is_told_of_what_failed_before_somebody_was_named(
    tmp_path: Path, instance: dg.DagsterInstance, receiver: Receiver
) -> None:
    fail(instance)
    check(instance, "2 rows offend")
    cursor, said = look(tmp_path, instance, None)
    assert (cursor, said) == ("", "off: no receiver is set in alerts.yaml")
    (tmp_path / "alerts.yaml").write_text(f"webhook: {receiver.url}\n")
    cursor, said = look(tmp_path, instance, cursor)
    assert said == "watching from now on"
    assert look(tmp_path, instance, cursor)[1] == "nothing happened"
    fail(instance)
    assert look(tmp_path, instance, cursor)[1] == "reported 1 failure"
    assert len(receiver.told) == 1


def test_failures_are_told_together_and_once(
    tmp_path: Path, instance: dg.DagsterInstance, receiver: Receiver
) -> None:
    (tmp_path / "alerts.yaml").write_text(f"webhook: {receiver.url}\n")
    cursor, said = look(tmp_path, instance, None)
    assert said == "watching from now on"
    fail(instance)
    fail(instance, {"dagster/will_retry": "true"})
    check(instance, "2 rows offend")
    cursor, said = look(tmp_path, instance, cursor)
    assert said == "reported 2 failures"
    (told,) = receiver.told
    assert told["n_failures"] == 2
    assert str(told["text"]).splitlines()[1:] == [
        f"run {MATERIALIZE} pour-0: pour-0: 3 facts are missing. Import it again.",
        "check counted: adds_up: 2 rows offend",
    ]
    check(instance, "2 rows offend")
    assert look(tmp_path, instance, cursor)[1] == "nothing failed"  # it fails as before
    check(instance, "3 rows offend")
    assert look(tmp_path, instance, cursor)[1] == "reported 1 failure"
    check(instance, "", passed=True)
    cursor, _ = look(tmp_path, instance, cursor)
    check(instance, "fewer rows than usual", is_error=False)
    assert look(tmp_path, instance, cursor)[1] == "nothing failed"
    check(instance, "2 rows offend")
    assert look(tmp_path, instance, cursor)[1] == "reported 1 failure"
    (tmp_path / "alerts.yaml").write_text(f"webhook: {receiver.url}\nwarnings: true\n")
    check(instance, "fewer rows than usual", is_error=False)
    assert look(tmp_path, instance, cursor)[1] == "reported 1 failure"


def test_what_could_not_be_told_is_told_again(
    tmp_path: Path, instance: dg.DagsterInstance, receiver: Receiver
) -> None:
    """A redirect is no answer: the text would go where nobody was named."""
    (tmp_path / "alerts.yaml").write_text(f"webhook: {receiver.url}\n")
    cursor, _ = look(tmp_path, instance, None)
    fail(instance)
    for status in (500, 302):
        receiver.status = status
        with pytest.raises(AlertError, match=rf"webhook at 127.0.0.1 answered {status}") as raised:
            look(tmp_path, instance, cursor)
        assert "secret" not in str(raised.value)
    receiver.status = 200
    assert look(tmp_path, instance, cursor)[1] == "reported 1 failure"
    assert len(receiver.told) == 3


def test_a_command_gets_the_text(tmp_path: Path) -> None:
    out = tmp_path / "mail.txt"
    script = f"import sys, pathlib; pathlib.Path({str(out)!r}).write_text(sys.stdin.read())"
    failures = [Failure("run", f"qa pour-{n}", "the disk is full", "") for n in range(12)]
    send(Alerts(command=f'{sys.executable} -c "{script}"'), tmp_path, failures)
    assert out.read_text() == alert_text(tmp_path, failures)
    lines = out.read_text().splitlines()
    assert (len(lines), lines[-1]) == (12, "and 2 more")
    with pytest.raises(AlertError, match="ended with 3: no such user"):
        send(
            Alerts(command=f"{sys.executable} -c \"import sys; print('no such user', file=sys."
                   "stderr); sys.exit(3)\""),
            tmp_path, failures,
        )  # fmt: skip
    with pytest.raises(AlertError, match="1 failure could not be reported: /no/mail cannot"):
        send(Alerts(command="/no/mail"), tmp_path, failures[:1])


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("webhook: ftp://host/secret", "webhook is no http"),
        ("webhook: http://[secret", "webhook is no http"),
        ("webhook: https://host:secret/a", "webhook is no http"),
        ("webhook: https://host/secret b", "webhook is no http"),
        ("webhok: x", "unknown field `webhok`"),
        ('command: "mail \'x"', "command: No closing quotation"),
        ("command: ''", "command is empty"),
        ("- a", "Expected `object`"),
    ],
)
def test_wrong_settings_are_named(tmp_path: Path, text: str, told: str) -> None:
    (tmp_path / "alerts.yaml").write_text(text)
    with pytest.raises(SettingsError, match=told) as raised:
        read_alerts(tmp_path)
    assert "alerts.yaml" in str(raised.value)
    assert "secret" not in str(raised.value)


def test_variables_come_before_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "alerts.yaml").write_text("command: mail a\nwarnings: true\n")
    monkeypatch.setenv("ENACT_ALERT_COMMAND", "mail b")
    monkeypatch.setenv("ENACT_ALERT_WEBHOOK", "https://chat/hook")
    assert read_alerts(tmp_path) == Alerts("https://chat/hook", "mail b", True)
    monkeypatch.setenv("ENACT_ALERT_WEBHOOK", "nonsense")
    with pytest.raises(SettingsError, match=r"^ENACT_ALERT_WEBHOOK is no http"):
        read_alerts(tmp_path)
