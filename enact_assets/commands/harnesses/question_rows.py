"""Columns and rows of an exported question set, which other tools read.

Each question lists which steps an entry of an answer passes, because other tools have no scene
graphs: as :mod:`enact_assets.results.verification.verify` decides it under profile ``paper``.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import polars as pl

from enact_assets.commands.harnesses import step_fits
from enact_assets.commands.release.shown_questions import ShownQuestion, ShownQuestions
from enact_assets.demonstrations.pictures.tables import Visibility
from enact_assets.demonstrations.replay.tables import Demonstrations, LaterParents, Objects
from enact_assets.engine.errors import EnactError
from enact_assets.engine.lake.lake import Lake
from enact_assets.pipeline.steps.changes import Changes
from enact_assets.questions.key_frames.component_index import ComponentIndex
from enact_assets.questions.key_frames.tables import SceneGraphs, SegmentedFrames
from enact_assets.settings.classes import Gating

PICTURE_HERE = "<image>"
"""Mark in ``question`` at the place of a picture."""


def changes_in(lake: Lake, demonstration: str, gating: Gating) -> ComponentIndex:
    """Changes between the key frames of ``gating`` of a demonstration.

    Errors: :class:`MissingPartitionError` for what was not materialized.
    """
    here = {"demonstration": demonstration}
    framed = {**here, "gating": gating.name}
    return Changes(
        SegmentedFrames.of(lake.read("segmented_frames", framed)),
        SceneGraphs.of(lake.read("scene_graphs", framed)),
        Visibility.of(lake.read("visibility", framed)),
        Objects.of(lake.read("objects", here)),
        LaterParents.of(lake.read("later_parents", here)),
        Demonstrations.of(lake.read("demonstrations", here)),
        gating,
    ).index


class Column(NamedTuple):
    """One column of ``metadata.parquet``."""

    dtype: type[pl.DataType] | pl.DataType
    meaning: str


COLUMNS: Mapping[str, Column] = {
    "question_id": Column(pl.String, "id of the question; the same under every variant"),
    "official_id": Column(pl.String, "its id in files of ENACT's public release"),
    "variant": Column(pl.String, "condition under which it is asked"),
    "kind": Column(pl.String, "forward (order pictures by actions) or inverse (the reverse)"),
    "length": Column(pl.Int64, "pictures of the question, the current state included"),
    "n_entries": Column(pl.Int64, "entries of the answer: length - 1"),
    "demonstration": Column(pl.String, "what it was made from; cluster errors by it"),
    "activity": Column(pl.String, "what the robot does there"),
    "source": Column(pl.String, "embedded (simulated), recorded, omnigibson or video"),
    "question": Column(pl.String, f"all text in order; {PICTURE_HERE} where a picture is shown"),
    "answer": Column(pl.List(pl.Int64), "reference order, labels from 1; others may be right too"),
    "fits": Column(
        pl.String,
        'JSON: what an answer may name -> the steps that it passes. "0>2": picture 2 right after '
        'the current state; "3": action 3. enact_score.py reads it',
    ),
    "shown_sha": Column(
        pl.String, "hash of its texts and pictures: keep it in files for `import-answers`"
    ),
    "images_file_names": Column(
        pl.List(pl.String), "pictures in the order shown; `datasets` loads them as `images`"
    ),
}


def question_rows(lake: Lake, shown: ShownQuestions, gating: Gating) -> pl.DataFrame:
    """A row of :data:`COLUMNS` for each question, in their order.

    Errors: :class:`EnactError` for a text that contains the mark of a picture;
    :class:`MissingPartitionError` for what was not materialized.
    """
    about = {q.row["demonstration"] for q in shown}
    demonstrations = lake.read_all("demonstrations", among={"demonstration": sorted(about)})
    facts = {row["demonstration"]: row for row in demonstrations.iter_rows(named=True)}
    fits: dict[tuple[str, str], str] = {}
    for name in sorted(about):
        asked = [q.row for q in shown if q.row["demonstration"] == name]
        wanted = [{column: row[column] for column in step_fits.COLUMNS} for row in asked]
        texts = step_fits.fits_texts(changes_in(lake, name, gating), pl.DataFrame(wanted))
        fits |= zip(((name, row["question_id"]) for row in asked), texts, strict=True)
    rows = []
    for question in shown:
        row = question.row
        of_it = facts[row["demonstration"]]
        rows.append(
            {name: row[name] for name in ("question_id", "variant", "kind", "length", "answer")}
            | {"official_id": question.official_id, "n_entries": len(row["answer"])}
            | {name: of_it[name] for name in ("demonstration", "activity", "source")}
            | {"question": _text(question)}
            | {"fits": fits[row["demonstration"], row["question_id"]]}
            | {"shown_sha": question.shown_sha}
            | {"images_file_names": [picture.path for picture in question.pictures]}
        )
    return pl.DataFrame(rows, schema={name: column.dtype for name, column in COLUMNS.items()})


def text_and_pictures(row: Mapping[str, Any]) -> list[str | int]:
    """What is shown of a row of :data:`COLUMNS`, in order: texts, and places in its pictures."""
    texts = row["question"].split(PICTURE_HERE)
    parts: list[str | int] = [texts[0]] if texts[0] else []
    for place, text in enumerate(texts[1:]):
        parts += [place, text] if text else [place]
    return parts


def _text(question: ShownQuestion) -> str:
    texts = [part for part in question.parts if isinstance(part, str)]
    if any(PICTURE_HERE in text for text in texts):
        raise EnactError(
            f"question {question.row['question_id']}: its text contains {PICTURE_HERE}, which "
            "marks pictures. Remove it from the prompt template."
        )
    return "".join(part if isinstance(part, str) else PICTURE_HERE for part in question.parts)
