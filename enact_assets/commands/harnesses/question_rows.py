"""Columns and rows of an exported question set, which other tools read.

Each question lists which steps an entry of an answer passes, because other tools have no scene
graphs: as :mod:`enact_assets.results.verification.verify` decides it under profile ``paper``.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from enact_assets.commands.release.shown_questions import ShownQuestion, ShownQuestions
from enact_assets.demonstrations.pictures.tables import Visibility
from enact_assets.demonstrations.replay.tables import Demonstrations, LaterParents, Objects
from enact_assets.engine.errors import EnactError
from enact_assets.engine.lake.lake import Lake
from enact_assets.pipeline.steps.changes import Changes
from enact_assets.questions.asked.types import Row
from enact_assets.questions.key_frames.component_index import ComponentIndex
from enact_assets.questions.key_frames.tables import SceneGraphs, SegmentedFrames
from enact_assets.settings.arrays import Words
from enact_assets.settings.classes import Gating
from enact_assets.settings.components import Component

PICTURE_HERE = "<image>"
"""Mark in ``question`` at the place of a picture."""


class StepFits:
    """Fits of questions about one demonstration; sets of components are integers, bit by bit."""

    def __init__(self, index: ComponentIndex) -> None:
        self._index, self._n = index, index.n_key_frames
        pairs = np.indices((self._n, self._n)).reshape(2, -1).T
        visible, full, _ = index.changes(pairs)
        self._visible, self._full = _integers(visible), _integers(full)

    def of(self, question: Row) -> dict[str, list[int]]:
        """``fits``, as :mod:`enact_assets.commands.harnesses.scoring` reads it, of a row of
        ``asked_questions``. Entries that pass no step are left out.
        """
        frames = question["key_frames"]
        steps = [a * self._n + b for a, b in pairwise(frames)]
        if question["kind"] == "inverse":
            found = self._passed_by_actions(question, [self._full[step] for step in steps])
        else:
            found = self._passed_by_pictures(question, [self._visible[step] for step in steps])
        return {name: passed for name, passed in found if passed}

    def _passed_by_pictures(
        self, question: Row, wanted: Sequence[int]
    ) -> Iterator[tuple[str, list[int]]]:
        shown = question["shown_key_frames"]
        for a, before in enumerate(shown):
            for b, after in enumerate(shown[1:], start=1):
                if a != b:
                    says = self._full[before * self._n + after]
                    yield f"{a}>{b}", [k for k, must in enumerate(wanted, 1) if not must & ~says]

    def _passed_by_actions(
        self, question: Row, happened: Sequence[int]
    ) -> Iterator[tuple[str, list[int]]]:
        components = [list(map(Component.parse, texts)) for texts in question["action_components"]]
        bits, is_known = self._index.encode(components)
        for label, says in enumerate(_integers(bits), start=1):
            known = bool(is_known[label - 1])
            yield str(label), [k for k, did in enumerate(happened, 1) if known and not says & ~did]


def fits_in(lake: Lake, demonstration: str, gating: Gating) -> StepFits:
    """Fits of questions about ``demonstration`` with the key frames of ``gating``.

    Errors: :class:`MissingPartitionError` for what was not materialized.
    """
    here = {"demonstration": demonstration}
    framed = {**here, "gating": gating.name}
    changes = Changes(
        SegmentedFrames.of(lake.read("segmented_frames", framed)),
        SceneGraphs.of(lake.read("scene_graphs", framed)),
        Visibility.of(lake.read("visibility", framed)),
        Objects.of(lake.read("objects", here)),
        LaterParents.of(lake.read("later_parents", here)),
        Demonstrations.of(lake.read("demonstrations", here)),
        gating,
    )
    return StepFits(changes.index)


def _integers(bits: Words) -> list[int]:
    """Bit sets (n, n_words) as integers."""
    return [int.from_bytes(row.tobytes(), "little") for row in np.ascontiguousarray(bits)]


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
    fits = {name: fits_in(lake, name, gating) for name in sorted(about)}
    rows = []
    for question in shown:
        row = question.row
        of_it = facts[row["demonstration"]]
        rows.append(
            {name: row[name] for name in ("question_id", "variant", "kind", "length", "answer")}
            | {"official_id": question.official_id, "n_entries": len(row["answer"])}
            | {name: of_it[name] for name in ("demonstration", "activity", "source")}
            | {"question": _text(question)}
            | {"fits": json.dumps(fits[row["demonstration"]].of(row))}
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
