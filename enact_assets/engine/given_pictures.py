"""Reads pictures that people give: by their content, not by their file name.

PNG, JPEG and WebP are read. Transparent pixels become white, and the camera's orientation (EXIF) is
applied once and dropped. Pictures with more than 8 bits per channel and files with several pictures
are refused; of an animated PNG the default image is read. An 8-bit PNG without transparency and
orientation stays as it is, byte for byte; all other pictures become 8-bit RGB PNGs.
"""

import io
import struct
import warnings
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, NamedTuple

from PIL import Image, ImageOps
from PIL.ImageFile import ImageFile
from PIL.JpegImagePlugin import JpegImageFile
from PIL.PngImagePlugin import PngImageFile
from PIL.WebPImagePlugin import WebPImageFile

from enact_assets.engine.errors import DamagedFileError
from enact_assets.engine.given_files import read_given

MAX_PIXELS = 1 << 26
"""A larger picture (more than 200 MB when decoded) is refused as an attempt to fill the memory."""
MODES = ("1", "L", "LA", "P", "RGB", "RGBA")
"""Pillow's modes of an 8-bit PNG; pictures of other modes would be clipped."""
TINY_PX = 32
"""A picture with a shorter edge shows almost nothing."""
_ORIENTATION = 0x0112
_UPRIGHT, _LYING = 1, range(5, 9)
_NOTES = (b"eXIf", b"iTXt", b"tEXt", b"zTXt")
"""Chunks of a PNG that can hold the camera's orientation."""
_DEPTH_AT = 24
"""Offset of the bits per channel in a PNG file."""
_DECODE_ERRORS = (
    *(OSError, SyntaxError, ValueError, TypeError, LookupError, EOFError, OverflowError),
    *(AttributeError, struct.error, zlib.error),
)
"""Errors by which Pillow reports a file that breaks its format."""


class GivenPicture(NamedTuple):
    """A picture as it is shown: an 8-bit PNG file, and how it was converted."""

    png: bytes
    width_px: int
    height_px: int
    kind: str
    """Format of the given file: PNG, JPEG or WebP."""
    is_turned: bool
    is_on_white: bool

    @property
    def is_tiny(self) -> bool:
        """Whether it is too small to show much."""
        return min(self.width_px, self.height_px) < TINY_PX


def read_picture_file(path: Path) -> GivenPicture:
    """:func:`given_picture` of a file. Errors: the same, also for a file that cannot be read."""
    return given_picture(_content_of(path), str(path))


def given_picture(content: bytes, where: str) -> GivenPicture:
    """The picture in a given file.

    Errors: :class:`DamagedFileError` with ``where`` if the bytes do not decode as PNG, JPEG or
    WebP, have more than 8 bits per channel, several pictures or more than ``MAX_PIXELS``.
    """
    kind = _kind(content)
    # Decoding overlooks faults after the last pixel, such as a truncated end.
    _verify(content, kind, where)
    with _opened(content, kind, where) as image:
        is_turned = _orientation(image) != _UPRIGHT
        upright = ImageOps.exif_transpose(image) if is_turned else image
        is_on_white = _is_transparent(upright)
        png = content
        if kind != "PNG" or is_turned or is_on_white:
            png = encoded_png(on_white(upright))
        return GivenPicture(png, *upright.size, kind, is_turned, is_on_white)


def decode_png(png: bytes, where: str) -> Image.Image:
    """The picture in a PNG file, as RGB; transparent pixels become white.

    Errors: :class:`DamagedFileError` with ``where`` if the bytes do not decode as an 8-bit PNG of
    at most ``MAX_PIXELS``.
    """
    with _opened(png, "PNG", where) as image:
        return on_white(image)


def undecoded_size(path: Path) -> tuple[int, int]:
    """Width and height in px of a picture, turned upright. Checksums of a PNG are checked; no pixel
    is decoded.

    Errors: :class:`DamagedFileError` as of :func:`read_picture_file`.
    """
    content, where = _content_of(path), str(path)
    kind = _kind(content)
    _verify(content, kind, where)
    is_decoded = kind == "PNG" and _has_notes_behind(content)
    with _opened(content, kind, where, is_decoded=is_decoded) as image:
        width, height = image.size
        return (height, width) if _orientation(image) in _LYING else (width, height)


def _verify(content: bytes, kind: str, where: str) -> None:
    with _opened(content, kind, where, is_decoded=False) as image:
        if kind == "PNG":
            image.verify()


