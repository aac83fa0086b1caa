"""Pictures and videos that are none: an error of ours, never a crash, never a full memory."""

import io
import struct
import tempfile
import warnings
import zlib
from fractions import Fraction
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from fuzz_cases import check_message, count, damaged_bytes, fuzz, is_refused, scratch
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from enact_assets.commands.release.pictures import label_picture
from enact_assets.demonstrations.pictures.recorded_pictures import picture_file, read_pictures
from enact_assets.engine.errors import DamagedFileError, RenderError
from enact_assets.engine.given_pictures import decode_png, given_picture
from enact_assets.engine.lake.image_store import ImageStore

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore:Invalid APNG")]

SIGNATURE = b"\x89PNG\r\n\x1a\n"
N_FRAMES = 8


def encoded(kind: str, mode: str, size: tuple[int, int]) -> bytes:
    out = io.BytesIO()
    pixels = np.arange(size[0] * size[1] * 4).reshape(size[1], size[0], 4) % 251
    Image.fromarray(pixels.astype(np.uint8), "RGBA" if mode == "RGBA" else None).convert(mode).save(
        out, kind
    )
    return out.getvalue()


def chunk(name: bytes, data: bytes, *, is_intact: bool = True) -> bytes:
    crc = zlib.crc32(name + data) ^ (not is_intact)
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", crc)


def header(width: int, height: int, depth: int = 8, color: int = 2, interlace: int = 0) -> bytes:
    return chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, color, 0, 0, interlace))


