"""Pictures in asset metadata: what people would rather look at than read."""

import base64
from collections.abc import Callable
from typing import Any

import dagster as dg
import numpy as np
import polars as pl
from numpy.typing import NDArray

from enact_assets.contracts.errors import EnactError
from enact_assets.frames.sheets import contact_sheet, question_strip
from enact_assets.storage.images import ImageStore

PREVIEW_KEY_FRAMES = 8
THUMBNAIL_PX = 200

Picture = NDArray[np.uint8]
PictureReader = Callable[[str, int], Picture]


def inline(picture: bytes, alt: str, text: str = "") -> dg.MarkdownMetadataValue:
    """An encoded picture as Markdown that needs no server, with ``text`` below it."""
    kind = "png" if picture.startswith(b"\x89PNG") else "jpeg"
    data = base64.b64encode(picture).decode()
    return dg.MetadataValue.md(f"![{alt}](data:image/{kind};base64,{data})\n\n{text}")


def key_frame_preview(frame_images: pl.DataFrame, images: ImageStore) -> dg.MarkdownMetadataValue:
    """A sheet of key frames, evenly spread over the demonstration."""
    n = frame_images.height
    if n == 0:
        return dg.MetadataValue.md("no pictures")
    chosen = sorted({round(k) for k in np.linspace(0, n - 1, min(n, PREVIEW_KEY_FRAMES))})
    rows = [frame_images.row(k, named=True) for k in chosen]
    pictures = [images.read(row["image_sha"]) for row in rows]
    labels = [f"{row['key_frame']} (frame {row['frame']})" for row in rows]
    sheet = contact_sheet(pictures, labels, columns=4, thumbnail_px=THUMBNAIL_PX)
    return inline(sheet, "key frames")


def question_preview(
    questions: pl.DataFrame, predictions: pl.DataFrame, read_picture: PictureReader
) -> dict[str, Any]:
    """One question as it was asked: its pictures as a strip, its actions, what the model said."""
    answered = questions.join(predictions.drop_nulls("raw_answer"), on="question_id")
    shown = answered.sort((pl.col("length") - 4).abs(), "kind", "question_id").head(1)
    if shown.is_empty():
        return {}
    question = shown.row(0, named=True)
    try:
        shown_key_frames = question["shown_key_frames"]
        pictures = [read_picture(question["demonstration"], k) for k in shown_key_frames]
    except EnactError as error:  # a preview must not fail what it previews
        return {"a question": dg.MetadataValue.md(f"no preview: {error}")}
    strip = question_strip(pictures, kind=question["kind"], thumbnail_px=THUMBNAIL_PX)
    lines = [f"- [Action {k}] {action}" for k, action in enumerate(question["actions"], 1)]
    lines += ["", f"Answered `{question['raw_answer']}`, reference `{question['answer']}`."]
    return {"a question": inline(strip, "the pictures of a question", "\n".join(lines))}


def picture_reader(
    images: ImageStore, rows: pl.DataFrame
) -> tuple[PictureReader, dict[tuple[str, int], str]]:
    """How a model sees: a function (demonstration, key frame) -> pixels, and the image hashes.

    ``rows`` are those of table ``frame_images`` under one variant.
    """
    shas = {
        (d, k): sha
        for d, k, sha in rows.select("demonstration", "key_frame", "image_sha").iter_rows()
    }

    def read(demonstration: str, key_frame: int) -> Picture:
        return images.read(shas[demonstration, key_frame])

    return read, shas
