"""Means over questions and over steps, and what they rest on.

What chance scores: exact expectations, and baselines that must meet them."""

from functools import cache
from typing import Any

import numpy as np
import polars as pl
import pytest

from enact_assets.answers.baselines.predict import answers_to, predictions_of
from enact_assets.results.verification.evaluate import PAPER_ANSWERS, evaluate
from enact_assets.results.verification.expectation import expect_random_orders
from enact_assets.results.verification.metrics import summarize
from enact_assets.results.verification.tables import Evaluation

from reference import verification as slow
from reference.household import Household, asked_as_written, build_household


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


@cache
def households() -> tuple[Household, ...]:
    return tuple(build_household(seed, trajectories_per_length=12) for seed in (11, 12, 13))


def scored(
    model: str, homes: tuple[Household, ...] | None = None
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Evaluation of a baseline on all questions, and what a random order scores on each."""
    homes = homes or households()
    qa = pl.concat([h.qa for h in homes])
    shas = {(h.demonstration, k): f"{h.demonstration} {k}" for h in homes for k in range(100)}

    def no_picture(demonstration: str, key_frame: int) -> np.ndarray:
        raise AssertionError(f"{model} looked at {demonstration} {key_frame}")

    answers = answers_to(model, "baseline", asked_as_written(qa), no_picture, shas)
    predictions = predictions_of(model, "baseline", answers)
    indexes = {h.demonstration: h.index for h in homes}
    return evaluate(predictions, qa, indexes, PAPER_ANSWERS), expect_random_orders(qa, indexes)


def test_expectations_equal_the_average_over_all_orders() -> None:
    """Sums over pairs and counts over subsets against every order scored in turn."""
    home = households()[0]
    short = home.qa.filter(pl.col("length") <= 6)
    found = expect_random_orders(short, {home.demonstration: home.index})
    questions = {q["question_id"]: q for q in short.iter_rows(named=True)}
    for row in found.iter_rows(named=True):
        accepted, task, pairwise = slow.expected_of_random_order(
            questions[row["question_id"]], home.index
        )
        assert row["n_accepted_orders"] == accepted
        assert row["is_ambiguous"] == (accepted > 1)
        assert row["expected_task_accuracy"] == pytest.approx(task, abs=1e-12)
        assert row["expected_pairwise_accuracy"] == pytest.approx(pairwise, abs=1e-12)
    assert found["is_ambiguous"].any()
    assert not found["is_ambiguous"].all()


@pytest.mark.parametrize("model", ["random", "identity"])
@pytest.mark.parametrize("kind", ["forward", "inverse"])
def test_chance_models_score_what_chance_scores(model: str, kind: str) -> None:
    """More means that the order shown gives the answer away, less that right orders are lost."""
    evaluation, expected = scored(model)
    both = evaluation.filter(pl.col("kind") == kind).join(expected, on="question_id")
    assert both.height > 200
    for score, expectation in (
        (both["is_accepted"].cast(pl.Float64), both["expected_task_accuracy"]),
        (both["pairwise_accuracy"], both["expected_pairwise_accuracy"]),
    ):
        excess = (score - expectation).to_numpy()
        error = excess.std(ddof=1) / np.sqrt(excess.size)
        assert abs(excess.mean()) < 2.6 * error, "outside the 99 % interval around chance"


def test_the_oracle_scores_exactly_one() -> None:
    """Anything less is an error of the questions or of the verifier."""
    evaluation, _ = scored("oracle")
    summary = summarize(evaluation, ("model", "kind"))
    assert summary["task_accuracy"].to_list() == [1.0, 1.0]
    assert summary["pairwise_accuracy"].to_list() == [1.0, 1.0]
    assert summary["pairwise_accuracy_by_question"].to_list() == [1.0, 1.0]
    assert evaluation["is_exact"].all()
    assert evaluation["is_semantic"].all()


def test_the_text_prior_beats_chance_on_inverse_questions_only() -> None:
    """It reads the actions; if that did not help, its rules would contradict the household."""
    homes = tuple(
        build_household(seed, trajectories_per_length=8, visible_share=1.0) for seed in (21, 22, 23)
    )
    evaluation, expected = scored("text_prior", homes)
    both = evaluation.join(expected, on="question_id")
    for kind, is_better in (("forward", False), ("inverse", True)):
        asked = both.filter(pl.col("kind") == kind)
        excess = (asked["pairwise_accuracy"] - asked["expected_pairwise_accuracy"]).to_numpy()
        z = excess.mean() / (excess.std(ddof=1) / np.sqrt(excess.size))
        assert z > 5 if is_better else abs(z) < 2.6