@cache
def samples() -> list[bytes]:
    """Sound pictures of several kinds, and a few of foreign formats."""
    modes = ["1", "L", "LA", "P", "RGB", "RGBA", "I;16"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = [encoded("PNG", mode, (9, 7)) for mode in modes if mode != "I;16"]
        kinds = ("JPEG", "WEBP", "GIF", "BMP", "TIFF", "PPM")
        found += [encoded(kind, "RGB", (9, 7)) for kind in kinds]
    return [*found, b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\nshowpage\n"]


names = st.sampled_from(
    [b"IDAT", b"PLTE", b"tRNS", b"gAMA", b"cHRM", b"sRGB", b"pHYs", b"iCCP", b"tEXt", b"zTXt",
     b"iTXt", b"eXIf", b"acTL", b"fcTL", b"fdAT", b"IEND", b"bKGD", b"\0\0\0\0", b"IHDR", b"tIME"]
)  # fmt: skip
sizes = st.sampled_from([0, 1, 9, 4096, 20_000, 65_535, 2**31 - 1, 2**32 - 1])


@st.composite
def pictures(draw: st.DrawFn) -> bytes:
    """Damaged bytes of a picture, or a PNG put together from odd chunks."""
    match draw(st.sampled_from(["damaged", "damaged", "chunks", "huge", "noise"])):
        case "noise":
            return draw(st.sampled_from([b"", SIGNATURE])) + draw(st.binary(max_size=60))
        case "huge":
            shape = header(draw(sizes), draw(sizes), color=draw(st.sampled_from([0, 2, 3, 6])))
            data = chunk(b"IDAT", zlib.compress(bytes(draw(st.sampled_from([0, 100, 10**6])))))
            return SIGNATURE + shape + data + chunk(b"IEND", b"")
        case "chunks":
            shape = header(
                draw(st.integers(0, 9)),
                draw(st.integers(0, 9)),
                draw(st.sampled_from([1, 2, 4, 8, 16, 3])),
                draw(st.sampled_from([0, 2, 3, 4, 6, 5])),
                draw(st.integers(0, 2)),
            )
            parts = [
                chunk(
                    draw(names),
                    draw(
                        st.sampled_from([zlib.compress(bytes(300)), b""]) | st.binary(max_size=30)
                    ),
                    is_intact=draw(st.integers(0, 9)) > 0,
                )
                for _ in range(draw(st.integers(0, 5)))
            ]
            return SIGNATURE + shape + b"".join(parts) + chunk(b"IEND", b"")
    return damaged_bytes(draw, draw(st.sampled_from(samples())), n_places=3, n_most=8)


@given(pictures())
@fuzz()
def test_a_picture_is_stored_and_labelled_or_refused(data: bytes) -> None:
    """Both ways a picture takes, and both agree on what is one."""
    with scratch() as folder:
        store = ImageStore(folder)
        refused = is_refused(
            "pictures", lambda: store.put(data), DamagedFileError, names="picture to be stored"
        )
        assert not any(folder.iterdir()) or not refused
        if not refused:
            assert store.read(next(folder.glob("*/*.png")).stem).ndim == 3
    is_labelled = not is_refused(
        "pictures to label",
        lambda: label_picture(data, "Current State", "x"),
        RenderError,
        names="x",
    )
    assert is_labelled or refused


@given(pictures())
@fuzz()
def test_a_given_picture_is_refused_or_becomes_one_that_stays(data: bytes) -> None:
    """What was read once is an ordinary PNG: nothing is left to turn, to fill or to convert."""
    try:
        picture = given_picture(data, "x")
    except DamagedFileError as error:
        check_message(str(error), "x")
        count("given pictures", "refused")
        return
    count("given pictures", "converted" if picture.png != data else "kept")
    size = picture.width_px, picture.height_px
    assert given_picture(picture.png, "x") == (picture.png, *size, "PNG", False, False)
    assert decode_png(picture.png, "x").size == size


@pytest.mark.parametrize("edge", [10_000, 15_000, 60_000, 2**31 - 1])
def test_a_picture_of_absurd_size_is_refused(edge: int) -> None:
    """A kilobyte that decodes to gigabytes; Pillow only warns of some of them."""
    data = SIGNATURE + header(edge, edge) + chunk(b"IDAT", zlib.compress(bytes(10**6)))
    data += chunk(b"IEND", b"")
    with scratch() as folder, pytest.raises(DamagedFileError, match="pixels"):
        ImageStore(folder).put(data)
    with pytest.raises(RenderError, match="pixels"):
        label_picture(data, "Current State", "x")
    count("pictures", "refused")


@cache
def videos() -> list[bytes]:
    import av

    found = []
    for codec, suffix in (("mpeg4", "mp4"), ("mjpeg", "avi"), ("mpeg4", "mkv")):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"v.{suffix}"
            with av.open(str(path), "w") as container:
                stream = container.add_stream(codec, rate=Fraction(30))
                stream.width, stream.height = 48, 32
                stream.pix_fmt = "yuvj420p" if codec == "mjpeg" else "yuv420p"
                for k in range(N_FRAMES):
                    pixels = np.full((32, 48, 3), 20 * k, np.uint8)
                    frame = av.VideoFrame.from_ndarray(pixels, format="rgb24")
                    container.mux(stream.encode(frame))
                container.mux(stream.encode())
            found.append(path.read_bytes())
    return found


@st.composite
def broken_videos(draw: st.DrawFn) -> bytes:
    match draw(st.sampled_from(["video", "video", "video", "picture", "noise"])):
        case "noise":
            return draw(st.binary(max_size=200))
        case "picture":
            return draw(st.sampled_from(samples()))
    return damaged_bytes(draw, draw(st.sampled_from(videos())), n_places=4, n_most=12)


@given(broken_videos(), st.sampled_from(["mp4", "mkv", "mov", "avi", "webm"]))
@fuzz(0.5)
def test_a_video_gives_all_frames_or_is_refused(data: bytes, suffix: str) -> None:
    with scratch() as folder:
        path = folder / f"external_sensor1.{suffix}"
        path.write_bytes(data)
        found: list[tuple[int, bytes]] = []
        wanted = {0: 1, 3: 4, N_FRAMES - 1: N_FRAMES}
        if not is_refused(
            "videos",
            lambda: found.extend(read_pictures(folder, wanted, N_FRAMES)),
            RenderError,
            names=str(path),
        ):
            assert [frame for frame, _ in found] == list(wanted)


@pytest.mark.parametrize("place", ["folder", "loop", "dangling", "file instead of folder"])
def test_what_is_no_file_in_the_place_of_a_picture_is_an_error_or_missing(
    place: str, tmp_path: Path
) -> None:
    camera = tmp_path / "external_sensor1"
    if place == "file instead of folder":
        camera.write_bytes(b"")
    else:
        camera.mkdir()
        path = picture_file(tmp_path, 5)
        if place == "folder":
            path.mkdir()
        else:
            path.symlink_to(path if place == "loop" else tmp_path / "gone")
    if not is_refused(
        "pictures",
        lambda: list(read_pictures(tmp_path, {4: 5}, N_FRAMES)),
        RenderError,
        names=str(tmp_path),
    ):
        assert place == "dangling"
