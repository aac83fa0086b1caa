"""Pictures, stored once each under the hash of their content, and what each render came out as."""

import io
import re
import struct
import zlib
from pathlib import Path

import numpy as np
import numpy.typing as npt
from PIL import Image
from PIL.PngImagePlugin import PngImageFile

from enact_assets.contracts.errors import DamagedFileError, LakeError, MissingPartitionError
from enact_assets.contracts.ids import sha256_bytes
from enact_assets.storage.atomic import replacing

RENDERS_FOLDER = "renders"
_SHA = re.compile(r"[0-9a-f]{64}")
_MODES = ("1", "L", "LA", "P", "RGB", "RGBA")
"""Pillow's modes with at most 8 bits per channel: deeper pictures would be clipped."""
MAX_PIXELS = 1 << 26
"""A picture of more, at 200 MB decoded, is taken to be made to fill the memory."""
_DECODE_ERRORS = (
    *(OSError, SyntaxError, ValueError, TypeError, LookupError, EOFError, OverflowError),
    *(AttributeError, struct.error, zlib.error),
)
"""How Pillow reports bytes that break the format: a damaged chunk may be any of these."""


class ImageStore:
    """PNG files under ``root`` (``DataRoot.images``): ``<first two hex digits>/<sha>.png``.

    The render cache beside them, ``renders/<two hex digits>/<render sha>``, remembers which picture
    came out of a render, so that the same render is never paid for twice.
    """

    def __init__(self, root: Path) -> None:
        self.root = Path(root)

    def path(self, sha: str) -> Path:
        """Where a picture stands. Errors: :class:`LakeError` if ``sha`` is not a SHA-256."""
        return self.root / _checked_sha(sha)[:2] / f"{sha}.png"

    def put(self, png: bytes) -> str:
        """Store a PNG file and return its SHA-256; one that is there already is kept.

        Errors: :class:`DamagedFileError` if the bytes do not decode as an 8-bit PNG.
        """
        decode_png(png, "picture to be stored")
        sha = sha256_bytes(png)
        if not self._is_intact(sha):
            with replacing(self.path(sha)) as temporary:
                temporary.write_bytes(png)
        return sha

    def exists(self, sha: str) -> bool:
        """Whether a picture's file is there (:meth:`read` tells whether it is intact)."""
        return self.path(sha).is_file()

    def read(self, sha: str) -> npt.NDArray[np.uint8]:
        """One picture as uint8 (height, width, 3), red, green, blue; transparency is dropped.

        Errors: :class:`MissingPartitionError` if it is not stored; :class:`DamagedFileError` if
        the file's content is not what its name says.
        """
        path = self.path(sha)
        advice = "Materialize the frame_images partition that names it again."
        try:
            png = path.read_bytes()
        except FileNotFoundError:
            raise MissingPartitionError(f"{path}: no such picture is stored. {advice}") from None
        except OSError as error:
            raise DamagedFileError(f"{path}: cannot be read ({error.strerror}).") from error
        found = sha256_bytes(png)
        if found != sha:
            raise DamagedFileError(
                f"{path}: truncated or changed, its content hashes to {found}. "
                f"Delete the file. {advice}"
            )
        return np.array(decode_png(png, str(path)), dtype=np.uint8)

    def find(self, render_sha: str) -> str | None:
        """The picture that the render came out as; None if unknown, or if it is gone or damaged."""
        try:
            image_sha = self._render_path(render_sha).read_text("ascii").strip()
        except (OSError, UnicodeDecodeError):
            return None
        if not _SHA.fullmatch(image_sha) or not self._is_intact(image_sha):
            return None
        return image_sha

    def remember(self, render_sha: str, image_sha: str) -> None:
        """Note that the render came out as the stored picture ``image_sha``.

        Errors: :class:`MissingPartitionError` if that picture is not stored.
        """
        if not self.exists(image_sha):
            raise MissingPartitionError(
                f"{self.path(image_sha)}: a render is remembered only after its picture is stored"
            )
        with replacing(self._render_path(render_sha)) as temporary:
            temporary.write_text(image_sha + "\n", "ascii")

    def _render_path(self, render_sha: str) -> Path:
        return self.root / RENDERS_FOLDER / _checked_sha(render_sha)[:2] / render_sha

    def _is_intact(self, sha: str) -> bool:
        try:
            return sha256_bytes(self.path(sha).read_bytes()) == sha
        except OSError:
            return False


def _checked_sha(sha: str) -> str:
    if not _SHA.fullmatch(sha):
        raise LakeError(f"not a SHA-256 in lower-case hex: {sha!r}")
    return sha


def decode_png(png: bytes, where: str) -> Image.Image:
    """The picture in a PNG file, as RGB.

    Errors: :class:`DamagedFileError` with ``where`` if the bytes do not decode as an 8-bit PNG of
    at most ``MAX_PIXELS``.
    """
    try:
        # Not Image.open, which only warns of the smaller ones among the absurdly large.
        with PngImageFile(io.BytesIO(png)) as image:
            width, height = image.size
            if not 0 < width * height <= MAX_PIXELS:
                raise DamagedFileError(
                    f"{where}: a PNG of {width} x {height} pixels, expected 1 to {MAX_PIXELS}"
                )
            image.load()
            if image.mode not in _MODES:
                raise DamagedFileError(f"{where}: PNG of mode {image.mode}, expected {_MODES}")
            # By way of RGBA: of a palette with transparency Pillow warns otherwise.
            return (image.convert("RGBA") if image.mode == "P" else image).convert("RGB")
    except _DECODE_ERRORS as error:
        reason = str(error) or type(error).__name__
        raise DamagedFileError(f"{where}: does not decode as PNG ({reason:.200})") from error
