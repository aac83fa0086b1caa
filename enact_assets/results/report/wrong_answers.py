"""Wrong answers for readers: pictures as shown, both orders, and the facts that differ."""

from collections.abc import Callable, Iterable, Sequence
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from enact_assets.demonstrations.pictures.sheets import question_strip
from enact_assets.engine.errors import EnactError
from enact_assets.results.report.browse_links import HOW_TO_BROWSE, browse_address, ids, shortened
from enact_assets.results.report.error_section import CATEGORIES, CLASSES, no_errors
from enact_assets.results.report.parts import BOTH_KINDS, NONE, Example, Part, Section, Text, words
from enact_assets.results.report.rows import ReportRows

PictureOf = Callable[[str], NDArray[np.uint8]]
"""SHA-256 of a picture -> uint8 (h, w, 3). Errors: :class:`EnactError` if it cannot be read."""

THUMBNAIL_PX = 220
_PERSPECTIVES = {
    "structural": "By structure: what is wrong about a component.",
    "semantic": "By meaning: what kind of statement is wrong.",
}


def wrong_answers(rows: ReportRows, picture: PictureOf) -> Section:
    """Examples by structure, then by meaning: one of each kind and category, of many models."""
    chosen = chosen_examples(rows["examples"].to_dicts())
    if not chosen:
        return Section("wrong", "Wrong answers", (Text(no_errors(rows), is_notice=True),))
    about = Text(
        "One answer of each kind and category of error, the shortest questions first. Pictures "
        "stand in the order in which they were shown. Orders are labels, from 1, for each step in "
        f"turn. All examples: relation error_examples. {HOW_TO_BROWSE}"
    )
    parts: list[Part] = [about]
    for perspective, title in _PERSPECTIVES.items():
        examples = [row for row in chosen if row["perspective"] == perspective]
        if examples:
            parts += [Text(title), *(example_row(row, picture) for row in examples)]
    return Section("wrong", "Wrong answers", tuple(parts))


def chosen_examples(candidates: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Of each kind and category the one whose model, then question, was shown least so far.

    ``candidates`` are rows of ``error_examples``, some for each model, kind and category.
    """
    shown: dict[str, int] = {}
    chosen = []
    for kind, category in product(BOTH_KINDS, (*CATEGORIES, *CLASSES)):
        fitting = [r for r in candidates if (r["kind"], r["category"]) == (kind, category)]
        if not fitting:
            continue
        best = min(
            fitting,
            key=lambda r: (
                *(shown.get(r["model"], 0), shown.get(r["question_id"], 0)),
                *(r["length"], r["model"], r["place"], r["question_id"]),
            ),
        )
        for name in (best["model"], best["question_id"]):
            shown[name] = shown.get(name, 0) + 1
        chosen.append(best)
    return chosen


def example_row(row: dict[str, Any], picture: PictureOf) -> Example:
    """A wrong answer: a row of ``error_examples`` with what was shown and said."""
    facts = (
        ("Question", ids(row["question_id"], row["official_id"])),
        ("Expected order", (order_text(row["expected_order"]),)),
        ("Given order", (order_text(row["given_order"]),)),
        (f"Step {row['step']}: what happened", tuple(row["expected_components"])),
        (f"Step {row['step']}: what the answer says", tuple(row["given_components"])),
        ("Missing in the answer", tuple(row["missing"])),
        ("Made up by the answer", tuple(row["hallucinated"])),
        ("Raw answer of the model", (shortened(row["raw_answer"]),)),
    )
    title = f"{row['kind']}, {words(row['category'])}: {row['model']}, {row['demonstration']}"
    n_next = len(row["image_shas"] or [None]) - 1
    shown = f": the current state and {n_next} next states as shown."
    return example_of(row, picture, title, facts, shown=shown, model=row["model"])


def example_of(
    row: dict[str, Any],
    picture: PictureOf,
    title: str,
    facts: Iterable[tuple[str, tuple[str, ...]]],
    *,
    shown: str = " as shown.",
    model: str | None = None,
) -> Example:
    """The example of ``row``, which has ``image_shas``, ``actions`` and its question; facts without
    entries get a dash. Its alternative text ends with ``shown``.
    """
    shas = row["image_shas"] or [None]
    strip, note = _strip_of(shas, row["kind"], picture)
    return Example(
        title=title,
        strip=strip,
        alt=f"The {len(shas)} pictures of question {row['question_id']}{shown}",
        note=note,
        actions=tuple(row["actions"] or ()),
        facts=tuple((heading, entries or (NONE,)) for heading, entries in facts),
        link=browse_address(row["question_id"], row["variant"], model),
    )


def _strip_of(
    shas: Sequence[str | None], kind: str, picture: PictureOf
) -> tuple[bytes | None, str]:
    """The pictures of a question in one row, as a JPEG; or None, and why."""
    n_gone = sum(sha is None for sha in shas)
    if n_gone:
        return None, f"{n_gone} of the pictures were not published."
    try:
        pictures = [picture(sha) for sha in shas if sha is not None]
        return question_strip(pictures, kind, THUMBNAIL_PX), ""
    except EnactError:  # an example without pictures is still one
        return None, "The pictures are not stored any more: materialize frame_images again."


def order_text(labels: list[int] | None) -> str:
    """``[2, 1, 3]``; a dash where there is no order."""
    return NONE if labels is None else "[" + ", ".join(map(str, labels)) + "]"
