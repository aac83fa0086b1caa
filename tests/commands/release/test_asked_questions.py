"""Official questions, imported and asked in the graph: the published ones, and verified ones."""

import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from official_files import png, read_jsonl, tree, write_inputs, write_pictures
from results.report.report_pages import Html

from enact_assets.cli import main
from enact_assets.commands.missing_answers import MISSING_ANSWERS
from enact_assets.engine.lake.image_store import ImageStore
from enact_assets.engine.lake.lake import Lake
from enact_assets.questions.asked.given_questions import pictures_named
from enact_assets.questions.asked.imported_questions import ImportedQuestions
from enact_assets.questions.asked.official import (
    OfficialQuestion,
    read_questions,
    write_questions_file,
)
from enact_assets.results.published import query
from enact_assets.results.report_files import REPORT_FILE
from enact_assets.settings.paths import DataRoot

from reference.official_sample import sample_of_160
from reference.undrawn import ASSETS_BUT_REPORT

pytestmark = pytest.mark.slow

TASK = "synth_set_table_2212"
REGISTRY = """
gatings:
  release: {profile: release, contact: true}
  official: {profile: release, contact: true, question_file: any}
variants:
  baseline: {gating: release, sources: [recorded]}
  official: {gating: official, sources: [recorded, questions], asks: all}
questions: {trajectories_per_length: 2, question_set_per_stratum: 9, probe_set_per_stratum: 2}
demonstrations: []
models: [identity, oracle, pixel_continuity, random, text_prior]
"""
SCORES = ("is_exact", "is_semantic", "is_accepted", "n_steps_passed", "pairwise_accuracy")


def noise(*seed: int) -> bytes:
    """Noise of one colour per seed, 16 px."""
    return png(np.random.default_rng(seed).integers(0, 256, (16, 16, 3), np.uint8))


def write_pictures_of(file: Path, root: Path) -> int:
    """A picture for every path in ``file``: of the frame and of the label, as the release's are."""
    asked = ImportedQuestions(file.parent)
    n = 0
    for task in asked.tasks():
        for (frame_id, place), _, image in pictures_named(asked.about(task, asked.files())):
            (root / image).parent.mkdir(parents=True, exist_ok=True)
            (root / image).write_bytes(noise(frame_id, place, *task.encode()))
            n += 1
    return n


