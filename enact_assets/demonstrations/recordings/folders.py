"""Recordings of a data root: one folder, or a link to one, per demonstration.

::

    <root>/recordings/<demonstration>/scene_graph_0.json        or .json.gz
    <root>/recordings/<demonstration>/segmented_scene_graph_0.json  key frames only, or .json.gz
    <root>/recordings/<demonstration>/external_sensor1/00059.png  pictures by frame id, if any
    <root>/recordings/<demonstration>/external_sensor1.mp4        or a video of all frames
    <root>/recordings/<demonstration>/variant_fisheye/00059.png   the same under another variant
    <root>/recordings/<demonstration>/variant_fisheye.mp4

The file with the facts also determines which source reads the folder: scene graphs, or the
annotation of a video.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from enact_assets.engine.errors import LakeError, OutputError, RecordingError
from enact_assets.engine.lake.lake import check_partition_value
from enact_assets.engine.system.atomic import (
    flush_to_disk,
    flush_tree,
    is_temporary,
    make_folder,
    temporary_name,
)
from enact_assets.settings.paths import link_target

SCENE_GRAPH_FILES = ("scene_graph_0.json", "scene_graph_0.json.gz")
# Types are comments here: mypy wants them, and an annotation would make all replays stale.
SEGMENTED_FILES = ("segmented_scene_graph_0.json", "segmented_scene_graph_0.json.gz")  # type: tuple[str, ...]
"""Scene graphs of key frames, without those of the frames between."""
GRAPH_FILES = (*SCENE_GRAPH_FILES, *SEGMENTED_FILES)
ANNOTATION_FILES = ("annotation.csv", "annotation.json", "annotation.jsonl")  # type: tuple[str, ...]
"""A person's annotation of a video."""
DEMONSTRATION_FILE = "omnigibson.json"
"""Description of a raw demonstration for OmniGibson, with its camera."""
RECORDED_FILES = (*GRAPH_FILES, *ANNOTATION_FILES, DEMONSTRATION_FILE)
"""A folder with one of these is a recording; the first one found counts."""
CAMERA = "external_sensor1"
"""The only sensor the public release reads."""
PICTURE_SUFFIXES = (".png", ".jpg", ".jpeg", ".webp")  # type: tuple[str, ...]
VIDEO_SUFFIXES = (".mp4", ".mkv", ".mov", ".avi", ".webm")
VARIANT = "variant_"


def scene_graph_file(folder: Path) -> Path | None:
    """The recorded scene graphs in ``folder``, plain before compressed; None if there are none."""
    return next((p for n in SCENE_GRAPH_FILES if (p := folder / n).is_file()), None)


def recorded_file(folder: Path) -> Path | None:
    """The file that makes ``folder`` a recording; None if it is not a recording."""
    return next((p for n in RECORDED_FILES if (p := folder / n).is_file()), None)


def video_file(folder: Path, camera: str = CAMERA) -> Path | None:
    """The video of ``camera`` in a recording's folder; None if there is none."""
    plain = (p for s in VIDEO_SUFFIXES if (p := folder / f"{camera}{s}").is_file())
    return next(plain, None) or next(iter(video_files(folder, camera)), None)


def video_files(folder: Path, camera: str) -> list[Path]:
    """Every video of ``camera``, with a suffix in any case; the first one is used."""
    return sorted(
        (path for path in _listed(folder) if path.stem == camera and _is_video(path)),
        key=lambda path: (
            path.suffix not in VIDEO_SUFFIXES,
            VIDEO_SUFFIXES.index(path.suffix.lower()),
            path.name,
        ),
    )


def _is_video(path: Path) -> bool:
    return path.suffix.lower() in VIDEO_SUFFIXES and path.is_file()


def _listed(folder: Path) -> list[Path]:
    try:
        return [folder / name for name in os.listdir(folder)]  # noqa: PTH208 - five times faster
    except OSError:
        return []


def has_pictures(folder: Path, camera: str) -> bool:
    """Whether ``camera`` has a folder with pictures, or a video, in a recording's folder."""
    return has_picture_files(folder / camera) or video_file(folder, camera) is not None


def is_picture_name(name: str) -> bool:
    """Whether a file of this name is taken for a picture."""
    return name.lower().endswith(PICTURE_SUFFIXES) and not name.startswith(".")


def has_picture_files(folder: Path) -> bool:
    """Whether a picture file is in ``folder``, of any suffix that is read, in any case.

    Files that macOS leaves beside a copy (``._00001.png``) do not count.
    """
    try:
        with os.scandir(folder) as entries:
            return any(is_picture_name(entry.name) for entry in entries)
    except OSError:
        return False


def recording_name(folder: Path) -> str:
    """Name of the recording in ``folder``: the given name, even if it is a link."""
    given = folder.absolute()
    return given.resolve().name if given.name == ".." else given.name


def camera_of_variant(variant: str) -> str:
    """Name of the folder, or stem of the video, with a recording's pictures under ``variant``."""
    return VARIANT + variant


def variant_of(place: Path) -> str:
    """The variant that a folder or video of :func:`variant_places` is named after."""
    return (place.stem if place.suffix.lower() in VIDEO_SUFFIXES else place.name).removeprefix(
        VARIANT
    )


