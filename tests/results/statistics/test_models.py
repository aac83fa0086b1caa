"""Models beside each other: rows by hand, ties, and what is not there."""

import random
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from enact_assets.engine.errors import EvaluationError
from enact_assets.results.statistics.constants import StatisticsSettings
from enact_assets.results.statistics.models import compare_models
from enact_assets.results.verification.tables import Evaluation

FEW = StatisticsSettings(n_resamples=99, n_sign_flips=99)
Scores = dict[str, float | None]


def evaluation(
    by_model: dict[str, Scores], variant: str = "baseline", repetition: int = 0
) -> pl.DataFrame:
    """Rows by question name ``<kind>-<length>-<demonstration>-<number>``."""
    rows: list[dict[str, Any]] = []
    for model, scores in by_model.items():
        for question, score in scores.items():
            kind, length, demonstration, _ = question.split("-")
            rows.append(
                {
                    "model": model,
                    "variant": variant,
                    "question_id": question,
                    "repetition": repetition,
                    "demonstration": demonstration,
                    "gating": "state",
                    "kind": kind,
                    "length": int(length),
                    "answer_status": "missing" if score is None else "parsed",
                    "reason": None,
                    "answer": None,
                    "is_exact": None,
                    "is_semantic": None,
                    "is_accepted": None if score is None else score == 1,
                    "n_steps": int(length) - 1,
                    "n_steps_passed": None,
                    "pairwise_accuracy": score,
                }
            )
    return Evaluation.build(rows)


def row(rows: pl.DataFrame, **where: Any) -> dict[str, Any]:
    """The one row of all lengths and pairwise accuracy, unless said otherwise."""
    wanted = {"length": None, "metric": "pairwise_accuracy", **where}
    return rows.filter(pl.col(k).eq_missing(v) for k, v in wanted.items()).row(0, named=True)


def named(scores: list[float | None], per_demonstration: int = 2, kind: str = "forward") -> Scores:
    return {
        f"{kind}-{3 + k % 2}-d{k // per_demonstration:02}-{k}": score
        for k, score in enumerate(scores)
    }


def test_an_accuracy_has_its_error_and_interval() -> None:
    accuracies, pairs = compare_models(
        evaluation({"m": named([1.0, 0.5, 0.0, 0.5, None, 1.0])}), "baseline"
    )
    whole = row(accuracies, kind="forward")
    assert (whole["n_scored"], whole["n_demonstrations"]) == (5, 3)
    # Of 2, 3, 2, 3 and 3 steps: 8 of 13 pass.
    assert whole["accuracy"] == pytest.approx(8 / 13)
    # Steps of each demonstration that pass beyond its share of them: 5 of 13, 5 and 3.
    squared = (
        (3.5 - 40 / 13) ** 2 / (8 / 13)
        + (1.5 - 40 / 13) ** 2 / (8 / 13)
        + (3 - 24 / 13) ** 2 / (10 / 13)
    )
    assert whole["standard_error"] == pytest.approx(np.sqrt(squared) / 13)
    answered = row(accuracies, metric="task_accuracy")
    squared = (1 - 0.8) ** 2 / 0.6 + (0 - 0.8) ** 2 / 0.6 + (1 - 0.4) ** 2 / 0.8
    assert answered["standard_error"] == pytest.approx(np.sqrt(squared) / 5)
    assert 0.0 <= whole["low"] < 0.25  # by t, of three demonstrations
    assert whole["high"] == 1.0
    assert (whole["reason"], whole["place_best"], whole["place_worst"]) == (None, 1, 1)
    assert whole["tied_with"] == []
    assert row(accuracies, metric="task_accuracy")["accuracy"] == pytest.approx(0.4)
    assert sorted(accuracies["length"].unique().to_list(), key=str) == [3, 4, None]
    assert pairs.height == 0


def test_pairs_are_compared_over_common_questions() -> None:
    """An answer that one of them never gave must not count against it."""
    a = named([1.0, 1.0, 0.5, 1.0, 0.0, 1.0])
    b = named([0.5, 1.0, 0.0, None, 0.0, 0.5])
    _, pairs = compare_models(evaluation({"b": b, "a": a}), "baseline")
    pair = row(pairs)
    assert (pair["model_a"], pair["model_b"]) == ("a", "b")
    assert (pair["n_paired"], pair["n_demonstrations"]) == (5, 3)
    assert pair["difference"] == pytest.approx((2 * 0.5 + 2 * 0.5 + 3 * 0.5) / (2 + 3 + 2 + 2 + 3))
    assert pair["low"] < pair["difference"] < pair["high"]
    assert pair["sign_flip_p"] == pytest.approx(0.25)
    assert pair["clustered_bh_p"] == pair["clustered_p"]  # a family of one