@pytest.fixture
def in_force(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        path = tmp_path_factory.mktemp("registry") / "registry.yaml"
        path.write_text(REGISTRY)
        patch.setenv("ENACT_REGISTRY", str(path))
        yield


def leaderboard(root: Path) -> pl.DataFrame:
    wanted = "select * from leaderboard_details where variant = 'official' and length is null"
    return query(DataRoot(root).warehouse, wanted)


@pytest.mark.usefixtures("in_force")
def test_the_published_questions_are_asked_and_scored_by_exact_match(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """160 questions about 28 demonstrations that nobody can replay."""
    folder = tmp_path / "QA"
    folder.mkdir()
    shutil.copy(sample_of_160(), folder / "enact_ordering.jsonl")
    assert write_pictures_of(folder / "enact_ordering.jsonl", tmp_path) == 1040
    with zipfile.ZipFile(tmp_path / "QA.zip", "w") as archive:
        for path in sorted(folder.rglob("*.*")):
            archive.write(path, path.relative_to(tmp_path))
    root = tmp_path / "data"
    data = ["--data", str(root)]
    assert main(["import", str(tmp_path / "QA.zip"), *data]) == 0
    assert main(["materialize", *data]) == 0

    found = leaderboard(root)
    assert found["n_questions"].to_list() == found["n_scored"].to_list() == [80] * 10
    assert set(found["n_verified"]) == {0}
    assert found["pairwise_accuracy"].is_null().all()
    accuracy = {(m, k): a for m, k, a in found.select("model", "kind", "task_accuracy").iter_rows()}
    assert accuracy["oracle", "forward"] == accuracy["oracle", "inverse"] == 1.0
    chance = sum(1 / np.prod(range(1, n)) for n in range(3, 11)) / 8
    assert accuracy["random", "forward"] == pytest.approx(chance, abs=0.1)
    assert accuracy["identity", "inverse"] == pytest.approx(chance, abs=0.1)
    # Its words alone say something about the order of actions.
    assert accuracy["text_prior", "inverse"] > accuracy["random", "inverse"]

    # The report has them as a source of their own: in no figure of our questions, of which there
    # are none.
    report = Html((DataRoot(root).report / REPORT_FILE).read_text(encoding="utf-8"))
    assert {"official", "leaderboard"} <= {attrs.get("id") for attrs in report.of("section")}
    assert "160 official questions of enact_ordering under the variant official" in report.said
    assert "0 were verified semantically" in report.said

    lake = Lake(DataRoot(root).lake)
    assert lake.read_all("question_orders", gating="official").is_empty()
    assert lake.read("compared_steps", {"model": "random", "variant": "official"}).is_empty()
    evaluated = lake.read("evaluation", {"model": "random", "variant": "official"})
    assert set(evaluated["unverified"]) == {"no_replay"}
    asked = lake.read("asked_questions", {"variant": "official"})
    prompts = {q.id: q.question for q in read_questions(sample_of_160())}
    assert dict(asked.select("question_id", "prompt").iter_rows()) == prompts
    assert asked["actions"].list.len().to_list() == (asked["length"] - 1).to_list()
    assert asked["action_components"].list.eval(pl.element().list.len()).list.min().min() > 0
    capsys.readouterr()
    assert main(["leaderboard", *data]) == 0
    assert "are scored by exact match" in capsys.readouterr().out
    out = tmp_path / "out" / "QA" / "again.jsonl"
    assert main(["export", "official", str(out), *data]) == 0
    assert out.read_bytes() == sample_of_160().read_bytes()
    assert tree(out.parent / "images") == tree(folder / "images")
    (root / "question_files" / "enact_ordering.pictures").unlink()
    capsys.readouterr()
    assert main(["export", "official", str(tmp_path / "bare.jsonl"), *data]) == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert "1040 of 1040 pictures that the questions name did not come with their files" in printed


@pytest.fixture
def verified(tmp_path: Path, in_force: None) -> Path:
    """A data root with a replay, and official questions made from it by other commands."""
    write_inputs(tmp_path / "replayed", (TASK,))
    write_pictures(tmp_path / "replayed", TASK)
    folders = [str(tmp_path / "replayed"), str(tmp_path / "segmented")]
    assert main(["segment", *folders]) == 0
    file = tmp_path / "QA" / "made.jsonl"
    made = [*reversed(folders), str(file), "--num-to-sample", "2"]
    assert main(["qa", *made]) == 0
    root = tmp_path / "data"
    assert main(["import", folders[0], str(file), "--data", str(root)]) == 0
    assert main(["materialize", *ASSETS_BUT_REPORT, "--data", str(root)]) == 0
    return tmp_path


def test_with_a_replay_answers_are_verified_as_those_to_our_own_questions(verified: Path) -> None:
    """The same questions, from a file and written here: the same verdicts, step by step."""
    lake = Lake(DataRoot(verified / "data").lake)
    n_partly = 0
    for model in ("oracle", "random", "identity"):
        theirs, ours = (
            lake.read("evaluation", {"model": model, "variant": variant}).sort("question_id")
            for variant in ("official", "baseline")
        )
        assert theirs.height > 20
        columns = ["question_id", "answer", *SCORES]
        shared = theirs.join(ours, on="question_id", how="semi")
        assert shared.select(columns).equals(ours.select(columns))
        assert theirs["unverified"].is_null().all()
        n_partly += theirs.filter(pl.col("pairwise_accuracy").is_between(0.01, 0.99)).height
    assert n_partly > 0
    found = leaderboard(verified / "data")
    assert found["n_verified"].to_list() == found["n_scored"].to_list()
    assert set(found.filter(model="oracle")["pairwise_accuracy"]) == {1.0}
    # The pictures are those of the file, with the labels in them.
    store = ImageStore(DataRoot(verified / "data").images)
    images = lake.read("frame_images", {"demonstration": TASK, "variant": "official"})
    of_key_frame = dict(images.select("key_frame", "image_sha").iter_rows())
    asked = lake.read("asked_questions", {"variant": "official"})
    paths = {q["id"]: q["images"] for q in read_jsonl(verified / "QA" / "made.jsonl")}
    for question, shown in asked.head(12).select("question_id", "shown_key_frames").iter_rows():
        for key_frame, path in zip(shown, paths[question], strict=True):
            stored = store.read_png(of_key_frame[key_frame])
            assert stored == (verified / path).read_bytes()


def test_questions_that_changed_and_a_replay_that_comes_later(verified: Path) -> None:
    """Only what is about the demonstration goes stale; verdicts become semantic with the replay."""
    data = ["--data", str(verified / "data")]
    (link,) = (verified / "data" / "recordings").iterdir()
    target = link.readlink()
    link.unlink()
    file = verified / "QA" / "made.jsonl"
    questions = read_questions(file)
    fewer: list[OfficialQuestion] = questions[:-1]
    write_questions_file(file, fewer)
    assert main(["import", str(file), *data]) == 0
    assert main(["materialize", *data, *ASSETS_BUT_REPORT]) == 0
    lake = Lake(DataRoot(verified / "data").lake)
    of_oracle = {"model": "oracle", "variant": "official"}
    evaluated = lake.read("evaluation", of_oracle)
    assert evaluated.height == len(fewer)
    assert set(evaluated["unverified"]) == {"no_replay"}
    assert lake.read("demonstrations", {"demonstration": TASK})["source"].to_list() == ["questions"]
    assert main(["import", str(target), *data]) == 0
    assert main(["materialize", *data, *ASSETS_BUT_REPORT]) == 0
    assert lake.read("evaluation", of_oracle)["unverified"].is_null().all()
    answers = verified / "answers.jsonl"
    write_questions_file(answers, questions[:1])
    text = answers.read_text().rstrip().removesuffix("}")
    answers.write_text(text + f', "answer": "{questions[0].gt_answer}"}}\n')
    wanted = ["--model", "somebody", "--variant", "official"]
    assert main(["import-answers", str(answers), *wanted, *data]) == 0
    # Somebody gave one answer.
    assert (
        main(["materialize", "--variant", "official", *data, *ASSETS_BUT_REPORT]) == MISSING_ANSWERS
    )
    of_somebody = lake.read("evaluation", {"model": "somebody", "variant": "official"})
    assert of_somebody.filter("is_accepted")["question_id"].to_list() == [questions[0].id]
