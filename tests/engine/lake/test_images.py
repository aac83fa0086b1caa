"""The image store: a picture is what its name says, or it is an error; a render is paid once."""

import io
import struct
import zlib
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from enact_assets.engine.errors import (
    DamagedFileError,
    LakeError,
    MissingPartitionError,
    OutputError,
)
from enact_assets.engine.given_pictures import MAX_PIXELS
from enact_assets.engine.lake.image_store import ImageStore

from reference.png_files import png_file

RENDER = "ab" * 32


def png(value: int = 7, mode: str = "RGB", size: tuple[int, int] = (4, 3)) -> bytes:
    pixels = np.full((size[1], size[0], 3), value, dtype=np.uint8)
    pixels[0, 1] = (1, 2, 3)
    out = io.BytesIO()
    Image.fromarray(pixels).convert(mode).save(out, "PNG")
    return out.getvalue()


@pytest.fixture
def store(tmp_path: Path) -> ImageStore:
    return ImageStore(tmp_path / "images")


def test_a_picture_reads_back_as_height_width_channels(store: ImageStore) -> None:
    """Width and height swapped would pass unnoticed on square pictures."""
    read = store.read(store.put(png()))
    assert read.shape == (3, 4, 3)
    assert read.dtype == np.uint8
    assert read[0, 1].tolist() == [1, 2, 3]
    assert read[2, 3].tolist() == [7, 7, 7]
    assert read.flags.writeable
    assert read.flags.c_contiguous


@pytest.mark.parametrize("mode", ["L", "P", "RGBA"])
def test_other_eight_bit_pictures_come_out_as_rgb(store: ImageStore, mode: str) -> None:
    """Imported pictures are not always RGB."""
    assert store.read(store.put(png(51, mode)))[2, 2].tolist() == [51, 51, 51]


def test_the_same_picture_is_stored_once_under_the_hash_of_its_file(store: ImageStore) -> None:
    """The public release stores every picture again for every question."""
    sha = store.put(png())
    assert store.put(png()) == sha
    files = [p for p in store.root.rglob("*") if p.is_file()]
    assert files == [store.root / sha[:2] / f"{sha}.png"] == [store.path(sha)]
    assert store.exists(sha)
    assert not store.exists("0" * 64)


@pytest.mark.parametrize("content", [b"", b"not a picture", png()[:-30], b"GIF89a" + b"\0" * 40])
def test_bytes_that_do_not_decode_are_never_stored(store: ImageStore, content: bytes) -> None:
    """A truncated picture would otherwise be found out only when a model is asked."""
    with pytest.raises(DamagedFileError, match="does not decode as PNG"):
        store.put(content)
    assert not store.root.exists()


def test_a_changed_file_is_an_error_and_put_repairs_it(store: ImageStore) -> None:
    """Another picture under this name would be evidence for a question it does not belong to."""
    sha = store.put(png(1))
    store.path(sha).write_bytes(png(2))
    with pytest.raises(DamagedFileError, match=r"truncated or changed.*enact-assets verify"):
        store.read(sha)
    store.put(png(1))
    assert store.read(sha)[2, 2].tolist() == [1, 1, 1]


def test_a_missing_picture_says_what_to_materialize(store: ImageStore) -> None:
    with pytest.raises(MissingPartitionError, match="Materialize the frame_images partition"):
        store.read("0" * 64)
    with pytest.raises(LakeError, match="not a SHA-256"):
        store.path("../../etc/passwd")


def test_a_render_is_found_only_while_its_picture_is_intact(store: ImageStore) -> None:
    """A cache that names a picture that is gone would leave a hole where a render was due."""
    assert store.find(RENDER) is None
    sha = store.put(png(5))
    store.remember(RENDER, sha)
    assert store.find(RENDER) == sha
    whole = store.path(sha).read_bytes()
    store.path(sha).write_bytes(whole[:-1])
    assert store.find(RENDER) is None
    store.path(sha).unlink()
    assert store.find(RENDER) is None
    store.put(png(5))
    assert store.find(RENDER) == sha


@pytest.mark.parametrize("content", [b"", b"0" * 63, b"../../x", b"\xff" * 64])
def test_a_damaged_cache_entry_is_as_good_as_none(store: ImageStore, content: bytes) -> None:
    """The entry is only a shortcut: the render can always be made again."""
    store.remember(RENDER, store.put(png()))
    (store.root / "renders" / RENDER[:2] / RENDER).write_bytes(content)
    assert store.find(RENDER) is None


def test_a_render_cannot_be_remembered_before_its_picture_is_stored(store: ImageStore) -> None:
    with pytest.raises(MissingPartitionError, match="before its render is recorded"):
        store.remember(RENDER, "0" * 64)


def test_a_killed_put_leaves_no_picture(store: ImageStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """Half a picture under a full name would be trusted by name."""

    def full_disk(path: Path) -> None:
        raise OSError(28, "No space left on device", str(path))

    monkeypatch.setattr("enact_assets.engine.system.atomic.flush_to_disk", full_disk)
    with pytest.raises(OutputError, match=r"No space left.*Free some space"):
        store.put(png())
    assert [p for p in store.root.rglob("*") if p.is_file()] == []


@pytest.mark.parametrize(
    ("width", "height"), [(1, MAX_PIXELS + 1), (10_000, 10_000), (2**31 - 1,) * 2]
)
def test_a_picture_of_absurd_size_is_refused_before_it_is_decoded(
    store: ImageStore, width: int, height: int
) -> None:
    """Some hundred bytes may unpack to more than there is memory; Pillow only warns of most."""
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    content = png_file(head, (b"IDAT", zlib.compress(b"")))
    with pytest.raises(DamagedFileError, match=f"{width} x {height} pixels"):
        store.put(content)


def test_a_palette_with_transparency_is_no_matter_of_warnings(store: ImageStore) -> None:
    """Warnings are errors in a test suite, so a sound picture would end a run there."""
    image = Image.fromarray(np.full((3, 4), 2, np.uint8)).convert("P")
    out = io.BytesIO()
    image.save(out, "PNG", transparency=b"\x00\x80\xff")
    assert store.read(store.put(out.getvalue())).shape == (3, 4, 3)