def test_ties_are_not_transitive_and_places_overlap() -> None:
    """A board that sorts by points alone tells first from second where nobody can."""
    generator = np.random.default_rng(3)
    ease = generator.normal(0, 0.05, 60)

    def around(mean: float, spread: float) -> Scores:
        noise = generator.normal(0, spread, 60)
        return named(list(mean + ease + noise - noise.mean()))

    models = {"high": around(0.8, 0.02), "low": around(0.7, 0.02), "noisy": around(0.75, 0.3)}
    accuracies, pairs = compare_models(evaluation(models), "baseline")
    assert not row(pairs, model_a="high", model_b="low")["is_tied"]
    places = {
        name: (found["place_best"], found["place_worst"], found["tied_with"])
        for name in models
        for found in [row(accuracies, model=name)]
    }
    assert places == {
        "high": (1, 2, ["noisy"]),
        "low": (2, 3, ["noisy"]),
        "noisy": (1, 3, ["high", "low"]),
    }


def test_the_same_difference_everywhere_is_no_tie() -> None:
    """Right throughout against wrong throughout has no variance, and is the clearest of all."""
    n = 20
    accuracies, pairs = compare_models(
        evaluation({"oracle": named([1.0] * n), "fool": named([0.0] * n)}), "baseline"
    )
    pair = row(pairs)
    assert (pair["clustered_p"], pair["reason"]) == (None, "no_variation")
    assert pair["sign_flip_p"] == pytest.approx(2 / 2**10)
    assert not pair["is_tied"]
    oracle = row(accuracies, model="oracle")
    assert (oracle["low"], oracle["high"], oracle["reason"]) == (None, None, "no_variation")
    assert (oracle["place_best"], oracle["place_worst"]) == (1, 1)


def test_degenerate_input_is_null_with_a_reason() -> None:
    accuracies, pairs = compare_models(
        evaluation(
            {
                "silent": named([None] * 4),
                "first": named([1.0, 0.5, None, None]),
                "second": named([None, None, 0.5, 0.5]),
            }
        ),
        "baseline",
    )
    silent = row(accuracies, model="silent")
    assert (silent["accuracy"], silent["low"], silent["reason"]) == (None, None, "no_scores")
    assert (silent["place_best"], silent["place_worst"], silent["tied_with"]) == (None,) * 3
    assert row(accuracies, model="first")["reason"] == "one_demonstration"
    pair = row(pairs)
    assert (pair["model_a"], pair["model_b"], pair["n_paired"]) == ("first", "second", 0)
    assert (pair["difference"], pair["reason"], pair["is_tied"]) == (None, "not_paired", True)
    assert row(accuracies, model="first")["tied_with"] == ["second"]
    for rows in (accuracies, pairs):
        floats = rows.select(pl.selectors.float())
        assert not floats.select(pl.all().is_nan().any()).row(0).count(True)


def test_nothing_gives_nothing_and_another_variant_is_refused() -> None:
    empty = Evaluation.empty()
    assert [rows.height for rows in compare_models(empty, "baseline")] == [0, 0]
    with pytest.raises(EvaluationError, match="rows of variant 'high' given as those of 'low'"):
        compare_models(evaluation({"m": named([1.0])}, "high"), "low")


def test_references_are_compared_and_take_no_place() -> None:
    """Nobody can beat the oracle: with it among the models the best of them would be second."""
    n = 20
    generator = np.random.default_rng(5)
    models = {
        name: named(list(mean + generator.normal(0, 0.02, n)))
        for name, mean in (("good", 0.7), ("bad", 0.4))
    }
    oracle = {"oracle": named([1.0] * n)}
    accuracies, pairs = compare_models(
        evaluation({**models, **oracle}), "baseline", FEW, ["oracle"]
    )
    places = {
        name: (found["is_reference"], found["place_best"], found["place_worst"])
        for name in ("good", "bad", "oracle")
        for found in [row(accuracies, model=name)]
    }
    assert places == {
        "good": (False, 1, 1), "bad": (False, 2, 2), "oracle": (True, None, None)
    }  # fmt: skip
    assert row(accuracies, model="oracle")["tied_with"] is None
    alone = compare_models(evaluation(models), "baseline", FEW)
    told = pairs.filter(~pl.col("has_reference"))
    assert_frame_equal(told, alone[1])
    with_oracle = pairs.filter("has_reference", metric="pairwise_accuracy", length=3)
    assert set(with_oracle["model_b"]) == {"oracle"}
    assert with_oracle["clustered_bh_p"].is_not_null().all()


