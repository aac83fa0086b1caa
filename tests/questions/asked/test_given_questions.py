"""Imported questions in place of ours: by demonstration, their key frames, words and pictures."""

import io
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from PIL import Image

from enact_assets.answers.baselines.known_models import KnownModels
from enact_assets.answers.baselines.tables import Predictions
from enact_assets.cli import main
from enact_assets.commands.release.importing import import_paths
from enact_assets.commands.release.question_importing import look_for_pictures
from enact_assets.demonstrations.pictures.demonstration_sources import QuestionsSource
from enact_assets.demonstrations.pictures.tables import WantedFrames
from enact_assets.demonstrations.recordings.folders import Recordings
from enact_assets.demonstrations.replay.tables import Facts, Objects
from enact_assets.engine.errors import QuestionFileError, RenderError
from enact_assets.engine.lake.image_store import ImageStore
from enact_assets.engine.progress import unheard
from enact_assets.pipeline.lineage.versions import GONE, Arrived
from enact_assets.questions.asked import imported_questions
from enact_assets.questions.asked.given_questions import (
    actions_in,
    components_of,
    given_frames,
    given_qa,
    key_frames_of,
    pictures_named,
)
from enact_assets.questions.asked.imported_questions import FoundQuestion, ImportedQuestions
from enact_assets.questions.asked.official import (
    OfficialQuestion,
    image_paths,
    question_type,
    read_questions,
    write_questions_file,
)
from enact_assets.questions.files.given_pictures import ShownPicture, given_key_frames
from enact_assets.questions.files.pictures import link_pictures, linked_pictures, pictures_at
from enact_assets.questions.key_frames.given_key_frames import given, is_given
from enact_assets.results.verification.evaluate import RELEASE_ANSWERS, evaluate
from enact_assets.settings.classes import Gating
from enact_assets.settings.paths import DataRoot
from enact_assets.settings.profile import RELEASE
from enact_assets.settings.registry import load_registry

from reference.builders import build_recorded

TASK = "tidy_7"
ACTIONS = ["The mug becomes inside the box.", "The box stopped being open."]
PROMPT = f"Order.\n[Action 1] {ACTIONS[0]}\n[Action 2] {ACTIONS[1]}\n"


def question(
    kind: str = "forward", ids: tuple[int, ...] = (60, 305, 516), **changed: Any
) -> OfficialQuestion:
    type_ = question_type(kind, len(ids), is_published=True)
    name = f"{TASK}_{type_}_{ids[-1]}"
    fields = {
        "id": name,
        "type": type_,
        "task_name": TASK,
        "key_frame_ids": [str(i) for i in ids],
        "images": image_paths(name, type_, TASK, len(ids)),
        "question": PROMPT,
        "options": [],
        "gt_answer": [2, 1],
    }
    return OfficialQuestion(**(fields | changed))


