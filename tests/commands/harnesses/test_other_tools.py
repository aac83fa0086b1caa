"""Other tools read an exported folder, offline, show questions in order and score as we do.

Hugging Face `datasets` and `mlcroissant`; lmms-eval, which loads its tasks; VLMEvalKit, which
builds the data set by name.
"""

import json
from pathlib import Path

import pytest
from commands.harnesses.exported import VLMEVALKIT_STARTS, answers_to, exported, pixels_sha, run_in

from enact_assets.commands.harnesses.lmms_eval import write_lmms_eval
from enact_assets.commands.harnesses.question_rows import text_and_pictures
from enact_assets.commands.harnesses.scoring import score_answer
from enact_assets.commands.harnesses.vlmevalkit import write_vlmevalkit

pytestmark = pytest.mark.slow

LOAD = """
import hashlib, io, json, sys, pathlib
from datasets import load_dataset
found = {}
for streaming in (False, True):
    rows = list(load_dataset(sys.argv[1], split="test", streaming=streaming))
    found[str(streaming)] = [
        {"question_id": r["question_id"], "answer": r["answer"],
         "sizes": [i.size for i in r["images"]],
         "pixels": [hashlib.sha256(i.convert("RGB").tobytes()).hexdigest() for i in r["images"]]}
        for r in rows
    ]
print(json.dumps(found))
"""
DESCRIBED = """
import json, sys
import mlcroissant
path = sys.argv[1] + "/croissant.json"
data = mlcroissant.Dataset(jsonld=path)
issues = data.metadata.ctx.issues
rows = [
    {"question_id": r["questions/question_id"].decode(),
     "answer": [int(k) for k in r["questions/answer"]],
     "fits": r["questions/fits"].decode()}
    for r in data.records("questions")
]
pictures = [
    [r["pictures/path"].decode(), list(r["pictures/image"].size)] for r in data.records("pictures")
]
print(json.dumps([sorted(issues.errors), sorted(issues.warnings), rows, pictures]))
"""
TASKS = """
import hashlib, json, sys
from lmms_eval.tasks import TaskManager
folder, answers = sys.argv[1], json.load(open(sys.argv[2]))
manager = TaskManager(include_path=folder, include_defaults=False)
loaded = manager.load_task_or_group(["enact"], task_type="chat")
tasks = {}
for name, task in loaded.items():
    tasks.update(task if isinstance(task, dict) else {name: task})
found = {}
for name, task in tasks.items():
    for doc in task.test_docs():
        (message,) = task.doc_to_messages(doc)
        parts = [
            part["text"] if part["type"] == "text"
            else hashlib.sha256(part["url"].convert("RGB").tobytes()).hexdigest()
            for part in message["content"]
        ]
        results = task.process_results(doc, [answers[doc["question_id"]]])
        found[doc["question_id"]] = [str(name), message["role"], parts, results]
print(json.dumps(found))
"""
RUN = """
import json, sys
from lmms_eval.evaluator import simple_evaluate
from lmms_eval.tasks import TaskManager
manager = TaskManager(include_path=sys.argv[1], include_defaults=False)
found = simple_evaluate(
    model="dummy", model_args="response=" + sys.argv[2], tasks=["enact"],
    task_manager=manager, log_samples=False, batch_size=1, bootstrap_iters=0,
)
print(json.dumps({name: {k: v for k, v in r.items() if isinstance(v, float)}
                  for name, r in found["results"].items()}))
"""

CODE = (
    VLMEVALKIT_STARTS
    + """
folder, answers = sys.argv[1], sys.argv[2]
os.environ["LMUData"] = folder
sys.path.insert(0, folder)
import pandas as pd
from enact_dataset import register
register()
from vlmeval.dataset import build_dataset
data = build_dataset("ENACT")
shown = {data.data.iloc[k]["index"]: data.build_prompt(k) for k in range(len(data.data))}
result = data.evaluate(answers)
scores = pd.read_csv(os.path.splitext(answers)[0] + "_scores.tsv", sep="\\t", dtype={"index": str})
found = [type(data).__name__, shown, result.to_dict("records"), scores.to_dict("records")]
print(json.dumps(found))
"""
)


def test_load_dataset_shows_images(tmp_path: Path) -> None:
    found = exported(tmp_path)
    for rows in run_in("datasets", LOAD, found.folder, home=tmp_path).values():
        assert [row["question_id"] for row in rows] == found.rows["question_id"].to_list()
        assert [row["answer"] for row in rows] == found.rows["answer"].to_list()
        for row, names in zip(rows, found.rows["images_file_names"], strict=True):
            for name, size, pixels in zip(names, row["sizes"], row["pixels"], strict=True):
                assert tuple(size) == (32, 32)
                assert pixels_sha(found.folder / name) == pixels


