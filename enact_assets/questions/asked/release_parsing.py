"""Answers as the public release reads them: for profile ``release``, and as a second reading.

A JSON list counts as it is. In a text the last bracket of digits, commas and white space counts if
it is a list as Python writes one: its last entries, shifted so that the least is 1. Otherwise all
runs of digits of the whole text count, as they are. Nothing is checked to be a permutation.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Any, Literal

from enact_assets.questions.asked.parsing import Labels, Reader, heed_stop

Failure = Literal["failed_to_parse_answer", "evaluation_error"]

UNREADABLE: Failure = "failed_to_parse_answer"
"""The answer holds no digit."""
FAILED: Failure = "evaluation_error"
"""The public release raises on the question or the answer."""

MAX_DIGITS = 4300
"""Python refuses to read longer decimal numbers, and with it the release."""

_GREATEST = 10**MAX_DIGITS - 1

# Digits and white space of any script make a bracket, but only Python's own make a list. Every
# quantifier is possessive and no bracket reaches past the next: linear in the answer.
_BRACKET = re.compile(r"\[[\d\s,]++\]")
_BLANKS = r"[ \t\n\r\f]*+"
_LABEL = rf"{_BLANKS}(?:0++|[1-9][0-9]{{0,{MAX_DIGITS - 1}}}+){_BLANKS}"
_PYTHON_LIST = re.compile(rf"\[{_LABEL}(?:,{_LABEL})*+(?:,{_BLANKS})?+\]")
_DIGITS = re.compile(r"\d++")


def read_release_answer(answer: object, n_steps: int) -> tuple[list[Any] | None, Failure | None]:
    """The labels that ``answer``, any JSON value, names for a question of ``n_steps`` >= 1.

    Returns (labels, None), or (None, why there are none). Labels are integers, except those of a
    JSON list, which is returned unchanged. A text whose digits Python would not convert (a run of
    more than 4300, outside a list) fails as an exception does. Time is linear in the answer.
    Source: definitions.md R14.
    """
    if isinstance(answer, list):
        return answer, None
    if not isinstance(answer, str):
        return None, UNREADABLE
    labels = _last_list(answer, n_steps)
    if labels is not None:
        return labels, None
    runs = _DIGITS.findall(answer)
    if not runs:
        return None, UNREADABLE
    if max(map(len, runs)) > MAX_DIGITS:
        return None, FAILED
    return [int(run) for run in runs], None


def read_as_release(answer: str | None, n_steps: int) -> tuple[list[int] | None, bool]:
    """The second reading of ``answer``: its labels as the release reads them, and whether they are
    an order, whole or too short, that the rules of another profile can score.
    """
    labels = None if answer is None else read_release_answer(answer, n_steps)[0]
    if labels is None:
        return None, False
    is_order = len(labels) <= n_steps and len(set(labels)) == len(labels) > 0
    return labels, is_order and min(labels) >= 1 and max(labels) <= n_steps


def read_both(
    answers: Iterable[str | None],
    n_steps: Sequence[int],
    read: Reader,
    stops: Iterable[str | None] | None,
) -> tuple[list[tuple[Labels | None, str | None]], list[tuple[Labels | None, bool]]]:
    """What ``read`` finds in each answer, and its second reading (:func:`read_as_release`).

    ``stops`` are why models stopped (:func:`heed_stop`); None: that is not heeded.
    """
    given = list(answers)
    found = [read(said, n) for said, n in zip(given, n_steps, strict=True)]
    if stops is not None:
        found = [heed_stop(one, stop) for one, stop in zip(found, stops, strict=True)]
    return found, [read_as_release(said, n) for said, n in zip(given, n_steps, strict=True)]


def _last_list(text: str, n_steps: int) -> list[int] | None:
    """The last ``n_steps`` entries of the last bracket, from 1, if Python could read it."""
    last = None
    for last in _BRACKET.finditer(text):  # noqa: B007 - the last one is what is sought
        pass
    if last is None or _PYTHON_LIST.fullmatch(text, *last.span()) is None:
        return None
    inside = last.group()[1:-1].rstrip().removesuffix(",")
    entries = inside.rsplit(",", n_steps)[-n_steps:]
    labels = list(map(int if len(inside) <= MAX_DIGITS else _integer, entries))
    shift = 1 - min(labels)
    # One more than the longest number could not be written again; neither labels anything.
    return [min(label + shift, _GREATEST) for label in labels] if shift else labels


def _integer(entry: str) -> int:
    """Value of an entry of a list; one with more digits than Python converts is all zeros."""
    if len(entry) <= MAX_DIGITS:
        return int(entry)
    digits = entry.strip()
    return int(digits) if len(digits) <= MAX_DIGITS else 0
