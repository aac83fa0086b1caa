"""One page on the first answers of a model: each wrong or unread one with what was shown."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from enact_assets.contracts.errors import EnactError
from enact_assets.frames.sheets import question_strip
from enact_assets.questions.question_types import type_of
from enact_assets.report.page import render
from enact_assets.report.parts import NONE, Example, Part, Section, Table, Text

PictureAt = Callable[[str, int], NDArray[np.uint8]]
"""(demonstration, key frame) -> uint8 (h, w, 3). Errors: :class:`EnactError`."""
THUMBNAIL_PX = 220
MAX_WORDS = 600
"""Characters of an answer that are shown."""


def first_look_page(
    title: str,
    summary: Table,
    wrong: Sequence[Mapping[str, Any]],
    picture: PictureAt,
) -> str:
    """HTML of one file. ``wrong`` are rows of ``evaluation`` joined with the question, as asked,
    and with the raw answer.
    """
    parts: list[Part] = [_example(row, picture) for row in wrong]
    if not parts:
        parts = [Text("No answer was wrong.", is_notice=True)]
    sections = (
        Section("scores", "Scores", (summary,)),
        Section("wrong", "Wrong answers, and answers that could not be read", tuple(parts)),
    )
    return render(sections, title)


def _example(row: Mapping[str, Any], picture: PictureAt) -> Example:
    strip, note = None, ""
    try:
        shown = [picture(row["demonstration"], k) for k in row["shown_key_frames"]]
        strip = question_strip(shown, row["kind"], THUMBNAIL_PX)
    except (EnactError, KeyError) as error:
        note = f"The pictures cannot be shown: {error}"
    said = row["raw_answer"]
    facts = (
        ("Verdict", (type_of(row).feedback(row),)),
        ("Expected order", (str(row["reference"]),)),
        ("Given order", (NONE if row["answer"] is None else str(row["answer"]),)),
        ("The model's words", (NONE if said is None else said[:MAX_WORDS],)),
    )
    return Example(
        title=f"{row['kind']}, {row['n_steps']} steps: {row['demonstration']}, "
        f"{row['question_id']}",
        strip=strip,
        alt=f"The pictures of question {row['question_id']} as shown.",
        note=note,
        actions=tuple(row["actions"]),
        facts=facts,
    )
