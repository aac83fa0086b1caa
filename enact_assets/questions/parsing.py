"""Raw answers -> an order of labels, or a named reason why there is none.

Profile ``paper``: the last bracketed list of integers counts. Its labels must be distinct and in
1..n, or, if one is 0, in 0..n-1, which is shifted. A list of fewer than n labels is parsed too: not
accepted, but credited with its steps in order. Anything else is unparsed, and so is a refusal,
whatever it says. An answer that a limit of tokens cut is read only if it orders all steps: a
shorter list may be the beginning of a longer one. Profile ``release``: see
``evaluation/release_parsing.py``.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

Labels = list[Any]
"""An answer as read: integers, or whatever a JSON list holds."""
Reader = Callable[[Any, int], tuple[Labels | None, str | None]]
"""(answer, steps of the question) -> the labels it names or None, and what is wrong with it."""

WRONG_LENGTH = "wrong_length"
REFUSED = "refused"
CUT = "cut"
REASONS: Mapping[str, str] = {
    "no_answer": "the model never answered, for an unknown reason",
    "empty_answer": "the answer holds nothing but white space",
    "no_list": "the answer holds no bracketed list of integers",
    WRONG_LENGTH: "the last list has too many entries, or too few and is parsed all the same",
    "not_a_permutation": "the last list repeats a label or names one that was not shown",
    REFUSED: "profile paper: the model or its provider refused to answer",
    CUT: "profile paper: a limit of tokens cut the answer before it named a whole order",
}
"""Why an order is missing (the first), short, or could not be parsed (the others)."""

# White space of any script, but digits 0-9 only: what Python reads as a list of integers. Every
# quantifier is possessive and a match cannot pass an opening bracket: linear in the answer.
_INTEGER = r"\s*+[+-]?+[0-9]++\s*+"
_LIST = re.compile(rf"\[{_INTEGER}(?:,{_INTEGER})*+(?:,\s*+)?+\]")
_MAX_DIGITS = 9


def read_answer(raw: str | None, n_steps: int) -> tuple[Labels | None, str | None]:
    """The order that ``raw`` names for a question of ``n_steps``, by the rules of ``paper``.

    Returns (labels from 1, None), (fewer labels than steps, ``WRONG_LENGTH``), or (None, a key of
    ``REASONS``). Time is linear in the length of ``raw``. Source: paper A.3.2; shifting is ours.
    """
    if raw is None:
        return None, "no_answer"
    lists = [found.group() for found in _LIST.finditer(raw)]
    if not lists:
        return None, "no_list" if raw.strip() else "empty_answer"
    entries = [entry.strip() for entry in lists[-1][1:-1].split(",")]
    if not entries[-1]:  # a trailing comma
        entries.pop()
    if len(entries) > n_steps:
        return None, WRONG_LENGTH
    # int() refuses thousands of digits, and no label has more than a few.
    if any(len(entry) > _MAX_DIGITS for entry in entries):
        return None, "not_a_permutation"
    labels = [int(entry) for entry in entries]
    if 0 in labels:
        labels = [label + 1 for label in labels]
    if len(set(labels)) < len(labels) or min(labels) < 1 or max(labels) > n_steps:
        return None, "not_a_permutation"
    return labels, WRONG_LENGTH if len(labels) < n_steps else None


def heed_stop(
    read: tuple[Labels | None, str | None], stop: str | None
) -> tuple[Labels | None, str | None]:
    """What :func:`read_answer` found, of a model that stopped for the reason ``stop``.

    ``stop`` is that of ``predictions``; None changes nothing. A refusal names no order, a cut
    answer only a whole one.
    """
    if stop == "refused":
        return None, REFUSED
    if stop == "cut" and read[1] is not None:
        return None, CUT
    return read
