"""Zips of recordings: lists their content, and unpacks recordings.

The content of a zip is not trusted: names, sizes and checksums are checked, and files get our own
names. Scene graphs stay compressed: their compressed bytes are copied unchanged into a
``.json.gz``.
"""

import os
import shutil
import stat
import struct
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import IO

from enact_assets.demonstrations.recordings.folders import (
    ANNOTATION_FILES,
    CAMERA,
    GRAPH_FILES,
    PICTURE_SUFFIXES,
    VARIANT,
    VIDEO_SUFFIXES,
)
from enact_assets.engine.errors import RecordingError
from enact_assets.engine.progress import OnProgress, Progress, unheard

SUFFIX = ".zip"
MAX_GRAPH_BYTES = 1 << 36
MAX_RATIO, FREE_RATIO_BYTES = 100, 1 << 20
"""Pictures and videos are compressed already; small ones may be plain, and shrink all the same."""
MAX_FILES_PLAIN = 64
_CHUNK = 1 << 20
_GZIP_HEAD = b"\x1f\x8b\x08\0\0\0\0\0\0\xff"
DAMAGE = (
    *(zipfile.BadZipFile, zlib.error, EOFError, struct.error, ValueError),
    RuntimeError,  # an encrypted member, and what zipfile does not implement
)
"""Of a member that is damaged, encrypted, or compressed in an unknown way."""
READ_ERRORS = (OSError, *DAMAGE)
"""Of a zip, or a member, that cannot be read."""
_GZIP_BYTES = len(_GZIP_HEAD) + 8


@dataclass(frozen=True)
class ZippedRecording:
    """The recording in one folder of a zip: its name, and its members by path in that folder.

    Only what a recording needs is listed. ``folder`` is the folder's path in the zip.
    """

    name: str
    folder: str
    members: tuple[tuple[str, zipfile.ZipInfo], ...]

    @property
    def n_bytes(self) -> int:
        """Bytes that it takes when unpacked."""
        return sum(_bytes_of(path, member) for path, member in self.members)


@dataclass
class RecordingZip:
    """What is in the zip ``path``. ``problems`` are folders with half a recording, as messages;
    ``n_unused`` counts files that no recording needs. ``nothing`` says that there is no recording
    and no half of one; None if there is.
    """

    path: Path
    recordings: list[ZippedRecording] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    n_unused: int = 0
    nothing: str | None = None

    def where(self, recording: ZippedRecording) -> str:
        """Name of a recording in messages: zip, and folder in it."""
        return f"{self.path}, {_shown(recording.folder)}"

    def unpack(
        self, recording: ZippedRecording, folder: Path, on_progress: OnProgress = unheard
    ) -> None:
        """Write the files of ``recording`` to ``folder``, which is made.

        Errors: :class:`RecordingError` names zip and member: a link, an encrypted, repeated or
        damaged one, one that grows too much or cannot be written, or too little room on the disk.
        ``OSError`` if ``folder`` cannot be made.
        """
        self._check(recording)
        self.check_room([recording], folder.parent)
        folder.mkdir()
        done, in_all = 0, sum(member.compress_size for _, member in recording.members)
        with self.path.open("rb") as raw, zipfile.ZipFile(self.path) as opened:
            for path, member in recording.members:
                target = folder / path
                try:
                    target.parent.mkdir(exist_ok=True)
                    if _stays_compressed(path, member):
                        with target.with_name(f"{target.name}.gz").open("xb") as written:
                            _copy_deflated(raw, member, written)
                    else:
                        with opened.open(member) as read, target.open("xb") as written:
                            shutil.copyfileobj(read, written, _CHUNK)
                except DAMAGE as error:
                    raise self._error(
                        member, f"is damaged ({error!s:.100}). Copy the zip again."
                    ) from error
                except OSError as error:
                    raise self._error(member, f"cannot be unpacked ({error.strerror}).") from error
                done += member.compress_size
                on_progress(Progress(done, in_all, "bytes"))

    def is_unpacked(self, recording: ZippedRecording, folder: Path) -> bool:
        """Whether ``folder`` is what :meth:`unpack` made of ``recording``, by sizes and checksums.

        Compressed graphs end with the checksum; everything else is read.
        """
        return not folder.is_symlink() and all(
            _is_unpacked(folder, path, member) for path, member in recording.members
        )

    def check_room(self, recordings: Sequence[ZippedRecording], folder: Path) -> None:
        """Raise :class:`RecordingError` if the disk of ``folder`` has no room for them."""
        needed, free = sum(r.n_bytes for r in recordings), shutil.disk_usage(folder).free
        if needed > free:
            raise RecordingError(
                f"{self.path}: its {len(recordings)} recordings take {needed:,} bytes unpacked, "
                f"but {folder} has {free:,} free. Free some space on its disk and run again."
            )

    def _check(self, recording: ZippedRecording) -> None:
        members = [member for _, member in recording.members]
        # By where they land: a name may be written in several ways, such as a/./b.
        [(most, n_times)] = Counter(path for path, _ in recording.members).most_common(1)
        if n_times > 1:
            *others, last = [m for path, m in recording.members if path == most]
            also = {
                f", also as {_shown(m.filename)}" for m in others if m.filename != last.filename
            }
            raise self._error(
                last, f"is in it {n_times} times{min(also, default='')}. Repair the zip."
            )
        for member in members:
            kind = stat.S_IFMT(member.external_attr >> 16)
            if kind not in (0, stat.S_IFREG):
                raise self._error(member, "is a link or a device, not a file.")
            if member.flag_bits & 1:
                raise self._error(member, "is encrypted. Unpack the zip and import the folder.")
            if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise self._error(
                    member,
                    f"is compressed by method {member.compress_type}; only deflate is read. "
                    "Unpack the zip and import the folder.",
                )
            is_graph = PurePosixPath(member.filename).name in GRAPH_FILES
            most_bytes = MAX_GRAPH_BYTES if is_graph else MAX_RATIO * member.compress_size
            if member.file_size > max(most_bytes, FREE_RATIO_BYTES):
                raise self._error(
                    member,
                    f"would grow from {member.compress_size:,} to {member.file_size:,} bytes, "
                    "which no recording does. Nothing of it was unpacked.",
                )
        packed = sum(member.compress_size for member in members)
        if recording.n_bytes > max(MAX_RATIO * packed, MAX_FILES_PLAIN * FREE_RATIO_BYTES):
            raise RecordingError(
                f"{self.where(recording)}: would grow from {packed:,} to {recording.n_bytes:,} "
                "bytes, which no recording does. Nothing of it was unpacked."
            )

    def _error(self, member: zipfile.ZipInfo, message: str) -> RecordingError:
        return RecordingError(f"{self.path}, {_shown(member.filename)}: {message}")


