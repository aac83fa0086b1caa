"""Questions of world modelling in the layout of the paper's release, ``WorldPrediction-WM.json``.

Data set -> id -> states, four candidates and the id of the right one; each is a segment of a video,
the states its first and last frame. The layout is known second hand; that of planning questions is
not known.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import msgspec
import polars as pl

from enact_assets.engine.errors import QuestionFileError
from enact_assets.engine.plurals import counted
from enact_assets.settings.world import LETTERS, WM

Number = float | int


class Segment(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Part of a video, in s."""

    segment_uid: str
    video: str
    segment_start_time: Number
    segment_end_time: Number


class Candidate(Segment, frozen=True, forbid_unknown_fields=True):
    """A segment and what is done in it."""

    action_label: str


class ReleaseQuestion(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One question. ``ground_truth`` is the ``segment_uid`` of one of four ``candidates``."""

    states: Segment
    candidates: tuple[Candidate, Candidate, Candidate, Candidate]
    ground_truth: str

    @property
    def answer(self) -> str:
        """Letter of the right candidate."""
        return LETTERS[[c.segment_uid for c in self.candidates].index(self.ground_truth)]


Release = dict[str, dict[str, ReleaseQuestion]]
"""Data set -> id -> question."""


def read_release(path: Path) -> Release:
    """The questions in ``path``.

    Errors: :class:`QuestionFileError` for a file that cannot be read or has another layout, and
    names the question whose ground truth is not exactly one of its candidates.
    """
    try:
        found = msgspec.json.decode(path.read_bytes(), type=Release)
    except OSError as error:
        raise QuestionFileError(f"{path}: cannot be read ({error.strerror}).") from error
    except msgspec.MsgspecError as error:
        raise QuestionFileError(
            f"{path}: not the layout of WorldPrediction-WM.json ({error})."
        ) from error
    wrong = [
        f"{dataset}, {uid}"
        for dataset, questions in found.items()
        for uid, question in questions.items()
        if [c.segment_uid for c in question.candidates].count(question.ground_truth) != 1
    ]
    if wrong:
        raise QuestionFileError(
            f"{path}: in {counted(len(wrong), 'question')}, the first {wrong[0]}, ground_truth "
            "names not exactly one candidate."
        )
    return found


def release_bytes(release: Release) -> bytes:
    """The file that holds ``release``; :func:`read_release` reads the same again."""
    return msgspec.json.format(msgspec.json.encode(release), indent=1) + b"\n"


class Span(NamedTuple):
    """When an action is shown, in s, and its label."""

    start_s: float
    end_s: float
    label: str


def to_release(
    questions: pl.DataFrame, candidates: pl.DataFrame, spans: Mapping[tuple[str, int], Span]
) -> Release:
    """Rows of ``world_questions`` of task ``wm`` and their ``world_candidates`` in that layout.

    ``spans`` maps (recording, action) to when it is done. World sources take the place of data
    sets. The id of a segment is ``<recording>#<action>``, with the camera of a clip behind it.
    Errors: ``KeyError`` for an action without a span.
    """
    columns = "question_id", "recording", "action", "view"
    shown: dict[str, list[Candidate]] = {}
    asked = questions.filter(task=WM).sort("world_source", "question_id")
    rows = candidates.join(asked.select("question_id"), on="question_id", how="semi")
    in_order = rows.sort("question_id", "option").select(columns)
    for question_id, recording, action, view in in_order.iter_rows():
        span = spans[recording, action]
        uid = _uid(recording, action, view)
        candidate = Candidate(uid, recording, span.start_s, span.end_s, span.label)
        shown.setdefault(question_id, []).append(candidate)
    found: Release = {}
    for row in asked.iter_rows(named=True):
        key = row["recording"], row["first_action"]
        span = spans[key]
        states = Segment(_uid(*key), key[0], span.start_s, span.end_s)
        first, second, third, fourth = shown[row["question_id"]]
        four = first, second, third, fourth
        truth = four[LETTERS.index(row["answer"])].segment_uid
        question = ReleaseQuestion(states, four, truth)
        found.setdefault(row["world_source"], {})[row["question_id"]] = question
    return found


def annotated_spans(actions: pl.DataFrame) -> dict[tuple[str, int], Span]:
    """Of rows of ``annotated_actions``."""
    columns = "recording", "action", "start_s", "end_s", "label"
    return {(r, a): Span(*rest) for r, a, *rest in actions.select(columns).iter_rows()}


def embedded_spans(
    states: pl.DataFrame, demonstrations: pl.DataFrame
) -> dict[tuple[str, int], Span]:
    """Of rows of ``action_states`` and ``demonstrations``; labels are categories."""
    rate = demonstrations.select("demonstration", "frame_rate_hz")
    rows = states.join(rate, on="demonstration").select(
        "demonstration",
        "action",
        pl.col("frame_from") / pl.col("frame_rate_hz"),
        pl.col("frame_to") / pl.col("frame_rate_hz"),
        "category",
    )
    return {(d, a): Span(*rest) for d, a, *rest in rows.iter_rows()}


def _uid(recording: str, action: int, view: str | None = None) -> str:
    return "#".join([recording, str(action), *([view] if view else [])])
