"""Video files: number of frames, time stamps, and single frames by number.

Frames are numbered in the order in which they are shown, from 0. Seeking is not used, as in many
files it lands a frame or more beside the requested time.
"""

import re
import struct
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from enact_assets.engine.errors import RenderError
from enact_assets.engine.given_files import check_regular
from enact_assets.engine.progress import OnProgress, Progress, unheard

_MATRIX = "DISPLAYMATRIX"
_SLANT = 0.02
"""Entries of a display matrix smaller than this share of the others are rounding (about a
degree).
"""
SLACK_FRAMES = 2
"""So much earlier than its header says a video may end: writers round, and count the last frame."""


@dataclass(frozen=True)
class VideoTimes:
    """When each frame of a video is shown: ``times_s`` (n_frames,), ascending, the first at 0.

    ``width_px`` and ``height_px`` are those of a picture.
    """

    times_s: NDArray[np.float64]
    width_px: int
    height_px: int

    @property
    def n_frames(self) -> int:
        """Number of frames."""
        return len(self.times_s)

    @property
    def frame_rate_hz(self) -> float:
        """Frames per second on average; also of a video whose frames are not evenly spaced."""
        if self.n_frames < 2:
            return 1.0
        return float((self.n_frames - 1) / self.times_s[-1])

    @property
    def is_even(self) -> bool:
        """Whether no frame is shown half a frame or more off an even pace."""
        pace = np.arange(self.n_frames) / self.frame_rate_hz
        return bool(np.all(np.abs(self.times_s - pace) < 0.5 / self.frame_rate_hz))

    def frame_at(self, time_s: float) -> int:
        """The frame that is shown at ``time_s``: the last that begins no later; -1 before 0."""
        # Annotators copy rounded times from a player, so a millisecond too early is accepted.
        return int(np.searchsorted(self.times_s, time_s + 1e-3, side="right")) - 1


def read_times(video: Path) -> VideoTimes:
    """When the frames of ``video`` are shown, read from its packets; one picture is decoded.

    Errors: :class:`RenderError` if it is not a video, has no frame or no time stamps,
    or was cut off: it ends before its header says so, or within a frame.
    """
    times: list[float] = []
    n_without, end_s = 0, 0.0
    with _opened(video) as container:
        stream = _video_in(container)
        base = stream.time_base
        try:
            for packet in _shown_packets(container):
                if packet.pts is None:
                    n_without += 1
                else:
                    times.append(float(packet.pts * base))
                    end_s = max(end_s, float((packet.pts + (packet.duration or 0)) * base))
                if packet.is_corrupt:
                    raise RenderError(
                        f"{video}: was cut off within frame {len(times) - 1}. Copy it again."
                    )
            declared_s = _declared_end(container)
        except (_av().FFmpegError, ValueError) as error:
            raise RenderError(
                f"{video}: cannot be read past frame {len(times)} ({_reason(error)}). Copy it "
                "again."
            ) from error
    if n_without:
        raise RenderError(
            f"{video}: {n_without} of {n_without + len(times)} frames have no time stamp. Convert "
            "it to MP4."
        )
    if not times:
        raise RenderError(f"{video}: contains no frame. Copy or export it again.")
    shown = np.sort(np.array(times))
    if (np.diff(shown) <= 0).any():
        k = int(np.flatnonzero(np.diff(shown) <= 0)[0])
        raise RenderError(
            f"{video}: frames {k} and {k + 1} are shown at the same time. Convert it to MP4."
        )
    pace_s = float(shown[-1] - shown[0]) / max(1, len(shown) - 1)
    if declared_s - end_s > SLACK_FRAMES * pace_s > 0:
        raise RenderError(
            f"{video}: was cut off: its {len(shown)} frames end at {end_s:.3f} s, and its header "
            f"says {declared_s:.3f} s. Copy it again."
        )
    height, width = _first_picture(video).shape[:2]
    return VideoTimes(shown - shown[0], width, height)


def read_frames(
    video: Path,
    frames: Collection[int],
    n_frames: int,
    on_progress: OnProgress = unheard,
    *,
    first: int = 0,
) -> Iterator[tuple[int, NDArray[np.uint8]]]:
    """Pictures (height, width, 3) of ``frames``, in ascending order, counted while decoding.

    One picture is in memory at a time; ``on_progress`` gets the number of decoded pictures. The
    first picture shows frame ``first``; earlier frames have no picture. Errors:
    :class:`RenderError` if the video cannot be decoded, or does not end with frame ``n_frames -
    1``.
    """
    wanted = set(frames)
    n_read = 0
    with _opened(video) as container:
        try:
            for frame in container.decode(_video_in(container)):
                if first + n_read in wanted:
                    yield first + n_read, _upright(frame)
                n_read += 1
                on_progress(Progress(n_read, n_frames, "frames"))
        except (_av().FFmpegError, ValueError, IndexError) as error:
            raise RenderError(
                f"{video}, frame {n_read}: cannot be decoded ({_reason(error)}); {n_read} frames "
                "were read"
            ) from error
    if first + n_read != n_frames:
        raise RenderError(
            f"{video}: has {n_read} frames, the replay {n_frames}. A video has one picture per "
            "frame of its replay. One picture fewer is understood only if frame ids are 0, 1, ... "
            "and nothing is seen at id 0, as in the official data: then id k shows picture k, "
            "counted from 1. Copy or export the video again."
        )


