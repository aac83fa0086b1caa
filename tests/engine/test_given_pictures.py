"""Pictures as people give them: by what they are, on white, upright, or refused with a way out."""

import io
import zlib
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from enact_assets.engine.errors import DamagedFileError
from enact_assets.engine.given_pictures import decode_png, given_picture, undecoded_size

from reference.png_files import png_file

PIXELS = np.random.default_rng(5).integers(0, 256, (40, 56, 3), dtype=np.uint8)


def encoded(image: Image.Image, kind: str = "PNG", **options: object) -> bytes:
    out = io.BytesIO()
    image.save(out, kind, **options)
    return out.getvalue()


def shown(content: bytes) -> NDArray[np.int64]:
    return np.asarray(decode_png(given_picture(content, "x").png, "x"), dtype=np.int64)


@pytest.mark.parametrize("mode", ["RGB", "L", "1", "P", "RGBA", "LA"])
def test_an_ordinary_png_stays_byte_for_byte(mode: str) -> None:
    content = encoded(Image.fromarray(PIXELS).convert(mode))
    picture = given_picture(content, "x")
    assert picture == (content, 56, 40, "PNG", False, False)


@pytest.mark.parametrize(
    ("kind", "options"), [("JPEG", {"quality": 95}), ("WEBP", {"lossless": True})]
)
def test_other_kinds_are_read_whatever_they_are_called(kind: str, options: dict[str, int]) -> None:
    smooth = np.dstack([np.add.outer(np.arange(40), np.arange(56)).astype(np.uint8)] * 3)
    content = encoded(Image.fromarray(smooth), kind, **options)
    picture = given_picture(content, "00001.png")
    assert picture.png.startswith(b"\x89PNG")
    assert picture.kind.upper() == kind
    assert abs(shown(content) - smooth).max() < 4


def on_white_by_hand(rgba: NDArray[np.uint8]) -> NDArray[np.float64]:
    alpha = rgba[..., 3:].astype(float) / 255
    return rgba[..., :3] * alpha + 255 * (1 - alpha)


def test_what_is_transparent_shows_white() -> None:
    """Hidden colours showed, or the model was sent the transparency."""
    alpha = np.random.default_rng(6).integers(0, 256, (40, 56, 1), dtype=np.uint8)
    rgba = np.concatenate([PIXELS, alpha], axis=2)
    content = encoded(Image.fromarray(rgba))
    assert abs(shown(content) - on_white_by_hand(rgba)).max() <= 1
    assert given_picture(content, "x").is_on_white
    hidden = Image.fromarray(PIXELS).convert("P")
    assert (shown(encoded(hidden, transparency=bytes(256))) == 255).all()


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP"])
@pytest.mark.parametrize("held", range(10))
def test_a_camera_that_was_held_otherwise_is_turned_once(held: int, kind: str) -> None:
    """The eight ways of EXIF, and two that mean nothing."""
    marks = np.full((64, 96, 3), 255, np.uint8)
    marks[:32, :48], marks[:32, 48:], marks[32:, :48] = 0, (255, 0, 0), (0, 0, 255)
    exif = Image.Exif()
    exif[0x0112] = held
    content = encoded(Image.fromarray(marks), kind, exif=exif)
    upright = {
        2: marks[:, ::-1], 3: marks[::-1, ::-1], 4: marks[::-1], 5: marks.transpose(1, 0, 2),
        6: np.rot90(marks, -1), 7: np.rot90(marks, 2).transpose(1, 0, 2), 8: np.rot90(marks),
    }  # fmt: skip
    wanted = upright.get(held, marks).astype(int)
    picture = given_picture(content, "x")
    assert (picture.height_px, picture.width_px) == wanted.shape[:2]
    assert picture.is_turned == (held in upright)
    centres = slice(12, None, 16)
    assert abs(shown(content) - wanted)[centres, centres].max() < 90
    again = given_picture(picture.png, "x")
    assert (again.png, again.is_turned) == (picture.png, picture.is_turned and again.is_turned)
    assert (kind == "PNG" and not picture.is_turned) or again == (*picture[:3], "PNG", False, False)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (encoded(Image.fromarray(np.full((4, 4), 900, np.uint16))), "more than 8 bits.*convert it"),
        (b"GIF89a" + bytes(40), "does not decode as PNG, JPEG or WebP"),
        (encoded(Image.fromarray(PIXELS), "JPEG")[:700], "does not decode as JPEG"),
        (encoded(Image.fromarray(PIXELS), "WEBP")[:300], "does not decode as WebP"),
        (encoded(Image.fromarray(PIXELS))[:300], "does not decode as PNG"),
        (b"", "does not decode as PNG"),
    ],
)
def test_what_is_no_picture_is_refused(content: bytes, words: str) -> None:
    with pytest.raises(DamagedFileError, match=f"00001.png: .*{words}"):
        given_picture(content, "00001.png")


def test_several_pictures_in_one_file_are_refused() -> None:
    frames = [Image.fromarray(PIXELS), Image.fromarray(255 - PIXELS)]
    content = encoded(frames[0], "WEBP", save_all=True, append_images=frames[1:])
    with pytest.raises(DamagedFileError, match="x: has 2 pictures, expected one"):
        given_picture(content, "x")


def test_sixteen_bits_of_colour_are_refused_too() -> None:
    """Pillow drops the lower half without a word."""
    rows = b"".join(b"\0" + bytes(range(6)) * 2 for _ in range(2))
    head = bytes([0, 0, 0, 2, 0, 0, 0, 2, 16, 2, 0, 0, 0])
    with pytest.raises(DamagedFileError, match="more than 8 bits"):
        given_picture(png_file(head, (b"IDAT", zlib.compress(rows))), "x")


@pytest.mark.parametrize(
    ("depth", "row", "levels"),
    [(1, 0b01000000, [0, 255]), (2, 0b00011011, [0, 255, 170, 255]), (4, 0x1F, [255, 255])],
)
def test_a_transparent_grey_of_few_bits_is_white(depth: int, row: int, levels: list[int]) -> None:
    """Pillow scales the greys of 2 and 4 bits to 8, and not the one that is transparent."""
    head = bytes([0, 0, 0, 8 // depth, 0, 0, 0, 1, depth, 0, 0, 0, 0])
    content = png_file(head, (b"tRNS", b"\0\1"), (b"IDAT", zlib.compress(bytes([0, row]))))
    assert shown(content)[0, : len(levels), 0].tolist() == levels


def test_a_damaged_note_of_a_camera_is_passed_over_in_silence(
    tmp_path: Path, recwarn: pytest.WarningsRecorder
) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    content = encoded(Image.fromarray(PIXELS), "JPEG", exif=exif.tobytes()[:20])
    assert not given_picture(content, "x").is_turned
    (tmp_path / "x.jpg").write_bytes(content)
    assert undecoded_size(tmp_path / "x.jpg") == (56, 40)
    assert not [str(found.message) for found in recwarn.list]
    (tmp_path / "x.jpg").write_bytes(encoded(Image.fromarray(PIXELS), "JPEG", exif=exif))
    assert undecoded_size(tmp_path / "x.jpg") == (40, 56)
