"""WorldPrediction from nothing: one activity and its environments, with tiny pictures.

Slow: it simulates three demonstrations and renders.
"""

from pathlib import Path

import polars as pl
import pytest
import yaml

from enact_assets.answers.people.annotator_names import PERSON
from enact_assets.answers.people.store import Store, Submission
from enact_assets.cli import main
from enact_assets.engine.lake.lake import Lake
from enact_assets.pipeline.driver.materialize import Driver
from enact_assets.questions.world.candidates import LETTERS
from enact_assets.settings.paths import DataRoot
from enact_assets.settings.registry import DEFAULT_REGISTRY, load_registry

pytestmark = pytest.mark.slow

MINE = """class Mine:
    def answer(self, parts):
        return "C"
"""
ASKED, ENVIRONMENTS = "picking_up_toys-0", ("picking_up_toys-901", "picking_up_toys-902")


def write_registry(path: Path, **clips: int) -> Path:
    entries = yaml.safe_load(DEFAULT_REGISTRY.read_text())
    entries["variants"]["baseline"]["renderer"] |= {"size_px": 64, "samples": 1, "path_depth": 2}
    entries["worldprediction"]["clips"] |= {"frames": 2, "size_px": 32, **clips}
    entries["worldprediction"]["questions"] |= {"lengths": [3, 4]}
    entries["worldprediction"]["environments"] = {"seeds": [901, 902]}
    entries["worldprediction"]["answered_by"] += ["mine", "mine+mine"]
    path.write_text(yaml.safe_dump(entries))
    return path


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("world")
    (made / "data").mkdir()
    (made / "data" / "mine.py").write_text(MINE)
    (made / "data" / "models.yaml").write_text("models: {mine: {id: 'python/mine.py:Mine'}}")
    return made


def made_by(root: Path) -> set[str]:
    """Steps that a walk over the demonstration and its environments runs now."""
    driver = Driver(root / "data", registry=load_registry(root / "registry.yaml"), workers=1)
    names = [ASKED, *ENVIRONMENTS]
    only = {"demonstration": names, "variant": ["baseline"]}
    report = driver.run(demonstrations=names, assets=["world_accuracies"], only=only)
    assert report.is_success, [f.message for f in report.failures]
    return {run.step for run in report.made}


def test_one_command_makes_questions_answers_and_sheets(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ENACT_REGISTRY", str(write_registry(root / "registry.yaml")))
    arguments = ["world", "--data", str(root / "data"), "--demonstration", ASKED, "--workers", "1"]
    assert main([*arguments, "--sheets", str(root / "sheets"), "--per-task", "2"]) == 0
    said = capsys.readouterr().out
    assert "these are not WorldPrediction results" in " ".join(said.split())
    assert len(list((root / "sheets").glob("*.png"))) == 4
    lake = Lake(root / "data" / "lake")
    rows = lake.read_all("world_accuracies").filter(pl.col("length").is_null())
    oracle = rows.filter(pl.col("world_model") == "oracle")
    assert oracle.height == 6
    assert set(oracle["accuracy"]) == {1.0}
    bound = rows.filter(pl.col("world_model") == "socratic_rules")
    assert bound["n_correct"].sum() >= 0.95 * bound["n_scored"].sum()
    own = rows.filter(pl.col("world_model") == "clip_continuity", pl.col("task") == "wm")
    by = dict(own.select("condition", "accuracy").iter_rows())
    assert by["same"] >= by["equivalent"] + 0.2
    mine = rows.filter(pl.col("world_model") == "mine")
    assert set(mine["n_missing"]) == {0}
    assert not mine["is_reference"].any()
    assert mine.filter(pl.col("task") == "wm")["accuracy"].unique().to_list() == [0.25]
    pair = rows.filter(pl.col("world_model") == "mine+mine")
    assert set(pair["n_missing"]) == {0}
    captions = lake.read_all("world_captions")
    assert set(captions["world_model"]) == {"mine+mine"}
    assert set(captions["caption"]) == {"C"}
    assert set(captions["shows"]) == {"state", "clip"}
    # Environments lend their clips, and nothing else.
    for name in ENVIRONMENTS:
        at = {"demonstration": name, "gating": "state"}
        assert lake.read("qa", at).is_empty()
        assert lake.read("visibility", at).is_empty()
        assert lake.read("frame_images", {"demonstration": name, "variant": "baseline"}).is_empty()
        assert not lake.read("clip_images", {"demonstration": name}).is_empty()


def test_a_second_walk_makes_nothing(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENACT_REGISTRY", str(root / "registry.yaml"))
    assert made_by(root) == set()


def test_another_clip_setting_makes_clips_and_what_follows(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ENACT_REGISTRY", str(write_registry(root / "registry.yaml", size_px=24)))
    follows = {"clip_config", "wanted_clips", "clip_images", "film_images", "world_predictions"}
    made = made_by(root)
    may_follow = {"world_evaluation", "world_human_answers", "world_accuracies"}
    assert follows <= made <= follows | may_follow


def test_answers_of_people_are_scored_by_the_same_command(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two persons answer all but practice, one always right and one always the first option."""
    monkeypatch.setenv("ENACT_REGISTRY", str(root / "registry.yaml"))
    data = ["--data", str(root / "data")]
    store, lake = Store(DataRoot(root / "data").people), Lake(root / "data" / "lake")
    people = [store.annotator(store.invite(name, PERSON)[1]) for name in ("Ada", "Bert")]
    assert main(["annotate", "plan", *data, "--world", "embedded", "--plan", "k_each"]) == 0
    right = dict(lake.read_all("world_questions").select("question_id", "answer").iter_rows())
    for person in people:
        assert person is not None
        while (row := store.due(person)) is not None:
            label = LETTERS.index(right[row["question_id"]]) + 1 if person is people[0] else 1
            store.save(row, Submission(f"{person.id} {row['id']}", [label], None, "", 900))
    assert "world_human_answers" in made_by(root)
    filtered = lake.read_all("world_human_filter")
    is_first = pl.col("question_id").replace_strict(right, return_dtype=pl.String) == LETTERS[0]
    assert (filtered["is_kept"] == filtered.select(is_first).to_series()).all()
    rows = lake.read_all("world_accuracies").filter(pl.col("length").is_null())
    of_people = rows.filter(pl.col("world_model") == "people (2)")
    assert of_people["n_scored"].sum() == 2 * filtered.height > 0
    n_right = filtered.height + filtered["is_kept"].sum()
    assert of_people["n_correct"].sum() == n_right
