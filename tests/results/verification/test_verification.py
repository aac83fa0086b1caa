"""Verdicts on orders, one at a time and in bulk, against plain loops over sets.

Answers with too few labels: parsed, never accepted, credited by monotone alignment (A.3.2)."""

from functools import cache
from itertools import pairwise, permutations
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from results.errors.changes_by_hand import DEMONSTRATION, ChangesByHand, forward, inverse, predicted

from enact_assets.answers.baselines.tables import Predictions
from enact_assets.engine.errors import EvaluationError
from enact_assets.questions.key_frames.component_index import ComponentIndex
from enact_assets.results.verification.evaluate import (
    PAPER_ANSWERS,
    RELEASE_ANSWERS,
    AnswerRules,
    evaluate,
)
from enact_assets.results.verification.expectation import expect_random_orders
from enact_assets.results.verification.metrics import summarize
from enact_assets.results.verification.order_counts_kernels import (
    are_subsets,
    count_accepted_actions,
    count_accepted_images,
    count_orders_by_step,
    longest_alignment,
)
from enact_assets.results.verification.shared_changes import SharedChanges
from enact_assets.results.verification.verify import Verifier, VerifierQuestion

from reference import verification as slow
from reference.household import Chance, Household, build_household


@cache
def household(seed: int = 1) -> Household:
    return build_household(seed)


def answers(qa: pl.DataFrame, raw: list[str | None]) -> pl.DataFrame:
    rows = [
        {"model": "m", "variant": "v", "question_id": q, "repetition": 0, "request_sha": "s"}
        | {"raw_answer": r}
        | {"error": None if r is not None else "timeout"}
        for q, r in zip(qa["question_id"], raw, strict=True)
    ]
    return Predictions.build(rows)


def score(question: pl.DataFrame, order: list[int], index: ComponentIndex) -> dict[str, Any]:
    """The row of ``evaluation`` about one answer to one question."""
    indexes = {question.item(0, "demonstration"): index}
    return evaluate(answers(question, [str(order)]), question, indexes, PAPER_ANSWERS).row(
        0, named=True
    )


def test_verification_agrees_with_plain_loops() -> None:
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
    found = evaluate(
        answers(qa, [str(orders[q]) for q in qa["question_id"]]), qa, indexes, PAPER_ANSWERS
    )
    partial = 0
    for row in found.iter_rows(named=True):
        question = questions[row["question_id"]]
        order, deltas = orders[row["question_id"]], indexes[row["demonstration"]]
        expected = slow.scores(question, order, deltas)
        assert {name: row[name] for name in expected} == expected
        assert row["answer"] == order
        partial += 0 < expected["n_steps_passed"] < row["n_steps"]
    assert partial > 20
    assert found["is_semantic"].sum() > found["is_exact"].sum() > 10


def test_an_equivalent_order_is_accepted_though_it_is_not_the_reference() -> None:
    """Two actions of equal content may be exchanged; grading by index would punish that."""
    home = household()
    for row in home.qa.filter(pl.col("kind") == "inverse").iter_slices(1):
        question = row.row(0, named=True)
        actions = question["action_components"]
        for i in range(len(actions)):
            for j in range(i):
                if actions[i] == actions[j]:
                    order = [{i + 1: j + 1, j + 1: i + 1}.get(k, k) for k in question["answer"]]
                    verdict = score(row, order, home.index)
                    assert (verdict["is_exact"], verdict["is_accepted"]) == (False, True)
                    assert verdict["pairwise_accuracy"] == 1
                    return
    pytest.fail("the household has no question with two equal actions")


@pytest.mark.parametrize(
    ("visible", "forward_passes", "inverse_passes"),
    [
        ([["+Open(a)"], ["+Open(a)", "+Open(b)"]], 1, 1),
        ([["+Open(a)"], ["+Open(b)"]], 0, 0),
    ],
)
def test_the_subset_rule_points_the_right_way(
    visible: list[list[str]], forward_passes: int, inverse_passes: int
) -> None:
    """Forward asks reference within predicted, inverse predicted within reference."""
    # Both images the other way round change what the two steps change.
    changes = {(0, 1): visible[0], (1, 2): visible[1], (0, 2): visible[1], (2, 1): visible[0]}
    index = ChangesByHand(changes, 3)
    for question, n_passed in (
        (forward([0, 1, 2], [1, 2]), forward_passes),
        (inverse(visible, [1, 2]), inverse_passes),
    ):
        assert score(question, [1, 2], index)["n_steps_passed"] == 2
        assert score(question, [2, 1], index)["n_steps_passed"] == n_passed