def write(path: Path, questions: Iterable[OfficialQuestion]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_questions_file(path, questions)


def demonstrations(source: str, ids: list[int]) -> pl.DataFrame:
    return build_recorded(TASK, ids, source=source, activity="tidy")


def found(*questions: OfficialQuestion) -> list[FoundQuestion]:
    return [FoundQuestion("asked", k, q) for k, q in enumerate(questions, 1)]


def png(value: int) -> bytes:
    out = io.BytesIO()
    Image.fromarray(np.full((4, 4, 3), value, np.uint8)).save(out, "PNG")
    return out.getvalue()


@pytest.mark.parametrize(
    ("sentence", "component"),
    [
        ("The robot r1 changes to be using the left gripper to grasp the jar.",
         "+LeftGrasping(robot r1, jar)"),
        ("The plate stopped being on top of and touching the table.", "-OnTop(plate, table)"),
        ("The mug is no longer under the tray.", "-Under(mug, tray)"),
        ("The oven now becomes turned on.", "+ToggledOn(oven)"),
        ("The half onion now becomes the diced onion.", "~Transition(half onion, diced onion)"),
        ("The apple and the pear have turned into the salad.",
         "~Transition(apple and pear, salad)"),
        ("The mug is not inside the box any more.", "-Inside(mug, box)"),
        ("The diced chilis are on top of the board from now on.", "+OnTop(diced chilis, board)"),
        ("The kettle becomes heated.", "+Heated(kettle)"),
        ("The cloth stopped being folded.", "-Folded(cloth)"),
        ("The burner transitions to be heat source or sink.", "+HeatSourceOrSink(burner)"),
        ("The mug is no longer in field of view of robot.", "-InFOVofRobot(mug)"),
        ("The lid becomes overlaid on the pot.", "+Overlaid(lid, pot)"),
        ("The robot r1 changes to be grasping the mug.", "+Grasping(robot r1, mug)"),
    ],
)  # fmt: skip
def test_sentences_of_both_wordings_say_their_components(sentence: str, component: str) -> None:
    """What text alone gives away is measured by what it says."""
    assert components_of(sentence) == [component]
    assert components_of(f"It glows. {sentence} {sentence}") == [component] * 2


def test_only_all_actions_of_a_prompt_are_its_actions() -> None:
    assert actions_in(PROMPT, 2) == ACTIONS
    assert actions_in(PROMPT, 3) == actions_in("[Action 2] The box opens.", 1) == []


def test_a_frame_at_two_places_is_two_key_frames_in_true_order() -> None:
    """Labels are drawn into the pictures of a question, so they differ by place."""
    asked = found(question(), question("inverse"))
    assert key_frames_of(asked) == [(60, 0), (305, 1), (305, 2), (516, 1), (516, 2)]
    about = demonstrations("questions", list(range(517)))
    frames = given_frames(about, asked)
    gating = Gating("official", RELEASE, (), question_file="any")
    made = given(about, Facts.empty(), Objects.empty(), gating, None, frames=frames)
    assert made.segmented_frames["frame_id"].to_list() == [60, 305, 305, 516, 516]
    rows = given_qa(made.segmented_frames, asked)
    by_kind = {row["kind"]: row for row in rows.iter_rows(named=True)}
    # gt_answer [2, 1]: the second picture shows the first later state.
    assert by_kind["forward"]["shown_key_frames"] == [0, 3, 2]
    assert by_kind["forward"]["key_frames"] == [0, 2, 3]
    assert by_kind["inverse"]["shown_key_frames"] == by_kind["inverse"]["key_frames"] == [0, 1, 4]
    assert by_kind["forward"]["action_components"] == [["+Inside(mug, box)"], ["-Open(box)"]]
    assert rows["prompt"].to_list() == [PROMPT] * 2
    assert given_qa(made.segmented_frames, []).is_empty()


def test_frames_that_the_replay_lacks_name_task_file_and_first() -> None:
    asked = found(question(), question(ids=(60, 700, 900)))
    with pytest.raises(QuestionFileError, match=r"tidy_7: 2 of 5 .* first 700 \(line 2 .*'asked'"):
        given_frames(demonstrations("recorded", list(range(600))), asked)
    frames = given_frames(demonstrations("recorded", list(range(10, 1000))), asked)
    assert frames.tolist() == [50, 295, 506, 690, 890]
    padded = found(question(key_frame_ids=["060", "305", "0700"]))
    with pytest.raises(QuestionFileError, match=r"1 of 3 .* first 700 \(line 1 .*'asked'"):
        given_frames(demonstrations("recorded", list(range(600))), padded)


def test_the_same_question_of_two_files_counts_once_and_another_is_refused(tmp_path: Path) -> None:
    """Two data sets under one id would be scored as one."""
    asked = ImportedQuestions(tmp_path)
    write(tmp_path / "a.jsonl", [question()])
    before = asked.version(TASK)
    write(tmp_path / "b.jsonl", [question(images=["x.png", "y.png", "z.png"])])
    assert asked.version(TASK) == before
    assert [(f.file, f.line) for f in asked.about(TASK, ["a", "b"])] == [("a", 1)]
    assert len(asked.pictured(TASK, ["a", "b"])) == 2
    assert asked.last_frame_id(TASK) == 516
    replay = QuestionsSource(asked).replay(TASK, unheard).demonstrations
    assert replay.select("n_frames", "frame_rate_hz").row(0) == (517, 0)  # its length is unknown
    assert not is_given(replay)  # its frames are not key frames: none is recorded
    assert asked.version("other") is asked.last_frame_id("other") is None
    write(tmp_path / "b.jsonl", [question(gt_answer=[1, 2])])
    assert asked.version(TASK) != before
    with pytest.raises(QuestionFileError, match=r"line 1 of 'b' asks something else .* 1 of 'a'"):
        asked.about(TASK, ["a", "b"])
    assert asked.about(TASK, ["b"])[0].question.gt_answer == [1, 2]


def test_a_question_without_its_answer_is_the_labelled_one_of_another_file(tmp_path: Path) -> None:
    """By what it says: under one id it is asked once, and under another it is counted."""
    asked = ImportedQuestions(tmp_path)
    of_test = [question(gt_answer=[]), question(id="other", gt_answer=[])]
    write(tmp_path / "a_test.jsonl", of_test)
    write(tmp_path / "b_dev.jsonl", [question()])
    found_ones = asked.about(TASK, ["a_test", "b_dev"])
    assert [(f.file, f.question.gt_answer) for f in found_ones] == [
        ("a_test", []),
        ("b_dev", [2, 1]),
    ]
    assert asked.also_in(of_test, "a_test") == {"b_dev": 1}
    (tmp_path / "c_damaged.jsonl").write_text("{")
    assert asked.also_in(of_test, "a_test") == {"b_dev": 1}, "a good file comes in beside a bad one"
    (tmp_path / "c_damaged.jsonl").unlink()
    write(tmp_path / "b_dev.jsonl", [question(question="Another.")])
    assert asked.also_in(of_test, "a_test") == {}
    with pytest.raises(QuestionFileError, match="asks something else"):
        asked.about(TASK, ["a_test", "b_dev"])


def test_pictures_of_unlabelled_forward_questions_are_key_frames_of_their_own() -> None:
    """Which frame a picture shows is what is asked: two questions may show one frame anywhere."""
    asked = found(
        question(id="a", gt_answer=[]),
        question(id="b", gt_answer=[]),
        question("inverse", id="c", gt_answer=[]),
        question("inverse", id="d"),
    )
    assert [frame for frame, _ in key_frames_of(asked)] == sorted([60, 305, 516] * 3)
    rows = {row["question_id"]: row for row in given_qa(_segmented(*asked), asked).to_dicts()}
    assert not {*rows["a"]["key_frames"]} & {*rows["b"]["key_frames"]}
    assert rows["c"]["key_frames"] == rows["d"]["key_frames"]
    assert [rows[k]["answer"] for k in "abcd"] == [[], [], [], [2, 1]]
    assert all(rows[k]["key_frames"] == rows[k]["shown_key_frames"] for k in "abcd")


def test_any_number_of_files_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A plan asks for each demonstration: reading 65 files for each of them took minutes."""
    for k in range(65):
        write(tmp_path / f"{k}.jsonl", [question(id=f"q{k}")])
    read: list[Path] = []

    def lines(path: Path) -> Iterable[tuple[int, bytes, int]]:
        read.append(path)
        return lines_of(path)

    lines_of = imported_questions._lines
    monkeypatch.setattr(imported_questions, "_lines", lines)
    asked = ImportedQuestions(tmp_path)
    before = [asked.version(TASK) for _ in range(3)]
    assert len(read) == 65
    write(tmp_path / "3.jsonl", [question(id="other")])
    assert asked.version(TASK) not in before
    assert len(read) == 66


@pytest.mark.parametrize("is_zip", [False, True])
def test_pictures_that_changed_make_what_shows_them_stale(tmp_path: Path, is_zip: bool) -> None:
    """Otherwise models go on being shown the old ones, and nothing says so."""
    root = DataRoot(tmp_path / "data", lake_url=None)
    arrived = Arrived(Recordings(root.recordings), root.question_files, KnownModels(root))
    official = load_registry().gating("official")

    def version() -> str:
        return arrived.given("given_pictures", TASK, official)

    asked = question()
    files = {image: png(k) for k, image in enumerate(asked.images)}
    write(root.question_files / "asked.jsonl", [asked])
    none = version()
    place = write_at(tmp_path / "QA", files, is_zip=is_zip)
    link_pictures(root.question_files, "asked", place)
    versions = [none, version()]
    assert version() == versions[-1]
    # Written again in place: no folder changes.
    files[asked.images[1]] += b"more"
    write_at(tmp_path / "QA", files, is_zip=is_zip)
    versions.append(version())
    # Shown in another order.
    first, second, third = asked.images
    write(root.question_files / "asked.jsonl", [question(images=[first, third, second])])
    assert arrived.given("given_questions", TASK, official) != GONE
    versions.append(version())
    if not is_zip:
        (place / third.removeprefix("QA/")).unlink()
        versions.append(version())
    assert len(set(versions)) == len(versions)


@pytest.mark.parametrize("is_zip", [False, True])
def test_a_picture_of_another_task_is_not_taken(tmp_path: Path, is_zip: bool) -> None:
    """The first parts of a path may be left out, but the task is what tells two pictures apart."""
    place = tmp_path / "pictures"
    if is_zip:
        place = place.with_suffix(".zip")
        with zipfile.ZipFile(place, "w") as archive:
            for name in ("cur.png", "task_b/cur.png"):
                archive.writestr(name, png(1))
    else:
        (place / "task_b").mkdir(parents=True)
        for name in ("cur.png", "task_b/cur.png"):
            (place / name).write_bytes(png(1))
    pictures = pictures_at(place)
    assert pictures.find("images/task_a/cur.png") is pictures.find("task_a/cur.png") is None
    assert pictures.find("QA/images/task_b/cur.png") == "task_b/cur.png"
    assert pictures.find("cur.png") == "cur.png"


@pytest.mark.parametrize("is_zip", [False, True])
def test_pictures_come_from_a_folder_or_a_zip_and_must_agree(tmp_path: Path, is_zip: bool) -> None:
    """A picture of another data set under the same label would be shown as if it were right."""
    asked = found(question(), question(ids=(60, 305, 999)))
    number = {one: k for k, one in enumerate(key_frames_of(asked))}
    files = {image: png(one[0] % 251) for one, _, image in pictures_named(asked)}
    lost = asked[1].question.images[1]  # frame 999
    del files[lost]
    place = write_at(tmp_path / "one", files, is_zip=is_zip)
    wanted = wanted_frames(asked)
    store = ImageStore(tmp_path / "images")

    def made(place: Path, others: dict[int, bytes]) -> pl.DataFrame:
        pictures = pictures_at(place)
        shown = [
            ShownPicture(number[one], q.question.id, pictures, name)
            for one, q, image in pictures_named(asked)
            if (name := pictures.find(image)) is not None
        ]
        return given_key_frames(wanted, shown, store, lambda ids: iter(
            (f, png_) for f, png_ in others.items() if f in ids
        ))  # fmt: skip

    rows = made(place, {})
    assert wanted.join(rows, on="key_frame", how="anti")["frame"].to_list() == [999]
    assert store.read_png(rows.filter(frame=305)["image_sha"][0]) == png(305 % 251)
    assert made(place, {999: png(9), 60: png(1)}).height == wanted.height
    files[asked[1].question.images[0]] = png(0)
    other = write_at(tmp_path / "two", files, is_zip=is_zip)
    with pytest.raises(RenderError, match="one frame has two pictures under one label") as refused:
        made(other, {})
    for named in asked:
        assert named.question.images[0].removeprefix("QA/") in str(refused.value)
    # Import and validate say it before anything is made.
    file = tmp_path / "asked.jsonl"
    write_questions_file(file, [q.question for q in asked])
    read = read_questions(file)
    assert not look_for_pictures(read, pictures_at(place)).contradiction
    said = look_for_pictures(read, pictures_at(other)).contradiction
    assert said.startswith("1 of 3 labelled frames have two different pictures, in 1 of 1 ")
    assert f"frame id 60 of {TASK} as 'Current State' is " in said
    taken = import_paths([file], DataRoot(tmp_path / "data"), pictures=other)
    assert taken.is_success
    assert [said in note for note in taken.notes].count(True) == 1


def jpeg(level: int) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (40, 40), (level, level, level)).save(out, "JPEG")
    return out.getvalue()


@pytest.mark.parametrize("suffix", [".jpg", ".png"])
def test_a_set_encoded_again_is_read_and_a_broken_picture_costs_its_key_frame(
    suffix: str,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """17 GB of PNG files become 2 of JPEG; `validate` found nothing wrong and every task failed."""
    images = [str(Path(image).with_suffix(suffix)) for image in question().images]
    asked = found(question(images=images))
    place = tmp_path / "QA"
    write(place / "asked.jsonl", [asked[0].question])
    for k, image in enumerate(images):
        (tmp_path / image).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / image).write_bytes(jpeg(60 * k))
    pictures, store = pictures_at(place), ImageStore(tmp_path / "images")

    def made() -> pl.DataFrame:
        shown = [
            ShownPicture(k, q.question.id, pictures, str(pictures.find(image)))
            for k, (_, q, image) in enumerate(sorted(pictures_named(asked)))
        ]
        return given_key_frames(wanted_frames(asked), shown, store, lambda _: iter(()))

    assert main(["validate", str(place / "asked.jsonl")]) == 0
    assert "no problems" in capsys.readouterr().out
    levels = [int(store.read(sha).mean().round()) for sha in made()["image_sha"]]
    assert sorted(levels) == [0, 60, 120]
    (tmp_path / images[1]).write_bytes(jpeg(60)[:400])
    assert main(["validate", str(place / "asked.jsonl")]) == 1
    said = " ".join(capsys.readouterr().out.split())
    assert "1 of 3 key frames show no picture, first" in said
    assert "does not decode as JPEG" in said
    assert made().height == 2
    assert "1 of 3 key frames have a file that is no picture" in caplog.text
    for image in images:
        (tmp_path / image).write_bytes(b"")
    with pytest.raises(RenderError, match=r"none of 3 key frames has a picture: .*does not decode"):
        made()


def wanted_frames(asked: list[FoundQuestion]) -> pl.DataFrame:
    return WantedFrames.build(
        [
            {
                "demonstration": TASK,
                "variant": "official",
                "gating": "official",
                "key_frame": k,
                "frame": frame_id,
                "frame_id": frame_id,
            }
            for k, (frame_id, _) in enumerate(key_frames_of(asked))
        ]
    )


def write_at(place: Path, files: dict[str, bytes], *, is_zip: bool) -> Path:
    """``files`` below a folder, or in a zip with one more folder around them."""
    if is_zip:
        place = place.with_suffix(".zip")
        with zipfile.ZipFile(place, "w") as archive:
            for name, content in files.items():
                archive.writestr(f"ENACT/{name}", content)
        return place
    for name, content in files.items():
        # Without QA/, as beside a question file in that folder.
        path = place / name.removeprefix("QA/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return place


def test_a_damaged_zip_and_a_place_out_of_reach_are_named(tmp_path: Path) -> None:
    (image,) = question().images[:1]
    place = write_at(tmp_path / "x", {image: png(1) * 40}, is_zip=True)
    content = bytearray(place.read_bytes())
    content[80:90] = bytes(10)
    place.write_bytes(content)
    pictures = pictures_at(place)
    name = pictures.find(image)
    assert name is not None
    with pytest.raises(QuestionFileError, match=r"x\.zip: ENACT/QA/images/.*cannot be read"):
        pictures.read(name)
    folder = tmp_path / "question_files"
    folder.mkdir()
    assert linked_pictures(folder, "asked") is None
    link_pictures(folder, "asked", place)
    assert linked_pictures(folder, "asked") == pictures
    place.unlink()
    with pytest.raises(QuestionFileError, match="cannot be reached"):
        linked_pictures(folder, "asked")


def test_importing_counts_pictures_and_names_those_that_are_missing(tmp_path: Path) -> None:
    root = DataRoot(tmp_path / "data")
    folder = tmp_path / "QA"
    write(folder / "asked.jsonl", [question(), question("inverse")])
    images = [image for q in (question(), question("inverse")) for image in q.images]
    summary = import_paths([folder / "asked.jsonl"], root)
    assert summary.outcomes[0].numbers == {"questions": 2, "demonstrations": 1, "pictures": 0}
    assert f"6 of 6 pictures are missing, first {images[0]}" in summary.notes[0]
    for image in images[1:]:
        (tmp_path / image).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / image).write_bytes(png(1))
    summary = import_paths([folder / "asked.jsonl"], root)
    assert summary.outcomes[0].numbers["pictures"] == 5
    # Kept when the file is imported again from a place without pictures.
    elsewhere = tmp_path / "elsewhere" / "asked.jsonl"
    write(elsewhere, [question()])
    assert import_paths([elsewhere], root).outcomes[0].numbers["pictures"] == 2
    refused = import_paths([elsewhere], root, pictures=tmp_path / "elsewhere")
    assert "Name the folder or zip that has them" in str(refused.outcomes[0].error)
    write(tmp_path / "any.jsonl", [question()])
    assert "not 'any'" in str(import_paths([tmp_path / "any.jsonl"], root).outcomes[0].error)


def test_without_a_replay_only_the_reference_is_right() -> None:
    """What a replay might have accepted is neither accepted nor credited."""
    rows = given_qa(_segmented(*found(question())), found(question()))
    said = {"exact": "[2, 1]", "other": "[1, 2]", "short": "[2]", "words": "none", "missing": None}
    predictions = Predictions.build(
        [
            dict.fromkeys(Predictions.schema())
            | {"model": model, "variant": "official", "question_id": rows["question_id"][0]}
            | {"repetition": 0, "request_sha": "", "raw_answer": raw}
            | {"error": "lost" if raw is None else None}
            for model, raw in said.items()
        ]
    )
    made = evaluate(predictions, rows, {TASK: None}, RELEASE_ANSWERS).sort("model")
    by_model = {row["model"]: row for row in made.iter_rows(named=True)}
    accepted = {model: row["is_accepted"] for model, row in by_model.items()}
    assert accepted == {
        "exact": True, "other": False, "short": False, "words": None, "missing": None
    }  # fmt: skip
    assert made["is_exact"].to_list() == made["is_accepted"].to_list()
    for column in ("is_semantic", "n_steps_passed", "pairwise_accuracy"):
        assert made[column].is_null().all(), column
    assert set(made["unverified"]) == {"no_replay"}
    assert by_model["words"]["answer_status"] == "unparsed"


def _segmented(*asked: FoundQuestion) -> pl.DataFrame:
    about = demonstrations("questions", list(range(517)))
    gating = Gating("official", RELEASE, (), question_file="any")
    frames = given_frames(about, asked)
    return given(
        about, Facts.empty(), Objects.empty(), gating, None, frames=frames
    ).segmented_frames
