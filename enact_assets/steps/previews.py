"""Pictures in the summaries of steps."""

import base64
from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl

from enact_assets.contracts.errors import EnactError
from enact_assets.frames.sheets import contact_sheet, question_strip
from enact_assets.handles import PictureMaker, Pictures

PREVIEW_KEY_FRAMES = 8
THUMBNAIL_PX = 200


class Markdown(str):
    """Text of a summary that is shown as Markdown."""

    __slots__ = ()


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
    """How many answers are missing; one question as it was asked: its pictures as a strip, its
    actions, what the model said.
    """
    summary: dict[str, Any] = {"missing answers": predictions["raw_answer"].null_count()}
    answered = questions.join(predictions.drop_nulls("raw_answer"), on="question_id")
    shown = answered.sort((pl.col("length") - 4).abs(), "kind", "question_id").head(1)
    if shown.is_empty():
        return summary
    question = shown.row(0, named=True)
    try:
        strip = question_strip(
            [pictures(question["demonstration"], k) for k in question["shown_key_frames"]],
            kind=question["kind"],
            thumbnail_px=THUMBNAIL_PX,
        )
    except EnactError as error:  # a preview must not fail what it previews
        return {**summary, "a question": Markdown(f"no preview: {error}")}
    lines = [f"- [Action {k}] {action}" for k, action in enumerate(question["actions"], 1)]
    lines += ["", f"Answered `{question['raw_answer']}`, reference `{question['answer']}`."]
    picture = inline(strip, "the pictures of a question", "\n".join(lines))
    return {**summary, "a question": picture}
