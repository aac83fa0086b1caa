"""Answers scored from what an exported question carries score as in the pipeline."""

import ast
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from commands.harnesses.exported import said_without_us
from hypothesis import given
from hypothesis import strategies as st

from enact_assets.answers.baselines.tables import Predictions
from enact_assets.commands.harnesses import step_fits
from enact_assets.commands.harnesses.score_file import score_source
from enact_assets.commands.harnesses.scoring import score_answer
from enact_assets.commands.harnesses.step_fits import fits_texts
from enact_assets.results.verification.evaluate import PAPER_ANSWERS, evaluate

from reference.household import build_household
from reference.step_fits import StepFits
from reference.wordings import WORDINGS

HOME = build_household(4, lengths=range(3, 7))
FITS = StepFits(HOME.index)
QUESTIONS = HOME.asked.to_dicts()


def judged(answers: Iterable[tuple[str, str | None, str | None]]) -> list[dict[str, Any]]:
    """What the pipeline makes of answers: question, text and a reason to stop."""
    common = {"model": "m", "variant": "baseline", "request_sha": "s"}
    predictions = Predictions.build(
        [
            {**common, "question_id": asked, "repetition": n, "raw_answer": text, "stop": stop}
            for n, (asked, text, stop) in enumerate(answers)
        ]
    )
    found = evaluate(predictions, HOME.asked, {HOME.demonstration: HOME.index}, PAPER_ANSWERS)
    return found.sort("repetition").to_dicts()


@st.composite
def answer(draw: st.DrawFn, question: dict[str, Any]) -> tuple[str, str | None]:
    """Near the truth, so that many steps pass; also short, long, with repetitions, unreadable."""
    right = question["answer"]
    n = len(right)
    how = draw(st.sampled_from(["right", "swapped", "any", "short", "labels", "text"]))
    labels = list(right)
    if how == "swapped":
        i, j = draw(st.integers(0, n - 1)), draw(st.integers(0, n - 1))
        labels[i], labels[j] = labels[j], labels[i]
    elif how == "any":
        labels = draw(st.permutations(right))
    elif how == "short":
        labels = draw(st.permutations(right))[: draw(st.integers(0, n))]
        labels = labels if draw(st.booleans()) else [k for k in right if k in labels]
    elif how == "labels":
        labels = draw(st.lists(st.integers(-1, n + 1), max_size=n + 2))
    text = "Let me think. No." if how == "text" else f"I say {labels}."
    return text, draw(st.sampled_from([None, "complete", "cut", "refused"]))


@given(st.data())
def test_every_answer_scores_as_the_verifier_scores_it(data: st.DataObject) -> None:
    answers = [(q["question_id"], *data.draw(answer(q))) for q in QUESTIONS]
    for question, (_, text, stop), row in zip(QUESTIONS, answers, judged(answers), strict=True):
        found = score_answer(text, question["kind"], question["answer"], FITS.of(question), stop)
        assert found.is_parsed == (row["answer_status"] == "parsed")
        assert found.reason == row["reason"]
        assert (found.is_accepted, found.n_right) == (row["is_accepted"], row["n_steps_passed"])
        assert found.pairwise_accuracy == row["pairwise_accuracy"]


@pytest.mark.parametrize("most_cells", [1, 1 << 24])
def test_many_questions_at_once_are_as_one_by_one(
    most_cells: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where an action says what never changes here."""
    monkeypatch.setattr(step_fits, "MOST_CELLS", most_cells)
    rows = [dict(row) for row in QUESTIONS]
    told = next(row for row in rows if row["kind"] == "inverse")
    told["action_components"] = [["+OnTop(moon, cheese)"], *told["action_components"][1:]]
    found = fits_texts(HOME.index, pl.DataFrame(rows, schema=HOME.asked.schema))
    assert found == [json.dumps(FITS.of(row)) for row in rows]
    assert "1" not in json.loads(found[rows.index(told)])


def test_other_orders_that_are_right_are_accepted() -> None:
    """Comparison with the reference would call them wrong; without such a case the test above
    would not show that."""
    n_others = 0
    for question in QUESTIONS:
        fits = FITS.of(question)
        for other in _orders(len(question["answer"])):
            n_others += (
                other != question["answer"]
                and score_answer(str(other), question["kind"], question["answer"], fits).is_accepted
            )
    assert n_others > 0


def test_the_file_scores_without_this_package(tmp_path: Path) -> None:
    """Interpreters of other tools have other packages, and none of ours."""
    rows = [
        {"kind": q["kind"], "answer": q["answer"], "fits": json.dumps(FITS.of(q))}
        for q in QUESTIONS
    ]
    one = "[enact_score.score_row('so [2, 1]', row) for row in rows]"
    scores = said_without_us(tmp_path, rows, one)
    expected = judged((question["question_id"], "so [2, 1]", None) for question in QUESTIONS)
    for found, row in zip(scores, expected, strict=True):
        assert found["pairs"] == pytest.approx(row["pairwise_accuracy"])
        assert (found["task"], found["right"]) == (row["is_accepted"], row["n_steps_passed"])


def test_wordings_have_both_readings_in_the_pipeline_and_in_the_file() -> None:
    """public K5: every answer that anybody obtained comes to one of these two doors. The file is
    what lmms-eval, VLMEvalKit and our Inspect task score with.
    """
    wordings = [case for case in WORDINGS if case["n"] in {len(q["answer"]) for q in QUESTIONS}]
    assert len(wordings) == 53
    for kind in ("forward", "inverse"):
        asked = {len(q["answer"]): q for q in QUESTIONS if q["kind"] == kind}
        found = judged((asked[w["n"]]["question_id"], w["text"], None) for w in wordings)
        scorer: dict[str, Any] = {}
        exec(score_source(), scorer)  # noqa: S102 - our own code
        for case, row in zip(wordings, found, strict=True):
            assert (row["answer"], row["release_answer"]) == (case["strict"], case["release"])
            question = asked[case["n"]]
            fits = json.dumps(FITS.of(question))
            score = scorer["score_row"](case["text"], {**question, "fits": fits})
            assert score["parsed"] == (row["answer_status"] == "parsed")
            assert (score["task"], score["right"]) == (row["is_accepted"], row["n_steps_passed"])
            assert score["task_as_release"] == row["is_accepted_as_release"]
            share = score["right_as_release"] / score["steps"]
            assert share == row["pairwise_accuracy_as_release"]
            assert score["read_otherwise"] == (case["strict"] != case["release"])


def test_no_name_of_the_file_means_two_things() -> None:
    """The modules were written apart, and the last one would win."""
    names = [
        name
        for node in ast.parse(score_source()).body
        if not isinstance(node, ast.Import | ast.ImportFrom)
        for name in _names(node)
    ]
    assert len(names) == len(set(names))


def _names(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return [node.name]
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", node)]
    return [n.id for target in targets for n in ast.walk(target) if isinstance(n, ast.Name)]


def _orders(n: int) -> list[list[int]]:
    from itertools import permutations

    return [list(order) for order in permutations(range(1, n + 1))]
