"""Times of steps: kept for other data roots of the machine, and never a reason to fail."""

import re
from io import StringIO
from pathlib import Path

import dagster as dg
import pytest
from rich.console import Console

from enact_assets.commands.plan_output import print_work
from enact_assets.engine.grids import Partition
from enact_assets.engine.lake.lake import Lake
from enact_assets.engine.planning.verdicts import STALE, Verdict
from enact_assets.pipeline.driver.materialize import Driver
from enact_assets.pipeline.runs.new_version import work_of
from enact_assets.pipeline.runs.step_times import VARIABLE, StepTimes, keep_times, machine_file
from enact_assets.settings.registry import load_registry

STALE_STEPS = [
    Verdict("gating_config", Partition.of("state"), STALE),
    Verdict("gating_config", Partition.of("contact"), STALE),
    Verdict("qa", Partition.of("setting_the_table-0", "state"), STALE),
]


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "machine" / "times.json"
    monkeypatch.setenv(VARIABLE, str(path))
    return path


def said(times: StepTimes, root: Path) -> str:
    console = Console(file=StringIO(), width=300)
    print_work(console, work_of(times, Lake(root / "lake"), STALE_STEPS))
    return console.file.getvalue()  # type: ignore[attr-defined]


def test_a_new_root_knows_the_times_of_the_machine(tmp_path: Path, file: Path) -> None:
    here = tmp_path / "here"
    driver = Driver(here, registry=load_registry(), workers=1)
    assert driver.run(assets=["gating_config"]).is_success
    took = StepTimes(driver.instance).of("gating_config")
    assert took is not None
    assert 0 < took.seconds < 60
    assert not took.is_of_machine
    assert re.search(
        r"more than .* of work by the last runs here, no time is known of qa\.",
        said(StepTimes(driver.instance), here),
    )
    with dg.DagsterInstance.ephemeral() as new:
        there = StepTimes(new).of("gating_config")
        assert there is not None
        assert there.is_of_machine
        assert there.seconds == pytest.approx(took.seconds, abs=1e-4)
        work = work_of(StepTimes(new), Lake(tmp_path / "there"), STALE_STEPS)
        assert work.hours == work.hours_of_machine == pytest.approx(2 * there.seconds / 3600)
        assert work.unknown == ["qa"]
        assert "by the last runs in other data roots on this machine" in said(StepTimes(new), here)
    file.write_text('{"gating_config": 900.0, "qa": 120.0}')
    # Runs of this root come first.
    assert re.search(
        r"about 2 min 0\d s of work by the last runs here \(2 min 00 s of it by those in other "
        r"data roots on this machine\)\.",
        said(StepTimes(driver.instance), here),
    )
    keep_times(driver.instance, ["gating_config"])
    with dg.DagsterInstance.ephemeral() as new:
        kept = {step: StepTimes(new).of(step) for step in ("gating_config", "qa")}
    assert kept["gating_config"] == there
    assert kept["qa"] is not None
    assert kept["qa"].seconds == 120


def test_a_file_that_cannot_be_used_fails_nothing(
    tmp_path: Path, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "enact_assets.pipeline.runs.step_times.mean_seconds",
        lambda _, step: 2.0 if step == "qa" else None,
    )
    with dg.DagsterInstance.ephemeral() as instance:
        file.parent.mkdir()
        for content in (b"", b"{", b"\xff", b"[1]", b'{"qa": -1}', b'{"qa": "1"}'):
            file.write_bytes(content)
            assert StepTimes(instance).of("frame_images") is None
        keep_times(instance, ["qa", "frame_images"])
        assert file.read_bytes() == b'{"qa":2.0}'
        monkeypatch.setenv(VARIABLE, str(file / "below_a_file"))
        keep_times(instance, ["qa"])
        assert StepTimes(instance).of("frame_images") is None
        monkeypatch.setenv(VARIABLE, "none")
        assert machine_file() is None
        keep_times(instance, ["qa"])
    monkeypatch.delenv(VARIABLE)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert machine_file() == tmp_path / "cache/enact_assets/step_times.json"
