"""``segment``, ``qa``, ``eval`` on recorded replays: what the public release made of them."""

import io
import json
import re
from pathlib import Path

import pytest
from official_files import (
    fridge_frames,
    picture,
    read_jsonl,
    run,
    tree,
    write_inputs,
    write_pictures,
)
from rich.table import Table
from rich.text import Text

from enact_assets.commands.terminal import TextConsole

from reference.conformance import TASKS, expected

DIFF_TASK = "synth_set_table_2212"
REQUESTED = 30


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Both replays segmented and asked about, by the commands."""
    root = tmp_path_factory.mktemp("official")
    write_inputs(root / "replayed")
    assert run("segment", root / "replayed", root / "segmented") == 0
    assert ask(root, "--num-to-sample", REQUESTED) == 0
    return root


def ask(root: Path, *options: object) -> int:
    return run("qa", root / "segmented", root / "replayed", root / "QA" / "all.jsonl", *options)


def evaluate(root: Path, predictions: Path, output: Path, *options: object) -> int:
    return run(
        "eval", predictions, "--segmented-data", root / "segmented", "--raw-data",
        root / "replayed", "--output-root", output, *options,
    )  # fmt: skip


@pytest.mark.parametrize("name", TASKS)
def test_key_frames_are_those_of_the_release(done: Path, name: str) -> None:
    """People switch with data at hand: one key frame off, and no question fits its pictures."""
    file = done / "segmented" / name / "segmented_scene_graph_0.json"
    records = json.loads(file.read_text(encoding="utf-8"))
    assert list(map(int, records)) == expected(name)["segmentation"]["key_frame_ids"]
    first, *later = records.values()
    assert first["type"] == "full"
    assert {record["type"] for record in later} == {"diff"}


def test_written_differences_lead_from_one_graph_to_the_next(done: Path) -> None:
    """A difference that adds nothing new, or removes what was not there, misleads its reader."""
    for name in TASKS:
        file = done / "segmented" / name / "segmented_scene_graph_0.json"
        first, *later = json.loads(file.read_text(encoding="utf-8")).values()
        nodes = {n["name"]: n for n in first["nodes"]}
        for record in later:
            assert not nodes.keys() & {n["name"] for n in record["add"]["nodes"]}
            assert nodes.keys() >= {n["name"] for n in record["remove"]["nodes"]}
            for n in record["remove"]["nodes"]:
                del nodes[n["name"]]
            for n in (*record["add"]["nodes"], *record["update"]["nodes"]):
                assert nodes.get(n["name"]) != n
                nodes[n["name"]] = n


@pytest.mark.parametrize("name", TASKS)
def test_questions_are_those_of_the_release_ids_included(done: Path, name: str) -> None:
    by_id = {q["id"]: q for q in read_jsonl(done / "QA" / "all.jsonl")}
    for item in expected(name)["qa"]["items"]:
        question = by_id[item["id"]]
        assert question["type"] == item["type"]
        assert list(map(int, question["key_frame_ids"])) == item["key_frame_ids"]
        assert question["gt_answer"] == item["gt_answer"]


def test_questions_come_in_the_order_of_the_release(done: Path) -> None:
    """By length, forward first, then task; within these as drawn."""
    questions = read_jsonl(done / "QA" / "all.jsonl")
    key = [
        (int(re.findall(r"_(\d+)_steps", q["type"])[0]), q["type"].split("_")[0], q["task_name"])
        for q in questions
    ]
    assert key == sorted(key)
    for name in TASKS:
        for sampled, sequences in expected(name)["reference_sampled_sequences"].items():
            kind, length = sampled.split("_")
            type_ = f"{kind}_world_modeling_{length}_steps"
            assert sequences == [
                list(map(int, q["key_frame_ids"]))
                for q in questions
                if q["type"] == type_ and q["task_name"] == name
            ]


def write_answers(done: Path, folder: Path) -> None:
    """One file per slot of answers, as if each slot were a model."""
    folder.mkdir()
    by_id = {q["id"]: q for q in read_jsonl(done / "QA" / "all.jsonl")}
    for slot in range(6):
        lines = []
        for name in TASKS:
            recorded = expected(name)["qa"]
            for row in recorded["evaluations"]:
                if row["slot"] == slot:
                    question = by_id[recorded["items"][row["qa"]]["id"]]
                    lines.append(json.dumps(question | {"answer": row["answer"]}))
        (folder / f"enact_ordering_slot{slot}.jsonl").write_text("\n".join(lines) + "\n")


def test_rows_about_frames_that_are_no_key_frames_are_scored(done: Path, tmp_path: Path) -> None:
    """parity D2, D2b: none was, and the message said that answers were unreadable. Verdicts on
    other rows stay what they were, and rows about frames that are not there say so.
    """
    rows = [
        row | {"answer": row["gt_answer"]}
        for row in read_jsonl(done / "QA" / "all.jsonl")
        if len(row["gt_answer"]) == 2
    ]
    moved = [
        row
        | {
            "id": f"moved {row['id']}",
            "key_frame_ids": [str(int(k) + 1) for k in row["key_frame_ids"]],
        }
        for row in rows
    ]
    absent = rows[0] | {"id": "absent", "key_frame_ids": ["999999", *rows[0]["key_frame_ids"][1:]]}
    for name, given in (("alone", rows), ("both", [*rows, *moved, absent]), ("absent", [absent])):
        file = tmp_path / name / f"enact_ordering_{name}.jsonl"
        file.parent.mkdir()
        file.write_text("\n".join(map(json.dumps, given)))
        assert evaluate(done, file.parent, tmp_path / "out") == (1 if name == "absent" else 0)
    alone, both = (
        read_jsonl(tmp_path / "out" / name / "results.jsonl") for name in ("alone", "both")
    )
    assert both[: len(rows)] == alone
    assert {row["reason"] for row in both[len(rows) : -1]} == {None}
    assert all(row["is_accepted"] for row in both[:-1])
    assert both[-1]["reason"] == "unknown_frame"


@pytest.mark.parametrize("is_analyzed", [False, True])
def test_every_verdict_is_that_of_the_release(
    done: Path, tmp_path: Path, is_analyzed: bool
) -> None:
    """Through the files people have: parsing, skipping and scores, row by row."""
    write_answers(done, tmp_path / "answers")
    options = ["--analyze-wrong-cases"] if is_analyzed else []
    assert evaluate(done, tmp_path / "answers", tmp_path / "out", *options) == 0
    for slot in range(6):
        results = read_jsonl(tmp_path / "out" / f"slot{slot}" / "results.jsonl")
        found = {row["question_id"]: row for row in results}
        name = f"enact_ordering_slot{slot}"
        detailed = read_jsonl(tmp_path / "out" / "detailed_eval" / f"{name}.jsonl")
        metrics = {row["id"]: row["eval_metrics"] for row in detailed}
        n_scored = 0
        for name in TASKS:
            recorded = expected(name)["qa"]
            for row in (r for r in recorded["evaluations"] if r["slot"] == slot):
                verdict = found[recorded["items"][row["qa"]]["id"]]
                if row["outcome"] == "skipped":
                    assert verdict["reason"] == row["reason"]
                elif is_analyzed and "skipped_with_analyze_wrong_cases" in row:
                    assert verdict["reason"] == row["skipped_with_analyze_wrong_cases"]
                else:
                    n_scored += 1
                    assert verdict["reason"] is None
                    assert verdict["parsed"] == row["parsed"]
                    assert verdict["is_exact"] == row["exact_match"]
                    assert verdict["is_semantic"] == row["semantic_match"]
                    assert verdict["is_accepted"] == row["task_accuracy"]
                    assert verdict["pairwise_accuracy"] == row["pairwise_accuracy"]
                    scores = metrics.pop(recorded["items"][row["qa"]]["id"])
                    assert scores == {score: row[score] for score in scores}
        assert metrics == {}
        file = tmp_path / "out" / f"slot{slot}" / "report.json"
        assert json.loads(file.read_text())["overall"]["count"] == n_scored
        wrong = tmp_path / "out" / f"slot{slot}" / "wrong_cases.json"
        assert wrong.exists() == is_analyzed
        if is_analyzed:
            n_wrong = sum(r["reason"] is None and not r["is_accepted"] for r in results)
            assert len(json.loads(wrong.read_text())) == n_wrong


def test_a_report_of_one_task_has_the_numbers_of_the_release(done: Path, tmp_path: Path) -> None:
    write_answers(done, tmp_path / "answers")
    for name in TASKS:
        file = tmp_path / "answers" / "enact_ordering_slot0.jsonl"
        rows = [r for r in read_jsonl(file) if r["task_name"] == name]
        one = tmp_path / f"{name}.jsonl"
        one.write_text("".join(json.dumps(r) + "\n" for r in rows))
        assert evaluate(done, one, tmp_path / name) == 0
        report = json.loads((tmp_path / name / "unknown" / "report.json").read_text())
        file = tmp_path / name / "meta_performance" / "enact_ordering_unknown.json"
        whole = {"model_name": "unknown", "overall_performance": report}
        assert json.loads(file.read_text()) == whole
        recorded = expected(name)["qa"]["reports"]["slot_0"]
        assert report.keys() == recorded.keys()
        for part, numbers in recorded.items():
            assert report[part]["count"] == numbers["count"]
            for score in ("task_accuracy", "pairwise_accuracy"):
                assert report[part][score] == pytest.approx(numbers[score], abs=1e-12)
            assert report[part]["per_step"].keys() == numbers["per_step"].keys()


def test_paper_counts_unparsed_answers_as_wrong(done: Path, tmp_path: Path) -> None:
    """The reference order is right under either profile, a refusal wrong under this one."""
    assert run("segment", done / "replayed", tmp_path / "segmented", "--profile", "paper") == 0
    output = tmp_path / "QA" / "paper.jsonl"
    arguments = ("--profile", "paper", "--num-to-sample", 3)
    assert run("qa", tmp_path / "segmented", done / "replayed", output, *arguments) == 0
    questions = read_jsonl(output)
    assert {q["type"].split("_")[0] for q in questions} == {"forward", "inverse"}
    answers = [str(q["gt_answer"]) for q in questions]
    answers[0], answers[1] = "I would rather not.", None
    lines = [json.dumps(q | {"answer": a}) for q, a in zip(questions, answers, strict=True)]
    (tmp_path / "enact_ordering_m.jsonl").write_text("\n".join(lines))
    code = run(
        "eval", tmp_path / "enact_ordering_m.jsonl", "--segmented-data", tmp_path / "segmented",
        "--raw-data", done / "replayed", "--output-root", tmp_path / "out", "--profile", "paper",
    )  # fmt: skip
    assert code == 0
    report = json.loads((tmp_path / "out" / "m" / "report.json").read_text())
    assert report["overall"]["n_missing"] == 1
    assert report["overall"]["n_unparsed"] == 1
    n = len(questions) - 1
    assert report["overall"]["task_accuracy"] == pytest.approx((n - 1) / n)


def test_pictures_are_labelled_once_and_linked(tmp_path: Path) -> None:
    """The release stores each again for every question: 17 GB for 8,972 of them."""
    write_inputs(tmp_path / "replayed", (DIFF_TASK,))
    ids = write_pictures(tmp_path / "replayed", DIFF_TASK)
    assert run("segment", tmp_path / "replayed", tmp_path / "segmented") == 0
    copied = tmp_path / "segmented" / DIFF_TASK / "external_sensor1"
    assert [(copied / f"{i:05d}.png").read_bytes() for i in ids] == [picture(i) for i in ids]
    assert ask(tmp_path, "--num-to-sample", 2) == 0
    questions = read_jsonl(tmp_path / "QA" / "all.jsonl")
    paths = [tmp_path / image for q in questions for image in q["images"]]
    assert all(p.is_file() for p in paths)
    before = tree(tmp_path / "QA")
    assert ask(tmp_path, "--num-to-sample", 2) == 0
    assert tree(tmp_path / "QA") == before
    n_files = len({p.stat().st_ino for p in paths})
    assert n_files <= len(ids) * 10
    assert n_files < len(paths)
    assert paths[0].read_bytes() != picture(ids[0])


def test_no_question_shows_a_key_frame_without_a_picture(tmp_path: Path) -> None:
    """The release passes over such sequences, and what it drew for them stays drawn."""
    write_inputs(tmp_path / "replayed", (DIFF_TASK,))
    gone = expected(DIFF_TASK)["segmentation"]["key_frame_ids"][3]
    write_pictures(tmp_path / "replayed", DIFF_TASK, without=(gone,))
    assert run("segment", tmp_path / "replayed", tmp_path / "segmented") == 0
    assert ask(tmp_path, "--num-to-sample", REQUESTED, "--no-pictures") == 0
    questions = read_jsonl(tmp_path / "QA" / "all.jsonl")
    assert questions
    assert not any(str(gone) in q["key_frame_ids"] for q in questions)


def test_a_dry_run_writes_nothing(
    done: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("segment", done / "replayed", tmp_path / "segmented", "--dry-run") == 0
    arguments = (done / "segmented", done / "replayed", tmp_path / "QA" / "x.jsonl", "--dry-run")
    assert run("qa", *arguments) == 0
    assert tree(tmp_path) == {}
    assert "nothing was written" in capsys.readouterr().out


def test_a_task_that_fails_is_named_and_the_others_go_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing is written for it, and the exit code says so."""
    write_inputs(tmp_path / "replayed", (DIFF_TASK,))
    broken = tmp_path / "replayed" / "broken_1"
    broken.mkdir()
    (broken / "scene_graph_0.json").write_text('{"0": {"nodes": [{"name": 3}], "edges": []')
    assert run("segment", tmp_path / "replayed", tmp_path / "segmented") == 1
    printed = capsys.readouterr().out
    assert "failed: broken_1" in printed
    assert "scene_graph_0.json" in printed
    assert "1 of 2 done" in printed
    assert [p.name for p in (tmp_path / "segmented").iterdir()] == [DIFF_TASK]


