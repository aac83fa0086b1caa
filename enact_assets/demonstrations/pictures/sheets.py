"""Contact sheets and question strips: pictures beside each other, labels drawn on copies.

Labels are drawn when something is shown; stored pictures stay as they were rendered.
"""

import io
from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from enact_assets.engine.errors import RenderError

Picture = NDArray[np.uint8]
Encoding = Literal["jpeg", "png"]

MARGIN_PX = 4
STEP_GAP_PX = 18
BACKGROUND = (255, 255, 255)
INK = (214, 20, 20)
JPEG_QUALITY = 88


def contact_sheet(
    pictures: Sequence[Picture],
    labels: Sequence[str],
    columns: int = 4,
    thumbnail_px: int | None = None,
    encoding: Encoding = "jpeg",
) -> bytes:
    """Pictures row by row, each with its label, as a JPEG or PNG file.

    ``thumbnail_px`` is the width pictures are reduced to. Eight thumbnails of 160 px make a JPEG
    of about 60 kB. Errors: :class:`RenderError` if there is no picture, a label is missing, or a
    picture is not uint8 (h, w, 3).
    """
    if columns < 1:
        raise RenderError(f"contact sheet: needs at least one column, not {columns}")
    cells = _labelled(pictures, labels, thumbnail_px)
    columns = min(columns, len(cells))
    width = max(cell.width for cell in cells) + MARGIN_PX
    height = max(cell.height for cell in cells) + MARGIN_PX
    rows = -(-len(cells) // columns)
    sheet = Image.new("RGB", (columns * width + MARGIN_PX, rows * height + MARGIN_PX), BACKGROUND)
    for k, cell in enumerate(cells):
        place = (k % columns * width + MARGIN_PX, k // columns * height + MARGIN_PX)
        sheet.paste(cell, place)
    return _encoded(sheet, encoding)


def question_strip(
    pictures: Sequence[Picture],
    kind: str,
    thumbnail_px: int | None = None,
    encoding: Encoding = "jpeg",
) -> bytes:
    """The pictures of a question as they are shown, in one row: "Current State", "Next State k".

    In an inverse question time runs along the row, and arrows say so; in a forward question the
    next states are shuffled. Errors: as :func:`contact_sheet`, and for an unknown ``kind``.
    """
    if kind not in ("forward", "inverse"):
        raise RenderError(f"question strip: unknown kind {kind!r} (known: forward, inverse)")
    cells = _labelled(pictures, state_labels(len(pictures)), thumbnail_px)
    width = sum(cell.width for cell in cells) + STEP_GAP_PX * (len(cells) - 1)
    height = max(cell.height for cell in cells)
    strip = Image.new("RGB", (width, height), BACKGROUND)
    draw = ImageDraw.Draw(strip)
    x = 0
    for k, cell in enumerate(cells):
        if k and kind == "inverse":
            tip, tail, middle = x - 3, x - STEP_GAP_PX + 3, height // 2
            draw.polygon([(tail, middle - 7), (tail, middle + 7), (tip, middle)], fill=INK)
        elif k == 1:
            draw.line([(x - STEP_GAP_PX // 2, 0), (x - STEP_GAP_PX // 2, height)], fill=INK)
        strip.paste(cell, (x, 0))
        x += cell.width + STEP_GAP_PX
    return _encoded(strip, encoding)


def state_labels(n_pictures: int) -> list[str]:
    """Labels of the pictures of a question, in the order shown."""
    return ["Current State", *(f"Next State {k}" for k in range(1, n_pictures))][:n_pictures]


def labelled(picture: Picture, label: str) -> Picture:
    """A copy of ``picture`` with ``label`` in its upper left corner, red on a white rim."""
    image = Image.fromarray(picture)
    size = max(9, round(image.width * 0.075))
    font = ImageFont.load_default(size)
    place = (round(size * 0.4), round(size * 0.25))
    ImageDraw.Draw(image).text(
        place, label, fill=INK, font=font, stroke_width=max(1, size // 9), stroke_fill=BACKGROUND
    )
    return np.asarray(image)


def _labelled(
    pictures: Sequence[Picture], labels: Sequence[str], thumbnail_px: int | None
) -> list[Image.Image]:
    if not pictures or len(pictures) != len(labels):
        raise RenderError(f"sheet: {len(pictures)} pictures and {len(labels)} labels")
    cells = []
    for picture, label in zip(pictures, labels, strict=True):
        if picture.ndim != 3 or picture.shape[2] != 3 or picture.dtype != np.uint8:
            raise RenderError(
                f"sheet: {label!r} is {picture.dtype} {picture.shape}, expected uint8 (h, w, 3)"
            )
        image = Image.fromarray(picture)
        if thumbnail_px is not None and image.width != thumbnail_px:
            height = max(1, round(image.height * thumbnail_px / image.width))
            image = image.resize((thumbnail_px, height), Image.Resampling.LANCZOS)
        cells.append(Image.fromarray(labelled(np.asarray(image), label)))
    return cells


def _encoded(image: Image.Image, encoding: Encoding) -> bytes:
    out = io.BytesIO()
    if encoding == "jpeg":
        image.save(out, "JPEG", quality=JPEG_QUALITY)
    else:
        image.save(out, "PNG", optimize=True)
    return out.getvalue()
