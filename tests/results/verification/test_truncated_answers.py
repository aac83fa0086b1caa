"""Answers with too few labels: parsed, never accepted, credited by monotone alignment (A.3.2)."""

from functools import cache

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from results.errors.changes_by_hand import DEMONSTRATION, ChangesByHand, forward, inverse, predicted

from enact_assets.results.verification.evaluate import PAPER_ANSWERS, RELEASE_ANSWERS, evaluate
from enact_assets.results.verification.metrics import summarize

from reference import verification as slow
from reference.household import Household, build_household

DOORS = "abcd"
# Key frame k is what four doors look like after the first k were opened, one by one.
OPENED = {
    (i, j): [f"{'+' if i < j else '-'}Open({door})" for door in DOORS[min(i, j) : max(i, j)]]
    for i in range(5)
    for j in range(5)
}
INDEX = ChangesByHand(OPENED, 5)
PICTURES = forward([0, 1, 2, 3, 4], [1, 2, 3, 4])
OPEN = {door: f"+Open({door})" for door in DOORS}
# Labels 1 to 4 open b, a, d, c.
ACTIONS = inverse([[OPEN["b"]], [OPEN["a"]], [OPEN["d"]], [OPEN["c"]]], [2, 1, 4, 3])
# Label 1 says more than its step shows: a was opened, but b not yet.
SAYS_MORE = inverse([[OPEN["a"], OPEN["b"]], [OPEN["b"]], [OPEN["c"]], [OPEN["d"]]], [1, 2, 3, 4])

BY_HAND = [
    # What each answer opens on its way, and the true steps a, b, c, d that it covers in order.
    (PICTURES, "[1, 2, 3]", 3),  # a; b; c
    (PICTURES, "[2, 3, 4]", 3),  # ab; c; d: the first covers a or b
    (PICTURES, "[2, 4]", 2),  # ab; cd
    (PICTURES, "[4]", 1),  # abcd covers any step, but only one
    (PICTURES, "[3, 1, 2]", 2),  # abc; closes b and c; b: a, then b
    (PICTURES, "[4, 3]", 1),  # abcd; closes d
    (ACTIONS, "[2, 1]", 2),  # a; b
    (ACTIONS, "[1, 2, 4]", 2),  # b; a; c: a and c or b and c, never a after b
    (ACTIONS, "[3, 4, 1]", 1),  # d; c; b: backwards, so one of them
    (SAYS_MORE, "[1, 2]", 1),  # ab is in no step; b
]


@pytest.mark.parametrize(("question", "raw", "n_passed"), BY_HAND)
def test_ten_short_answers_worked_out_by_hand(
    question: pl.DataFrame, raw: str, n_passed: int
) -> None:
    row = evaluate(predicted(question, [raw]), question, {DEMONSTRATION: INDEX}, PAPER_ANSWERS).row(
        0, named=True
    )
    assert (row["answer_status"], row["reason"]) == ("parsed", "wrong_length")
    assert (row["is_exact"], row["is_semantic"], row["is_accepted"]) == (False, False, False)
    assert (row["n_steps_passed"], row["pairwise_accuracy"]) == (n_passed, n_passed / 4)


def test_the_release_also_credits_an_action_that_says_all_that_shows() -> None:
    """Its code does so for lists of another length; the paper's rule for actions does not."""
    found = evaluate(
        predicted(SAYS_MORE, ["[1, 2]"]), SAYS_MORE, {DEMONSTRATION: INDEX}, RELEASE_ANSWERS
    )
    assert found.item(0, "n_steps_passed") == 2


@cache
def household() -> Household:
    return build_household(1)


@given(st.data())
def test_credit_is_that_of_the_slow_twin(data: st.DataObject) -> None:
    """Over questions of both kinds, with labels left out and in any order."""
    home = household()
    row = home.qa.slice(data.draw(st.integers(0, home.qa.height - 1)), 1)
    question = row.row(0, named=True)
    n = len(question["answer"])
    near = question["answer"]
    far = data.draw(st.permutations(near))
    order = data.draw(st.sampled_from([near, far]))
    kept = sorted(data.draw(st.sets(st.integers(0, n - 1), min_size=1, max_size=n - 1)))
    short = [order[k] for k in kept]
    found = evaluate(
        predicted(row, [str(short)]), row, {home.demonstration: home.index}, PAPER_ANSWERS
    ).row(0, named=True)
    assert found["answer"] == short
    assert found["n_steps_passed"] == slow.steps_credited(question, short, home.index)


def test_a_short_answer_counts_all_steps_of_its_question() -> None:
    """Over the steps that were named, one right guess would be a full score."""
    found = evaluate(predicted(PICTURES, ["[4]"]), PICTURES, {DEMONSTRATION: INDEX}, PAPER_ANSWERS)
    row = summarize(found).row(0, named=True)
    assert (row["n_parsed"], row["n_wrong_length"]) == (1, 1)
    assert row["pairwise_accuracy"] == 1 / 4


def test_the_release_divides_too_long_a_list_by_its_own_length() -> None:
    """A group of one has the score of the one, by steps as by questions."""
    found = evaluate(
        predicted(PICTURES, ["1 2 3 4 1"]), PICTURES, {DEMONSTRATION: INDEX}, RELEASE_ANSWERS
    )
    row = summarize(found).row(0, named=True)
    assert row["pairwise_accuracy"] == row["pairwise_accuracy_by_question"] == 4 / 5