def test_a_p_value_of_just_alpha_is_a_tie(monkeypatch: pytest.MonkeyPatch) -> None:
    """1 - 0.95 is 0.05000000000000004: "at or above alpha" would not hold at 0.05."""
    from enact_assets.results.statistics import models

    monkeypatch.setattr(models, "clustered_p", lambda sums: np.full(sums.n_scores.shape, 0.05))
    scores = {"a": named([1.0, 0.5, 0.0, 0.5]), "b": named([0.0, 0.5, 0.25, 0.5])}
    _, pairs = compare_models(evaluation(scores), "baseline")
    assert row(pairs)["is_tied"]


SCORES = st.none() | st.sampled_from([0.0, 0.25, 1 / 3, 0.5, 1.0])


@pytest.mark.slow
@settings(max_examples=settings.default.max_examples // 2)
@given(
    st.dictionaries(
        st.sampled_from(["a", "b", "c", "d"]),
        st.lists(SCORES, min_size=6, max_size=6),
        min_size=1,
    ),
    st.integers(),
)
def test_models_do_not_hang_on_the_order_of_rows_nor_on_each_other(
    by_model: dict[str, list[float | None]], seed: int
) -> None:
    """The hash of the table is its version: other rows for the same answers make all else stale."""
    rows = evaluation({model: named(scores) for model, scores in by_model.items()})
    accuracies, pairs = compare_models(rows, "baseline", FEW)
    places = list(range(rows.height))
    random.Random(seed).shuffle(places)  # noqa: S311 - no secret
    again = compare_models(rows[places], "baseline", FEW)
    assert accuracies.equals(again[0])
    assert pairs.equals(again[1])
    own = [c for c in accuracies.columns if not c.startswith("place") and c != "tied_with"]
    for model in by_model:
        alone, _ = compare_models(rows.filter(pl.col("model") == model), "baseline", FEW)
        beside = accuracies.filter(pl.col("model") == model)
        assert alone.select(own).equals(beside.select(own))
    n_placed = accuracies.group_by("length", "metric").agg(pl.col("place_worst").count())
    assert (
        accuracies.join(n_placed, on=["length", "metric"], nulls_equal=True)
        .select(
            (pl.col("place_best") <= pl.col("place_worst")).all()
            & (pl.col("place_worst") <= pl.col("place_worst_right")).all()
        )
        .item()
    )


def test_answers_that_are_repeated_word_for_word_change_no_statistic() -> None:
    """A second answer to each question adds no demonstration: errors must not shrink."""
    draw = random.Random(7)  # noqa: S311 - no secret
    models = {
        model: named([draw.choice([0.0, 0.5, 1.0, None]) for _ in range(24)], kind=kind)
        for model, kind in (("a", "forward"), ("b", "forward"), ("c", "forward"))
    }
    again = [evaluation(models, repetition=n) for n in range(3)]
    once = compare_models(again[0], "baseline", FEW)
    thrice = compare_models(pl.concat(again), "baseline", FEW)
    for one, three in zip(once, thrice, strict=True):
        assert_frame_equal(one, three, abs_tol=1e-12)


def test_every_answer_counts_but_pairs_compare_questions() -> None:
    """Of the first question a has three answers, of the second one: 3 of 4 are right, and each
    question is worth a half beside b, which is right once in all.
    """
    first, second = "forward-3-d0-0", "forward-3-d1-1"
    answers = pl.concat(
        [
            evaluation({"a": {first: 1.0, second: 0.0}, "b": {first: 0.0, second: 1.0}}),
            *(evaluation({"a": {first: 1.0}}, repetition=n) for n in (1, 2)),
        ]
    )
    accuracies, pairs = compare_models(answers, "baseline", FEW)
    for metric in ("task_accuracy", "pairwise_accuracy"):
        whole = row(accuracies, model="a", metric=metric)
        assert (whole["accuracy"], whole["n_scored"]) == (0.75, 2)
        pair = row(pairs, metric=metric)
        assert (pair["difference"], pair["n_paired"]) == (0.0, 2)
