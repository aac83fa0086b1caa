"""``eval`` writes the release's report files: a small recording, with scores worked out by hand.

Step 1 adds `Open`, step 2 adds `Cooked`.
"""

import json
from pathlib import Path
from typing import Any

import pytest
from official_files import fridge_frames, read_jsonl, run, tree

from enact_assets.commands.release.evaluating import SUMMARY_FILE

TASK = "fridge_1"
FORWARD, INVERSE = "forward_world_modeling_3_steps", "inverse_world_modeling_3_steps"


@pytest.fixture(scope="module")
def segmented(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("fridge")
    (root / "replayed" / TASK).mkdir(parents=True)
    (root / "replayed" / TASK / "scene_graph_0.json").write_text(json.dumps(fridge_frames()))
    assert run("segment", root / "replayed", root / "segmented") == 0
    return root


def row(root: Path, name: str, kind: str, answer: object) -> dict[str, Any]:
    """An answer to the one question there is, under an id of its own; [1, 2] is right."""
    file = root / "segmented" / TASK / "segmented_scene_graph_0.json"
    ids = list(json.loads(file.read_text()))
    assert len(ids) == 3
    return {
        "id": name, "type": kind, "task_name": TASK, "key_frame_ids": ids, "gt_answer": [1, 2],
        "answer": answer,
    }  # fmt: skip


def write_answers(root: Path, folder: Path) -> None:
    folder.mkdir()
    rows = {
        "first": [
            row(root, "right", FORWARD, "The order is [1, 2]."),
            # Pictures 2, 1: the first step shows Open and Cooked, which is Open at least; the
            # second one shows that Cooked ends.
            row(root, "half", FORWARD, [2, 1]),
            row(root, "unread", FORWARD, "I would rather not."),
            # Actions 2, 1: neither is what happens.
            row(root, "wrong", INVERSE, "[2, 1]"),
        ],
        "second": [row(root, "right", INVERSE, "[1, 2]")],
    }
    for model, found in rows.items():
        text = "".join(json.dumps(r) + "\n" for r in found)
        (folder / f"enact_ordering_{model}.jsonl").write_text(text)
    (folder / "enact_ordering_third.jsonl").mkdir()


def evaluate(root: Path, answers: Path, output: Path, *options: str) -> int:
    return run(
        "eval", answers, "--segmented-data", root / "segmented", "--raw-data", root / "replayed",
        "--output-root", output, *options,
    )  # fmt: skip


def part(count: int, task: float, pairwise: float) -> dict[str, Any]:
    """Statistics of questions that are all of 3 key frames."""
    numbers = {"count": count, "task_accuracy": task, "pairwise_accuracy": pairwise}
    return numbers | {"per_step": {"3_steps": dict(numbers)}}


def scores(*, exact: bool, pairwise: float) -> dict[str, Any]:
    """Here what is right at all is exact; the same order is also right step by step."""
    return {
        "exact_match": exact, "semantic_match": exact, "task_accuracy": exact,
        "pairwise_accuracy": pairwise,
    }  # fmt: skip


def test_files_hold_what_the_scores_are_by_hand(segmented: Path, tmp_path: Path) -> None:
    write_answers(segmented, tmp_path / "answers")
    assert evaluate(segmented, tmp_path / "answers", tmp_path / "out") == 1
    out = tmp_path / "out"
    question = {"task_name": TASK, "ground_truth": [1, 2]}
    assert read_jsonl(out / "detailed_eval" / "enact_ordering_first.jsonl") == [
        question | {
            "id": "right", "type": FORWARD, "eval_metrics": scores(exact=True, pairwise=1.0),
            "model_answer": [1, 2], "raw_answer": "The order is [1, 2].",
        },
        question | {
            "id": "half", "type": FORWARD, "eval_metrics": scores(exact=False, pairwise=0.5),
            "model_answer": [2, 1], "raw_answer": [2, 1],
        },
        question | {
            "id": "wrong", "type": INVERSE, "eval_metrics": scores(exact=False, pairwise=0.0),
            "model_answer": [2, 1], "raw_answer": "[2, 1]",
        },
    ]  # fmt: skip
    performance = json.loads((out / "meta_performance" / "enact_ordering_first.json").read_text())
    overall = part(3, pytest.approx(1 / 3), 0.5)
    assert performance == {
        "model_name": "first",
        "overall_performance": {
            "overall": overall,
            "forward_world_modeling": part(2, 0.5, 0.75),
            "inverse_world_modeling": part(1, 0.0, 0.0),
        },
    }
    summary = json.loads((out / "batch_evaluation_summary.json").read_text())
    third = summary["results"].pop()
    assert third.keys() == {"model_name", "status", "error"}
    assert (third["model_name"], third["status"]) == ("third", "error")
    assert summary == {
        "total_processed": 3, "successful": 2, "failed": 1,
        "results": [
            {"model_name": "first", "status": "success", "overall_stats": overall},
            {"model_name": "second", "status": "success", "overall_stats": part(1, 1.0, 1.0)},
        ],
    }  # fmt: skip


def test_one_file_has_no_summary_of_many(segmented: Path, tmp_path: Path) -> None:
    write_answers(segmented, tmp_path / "answers")
    file = tmp_path / "answers" / "enact_ordering_second.jsonl"
    assert evaluate(segmented, tmp_path / "answers", tmp_path / "out") == 1
    assert evaluate(segmented, file, tmp_path / "out") == 0  # that of the folder is outdated
    names = {place.split("/", 1)[0] for place in tree(tmp_path / "out")}
    assert names == {"first", "second", "detailed_eval", "meta_performance"}
    assert evaluate(segmented, file, tmp_path / "new") == 0
    assert not (tmp_path / "new" / SUMMARY_FILE).exists()


def test_answers_of_other_tasks_leave_no_empty_reports(
    segmented: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Reports without a number look like those of a model that was scored."""
    file = tmp_path / "answers" / "enact_ordering_m.jsonl"
    file.parent.mkdir()
    file.write_text(json.dumps(row(segmented, "q", FORWARD, [1, 2]) | {"task_name": "other"}))
    assert evaluate(segmented, file, tmp_path / "out") == 1
    printed = " ".join(capsys.readouterr().out.split())
    assert "`eval` needs both; `enact-assets import` scores questions without them" in printed
    assert "0 of 1 done, nothing was written" in printed
    assert not (tmp_path / "out").exists()


def test_profile_paper_writes_unparsed_answers_as_wrong(segmented: Path, tmp_path: Path) -> None:
    arguments = (segmented / "replayed", tmp_path / "segmented", "--profile", "paper")
    assert run("segment", *arguments) == 0
    (tmp_path / "replayed").symlink_to(segmented / "replayed")
    write_answers(tmp_path, tmp_path / "answers")
    file = tmp_path / "answers" / "enact_ordering_first.jsonl"
    assert evaluate(tmp_path, file, tmp_path / "out", "--profile", "paper") == 0
    found = read_jsonl(tmp_path / "out" / "detailed_eval" / "enact_ordering_first.jsonl")
    assert {r["id"]: r["eval_metrics"]["task_accuracy"] for r in found} == {
        "right": True, "half": False, "unread": False, "wrong": False,
    }  # fmt: skip
    assert {r["id"] for r in found if r["model_answer"] is None} == {"unread"}
    assert {json.dumps(r["raw_answer"]) for r in found} >= {"[2, 1]", '"[2, 1]"'}


def test_a_file_without_a_readable_row_keeps_its_earlier_reports(
    segmented: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_answers(segmented, tmp_path / "answers")
    evaluate(segmented, tmp_path / "answers", tmp_path / "out")
    before = tree(tmp_path / "out")
    file = tmp_path / "answers" / "enact_ordering_first.jsonl"
    file.write_text("{broken\n{broken\n")
    assert evaluate(segmented, tmp_path / "answers", tmp_path / "out") == 1
    after = tree(tmp_path / "out")
    summary = json.loads(after.pop(SUMMARY_FILE))
    assert [r["status"] for r in summary["results"]] == ["error", "success", "error"]
    assert "none of 2 rows can be read" in summary["results"][0]["error"]
    assert after == {place: text for place, text in before.items() if place != SUMMARY_FILE}


@pytest.mark.parametrize("name", [SUMMARY_FILE, "detailed_eval", "meta_performance"])
def test_no_model_takes_the_place_of_a_report(segmented: Path, tmp_path: Path, name: str) -> None:
    (tmp_path / "answers").mkdir()
    line = json.dumps(row(segmented, "right", FORWARD, [1, 2])) + "\n"
    for model in (name, "other"):
        (tmp_path / "answers" / f"enact_ordering_{model}.jsonl").write_text(line)
    assert evaluate(segmented, tmp_path / "answers", tmp_path / "out") == 1
    summary = json.loads((tmp_path / "out" / SUMMARY_FILE).read_text())
    errors = [r["error"] for r in summary["results"] if r["model_name"] == name]
    assert ["cannot name a model" in error for error in errors] == [True]


@pytest.mark.parametrize("name", ["detailed_eval", "unknown"])
def test_answers_are_never_replaced_by_a_report(
    segmented: Path, tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """They may have cost money, and a report has their name."""
    write_answers(segmented, tmp_path / name)
    answers = tmp_path / name
    if name == "unknown":
        answers = (tmp_path / name / "enact_ordering_first.jsonl").rename(
            tmp_path / name / "results.jsonl"
        )
    before = tree(tmp_path)
    assert evaluate(segmented, answers, tmp_path) == 1
    assert before.items() <= tree(tmp_path).items()
    assert "is an answer file" in " ".join(capsys.readouterr().out.split())