def test_wrong_calls_say_what_to_do(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_inputs(tmp_path / "replayed", (DIFF_TASK,))
    (tmp_path / "all.zip").touch()
    calls = {
        ("segment", tmp_path / "nowhere", tmp_path / "out"): "no such folder",
        (
            "segment",
            tmp_path / "all.zip",
            tmp_path / "out",
        ): "all.zip: a file, not a folder. Unpack",
        ("omnigibson", "try", tmp_path / "gone.hdf5"): "gone.hdf5: no such file",
        ("segment", tmp_path / "replayed", tmp_path / "replayed"): "is an input folder",
        ("qa", *2 * (tmp_path / "replayed",), tmp_path / "o.jsonl"): "enact-assets segment",
        ("qa", *2 * (tmp_path / "replayed",), tmp_path / "o.json"): "enact-assets segment",
        ("eval", tmp_path / "nowhere.jsonl"): "no such file",
        ("eval", tmp_path): "holds no enact_ordering_",
    }
    for call, message in calls.items():
        assert run(*call) == 2
        assert message in " ".join(capsys.readouterr().err.split())


def test_nothing_is_written_through_a_link_that_leads_out(tmp_path: Path) -> None:
    """A folder prepared by somebody else must not send files elsewhere."""
    write_inputs(tmp_path / "replayed", (DIFF_TASK,))
    (tmp_path / "segmented").mkdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "segmented" / DIFF_TASK).symlink_to(tmp_path / "elsewhere")
    assert run("segment", tmp_path / "replayed", tmp_path / "segmented") == 1
    assert tree(tmp_path / "elsewhere") == {}


