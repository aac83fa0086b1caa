"""Evidence that changed while only a part was made again, by hand: nothing old passes for new."""

from pathlib import Path
from typing import Any

import polars as pl
import pytest
import yaml
from tiny_roots import RECORDED, TinyRoot

from benchmarks.crashes import fingerprint
from enact_assets.demonstrations.replay.tables import LaterParents
from enact_assets.engine.deriving import vouched_for
from enact_assets.engine.errors import MaterializationError
from enact_assets.engine.grids import Partition
from enact_assets.engine.lake.lake import Lake
from enact_assets.engine.steps import STEPS as DECLARED
from enact_assets.engine.tables import TABLES
from enact_assets.pipeline.driver.materialize import Driver
from enact_assets.pipeline.lineage.vouching import refuse_unvouched
from enact_assets.pipeline.runs.names import current_names
from enact_assets.pipeline.runs.resources import DataResource
from enact_assets.results.published import query
from enact_assets.settings.registry import load_registry

from reference.undrawn import BUT_REPORT

pytestmark = pytest.mark.slow

IDENTITY: dict[str, Any] = {"only": {"variant": ["baseline"], "model": ["identity"]}}
ANSWERS = {"model": "identity", "variant": "baseline"}


def registry_of(tiny: TinyRoot, path: Path, *, has_contact: bool) -> Path:
    """The registry of ``tiny`` with one model more, and with or without contacts."""
    entries = yaml.safe_load(tiny.registry.read_text())
    entries["models"].append("identity")
    entries["gatings"]["state"]["contact"] = has_contact
    path.write_text(yaml.safe_dump(entries))
    return path


@pytest.mark.slow
def test_scores_from_evidence_that_went_back_again_do_not_stay(
    tiny: TinyRoot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Key frames of another gating, answers verified by them, the first gating again: the plan
    called all of it fresh, and the leaderboard had scores that no clean run gives.
    """
    state = registry_of(tiny, tmp_path / "state.yaml", has_contact=False)
    contact = registry_of(tiny, tmp_path / "contact.yaml", has_contact=True)

    def driver(root: Path, registry: Path) -> Driver:
        monkeypatch.setenv("ENACT_REGISTRY", str(registry))
        return Driver(root, registry=load_registry(registry), workers=1)

    clean, root = tiny.copy(tmp_path / "clean"), tiny.copy(tmp_path / "data")
    assert driver(clean, state).run(assets=BUT_REPORT).is_success

    walk = driver(root, contact)
    n_before = key_frames(root)
    for step in ("segmentation", "visibility"):
        assert walk.run(assets=[step]).is_success
    assert key_frames(root) > n_before
    plan, _ = walk.plan()
    why = {row.step: row.why for row in plan.stale}
    assert "scene_graphs changed" in why["question_set"]
    assert {"evaluation", "error_analysis"} <= plan.may_follow.keys()
    # A run of these steps alone, as the UI starts it, refuses.
    registry = load_registry(contact)
    states = DataResource(root=str(root)).states(registry)
    names = current_names(walk.instance, registry)
    for step in ("evaluation", "error_analysis"):
        with pytest.raises(
            MaterializationError, match="Materialize question_set and asked_"
        ) as told:
            refuse_unvouched(states, names, step, Partition.of("oracle", "baseline"))
        assert "changed since question_set state was made from it" in str(told.value)
    # A walk makes what they are made from.
    assert walk.run(**IDENTITY, assets=["evaluation", "error_analysis"]).is_success
    assert Lake(root / "lake").exists("evaluation", ANSWERS)

    walk = driver(root, state)
    assert walk.run(assets=BUT_REPORT).is_success
    assert walk.plan(assets=BUT_REPORT)[0].stale == ()
    assert query(root / "enact.duckdb", "from stale_partitions").is_empty()
    assert rows_of(root) == rows_of(clean)


def rows_of(root: Path) -> dict[str, str]:
    """Pictures of other key frames stay until ``gc`` removes them."""
    return {k: sha for k, sha in fingerprint(root).items() if not k.startswith("picture ")}


def key_frames(root: Path) -> int:
    return Lake(root / "lake").read_all("segmented_frames").height


def later_parents(lake: Lake) -> pl.DataFrame:
    """An object of the recording that has other parents from frame 1 on."""
    objects = lake.read("objects", {"demonstration": RECORDED})
    first = objects.row(0, named=True)
    row = {"demonstration": RECORDED, "object_name": first["object_name"], "frame_from": 1}
    return LaterParents.build([{**row, "parents": ["elsewhere"]}])


def test_every_table_that_verifies_answers_makes_the_question_set_stale(
    tiny: TinyRoot, copied: Path
) -> None:
    """And no answer is verified by it before the question set is made again."""
    walk, lake = tiny.driver(copied), Lake(copied / "lake")
    registry = load_registry(tiny.registry)
    states = DataResource(root=str(copied)).states(registry)
    names = current_names(walk.instance, registry)
    refuse_unvouched(states, names, "evaluation", Partition.of("oracle", "baseline"))
    tables = sorted(vouched_for(DECLARED["evaluation"]) & TABLES.keys())
    assert tables == [
        *("demonstrations", "later_parents", "objects", "scene_graphs", "segmented_frames"),
        "visibility",
    ]
    for name in tables:
        where = {"demonstration": RECORDED, "gating": "state"}
        where = {dimension: where[dimension] for dimension in TABLES[name].by}
        path = lake.path(name, where)
        before, rows = path.read_bytes(), lake.read(name, where)
        fewer = rows.head(rows.height - 1) if rows.height else later_parents(lake)
        lake.write(name, fewer, where, lake.metadata(name, where).provenance)
        stale = {row.step: row.why for row in walk.plan()[0].stale}
        assert f"{name} changed" in stale["question_set"]
        with pytest.raises(MaterializationError, match=f"{name} changed since question_set"):
            refuse_unvouched(states, names, "evaluation", Partition.of("oracle", "baseline"))
        path.write_bytes(before)
