"""lmms-eval loads the tasks, shows questions in order, and scores answers as the pipeline does."""

import json
from pathlib import Path

import pytest
from commands.harnesses.exported import answers_to, exported, pixels_sha, run_in

from enact_assets.commands.harnesses.lmms_eval import write_lmms_eval
from enact_assets.commands.harnesses.question_rows import text_and_pictures
from enact_assets.commands.harnesses.scoring import score_answer

pytestmark = pytest.mark.slow

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
