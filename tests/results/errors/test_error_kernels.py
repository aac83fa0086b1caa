"""Sets of components, compared and paired: every category, and the order of pairing.

Answers compared step by step: constructed ones with known errors, and whole question sets."""

from itertools import product
from typing import Any

import numpy as np
import polars as pl
import pytest
from changes_by_hand import DEMONSTRATION, ChangesByHand, forward, inverse, predicted
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import maximum_bipartite_matching

from benchmarks.evaluation_data import evaluation_set
from enact_assets.engine.errors import EvaluationError
from enact_assets.questions.key_frames.bit_sets import n_words_of, sets_of
from enact_assets.results.errors.answer_comparison import (
    COUNTS,
    OUTCOMES,
    AnswerComparer,
    Compared,
    compare_answers,
    component_keys,
)
from enact_assets.results.errors.comparison_kernels import compare_sets
from enact_assets.results.verification.evaluate import PAPER_ANSWERS, RELEASE_ANSWERS, evaluate
from enact_assets.settings.components import Component

from reference import error_analysis as slow
from reference.household import Chance, build_household

NAMES = ("cup", "mug", "table")
VOCABULARY = sorted(
    [
        *(
            f"{sign}{name}({a}, {b})"
            for sign, name, (a, b) in product(
                "+-", ("OnTop", "Inside"), [(a, b) for a in NAMES for b in NAMES if a != b]
            )
        ),
        *(
            f"{s}{hand}Grasping(agent, {x})"
            for s in "+-"
            for hand in ("Left", "Right")
            for x in NAMES
        ),
        *(f"{sign}{name}({x})" for sign in "+-" for name in ("Open", "Cooked") for x in NAMES),
        "~Transition(cup, mug)",
        "~Transition(mug, table)",
        "~Cooked(cup)",
    ]
)
COMPONENTS = [Component.parse(text) for text in VOCABULARY]


def compare(
    pairs: list[tuple[list[str], list[str]]],
) -> list[tuple[dict[str, int], list[slow.Row]]]:
    """Counts and rows of each pair of sets, from the kernel."""
    number = {text: k for k, text in enumerate(VOCABULARY)}
    sides = []
    for side in zip(*pairs, strict=True):
        elements = np.array([number[t] for texts in side for t in texts], np.int64)
        offsets = np.cumsum([0, *map(len, side)]).astype(np.int64)
        sides.append(sets_of(elements, offsets, n_words_of(len(VOCABULARY))))
    rows = np.arange(len(pairs))
    found = compare_sets(sides[0], rows, sides[1], rows, component_keys(COMPONENTS))
    result = []
    for k in range(len(pairs)):
        at = slice(found.offsets[k], found.offsets[k + 1])
        named = [
            tuple(VOCABULARY[c] if c >= 0 else None for c in both)
            for both in zip(found.reference[at], found.predicted[at], strict=True)
        ]
        outcomes = [OUTCOMES[code] for code in found.outcomes[at]]
        counts = {name: int(found.counts[k, column]) for name, column in COUNTS.items()}
        result.append((counts, [(o, *n) for o, n in zip(outcomes, named, strict=True)]))
    return result


def rows_of(true: list[str], said: list[str]) -> list[slow.Row]:
    return compare([(true, said)])[0][1]


@pytest.mark.parametrize(
    ("true", "said", "category"),
    [
        ("+Open(cup)", "-Open(cup)", "polarity_inversion"),
        ("-OnTop(cup, table)", "+OnTop(cup, table)", "polarity_inversion"),
        ("+OnTop(cup, table)", "+Inside(cup, table)", "predicate_substitution"),
        ("+Open(cup)", "+Cooked(cup)", "predicate_substitution"),
        ("-LeftGrasping(agent, cup)", "-RightGrasping(agent, cup)", "predicate_substitution"),
        ("+OnTop(cup, table)", "+OnTop(cup, mug)", "entity_substitution"),
        ("+OnTop(cup, table)", "+OnTop(table, cup)", "entity_substitution"),
        ("~Transition(cup, mug)", "~Transition(mug, table)", "entity_substitution"),
    ],
)
def test_one_taken_for_another_is_one_error(true: str, said: str, category: str) -> None:
    assert rows_of([true], [said]) == [(category, true, said)]


