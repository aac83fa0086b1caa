"""Pictures that came with a recording: files named by frame id, or one video of all frames."""

import io
import logging
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import polars as pl
from PIL import Image

from enact_assets.demonstrations.pictures.tables import Shown, frame_images
from enact_assets.demonstrations.recordings.folders import (
    CAMERA,
    PICTURE_SUFFIXES,
    Recordings,
    camera_of_variant,
    has_picture_files,
    has_pictures,
    scene_graph_file,
    variant_of,
    variant_places,
    video_file,
)
from enact_assets.demonstrations.recordings.videos import count_pictures, read_frames
from enact_assets.demonstrations.replay.frame_order import frame_ids
from enact_assets.demonstrations.replay.recorded import sees_nothing_first
from enact_assets.demonstrations.replay.result import ISAAC_MODES
from enact_assets.engine.errors import DamagedFileError, RenderError
from enact_assets.engine.given_pictures import GivenPicture, encoded_png, read_picture_file
from enact_assets.engine.ids import content_sha
from enact_assets.engine.lake.image_store import ImageStore
from enact_assets.engine.progress import OnProgress, Progress, unheard
from enact_assets.settings.classes import OMNIGIBSON, QUESTIONS, RENDERED, Variant
from enact_assets.settings.frame_ids import COUNTED_FROM_0, FrameIds

_log = logging.getLogger(__name__)
_NUMBERED = re.compile(
    rf"0*([0-9]{{1,15}})({'|'.join(map(re.escape, PICTURE_SUFFIXES))})", re.IGNORECASE
)


def picture_name(frame_id: int) -> str:
    """Name of a frame's PNG file."""
    return f"{frame_id:05d}.png"


def picture_file(folder: Path, frame_id: int, camera: str = CAMERA) -> Path:
    """Where a frame's PNG is to be in a recording."""
    return folder / camera / picture_name(frame_id)


def picture_files(place: Path, frame_ids: Iterable[int]) -> dict[int, list[Path]]:
    """The files in ``place`` that show each of ``frame_ids``; a frame without any is not there.

    That is :func:`picture_name`, or else whatever has the frame's id for its name and one of
    ``PICTURE_SUFFIXES``, in any case: of several, none is the one that is meant.
    """
    files = {i: [path] for i in frame_ids if (path := place / picture_name(i)).exists()}
    lacking = {i for i in frame_ids if i not in files}
    if lacking and place.is_dir():
        for path in sorted(place.iterdir()):
            frame_id = frame_id_of(path)
            if frame_id in lacking:
                files.setdefault(frame_id, []).append(path)
    return files


def frame_id_of(path: Path) -> int | None:
    """The frame whose id is the name of a picture file; None if it names none."""
    named = _NUMBERED.fullmatch(path.name)
    return int(named[1]) if named else None


def read_picture(files: Sequence[Path]) -> GivenPicture:
    """The picture of one frame, of its :func:`picture_files`.

    Errors: :class:`DamagedFileError` if it is not a picture, or has several.
    """
    if len(files) > 1:
        names = " and ".join(path.name for path in files)
        raise DamagedFileError(f"{files[0].parent}: {names} show one frame. Keep one of them.")
    return read_picture_file(files[0])


def camera_of(folder: Path, variant: Variant) -> str | None:
    """Which camera of a recording shows it under ``variant``; None if none does.

    A variant that changes no picture shows the baseline's.
    """
    if variant.is_as_recorded:
        return CAMERA
    camera = camera_of_variant(variant.name)
    return camera if has_pictures(folder, camera) else None


def is_shown(recordings: Recordings, demonstration: str, source: str, variant: Variant) -> bool:
    """Whether a demonstration that ``source`` recorded has pictures under ``variant``, or can have
    them made.
    """
    if source == QUESTIONS:
        return False
    if source == OMNIGIBSON:
        return variant.renderer.mode in ISAAC_MODES
    if source in RENDERED:
        return True
    return camera_of(recordings.folder(demonstration), variant) is not None


def shown_video(folder: Path, camera: str = CAMERA) -> Path | None:
    """The video that pictures of ``camera`` are taken from; None if PNG files count instead."""
    return None if has_picture_files(folder / camera) else video_file(folder, camera)


def may_lack_first(video: Path, frame_id_runs: Sequence[int]) -> bool:
    """Whether the ``video`` of a recording may have no picture of the first frame.

    The writer of the official replays numbers scene graphs from 0 and renders no picture of id 0:
    id k shows picture k, counted from 1, as the files that the public release extracts are named.
    A video that lost a picture would look the same, so scene graphs must say that nothing is seen
    at id 0. ``frame_id_runs`` are ids as in table ``demonstrations``. The video of an annotation is
    what its frames are counted by, so it never lacks one.

    Errors: :class:`RecordingError` if the first graph cannot be read.
    """
    graphs = scene_graph_file(video.parent)
    is_counted_from_0 = tuple(frame_id_runs) == COUNTED_FROM_0
    return is_counted_from_0 and graphs is not None and sees_nothing_first(graphs)


def first_shown(video: Path, n_frames: int, frame_id_runs: Sequence[int]) -> int:
    """Position of the frame that the first picture of a recording's ``video`` shows: 0, or 1.

    Errors: as :func:`may_lack_first`, and :class:`RenderError` if the video cannot be read.
    """
    return int(may_lack_first(video, frame_id_runs) and count_pictures(video) == n_frames - 1)


