"""Questions of WorldPrediction with their candidates, as models are asked and read."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import polars as pl

from enact_assets.engine.ids import content_sha
from enact_assets.questions.asked.parsing import CUT, DECLINED, REFUSED
from enact_assets.questions.asked.refusals_in_words import refuses_in_words
from enact_assets.questions.asked.thinking import without_thinking
from enact_assets.questions.world.candidates import LETTERS, WM

Candidate = Mapping[str, Any]
"""A row of ``world_candidates``."""

_OBJECT = re.compile(r"\{[^{}]*\}")
_LONE = re.compile(r"(?<![A-Za-z])([A-D])(?![A-Za-z])")
ANSWER_KEYS = ("action", "plan", "answer")


@dataclass(frozen=True)
class WorldItem:
    """One question: its row of ``world_questions``, and by option the candidates in order."""

    row: Mapping[str, Any]
    options: tuple[tuple[Candidate, ...], ...]

    @cached_property
    def pool(self) -> tuple[Candidate, ...]:
        """The clips that are shown, by their number."""
        clips = {c["pool"]: c for option in self.options for c in option}
        return tuple(clips[number] for number in sorted(clips))

    def plan(self, option: int) -> list[str]:
        """Categories of one option, in order."""
        return [c["category"] for c in self.options[option]]


def items_of(questions: pl.DataFrame, candidates: pl.DataFrame) -> Iterator[WorldItem]:
    """All questions in the order of the table."""
    by_question: dict[str, list[list[Candidate]]] = {}
    for row in candidates.sort("question_id", "option", "place").iter_rows(named=True):
        options = by_question.setdefault(row["question_id"], [[] for _ in LETTERS])
        options[LETTERS.index(row["option"])].append(row)
    for row in questions.iter_rows(named=True):
        yield WorldItem(row, tuple(map(tuple, by_question[row["question_id"]])))


def answer_text(task: str, letter: str) -> str:
    """An answer as the release asks for it: ``{"action": "A"}``."""
    return json.dumps({"action" if task == WM else "plan": letter})


def read_answer(text: str) -> str | None:
    """The letter that an answer names: that of its last JSON object, else the only letter A to D
    that is a separate word; None if there is none, or several that differ. Thoughts are left out.
    """
    return read_stopped_answer(text, None)[0]


def read_stopped_answer(text: str, stop: str | None) -> tuple[str | None, str | None]:
    """As :func:`read_answer`, of a model that stopped for the reason ``stop`` of
    ``world_predictions``; and why there is no letter: ``no_letter``, or as ``parsing.REASONS``.

    A refusal names no letter, a cut answer only one in a whole JSON object.
    """
    if stop == "refused":
        return None, REFUSED
    said = without_thinking(text)
    for found in reversed(_OBJECT.findall(said or "")):
        letter = _letter_of(found)
        if letter is not None:
            return letter, None
    if stop == "cut":
        return None, CUT
    lone = set(_LONE.findall(said or ""))
    return (lone.pop(), None) if len(lone) == 1 else (None, _why_unread(said))


def _why_unread(said: str | None) -> str:
    """Why what is said names no letter."""
    if said is None:
        return "open_thought"
    if not said.strip():
        return "empty_answer"
    return DECLINED if refuses_in_words(said) else "no_letter"


def _letter_of(text: str) -> str | None:
    try:
        found = json.loads(text)
    except ValueError:
        return None
    values = [found[key] for key in ANSWER_KEYS if key in found]
    letters = [v.strip().upper() for v in values if isinstance(v, str)]
    return letters[-1] if letters and letters[-1] in set(LETTERS) else None


def best_option(scores: Sequence[float], *content: object) -> int:
    """The option with the highest score; ties are broken by ``content``, not by the letter."""
    top = max(scores)
    tied = [k for k, score in enumerate(scores) if score == top]
    return min(tied, key=lambda k: content_sha([*map(str, content), k]))
