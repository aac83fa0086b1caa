"""Means over questions and over steps, and what they rest on."""

from typing import Any

import polars as pl
import pytest

from enact_assets.results.verification.metrics import summarize
from enact_assets.results.verification.tables import Evaluation


def row(
    question: str,
    status: str,
    passed: int | None,
    n_steps: int,
    kind: str = "forward",
    *,
    repetition: int = 0,
    reason: str = "why",
) -> Any:
    is_scored = passed is not None
    return {
        "model": "m",
        "variant": "v",
        "question_id": question,
        "repetition": repetition,
        "demonstration": "d",
        "gating": "state",
        "kind": kind,
        "length": n_steps + 1,
        "answer_status": status,
        "reason": None if status == "parsed" else reason,
        "answer": None,
        "is_exact": passed == n_steps if is_scored else None,
        "is_semantic": passed == n_steps if is_scored else None,
        "is_accepted": passed == n_steps if is_scored else None,
        "n_steps": n_steps,
        "n_steps_passed": passed,
        "pairwise_accuracy": passed / n_steps if passed is not None else None,
    }


def test_steps_over_steps_and_the_mean_over_questions_are_both_reported() -> None:
    """The paper defines the first (2.3, A.3.2); in the mean short questions weigh more."""
    evaluation = Evaluation.build(
        [
            row("a", "parsed", 2, 2),
            row("b", "parsed", 2, 8),
            row("c", "unparsed", 0, 2),
            row("d", "missing", None, 8),
        ]
    )
    found = summarize(evaluation, ("model", "variant", "kind")).row(0, named=True)
    assert found["task_accuracy"] == pytest.approx(1 / 3)
    assert found["pairwise_accuracy"] == pytest.approx(4 / 12)
    assert found["pairwise_accuracy_by_question"] == pytest.approx((1 + 0.25 + 0) / 3)
    counts = {name: found[f"n_{name}"] for name in ("questions", "parsed", "unparsed", "missing")}
    assert counts == {"questions": 4, "parsed": 2, "unparsed": 1, "missing": 1}


def test_a_group_without_answers_has_no_score() -> None:
    """Zero would read as a model that is always wrong."""
    evaluation = Evaluation.build(
        [row("a", "missing", None, 4), row("b", "parsed", 3, 3, "inverse")]
    )
    found = summarize(evaluation)
    assert found["kind"].to_list() == ["forward", "inverse"]
    for name in ("task_accuracy", "pairwise_accuracy", "pairwise_accuracy_by_question"):
        assert found[name].to_list() == [None, 1.0]
    assert summarize(pl.DataFrame(schema=Evaluation.schema())).height == 0


def test_every_repetition_counts_and_questions_are_counted_once() -> None:
    evaluation = Evaluation.build(
        [
            row("a", "parsed", 2, 2),
            row("a", "unparsed", 0, 2, repetition=1, reason="refused"),
            row("a", "unparsed", 0, 2, repetition=2, reason="cut"),
            row("b", "parsed", 1, 2),
            row("b", "missing", None, 2, repetition=1, reason="refused"),
        ]
    )
    found = summarize(evaluation, ("model",)).row(0, named=True)
    names = ("questions", "answers", "parsed", "unparsed", "refused", "cut", "missing")
    assert [found[f"n_{name}"] for name in names] == [2, 5, 2, 2, 1, 1, 1]
    assert (found["task_accuracy"], found["pairwise_accuracy"]) == (0.25, 3 / 8)
