"""What the daemon does for runs of others: starts them by any name, and tries again what died."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import dagster as dg
import psutil
import pytest
import yaml
from code_servers import LOCATION, CodeServer, code_server, wait_until
from tiny_roots import RECORDED

from enact_assets.pipeline.runs.code_location import MODULE, job_origin

pytestmark = pytest.mark.slow


@contextmanager
def daemon(root: Path, server: CodeServer) -> Iterator[None]:
    """Dagster's daemon of a data root, beside its code server."""
    workspace = root.with_name("workspace.yaml")
    place = {"host": "localhost", "port": server.port, "location_name": LOCATION}
    workspace.write_text(yaml.safe_dump({"load_from": [{"grpc_server": place}]}))
    command = [sys.executable, "-m", "dagster._daemon", "run", "-w", str(workspace)]
    environment = os.environ | {"DAGSTER_HOME": str(root / "dagster"), "ENACT_HOME": str(root)}
    with root.with_name("daemon.log").open("ab") as log:
        process = subprocess.Popen(  # noqa: S603 - our own interpreter
            command, env=environment, stdout=log, stderr=log, start_new_session=True
        )
    try:
        yield
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(30)
        finally:
            process.kill()
            process.wait()


def kill_its_process(server: CodeServer) -> None:
    """As the kernel does it when memory is short."""

    def found() -> list[psutil.Process]:
        children = psutil.Process(server.process.pid).children()
        return [p for p in children if "spawn_main" in " ".join(p.cmdline())]

    wait_until(lambda: bool(found()), 60.0, "the run has a process")
    for process in found():
        process.kill()


def test_a_killed_run_ends_well_by_itself(copied: Path) -> None:
    """Nobody looked after runs of the UI: a killed one stayed red, and so did its partition."""
    with code_server(copied) as server, daemon(copied, server):
        run = server.launch("render_pictures", RECORDED, "baseline")
        kill_its_process(server)
        assert server.end_of(run) == dg.DagsterRunStatus.FAILURE

        def others() -> list[dg.DagsterRun]:
            group = server.instance.get_run_group(run)
            assert group is not None
            return [other for other in group[1] if other.run_id != run]

        wait_until(lambda: bool(others()), 120.0, "the daemon tries again")
        (again,) = others()
        assert server.end_of(again.run_id, within_s=240.0) == dg.DagsterRunStatus.SUCCESS
        assert len(others()) == 1


def test_runs_that_name_the_module_belong_to_the_same_location(copied: Path) -> None:
    """``dagster job backfill -m`` queued runs that all failed: no location had that name."""
    command = [sys.executable, "-m", "dagster", "job", "backfill", "-m", MODULE, "--noprompt"]
    command += ["-j", "refresh_variant_config", "--partitions", "baseline"]
    homes = {"DAGSTER_HOME": str(copied / "dagster"), "ENACT_HOME": str(copied)}
    with code_server(copied) as server, daemon(copied, server):
        subprocess.run(command, env=os.environ | homes, cwd=copied, check=True)  # noqa: S603 - ours
        (run, *_) = server.instance.get_runs(limit=1)
        assert server.end_of(run.run_id, within_s=240.0) == dg.DagsterRunStatus.SUCCESS
        ended = server.instance.get_run_by_id(run.run_id)
        assert ended is not None
        assert ended.remote_job_origin == job_origin("refresh_variant_config")
        label = dg.RunsFilter(tags={".dagster/repository": f"__repository__@{LOCATION}"})
        assert run.run_id in {r.run_id for r in server.instance.get_runs(label)}
