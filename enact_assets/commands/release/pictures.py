"""Pictures beside official files: copies of key frames, and copies with a question's labels.

A labelled picture is drawn once per key frame and label and linked wherever a question shows it:
the public release encodes it again for every question (its look: definitions.md R13). The file
names what it was drawn from and has a checksum, so that a second run finds it, or finds that a
power failure left half of it. So none waits for the disk as it is written. All of them are flushed
at the end, each file once however many names it has: the question file comes after its pictures.
"""

import importlib.util
import io
import os
import shutil
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path, PurePosixPath

import PIL
from PIL import Image, ImageDraw, ImageFont
from PIL.PngImagePlugin import PngInfo

from enact_assets.commands.release.layout import output_file
from enact_assets.demonstrations.pictures.sheets import state_labels
from enact_assets.engine.errors import DamagedFileError, OutputError, RenderError
from enact_assets.engine.given_pictures import decode_png
from enact_assets.engine.ids import content_sha, sha256_bytes
from enact_assets.engine.progress import OnProgress, Progress, unheard
from enact_assets.engine.system.atomic import (
    flush_to_disk,
    make_folder,
    replacing,
    sweep_leftovers,
    temporary_name,
)
from enact_assets.questions.asked.official import OfficialQuestion

PLACE_PX = (15, 15)
INK = (255, 20, 20)
RIM = (255, 255, 255)
RIM_PX = 3
MIN_FONT_PX = 40
FONT_SHARE = 10
"""The font is a tenth of the picture's height, but at least ``MIN_FONT_PX``."""
MAX_FONT_PX = 1000
"""Of a font for a picture as high as a tower, one label would be larger than Pillow draws."""

LOOK = 2
"""Goes up when labels look otherwise: what was drawn before is drawn again."""
DRAWN_FROM = "enact_drawn_from"
"""Key of the text within a labelled picture that says what decided it."""
_SIGNATURE = b"\x89PNG\r\n\x1a\n"