def test_an_action_may_say_what_happened_unseen() -> None:
    """Inverse asks predicted within all that changed: the true action may name what no one saw."""
    said = [["+Open(a)"], ["+Open(b)"]]
    pairs = {(0, 1): said[0], (1, 2): said[1]}
    index = ChangesByHand({}, 3, unseen=pairs)
    assert score(inverse(said, [1, 2]), [1, 2], index)["n_steps_passed"] == 2
    # The two steps hold both, so that either order says nothing but what happened.
    both = ChangesByHand({}, 3, unseen={k: ["+Open(a)", "+Open(b)"] for k in pairs})
    assert score(inverse(said, [1, 2]), [2, 1], both)["is_semantic"]
    assert not score(inverse(said, [1, 2]), [2, 1], index)["is_semantic"]


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


@pytest.mark.parametrize("kind", ["forward", "inverse"])
def test_an_order_of_another_length_is_aligned_and_never_accepted(kind: str) -> None:
    """A truncated right answer passes what it names, over the longer of the two lengths."""
    home = household()
    row = home.qa.filter(pl.col("kind") == kind, pl.col("length") == 6).row(0, named=True)
    columns = ("demonstration", "kind", "key_frames", "answer", "action_components")
    verifier = Verifier(
        [VerifierQuestion(*(row[name] for name in columns))],
        {home.demonstration: SharedChanges(home.index)},
        either_rule_aligns=True,
    )

    def judged(order: list[int]) -> tuple[bool, int, float]:
        found = verifier.verify([order])
        return bool(found.is_accepted[0]), int(found.n_passed[0]), float(found.pairwise_accuracy[0])

    answer = row["answer"]
    n_of = 6 if kind == "forward" else 5
    assert judged(answer[:3]) == (False, 3, 3 / 5)
    assert judged([]) == (False, 0, 0.0)
    # One picture more counts; an action beyond the last step fails all of them.
    assert judged([*answer, answer[0]]) == (False, *((5, 5 / n_of) if n_of == 6 else (0, 0.0)))


def test_unparsed_is_wrong_and_missing_is_null() -> None:
    """A refusal scored as missing, or an outage scored as wrong, moves the leaderboard."""
    home = household()
    raw: list[str | None] = [None if k % 3 == 0 else "no idea" for k in range(home.qa.height)]
    raw[1] = "[1, 1]"
    found = evaluate(
        answers(home.qa, raw), home.qa, {home.demonstration: home.index}, PAPER_ANSWERS
    )
    by_id = dict(zip(home.qa["question_id"], raw, strict=True))
    for row in found.iter_rows(named=True):
        if by_id[row["question_id"]] is None:
            assert (row["answer_status"], row["reason"]) == ("missing", "timeout")
            assert {row[c] for c in ("is_exact", "is_accepted", "n_steps_passed")} == {None}
            assert row["pairwise_accuracy"] is None
        else:
            assert row["answer_status"] == "unparsed"
            assert row["reason"] in ("no_list", "not_a_permutation")
            assert row["is_exact"] is row["is_semantic"] is row["is_accepted"] is False
            assert (row["n_steps_passed"], row["pairwise_accuracy"]) == (0, 0.0)
        assert row["answer"] is None
        assert row["n_steps"] == row["length"] - 1


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        (PAPER_ANSWERS, [("refused", 0.0), ("cut", 0.0), (None, 1.0)]),
        # The public release reads what is there; a list of one label is shifted to [1].
        (RELEASE_ANSWERS, [(None, 1.0), (None, 0.0), (None, 1.0)]),
    ],
)
def test_refused_and_cut_answers_are_heeded_under_profile_paper(
    rules: AnswerRules, expected: list[tuple[str | None, float]]
) -> None:
    home = household()
    forward = home.qa.filter((pl.col("kind") == "forward") & (pl.col("length") == 3))
    questions = forward.head(1)
    reference = questions.item(0, "answer").to_list()
    told = [(str(reference), "refused"), (str(reference[:1]), "cut"), (str(reference), "cut")]
    rows = [
        {"model": "m", "variant": "v", "question_id": questions.item(0, "question_id")}
        | {"repetition": n, "request_sha": "s", "raw_answer": raw, "stop": stop}
        for n, (raw, stop) in enumerate(told)
    ]
    found = evaluate(Predictions.build(rows), questions, {home.demonstration: home.index}, rules)
    found = found.sort("repetition")
    assert found.select("reason", "pairwise_accuracy").rows() == expected
    is_parsed = found["answer_status"] == "parsed"
    assert is_parsed.equals(found["reason"].is_null())
    assert found["answer"].is_not_null().equals(is_parsed)


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
        row = score(question, order, home.index)
        # The reference is exact, and exact is accepted whatever the rule says of its steps.
        assert (row["n_steps_passed"], row["is_accepted"]) == (n_passed, order == reference)
        assert not row["is_semantic"]
    expected = expect_random_orders(question, indexes).row(0, named=True)
    assert expected["n_accepted_orders"] == 1
    assert expected["expected_pairwise_accuracy"] == pytest.approx(1 / 24)


