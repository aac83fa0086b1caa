"""Questions that were asked repeatedly, refused and cut answers, and what answers cost."""

from copy import deepcopy
from typing import Any

import polars as pl
import pytest
from polars.testing import assert_frame_equal
from sql.tiny_lake import Relations, Rows, answer, compared_answers, query, tiny_rows

ANSWERED = ("predictions", "evaluation", "compared_steps", "compared_components")
GUESSER = "model = 'guesser' and variant = 'baseline'"
OVERALL = f"{GUESSER} and kind = 'forward' and length is null"


def one(rows: Rows, sql: str) -> dict[str, Any]:
    return query(Relations(rows), sql).row(0, named=True)


def once_more(rows: Rows) -> Rows:
    """Every answer once more, word for word."""
    found = deepcopy(rows)
    for name in ANSWERED:
        found[name] += [{**row, "repetition": 1} for row in rows[name]]
    return found


@pytest.mark.slow
@pytest.mark.parametrize(
    ("relation", "counts_answers"),
    [
        ("leaderboard_details", "^(n_(answers|parsed|wrong_length|unparsed|missing))$"),
        ("probe_scores", ""),
        ("shared_errors", ""),
        ("error_examples", ""),
        ("semantic_errors", "n_errors"),
        ("structural_errors", "^n_.*$"),
        ("mismatch_rates", "^n_.*$"),
    ],
)
def test_answers_repeated_word_for_word_change_counts_of_answers_alone(
    relation: str, counts_answers: str
) -> None:
    """No rate, no standard error, and no number of questions: nothing new was learnt."""
    rows = tiny_rows()
    compared_answers(rows, "turner", ("f1", [1, 2], 1), ("f2", [1, 2], 2), ("f3", [2, 1, 3], 1))
    once, again = (query(Relations(r), f"from {relation}") for r in (rows, once_more(rows)))
    assert once.height
    if counts_answers:
        once = once.with_columns((2 * pl.col(counts_answers)).name.keep())
    told = [name for name in once.columns if name != "repetitions" and not name.endswith("_sd")]
    assert_frame_equal(once.select(told), again.select(told), abs_tol=1e-12)


def test_the_mean_is_over_all_answers_and_the_spread_between_repetitions() -> None:
    """Of f1, f2 and f3: right, unparsed, one step of three; then right, right, missing."""
    rows = tiny_rows()
    answer(rows, "guesser", "baseline", "f1", parsed=[2, 1], passed=2, repetition=1)
    answer(rows, "guesser", "baseline", "f2", parsed=[1, 2], passed=2, repetition=1)
    answer(rows, "guesser", "baseline", "f3", repetition=1)
    found = one(rows, f"from leaderboard_details where {OVERALL}")
    counts = ("n_questions", "n_scored", "n_answers", "repetitions", "n_parsed", "n_missing")
    assert [found[name] for name in counts] == [4, 3, 7, 2, 4, 2]
    assert found["task_accuracy"] == pytest.approx(3 / 5)
    assert found["pairwise_accuracy"] == pytest.approx((2 + 0 + 1 + 2 + 2) / (2 + 2 + 3 + 2 + 2))
    # Between 1/3 and 1, and between 3/7 and 1.
    assert found["task_accuracy_sd"] == pytest.approx((1 - 1 / 3) / 2**0.5)
    assert found["pairwise_accuracy_sd"] == pytest.approx((1 - 3 / 7) / 2**0.5)
    # Questions score 1, 1/2 and 0.
    assert found["task_accuracy_se"] == pytest.approx(0.5 / 3**0.5)


def test_one_repetition_has_no_spread() -> None:
    found = one(tiny_rows(), f"from leaderboard_details where {OVERALL}")
    assert (found["repetitions"], found["n_answers"], found["n_questions"]) == (1, 4, 4)
    assert found["task_accuracy_sd"] is found["pairwise_accuracy_sd"] is None