def check_picture_counts(graphs: Path, on_progress: OnProgress = unheard) -> None:
    """Compare each video beside the file ``graphs`` with it: packets and frame ids are counted,
    nothing is decoded. Without a video nothing is read.

    Errors: :class:`RenderError` names a video that has another number of pictures, or cannot be
    read to its end; :class:`RecordingError` if ``graphs`` cannot be read.
    """
    folder = graphs.parent
    variants = (camera_of_variant(variant_of(place)) for place in variant_places(folder))
    videos = [shown_video(folder, camera) for camera in dict.fromkeys((CAMERA, *variants))]
    counts = {video: count_pictures(video) for video in videos if video is not None}
    if not counts:
        return
    ids = frame_ids(graphs, on_progress)
    n_frames, runs = len(ids), FrameIds.of(ids).runs
    for video, n_pictures in counts.items():
        is_one_fewer = n_pictures == n_frames - 1
        if n_pictures != n_frames and not (is_one_fewer and may_lack_first(video, runs)):
            raise RenderError(
                f"{video}: has {n_pictures} pictures, the replay {n_frames} frames. Copy or export "
                "the video again, or remove it to import the replay without pictures. "
                "docs/sources.md, Official replays, says which numbers are understood."
            )


def read_pictures(
    folder: Path,
    frames: Mapping[int, int],
    n_frames: int,
    camera: str = CAMERA,
    *,
    frame_id_runs: Sequence[int] = (),
    on_unreadable: Callable[[int, str], None] | None = None,
) -> Iterator[tuple[int, bytes]]:
    """Frame and PNG file of each of ``frames`` (position -> id) that the recording has.

    Pictures are read as :func:`given_picture` reads them; frames of a video (its first is position
    0) are encoded. If both exist, the picture files are used. ``on_unreadable`` gets frame and
    reason of each file that is not a picture, and the others are read; without it such a file is an
    error. Only a video whose ``frame_id_runs`` are given may lack the picture of the first frame:
    see :func:`first_shown`.
    Errors: :class:`RenderError` names a video that cannot be decoded, or has another number of
    frames than the replay's ``n_frames``, or a file that is no picture.
    """
    video = shown_video(folder, camera)
    if video is not None:
        first = first_shown(video, n_frames, frame_id_runs)
        for frame, pixels in read_frames(video, set(frames), n_frames, first=first):
            yield frame, encoded_png(Image.fromarray(pixels))
        return
    place = folder / camera
    if place.exists() and not place.is_dir():
        raise RenderError(f"{place}: is a file, expected a folder with pictures")
    files = picture_files(place, frames.values())
    for frame, frame_id in sorted(frames.items()):
        if frame_id not in files:
            continue
        try:
            picture = read_picture(files[frame_id])
        except DamagedFileError as error:
            if on_unreadable is None:
                raise RenderError(str(error)) from error
            on_unreadable(frame, str(error))
        else:
            yield frame, picture.png


def recorded_key_frames(
    demonstrations: pl.DataFrame,
    segmented_frames: pl.DataFrame,
    variant: str,
    folder: Path,
    store: ImageStore,
    *,
    camera: str = CAMERA,
    on_progress: OnProgress = unheard,
) -> pl.DataFrame:
    """Table ``frame_images`` of one recorded demonstration: its own pictures of its key frames.

    ``camera`` names the folder or video they are in; the variant is what they are called. A key
    frame whose picture is not there, or is no picture, has no row, and a warning says so: questions
    that show it are not asked.

    Errors: :class:`RenderError` if no key frame has a picture, or a video cannot be read; pictures
    stored before are kept.
    """
    name, n_frames, runs = demonstrations.select("demonstration", "n_frames", "frame_id_runs").row(
        0
    )
    rows = segmented_frames.sort("key_frame").rows(named=True)
    ids = {row["frame"]: row["frame_id"] for row in rows}
    stored: dict[int, Shown] = {}
    unreadable: dict[int, str] = {}
    found = read_pictures(
        folder, ids, n_frames, camera, frame_id_runs=runs, on_unreadable=unreadable.__setitem__
    )
    for frame, png in found:
        sha = store.put(png)
        width, height = Image.open(io.BytesIO(png)).size
        stored[frame] = Shown(sha, content_sha(["recorded", sha]), width, height)
        on_progress(Progress(len(stored), len(rows), "pictures"))
    without = [row["frame_id"] for row in rows if row["frame"] not in stored]
    if without:
        video = shown_video(folder, camera)
        first = picture_file(folder, without[0], camera)
        said = f"{name}: {len(without)} of {len(rows)} key frames have no picture, first {first}"
        if unreadable:
            at, reason = next(iter(unreadable.items()))
            said += f"; {len(unreadable)} cannot be read, first of frame {ids[at]} ({reason})"
        advice = (
            f"Put them there (PNG files named by frame id, or {camera}.mp4 with all frames) and "
            "materialize frame_images again."
            if video is None
            else f"{video.name} begins at frame id {without[0] + 1}. Set settle_frames of the "
            "gating above 0, so that no key frame is the first frame of a replay."
        )
        said = f"{said}. {advice}"
        if not stored:
            raise RenderError(said)
        _log.warning("%s Questions that show them are not asked.", said)
    return frame_images(segmented_frames, variant, stored)
