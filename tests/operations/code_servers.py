"""A code server of Dagster, and runs that it starts as the UI and the daemon have it do."""

import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import dagster as dg
from dagster._core.workspace.context import WorkspaceProcessContext
from dagster._core.workspace.load_target import GrpcServerTarget
from dagster._grpc.client import DagsterGrpcClient
from dagster._grpc.server import wait_for_grpc_server

from benchmarks.crashes import MARK, processes_with
from enact_assets.pipeline.dagster.definitions import build_definitions
from enact_assets.pipeline.runs.instance import open_instance

from reference.servers import free_port

LOCATION = "enact_assets"


class CodeServer:
    """A running code server for one data root; its processes carry a mark of their own."""

    def __init__(self, root: Path, stack: ExitStack) -> None:
        self._mark, port = uuid.uuid4().hex, free_port()
        self.port = port
        command = [sys.executable, "-m", "dagster", "api", "grpc", "-p", str(port)]
        command += ["-m", "enact_assets.definitions", "--location-name", LOCATION]
        environment = os.environ | {"ENACT_HOME": str(root), MARK: self._mark}
        with root.with_name("code_server.log").open("ab") as log:
            self.process = subprocess.Popen(  # noqa: S603 - our own interpreter
                command, env=environment, stdout=log, stderr=log, start_new_session=True
            )
        stack.callback(self._end)
        wait_for_grpc_server(self.process, DagsterGrpcClient(port=port), command)
        self.instance = open_instance(root)
        stack.callback(self.instance.dispose)
        self._target = GrpcServerTarget("localhost", port, None, LOCATION)

    def launch(self, job: str, demonstration: str, variant: str) -> str:
        """Start a run of ``job`` for one partition in a process of the code server; its id."""
        tags = {
            "dagster/partition": f"{demonstration}|{variant}",
            "dagster/partition/demonstration": demonstration,
            "dagster/partition/variant": variant,
        }
        # Open for the launch only: it warns when the code server stops, and tests fail on warnings.
        with WorkspaceProcessContext(self.instance, self._target) as context:
            workspace = context.create_request_context()
            (repository,) = workspace.get_code_location(LOCATION).get_repositories().values()
            remote = repository.get_full_job(job)
            run = self.instance.create_run_for_job(
                build_definitions().resolve_job_def(job),
                tags=tags,
                remote_job_origin=remote.get_remote_origin(),
                job_code_origin=remote.get_python_origin(),
            )
            self.instance.launch_run(run.run_id, workspace)
        return run.run_id

    def end_of(self, run_id: str, *, within_s: float = 120.0) -> dg.DagsterRunStatus:
        """Wait until a run has ended; its status."""

        def run() -> dg.DagsterRun:
            found = self.instance.get_run_by_id(run_id)
            assert found is not None
            return found

        wait_until(lambda: run().is_finished, within_s, f"run {run_id} has ended")
        return run().status

    def processes(self) -> dict[int, str]:
        """The command of each living process of the code server and its runs, by number."""
        self.process.poll()
        found = {}
        for pid in processes_with(self._mark):
            try:
                words = Path("/proc", str(pid), "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            found[pid] = b" ".join(words).decode()
        return found

    def left(self) -> list[str]:
        """Commands of processes that are neither the code server nor the tracker it needs."""
        return [
            command
            for pid, command in self.processes().items()
            if pid != self.process.pid and "resource_tracker" not in command
        ]

    def _end(self) -> None:
        self.process.kill()
        self.process.wait()
        for pid in self.processes():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue


@contextmanager
def code_server(root: Path) -> Iterator[CodeServer]:
    """A code server for ``root``; afterwards it and everything it started is killed."""
    with ExitStack() as stack:
        yield CodeServer(root, stack)


def wait_until(holds: Callable[[], bool], within_s: float, what: str) -> None:
    """Errors: AssertionError if ``what`` is not so within so many seconds."""
    until = time.monotonic() + within_s
    while not holds():
        assert time.monotonic() < until, f"not within {within_s:g} s: {what}"
        time.sleep(0.05)
