"""Sheets: a question of WorldPrediction as one picture, as a person or a model is shown it."""

import io
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from enact_assets.demonstrations.pictures.sheets import labelled
from enact_assets.engine.errors import RenderError
from enact_assets.questions.world.items import WorldItem
from enact_assets.settings.world import LETTERS, WM

Picture = NDArray[np.uint8]

STATE_PX, FRAME_PX, GAP_PX = 320, 150, 8
NAME_PX = 28
"""Width of the letters or numbers of clips."""
TEXT_PX = 20
ASKED = {
    "wm": "Which clip shows the action that leads from state 1 to state 2?",
    "pp": "Which plan leads from state 1 to state 2? Numbers are clips.",
}


def question_sheet(
    item: WorldItem, states: Sequence[Picture], clips: Sequence[Sequence[Picture]]
) -> bytes:
    """A PNG: the two states, the clips of the pool as strips by number, the question and options.

    ``states`` are two pictures, uint8 (h, w, 3); ``clips`` those of ``item.pool``, in its order.
    Clips of ``wm`` are called by their letters. Errors: :class:`RenderError` without a picture.
    """
    if len(states) != 2 or len(clips) != len(item.pool) or not all(clips):
        raise RenderError(f"question {item.row['question_id']}: pictures of it are missing")
    task = item.row["task"]
    names = LETTERS if task == WM else [str(clip["pool"]) for clip in item.pool]
    top = _row([_cell(p, f"State {k}", STATE_PX) for k, p in enumerate(states, 1)])
    strips = [_strip(name, clip) for name, clip in zip(names, clips, strict=True)]
    lines = [ASKED[task]]
    if task != WM:
        orders = (" ".join(str(c["pool"]) for c in option) for option in item.options)
        lines += [f"{letter}: {order}" for letter, order in zip(LETTERS, orders, strict=True)]
    return _encoded(_column([top, *_in_columns(strips), _words(lines)]))


def clip_strips(clips: Sequence[Sequence[Picture]], names: Sequence[str]) -> bytes:
    """A PNG of clips as strips, one below the other. Errors: :class:`RenderError` without any."""
    if not clips:
        raise RenderError("no clips to show")
    return _encoded(_column([_strip(n, clip) for n, clip in zip(names, clips, strict=True)]))


def _strip(name: str, clip: Sequence[Picture]) -> Image.Image:
    return _row([_words([name], least_px=NAME_PX), *(_cell(p, "", FRAME_PX) for p in clip)])


def _cell(picture: Picture, label: str, size_px: int) -> Image.Image:
    image = Image.fromarray(picture).resize((size_px, size_px), Image.Resampling.LANCZOS)
    return Image.fromarray(labelled(np.asarray(image), label)) if label else image


def _row(cells: Sequence[Image.Image]) -> Image.Image:
    width = sum(c.width for c in cells) + GAP_PX * (len(cells) - 1)
    row = Image.new("RGB", (width, max(c.height for c in cells)), "white")
    x = 0
    for cell in cells:
        row.paste(cell, (x, 0))
        x += cell.width + GAP_PX
    return row


def _in_columns(strips: Sequence[Image.Image]) -> list[Image.Image]:
    """Strips two beside each other where there are many."""
    if len(strips) <= len(LETTERS):
        return list(strips)
    return [_row([_padded(s) for s in strips[k : k + 2]]) for k in range(0, len(strips), 2)]


def _padded(strip: Image.Image) -> Image.Image:
    wide = Image.new("RGB", (strip.width + 3 * GAP_PX, strip.height), "white")
    wide.paste(strip, (0, 0))
    return wide


def _words(lines: Sequence[str], least_px: int = 0) -> Image.Image:
    font = ImageFont.load_default(TEXT_PX)
    width = max(least_px, *(round(font.getlength(line)) + 2 * GAP_PX for line in lines))
    image = Image.new("RGB", (width, (TEXT_PX + GAP_PX) * len(lines)), "white")
    draw = ImageDraw.Draw(image)
    for k, line in enumerate(lines):
        draw.text((GAP_PX, k * (TEXT_PX + GAP_PX)), line, fill="black", font=font)
    return image


def _column(parts: Sequence[Image.Image]) -> Image.Image:
    height = sum(p.height for p in parts) + GAP_PX * (len(parts) + 1)
    sheet = Image.new("RGB", (max(p.width for p in parts) + 2 * GAP_PX, height), "white")
    y = GAP_PX
    for part in parts:
        sheet.paste(part, (GAP_PX, y))
        y += part.height + GAP_PX
    return sheet


def _encoded(image: Image.Image) -> bytes:
    out = io.BytesIO()
    image.save(out, "PNG", optimize=True)
    return out.getvalue()