def variant_places(folder: Path) -> list[Path]:
    """Folders and videos of ``folder`` with pictures under other variants, sorted."""
    # The folder is listed, as every plan does this for each recording, and a pattern takes five
    # times as long.
    there = os.listdir(folder) if folder.is_dir() else []  # noqa: PTH208
    return sorted(folder / name for name in there if name.startswith(VARIANT))


class Recordings:
    """The recordings under ``root`` (``DataRoot.recordings``)."""

    def __init__(self, root: Path) -> None:
        self.root = Path(root)

    def folder(self, demonstration: str) -> Path:
        """Path of a recording, whether or not it exists."""
        return self.root / check_partition_value(demonstration, "recording")

    def has(self, demonstration: str) -> bool:
        """Whether there is a recording of ``demonstration``."""
        return self.find(demonstration) is not None

    def find(self, demonstration: str) -> Path | None:
        """The file with its facts or annotation; None if there is none."""
        try:
            folder = self.folder(demonstration)
        except LakeError:
            return None
        # A shortcut, as most demonstrations have no recording, and every plan calls this a dozen
        # times for each.
        return recorded_file(folder) if folder.is_dir() else None

    def is_unreachable(self, demonstration: str) -> bool:
        """Whether it is a dangling link, for example to a disk that is not mounted."""
        try:
            place = self.folder(demonstration)
        except LakeError:
            return False
        return place.is_symlink() and not place.exists()

    def file(self, demonstration: str) -> Path:
        """The same. Errors: :class:`RecordingError` if it is gone, or its disk is."""
        if self.is_unreachable(demonstration):
            raise RecordingError(
                f"{self.folder(demonstration)}: its link target cannot be reached. Mount the "
                "disk, import the recording again, or `enact-assets forget demonstration "
                f"{demonstration}`."
            )
        found = recorded_file(self.folder(demonstration))
        if found is None:
            raise RecordingError(
                f"{self.folder(demonstration)}: no {' or '.join(RECORDED_FILES)}. Import the "
                "recording again: enact-assets import FOLDER"
            )
        return found

    def names(self) -> list[str]:
        """Demonstrations with a recording, sorted."""
        if not self.root.is_dir():
            return []
        return sorted(
            p.name for p in self.root.iterdir() if not is_temporary(p) and self.has(p.name)
        )

    def with_variant(self, variant: str) -> list[str]:
        """Demonstrations whose recordings have their own pictures under ``variant``, sorted."""
        camera = camera_of_variant(variant)
        folders = ((name, self.folder(name)) for name in self.names())
        # Most have none, which one listing shows; every plan calls this for each variant.
        return [name for name, f in folders if variant_places(f) and has_pictures(f, camera)]

    def add(self, folder: Path, *, copy: bool = False) -> str:
        """Take in the recording in ``folder``, by a link unless ``copy``; returns its name.

        The name is the given one, but the link leads to the resolved folder: the given path may
        itself be a link, which can change later.
        An existing link is replaced, an existing copy never. Errors: :class:`RecordingError` if the
        folder is not a recording or a copy of that name exists; :class:`LakeError` if its name
        cannot be a demonstration's; :class:`OutputError` if it cannot be linked or copied.
        """
        name = check_partition_value(recording_name(folder), f"recording {folder}")
        folder = folder.resolve()
        if recorded_file(folder) is None:
            raise RecordingError(f"{folder}: no {' or '.join(RECORDED_FILES)}")
        with self.taking_in(name, folder) as temporary:
            if copy:
                shutil.copytree(folder, temporary)
                os.utime(temporary)  # when it was imported, not when the original was made
            else:
                temporary.symlink_to(link_target(self.root, folder))
        if not self.has(name):
            raise OutputError(f"{self.folder(name)}: the link does not reach {folder}")
        return name

    @contextmanager
    def taking_in(self, name: str, source: object) -> Iterator[Path]:
        """Give a path at which a folder or a link is to be made; without an error it becomes the
        recording ``name``, on disk, otherwise nothing is left of it. ``source`` is named in errors.

        Errors: as :meth:`add`.
        """
        place = self.folder(name)
        temporary = temporary_name(place)
        try:
            if place.exists() and not place.is_symlink():
                raise RecordingError(f"{place} already exists. Remove it to import {name} again")
            make_folder(self.root)
            yield temporary
            if not temporary.is_symlink():
                flush_tree(temporary)
                if place.is_symlink():
                    place.unlink()
            temporary.replace(place)
            flush_to_disk(self.root)
        except OSError as error:
            # Of a whole tree, copytree lists what failed instead of giving a reason.
            reason = error.strerror or str(error.args[0] if error.args else error)
            raise OutputError(f"{place}: cannot be made from {source} ({reason:.200})") from error
        finally:
            # Gone already, unless something failed, such as its name being too long.
            with suppress(OSError):
                if temporary.is_symlink():
                    temporary.unlink()
                elif temporary.is_dir():
                    shutil.rmtree(temporary, ignore_errors=True)

    def unlink(self, demonstration: str) -> bool:
        """Remove the link to a recording; whether there was one. Copies stay."""
        try:
            place = self.folder(demonstration)
        except LakeError:
            return False
        if not place.is_symlink():
            return False
        place.unlink()
        return True
