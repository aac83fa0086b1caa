"""Clips as MP4: the same bytes each time, nothing but pictures, any part of them."""

import io

import numpy as np
import pytest
from PIL import Image
from starlette.requests import Request

from enact_assets.answers.people.page.clip_films import clip_film, film_reply


def png(grey: int, width: int = 63, height: int = 48) -> bytes:
    out = io.BytesIO()
    pixels = np.full((height, width, 3), grey, np.uint8)
    pixels[10:20, 10:20] = (200, 40, 40)
    Image.fromarray(pixels).save(out, "PNG")
    return out.getvalue()


def test_a_film_shows_the_pictures_in_order_and_is_the_same_each_time() -> None:
    import av

    greys = [40, 90, 140, 190]
    film = clip_film([png(grey) for grey in greys])
    assert film == clip_film([png(grey) for grey in greys])
    with av.open(io.BytesIO(film)) as container:
        stream = container.streams.video[0]
        assert (stream.codec_context.width, stream.codec_context.height) == (64, 48)
        assert container.metadata.get("creation_time") is None
        assert "encoder" not in container.metadata
        shown = [frame.to_ndarray(format="rgb24")[30:].mean() for frame in container.decode(stream)]
    assert len(shown) == 2 * len(greys) + 2
    order = [min(greys, key=lambda grey: abs(grey - mean)) for mean in shown]
    assert order == [40, 40, 90, 90, 140, 140, 190, 190, 190, 190]


@pytest.mark.parametrize(
    ("said", "status", "body"),
    [
        ("", 200, b"0123456789"),
        ("bytes=0-1", 206, b"01"),
        ("bytes=4-", 206, b"456789"),
        ("bytes=-3", 206, b"789"),
        ("bytes=-30", 206, b"0123456789"),
        ("bytes=8-99", 206, b"89"),
        ("bytes=10-", 416, b""),
        ("bytes=5-2", 416, b""),
        ("bytes=-0", 416, b""),
        ("bytes=0-1,4-5", 200, b"0123456789"),
        ("bytes=a-b", 200, b"0123456789"),
        ("bytes=-", 200, b"0123456789"),
        ("lines=0-1", 200, b"0123456789"),
        ("bytes=" + "9" * 50 + "-", 200, b"0123456789"),
    ],
)
def test_parts_of_a_film(said: str, status: int, body: bytes) -> None:
    headers = [(b"range", said.encode())] if said else []
    reply = film_reply(Request({"type": "http", "headers": headers}), b"0123456789", {})
    assert (reply.status_code, reply.body) == (status, body)
    if status == 206:
        first = b"0123456789".index(body)
        assert reply.headers["content-range"] == f"bytes {first}-{first + len(body) - 1}/10"
    assert reply.headers.get("content-range") == "bytes */10" if status == 416 else True