def test_answers_without_their_question_or_index_are_refused() -> None:
    """An inner join would quietly shrink the denominator."""
    home = household()
    given_answers = answers(home.qa, ["[1]"] * home.qa.height)
    indexes = {home.demonstration: home.index}
    with pytest.raises(EvaluationError, match=r"1 of .* predictions answer questions that are not"):
        evaluate(given_answers, home.qa.tail(-1), indexes, PAPER_ANSWERS)
    with pytest.raises(EvaluationError, match="no index of changes, first household-1"):
        evaluate(given_answers, home.qa, {}, PAPER_ANSWERS)
    with pytest.raises(EvaluationError, match="given more than once"):
        evaluate(given_answers, pl.concat([home.qa, home.qa]), indexes, PAPER_ANSWERS)
    empty = evaluate(given_answers.clear(), home.qa, indexes, PAPER_ANSWERS)
    assert empty.height == 0
    other = {home.demonstration: ChangesByHand({(0, 1): ["+Open(a)"]}, 2)}
    with pytest.raises(EvaluationError, match="do not fit the key frames of their demonstration"):
        evaluate(
            answers(home.qa, [str(a.to_list()) for a in home.qa["answer"]]),
            home.qa,
            other,
            PAPER_ANSWERS,
        )


Bools = NDArray[np.bool_]
WORD_BITS = 64
elements = st.sampled_from([0, 1, 63, 64, 65, 127, 128, 191])


def words(chosen: set[int]) -> NDArray[np.uint64]:
    found = np.zeros(3, np.uint64)
    for element in chosen:
        found[element // WORD_BITS] |= np.uint64(1) << np.uint64(element % WORD_BITS)
    return found


@given(st.sets(elements), st.sets(elements))
def test_a_subset_is_one_in_every_word(inner: set[int], outer: set[int]) -> None:
    rows = np.zeros(1, np.int64)
    found = are_subsets(words(inner)[None], rows, words(outer)[None], rows)
    assert found.tolist() == [inner <= outer]


@st.composite
def tables(draw: st.DrawFn) -> tuple[Bools, Bools]:
    """Steps that pass from one image to another, also to itself or back; and those that raise."""
    n = draw(st.integers(1, 4))
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    return random.random((n, n + 1, n + 1)) < 0.7, random.random((n + 1, n + 1)) < 0.2


@given(tables())
def test_orders_of_images_are_counted_as_one_by_one(given_tables: tuple[Bools, Bools]) -> None:
    allowed, raises = given_tables
    n = len(allowed)
    n_accepted = 0
    by_step = np.zeros(allowed.shape, np.int64)
    for order in permutations(range(1, n + 1)):
        steps = list(pairwise((0, *order)))
        passed = [bool(allowed[t, a, b]) for t, (a, b) in enumerate(steps)]
        n_accepted += all(passed)
        if not any(raises[a, b] for a, b in steps):
            for t, (a, b) in enumerate(steps):
                by_step[t, a, b] += 1
    assert count_accepted_images(allowed) == n_accepted
    np.testing.assert_array_equal(count_orders_by_step(raises), by_step)


@given(tables())
def test_orders_of_actions_are_counted_as_one_by_one(given_tables: tuple[Bools, Bools]) -> None:
    allowed = given_tables[0][:, 0, 1:].copy()
    n = len(allowed)
    orders = permutations(range(n))
    expected = sum(all(allowed[t, a] for t, a in enumerate(order)) for order in orders)
    assert count_accepted_actions(allowed) == expected


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
