"""Counts, lists of names and sentences in messages."""

import pytest

from enact_assets.engine.plurals import counted, first_of, named, sentence


@pytest.mark.parametrize(("n", "words"), [
    (0, ""), (1, "a"), (3, "a, b, c"), (4, "a, b, c, d"), (5, "a, b, c and 2 more"),
    (26, "a, b, c and 23 more"),
])  # fmt: skip
def test_a_list_never_hides_a_single_name(n: int, words: str) -> None:
    assert named([chr(97 + k) for k in range(n)], 3) == words


def test_names_that_are_not_shown_are_counted() -> None:
    assert first_of(range(1200), 5) == (range(5), 1195)
    assert named(["a"] * 2000, 1, "query") == "a and 1,999 more queries"
    assert counted(2304, "answer") == "2,304 answers"


@pytest.mark.parametrize(("text", "said"), [
    ("a reasoning model: it rejects temperature", "A reasoning model: it rejects temperature."),
    ("openai:gpt-5 needs a key.", "openai:gpt-5 needs a key."),
    ("model.chat(msgs=...) is called", "model.chat(msgs=...) is called."),
    ("as 27b", "As 27b."), ("Free?", "Free?"), (" ", ""),
])  # fmt: skip
def test_a_sentence_begins_and_ends_as_one(text: str, said: str) -> None:
    assert sentence(text) == said
