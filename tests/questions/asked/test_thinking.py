"""Thoughts, as models and servers mark them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from enact_assets.questions.asked.parsing import read_answer
from enact_assets.questions.asked.thinking import without_thinking

MARKS = [
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<Reasoning>", "</Reasoning>"),
    ("<thought>", "</thought>"),
    ("<seed:think>", "</seed:think>"),
    ("<longcat_think>", "</longcat_think>"),
    ("<|begin_of_thought|>", "<|end_of_thought|>"),
    ("<|START_THINKING|>", "<|END_THINKING|>"),
    ("<|think_start|>", "<|think_end|>"),
    ("[THINK]", "[/THINK]"),
    ("\u25c1think\u25b7", "\u25c1/think\u25b7"),
    ("<|channel|>analysis<|message|>", "<|channel|>final<|message|>"),
    ("&lt;think&gt;", "&lt;/think&gt;"),
]


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("<think>maybe [1, 2]</think> [2, 1]", " [2, 1]"),
        ("maybe [1, 2]</think>[2, 1]", "[2, 1]"),
        ("[2, 1] <think>or [1, 2]?</think>", "[2, 1] "),
        ("<think>a</think>b<think>c</think>d", "bd"),
        ("<think>so <think> begins</think>[2, 1]", "[2, 1]"),
        ("<reasoning><think>a</think>[1, 2]</reasoning>[2, 1]", "[2, 1]"),
        ("<think>a</think>[1, 2]</think>[2, 1]", "[2, 1]"),
        ("I [think] it is [2, 1]", "I [think] it is [2, 1]"),
        ("<reasoning><think>a</think>[1, 2]", None),
        ("[2, 1] <think>or", None),
        ("", ""),
    ],
)
def test_what_is_said_without_its_thoughts(written: str, said: str | None) -> None:
    """public K2, researcher F1."""
    assert without_thinking(written) == said


@given(st.sampled_from(MARKS), st.permutations(range(1, 5)), st.permutations(range(1, 5)))
def test_thinking_is_never_an_answer(
    mark: tuple[str, str], thought: list[int], answer: list[int]
) -> None:
    """public K2, researcher F1: by the mark of any server, begun by the model or by its prompt."""
    begin, end = mark
    assert read_answer(f"{begin}so {thought}", 4) == (None, "open_thought")
    for began in (begin, ""):
        thinking = f"{began}so {thought}, no{end}"
        assert read_answer(thinking, 4) == (None, "empty_answer")
        assert read_answer(f"{thinking} I cannot decide.", 4) == (None, "no_list")
        assert read_answer(f"{thinking} {answer}", 4) == (list(answer), None)
