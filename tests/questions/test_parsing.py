"""Raw answers of every kind, and what they are read as."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from enact_assets.questions.parsing import REASONS, heed_stop, read_answer

FULL_WIDTH = "[\uff11, \uff12, \uff13]"

PARSED = [
    ("[1, 3, 2]", (1, 3, 2)),
    ("[0, 2, 1]", (1, 3, 2)),
    ("[3,1,2]", (3, 1, 2)),
    ("[ 3 ,\n1\t, 2, ]", (3, 1, 2)),
    ("The answer is `[2, 1, 3]`.", (2, 1, 3)),
    ("```python\n[2, 1, 3]\n```", (2, 1, 3)),
    ("first [1, 2, 3], no, [3, 2, 1]", (3, 2, 1)),
    ("[[2, 1, 3]]", (2, 1, 3)),
    ("[[[[2, 1, 3], ]]", (2, 1, 3)),
    ("[Action 2] -> [Action 1] -> [Action 3], so [2, 1, 3]", (2, 1, 3)),
    ("[2, 1, 3] as I said []", (2, 1, 3)),
    ("[2, 1, 3] [1.5, 2] [a, b]", (2, 1, 3)),
    ("[+1, 02, 3]", (1, 2, 3)),
    ("[2,\u00a01,\u20033]", (2, 1, 3)),
    (f"[2, 1, 3] {FULL_WIDTH}", (2, 1, 3)),
]

UNPARSED = [
    ("", "empty_answer"),
    (" \n\t ", "empty_answer"),
    ("2, 1, 3", "no_list"),
    ("(2, 1, 3)", "no_list"),
    ("[2 1 3]", "no_list"),
    ("[2,,1,3]", "no_list"),
    ("[,]", "no_list"),
    ("[]", "no_list"),
    ("[2, 1, 3", "no_list"),
    ("[2.0, 1.0, 3.0]", "no_list"),
    ("['2', '1', '3']", "no_list"),
    (FULL_WIDTH, "no_list"),
    ("[²,¹,³]", "no_list"),
    ("[Next State 2]", "no_list"),
    ("[1, 2, 3, 4]", "wrong_length"),
    ("[0, 1, 2, 3]", "wrong_length"),
    ("[1, 1]", "not_a_permutation"),
    ("[4]", "not_a_permutation"),
    ("[0, 3]", "not_a_permutation"),
    ("[1, 1, 2]", "not_a_permutation"),
    ("[2, 3, 4]", "not_a_permutation"),
    ("[-1, 0, 1]", "not_a_permutation"),
    ("[1, 2, -3]", "not_a_permutation"),
    ("[1, 2, 30000000000000000000000]", "not_a_permutation"),
    ("[0, 1, 3]", "not_a_permutation"),
]


SHORT = [
    ("[1, 2]", [1, 2]),
    ("[3]", [3]),
    ("[0, 2]", [1, 3]),
    ("[0]", [1]),
    ("[2] -> [1] -> [3]", [3]),
    ("[2, 1, 3] or is it [1, 2]", [1, 2]),
]


@pytest.mark.parametrize(("raw", "order"), SHORT)
def test_too_few_distinct_labels_are_read_and_marked(raw: str, order: list[int]) -> None:
    """Half an order deserves the credit for what it names (paper A.3.2)."""
    assert read_answer(raw, 3) == (order, "wrong_length")


@pytest.mark.parametrize(("raw", "order"), PARSED)
def test_an_order_is_read_from_the_last_list(raw: str, order: tuple[int, ...]) -> None:
    """A right answer dressed in prose must not be counted as wrong."""
    assert read_answer(raw, 3) == (list(order), None)


@pytest.mark.parametrize(("raw", "reason"), UNPARSED)
def test_what_is_no_order_has_a_named_reason(raw: str, reason: str) -> None:
    """A guess at what the model meant would score things it never said."""
    assert read_answer(raw, 3) == (None, reason)
    assert reason in REASONS


def test_an_answer_that_never_came_is_missing_not_unparsed() -> None:
    """An outage would otherwise be scored as a wrong answer."""
    assert read_answer(None, 3) == (None, "no_answer")


@given(st.permutations(range(1, 8)), st.text(alphabet="ab 1,[\n", max_size=20))
def test_every_permutation_survives_its_own_text(order: list[int], prose: str) -> None:
    """Both label bases, with any prose before the list."""
    assert read_answer(f"{prose} {order}", 7)[0] == list(order)
    shifted = [label - 1 for label in order]
    assert read_answer(f"{prose} {shifted}", 7)[0] == list(order)


@given(st.text(alphabet="[]()0123, -+\n²", max_size=40), st.integers(2, 4))
def test_whatever_is_parsed_names_distinct_labels(raw: str, n_steps: int) -> None:
    """A repeated or unknown label would index the wrong picture."""
    order, reason = read_answer(raw, n_steps)
    if order is None:
        assert reason in REASONS
    else:
        assert len(set(order)) == len(order)
        assert set(order) <= set(range(1, n_steps + 1))
        assert reason == (None if len(order) == n_steps else "wrong_length")


@pytest.mark.parametrize(
    "raw",
    [
        "[" * 1_000_000,
        "[1" * 500_000,
        "[" + "1" * 1_000_000,
        "[" + "1," * 500_000,
        "[" + " " * 1_000_000,
        "[1" + " " * 1_000_000,
        "[" + "1, " * 300_000 + "]",
        "[" + "9" * 1_000_000 + ", 1, 2]",
        "[1, 2, 3]" * 100_000 + "[4",
    ],
    ids=lambda raw: raw[:5] + f"...{len(raw)}",
)
def test_a_megabyte_answer_takes_linear_time(raw: str) -> None:
    """A runaway model would otherwise hang the evaluation of its whole partition."""
    start = time.perf_counter()
    read_answer(raw, 3)
    assert time.perf_counter() - start < 2.0


@pytest.mark.parametrize(
    ("raw", "stop", "expected"),
    [
        ("I cannot answer. [1, 2, 3]", "refused", (None, "refused")),
        ("", "refused", (None, "refused")),
        ("[2, 1, 3], as the cup is", "cut", ([2, 1, 3], None)),
        # The beginning of a longer list, or of a thought.
        ("[2, 1]", "cut", (None, "cut")),
        ("[2, 1, ", "cut", (None, "cut")),
        ("[1, 1, 3]", "cut", (None, "cut")),
        ("", "cut", (None, "cut")),
        ("[2, 1]", "complete", ([2, 1], "wrong_length")),
        ("no", None, (None, "no_list")),
    ],
)
def test_a_refusal_is_no_order_and_a_cut_answer_only_a_whole_one(
    raw: str, stop: str | None, expected: tuple[list[int] | None, str | None]
) -> None:
    found = heed_stop(read_answer(raw, 3), stop)
    assert found == expected
    assert found[1] is None or found[1] in REASONS
