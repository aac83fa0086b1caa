"""WorldPrediction from nothing: one activity and its environments, with tiny pictures.

Slow: it simulates three demonstrations and renders.
"""

from pathlib import Path

import polars as pl
import pytest
import yaml

from enact_assets.answers.people.annotator_names import PERSON
from enact_assets.answers.people.answered import Answered
from enact_assets.answers.people.store import Store, Submission
from enact_assets.cli import main
from enact_assets.engine.lake.lake import Lake
from enact_assets.pipeline.driver.materialize import Driver
from enact_assets.settings.paths import DataRoot
from enact_assets.settings.registry import DEFAULT_REGISTRY, load_registry
from enact_assets.settings.world import KINDS, LETTERS

pytestmark = pytest.mark.slow

MINE = """class Mine:
    def answer(self, parts):
        return "C"
"""
WORLD = "world:embedded"
ASKED, ENVIRONMENTS = "picking_up_toys-0", ("picking_up_toys-901", "picking_up_toys-902")


def write_registry(path: Path, filters: dict[str, float | str] | None = None, **clips: int) -> Path:
    entries = yaml.safe_load(DEFAULT_REGISTRY.read_text())
    entries["variants"]["baseline"]["renderer"] |= {"size_px": 64, "samples": 1, "path_depth": 2}
    entries["worldprediction"]["clips"] |= {"frames": 2, "size_px": 32, **clips}
    entries["worldprediction"]["filters"] = filters or {}
    entries["worldprediction"]["questions"] |= {"lengths": [3, 4]}
    entries["worldprediction"]["environments"] = {"seeds": [901, 902]}
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
    registry = load_registry(root / "registry.yaml")
    driver = Driver(root / "data", registry=registry, workers=1)
    names = [ASKED, *ENVIRONMENTS]
    people = Answered(DataRoot(root / "data").people).annotators()
    models = [*registry.world.models, "mine", "mine+mine", *people]
    only = {"demonstration": names, "variant": [WORLD], "model": models}
    report = driver.run(demonstrations=names, assets=["model_comparisons"], only=only)
    assert report.is_success, [f.message for f in report.failures]
    return {run.step for run in report.made}