def length_s(video: Path) -> float:
    """How long ``video`` is by its header, in s; nothing is decoded.

    Errors: :class:`RenderError` if it cannot be opened, or its header does not say.
    """
    with _opened(video) as container:
        stream = _video_in(container)
        if stream.duration is not None and stream.time_base is not None:
            return float(stream.duration * stream.time_base)
        declared_s = _declared_end(container)
    if declared_s <= 0:
        raise RenderError(f"{video}: its header does not say how long it is. Convert it to MP4.")
    return declared_s


def count_pictures(video: Path) -> int:
    """How many pictures ``video`` has by its packets; nothing is decoded.

    Errors: :class:`RenderError` if it cannot be read to its end.
    """
    with _opened(video) as container:
        try:
            return sum(1 for _ in _shown_packets(container))
        except (_av().FFmpegError, ValueError) as error:
            raise RenderError(
                f"{video}: cannot be read to its end ({_reason(error)}). Copy it again."
            ) from error


def _shown_packets(container: Any) -> Iterator[Any]:
    """Packets of the video's pictures: what ends the stream is empty, and what an edit list cuts
    off is never shown.
    """
    for packet in container.demux(_video_in(container)):
        if packet.size and not packet.is_discard:
            yield packet


def _declared_end(container: Any) -> float:
    """When the video ends by its header, in s; 0 if that says nothing.

    Sound may go on for longer, so the length of the whole file counts only if nothing else is in
    it. Formats without a header are measured by their content, which is never too long.
    """
    stream = _video_in(container)
    declared = stream.metadata.get("DURATION", "")  # Matroska
    found = re.fullmatch(r"(\d+):(\d+):(\d+(?:\.\d+)?)", declared)
    if found:
        hours, minutes, seconds = map(float, found.groups())
        return 3600 * hours + 60 * minutes + seconds
    if stream.duration is not None:
        return float(stream.duration * stream.time_base)
    is_alone = len(container.streams) == 1 and "matroska" in container.format.name
    return container.duration / 1e6 if is_alone and container.duration else 0.0


def _first_picture(video: Path) -> NDArray[np.uint8]:
    with _opened(video) as container:
        try:
            return _upright(next(container.decode(_video_in(container))))
        except (_av().FFmpegError, ValueError, IndexError, StopIteration) as error:
            raise RenderError(f"{video}, frame 0: cannot be decoded ({_reason(error)})") from error


def _upright(frame: Any) -> NDArray[np.uint8]:
    """Pixels of a decoded frame as a player shows it: telephones note how they were held, and
    cameras that look at who holds them mirror.

    The frame's display matrix says where a pixel is shown: x' = a x + c y, y' = b x + d y. Errors:
    ``ValueError`` if it is neither a quarter turn nor a mirror image of one.
    """
    pixels: NDArray[np.uint8] = frame.to_ndarray(format="rgb24")
    noted = next((bytes(said) for said in frame.side_data if said.type.name == _MATRIX), b"")
    if not any(noted):
        return pixels
    a, b, _, c, d, *_ = struct.unpack("<9i", noted[:36])
    across, along = (a, d), (b, c)
    if min(map(abs, across)) <= _SLANT * max(map(abs, across + along)):
        pixels, across = pixels.transpose(1, 0, 2), (c, b)
        along = (a, d)
    if max(map(abs, along)) > _SLANT * min(map(abs, across)):
        degrees = -frame.rotation % 360
        raise ValueError(
            f"it is to be shown turned by {degrees} degrees, and only quarter turns and mirror "
            "images are understood. Convert it, so that its pictures are upright"
        )
    x, y = (np.sign(k) for k in across)
    return np.ascontiguousarray(pixels[::y, ::x])


def _opened(video: Path) -> Any:
    try:
        # FFmpeg waits at a named pipe.
        check_regular(video.stat(), video)
        container = _av(video).open(str(video))
    except (_av().FFmpegError, ValueError, OSError) as error:
        raise RenderError(f"{video}, frame 0: cannot be decoded ({_reason(error)})") from error
    if _video_in(container) is None:
        is_cover = bool(container.streams.video)
        container.close()
        raise RenderError(f"{video}: contains no video{', only a cover' * is_cover}")
    return container


def _video_in(container: Any) -> Any:
    """Its first stream of pictures that is not a cover; None if there is none."""
    cover = _av().stream.Disposition.attached_pic
    streams = container.streams.video
    return next((stream for stream in streams if not stream.disposition & cover), None)


def _reason(error: Exception) -> str:
    """In words: FFmpeg numbers its errors by letters, ``[Errno 1094995529]``."""
    return getattr(error, "strerror", None) or str(error)


def _av(video: Path | None = None) -> Any:
    try:
        import av
    except ImportError as error:
        raise RenderError(
            f"{video}: reading videos needs the extra: pip install 'enact_assets[video]'"
        ) from error
    return av
