"""Pictures beside official files: copies of key frames, and copies that carry a question's labels.

A labelled picture is drawn once per key frame and label and linked wherever a question shows it:
the public release encodes it again for every question (facts of its look: release 13).
"""

import io
import os
import shutil
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont, UnidentifiedImageError

from enact_assets.contracts.errors import OutputError, RenderError
from enact_assets.storage.atomic import replacing, temporary_name

PLACE_PX = (15, 15)
INK = (255, 20, 20)
RIM = (255, 255, 255)
RIM_PX = 3
MIN_FONT_PX = 40
FONT_SHARE = 10
"""The font is a tenth of the picture's height, but at least ``MIN_FONT_PX``."""


def label_picture(png: bytes, label: str, where: str) -> bytes:
    """A PNG file with ``label`` in its upper left corner.

    Errors: :class:`RenderError` with ``where`` if the bytes are no picture.
    """
    try:
        with Image.open(io.BytesIO(png)) as opened:
            image = opened.convert("RGB")
    except (UnidentifiedImageError, OSError, SyntaxError, ValueError) as error:
        raise RenderError(f"{where}: does not decode as a picture ({error})") from error
    font = ImageFont.load_default(max(MIN_FONT_PX, image.height // FONT_SHARE))
    ImageDraw.Draw(image).text(
        PLACE_PX, label, fill=INK, font=font, stroke_width=RIM_PX, stroke_fill=RIM
    )
    out = io.BytesIO()
    image.save(out, "PNG")
    return out.getvalue()


def write_picture(path: Path, png: bytes) -> None:
    """Write a picture whole or not at all. Errors: :class:`OutputError`."""
    try:
        if path.is_file() and path.read_bytes() == png:
            return
        with replacing(path) as temporary:
            temporary.write_bytes(png)
    except OSError as error:
        raise OutputError(f"{path}: cannot be written ({error.strerror})") from error


def link_picture(source: Path, path: Path) -> None:
    """Make ``path`` the same file as ``source``; a copy where links are not possible.

    Errors: :class:`OutputError`.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = temporary_name(path)
        try:
            os.link(source, temporary)
        except OSError:
            shutil.copyfile(source, temporary)
        temporary.replace(path)
    except OSError as error:
        raise OutputError(f"{path}: cannot be written ({error.strerror})") from error
