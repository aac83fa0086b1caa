"""A data root that grows name by name: every walk makes what the plan before it lists."""

import json
from pathlib import Path

import dagster as dg
import msgspec
import pytest
from tiny_roots import TinyRoot

from benchmarks.tiny_root import write_small_registry
from enact_assets.cli import main
from enact_assets.commands.plan_output import PlanFile, plan_schema
from enact_assets.pipeline.dagster.definitions import build_definitions
from enact_assets.pipeline.driver.materialize import Driver
from enact_assets.pipeline.driver.walk import Observer
from enact_assets.pipeline.root.scope import Scope, read_scope, write_scope
from enact_assets.settings.registry import load_registry


class Notes(Observer):
    """Keeps what it is told before anything is made."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def notes(self, texts) -> None:
        self.texts += texts


@pytest.fixture
def wider(copied: Path, tiny: TinyRoot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The tiny data root under a registry with more variants and another demonstration."""
    registry = write_small_registry(
        tmp_path / "registry.yaml",
        variants=["baseline", "contact", "emoji"],
        models=["oracle"],
        demonstrations=["setting_the_table-0"],
    )
    monkeypatch.setenv("ENACT_REGISTRY", str(registry))
    write_scope(copied, Scope({"demonstration": frozenset(), "variant": frozenset({"baseline"})}))
    return copied


def planned(capsys, root: Path, *words: str) -> dict[str, object]:
    capsys.readouterr()
    assert main(["plan", "--json", "--data", str(root), *words]) == 0
    printed = capsys.readouterr().out
    msgspec.json.decode(printed, type=PlanFile, strict=True)
    found = json.loads(printed)
    assert set(found) == set(plan_schema()["$defs"]["PlanFile"]["required"])
    return found


@pytest.mark.slow
def test_a_walk_stays_in_scope_and_makes_what_the_plan_lists(wider: Path, capsys) -> None:
    """A first own model simulated nine demonstrations that nobody had asked for."""
    notes = Notes()
    driver = Driver(wider, registry=load_registry(), workers=1, observer=notes)
    report = planned(capsys, wider, "--asset", "qa")
    assert (report["stale"], report["may_follow"]) == ([], {})
    words = ("--variant", "contact", "--asset", "asked_questions")
    listed = planned(capsys, wider, *words)["stale"]
    assert read_scope(wider).of["variant"] == {"baseline"}  # a plan changes nothing
    by_step = {(p["step"], p["partition"]): p["is_asked_for"] for p in listed}
    assert by_step["asked_questions", "contact"]
    assert not by_step["segmentation", "moving_cups-0|contact"]
    assert not any("setting_the_table" in (p or "") for _, p in by_step)
    done = driver.run(only={"variant": ["contact"]}, assets=["asked_questions"])
    assert done.is_success
    assert {(run.step, run.key) for run in done.made} == set(by_step)
    assert read_scope(wider).of["variant"] == {"baseline", "contact"}
    (note,) = notes.texts
    assert note.startswith("Now in this data root: 1 demonstration, 2 variants. Reload")
    again = planned(capsys, wider, *words)
    assert (again["stale"], again["may_follow"]) == ([], {})
    names = {p["partition"] for p in planned(capsys, wider)["stale"]}
    assert any("contact" in (name or "") for name in names)
    assert not any("emoji" in (name or "") for name in names)
    everything = {p["partition"] for p in planned(capsys, wider, "--all")["stale"]}
    assert {"emoji", "setting_the_table-0"} <= everything


def test_a_demonstration_of_the_registry_that_is_forgotten_stays_out(wider: Path, capsys) -> None:
    (wider / "scope.yaml").unlink()
    assert any("setting" in (p["partition"] or "") for p in planned(capsys, wider)["stale"])
    driver = Driver(wider, registry=load_registry(), workers=1)
    driver.run(assets=["gating_config"])
    driver.forget("demonstration", "setting_the_table-0")
    assert main(["forget", "model", "oracle", "--data", str(wider)]) == 0
    assert "still in" not in capsys.readouterr().out
    assert not any("setting" in (p["partition"] or "") for p in planned(capsys, wider)["stale"])
    back = planned(capsys, wider, "--demonstration", "setting_the_table-0", "--asset", "replays")
    assert [p["partition"] for p in back["stale"]] == ["setting_the_table-0"]


def test_dagster_has_the_partitions_of_the_scope(wider: Path, monkeypatch) -> None:
    monkeypatch.setenv("ENACT_HOME", str(wider))
    graph = build_definitions().resolve_asset_graph()

    def names(root: str) -> set[str]:
        return set(graph.get(dg.AssetKey(root)).partitions_def.get_partition_keys())

    # WorldPrediction is asked wherever its demonstrations are, in whatever scope.
    assert names("variant_config") == {"baseline", "world:embedded"}
    assert names("gating_config") == {"state"}
