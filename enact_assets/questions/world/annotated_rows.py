"""Rows of questions that are made from annotations alone, from what was drawn for each."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import polars as pl

from enact_assets.engine.ids import content_sha, short_id
from enact_assets.engine.tables import Of
from enact_assets.questions.asked.shuffles import shuffled_labels
from enact_assets.questions.world.tables import WorldCandidates, WorldQuestions
from enact_assets.settings.world import LETTERS, set_columns

EQUIVALENT = "equivalent"
TRUTH = "truth"


class Clip(NamedTuple):
    """One annotated action, whose film a question shows."""

    recording: str
    action: int
    category: str
    start_s: float
    end_s: float
    environment: str
    is_askable: bool


class Drawn(NamedTuple):
    """What was drawn for one question. ``steps`` are the actions between its states.

    ``pool`` are the clips, by their number from 1; an option is a list of such numbers.
    ``options`` and ``classes`` begin with the truth; letters are given later.
    """

    task: str
    set_id: str | None
    steps: Sequence[Clip]
    pool: Sequence[Clip]
    options: Sequence[Sequence[int]]
    classes: Sequence[str]
    is_decidable: bool | None


class Questions(NamedTuple):
    """Rows of both tables."""

    questions: Of[WorldQuestions]
    candidates: Of[WorldCandidates]


def question_rows(source: str, drawn: Iterable[Drawn]) -> Questions:
    """Rows of ``world_questions`` and ``world_candidates`` of the step file ``source``."""
    questions: list[dict[str, object]] = []
    shown_clips: list[tuple[object, ...]] = []
    for one in drawn:
        first, last = one.steps[0], one.steps[-1]
        shown = [[one.pool[number - 1][:2] for number in option] for option in one.options]
        key = source, one.task, EQUIVALENT, one.set_id, first[:2], len(one.steps), shown
        question_id = short_id(*map(str, key))
        # Which option gets A, which B: the truth is the first of them.
        order = shuffled_labels(len(LETTERS), "letters", question_id)
        options = [one.options[label - 1] for label in order]
        questions.append(
            {
                **set_columns(source),
                "question_id": question_id,
                "task": one.task,
                "condition": EQUIVALENT,
                "set_id": one.set_id,
                "length": len(one.steps),
                "recording": first.recording,
                "first_action": first.action,
                "before_s": first.start_s,
                "after_s": last.end_s,
                "plan": [step.category for step in one.steps],
                "answer": LETTERS[order.index(1)],
                "classes": [one.classes[label - 1] for label in order],
                "n_videos": len({clip.recording for clip in one.pool}),
                "is_decidable": one.is_decidable,
                "evidence_sha": content_sha([one.steps, one.pool, options]),
            }
        )
        for letter, option in zip(LETTERS, options, strict=True):
            for place, number in enumerate(option, start=1):
                recording, action, category, *_ = one.pool[number - 1]
                row = question_id, letter, place, number, recording, action, category
                shown_clips.append(row)
    return Questions(WorldQuestions.build(questions), _candidates(source, shown_clips))


_SHOWN = ("question_id", "option", "place", "pool", "recording", "action", "category")


def _candidates(source: str, shown: list[tuple[object, ...]]) -> Of[WorldCandidates]:
    """Table of rows with columns :data:`_SHOWN`: a real step file has two hundred thousand."""
    schema = {name: WorldCandidates.schema()[name] for name in _SHOWN}
    rows = pl.DataFrame(shown, schema=schema, orient="row")
    none = pl.lit(None, pl.String)
    named = {column: pl.lit(name) for column, name in set_columns(source).items()}
    return WorldCandidates.arranged(rows.with_columns(view=none, **named))
