"""Small videos whose frames can be told apart: each is a plain grey of its own."""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Pixels = NDArray[np.uint8]
STEP = 15
TICKS = 10_000


def grey(frame: int) -> Pixels:
    """Neighbours differ by 15 levels, which no lossy codec blurs."""
    return np.full((32, 48, 3), 10 + STEP * (frame % 16), np.uint8)


def level(pixels: Pixels) -> int:
    """Which of 16 greys a decoded picture is."""
    return round((float(pixels.mean()) - 10) / STEP)


def write_video(
    path: Path,
    pictures: Iterable[Pixels] | int,
    *,
    rate: int = 30,
    times_s: Sequence[float] | None = None,
    b_frames: int = 0,
    codec: str = "mpeg4",
) -> Path:
    """A video of ``pictures`` (or so many greys), evenly spaced unless ``times_s`` says when."""
    import av

    shown = map(grey, range(pictures)) if isinstance(pictures, int) else pictures
    path.parent.mkdir(parents=True, exist_ok=True)
    with av.open(str(path), "w") as container:
        options = {"bf": str(b_frames)} | ({"g": "12"} if b_frames else {})
        if codec == "libx264" and b_frames:
            options["x264-params"] = f"bframes={b_frames}:b-adapt=0:scenecut=0"
        stream = container.add_stream(codec, rate=Fraction(rate), options=options)
        stream.pix_fmt = "yuv420p"
        if times_s is not None:
            stream.time_base = stream.codec_context.time_base = Fraction(1, TICKS)
        for k, pixels in enumerate(shown):
            if k == 0:
                stream.height, stream.width = pixels.shape[:2]
            frame = av.VideoFrame.from_ndarray(pixels, format="rgb24")
            if times_s is not None:
                frame.time_base, frame.pts = Fraction(1, TICKS), round(times_s[k] * TICKS)
            container.mux(stream.encode(frame))
        container.mux(stream.encode())
    return path