@pytest.mark.parametrize(
    ("true", "said"),
    [
        ("+Open(cup)", "-Cooked(cup)"),  # two things differ
        ("+Open(cup)", "-Open(mug)"),
        ("+OnTop(cup, table)", "+Inside(cup, mug)"),
        ("~Cooked(cup)", "+Cooked(cup)"),  # a transition has no opposite
        ("~Transition(cup, mug)", "+OnTop(cup, mug)"),
    ],
)
def test_what_differs_in_more_than_one_way_is_left_out_and_made_up(true: str, said: str) -> None:
    assert rows_of([true], [said]) == [("omission", true, None), ("hallucination", None, said)]


def test_chains_are_paired_one_to_one_in_the_stated_order() -> None:
    """Each hallucinated component is the partner of one missing one, the nearest kind first."""
    true = ["+Inside(cup, table)", "+OnTop(cup, mug)", "+OnTop(cup, table)", "+Open(cup)"]
    said = ["+Inside(cup, mug)", "+OnTop(mug, cup)", "-OnTop(cup, table)", "+Open(cup)"]
    assert rows_of(true, said) == [
        ("matched", "+Open(cup)", "+Open(cup)"),
        ("polarity_inversion", "+OnTop(cup, table)", "-OnTop(cup, table)"),
        ("predicate_substitution", "+OnTop(cup, mug)", "+Inside(cup, mug)"),
        # OnTop(mug, cup) could have stood for either of the OnTop that are paired already.
        ("omission", "+Inside(cup, table)", None),
        ("hallucination", None, "+OnTop(mug, cup)"),
    ]


HANDS = [
    # true, said, left (true, said, matched, mixed), right
    (["+LeftGrasping(agent, cup)"], ["+RightGrasping(agent, cup)"], (1, 0, 0, 1), (0, 1, 0, 0)),
    (["-RightGrasping(agent, cup)"], ["-LeftGrasping(agent, mug)"], (0, 1, 0, 0), (1, 0, 0, 1)),
    # The same hand with another object is no mixing.
    (["+LeftGrasping(agent, cup)"], ["+LeftGrasping(agent, mug)"], (1, 1, 0, 0), (0, 0, 0, 0)),
    # Nor is it if the other hand is made up beside.
    (
        ["+LeftGrasping(agent, cup)"],
        ["+LeftGrasping(agent, mug)", "+RightGrasping(agent, cup)"],
        (1, 1, 0, 0),
        (0, 1, 0, 0),
    ),
    # The other hand is truly used: nothing is made up.
    (
        ["+LeftGrasping(agent, cup)", "+RightGrasping(agent, mug)"],
        ["+RightGrasping(agent, mug)"],
        (1, 0, 0, 0),
        (1, 1, 1, 0),
    ),
    # All missing ones of the hand are mixed, though one was made up; what matches is not.
    (
        ["+LeftGrasping(agent, cup)", "-LeftGrasping(agent, mug)", "-LeftGrasping(agent, table)"],
        ["+RightGrasping(agent, table)", "-LeftGrasping(agent, table)"],
        (3, 1, 1, 2),
        (0, 1, 0, 0),
    ),
    # Each hand with the other's object: the same hands are made up, so algorithm 4 sees no mixing.
    (
        ["+LeftGrasping(agent, cup)", "+RightGrasping(agent, mug)"],
        ["+LeftGrasping(agent, mug)", "+RightGrasping(agent, cup)"],
        (1, 1, 0, 0),
        (1, 1, 0, 0),
    ),
    (["+OnTop(cup, table)"], ["+RightGrasping(agent, cup)"], (0, 0, 0, 0), (0, 1, 0, 0)),
]


@pytest.mark.parametrize(("true", "said", "left", "right"), HANDS)
def test_hands_are_counted_and_mixed_as_algorithm_4_says(
    true: list[str], said: list[str], left: tuple[int, ...], right: tuple[int, ...]
) -> None:
    counts = compare([(true, said)])[0][0]
    for hand, expected in (("left", left), ("right", right)):
        names = [f"n_{hand}_{what}" for what in ("reference", "predicted", "matched", "mixed")]
        assert tuple(counts[name] for name in names) == expected, hand


sets = st.lists(st.sampled_from(VOCABULARY), max_size=9, unique=True)


