"""The Dagster UI answers its own pages and programs, not other web sites."""

import asyncio
import inspect
import json
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

import psutil
import pytest

from enact_assets.pipeline.ui.server import HOSTS_VARIABLE, UiGuard, allowed_hosts
from enact_assets.pipeline.ui.services import guarded_command

from reference.servers import free_port

Found = TypeVar("Found")

OURS = {"host": "localhost:3000"}
FOREIGN = {"origin": "https://evil.example", "sec-fetch-site": "cross-site"}


def answer(kind: str, method: str, target: str, headers: dict[str, str]) -> int:
    """Status of the reply to a request; 200 if it was passed on."""
    sent: list[dict[str, Any]] = []
    path, _, query = target.partition("?")

    async def inner(_scope: object, _receive: object, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200})

    async def receive() -> dict[str, Any]:
        return {"type": f"{kind}.connect"}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    scope = {
        "type": kind,
        "method": method,
        "path": path,
        "query_string": query.encode(),
        "headers": [(k.encode(), v.encode()) for k, v in headers.items()],
    }
    asyncio.run(UiGuard(inner, allowed_hosts())(scope, receive, send))
    return int(sent[0].get("status") or sent[0]["code"])


@pytest.mark.parametrize(
    ("method", "target", "headers", "status"),
    [
        ("GET", "/runs", {}, 200),
        ("GET", "/graphql", {}, 200),
        ("POST", "/graphql", {}, 200),
        ("POST", "/graphql", {"origin": "http://localhost:3000"}, 200),
        ("POST", "/graphql", {"sec-fetch-site": "same-origin"}, 200),
        ("GET", "/runs", {"host": "127.0.0.1:3000"}, 200),
        ("GET", "/runs", {"host": "[::1]:3000"}, 200),
        ("GET", "/runs", {"host": "lab.example:3000"}, 200),
        ("GET", "/runs", {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}, 200),
        ("GET", "/graphql?query=mutation", {}, 405),
        ("GET", "/graphql/?query=mutation", {}, 405),
        ("GET", "/runs", {"host": "evil.example:3000"}, 421),
        ("GET", "/runs", {"host": "localhost.evil.example"}, 421),
        ("GET", "/runs", {"host": "[nonsense"}, 421),
        ("GET", "/runs", {"host": ""}, 421),
        ("POST", "/graphql", FOREIGN, 403),
        ("POST", "/graphql", {"origin": "null"}, 403),
        ("POST", "/graphql", {"origin": "http://localhost:8000"}, 403),
        ("POST", "/report_asset_materialization/qa", {"sec-fetch-site": "same-site"}, 403),
        ("POST", "/graphql", {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}, 403),
        ("GET", "/runs", {"sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors"}, 403),
    ],
)
def test_requests_of_other_sites_are_refused(
    monkeypatch: pytest.MonkeyPatch, method: str, target: str, headers: dict[str, str], status: int
) -> None:
    monkeypatch.setenv(HOSTS_VARIABLE, "lab.example, other.example")
    assert answer("http", method, target, OURS | headers) == status


def test_web_sockets_of_other_sites_are_refused() -> None:
    """GraphQL is spoken there, too, and browsers send no preflight request for them."""
    own = {"origin": "http://localhost:3000"}
    assert answer("websocket", "", "/graphql", OURS | own) == 200
    assert answer("websocket", "", "/graphql", OURS | FOREIGN) == 1008
    assert answer("websocket", "", "/graphql", {"host": "evil.example"}) == 1008


def test_dagster_starts_our_web_server_and_code_server() -> None:
    """Without these names in Dagster, the UI would start unguarded, and live on without code."""
    from dagster._cli import dev
    from dagster._core.origin import get_python_environment_entry_point
    from dagster._grpc import server
    from dagster._grpc.constants import GrpcServerCommand
    from dagster_webserver import cli

    assert callable(cli.create_app_from_workspace_process_context)
    started = inspect.getsource(dev.dev_command_impl)
    assert (
        'open_ipc_subprocess(\n                [sys.executable, "-m", "dagster_webserver"]'
        in started
    )
    found = guarded_command([sys.executable, "-m", "dagster_webserver", "--port", "1"])
    assert found == [sys.executable, "-m", "enact_assets.pipeline.ui.server", "--port", "1"]
    assert "open_ipc_subprocess(subprocess_args" in inspect.getsource(server.open_server_process)
    wanted = [sys.executable, "-m", "enact_assets.pipeline.ui.code_server", "start", "--port", "1"]
    command = GrpcServerCommand.CODE_SERVER_START.server_command
    started = [*get_python_environment_entry_point(sys.executable), *command, "--port", "1"]
    assert guarded_command(started) == wanted


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    port = free_port()
    command = [sys.executable, "-m", "enact_assets.pipeline.ui.server", "--empty-workspace"]
    with (tmp_path / "log").open("wb") as log:
        process = subprocess.Popen(  # noqa: S603 - our own interpreter
            [*command, "--port", str(port)],
            stdout=log,
            stderr=log,
            env=os.environ | {"DAGSTER_HOME": str(tmp_path)},
        )
    address = f"http://localhost:{port}"
    try:
        for _ in range(1200):
            if process.poll() is not None:
                break
            try:
                status(f"{address}/server_info")
            except urllib.error.URLError:
                time.sleep(0.5)
            else:
                yield address
                return
        pytest.fail((tmp_path / "log").read_text())
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(60)
        finally:
            process.kill()
            process.wait()


