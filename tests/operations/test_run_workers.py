"""Runs that UI and daemon start work in processes of the code server: none outlives its run."""

import os
import shutil
import signal
from collections.abc import Callable
from pathlib import Path

import dagster as dg
import pytest
import yaml
from code_servers import CodeServer, code_server, wait_until

from benchmarks.tiny_root import write_small_registry
from enact_assets.pipeline.driver.materialize import Driver
from enact_assets.pipeline.lineage.graph import STEPS
from enact_assets.settings.registry import load_registry

pytestmark = pytest.mark.slow

DEMONSTRATION = "outfit_a_basic_toolbox-0"
QUICK, ALSO_QUICK, LONG = "baseline", "contact", "aperture_80"
ENDS_WITHIN_S = 20.0
LONG_RENDERER = {"path_depth": 6, "samples": 4, "size_px": 256}
"""Some twenty pictures that take half a second or more each: time enough to stop the run."""


@pytest.fixture(scope="module")
def registry(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = write_small_registry(
        tmp_path_factory.mktemp("registry") / "registry.yaml",
        demonstrations=[DEMONSTRATION],
        models=["oracle"],
    )
    entries = yaml.safe_load(path.read_text())
    entries["variants"]["aperture_80"]["renderer"] = LONG_RENDERER
    path.write_text(yaml.safe_dump(entries))
    return path


@pytest.fixture(scope="module")
def unrendered(tmp_path_factory: pytest.TempPathFactory, registry: Path) -> Path:
    """A data root in which everything up to the pictures is made."""
    root = tmp_path_factory.mktemp("unrendered") / "data"
    names = [step.name for step in STEPS]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ENACT_REGISTRY", str(registry))
        driver = Driver(root, registry=load_registry(registry), workers=1)
        made = driver.run(assets=names[: names.index("frame_images")])
    assert made.is_success, [f.message for f in made.failures]
    return root


@pytest.fixture
def root(unrendered: Path, registry: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ENACT_REGISTRY", str(registry))
    return Path(shutil.copytree(unrendered, tmp_path / "data"))


def pictures(root: Path) -> list[Path]:
    return list((root / "images").glob("??/*.png"))


def in_the_middle(server: CodeServer, root: Path) -> str:
    """A run that is rendering in processes of its own; its id."""
    run_id = server.launch("render_pictures", DEMONSTRATION, LONG)
    wait_until(lambda: bool(pictures(root)), 60.0, "a picture is rendered")
    assert len(server.left()) > 2, "it renders in its own process"
    return run_id


def nothing_left(server: CodeServer) -> None:
    wait_until(lambda: not server.left(), ENDS_WITHIN_S, "processes of runs have ended")


def test_runs_that_succeed(root: Path) -> None:
    """Each left its process and its renderers: hundreds of them fill the memory."""
    with code_server(root) as server:
        runs = [server.launch("render_pictures", DEMONSTRATION, v) for v in (QUICK, ALSO_QUICK)]
        assert [server.end_of(run) for run in runs] == [dg.DagsterRunStatus.SUCCESS] * 2
        nothing_left(server)


def test_a_run_that_fails(root: Path) -> None:
    """All pictures are made, and the table of them cannot be written."""
    (root / "lake" / "frame_images").touch()
    with code_server(root) as server:
        run = server.launch("render_pictures", DEMONSTRATION, QUICK)
        assert server.end_of(run) == dg.DagsterRunStatus.FAILURE
        assert len(pictures(root)) > 2
        nothing_left(server)


def test_a_run_that_is_terminated(root: Path) -> None:
    with code_server(root) as server:
        run = in_the_middle(server, root)
        assert server.instance.run_launcher.terminate(run)
        assert server.end_of(run, within_s=30.0) == dg.DagsterRunStatus.CANCELED
        nothing_left(server)


def ctrl_c(process: int) -> None:
    """As a terminal does it: the code server and its runs get the signal."""
    os.killpg(process, signal.SIGINT)


def stop(process: int) -> None:
    os.kill(process, signal.SIGTERM)


def kill(process: int) -> None:
    os.kill(process, signal.SIGKILL)


@pytest.mark.parametrize(
    ("end", "status"), [(ctrl_c, "FAILURE"), (stop, "SUCCESS"), (kill, "SUCCESS")]
)
def test_a_code_server_that_ends_amid_a_run(
    root: Path, end: Callable[[int], None], status: str
) -> None:
    """A run that is not itself interrupted finishes its partition; then all are gone."""
    with code_server(root) as server:
        run = in_the_middle(server, root)
        end(server.process.pid)
        assert server.end_of(run).value == status
        wait_until(lambda: not server.processes(), ENDS_WITHIN_S, "all processes have ended")