def _has_notes_behind(png: bytes) -> bool:
    """Whether a sound PNG says something behind its pixels, which only decoding reads."""
    end = png.find(b"IDAT")  # the first may be none, which costs decoding
    return any(png.find(chunk, end) >= 0 for chunk in _NOTES)


def _content_of(path: Path) -> bytes:
    try:
        return read_given(path)
    except OSError as error:
        raise DamagedFileError(f"{path}: cannot be read ({error.strerror})") from error


def on_white(image: Image.Image) -> Image.Image:
    """``image`` as RGB, as it looks on white."""
    if not _is_transparent(image):
        # By way of RGBA, as Pillow warns about a palette with transparency.
        return (image.convert("RGBA") if image.mode == "P" else image).convert("RGB")
    with_alpha = image.convert("RGBA")
    white = Image.new("RGBA", image.size, "white")
    return Image.alpha_composite(white, with_alpha).convert("RGB")


def encoded_png(image: Image.Image) -> bytes:
    """A PNG file with the pixels of ``image`` and no notes."""
    out = io.BytesIO()
    # A new image, as one opened from a file may carry the file's notes with it.
    Image.frombytes(image.mode, image.size, image.tobytes()).save(out, "PNG")
    return out.getvalue()


def _is_transparent(image: Image.Image) -> bool:
    if not image.has_transparency_data:
        return False
    lowest, _ = image.convert("RGBA").getchannel("A").getextrema()
    return bool(lowest != 255)


def _orientation(image: Image.Image) -> int:
    """The camera's orientation, 1 to 8. Nothing is decoded; an orientation not read yet counts as
    upright.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found: object = Image.Image.getexif(image).get(_ORIENTATION)
    return found if isinstance(found, int) and found in range(2, 9) else _UPRIGHT


def _scale_transparent(image: Image.Image, depth: int) -> None:
    """Pillow scales grey of 2 and 4 bits to 8 bits, but not the transparent grey: scale it, too."""
    grey = image.info.get("transparency")
    if depth in (2, 4) and image.mode == "L" and isinstance(grey, int):
        image.info["transparency"] = grey * (255 // (2**depth - 1))


def _kind(content: bytes) -> str:
    if content.startswith(b"\xff\xd8\xff"):
        return "JPEG"
    return "WebP" if content[:4] == b"RIFF" and content[8:12] == b"WEBP" else "PNG"


@contextmanager
def _opened(
    content: bytes, kind: str, where: str, *, is_decoded: bool = True
) -> Iterator[Image.Image]:
    readers: dict[str, Callable[[BinaryIO], ImageFile]] = {
        "PNG": PngImageFile,
        "JPEG": JpegImageFile,
        "WebP": WebPImageFile,
    }
    try:
        with warnings.catch_warnings():
            # Pillow warns about a damaged EXIF note, which is then ignored.
            warnings.simplefilter("ignore")
            # Image.open is not used: it only warns where a picture is somewhat too large.
            found = readers[kind](io.BytesIO(content))
        with found as image:
            width, height = image.size
            if not 0 < width * height <= MAX_PIXELS:
                raise DamagedFileError(
                    f"{where}: a {kind} of {width} x {height} pixels, expected 1 to {MAX_PIXELS}"
                )
            n_frames = 1 if kind == "PNG" else getattr(image, "n_frames", 1)
            if n_frames > 1:
                raise DamagedFileError(
                    f"{where}: has {n_frames} pictures, expected one. Export the intended one."
                )
            if is_decoded:
                image.load()
                if image.mode == "P" and image.palette is None:
                    raise ValueError("it has no palette for its colours")
                if kind == "PNG":
                    _scale_transparent(image, content[_DEPTH_AT])
            is_deep = kind == "PNG" and content[_DEPTH_AT : _DEPTH_AT + 1] == b"\x10"
            if is_deep or (kind == "PNG" and image.mode not in MODES):
                raise DamagedFileError(
                    f"{where}: PNG of mode {image.mode} with more than 8 bits per channel. Copying "
                    "it again does not help: convert it to 8 bits, for example `magick IN.png "
                    "-depth 8 OUT.png`."
                )
            yield image
    except _DECODE_ERRORS as error:
        reason = str(error) or type(error).__name__
        read = "" if kind != "PNG" or content.startswith(b"\x89PNG") else ", JPEG or WebP"
        raise DamagedFileError(
            f"{where}: does not decode as {kind}{read} ({reason:.200})"
        ) from error
