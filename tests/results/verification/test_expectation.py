"""What chance scores: exact expectations, and baselines that must meet them."""

from functools import cache

import numpy as np
import polars as pl
import pytest

from enact_assets.answers.baselines.predict import answers_to, predictions_of
from enact_assets.results.verification.evaluate import PAPER_ANSWERS, evaluate
from enact_assets.results.verification.expectation import expect_random_orders
from enact_assets.results.verification.metrics import summarize

from reference import verification as slow
from reference.household import Household, asked_as_written, build_household


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
