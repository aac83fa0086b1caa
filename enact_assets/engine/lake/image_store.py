"""Stores pictures, each once under the hash of its content, and the results of renders."""

import re
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt

from enact_assets.engine.errors import (
    DamagedFile,
    DamagedFileError,
    LakeError,
    MissingPartitionError,
    UnreadableFileError,
)
from enact_assets.engine.given_pictures import decode_png
from enact_assets.engine.ids import sha256_bytes
from enact_assets.engine.lake.file_errors import VERIFY
from enact_assets.engine.lake.file_metadata import Heads, heads
from enact_assets.engine.lake.set_aside import name_before, set_aside
from enact_assets.engine.system.local_places import LocalPlace
from enact_assets.engine.system.place_urls import open_place
from enact_assets.engine.system.places import Entry, Place

RENDERS_FOLDER = "renders"
SUFFIX = ".png"
_PICTURE = re.compile(r"[0-9a-f]{64}\.png")
_SHA = re.compile(r"[0-9a-f]{64}")
TOUCHED_AFTER_NS = 3600 * 10**9
"""A stored picture of at least this age gets a new time of change when it is stored again. The age
from which `gc` removes pictures is much greater.
"""


class ImageStore:
    """PNG files under ``root`` (``DataRoot.images``): ``<first two hex digits>/<sha>.png``.

    ``root`` is a folder or an fsspec URL.

    The render cache beside them, ``renders/<two hex digits>/<render sha>``, maps each render to its
    picture, so that the same render is never made twice.
    """

    def __init__(self, root: Path | str) -> None:
        self.place: Place = open_place(root)

    @property
    def root(self) -> Path:
        """The folder. Errors: :class:`LakeError` if the pictures are elsewhere."""
        if isinstance(self.place, LocalPlace):
            return self.place.root
        raise LakeError(f"{self.place.address}: pictures must be in a folder here, not at a URL")

    def path(self, sha: str) -> Path:
        """Path of a picture.

        Errors: :class:`LakeError` if ``sha`` is not a SHA-256, or pictures are stored at a URL.
        """
        return self.root / picture_name(sha)

    def put(self, png: bytes) -> str:
        """Store a PNG file and return its SHA-256; an existing one is kept.

        Errors: :class:`DamagedFileError` if the bytes do not decode as an 8-bit PNG;
        :class:`OutputError` if the picture cannot be written.
        """
        decode_png(png, "picture to be stored")
        sha = sha256_bytes(png)
        if not (self._is_intact(sha) and self._keep(sha)):
            with self.place.publishing(picture_name(sha)) as file:
                file.write(png)
        return sha

    def exists(self, sha: str) -> bool:
        """Whether a picture's file exists (:meth:`read` checks whether it is intact)."""
        return self.place.entry(picture_name(sha)) is not None

    def read_png(self, sha: str) -> bytes:
        """The PNG file of one picture. Errors: as :meth:`read`."""
        name = picture_name(sha)
        where = self.place.where(name)
        try:
            return checked_png(self.place.read(name), sha, where)
        except OSError as error:
            raise not_read(error, where) from error

    def set_aside(self, sha: str) -> str | None:
        """Rename the file of a picture if it is damaged, so that the picture is made again.

        The file is read once more. Returns the new path or URL of the damaged file; None if it is
        not damaged.
        Errors: :class:`LakeError` if the file is damaged and cannot be renamed.
        """
        entry = self.place.entry(picture_name(sha))
        try:
            self.read_png(sha)
        except DamagedFileError:
            return None if entry is None else set_aside(self.place, entry)
        except (MissingPartitionError, UnreadableFileError):
            return None
        return None

    def files_aside(self) -> Iterator[Entry]:
        """Damaged pictures that were set aside."""
        for entry in self.place.files(""):
            before = name_before(entry.name)
            if before is not None and _sha_of(before) is not None:
                yield entry

    def read(self, sha: str) -> npt.NDArray[np.uint8]:
        """One picture as uint8 (height, width, 3), red, green, blue; transparent pixels become
        white.

        Errors: :class:`MissingPartitionError` if it is not stored; :class:`DamagedFileError` if the
        file's content does not match its name; :class:`UnreadableFileError` if the system refuses
        to read it.
        """
        png = self.read_png(sha)
        where = self.place.where(picture_name(sha))
        return np.array(decode_png(png, where), dtype=np.uint8)

    def find(self, render_sha: str) -> str | None:
        """The picture that a render produced; None if unknown, or if the picture is gone or
        damaged.
        """
        try:
            image_sha = self.place.read(_render_name(render_sha)).decode("ascii").strip()
        except (OSError, UnicodeDecodeError):
            return None
        if not _SHA.fullmatch(image_sha) or not self._is_intact(image_sha):
            return None
        return image_sha if self._keep(image_sha) else None

    def remembers(self, render_sha: str) -> bool:
        """Whether a render was noted, even if its picture no longer exists (:meth:`find`)."""
        return self.place.entry(_render_name(render_sha)) is not None

    def remember(self, render_sha: str, image_sha: str) -> None:
        """Note that the render produced the stored picture ``image_sha``.

        Errors: :class:`MissingPartitionError` if that picture is not stored;
        :class:`OutputError` if the note cannot be written.
        """
        if not self.exists(image_sha):
            raise MissingPartitionError(
                f"{self.place.where(picture_name(image_sha))}: store the picture before its "
                "render is recorded"
            )
        with self.place.publishing(_render_name(render_sha)) as file:
            file.write(f"{image_sha}\n".encode("ascii"))

    def entries(self) -> Iterator[tuple[str, Entry]]:
        """SHA-256 and file of every stored picture, sorted."""
        for entry in self.place.files(""):
            sha = _sha_of(entry.name)
            if sha is not None:
                yield sha, entry

    def renders(self) -> Iterator[tuple[str, str | None, Entry]]:
        """Render and picture of every noted render; None if the note names no picture."""
        found = [(e.name.rpartition("/")[2], e) for e in self.place.files(RENDERS_FOLDER)]
        ours = [(s, e) for s, e in found if _SHA.fullmatch(s) and e.name == _render_name(s)]
        notes = self.place.tails([entry for _, entry in ours], 128)
        for (render_sha, entry), note in zip(ours, notes, strict=True):
            text = b"" if isinstance(note, OSError) else note.strip()
            image_sha = text.decode("ascii", errors="replace")
            yield render_sha, image_sha if _SHA.fullmatch(image_sha) else None, entry

    def foreign_files(self) -> list[str]:
        """Paths or URLs of files that are neither pictures nor renders, without temporary files and
        files that were set aside.
        """
        names = [entry.name for entry in self.place.files("")]
        ours = (_sha_of(name_before(n) or n) is not None or _is_render(n) for n in names)
        return [self.place.where(n) for n, is_ours in zip(names, ours, strict=True) if not is_ours]

    def _keep(self, sha: str) -> bool:
        """Give an old picture a new time of change, so that `gc` keeps it. False if it was just
        removed.

        No partition names it yet, so `gc` might remove it before the caller's partition is written.
        """
        name = picture_name(sha)
        entry = self.place.entry(name)
        if entry is None:
            return False
        if time.time_ns() - entry.mtime_ns < TOUCHED_AFTER_NS:
            return True
        try:
            self.place.touch(name)
        except FileNotFoundError:
            return False
        except OSError:
            return True  # without the right to write it, it cannot be removed either
        # It may have been set aside between finding it and touching it.
        return self.exists(sha)

    def stored_heads(self) -> Heads:
        """First 64 bits of the hash of every stored picture, ascending."""
        if not isinstance(self.place, LocalPlace):  # one listing, in pages, instead of hundreds
            return heads([sha for sha, _ in self.entries()])
        named: list[str] = []
        for folder in (f"{byte:02x}" for byte in range(256)):
            names = self.place.names(folder)
            named += [name for name in names if _PICTURE.fullmatch(name)]
        return heads(named)

    def _is_intact(self, sha: str) -> bool:
        try:
            return sha256_bytes(self.place.read(picture_name(sha))) == sha
        except OSError:
            return False


