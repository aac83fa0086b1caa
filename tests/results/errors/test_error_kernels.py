"""Two sets of components, compared and paired: every category, and the order of pairing."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import maximum_bipartite_matching

from enact_assets.questions.key_frames.bit_sets import n_words_of, sets_of
from enact_assets.results.errors.answer_comparison import COUNTS, OUTCOMES, component_keys
from enact_assets.results.errors.comparison_kernels import compare_sets
from enact_assets.settings.components import Component

from reference import error_analysis as slow

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


def test_several_of_a_kind_are_paired_in_the_order_of_their_texts() -> None:
    true = ["+OnTop(mug, cup)", "+OnTop(cup, mug)", "+OnTop(cup, table)"]
    said = ["+OnTop(table, cup)", "+OnTop(mug, table)"]
    assert rows_of(true, said) == [
        ("entity_substitution", "+OnTop(cup, mug)", "+OnTop(mug, table)"),
        ("entity_substitution", "+OnTop(cup, table)", "+OnTop(table, cup)"),
        ("omission", "+OnTop(mug, cup)", None),
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


def test_a_vocabulary_of_several_words_is_compared_to_its_end() -> None:
    """Bits past the first 64 are as good as any."""
    many = [f"+Open(box {k:03d})" for k in range(150)]
    components = [Component.parse(text) for text in many]
    true, said = np.arange(0, 150, 2), np.arange(0, 150, 3)
    n_words = n_words_of(150)
    bits = [sets_of(e, np.array([0, e.size]), n_words) for e in (true, said)]
    row = np.zeros(1, np.int64)
    found = compare_sets(bits[0], row, bits[1], row, component_keys(components))
    counts = {name: int(found.counts[0, column]) for name, column in COUNTS.items()}
    assert (counts["n_reference"], counts["n_predicted"], counts["n_matched"]) == (75, 50, 25)
    assert (counts["n_entity_substitutions"], counts["n_omissions"]) == (25, 25)
    assert counts["n_hallucinations"] == 0
