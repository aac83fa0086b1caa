"""Verdicts on orders, one at a time and in bulk, against plain loops over sets."""

from functools import cache

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from enact_assets.contracts.components import Component
from enact_assets.contracts.errors import EvaluationError
from enact_assets.contracts.profile import PAPER
from enact_assets.evaluation.evaluate import evaluate
from enact_assets.evaluation.expectation import expect_random_orders
from enact_assets.evaluation.order_counts_kernels import longest_alignment
from enact_assets.evaluation.verification import verify
from enact_assets.predictions.prediction_tables import Predictions

from reference import verification as slow
from reference.household import Chance, Household, build_household


@cache
def household(seed: int = 1) -> Household:
    return build_household(seed)


def answers(qa: pl.DataFrame, raw: list[str | None]) -> pl.DataFrame:
    rows = [
        {"model": "m", "variant": "v", "question_id": q, "request_sha": "s", "raw_answer": r}
        | {"error": None if r is not None else "timeout"}
        for q, r in zip(qa["question_id"], raw, strict=True)
    ]
    return Predictions.build(rows)


def test_single_and_bulk_verification_agree_with_plain_loops() -> None:
    """Bit sets, padding and gathers must not score one step differently from the definition."""
    chance = Chance("near misses")
    homes = [household(seed) for seed in (1, 2)]
    indexes = {h.demonstration: h.index for h in homes}
    qa = pl.concat([h.qa for h in homes])
    questions = {q["question_id"]: q for q in qa.iter_rows(named=True)}
    orders = {}
    for key, question in questions.items():
        order = list(question["answer"])
        # Near misses meet the interesting cases more often than random orders do.
        for _ in range(chance.choice((0, 1, 2, 20))):
            i, j = chance.choice(range(len(order))), chance.choice(range(len(order)))
            order[i], order[j] = order[j], order[i]
        orders[key] = order
    found = evaluate(answers(qa, [str(orders[q]) for q in qa["question_id"]]), qa, indexes, PAPER)
    partial = 0
    for row in found.iter_rows(named=True):
        question = questions[row["question_id"]]
        order, deltas = orders[row["question_id"]], indexes[row["demonstration"]]
        expected = slow.scores(question, order, deltas)
        assert {name: row[name] for name in expected} == expected
        single = verify(question, order, deltas)
        assert {name: getattr(single, name) for name in expected} == expected
        assert row["answer"] == order
        partial += 0 < expected["n_steps_passed"] < row["n_steps"]
    assert partial > 20
    assert found["is_semantic"].sum() > found["is_exact"].sum() > 10


def test_an_equivalent_order_is_accepted_though_it_is_not_the_reference() -> None:
    """Two actions of equal content may be exchanged; grading by index would punish that."""
    home = household()
    for question in home.qa.filter(pl.col("kind") == "inverse").iter_rows(named=True):
        actions = question["action_components"]
        for i in range(len(actions)):
            for j in range(i):
                if actions[i] == actions[j]:
                    order = [{i + 1: j + 1, j + 1: i + 1}.get(k, k) for k in question["answer"]]
                    verdict = verify(question, order, home.index)
                    assert not verdict.is_exact
                    assert verdict.is_accepted
                    assert verdict.pairwise_accuracy == 1
                    return
    pytest.fail("the household has no question with two equal actions")


@pytest.mark.parametrize("kind", ["forward", "inverse"])
def test_the_subset_rule_points_the_right_way(kind: str) -> None:
    """Forward asks reference within predicted, inverse predicted within reference."""
    small, large = (
        frozenset(map(Component.parse, t)) for t in (["+Open(a)"], ["+Open(a)", "+Open(b)"])
    )

    class Deltas:
        def visible(self, i: int, j: int) -> frozenset[Component]:
            return large if (i, j) == (1, 2) else small

        def full(self, i: int, j: int) -> frozenset[Component]:
            return large if (i, j) == (1, 2) else small

    question = {
        "question_id": "q",
        "kind": kind,
        "key_frames": [0, 1, 2],
        "shown_key_frames": [0, 1, 2] if kind == "inverse" else [0, 2, 1],
        "action_components": [["+Open(a)", "+Open(b)"], ["+Open(a)"]],
        "answer": [2, 1],
    }
    exact = verify(question, [2, 1], Deltas())
    assert exact.passes == (True, True)
    swapped = verify(question, [1, 2], Deltas())
    # Forward: the first step asks for less than is predicted (0 -> 2 changes a), the second for
    # more. Inverse: the first action claims more than happened, the second less.
    assert swapped.passes == ((True, False) if kind == "forward" else (False, True))
    assert swapped.pairwise_accuracy == 0.5