def test_a_question_file_never_takes_the_place_of_a_recording(
    done: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Arguments in the wrong order would cost a replay that took hours to make."""
    before = {name: (done / "replayed" / name).stat().st_mtime_ns for name in TASKS}
    inside = done / "replayed" / DIFF_TASK / "questions.jsonl"
    recording = done / "replayed" / DIFF_TASK / "scene_graph_0.json.gz"
    for output in (inside, recording, done / "segmented" / DIFF_TASK / "q.jsonl"):
        assert run("qa", done / "segmented", done / "replayed", output) == 2
    assert "lies in the input folder" in " ".join(capsys.readouterr().err.split())
    assert before == {name: (done / "replayed" / name).stat().st_mtime_ns for name in TASKS}


def test_reports_beside_the_answers_are_no_answers(done: Path, tmp_path: Path) -> None:
    """Written where they are read, they would be scored as models of their own next time."""
    write_answers(done, tmp_path / "answers")
    for _ in range(2):
        assert evaluate(done, tmp_path / "answers", tmp_path / "answers") == 0
    files = sorted(p.name for p in (tmp_path / "answers").glob("*.jsonl"))
    assert files == [f"enact_ordering_slot{slot}.jsonl" for slot in range(6)]


def test_a_bad_row_is_told_and_the_others_are_scored(
    done: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Answers cost money: one mistyped row must not take a model's file along."""
    question = read_jsonl(done / "QA" / "all.jsonl")[0]
    good = json.dumps(question | {"answer": str(question["gt_answer"])})
    bad = json.dumps(question | {"key_frame_ids": [None, "270"]})
    (tmp_path / "enact_ordering_m.jsonl").write_text(f"{bad}\n{good}\n")
    assert evaluate(done, tmp_path / "enact_ordering_m.jsonl", tmp_path / "out") == 1
    printed = " ".join(capsys.readouterr().out.split())
    assert "line 1, field 'key_frame_ids" in printed
    report = json.loads((tmp_path / "out" / "m" / "report.json").read_text())
    assert report["overall"]["count"] == 1
    assert report["overall"]["task_accuracy"] == 1.0


def test_a_last_key_frame_that_shows_nothing_is_one(tmp_path: Path) -> None:
    """A glitch that the filter mends stays in the recording: a graph without a single fact."""
    frames = fridge_frames()
    (tmp_path / "replayed" / "glitch_1").mkdir(parents=True)
    file = tmp_path / "replayed" / "glitch_1" / "scene_graph_0.json"
    file.write_text(json.dumps(frames))
    assert run("segment", tmp_path / "replayed", tmp_path / "segmented") == 0
    segmented = tmp_path / "segmented" / "glitch_1" / "segmented_scene_graph_0.json"
    last = list(json.loads(segmented.read_text()))[-1]
    frames[last] = {"nodes": [], "edges": [], "type": "full"}
    file.write_text(json.dumps(frames))
    assert run("segment", tmp_path / "replayed", tmp_path / "segmented") == 0
    ids = list(json.loads(segmented.read_text()))
    assert ids[-1] == last
    assert ask(tmp_path, "--no-pictures") == 0
    row = {
        "id": "x", "type": "forward_world_modeling_3_steps", "task_name": "glitch_1",
        "key_frame_ids": ids[:3], "gt_answer": [1, 2], "answer": "[1, 2]",
    }  # fmt: skip
    (tmp_path / "enact_ordering_m.jsonl").write_text(json.dumps(row))
    assert evaluate(tmp_path, tmp_path / "enact_ordering_m.jsonl", tmp_path / "out") == 0
    report = json.loads((tmp_path / "out" / "m" / "report.json").read_text())
    assert report["overall"]["count"] == 1


def test_a_console_prints_texts_as_they_are_and_obeys_none() -> None:
    """Faults N18: answers, reasons and paths may hold markup, or what a terminal would obey."""
    out = io.StringIO()
    console = TextConsole(file=out, force_terminal=True, color_system="standard", width=80)
    table = Table("a", box=None)
    table.add_row("c\x1b[2Jd")
    console.print("x [/red] [bold]y :key: \x1b[31mz\x9b \u202e", table, Text("w\x07", "bold"))
    assert out.getvalue().splitlines()[0].rstrip() == (
        r"x [/red] [bold]y :key: \x1b[31mz\x9b \u202e"
    )
    assert r"c\x1b[2Jd" in out.getvalue()
    assert "\x1b[1mw" in out.getvalue()