def status(url: str, query: str | None = None, **headers: str) -> int:
    data = None if query is None else json.dumps({"query": query}).encode()
    request = urllib.request.Request(  # noqa: S310 - of our own server
        url, data, {"content-type": "application/json", **headers}
    )
    try:
        with urllib.request.urlopen(request, timeout=60) as reply:  # noqa: S310 - as above
            return int(reply.status)
    except urllib.error.HTTPError as error:
        error.close()
        return error.code


@pytest.mark.slow
def test_the_web_server_of_dagster_is_guarded(address: str) -> None:
    """Another page could start runs: Dagster's server took mutations by GET, from any origin."""
    mutation = "mutation { setSensorEvaluation: shutdownRepositoryLocation"
    mutation += '(repositoryLocationName: "none") { __typename } }'
    graphql = f"{address}/graphql"
    assert status(graphql, "{ version }") == 200
    assert status(graphql, "{ version }", origin=address) == 200
    assert status(address) == 200
    assert status(graphql, mutation, origin="https://evil.example") == 403
    assert status(f"{graphql}?query={quote(mutation)}") == 405
    assert status(f"{address}/server_info", host="evil.example") == 421


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["the daemon is killed", "the code is killed, then Ctrl-C"])
def test_the_ui_ends_with_its_daemon_and_starts_its_code_again(tmp_path: Path, ending: str) -> None:
    """F15: it ended with 0, so that nothing started it again. Faults N10: without the process that
    holds the code, the likeliest one to be killed for memory, it lived on and did nothing.
    """
    port, printed = free_port(), tmp_path / "log"
    command = [sys.executable, "-m", "enact_assets.cli", "ui", "--data", str(tmp_path / "data")]
    with printed.open("wb") as log:
        process = subprocess.Popen(  # noqa: S603 - our own interpreter
            [*command, "--port", str(port)], stdout=log, stderr=log, start_new_session=True
        )
    is_stopped = "Ctrl-C" in ending
    try:
        _wait_until_served(process, port)
        if is_stopped:
            former = _one_child(process, "api", "grpc")
            former.kill()
            _wait_until(lambda: _one_child(process, "api", "grpc") != former)
            _wait_until(lambda: _knows_its_jobs(port))
            os.killpg(process.pid, signal.SIGINT)
        else:
            _one_child(process, "dagster._daemon").kill()
        code = process.wait(120)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    told = "The UI was stopped: the daemon ended by itself with exit code -9."
    text = printed.read_text()
    assert (code, told in text) == ((0, False) if is_stopped else (1, True)), text


def _one_child(process: "subprocess.Popen[bytes]", *words: str) -> psutil.Process:
    """The youngest living process below ``process`` whose command has these words."""

    def found() -> list[psutil.Process]:
        below = psutil.Process(process.pid).children(recursive=True)
        return [p for p in below if set(words) <= command(p)]

    def command(child: psutil.Process) -> set[str]:
        try:
            return set(child.cmdline())
        except psutil.NoSuchProcess:  # it ended, perhaps without anybody who waits for it
            return set()

    # What was there a moment ago may have ended since, so nothing is looked for twice.
    return max(_wait_until(found), key=lambda p: p.create_time())


def _knows_its_jobs(port: int) -> bool:
    query = "{ repositoriesOrError { ... on RepositoryConnection { nodes { jobs { name } } } } }"
    request = urllib.request.Request(
        f"http://localhost:{port}/graphql",
        json.dumps({"query": query}).encode(),
        {"content-type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=60) as reply:  # noqa: S310 - as above
        found = json.load(reply)["data"]["repositoriesOrError"].get("nodes", [])
    return any(node["jobs"] for node in found)


def _wait_until(holds: Callable[[], Found], seconds: float = 300) -> Found:
    """What ``holds`` gives when it is true, or not empty."""
    until = time.monotonic() + seconds
    while not (found := holds()):
        assert time.monotonic() < until, "waited too long"
        time.sleep(0.5)
    return found


def _wait_until_served(process: "subprocess.Popen[bytes]", port: int) -> None:
    until = time.monotonic() + 300
    while time.monotonic() < until and process.poll() is None:
        try:
            status(f"http://localhost:{port}/server_info")
        except (urllib.error.URLError, ConnectionError):
            time.sleep(0.5)
        else:
            return
    pytest.fail("the web server never answered")
