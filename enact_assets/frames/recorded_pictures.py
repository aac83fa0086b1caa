"""Pictures that came with a recording: PNG files named by frame id, or one video of all frames."""

import io
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import polars as pl
from PIL import Image

from enact_assets.contracts.errors import DamagedFileError, RenderError
from enact_assets.contracts.ids import content_sha
from enact_assets.contracts.tables import table
from enact_assets.storage.images import ImageStore
from enact_assets.storage.recordings import CAMERA

VIDEO_SUFFIXES = (".mp4", ".mkv", ".mov", ".avi", ".webm")


def picture_file(folder: Path, frame_id: int, camera: str = CAMERA) -> Path:
    """Where the PNG of a frame stands in a recording."""
    return folder / camera / f"{frame_id:05d}.png"


def video_file(folder: Path, camera: str = CAMERA) -> Path | None:
    """The video of ``camera`` in a recording's folder; None if there is none."""
    return next((p for s in VIDEO_SUFFIXES if (p := folder / f"{camera}{s}").is_file()), None)


def pictures_changed_at(folder: Path, camera: str = CAMERA) -> float:
    """When pictures came, went or were replaced, or the video changed: seconds since 1970.

    A PNG file that was overwritten in place goes unnoticed. 0 without pictures.
    """
    video = video_file(folder, camera)
    found = [p for p in (folder / camera, video) if p is not None and p.exists()]
    return max((p.stat().st_mtime for p in found), default=0.0)


def read_pictures(
    folder: Path, frames: Mapping[int, int], n_frames: int, camera: str = CAMERA
) -> Iterator[tuple[int, bytes]]:
    """Frame and PNG file of each of ``frames`` (position -> id) that the recording has.

    PNG files are passed on byte for byte; frames of a video (its first is position 0) are encoded.
    Errors: :class:`RenderError` names a video that cannot be decoded, or is shorter than the
    replay's ``n_frames``; a PNG that is no picture is refused when it is stored.
    """
    video = video_file(folder, camera)
    if video is not None and not (folder / camera).is_dir():
        yield from _video_pictures(video, set(frames), n_frames)
        return
    for frame, frame_id in sorted(frames.items()):
        path = picture_file(folder, frame_id, camera)
        try:
            png = path.read_bytes()
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
    progress: Callable[[int, int, int, float], None] | None = None,
) -> pl.DataFrame:
    """Table ``frame_images`` of one recorded demonstration: its own pictures of its key frames.

    Errors: :class:`RenderError` says how many key frames have no picture and which is the first,
    or which file is no picture; pictures stored before are kept.
    """
    name, n_frames = demonstrations.select("demonstration", "n_frames").row(0)
    rows = segmented_frames.sort("key_frame").rows(named=True)
    ids = {row["frame"]: row["frame_id"] for row in rows}
    stored: dict[int, tuple[str, int, int]] = {}
    for frame, png in read_pictures(folder, ids, n_frames):
        where = f"{name}, frame {ids[frame]} ({picture_file(folder, ids[frame])})"
        try:
            sha = store.put(png)
        except DamagedFileError as error:
            raise RenderError(f"{where}: {error}") from error
        width, height = Image.open(io.BytesIO(png)).size
        stored[frame] = (sha, width, height)
        if progress is not None:
            progress(len(stored), len(rows), 0, 0.0)
    missing = [row["frame_id"] for row in rows if row["frame"] not in stored]
    if missing:
        raise RenderError(
            f"{name}: {len(missing)} of {len(rows)} key frames have no picture, first "
            f"{picture_file(folder, missing[0])}. Put them there (PNG files named by frame id, or "
            f"{CAMERA}.mp4 with all frames) and materialize frame_images again."
        )
    return table("frame_images").build(
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


def _video_pictures(video: Path, frames: set[int], n_frames: int) -> Iterator[tuple[int, bytes]]:
    """Frames of a video by their number, counted while decoding: no seeking, so exact."""
    try:
        import av
    except ImportError as error:
        raise RenderError(
            f"{video}: reading a video needs the extra, pip install 'enact_assets[video]'"
        ) from error
    n_read = 0
    try:
        with av.open(str(video)) as container:
            for frame in container.decode(video=0):
                if n_read in frames:
                    yield n_read, _encoded(frame.to_ndarray(format="rgb24"))
                n_read += 1
    except (av.FFmpegError, ValueError, IndexError) as error:
        raise RenderError(
            f"{video}, frame {n_read}: cannot be decoded ({error}); {n_read} frames were read"
        ) from error
    if n_read != n_frames:
        raise RenderError(
            f"{video}: has {n_read} frames, the replay {n_frames}. Frames are matched by number: "
            "export the video again, one picture per recorded frame."
        )


def _encoded(pixels: object) -> bytes:
    out = io.BytesIO()
    Image.fromarray(pixels).save(out, "PNG")  # type: ignore[arg-type]
    return out.getvalue()