def test_mlcroissant_validates_it_and_reads_records(tmp_path: Path) -> None:
    found = exported(tmp_path)
    errors, warnings, rows, pictures = run_in("datasets", DESCRIBED, found.folder, home=tmp_path)
    assert errors == []
    assert warnings == []
    columns = ("question_id", "answer", "fits")
    assert rows == found.rows.select(columns).to_dicts()
    there = {f"pictures/{path.name}" for path in (found.folder / "pictures").iterdir()}
    assert {name for name, _ in pictures} == there
    assert {tuple(size) for _, size in pictures} == {(32, 32)}


def test_tasks_load_and_score_as_we_do(tmp_path: Path) -> None:
    found = exported(tmp_path)
    folder = write_lmms_eval(found)
    answers = answers_to(found)
    file = tmp_path / "answers.json"
    file.write_text(json.dumps(answers))
    shown = run_in("lmms-eval", TASKS, folder, file, home=tmp_path)
    assert set(shown) == set(answers)
    scores = set()
    for row in found.rows.iter_rows(named=True):
        task, role, parts, results = shown[row["question_id"]]
        assert (task, role) == (f"enact_{row['kind']}", "user")
        names = row["images_file_names"]
        assert parts == [
            part if isinstance(part, str) else pixels_sha(found.folder / names[part])
            for part in text_and_pictures(row)
        ]
        said = answers[row["question_id"]]
        ours = score_answer(said, row["kind"], row["answer"], json.loads(row["fits"]))
        assert results["task_accuracy"] == float(ours.is_accepted)
        assert results["pairwise_accuracy"] == [ours.n_right, ours.n_steps]
        assert results["parsed"] == float(ours.is_parsed)
        scores.add((ours.is_accepted, ours.is_parsed))
    assert len(scores) == 3


def test_a_run_ends_with_the_micro_average(tmp_path: Path) -> None:
    found = exported(tmp_path)
    folder = write_lmms_eval(found)
    results = run_in("lmms-eval", RUN, folder, "[1]", home=tmp_path)
    for kind in ("forward", "inverse"):
        scores = [
            score_answer("[1]", kind, row["answer"], json.loads(row["fits"]))
            for row in found.rows.iter_rows(named=True)
            if row["kind"] == kind
        ]
        right, steps = sum(s.n_right for s in scores), sum(s.n_steps for s in scores)
        by_name = results[f"enact_{kind}"]
        assert by_name["pairwise_accuracy,none"] == pytest.approx(right / steps)
        assert by_name["task_accuracy,none"] == 0.0
        assert right > 0


def test_it_is_built_by_name_and_scores_as_we_do(tmp_path: Path) -> None:
    found = exported(tmp_path)
    folder = write_vlmevalkit(found)
    said = answers_to(found)
    answers = tmp_path / "m_ENACT.tsv"
    lines = ["index\tprediction", *(f"{id_}\t{text}" for id_, text in said.items())]
    answers.write_text("\n".join(lines) + "\n")
    name, shown, result, scores = run_in("vlmevalkit", CODE, folder, answers, home=tmp_path)
    assert name == "ENACT"
    assert set(shown) == set(said)
    by_id = {row["index"]: row for row in scores}
    right = steps = n_accepted = 0
    for row in found.rows.iter_rows(named=True):
        names = row["images_file_names"]
        assert [
            part["value"] if part["type"] == "text" else Path(part["value"]).read_bytes().hex()
            for part in shown[row["question_id"]]
        ] == [
            part if isinstance(part, str) else (found.folder / names[part]).read_bytes().hex()
            for part in text_and_pictures(row)
        ]
        ours = score_answer(
            said[row["question_id"]], row["kind"], row["answer"], json.loads(row["fits"])
        )
        assert by_id[row["question_id"]]["task"] == float(ours.is_accepted)
        assert by_id[row["question_id"]]["right"] == ours.n_right
        right, steps = right + ours.n_right, steps + ours.n_steps
        n_accepted += ours.is_accepted
    (whole,) = [row for row in result if row["kind"] == "all"]
    assert whole["pairwise_accuracy"] == pytest.approx(right / steps)
    assert whole["task_accuracy"] == pytest.approx(n_accepted / len(said))
    assert 0 < n_accepted < len(said)
