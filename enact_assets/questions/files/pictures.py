"""Pictures of an imported question file: a folder or a zip, linked as ``<name>.pictures``.

A question names its pictures by paths such as ``QA/images/<type>/<task>/<id>_cur_state.png``. They
are looked for below the folder (or in the zip) with their full path, and without its first one or
two parts, so that ``QA``, ``QA/images`` and the folder around them all work. The folder of a
picture is always compared, as it may be the only difference between two tasks. Nothing is unpacked.
"""

import os
import stat
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from enact_assets.demonstrations.recordings.zips import READ_ERRORS, crc_of
from enact_assets.engine.errors import LakeError, QuestionFileError
from enact_assets.engine.lake.lake import check_partition_value
from enact_assets.engine.system.atomic import flush_to_disk, temporary_name
from enact_assets.settings.paths import link_target

LINK_SUFFIX = ".pictures"
MAX_PICTURE_BYTES = 64 * 2**20
"""A picture above this is refused: 64 MiB are 4,000 x 4,000 px without any compression."""
_MAX_LEFT_OUT = 2


class Fingerprint(NamedTuple):
    """What tells pictures apart without decoding them."""

    size: int
    crc: int


@dataclass(frozen=True)
class PictureFolder:
    """Pictures below a folder. Errors: :class:`QuestionFileError` names place and picture."""

    folder: Path

    def find(self, image: str) -> str | None:
        """Its path below the folder; None if it is not there."""
        return next((p for p in _readings(image) if (self.folder / p).is_file()), None)

    def read(self, found: str) -> bytes:
        """The file."""
        path, size = self.folder / found, self.size(found)
        if size > MAX_PICTURE_BYTES:
            raise _too_large(str(path), size)
        try:
            return path.read_bytes()
        except OSError as error:
            raise _unreadable(path, error) from error

    def size(self, found: str) -> int:
        """As its folder says."""
        return self._about(found).st_size

    def fingerprint(self, found: str) -> Fingerprint:
        """Read from the file; once for all of its hard links."""
        about = self._about(found)
        times = about.st_mtime_ns, about.st_ctime_ns
        mark = (about.st_dev, about.st_ino, about.st_size, *times)
        if mark not in _FINGERPRINTS:
            path = self.folder / found
            try:
                _FINGERPRINTS[mark] = Fingerprint(about.st_size, crc_of(path))
            except OSError as error:
                raise _unreadable(path, error) from error
        return _FINGERPRINTS[mark]

    def _about(self, found: str) -> os.stat_result:
        path = self.folder / found
        try:
            return path.stat()
        except OSError as error:
            raise _unreadable(path, error) from error

    def mark(self, images: Iterable[str]) -> list[object]:
        """Size and time of change of each file; null where there is none."""
        return [next(filter(None, map(self._written, _readings(i))), None) for i in images]

    def where(self, found: str) -> str:
        """Path of the file."""
        return str(self.folder / found)

    def _written(self, picture: str) -> tuple[int, int] | None:
        try:
            about = os.stat(f"{self.folder}/{picture}")  # noqa: PTH116 - 60,000 of them in a plan
        except OSError:
            return None
        return (about.st_size, about.st_mtime_ns) if stat.S_ISREG(about.st_mode) else None