def test_an_action_may_say_what_happened_unseen() -> None:
    """Inverse asks predicted within all that changed: the true action may name what no one saw."""

    class Deltas:
        def visible(self, i: int, j: int) -> frozenset[Component]:
            return frozenset()

        def full(self, i: int, j: int) -> frozenset[Component]:
            return frozenset(map(Component.parse, ["+Open(a)"]))

    question = {
        "question_id": "q",
        "kind": "inverse",
        "key_frames": [0, 1, 2],
        "shown_key_frames": [0, 1, 2],
        "action_components": [["+Open(a)"], ["+Open(a)"]],
        "answer": [1, 2],
    }
    assert verify(question, [2, 1], Deltas()).is_semantic
    for label in (0, 3, -1):
        with pytest.raises(EvaluationError, match=rf"label {label} was not shown .*1 to 2"):
            verify(question, [label, 1], Deltas())


@given(
    st.integers(0, 6).flatmap(
        lambda m: st.lists(st.lists(st.booleans(), min_size=m, max_size=m), max_size=6)
    )
)
def test_the_alignment_is_the_longest_there_is(allowed: list[list[bool]]) -> None:
    """A greedy alignment looks right and is too short."""
    m = len(allowed[0]) if allowed else 0
    array = np.array(allowed, np.bool_).reshape(len(allowed), m)
    assert longest_alignment(array) == slow.alignment(allowed)


def test_an_order_of_another_length_is_aligned_and_never_accepted() -> None:
    """A truncated right answer passes what it names, over the longer of the two lengths."""
    home = household()
    question = home.qa.filter(pl.col("length") == 6).row(0, named=True)
    verdict = verify(question, question["answer"][:3], home.index)
    assert not verdict.is_accepted
    assert verdict.n_steps_passed == 3
    assert verdict.pairwise_accuracy == 3 / 5
    longer = verify(question, [*question["answer"], question["answer"][0]], home.index)
    assert longer.pairwise_accuracy == 5 / 6
    assert verify(question, [], home.index).pairwise_accuracy == 0
    with pytest.raises(EvaluationError, match="label 6 was not shown"):
        verify(question, [6], home.index)


def test_unparsed_is_wrong_and_missing_is_null() -> None:
    """A refusal scored as missing, or an outage scored as wrong, moves the leaderboard."""
    home = household()
    raw: list[str | None] = [None if k % 3 == 0 else "no idea" for k in range(home.qa.height)]
    raw[1] = "[1]"
    found = evaluate(answers(home.qa, raw), home.qa, {home.demonstration: home.index}, PAPER)
    by_id = dict(zip(home.qa["question_id"], raw, strict=True))
    for row in found.iter_rows(named=True):
        if by_id[row["question_id"]] is None:
            assert (row["answer_status"], row["reason"]) == ("missing", "timeout")
            assert {row[c] for c in ("is_exact", "is_accepted", "n_steps_passed")} == {None}
            assert row["pairwise_accuracy"] is None
        else:
            assert row["answer_status"] == "unparsed"
            assert row["reason"] in ("no_list", "wrong_length")
            assert row["is_exact"] is row["is_semantic"] is row["is_accepted"] is False
            assert (row["n_steps_passed"], row["pairwise_accuracy"]) == (0, 0.0)
        assert row["answer"] is None
        assert row["n_steps"] == row["length"] - 1


def test_an_action_nobody_could_have_taken_passes_in_the_reference_order_only() -> None:
    """A component outside the vocabulary has no bit; dropped silently, it would be a subset."""
    home = household()
    indexes = {home.demonstration: home.index}
    question = home.qa.filter((pl.col("kind") == "inverse") & (pl.col("length") == 5)).head(1)
    question = question.with_columns(
        action_components=pl.Series(
            [[["+Open(spaceship)"]] * 4], dtype=question.schema["action_components"]
        )
    )
    reference = question.item(0, "answer").to_list()
    for order, n_passed in ((reference, 4), (reference[::-1], 0)):
        row = evaluate(answers(question, [str(order)]), question, indexes, PAPER).row(0, named=True)
        # The reference is exact, and exact is accepted whatever the rule says of its steps.
        assert (row["n_steps_passed"], row["is_accepted"]) == (n_passed, order == reference)
        assert not row["is_semantic"]
        single = verify(question.row(0, named=True), order, home.index)
        assert (single.n_steps_passed, single.is_accepted) == (n_passed, order == reference)
    expected = expect_random_orders(question, indexes).row(0, named=True)
    assert expected["n_accepted_orders"] == 1
    assert expected["expected_pairwise_accuracy"] == pytest.approx(1 / 24)


def test_answers_without_their_question_or_index_are_refused() -> None:
    """An inner join would quietly shrink the denominator."""
    home = household()
    given_answers = answers(home.qa, ["[1]"] * home.qa.height)
    indexes = {home.demonstration: home.index}
    with pytest.raises(EvaluationError, match=r"1 of .* predictions answer questions that are not"):
        evaluate(given_answers, home.qa.tail(-1), indexes, PAPER)
    with pytest.raises(EvaluationError, match="no index of changes, first household-1"):
        evaluate(given_answers, home.qa, {}, PAPER)
    with pytest.raises(EvaluationError, match="given more than once"):
        evaluate(given_answers, pl.concat([home.qa, home.qa]), indexes, PAPER)
    empty = evaluate(given_answers.clear(), home.qa, indexes, PAPER)
    assert empty.height == 0
