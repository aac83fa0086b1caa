"""Answers as the public release reads them: recorded cases, and its rules in plain Python."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from enact_assets.questions.asked.release_parsing import (
    FAILED,
    UNREADABLE,
    read_release_answer,
)

from reference import release_verification as slow
from reference.conformance import micro
from reference.cpu_time import least_cpu_s


def test_all_recorded_answers_are_read_as_the_release_read_them() -> None:
    """526 cases; the slow twin must agree, or tests against it prove nothing."""
    cases = micro()["answer_parsing"]
    assert len(cases) == 526
    for answer, n_steps, expected in cases:
        assert read_release_answer(answer, n_steps)[0] == expected, (answer, n_steps)
        assert slow.parse(answer, n_steps) == expected, (answer, n_steps)


@given(
    st.text(alphabet="[[]]0123,,  \n\t\r\f\x0b\x1c\xa0\u2003-x\u0663\uff11\xb2", max_size=24),
    st.integers(1, 4),
)
def test_any_text_is_read_as_python_would(text: str, n_steps: int) -> None:
    """Spaces and digits of other scripts make a bracket, but no list; zeros may lead zeros."""
    assert read_release_answer(text, n_steps)[0] == slow.parse(text, n_steps)


@pytest.mark.parametrize(
    ("answer", "labels"),
    [
        ("[00, 1]", [1, 2]),
        ("[01, 2]", [1, 2]),
        ("[3,\n5,\f4,\r]", [1, 3, 2]),
        ("[3,\x0b2]", [3, 2]),
        ("[7, 7, 7] [\u0661, 2]", [7, 7, 7, 1, 2]),
        ("[5, 5]", [1, 1]),
        ("[ ] 4 5", [4, 5]),
        ("-12 of 3", [12, 3]),
    ],
)
def test_what_python_cannot_evaluate_falls_back_to_all_digits(
    answer: str, labels: list[int]
) -> None:
    """The fallback neither shifts nor cuts, so confusing the two changes scores."""
    assert read_release_answer(answer, 3) == (labels, None)
    assert slow.parse(answer, 3) == labels


@pytest.mark.parametrize("answer", [[], [0, 2], ["2", None], [[1]], [1.5], [True]])
def test_a_json_list_is_taken_as_it_is(answer: list[Any]) -> None:
    """Shifting it to start at 1 would accept what the release rejects."""
    assert read_release_answer(answer, 3) == (answer, None)


@pytest.mark.parametrize("answer", [None, "", 0, 7, 2.5, True, {"answer": [1]}, "no digit"])
def test_anything_else_cannot_be_read(answer: object) -> None:
    assert read_release_answer(answer, 3) == (None, UNREADABLE)


def test_more_digits_than_python_converts_fail_and_do_not_crash() -> None:
    """One runaway answer would otherwise end the evaluation of a whole file."""
    assert read_release_answer("9" * 4300, 3) == ([int("9" * 4300)], None)
    assert read_release_answer("9" * 4301, 3) == (None, FAILED)
    # A list holds it neither; a run of zeros is no conversion to Python, whatever its length.
    assert read_release_answer(f"[1, {'9' * 4301}]", 3) == (None, FAILED)
    assert read_release_answer(f"[1, {'0' * 4301}]", 3) == ([2, 1], None)
    assert read_release_answer(f"[1, {' ' * 4301}2]", 3) == ([1, 2], None)
    for text in (f"[1, {'0' * 4301}]", f"[1, {' ' * 4301}2]"):
        assert slow.parse(text, 3) == read_release_answer(text, 3)[0]
    with pytest.raises(ValueError, match="4300"):
        slow.parse("9" * 4301, 3)


@pytest.mark.parametrize(
    "answer",
    [
        "[" * 1_000_000,
        "[1" * 500_000,
        "[" + "1" * 1_000_000,
        "[" + "1," * 500_000,
        "[1" + " " * 1_000_000,
        "[" + "1, " * 300_000 + "]",
        "[" + "1, " * 300_000 + "01]",
        "[" + "9" * 1_000_000 + ", 1, 2]",
        "[1, 2, 3]" * 100_000 + "[4",
        "1 " * 500_000,
    ],
    ids=lambda answer: f"{answer[:5]}...{len(answer)}",
)
def test_a_megabyte_answer_takes_linear_time(answer: str) -> None:
    assert least_cpu_s(lambda: read_release_answer(answer, 3), 2.0) < 2.0


def test_a_shifted_label_can_still_be_written() -> None:
    """One digit more than Python writes, and the report of a whole model is lost."""
    labels, reason = read_release_answer(f"[0, {'9' * 4300}]", 2)
    assert (labels, reason) == ([1, 10**4300 - 1], None)
    assert json.loads(json.dumps(labels)) == labels