def test_one_command_makes_questions_answers_and_sheets(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ENACT_REGISTRY", str(write_registry(root / "registry.yaml")))
    arguments = ["world", "--data", str(root / "data"), "--demonstration", ASKED, "--workers", "1"]
    arguments += ["--model", "mine", "--model", "mine+mine"]
    assert main([*arguments, "--sheets", str(root / "sheets"), "--per-task", "2"]) == 0
    said = capsys.readouterr().out
    assert "these are not WorldPrediction results" in " ".join(said.split())
    assert len(list((root / "sheets").glob("*.png"))) == 4
    lake = Lake(root / "data" / "lake")
    rows = lake.read("model_accuracies", {"variant": WORLD}).filter(
        pl.col("length").is_null(), metric="task_accuracy"
    )
    oracle = rows.filter(model="oracle")
    assert set(oracle["kind"]) == set(KINDS)
    assert set(oracle["accuracy"]) == {1.0}
    assert set(oracle["exact_high"]) == {1.0}
    bound = rows.filter(model="socratic_rules")
    assert (bound["accuracy"] * bound["n_scored"]).sum() >= 0.95 * bound["n_scored"].sum()
    by = dict(rows.filter(model="clip_continuity").select("kind", "accuracy").iter_rows())
    assert by["wm_same"] >= by["wm_equivalent"] + 0.2
    mine = rows.filter(model="mine")
    assert not mine["is_reference"].any()
    is_wm = pl.col("kind").str.starts_with("wm")
    assert mine.filter(is_wm)["accuracy"].unique().to_list() == [0.25]
    said_by = {"variant": WORLD, "model": "mine+mine"}
    assert lake.read("predictions", said_by)["error"].is_null().all()
    captions = lake.read("captions", said_by)
    assert set(captions["caption"]) == {"C"}
    assert set(captions["shows"]) == {"state", "clip"}
    # Baselines of ENACT are not asked.
    assert not lake.exists("predictions", {"variant": WORLD, "model": "identity"})
    # Environments lend their clips, and nothing else.
    for name in ENVIRONMENTS:
        at = {"demonstration": name, "gating": "state"}
        assert lake.read("qa", at).is_empty()
        assert lake.read("visibility", at).is_empty()
        assert lake.read("frame_images", {"demonstration": name, "variant": WORLD}).is_empty()
        assert not lake.read("clip_images", {"demonstration": name}).is_empty()


def test_a_second_walk_makes_nothing(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENACT_REGISTRY", str(root / "registry.yaml"))
    assert made_by(root) == set()


def test_another_clip_setting_makes_clips_and_what_follows(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ENACT_REGISTRY", str(write_registry(root / "registry.yaml", size_px=24)))
    follows = {"clip_config", "wanted_clips", "clip_images", "film_images"}
    follows |= {"predictions", "captions"}
    made = made_by(root)
    may_follow = {"evaluation", "model_comparisons"}
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
    assert {"predictions", "evaluation"} <= made_by(root)
    report = Driver(root / "data", registry=load_registry(root / "registry.yaml"), workers=1).run(
        assets=["question_quality"], only={"variant": [WORLD]}
    )
    assert report.is_success
    assert "human_answers" in {run.step for run in report.made}
    quality = lake.read("question_quality", {"variant": WORLD})
    is_first = pl.col("question_id").replace_strict(right, return_dtype=pl.String) == LETTERS[0]
    assert (quality["outcome"].eq("solved") == quality.select(is_first).to_series()).all()
    rows = lake.read("model_accuracies", {"variant": WORLD}).filter(
        pl.col("length").is_null(), metric="task_accuracy", model="people (2)"
    )
    assert rows["n_scored"].sum() == quality.height > 0
    n_right = quality.height + quality["outcome"].eq("solved").sum()
    assert (rows["accuracy"] * rows["n_scored"] * 2).sum() == pytest.approx(n_right)
    # People answer again only what two of them solved.
    plan = ["annotate", "plan", *data, "--world", "embedded", "--plan", "k_each", "--kept"]
    assert main(plan) == 0


def test_a_filter_of_states_decides_what_is_asked(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each action moves something, so no WM question is left where pictures may not differ. A model
    that says neither yes nor no leaves nothing out.
    """
    filters = {"most_distance_wm": 1e-9, "occlusion_model": "mine"}
    registry = write_registry(root / "registry.yaml", filters)
    monkeypatch.setenv("ENACT_REGISTRY", str(registry))
    lake, of = Lake(root / "data" / "lake"), {"variant": WORLD}
    made_by(root)
    found, asked = lake.read("world_filters", of), lake.read("asked_questions", of)
    assert found["is_occluded"].is_null().all()
    kinds = asked.select("question_id", "kind").join(found, on="question_id")
    is_wm = kinds["kind"].str.starts_with("wm")
    assert (kinds["removed_by"].eq_missing("too_different") == is_wm).all()
    assert kinds["removed_by"].null_count() == (~is_wm).sum() > 0
    left = set(kinds.filter(~is_wm)["question_id"])
    answers = {"clip_continuity": set()}  # which answers WM alone
    for model in ("oracle", "mine", "mine+mine", "clip_chain", *answers):
        answered = lake.read("predictions", {**of, "model": model})
        assert set(answered["question_id"]) == answers.get(model, left)
    rows = lake.read("model_accuracies", of).filter(pl.col("n_scored") > 0)
    assert not rows["kind"].str.starts_with("wm").any()
    assert made_by(root) == set()
    monkeypatch.setenv("ENACT_REGISTRY", str(write_registry(root / "registry.yaml")))
    made_by(root)
    assert lake.read("world_filters", of).is_empty()
    assert lake.read("predictions", {**of, "model": "mine"}).height == asked.height