def test_refused_and_cut_answers_are_parts_of_the_unparsed_ones() -> None:
    rows = tiny_rows()
    answer(rows, "guesser", "baseline", "f4", raw="I must not.", repetition=1, stop="refused")
    answer(rows, "guesser", "baseline", "f4", raw="I must not.", repetition=2, stop="refused")
    answer(rows, "guesser", "baseline", "f3", raw="[2, 1,", repetition=1, stop="cut")
    wanted = "n_unparsed, n_refused, n_cut, n_missing"
    for sql in (
        f"select {wanted} from leaderboard_details where {OVERALL}",  # noqa: S608 - ours
        f"select {wanted} from answer_quality where {GUESSER}",  # noqa: S608 - ours
    ):
        assert query(Relations(rows), sql).row(0) == (4, 2, 1, 1)
    answered = query(Relations(rows), f"select reason, stop from answers where {GUESSER}")  # noqa: S608 - ours
    assert {("refused", "refused"), ("cut", "cut")} <= set(answered.rows())


def test_a_question_is_an_error_that_models_share_if_most_answers_to_it_are_wrong() -> None:
    """Of f3 the guesser is wrong in one of two answers, which is wrong; of f1 in one of three."""
    rows = tiny_rows()
    compared_answers(rows, "guesser", ("f3", [2, 3, 1], 3), ("f1", [1, 2], 0), repetition=1)
    compared_answers(rows, "guesser", ("f1", [2, 1], 2), repetition=2)
    compared_answers(rows, "turner", ("f1", [1, 2], 0), ("f3", [2, 1, 3], 1))
    found = query(
        Relations(rows),
        "select unit, wrong_models, n from shared_errors where variant = 'baseline' and n > 0 "
        "order by all",
    ).rows()
    assert found == [
        ("question", ["guesser", "turner"], 1),
        ("question", ["turner"], 1),
        # Step 1 of f3 passes in both answers of the guesser, steps 2 and 3 in one of them.
        ("step", [], 1),
        ("step", ["guesser", "turner"], 2),
        ("step", ["turner"], 2),
    ]


def test_an_example_is_the_first_wrong_answer_of_its_question() -> None:
    rows = tiny_rows()
    compared_answers(rows, "guesser", ("f3", [2, 1, 3], 1), repetition=1)
    found = query(Relations(rows), f"from error_examples where {GUESSER} and kind = 'forward'")
    assert found.height
    assert set(found["repetition"]) == {0}
    assert set(found["question_id"]) == {"f3"}


def test_quality_and_cost_are_those_summed_by_hand() -> None:
    rows = tiny_rows()
    known: list[dict[str, Any]] = [
        {"tokens_in": 1000, "tokens_out": 10, "usd": 0.1, "latency_s": 1.0, "served_model": "b"},
        {"tokens_in": 2000, "tokens_out": 20, "usd": 0.2, "latency_s": 2.0, "served_model": "a"},
        {"tokens_in": 3000, "tokens_out": 30, "tokens_reasoning": 5, "latency_s": 6.0},
    ]
    mine = [r for r in rows["predictions"] if r["model"] == "guesser"][:3]
    for row, reported in zip(mine, known, strict=True):
        row.update(reported)
    found = one(rows, f"from answer_quality where {GUESSER}")
    counts = ("questions", "answers", "answered", "parsed", "unparsed", "missing", "priced")
    assert [found[f"n_{name}"] for name in counts] == [5, 5, 4, 3, 1, 1, 2]
    tokens = ("tokens_in", "tokens_in_cached", "tokens_out", "tokens_reasoning")
    assert [found[name] for name in tokens] == [6000, None, 60, 5]
    assert (found["usd"], found["usd_per_question"]) == (0.3, 0.15)
    assert (found["median_latency_s"], found["p95_latency_s"]) == (2.0, pytest.approx(5.6))
    assert found["served_models"] == ["a", "b"]
    baseline = one(rows, "from answer_quality where model = 'oracle'")
    told = ("tokens_in", "usd", "usd_per_question", "median_latency_s", "served_models")
    assert [baseline[name] for name in told] == [None] * 5
    assert baseline["n_priced"] == 0


def test_answers_that_were_not_evaluated_have_no_verdicts() -> None:
    rows = tiny_rows()
    for name in ("evaluation", "compared_steps", "compared_components"):
        rows[name] = [row for row in rows[name] if row["model"] != "guesser"]
    found = one(rows, f"from answer_quality where {GUESSER}")
    assert (found["n_answered"], found["n_missing"]) == (4, 1)
    verdicts = ("n_parsed", "n_unparsed", "n_refused", "n_cut")
    assert [found[name] for name in verdicts] == [None] * 4