def label_picture(png: bytes, label: str, where: str) -> bytes:
    """A PNG file with ``label`` in its upper left corner.

    Errors: :class:`RenderError` with ``where`` if the bytes are no picture.
    """
    image = _decoded(png, where).copy()
    font_px = min(max(MIN_FONT_PX, image.height // FONT_SHARE), MAX_FONT_PX)
    for colour, mask in zip((RIM, INK), _masks(label, font_px), strict=True):
        image.paste(colour, (0, 0), mask)
    out = io.BytesIO()
    said = PngInfo()
    said.add_text(DRAWN_FROM, _drawn_from(png, label))
    image.save(out, "PNG", pnginfo=said)
    return out.getvalue()


@lru_cache(maxsize=1)
def _decoded(png: bytes, where: str) -> Image.Image:
    """The picture, remembered: it gets one label after the other."""
    try:
        return decode_png(png, where)
    except DamagedFileError as error:
        raise RenderError(str(error)) from error


def _font_file() -> Path:
    """A bold face, as the release's where its machine has one: here the one that Matplotlib has.

    It is found without the second that importing Matplotlib takes.
    """
    package = importlib.util.find_spec("matplotlib")
    place = str(package.origin) if package is not None else ""
    return Path(place).parent / "mpl-data" / "fonts" / "ttf" / "DejaVuSans-Bold.ttf"


@lru_cache(maxsize=16)
def _masks(label: str, font_px: int) -> tuple[Image.Image, Image.Image]:
    """What the rim of ``label`` covers of a picture's upper left corner, and what its ink does."""
    font = ImageFont.truetype(_font_file(), font_px)
    none = ImageDraw.Draw(Image.new("L", (1, 1)))
    _, _, right, bottom = none.textbbox(PLACE_PX, label, font=font, stroke_width=RIM_PX)
    masks = []
    for rim_px in (RIM_PX, 0):
        mask = Image.new("L", (int(right) + 1, int(bottom) + 1))
        ImageDraw.Draw(mask).text(PLACE_PX, label, fill=255, font=font, stroke_width=rim_px)
        masks.append(mask)
    rim, ink = masks
    return rim, ink


def is_labelled(path: Path, png: bytes, label: str) -> bool:
    """Whether ``path`` is what :func:`label_picture` makes of ``png``, whole and undamaged.

    Nothing is drawn for it: the file says what it was drawn from, and its checksums are right.
    """
    try:
        return _text_of(path.read_bytes(), DRAWN_FROM) == _drawn_from(png, label)
    except OSError:
        return False


def _drawn_from(png: bytes, label: str) -> str:
    """Hash of everything that determines a labelled picture."""
    return content_sha([sha256_bytes(png), label, LOOK, PIL.__version__])


def _text_of(png: bytes, key: str) -> str | None:
    """The text under ``key`` in a PNG file; None if it has none or any part of it is damaged."""
    if not png.startswith(_SIGNATURE):
        return None
    found, at, kind = None, len(_SIGNATURE), b""
    while at + 12 <= len(png):
        size = int.from_bytes(png[at : at + 4], "big")
        kind, content = png[at + 4 : at + 8], png[at + 8 : at + 8 + size]
        checksum = png[at + 8 + size : at + 12 + size]
        if zlib.crc32(content, zlib.crc32(kind)).to_bytes(4, "big") != checksum:
            return None
        name, _, text = content.partition(b"\0")
        if kind == b"tEXt" and name == key.encode():
            found = text.decode("latin-1")
        at += 12 + size
    return found if kind == b"IEND" and at == len(png) else None


def pictures_left_out(unreadable: Sequence[str]) -> str:
    """What is said of files that are no picture: how many, and the first."""
    files = "file is" if len(unreadable) == 1 else "files are"
    return f"{len(unreadable)} {files} no picture, first {unreadable[0]}"


def write_picture(path: Path, png: bytes) -> bool:
    """Write a picture whole or not at all; returns whether there was none before.

    Errors: :class:`OutputError`.
    """
    try:
        is_new = not path.exists()
        if is_new or not path.is_file() or path.read_bytes() != png:
            with replacing(path) as temporary:
                temporary.write_bytes(png)
        return is_new
    except OSError as error:
        raise OutputError(f"{path}: cannot be written ({error.strerror})") from error


def link_picture(source: Path, path: Path) -> None:
    """Make ``path`` the same file as ``source``; a copy where links are not possible.

    An existing file is replaced, or a symbolic link, but never the link's target. The folder must
    exist. Errors: :class:`OutputError`.
    """
    try:
        try:
            os.link(source, path)
        except FileExistsError:
            if not path.is_symlink() and path.samefile(source):
                return
        except OSError:
            pass  # copied below, or the error is the same
        else:
            return
        with _replacing(path) as temporary:
            try:
                os.link(source, temporary)
            except OSError:
                shutil.copyfile(source, temporary)
    except OSError as error:
        raise OutputError(f"{path}: cannot be written ({error.strerror})") from error


def _write_labelled(path: Path, png: bytes) -> None:
    try:
        with _replacing(path) as temporary:
            temporary.write_bytes(png)
    except OSError as error:
        raise OutputError(f"{path}: cannot be written ({error.strerror})") from error


@contextmanager
def _replacing(path: Path) -> Iterator[Path]:
    """As ``atomic.replacing`` in a folder that is there, without waiting for the disk."""
    temporary = temporary_name(path)
    try:
        yield temporary
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


class _Folders:
    """Folders of labelled pictures below a root: checks, makes, sweeps and flushes each once."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._known: dict[str, Path] = {}
        self._written: list[Path] = []

    def file(self, image: str) -> Path:
        """Path of the picture that questions call ``image``, its folder made.

        Errors: :class:`OutputError` if the folder lies outside the root or cannot be made.
        """
        folder, _, name = image.rpartition("/")
        if folder not in self._known:
            place = output_file(self._root, *PurePosixPath(folder).parts)
            try:
                make_folder(place)
                sweep_leftovers(place)
            except OSError as error:
                raise OutputError(f"{place}: cannot be made ({error.strerror})") from error
            self._known[folder] = place
        self._written.append(self._known[folder] / name)
        return self._written[-1]

    def flush(self) -> None:
        """Wait until the pictures and the entries of their folders have reached the disk."""
        files = {path.stat().st_ino: path for path in self._written}
        for path in (*files.values(), *self._known.values()):
            try:
                flush_to_disk(path)
            except OSError as error:
                raise OutputError(f"{path}: cannot be written ({error.strerror})") from error


def write_question_pictures(
    questions: Iterable[OfficialQuestion],
    pictures: Iterable[tuple[str, str, bytes]],
    root: Path,
    on_progress: OnProgress = unheard,
) -> int:
    """Write the labelled pictures of ``questions`` below ``root``; returns how many there are.

    ``pictures`` are (task, frame id, PNG file) of key frames, one after the other. A picture is
    labelled once per label and linked wherever else a question shows it; one that an earlier run
    labelled stays. ``on_progress`` is called for each key frame. Errors: :class:`RenderError` for a
    picture that does not decode, :class:`OutputError`.
    """
    shown: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for question in questions:
        labels = state_labels(len(question.images))
        for image, label, frame_id in zip(
            question.images, labels, shown_frame_ids(question), strict=True
        ):
            shown.setdefault((question.task_name, frame_id), []).append((label, image))
    n_written, folders = 0, _Folders(root)
    for k, (task, frame_id, png) in enumerate(pictures):
        on_progress(Progress(min(k, len(shown)), len(shown), text="pictures"))
        drawn: dict[str, Path] = {}
        for label, image in shown.get((task, frame_id), []):
            path = folders.file(image)
            if label in drawn:
                link_picture(drawn[label], path)
            else:
                if path.is_symlink() or not is_labelled(path, png, label):
                    labelled = label_picture(png, label, f"{task}, frame {frame_id}")
                    _write_labelled(path, labelled)
                drawn[label] = path
            n_written += 1
    folders.flush()
    return n_written


def copy_question_pictures(
    pictures: Iterable[tuple[str, bytes]],
    n_pictures: int,
    root: Path,
    on_progress: OnProgress = unheard,
) -> int:
    """Write ``pictures``, path and content, below ``root``; returns how many there are.

    An existing file stays. ``on_progress`` is called for each. Errors: :class:`OutputError`.
    """
    n_written, folders = 0, _Folders(root)
    for image, content in pictures:
        on_progress(Progress(n_written, n_pictures, text="pictures"))
        path = folders.file(image)
        if not _holds(path, content):
            _write_labelled(path, content)
        n_written += 1
    folders.flush()
    return n_written


def _holds(path: Path, content: bytes) -> bool:
    try:
        return not path.is_symlink() and path.read_bytes() == content
    except OSError:
        return False


def shown_frame_ids(question: OfficialQuestion) -> list[str]:
    """Frame ids in the order in which the question shows their pictures."""
    first, *later = question.key_frame_ids
    if question.type.startswith("inverse"):
        return [first, *later]
    shown = [""] * len(later)
    for step, place in enumerate(question.gt_answer):
        shown[place - 1] = later[step]
    return [first, *shown]