@given(st.lists(st.tuples(sets, sets), min_size=1, max_size=12))
def test_the_kernel_agrees_with_plain_loops_and_totals_add_up(
    pairs: list[tuple[list[str], list[str]]],
) -> None:
    found = compare(pairs)
    for (true, said), (counts, rows) in zip(pairs, found, strict=True):
        expected_counts, expected_rows = slow.compare_step(set(true), set(said))
        assert counts == expected_counts
        assert rows == expected_rows
        assert counts["n_matched"] + counts["n_missing"] == counts["n_reference"] == len(true)
        assert counts["n_matched"] + counts["n_hallucinated"] == counts["n_predicted"] == len(said)
        assert sorted(r for _, r, _ in rows if r) == sorted(true)
        assert sorted(p for _, _, p in rows if p) == sorted(said)


@given(sets, sets)
def test_no_pairing_within_a_category_has_more_pairs(true: list[str], said: list[str]) -> None:
    """A greedy choice that blocks another would make the counts hang on the order of texts."""
    rows = rows_of(true, said)
    missing, made_up = sorted(set(true) - set(said)), sorted(set(said) - set(true))
    for category, is_pair in slow.CATEGORIES:
        may = np.array([[is_pair(m, h) for h in made_up] for m in missing], np.int8)
        n_pairs = 0
        if missing and made_up:
            matching = maximum_bipartite_matching(csr_matrix(may), perm_type="column")
            n_pairs = int((matching >= 0).sum())
        paired = [(m, h) for outcome, m, h in rows if outcome == category]
        assert len(paired) == n_pairs
        missing = [m for m in missing if m not in {p[0] for p in paired}]
        made_up = [h for h in made_up if h not in {p[1] for p in paired}]


TAKE, PUT, OPEN = "+RightGrasping(agent, cup)", "-RightGrasping(agent, cup)", "+Open(fridge)"
LEFT = "+LeftGrasping(agent, cup)"


def compared(qa: pl.DataFrame, raw: list[str | None], index: Any) -> tuple[pl.DataFrame, Compared]:
    indexes = dict.fromkeys(qa["demonstration"].unique(), index)
    scores = evaluate(predicted(qa, raw), qa, indexes, PAPER_ANSWERS)
    return scores, compare_answers(scores, qa, indexes)


def compared_rows(found: Compared) -> list[tuple[Any, ...]]:
    return found.components.select("step", "outcome", "reference", "predicted").rows()


def test_an_order_of_actions_says_what_its_actions_tell() -> None:
    """Three steps: an action too early, one of the other hand, one that inverts what happened."""
    index = ChangesByHand({(0, 1): [OPEN], (1, 2): [LEFT, OPEN], (2, 3): [PUT]}, 4)
    # Shown: put the cup down (right), take it (right), take it with the left hand and open.
    qa = inverse([[PUT], [TAKE], [LEFT, OPEN]], [2, 3, 1])
    scores, found = compared(qa, ["[3, 2, 1]"], index)
    assert compared_rows(found) == [
        (1, "matched", OPEN, OPEN),
        (1, "hallucination", None, LEFT),
        (2, "predicate_substitution", LEFT, TAKE),
        (2, "omission", OPEN, None),
        (3, "matched", PUT, PUT),
    ]
    steps = found.steps.rows(named=True)
    assert [s["is_passed"] for s in steps] == [False, False, True]
    assert scores["n_steps_passed"].item() == 1
    assert [s["n_left_mixed"] for s in steps] == [0, 1, 0]
    assert [s["n_right_mixed"] for s in steps] == [0, 0, 0]
    assert [(s["n_reference"], s["n_predicted"]) for s in steps] == [(1, 2), (2, 1), (1, 1)]
    classes = found.components["semantic_class"].to_list()
    assert classes == [
        "functional_state",
        *["agent_interaction"] * 2,
        "functional_state",
        classes[1],
    ]