def read_zip(path: Path) -> RecordingZip:
    """What is in the zip ``path``, by its table of contents; no member is read.

    Errors: :class:`RecordingError` if it is no zip, was cut off, or has names that lead out of a
    folder or members that overlap: then nothing in it is used.
    """
    try:
        with zipfile.ZipFile(path) as opened:
            listed = opened.infolist()
    except READ_ERRORS as error:
        raise RecordingError(f"{path}: is no whole zip ({error!s:.100}). Copy it again.") from error
    leading_out = [m.filename for m in listed if _leads_out(m.filename)]
    if any("\\" in m.filename for m in listed):
        raise RecordingError(
            f"{path}: names of its members have backslashes, as Windows PowerShell 5 writes them, "
            "so what is a folder is not known. Make the zip with Explorer (Send to, Compressed "
            "folder), 7-Zip or a newer PowerShell. Nothing of the zip was used."
        )
    if leading_out:
        raise RecordingError(
            f"{path}, {leading_out[0]!r:.200}: leads out of the folder that it would be unpacked "
            f"to ({len(leading_out)} of {len(listed)} members do). Nothing of the zip was used."
        )
    if sum(m.compress_size for m in listed) > path.stat().st_size:
        raise RecordingError(
            f"{path}: its members take more bytes than the zip has, so they overlap. Nothing of "
            "the zip was used."
        )
    return _contents(path, [m for m in listed if not _is_clutter(m)])


def _contents(path: Path, files: Iterable[zipfile.ZipInfo]) -> RecordingZip:
    by_folder: dict[str, list[tuple[str, zipfile.ZipInfo]]] = {}
    n_files = n_raw = 0
    for member in files:
        n_files += 1
        n_raw += member.filename.endswith((".hdf5", ".h5"))
        folder, inside = _place_of(member.filename)
        if inside is not None:
            by_folder.setdefault(folder, []).append((inside, member))
    found = RecordingZip(path)
    taken: dict[str, str] = {}
    for folder, members in sorted(by_folder.items()):
        names = {inside for inside, _ in members}
        main = next((name for name in _names() if name in names), None)
        name = PurePosixPath(folder).name or path.stem
        if main is None:
            found.problems.append(
                f"{path}, {_shown(folder)}: pictures ({_shown(min(names))}), but no "
                f"{' or '.join(GRAPH_FILES[::2])} beside them."
            )
        elif name in taken:
            found.problems.append(
                f"{path}, {_shown(folder)}: {_shown(taken[name])} has the same name. Only that one "
                "is used."
            )
        else:
            taken[name] = folder
            # Of several files with facts, the first would be used.
            used = [(i, m) for i, m in members if i == main or i not in _names()]
            found.recordings.append(ZippedRecording(name, folder, tuple(used)))
    found.n_unused = n_files - sum(len(r.members) for r in found.recordings)
    if not by_folder:
        raw = f" It has {n_raw} .hdf5 files: unpack it and import those." if n_raw else ""
        found.nothing = f"{path}: none of its {n_files} files is a {_names()[0]}.{raw}"
    return found


