"""The options of questions as arrays, and letters chosen from scores."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from enact_assets.engine.ids import seed_from
from enact_assets.settings.arrays import Floats
from enact_assets.settings.world import LETTERS


@dataclass(frozen=True)
class PlanOptions:
    """The four plans of n questions of one length.

    ``ids`` and ``recordings`` (that show the states) have n entries, ``first_action`` is (n,).
    ``categories``: (n, 4, length), texts; ``pool``: (n, 4, length), numbers of clips, from 1.
    ``done``: of each question, the categories of the right plan: what the state after shows.
    """

    ids: list[str]
    recordings: list[str]
    first_action: NDArray[np.int64]
    categories: NDArray[np.object_]
    pool: NDArray[np.int64]
    done: list[frozenset[str]]

    @property
    def length(self) -> int:
        """Actions of each plan."""
        return int(self.pool.shape[2])

    def of_recordings(self, wanted: Sequence[str]) -> "PlanOptions":
        """Those whose states are of ``wanted`` recordings."""
        names = set(wanted)
        at = [k for k, recording in enumerate(self.recordings) if recording in names]
        return PlanOptions(
            [self.ids[k] for k in at],
            [self.recordings[k] for k in at],
            self.first_action[at],
            self.categories[at],
            self.pool[at],
            [self.done[k] for k in at],
        )


def plan_options(questions: pl.DataFrame, candidates: pl.DataFrame) -> Iterator[PlanOptions]:
    """Options of all ``pp`` questions, by length. Rows may come in any order."""
    asked = questions.filter(task="pp").sort("question_id")
    columns = "question_id", "option", "place", "pool", "category"
    shown = candidates.select(columns).sort("question_id", "option", "place")
    for length in asked["length"].unique().sort():
        found = asked.filter(length=length)
        rows = shown.join(found.select("question_id"), on="question_id", how="semi")
        shape = found.height, len(LETTERS), int(length)
        yield PlanOptions(
            found["question_id"].to_list(),
            found["recording"].to_list(),
            found["first_action"].to_numpy(),
            rows["category"].to_numpy().astype(object).reshape(shape),
            rows["pool"].to_numpy().reshape(shape),
            [frozenset(plan) for plan in found["plan"]],
        )


def chosen_letters(name: str, ids: Sequence[str], scores: Floats) -> dict[str, str]:
    """Question -> letter of its highest score; ties at random, by the model's name and question.

    Shape: scores (n, 4) in the order of letters.
    """
    best = scores.max(axis=1, keepdims=True)
    is_best = scores >= best - 1e-9 * np.maximum(1.0, np.abs(best))
    found = {}
    for question_id, row in zip(ids, is_best, strict=True):
        places = np.flatnonzero(row)
        pick = seed_from("tie", name, question_id) % len(places) if len(places) > 1 else 0
        found[question_id] = LETTERS[places[pick]]
    return found