@dataclass(frozen=True)
class PictureZip:
    """Pictures in a zip, which stays as it is. Errors: as :class:`PictureFolder`."""

    path: Path

    def find(self, image: str) -> str | None:
        """Its member; None without one. A folder around all members is passed over."""
        opened = self._opened()
        names = [p for reading in _readings(image) for p in (reading, *opened.below(reading))]
        return next((name for name in names if name in opened.members), None)

    def read(self, found: str) -> bytes:
        """The member, unpacked in memory."""
        member = self._opened().members[found]
        if member.file_size > MAX_PICTURE_BYTES:
            raise _too_large(self.where(found), member.file_size)
        try:
            with self._opened().archive.open(member) as file:
                content = file.read(MAX_PICTURE_BYTES + 1)
        except READ_ERRORS as error:
            raise QuestionFileError(f"{self.where(found)}: cannot be read ({error})") from error
        if len(content) > MAX_PICTURE_BYTES:
            raise _too_large(self.where(found), len(content))
        return content

    def size(self, found: str) -> int:
        """As the zip's directory says."""
        return self._opened().members[found].file_size

    def fingerprint(self, found: str) -> Fingerprint:
        """As the zip's directory says; reading compares it."""
        member = self._opened().members[found]
        return Fingerprint(member.file_size, member.CRC)

    def mark(self, images: Iterable[str]) -> list[object]:  # noqa: ARG002
        """Size and time of change of the zip."""
        about = self.path.stat()
        return [about.st_size, about.st_mtime_ns]

    def where(self, found: str) -> str:
        """Zip and member."""
        return f"{self.path}: {found}"

    def _opened(self) -> "_Opened":
        try:
            about = self.path.stat()
            return _open_zip(self.path, about.st_mtime_ns, about.st_ctime_ns, about.st_size)
        except READ_ERRORS as error:
            raise QuestionFileError(f"{self.path}: not a zip that can be read ({error})") from error


Pictures = PictureFolder | PictureZip
"""Pictures in one place."""


@dataclass(frozen=True)
class _Opened:
    archive: zipfile.ZipFile
    members: dict[str, zipfile.ZipInfo]
    tops: tuple[str, ...]
    """Folders that the members are in."""

    def below(self, reading: str) -> Iterator[str]:
        return (f"{top}/{reading}" for top in self.tops)


def pictures_at(place: Path) -> Pictures:
    """The pictures at ``place``, a folder or a zip. Errors: :class:`QuestionFileError`."""
    if place.is_dir():
        return PictureFolder(place)
    if zipfile.is_zipfile(place):
        return PictureZip(place)
    raise QuestionFileError(f"{place}: pictures are expected in a folder or a zip")


def linked_pictures(folder: Path, name: str) -> Pictures | None:
    """Where the pictures of imported file ``name`` in ``folder`` are; None if it came without.

    Errors: :class:`QuestionFileError` if the place cannot be reached.
    """
    link = _link(folder, name)
    if not link.is_symlink():
        return None
    if not link.exists():
        raise QuestionFileError(
            f"{link}: its link target {link.readlink()} cannot be reached. Mount the disk, or "
            "import the question file again with --pictures"
        )
    return pictures_at(link.resolve())


def link_pictures(folder: Path, name: str, place: Path) -> None:
    """Note that the pictures of imported file ``name`` are at ``place``."""
    link = _link(folder, name)
    temporary = temporary_name(link)
    temporary.symlink_to(link_target(folder, place.resolve()))
    temporary.replace(link)
    flush_to_disk(folder)


def _link(folder: Path, name: str) -> Path:
    try:
        return folder / (check_partition_value(name, "question file") + LINK_SUFFIX)
    except LakeError as error:
        raise QuestionFileError(str(error)) from None


def _readings(image: str) -> Iterator[str]:
    """``image`` unchanged, and without its first parts; its folder and its name stay."""
    parts = [part for part in image.replace("\\", "/").split("/") if part not in ("", ".")]
    for k in range(min(_MAX_LEFT_OUT, max(0, len(parts) - 2)) + 1):
        yield "/".join(parts[k:])


@lru_cache(maxsize=4)
def _open_zip(path: Path, *_mark: int) -> _Opened:
    """Kept open: the list of members of a large one takes half a second to read."""
    archive = zipfile.ZipFile(path)
    members = {m.filename: m for m in archive.infolist() if not m.is_dir()}
    tops = sorted({name.partition("/")[0] for name in members if "/" in name})
    return _Opened(archive, members, tuple(tops))


_FINGERPRINTS: dict[tuple[int, ...], Fingerprint] = {}
"""Of files by device, inode, size and times of change."""


def _unreadable(path: Path, error: OSError) -> QuestionFileError:
    return QuestionFileError(f"{path}: cannot be read ({error.strerror})")


def _too_large(where: str, size: int) -> QuestionFileError:
    most = MAX_PICTURE_BYTES // 2**20
    return QuestionFileError(f"{where}: {size} bytes, a picture has at most {most} MiB")
