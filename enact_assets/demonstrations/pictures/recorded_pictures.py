"""Pictures that came with a recording: PNG files named by frame id, or one video of all frames."""

import io
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import polars as pl
from PIL import Image

from enact_assets.demonstrations.pictures.tables import FrameImages
from enact_assets.demonstrations.recordings.folders import (
    CAMERA,
    Recordings,
    camera_of_variant,
    has_pictures,
    has_png,
    scene_graph_file,
    video_file,
)
from enact_assets.demonstrations.recordings.videos import count_pictures, read_frames
from enact_assets.demonstrations.replay.recorded import sees_nothing_first
from enact_assets.demonstrations.replay.result import ISAAC_MODES
from enact_assets.engine.errors import DamagedFileError, RenderError
from enact_assets.engine.given_files import read_given
from enact_assets.engine.ids import content_sha
from enact_assets.engine.lake.image_store import ImageStore
from enact_assets.engine.progress import OnProgress, Progress, unheard
from enact_assets.settings.classes import OMNIGIBSON, QUESTIONS, RENDERED, Variant
from enact_assets.settings.frame_ids import COUNTED_FROM_0


def picture_name(frame_id: int) -> str:
    """Name of a frame's PNG file."""
    return f"{frame_id:05d}.png"


def picture_file(folder: Path, frame_id: int, camera: str = CAMERA) -> Path:
    """Path of a frame's PNG in a recording."""
    return folder / camera / picture_name(frame_id)


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
    return None if has_png(folder / camera) else video_file(folder, camera)


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


def read_pictures(
    folder: Path,
    frames: Mapping[int, int],
    n_frames: int,
    camera: str = CAMERA,
    *,
    frame_id_runs: Sequence[int] = (),
) -> Iterator[tuple[int, bytes]]:
    """Frame and PNG file of each of ``frames`` (position -> id) that the recording has.

    PNG files are passed on byte for byte; frames of a video (its first is position 0) are encoded.
    Where both are there, the PNG files count. Only a video whose ``frame_id_runs`` are given may
    lack the picture of the first frame: see :func:`first_shown`.
    Errors: :class:`RenderError` names a video that cannot be decoded, or has another number of
    frames than the replay's ``n_frames``; a PNG that is not a picture is refused when it is stored.
    """
    video = shown_video(folder, camera)
    if video is not None:
        first = first_shown(video, n_frames, frame_id_runs)
        for frame, pixels in read_frames(video, set(frames), n_frames, first=first):
            yield frame, _encoded(pixels)
        return
    for frame, frame_id in sorted(frames.items()):
        path = picture_file(folder, frame_id, camera)
        try:
            png = read_given(path)
        except FileNotFoundError:
            continue
        except OSError as error:
            raise RenderError(f"{path}: cannot be read ({error.strerror})") from error
        yield frame, png


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

    ``camera`` names the folder or video they are in; the variant is what they are called.

    Errors: :class:`RenderError` says how many key frames have no picture and which is the first,
    or which file is not a picture; pictures stored before are kept.
    """
    name, n_frames, runs = demonstrations.select("demonstration", "n_frames", "frame_id_runs").row(
        0
    )
    rows = segmented_frames.sort("key_frame").rows(named=True)
    ids = {row["frame"]: row["frame_id"] for row in rows}
    stored: dict[int, tuple[str, int, int]] = {}
    for frame, png in read_pictures(folder, ids, n_frames, camera, frame_id_runs=runs):
        where = f"{name}, frame {ids[frame]} ({picture_file(folder, ids[frame], camera)})"
        try:
            sha = store.put(png)
        except DamagedFileError as error:
            raise RenderError(f"{where}: {error}") from error
        width, height = Image.open(io.BytesIO(png)).size
        stored[frame] = (sha, width, height)
        on_progress(Progress(len(stored), len(rows), "pictures"))
    missing = [row["frame_id"] for row in rows if row["frame"] not in stored]
    if missing:
        video = shown_video(folder, camera)
        advice = (
            f"Put them there (PNG files named by frame id, or {camera}.mp4 with all frames) and "
            "materialize frame_images again."
            if video is None
            else f"{video.name} begins at frame id {missing[0] + 1}. Set settle_frames of the "
            "gating above 0, so that no key frame is the first frame of a replay."
        )
        raise RenderError(
            f"{name}: {len(missing)} of {len(rows)} key frames have no picture, first "
            f"{picture_file(folder, missing[0], camera)}. {advice}"
        )
    return FrameImages.build(
        [
            {
                "demonstration": name,
                "variant": variant,
                "gating": row["gating"],
                "key_frame": row["key_frame"],
                "frame": row["frame"],
                "image_sha": stored[row["frame"]][0],
                "render_sha": content_sha(["recorded", stored[row["frame"]][0]]),
                "width_px": stored[row["frame"]][1],
                "height_px": stored[row["frame"]][2],
            }
            for row in rows
        ]
    )


def _encoded(pixels: object) -> bytes:
    out = io.BytesIO()
    Image.fromarray(pixels).save(out, "PNG")  # type: ignore[arg-type]
    return out.getvalue()
