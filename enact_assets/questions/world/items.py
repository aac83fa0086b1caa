"""Questions of WorldPrediction with their candidates."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import polars as pl

from enact_assets.engine.ids import content_sha
from enact_assets.settings.world import LETTERS

Candidate = Mapping[str, Any]
"""A row of ``world_candidates``."""


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

    @property
    def orders(self) -> list[list[int]]:
        """Of each option, the numbers of its clips in order."""
        return [[candidate["pool"] for candidate in option] for option in self.options]

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


def best_option(scores: Sequence[float], *content: object) -> int:
    """The option with the highest score; ties are broken by ``content``, not by the letter."""
    top = max(scores)
    tied = [k for k, score in enumerate(scores) if score == top]
    return min(tied, key=lambda k: content_sha([*map(str, content), k]))