def checked_png(png: bytes, sha: str, where: str) -> bytes:
    """``png`` if it hashes to ``sha``. Errors: :class:`DamagedFileError` with the path ``where`` if
    not.
    """
    found = sha256_bytes(png)
    if found != sha:
        reason = f"{where}: truncated or changed: its content hashes to {found}."
        raise DamagedFileError(f"{reason} {VERIFY}", (DamagedFile(reason, picture=sha),))
    return png


def not_read(error: OSError, where: str) -> LakeError:
    """Error for a picture that could not be read: it is not stored, or the system refuses to read
    it.
    """
    if isinstance(error, FileNotFoundError):
        return MissingPartitionError(
            f"{where}: this picture is not stored. Materialize the frame_images partition that "
            "names it again."
        )
    return UnreadableFileError(
        f"{where}: cannot be read ({error.strerror or error}). Let this user read the file and run "
        "again."
    )


def picture_name(sha: str) -> str:
    """Name of a picture below the root. Errors: :class:`LakeError` if ``sha`` is not a SHA-256."""
    return f"{_checked_sha(sha)[:2]}/{sha}{SUFFIX}"


def _sha_of(name: str) -> str | None:
    """Inverse of :func:`picture_name`; None for any other name."""
    sha = name[3 : -len(SUFFIX)]
    if not _SHA.fullmatch(sha) or name != f"{sha[:2]}/{sha}{SUFFIX}":
        return None
    return sha


def _render_name(render_sha: str) -> str:
    return f"{RENDERS_FOLDER}/{_checked_sha(render_sha)[:2]}/{render_sha}"


def _is_render(name: str) -> bool:
    sha = name.rpartition("/")[2]
    return bool(_SHA.fullmatch(sha)) and name == _render_name(sha)


def _checked_sha(sha: str) -> str:
    if not _SHA.fullmatch(sha):
        raise LakeError(f"not a SHA-256 in lower-case hex: {sha!r}")
    return sha
