"""A page on the first answers of a model: each wrong or unreadable answer with its question."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from enact_assets.demonstrations.pictures.sheets import contact_sheet, question_strip
from enact_assets.engine.errors import EnactError
from enact_assets.questions.asked.types import type_of
from enact_assets.results.report.browse_links import HOW_TO_BROWSE, browse_address, ids, shortened
from enact_assets.results.report.page import render
from enact_assets.results.report.parts import NONE, Example, Section, Text, percent, table
from enact_assets.settings.world import KINDS, LETTERS, PP

PictureAt = Callable[..., NDArray[np.uint8]]
"""The parts of a :data:`PictureKey` -> uint8 (h, w, 3). Errors: :class:`EnactError`."""
SHARES = ("task_accuracy", "task_chance", "pairwise_accuracy", "pairwise_chance")
COUNTS = ("n_unparsed", "n_refused", "n_declined", "n_cut", "n_missing")
THUMBNAIL_PX = 220


def first_look_page(
    title: str, of_kind: pl.DataFrame, wrong: pl.DataFrame, picture: PictureAt
) -> str:
    """HTML of one file. ``of_kind`` has scores and counts by kind, ``wrong`` rows of
    ``evaluation`` beside question and words, as :class:`FirstAnswers` gives them.
    """
    columns = (
        ("kind", str, "kind"),
        ("questions", str, "n_questions"),
        ("task %", percent, "task_accuracy"),
        ("chance %", percent, "task_chance"),
        ("pairwise %", percent, "pairwise_accuracy"),
        ("chance %", percent, "pairwise_chance"),
        *((name.removeprefix("n_"), str, name) for name in COUNTS),
    )
    caption = "Scores of the questions that were asked, beside what a random order would score."
    examples = tuple(_example(row, picture) for row in wrong.iter_rows(named=True))
    about = Text(f"{HOW_TO_BROWSE} Answers of this page are in it once they are published.")
    sections = (
        Section("scores", "Scores", (table(caption, of_kind.to_dicts(), columns),)),
        Section("wrong", "Wrong answers, and answers that could not be read", (about, *examples)),
    )
    return render(sections, title)


def _example(row: Mapping[str, Any], picture: PictureAt) -> Example:
    strip, note, is_choice = None, "", row["kind"] in KINDS
    try:
        parts = [part for part in type_of(row).parts(row) if not isinstance(part, str)]
        shown = [picture(*part.key) for part in parts]
        if is_choice:
            names = [part.name for part in parts]
            strip = contact_sheet(shown, names, thumbnail_px=THUMBNAIL_PX)
        else:
            strip = question_strip(shown, row["kind"], THUMBNAIL_PX)
    except (EnactError, KeyError) as error:
        note = f"The pictures cannot be shown: {error}"
    what = "option" if is_choice else "order"

    def named(labels: Sequence[int] | None) -> str:
        if labels is None:
            return NONE
        return LETTERS[labels[0] - 1] if is_choice else str(labels)

    facts = (
        ("Question", ids(row["question_id"])),
        ("Verdict", (type_of(row).feedback(row),)),
        *((("Plans", (row["actions"][-2],)),) if row["kind"].startswith(PP) else ()),
        (f"Expected {what}", (named(row["reference"]),)),
        (f"Given {what}", (named(row["answer"]),)),
        ("Raw answer of the model", (shortened(row["raw_answer"]),)),
    )
    return Example(
        title=f"{row['kind']}, {row['n_steps']} steps: {row['demonstration']}, "
        f"{row['question_id']}",
        strip=strip,
        alt=f"The pictures of question {row['question_id']} as shown.",
        note=note,
        actions=() if is_choice else tuple(row["actions"]),
        facts=facts,
        link=browse_address(row["question_id"], row["variant"]),
    )