def test_an_order_of_images_says_what_shows_between_them() -> None:
    """The visible change on both sides, though verification asks the full one."""
    visible = {
        (0, 1): [OPEN],
        (1, 2): [TAKE],
        (0, 2): [OPEN, TAKE],
        (2, 1): [PUT, "-Cooked(egg)"],
    }
    index = ChangesByHand(visible, 3, unseen={(2, 1): [TAKE], (0, 1): ["+ToggledOn(stove)"]})
    qa = forward([0, 1, 2], [1, 2])
    scores, found = compared(qa, ["[2, 1]"], index)
    assert compared_rows(found) == [
        (1, "matched", OPEN, OPEN),
        (1, "hallucination", None, TAKE),
        (2, "polarity_inversion", TAKE, PUT),
        (2, "hallucination", None, "-Cooked(egg)"),
    ]
    # The second step passes, as what is missing is part of what changes unseen.
    assert found.steps["is_passed"].to_list() == [True, True]
    assert scores["is_accepted"].item()
    _, right = compared(qa, ["[1, 2]"], index)
    assert {row[1] for row in compared_rows(right)} == {"matched"}
    assert right.steps["n_predicted"].to_list() == [1, 1]


def test_a_missing_answer_says_nothing_and_neither_does_an_unparsed_one() -> None:
    """Counted as omissions, an outage would read as a model that sees nothing."""
    index = ChangesByHand({(0, 1): [OPEN], (1, 2): [TAKE]}, 3)
    questions = [inverse([[OPEN], [TAKE]], [1, 2], name) for name in ("a", "b", "c", "d")]
    qa = pl.concat(questions)
    scores, found = compared(qa, [None, "who knows", "[1, 2]", "[1, 2, 3]"], index)
    assert scores["answer_status"].to_list() == ["missing", "unparsed", "parsed", "unparsed"]
    assert set(found.steps["question_id"]) == set(found.components["question_id"]) == {"c"}
    _, nothing = compared(qa, [None] * 4, index)
    assert nothing.steps.height == nothing.components.height == 0


def test_a_component_of_no_change_is_made_up_all_the_same() -> None:
    """It has no bit in the index; left out, the totals would not add up."""
    index = ChangesByHand({(0, 1): [OPEN], (1, 2): [TAKE]}, 3)
    strange = [f"+Open(spaceship {k})" for k in range(70)]
    qa = inverse([[*strange, OPEN], [TAKE]], [1, 2])
    _, found = compared(qa, ["[1, 2]"], index)
    first = found.steps.row(0, named=True)
    assert (first["n_predicted"], first["n_matched"], first["n_hallucinations"]) == (71, 1, 70)
    # Exact is accepted whatever the rule says of its steps.
    assert first["is_passed"]
    _, found = compared(qa, ["[2, 1]"], index)
    assert found.steps["n_entity_substitutions"].to_list() == [0, 0]
    assert found.steps["n_predicted"].to_list() == [1, 71]
    assert not found.steps["is_passed"].any()
    outcomes = found.components.filter(step=2)["outcome"].value_counts()
    assert dict(outcomes.iter_rows()) == {"omission": 1, "hallucination": 71}


def test_whole_question_sets_agree_with_plain_loops_and_with_their_scores() -> None:
    """Groups, padding, gathers and shared changes must not move one component."""
    chance = Chance("errors")
    homes = [build_household(seed, visible_share=0.7) for seed in (3, 4, 5, 6)]
    indexes = {home.demonstration: home.index for home in homes}
    qa = pl.concat([home.qa for home in homes])
    orders = {}
    for name, answer in qa.select("question_id", "answer").iter_rows():
        orders[name] = list(answer)
        for _ in range(chance.choice((0, 1, 2, 9))):
            i, j = chance.choice(range(len(answer))), chance.choice(range(len(answer)))
            orders[name][i], orders[name][j] = orders[name][j], orders[name][i]
    scores = evaluate(
        predicted(qa, [str(orders[q]) for q in qa["question_id"]]), qa, indexes, PAPER_ANSWERS
    )
    found = AnswerComparer(qa, indexes).compare(scores)
    rows = {
        k: v.rows(named=True)
        for k, v in found.components.partition_by("question_id", "step", as_dict=True).items()
    }
    n_steps = n_inexact = 0
    for question in qa.iter_rows(named=True):
        name = question["question_id"]
        expected = slow.compare_order(question, orders[name], indexes[question["demonstration"]])
        steps = found.steps.filter(question_id=name).rows(named=True)
        for step, (row, (passes, counts, listed)) in enumerate(
            zip(steps, expected, strict=True), 1
        ):
            assert (row["step"], row["is_passed"]) == (step, passes)
            assert {column: row[column] for column in COUNTS} == counts
            mine = rows.get((name, step), [])
            assert [(r["outcome"], r["reference"], r["predicted"]) for r in mine] == listed
            assert [r["place"] for r in mine] == list(range(1, len(listed) + 1))
            n_steps += 1
            n_inexact += passes and counts["n_missing"] > 0
    assert n_steps == found.steps.height > 500
    assert n_inexact > 0
    passed = found.steps.group_by("question_id").agg(n=pl.col("is_passed").sum())
    both = passed.join(scores, on="question_id")
    assert both.height == scores.height
    assert (both["n"] == both["n_steps_passed"]).all()
    wrong = found.steps.join(scores.filter(kind="inverse"), on="question_id", how="semi")
    # Orders of actions say all that happened, at other steps: paper, figure 5 (41.8 % both).
    assert wrong["n_missing"].sum() == wrong["n_hallucinated"].sum() > 0
    assert wrong["n_omissions"].sum() == wrong["n_hallucinations"].sum()


