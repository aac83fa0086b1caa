"""Expectations of a random order, against the mean over every order."""

from collections.abc import Mapping
from itertools import permutations

import numpy as np
import polars as pl
import pytest
from results.errors.changes_by_hand import predicted

from benchmarks.evaluation_data import evaluation_set
from enact_assets.questions.key_frames.component_index import ComponentIndex
from enact_assets.results.errors.answer_comparison import COUNTS, AnswerComparer
from enact_assets.results.errors.random_orders import compare_random_orders
from enact_assets.results.verification.evaluate import PAPER_ANSWERS, RELEASE_ANSWERS, evaluate

from reference.household import build_household

STEPS = ("n_steps_passed", "n_steps_inexact", "n_steps_strict_subset")


def means_over_all_orders(
    qa: pl.DataFrame, indexes: Mapping[str, ComponentIndex], *, is_release: bool
) -> pl.DataFrame:
    """The same by asking every order of every question, one after the other."""
    asked = [
        (row["question_id"], str(list(order)))
        for row in qa.iter_rows(named=True)
        for order in permutations(range(1, row["length"]))
    ]
    every = pl.DataFrame(asked, schema=["question_id", "raw"], orient="row").join(
        qa, on="question_id", maintain_order="left"
    )
    given = predicted(every, every["raw"].to_list()).with_columns(
        repetition=pl.int_range(pl.len(), dtype=pl.Int64).over("question_id")
    )
    rules = RELEASE_ANSWERS if is_release else PAPER_ANSWERS
    steps = AnswerComparer(qa, indexes).compare(evaluate(given, qa, indexes, rules)).steps
    differs = pl.col("n_missing") + pl.col("n_hallucinated") > 0
    is_subset = (pl.col("n_missing") > 0) & (pl.col("n_hallucinated") == 0)
    orders = steps.group_by("question_id", "repetition").agg(
        pl.col("is_passed").sum().alias("n_steps_passed"),
        (pl.col("is_passed") & differs).sum().alias("n_steps_inexact"),
        (pl.col("is_passed") & is_subset).sum().alias("n_steps_strict_subset"),
        pl.col("is_passed").all().alias("accepted"),
        pl.col(list(COUNTS)).sum(),
    )
    return (
        orders.with_columns(
            accepted_with_subset=pl.col("accepted") & (pl.col("n_steps_strict_subset") > 0)
        )
        .group_by("question_id")
        .agg(pl.exclude("repetition").cast(pl.Float64).mean())
    )


@pytest.mark.parametrize("is_release", [False, True])
def test_expectations_are_means_over_all_orders(*, is_release: bool) -> None:
    if is_release:
        asked = evaluation_set(n_demonstrations=2, n_questions=64)
        qa, indexes = asked.asked(), asked.indexes()
    else:
        homes = [build_household(seed, visible_share=0.7) for seed in (3, 4)]
        qa = pl.concat([home.qa for home in homes])
        indexes = {home.demonstration: home.index for home in homes}
    qa = qa.filter(pl.col("length") <= 4)
    found = compare_random_orders(qa, indexes, "v").sort("question_id")
    expected = means_over_all_orders(qa, indexes, is_release=is_release).sort("question_id")
    assert found["question_id"].to_list() == expected["question_id"].to_list()
    assert found.height >= 16
    for name in (*STEPS, "accepted", "accepted_with_subset", *COUNTS):
        np.testing.assert_allclose(found[name], expected[name], atol=1e-12, err_msg=name)
    assert found["n_steps_strict_subset"].sum() > 0
