"""Clips as films: the pictures of a clip one after the other, as an MP4 that a browser plays."""

import importlib.util
import io
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from starlette.requests import Request
from starlette.responses import Response

MEDIA_TYPE = "video/mp4"
FRAMES_PER_S = 4
SHOWN_FRAMES = 2
"""Duration of each picture; the last one is shown twice as long, before a player starts again."""
QUALITY = {"crf": "18", "preset": "fast", "threads": "1", "x264-params": "sliced-threads=0"}
"""Of H.264; one thread, so that the same pictures give the same file."""


def can_film() -> bool:
    """Whether PyAV is installed, the extra ``video``. Without it clips are still pictures alone."""
    return importlib.util.find_spec("av") is not None


def clip_film(pngs: Sequence[bytes]) -> bytes:
    """An MP4 of pictures of one size, in order. It has no name and no date; the same pictures give
    the same bytes.
    """
    import av

    pictures = [_even(np.asarray(Image.open(io.BytesIO(png)).convert("RGB"))) for png in pngs]
    height, width = pictures[0].shape[:2]
    out = io.BytesIO()
    with av.open(out, "w", format="mp4", options={"fflags": "+bitexact"}) as container:
        stream = container.add_stream("libx264", rate=FRAMES_PER_S, options=QUALITY)
        stream.width, stream.height, stream.pix_fmt = width, height, "yuv420p"
        shown = [picture for picture in pictures for _ in range(SHOWN_FRAMES)]
        for pixels in [*shown, *pictures[-1:] * SHOWN_FRAMES]:
            container.mux(stream.encode(av.VideoFrame.from_ndarray(pixels, format="rgb24")))
        container.mux(stream.encode())
    return out.getvalue()


def _even(pixels: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """With even sides, as H.264 wants them: the last row or column once more."""
    height, width = pixels.shape[:2]
    return np.pad(pixels, ((0, height % 2), (0, width % 2), (0, 0)), mode="edge")


def film_reply(request: Request, film: bytes, headers: dict[str, str]) -> Response:
    """The film, or the part of it that ``Range`` asks for: Safari plays nothing without parts."""
    headers = {**headers, "accept-ranges": "bytes"}
    part = _part(request.headers.get("range", ""), len(film))
    if part is None:
        return Response(film, media_type=MEDIA_TYPE, headers=headers)
    begin, end = part
    if begin >= end:
        return Response(
            status_code=416, headers={**headers, "content-range": f"bytes */{len(film)}"}
        )
    said = {"content-range": f"bytes {begin}-{end - 1}/{len(film)}"}
    return Response(film[begin:end], 206, media_type=MEDIA_TYPE, headers={**headers, **said})


def _part(said: str, n_bytes: int) -> tuple[int, int] | None:
    """First byte and the one after the last of ``bytes=A-B``, ``A-`` or ``-N``; None of anything
    else, which is then sent whole.
    """
    unit, _, part = said.partition("=")
    first, dash, last = part.strip().partition("-")
    digits = [text for text in (first, last) if text]
    if unit.strip() != "bytes" or not dash or not digits:
        return None
    if not all(text.isascii() and text.isdigit() and len(text) < 16 for text in digits):
        return None
    if not first:
        return max(0, n_bytes - int(last)), n_bytes
    return int(first), min(int(last) + 1, n_bytes) if last else n_bytes