def test_of_the_public_release_orders_with_one_shown_label_a_step_are_compared() -> None:
    """It also scores other lengths and labels of nothing; they say nothing of some steps."""
    asked = evaluation_set(n_demonstrations=2, n_questions=64)
    qa, indexes = asked.asked(), asked.indexes()
    raw = asked.predictions(qa, 1)["raw_answer"].to_list()
    raw[:4] = [str([1] * (n - 1)) for n in qa["length"][:4]]
    raw[4:8] = [str([0, *range(2, n)]) for n in qa["length"][4:8]]
    raw[8:10] = [None, "I cannot tell"]
    scores = evaluate(predicted(qa, raw), qa, indexes, RELEASE_ANSWERS)
    found = compare_answers(scores, qa, indexes)
    parsed = scores.filter(answer_status="parsed")
    labels = pl.col("answer").list
    whole = parsed.filter(
        (labels.len() == pl.col("n_steps"))
        & (labels.min() >= 1)
        & (labels.max() <= pl.col("n_steps"))
    )
    assert 10 < whole.height < parsed.height < scores.height
    assert set(found.steps["question_id"]) == set(whole["question_id"])
    passed = found.steps.group_by("question_id").agg(n=pl.col("is_passed").sum())
    both = passed.join(scores, on="question_id")
    assert (both["n"] == both["n_steps_passed"]).all()


def test_several_models_are_compared_as_one_by_one() -> None:
    """Changes kept from one model must not leak into the next."""
    home = build_household(5)
    indexes = {home.demonstration: home.index}
    comparer = AnswerComparer(home.qa, indexes)
    chance = Chance("models")
    apart = []
    for model in ("a", "b"):
        raw: list[str | None] = []
        for answer in home.qa["answer"]:
            first = chance.choice(range(len(answer)))
            raw.append(str([*answer[first:], *answer[:first]]))
        given = predicted(home.qa, raw, model)
        apart.append(evaluate(given, home.qa, indexes, PAPER_ANSWERS))
    together = comparer.compare(pl.concat(apart))
    for name in ("steps", "components"):
        one_by_one = [getattr(comparer.compare(scores), name) for scores in apart]
        assert getattr(together, name).equals(pl.concat(one_by_one))
        fresh = [getattr(compare_answers(s, home.qa, indexes), name) for s in apart]
        assert pl.concat(fresh).equals(pl.concat(one_by_one))


def test_answers_without_their_question_or_index_are_refused() -> None:
    """An inner join would quietly leave their errors out."""
    index = ChangesByHand({(0, 1): [OPEN], (1, 2): [TAKE]}, 3)
    qa = pl.concat([inverse([[OPEN], [TAKE]], [1, 2], name) for name in ("a", "b")])
    scores, _ = compared(qa, ["[1, 2]", "[2, 1]"], index)
    with pytest.raises(EvaluationError, match=r"1 of 2 answers .* first b"):
        compare_answers(scores, qa.head(1), {DEMONSTRATION: index})
    with pytest.raises(EvaluationError, match="no index of changes, first by_hand-0"):
        compare_answers(scores, qa, {})
    with pytest.raises(EvaluationError, match="a is given more than once"):
        compare_answers(scores, pl.concat([qa, qa]), {DEMONSTRATION: index})
