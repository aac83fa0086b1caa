"""Pictures in the summaries of steps."""

import base64
from collections.abc import Mapping
from textwrap import indent
from typing import Any

import numpy as np
import polars as pl

from enact_assets.demonstrations.pictures.sheets import contact_sheet, question_strip
from enact_assets.demonstrations.pictures.tables import FrameImages
from enact_assets.engine.errors import EnactError
from enact_assets.engine.parameters import All
from enact_assets.pipeline.handles.tools import PictureMaker, Pictures
from enact_assets.results.verification.metrics import summarize

PREVIEW_KEY_FRAMES = 8
THUMBNAIL_PX = 200
N_WRONG_SHOWN = 3
N_REASONS_SHOWN = 10
REASON_LENGTH = 80
ANSWER_LENGTH = 1_000
ACTION_LENGTH = 300
_MARKUP = str.maketrans(
    {c: f"\\{c}" for c in "\\`*[]|~"} | {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
)


class Markdown(str):
    """Text of a summary that is shown as Markdown."""

    __slots__ = ()


def literal(text: str, most: int) -> str:
    """``text`` on one line, escaped as Markdown that shows only the text; cut to ``most``
    characters.

    Names, actions and errors come from other people. Without escaping, browsers of Dagster's users
    would load a picture in them, and might run HTML.
    """
    line = " ".join(text.split())
    cut = line if len(line) <= most else f"{line[: most - 3]}..."
    return cut.translate(_MARKUP)


def inline(picture: bytes, alt: str, text: str = "") -> Markdown:
    """An encoded picture as Markdown that needs no server, with ``text`` below it."""
    kind = "png" if picture.startswith(b"\x89PNG") else "jpeg"
    data = base64.b64encode(picture).decode()
    return Markdown(f"![{alt}](data:image/{kind};base64,{data})\n\n{text}")


def key_frame_sheet(frame_images: pl.DataFrame, make_pictures: PictureMaker) -> Mapping[str, Any]:
    """A sheet of key frames, evenly spread over the demonstration."""
    n = frame_images.height
    if n == 0:
        return {"key frames": Markdown("no pictures")}
    chosen = sorted({round(k) for k in np.linspace(0, n - 1, min(n, PREVIEW_KEY_FRAMES))})
    rows = [frame_images.row(k, named=True) for k in chosen]
    shown = [make_pictures.stored(row["image_sha"]) for row in rows]
    labels = [f"{row['key_frame']} (frame {row['frame']})" for row in rows]
    sheet = contact_sheet(shown, labels, columns=4, thumbnail_px=THUMBNAIL_PX)
    return {"key frames": inline(sheet, "key frames")}


def answered_question(
    questions: pl.DataFrame, predictions: pl.DataFrame, pictures: Pictures
) -> Mapping[str, Any]:
    """Results and costs of the answers, and one question as it was asked: its pictures as a strip,
    its actions, the model's answer.
    """
    summary = _costs(predictions)
    answered = questions.join(predictions.drop_nulls("raw_answer"), on="question_id")
    shown = answered.sort((pl.col("length") - 4).abs(), "kind", "question_id").head(1)
    for question in shown.iter_rows(named=True):
        # As a block of code, as a model's text is not Markdown. The end is shown, which has the
        # order.
        words = indent(question["raw_answer"][-ANSWER_LENGTH:], "    ", lambda _line: True)
        known = f"Reference `{question['answer']}`" if question["answer"] else "Unlabelled"
        said = f"{known}. Answered:\n\n{words}"
        summary["a question"] = _with_pictures(question, said, pictures)
    return summary


def judged_answers(
    evaluation: pl.DataFrame,
    questions: pl.DataFrame,
    images: All[FrameImages],  # noqa: ARG001 - `pictures` reads what it names
    pictures: Pictures,
) -> Mapping[str, Any]:
    """Counts of verdicts, accuracies, and up to three wrong answers as :func:`answered_question`
    shows a question. The pictures are only shown; they are not an input of the verdicts.
    """
    summary = _scores(evaluation)
    wrong = evaluation.filter(pl.col("answer").is_not_null(), ~pl.col("is_accepted"))
    first = wrong.sort("repetition").unique("question_id", keep="first", maintain_order=True)
    asked = first.select("question_id", given="answer").join(questions, on="question_id")
    # Both kinds in turn, short questions first.
    chosen = asked.sort((pl.col("length") - 4).abs(), "question_id").with_columns(
        place_shown=pl.int_range(pl.len()).over("kind")
    )
    shown = chosen.sort("place_shown", "kind").head(N_WRONG_SHOWN)
    for n, question in enumerate(shown.iter_rows(named=True), 1):
        said = f"Answered `{question['given']}`, right is `{question['answer']}`."
        summary[f"wrong answer {n}"] = _with_pictures(question, said, pictures)
    return summary


def _costs(predictions: pl.DataFrame) -> dict[str, Any]:
    """Failures by kind, tokens, dollars and names of models; values that are unknown are left
    out.
    """
    summary: dict[str, Any] = {"missing answers": predictions["raw_answer"].null_count()}
    # Only the beginning of a message, as the rest names one request.
    kinds = (
        predictions["error"].drop_nulls().str.split(":").list.first().str.slice(0, REASON_LENGTH)
    )
    if kinds.len():
        counted = kinds.value_counts(sort=True).head(N_REASONS_SHOWN)
        summary["why answers are missing"] = dict(counted.iter_rows())
    for stop in ("refused", "cut"):
        n = int((predictions["stop"] == stop).sum())
        if n:
            summary[f"{stop} answers"] = n
    for column in ("tokens_in", "tokens_in_cached", "tokens_out", "tokens_reasoning"):
        if predictions[column].count():
            summary[column.replace("_", " ")] = int(predictions[column].sum())
    if predictions["usd"].count():
        summary["USD"] = float(predictions["usd"].sum())
        summary["answers without a price"] = int(
            predictions.select(
                (pl.col("raw_answer").is_not_null() & pl.col("usd").is_null()).sum()
            ).item()
        )
    if predictions["latency_s"].count():
        summary["median latency, s"] = predictions["latency_s"].median()
    served = sorted(predictions["served_model"].drop_nulls().unique())
    if served:
        summary["served models"] = ", ".join(served)
    return summary


def _scores(evaluation: pl.DataFrame) -> dict[str, Any]:
    """Counts of answers by status, counts of refused, declined and truncated ones, and
    accuracies.
    """
    status = evaluation["answer_status"].value_counts(sort=True)
    summary: dict[str, Any] = {f"{s} answers": n for s, n in status.iter_rows()}
    if evaluation.is_empty():
        return summary
    found = summarize(evaluation, ["variant"]).row(0, named=True)
    for name in ("refused", "declined", "cut"):
        if found[f"n_{name}"]:
            summary[f"{name} answers"] = found[f"n_{name}"]
    if found["n_scored"]:
        summary["task accuracy"] = found["task_accuracy"]
        summary["pairwise accuracy"] = found["pairwise_accuracy"]
    return summary


def _with_pictures(question: Mapping[str, Any], said: str, pictures: Pictures) -> Markdown:
    """A row of ``asked_questions``: its pictures, its actions, and ``said`` below them."""
    try:
        strip = question_strip(
            [pictures(question["demonstration"], k) for k in question["shown_key_frames"]],
            kind=question["kind"],
            thumbnail_px=THUMBNAIL_PX,
        )
    except (EnactError, KeyError) as error:  # an error in a preview must not fail the step
        return Markdown(f"no preview: {literal(str(error), ANSWER_LENGTH)}")
    actions = [literal(action, ACTION_LENGTH) for action in question["actions"]]
    lines = [f"- [Action {k}] {action}" for k, action in enumerate(actions, 1)]
    return inline(strip, "the pictures of a question", "\n".join([*lines, "", said]))
