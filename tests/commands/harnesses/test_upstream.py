"""Tasks offered to lmms-eval and VLMEvalKit score the official data set as profile ``release``.

The data set stands in for the hub's: questions of recorded replays in a zip of the same layout, in
the cache of a hub that is not asked.
"""

import hashlib
import json
import math
import os
import runpy
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

import pytest
from commands.harnesses.exported import ROOT, VLMEVALKIT_STARTS, python_of, run_in
from commands.release.official_files import picture, write_inputs
from results.verification.release_pairs import computed_pairs, evidence

from enact_assets.cli import main
from enact_assets.commands.harnesses.release_fits import release_fits
from enact_assets.questions.asked.official import OfficialAnswer
from enact_assets.results.verification.release_scores import ReleaseResult, ReleaseScorer
from enact_assets.results.verification.shared_changes import SharedChanges
from enact_assets.results.verification.verify import VerifierQuestion

from reference.conformance import TASKS, expected

UPSTREAM = ROOT / "deploy" / "upstream"
LMMS, VLM = UPSTREAM / "lmms-eval", UPSTREAM / "vlmevalkit"
SCORING = LMMS / "lmms_eval/tasks/enact/scoring.py"
MEANS = ("exact_match", "task_accuracy", "pairwise_accuracy")
OWN_TESTS = """
import unittest
sys.path.insert(0, sys.argv[-1])
import test_enact
ran = unittest.TextTestRunner().run(unittest.defaultTestLoader.loadTestsFromModule(test_enact))
assert ran.wasSuccessful() and ran.testsRun > 5
"""
"""Runs the tests that their repository gets."""
RUN_LMMS = """
import json, os, sys
sys.path.insert(0, sys.argv[1])
import datasets
datasets.config.HF_HUB_OFFLINE = False  # it takes any path within a zip for remote
from lmms_eval.evaluator import simple_evaluate
from lmms_eval.tasks import TaskManager
folder = os.path.join(sys.argv[1], "lmms_eval", "tasks", "enact")
os.environ["ENACT_EVIDENCE"] = sys.argv[3]
manager = TaskManager(include_path=folder, include_defaults=False)
found = simple_evaluate(
    model="from_log", model_args="logs=" + sys.argv[2], task_manager=manager,
    tasks=["enact", "enact_forward", "enact_inverse"], batch_size=1, bootstrap_iters=0,
)
task = manager.load_task_or_group(["enact"], task_type="chat")["enact"]
doc = task.test_docs()[0]
(message,) = task.doc_to_messages(doc)
parts = [
    part["text"] if part["type"] == "text" else list(part["url"].getpixel((9, 9)))
    for part in message["content"]
]
rows = [
    [sample["doc"]["id"], sample["task_accuracy"], sample["pairwise_accuracy"]]
    for sample in found["samples"]["enact"]
]
print(json.dumps([found["results"], rows, doc["id"], parts]))
"""
RUN_VLM = (
    VLMEVALKIT_STARTS
    + """
overlay, answers, evidence, work = sys.argv[1:5]
sys.path.insert(0, overlay)
os.environ["LMUData"] = work
from vlmeval.dataset import build_dataset
from vlmeval.inference import infer_data_job
from vlmeval.vlm.base import BaseModel
said, shown = json.load(open(answers)), {}


class Scripted(BaseModel):
    INTERLEAVE = True

    def generate_inner(self, message, dataset=None):
        first = next(part["value"] for part in message if part["type"] == "image")
        name = os.path.basename(first).removesuffix("_cur_state.png")
        shown[name] = [[part["type"], part["value"]] for part in message]
        return said[name]


data = build_dataset("ENACT")
infer_data_job(Scripted(), work, "scripted", data, api_nproc=1)
file = os.path.join(work, "scripted_ENACT.xlsx")
plain = data.evaluate(file)
os.environ["ENACT_EVIDENCE"] = evidence
full = data.evaluate(file)
print(json.dumps([shown, plain.to_dict("records"), full.to_dict("records")]))
"""
)