def _names() -> tuple[str, ...]:
    """Names of files with facts or annotations, in order of preference."""
    return (*GRAPH_FILES, *ANNOTATION_FILES)


def _place_of(name: str) -> tuple[str, str | None]:
    """Folder of the recording that a member belongs to, and its path there; None if to none."""
    *folder, last = PurePosixPath(name).parts
    if last in _names():
        return "/".join(folder), last
    if last.lower().endswith(VIDEO_SUFFIXES) and _is_camera(PurePosixPath(last).stem):
        return "/".join(folder), last
    if last.lower().endswith(PICTURE_SUFFIXES) and folder and _is_camera(folder[-1]):
        return "/".join(folder[:-1]), f"{folder[-1]}/{last}"
    return "", None


def _is_camera(name: str) -> bool:
    return name == CAMERA or name.startswith(VARIANT)


def _shown(name: str) -> str:
    """A path in a zip as a message can show it: it may be any text, or none for the top folder."""
    shown = name if name.isprintable() else ascii(name)
    return f"{shown:.200}" or "top folder"


def _leads_out(name: str) -> bool:
    path = PurePosixPath(name)
    return path.is_absolute() or ".." in path.parts or "\\" in name or name[1:2] == ":"


def _is_clutter(member: zipfile.ZipInfo) -> bool:
    """Folders, and what file managers add."""
    path = PurePosixPath(member.filename)
    is_folder = member.filename.endswith("/") or not path.name
    return is_folder or "__MACOSX" in path.parts or path.name.startswith(".")


def _stays_compressed(path: str, member: zipfile.ZipInfo) -> bool:
    is_plain = path in GRAPH_FILES and not path.endswith(".gz")
    return is_plain and member.compress_type == zipfile.ZIP_DEFLATED


def _bytes_of(path: str, member: zipfile.ZipInfo) -> int:
    return member.compress_size if _stays_compressed(path, member) else member.file_size


def _is_unpacked(folder: Path, path: str, member: zipfile.ZipInfo) -> bool:
    try:
        if _stays_compressed(path, member):
            file = folder / f"{path}.gz"
            if file.stat().st_size != member.compress_size + _GZIP_BYTES:
                return False
            with file.open("rb") as read:
                read.seek(-8, os.SEEK_END)
                return read.read() == _gzip_tail(member.CRC, member.file_size)
        file = folder / path
        return file.stat().st_size == member.file_size and crc_of(file) == member.CRC
    except OSError:
        return False


def crc_of(file: Path) -> int:
    """CRC-32 of a file, as zips have it. Errors: ``OSError``."""
    crc = 0
    with file.open("rb") as read:
        while part := read.read(_CHUNK):
            crc = zlib.crc32(part, crc)
    return crc


def _gzip_tail(crc: int, size: int) -> bytes:
    return struct.pack("<II", crc, size % (1 << 32))


def _copy_deflated(raw: IO[bytes], member: zipfile.ZipInfo, written: IO[bytes]) -> None:
    """Copy what a zip holds of ``member`` into a gzip file; it is unpacked to check it only."""
    raw.seek(member.header_offset)
    head = raw.read(30)
    if head[:4] != b"PK\3\4":
        raise zipfile.BadZipFile("it is not where the table of contents says")
    raw.seek(sum(struct.unpack("<HH", head[26:30])), os.SEEK_CUR)
    inflate = zlib.decompressobj(-zlib.MAX_WBITS)
    crc, size, left = 0, 0, member.compress_size
    written.write(_GZIP_HEAD)
    while left:
        packed = raw.read(min(left, _CHUNK))
        if not packed:
            raise EOFError("it was cut off")
        left -= len(packed)
        written.write(packed)
        while packed:
            part = inflate.decompress(packed, _CHUNK)
            crc, size = zlib.crc32(part, crc), size + len(part)
            if size > member.file_size:
                raise zipfile.BadZipFile("it is longer than the table of contents says")
            packed = inflate.unconsumed_tail
    rest = inflate.flush()
    crc, size = zlib.crc32(rest, crc), size + len(rest)
    if not inflate.eof or inflate.unused_data or (crc, size) != (member.CRC, member.file_size):
        raise zipfile.BadZipFile("its checksum is wrong")
    written.write(_gzip_tail(crc, size))