class Official(NamedTuple):
    """A data set like the hub's, answers to it, and what profile ``release`` makes of them."""

    archive: Path
    evidence: Path
    rows: dict[str, dict[str, Any]]
    answers: dict[str, str]
    results: dict[str, ReleaseResult]

    def means(self, kind: str = "") -> dict[str, float]:
        found = [r for r in self.results.values() if r.is_scored and kind in r.type]
        return {
            "exact_match": fmean(r.is_exact for r in found),
            "task_accuracy": fmean(r.is_accepted for r in found),
            "pairwise_accuracy": fmean(r.pairwise_accuracy for r in found),
        }


@pytest.fixture(scope="module")
def official(tmp_path_factory: pytest.TempPathFactory) -> Official:
    root = tmp_path_factory.mktemp("official")
    replayed, segmented = write_inputs(root / "replayed"), root / "segmented"
    assert main(["segment", str(replayed), str(segmented)]) == 0
    rows, answers, results = dict[str, Any](), dict[str, str](), dict[str, ReleaseResult]()
    for task in TASKS:
        said = _texts(task)
        asked = {item["id"]: _question(task, item) for item in expected(task)["qa"]["items"]}
        rows |= {name: asked[name] for name in said}
        answers |= said
        given = [
            OfficialAnswer(
                id=name, type=asked[name]["type"], task_name=task, answer=text,
                key_frame_ids=asked[name]["key_frame_ids"], gt_answer=asked[name]["gt_answer"],
            )
            for name, text in said.items()
        ]  # fmt: skip
        scorer = ReleaseScorer(given, evidence(task, computed_pairs(task)))
        results |= {r.question_id: r for r in scorer.score(list(said.values()))}
    assert len({(r.is_scored, r.is_exact, r.is_accepted) for r in results.values()}) == 4
    file, fits, archive = root / "enact_ordering.jsonl", root / "evidence.jsonl", root / "QA.zip"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows.values()))
    command = [sys.executable, UPSTREAM / "make_evidence.py", file, segmented, replayed, fits]
    run = subprocess.run(  # noqa: S603 - our own interpreter, our own code
        command, env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    assert run.stdout.startswith(f"{len(rows)} questions")
    with zipfile.ZipFile(archive, "w") as written:
        written.write(file, "QA/enact_ordering.jsonl")
        for row in rows.values():
            for name, frame in zip(row["images"], row["key_frame_ids"], strict=True):
                written.writestr(name, picture(int(frame)))
    return Official(archive, fits, rows, answers, results)


def _texts(task: str) -> dict[str, str]:
    """Texts that the release was recorded to score, one for each question: consistent with the
    question but other than the reference where there is one. Some are missing.
    """
    recorded = expected(task)["qa"]
    said: dict[str, str] = {}
    other = set[str]()
    for row in recorded["evaluations"]:
        name, text = recorded["items"][row["qa"]]["id"], row["answer"]
        is_other = row["kind"] == "semantic_alternative" and bool(row["task_accuracy"])
        is_turn = name not in said or row["slot"] == row["qa"] % 6
        if isinstance(text, str) and name not in other and (is_other or is_turn):
            said[name] = text
            other |= {name} if is_other else set()
    assert len(other) > 5
    plain = [name for name in said if name not in other]
    return said | dict.fromkeys(plain[::20], "")


def _question(task: str, item: Mapping[str, Any]) -> dict[str, Any]:
    """A line of the hub's file."""
    folder = f"QA/images/{item['type']}/{task}/{item['id']}"
    names = ["cur_state", *(f"next_state_{k}" for k in range(1, len(item["key_frame_ids"])))]
    return {
        **item,
        "task_name": task,
        "key_frame_ids": [str(k) for k in item["key_frame_ids"]],
        "images": [f"{folder}_{name}.png" for name in names],
        "question": f"Order what you see.\n\n## Actions\n[Action 1] {item['id']}\n",
        "options": [],
    }


def _with_own_tests(code: str) -> str:
    before, printed, after = code.rpartition("print(")
    return before + OWN_TESTS + printed + after


def _overlay(tool: str, package: str, folder: Path) -> Path:
    """Their package with our files copied over it."""
    (installed,) = python_of(tool).parents[1].glob(f"lib/python*/site-packages/{package}")
    shutil.copytree(
        installed, folder / package, copy_function=os.symlink,
        ignore=shutil.ignore_patterns("__pycache__"),
    )  # fmt: skip
    shutil.copytree(UPSTREAM / folder.name / package, folder / package, dirs_exist_ok=True)
    return folder


def _fill_cache(home: Path, archive: Path) -> None:
    repository = home / "hf/hub/datasets--MLL-Lab--ENACT"
    snapshot = repository / "snapshots" / ("0" * 40)
    snapshot.mkdir(parents=True)
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text(snapshot.name)
    (snapshot / "QA.zip").symlink_to(archive)


def _same(found: Mapping[str, Any], wanted: Mapping[str, float]) -> bool:
    return all(math.isclose(found[name], wanted[name], abs_tol=1e-12) for name in wanted)


def test_both_projects_get_the_same_scorer() -> None:
    assert SCORING.read_bytes() == (VLM / "vlmeval/dataset/utils/enact.py").read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize("task", TASKS)
def test_the_scorer_reproduces_what_the_release_recorded(task: str) -> None:
    """Also by how much a comparison with the reference alone would be wrong."""
    scoring = runpy.run_path(str(SCORING))
    recorded = expected(task)["qa"]
    position = {k: at for at, k in enumerate(expected(task)["segmentation"]["key_frame_ids"])}
    changes = SharedChanges(computed_pairs(task))
    n_compared = n_other = 0
    for row in recorded["evaluations"]:
        item = recorded["items"][row["qa"]]
        if not isinstance(row["answer"], str):  # harnesses know texts alone
            continue
        kind, gold = scoring["kind_of"](item["type"]), item["gt_answer"]
        frames = [position[k] for k in item["key_frame_ids"]]
        fits = release_fits(VerifierQuestion(task, kind, frames, gold), changes)
        found = scoring["score"](row["answer"], kind, gold, fits)
        if row["outcome"] == "skipped":
            assert found["task_accuracy"] is found["pairwise_accuracy"] is None
            continue
        assert found["exact_match"] == row["exact_match"]
        assert found["task_accuracy"] == row["task_accuracy"]
        assert found["pairwise_accuracy"] == pytest.approx(row["pairwise_accuracy"], abs=1e-12)
        # A lower bound, but for pairs of pictures on which the release fails.
        assert fits["raises"] or found["exact_pairwise"] <= found["pairwise_accuracy"] + 1e-12
        n_compared += 1
        n_other += found["task_accuracy"] > found["exact_match"]
    assert n_compared > 700
    assert n_other > 20


@pytest.mark.slow
def test_lmms_eval_scores_as_we_do(official: Official, tmp_path: Path) -> None:
    overlay = _overlay("lmms-eval", "lmms_eval", tmp_path / "lmms-eval")
    template = overlay / "lmms_eval/tasks/enact/_default_template_yaml"
    text, on_hub = template.read_text(), "hf://datasets/MLL-Lab/ENACT/QA.zip"
    assert text.count(on_hub) == 1
    template.write_text(text.replace(on_hub, str(official.archive)))
    _fill_cache(tmp_path, official.archive)
    for kind in ("", "forward", "inverse"):
        name = f"enact_{kind}".rstrip("_")
        of_it = [i for i, row in official.rows.items() if kind in row["type"]]
        logs = [{"doc_id": k, "resps": [[official.answers[i]]]} for k, i in enumerate(of_it)]
        log = {"args": {"model": "m", "model_args": "", "limit": None}, "logs": logs}
        (tmp_path / "logs").mkdir(exist_ok=True)
        (tmp_path / "logs" / f"{name}.json").write_text(
            json.dumps({**log, "model_configs": {"task": name}})
        )
    results, rows, shown, parts = run_in(
        "lmms-eval",
        _with_own_tests(RUN_LMMS),
        overlay,
        tmp_path / "logs",
        official.evidence,
        LMMS / "test/eval",
        home=tmp_path,
    )
    for kind in ("", "forward", "inverse"):
        found = results[f"enact_{kind}".rstrip("_")]
        assert _same({name: found[f"{name},none"] for name in MEANS}, official.means(kind))
        of_it = [r for r in official.results.values() if kind in r.type]
        assert found["unreadable,none"] == pytest.approx(fmean(not r.is_scored for r in of_it))
    assert len(rows) == len(official.results)
    for name, task, pairwise in rows:
        wanted = official.results[name]
        assert task == (wanted.is_accepted if wanted.is_scored else None)
        assert pairwise == (wanted.pairwise_accuracy if wanted.is_scored else None)
    row = official.rows[shown]
    assert parts[-1] == row["question"]
    assert [p for p in parts[:-1] if isinstance(p, str)] == [
        "[Current State]", *(f"[Next State {k}]" for k in range(1, len(row["images"])))
    ]  # fmt: skip
    assert [p for p in parts if isinstance(p, list)] == [
        list(_pixel(official.archive, name)) for name in row["images"]
    ]


def _pixel(archive: Path, name: str) -> tuple[int, ...]:
    from PIL import Image

    with zipfile.ZipFile(archive) as opened, opened.open(name) as file:
        pixel = Image.open(file).convert("RGB").getpixel((9, 9))
    assert isinstance(pixel, tuple)
    return pixel


@pytest.mark.slow
def test_vlmevalkit_scores_as_we_do(official: Official, tmp_path: Path) -> None:
    overlay = _overlay("vlmevalkit", "vlmeval", tmp_path / "vlmevalkit")
    registry = overlay / "vlmeval/dataset/__init__.py"
    text = registry.read_text()
    registry.unlink()
    registry.write_text(text)
    sed = shutil.which("sed")
    assert sed is not None
    subprocess.run([sed, "-i", "-f", VLM / "register.sed", registry], check=True)  # noqa: S603 - ours
    _fill_cache(tmp_path, official.archive)
    said = {
        name: text or "Failed to obtain answer via API." for name, text in official.answers.items()
    }
    (tmp_path / "answers.json").write_text(json.dumps(said))
    work = tmp_path / "work"
    work.mkdir()
    shown, plain, full = run_in(
        "vlmevalkit", _with_own_tests(RUN_VLM), overlay, tmp_path / "answers.json",
        official.evidence, work, VLM / "tests", home=tmp_path,
    )  # fmt: skip
    by_split = {row["split"]: row for row in full}
    for split, kind in (("Overall", ""), ("forward", "forward"), ("inverse", "inverse")):
        assert _same(by_split[split], official.means(kind))
    n_missing = sum(not text for text in official.answers.values())
    n_skipped = sum(not r.is_scored for r in official.results.values())
    assert by_split["Overall"]["missing"] == n_missing > 0
    assert by_split["Overall"]["unreadable"] == n_skipped - n_missing > 0
    lengths = {f"{r.type.split('_')[0]}_{r.n_steps + 1}_steps" for r in official.results.values()}
    assert set(by_split) == {"Overall", "forward", "inverse", *lengths}
    (overall,) = (row for row in plain if row["split"] == "Overall")
    assert overall["exact_match"] == pytest.approx(official.means()["exact_match"])
    assert math.isnan(overall["task_accuracy"])
    assert set(shown) == set(official.rows)
    with zipfile.ZipFile(official.archive) as archive:
        for name, row in official.rows.items():
            parts = [
                value if kind == "text" else hashlib.sha256(Path(value).read_bytes()).hexdigest()
                for kind, value in shown[name]
            ]
            titles = ["Current State", *(f"Next State {k}" for k in range(1, len(row["images"])))]
            wanted = [
                part
                for title, image in zip(titles, row["images"], strict=True)
                for part in (f"[{title}]", hashlib.sha256(archive.read(image)).hexdigest())
            ]
            assert parts == [*wanted, row["question"]]
