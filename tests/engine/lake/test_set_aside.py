"""Damage anywhere in a file: whoever reads it finds it, and the partition is made again."""

import errno
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from enact_assets.answers.baselines.tables import Predictions
from enact_assets.demonstrations.pictures.render_pool import encode_png
from enact_assets.demonstrations.replay.tables import Facts
from enact_assets.engine.errors import (
    DamagedFileError,
    LakeError,
    MissingPartitionError,
    UnreadableFileError,
)
from enact_assets.engine.lake import file_verification as verification
from enact_assets.engine.lake import lake as lake_module
from enact_assets.engine.lake import parquet_files
from enact_assets.engine.lake.damage import ANSWERS, heal, inspect
from enact_assets.engine.lake.file_errors import TableFile
from enact_assets.engine.lake.image_store import ImageStore, picture_name
from enact_assets.engine.lake.lake import Lake
from enact_assets.engine.lake.lake_index import LakeIndex
from enact_assets.engine.lake.parquet_files import (
    N_ROWS,
    intact_key_values,
    needed_bytes,
    read_key_values,
)
from enact_assets.engine.lake.seals import SEAL, is_intact, sealed_parquet
from enact_assets.engine.progress import Progress
from enact_assets.engine.publishing.publishable import find_sources
from enact_assets.engine.tables import table

CUPS, OTHER = {"demonstration": "cups-0"}, {"demonstration": "other-0"}
PATH = "facts/cups-0.parquet"
ANSWERED = {"model": "random", "variant": "baseline"}


def facts(demonstration: str = "cups-0", n_rows: int = 300) -> pl.DataFrame:
    row = {"demonstration": demonstration, "predicate": "OnTop", "object": "table_0"}
    return Facts.build(
        [{**row, "subject": f"cup_{i}", "frame_from": i, "frame_to": i + 1} for i in range(n_rows)]
    )


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    lake = Lake(tmp_path / "lake")
    lake.write("facts", facts(), CUPS)
    lake.write("facts", facts("other-0"), OTHER)
    return lake


@pytest.fixture
def images(tmp_path: Path) -> ImageStore:
    return ImageStore(tmp_path / "images")


def in_a_page(path: Path) -> int:
    column = pq.read_metadata(path).row_group(0).column(2)
    return column.dictionary_page_offset + column.total_compressed_size // 2


def between_pages(path: Path) -> int:
    return pq.read_metadata(path).row_group(0).column(2).dictionary_page_offset + 1


def in_the_footer(path: Path) -> int:
    content = path.read_bytes()
    return len(content) - needed_bytes(content) + 3


def after(key: bytes, n_more: int = 0) -> Callable[[Path], int]:
    return lambda path: path.read_bytes().rfind(key) + len(key) + n_more


SECTIONS: dict[str, Callable[[Path], int]] = {
    "magic": lambda _: 1,
    "page": in_a_page,
    "between pages": between_pages,
    "column metadata": in_the_footer,
    "rows' hash": after(b"enact.content_sha", 10),
    "partition": after(b"enact.partition", 5),
    "key of a value": after(b"enact.tab"),
    "key of the number of rows": after(b"enact.n_r"),
    "key of the seal": after(b"enact.se"),
    "seal": after(b"enact.seal", 20),
    "length of the footer": lambda path: path.stat().st_size - 8,
    "magic at the end": lambda path: path.stat().st_size - 1,
}


def read(lake: Lake, _: Path) -> None:
    lake.read("facts", CUPS)


def publish(lake: Lake, folder: Path) -> None:
    with find_sources(lake, {}, folder / "near", {}) as sources:
        sources.verify("facts")
        sources.refuse_damaged()


def flip(path: Path, at: int) -> bytes:
    content = bytearray(path.read_bytes())
    content[at] ^= 1
    path.write_bytes(content)
    return bytes(content)


def expect_to_be_made_again(lake: Lake, aside: str, content: bytes, index: Path) -> None:
    """The damaged file is kept beside, a plan gives the reason, and a new file takes its place."""
    assert (lake.root / aside).read_bytes() == content
    assert lake.partitions("facts") == [OTHER]
    with pytest.raises(MissingPartitionError):
        lake.read("facts", CUPS)
    found = LakeIndex(lake, index).scan()["facts"]
    assert found["cups-0",].problem == f"its file was damaged, and set aside as {aside}"
    assert found["other-0",].problem is None
    assert (lake.where_aside("facts", CUPS), lake.where_aside("facts", OTHER)) == (aside, None)
    assert lake.foreign_files() == []
    lake.write("facts", facts(), CUPS)
    assert LakeIndex(lake, index).scan()["facts"]["cups-0",].problem is None
    assert lake.read("facts", CUPS).equals(facts())


@pytest.fixture
def kept(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Large files are not read into memory as a whole."""
    if request.param == "in chunks":
        for module in (parquet_files, verification, lake_module):
            monkeypatch.setattr(module, "SEAL_BYTES", 100)
        monkeypatch.setattr(parquet_files, "FOOTER_BYTES", 16)


@pytest.mark.usefixtures("kept")
@pytest.mark.parametrize(
    ("find", "kept"),
    [
        *((find, "as a whole") for find in (read, publish, inspect)),
        (read, "in chunks"),
        *(pytest.param(f, "in chunks", marks=pytest.mark.slow) for f in (publish, inspect)),
    ],
    indirect=["kept"],
)
@pytest.mark.parametrize("section", SECTIONS)
def test_one_flipped_bit_anywhere_is_found_and_its_file_set_aside(
    lake: Lake, images: ImageStore, tmp_path: Path, section: str, find: Callable[..., object]
) -> None:
    """Footers are all that a plan reads: it would call the partition fresh for ever."""
    path = lake.root / PATH
    content = flip(path, SECTIONS[section](path))
    if find is inspect:
        found = inspect(lake, images)
        n_bytes = len(content) + lake.path("facts", OTHER).stat().st_size
        assert (found.n_files, found.n_bytes) == (2, n_bytes)
        [damage] = found.damaged
        aside = str(damage.aside)
        assert str(path) in damage.file.reason
        assert not found.is_whole
        assert inspect(lake, images).is_whole
    else:
        with pytest.raises(DamagedFileError, match=PATH) as caught:
            find(lake, tmp_path)
        healed = str(heal(caught.value, lake, images))
        first, _, aside = healed.rpartition("\n")
        assert str(path) in first
        assert "the next `enact-assets materialize` makes its partition again" in first
        assert "enact-assets verify" not in healed
        # Another process, which found the same at the same time.
        assert str(heal(caught.value, lake, images)) == healed
    inside = Path(aside).relative_to(lake.root).as_posix()
    assert inside.startswith(f"{PATH}.damaged-")
    expect_to_be_made_again(lake, inside, content, tmp_path / "index")


def test_a_file_that_was_replaced_meanwhile_stays(lake: Lake, images: ImageStore) -> None:
    """Another process made the partition again: to set its file aside would undo that."""
    flip(lake.root / PATH, 200)
    with pytest.raises(DamagedFileError) as caught:
        lake.read("facts", CUPS)
    lake.write("facts", facts(n_rows=3), CUPS)
    assert heal(caught.value, lake, images) is caught.value
    assert lake.read("facts", CUPS).height == 3
    assert lake.where_aside("facts", CUPS) is None


def test_a_file_that_is_replaced_in_the_last_moment_stays(
    lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the last look and the renaming."""
    place = lake.place
    listed = place.entry(PATH)
    assert listed is not None
    look = place.entry

    def replace_then(name: str) -> object:
        monkeypatch.undo()
        found = look(name)
        lake.write("facts", facts(n_rows=3), CUPS)
        return found

    monkeypatch.setattr(place, "entry", replace_then)
    assert not place.set_aside(listed, f"{PATH}.damaged-0")
    assert lake.read("facts", CUPS).height == 3
    assert lake.where_aside("facts", CUPS) is None


@pytest.mark.parametrize("code", [errno.EIO, errno.EACCES, errno.EMFILE])
def test_a_file_that_the_system_does_not_give_is_not_set_aside(
    lake: Lake, images: ImageStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    """A cable that is loose for a minute must not cost a lake."""
    sha = images.put(encode_png(np.zeros((2, 2, 3), np.uint8)))

    def refuse(*_: object) -> object:
        raise OSError(code, os.strerror(code))

    for place in (lake.place, images.place):
        for method in ("open", "read", "tail"):
            monkeypatch.setattr(place, method, refuse)
        monkeypatch.setattr(
            place, "tails", lambda entries, _: (OSError(code, os.strerror(code)) for _ in entries)
        )
    for ask in (lambda: lake.read("facts", CUPS), lambda: images.read(sha)):
        with pytest.raises(UnreadableFileError, match=os.strerror(code)):
            ask()
    with pytest.raises(DamagedFileError, match=os.strerror(code)) as caught:
        publish(lake, tmp_path)
    assert heal(caught.value, lake, images) is caught.value
    found = inspect(lake, images)
    assert (len(found.unreadable), found.damaged, found.is_whole) == (3, [], False)
    monkeypatch.undo()
    assert inspect(lake, images).is_whole
    assert lake.partitions("facts") == [CUPS, OTHER]


def test_a_file_that_is_whole_is_not_damaged_whatever_it_holds(
    lake: Lake, images: ImageStore, tmp_path: Path
) -> None:
    """Another version's, or one that was copied to a wrong name: a plan sees that by itself."""
    (lake.root / PATH).write_bytes((lake.root / "facts/other-0.parquet").read_bytes())
    found = inspect(lake, images)
    assert (found.is_whole, found.damaged, len(found.misfits)) == (True, [], 1)
    for find in (read, publish):
        with pytest.raises(DamagedFileError, match="its file is of facts") as caught:
            find(lake, tmp_path)
        assert heal(caught.value, lake, images) is caught.value
    assert (lake.root / PATH).exists()


def test_a_file_that_a_library_no_longer_parses_is_not_damaged(
    lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else an upgrade of it could set a whole lake aside."""
    monkeypatch.setattr(parquet_files, "needed_bytes", lambda _: 9)
    with pytest.raises(DamagedFileError):
        lake.read("facts", CUPS)
    assert lake.set_aside("facts", CUPS) is None
    assert lake.exists("facts", CUPS)


def test_a_disk_that_is_read_only_is_named(
    lake: Lake, images: ImageStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    flip(lake.root / PATH, 200)

    def refuse(self: Path, _: object) -> Path:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(self))

    monkeypatch.setattr(Path, "rename", refuse)
    with pytest.raises(DamagedFileError) as caught:
        lake.read("facts", CUPS)
    assert "cannot be set aside (Read-only file system)" in str(heal(caught.value, lake, images))
    with pytest.raises(LakeError, match="cannot be set aside"):
        lake.set_aside("facts", CUPS)
    [damage] = inspect(lake, images).damaged
    assert (damage.aside, "Read-only" in str(damage.refusal)) == (None, True)


def test_a_damaged_picture_is_set_aside_and_can_be_stored_again(
    lake: Lake, images: ImageStore, tmp_path: Path
) -> None:
    """Then its partition lacks a picture, so it is made again."""
    png = encode_png(np.full((4, 4, 3), 7, np.uint8))
    sha = images.put(png)
    content = flip(images.path(sha), 30)
    with pytest.raises(DamagedFileError) as caught:
        images.read(sha)
    aside = Path(str(heal(caught.value, lake, images)).rpartition("\n")[2])
    assert aside.read_bytes() == content
    assert aside.name.startswith(f"{sha}.png.damaged-")
    assert (images.exists(sha), list(images.entries()), images.foreign_files()) == (False, [], [])
    assert images.put(png) == sha
    flip(images.path(sha), 30)
    [damage] = inspect(lake, images).damaged
    assert picture_name(sha) in damage.file.reason
    assert not images.exists(sha)


def test_answers_are_said_to_stay(lake: Lake, images: ImageStore) -> None:
    """To ask again may cost money."""
    lake.write("predictions", Predictions.empty(), ANSWERED)
    flip(lake.path("predictions", ANSWERED), 100)
    with pytest.raises(DamagedFileError) as caught:
        lake.read("predictions", ANSWERED)
    assert ANSWERS in str(heal(caught.value, lake, images))


def test_a_table_without_partitions_has_a_file_that_can_be_damaged(
    lake: Lake, tmp_path: Path
) -> None:
    """It stands in the root of the lake, beside folders."""
    name = "published_probes"
    lake.write(name, table(name).empty())
    flip(lake.path(name), 100)
    aside = lake.set_aside(name)
    assert aside is not None
    problem = LakeIndex(lake, tmp_path / "index").scan()[name][()].problem
    assert problem is not None
    assert Path(aside).name in problem
    lake.write(name, table(name).empty())
    assert LakeIndex(lake, tmp_path / "index").scan()[name][()].problem is None
    assert lake.foreign_files() == []


def test_what_is_looked_at_is_told(lake: Lake, images: ImageStore) -> None:
    images.put(encode_png(np.zeros((2, 2, 3), np.uint8)))
    told: list[Progress] = []
    found = inspect(lake, images, told.append)
    said = [(progress.text, progress.done, progress.total) for progress in told]
    assert said == [("facts", 2, 3), ("pictures", 3, 3)]
    assert (found.n_files, found.n_pictures) == (2, 1)


ZEROS = "0" * 64


def sealed(rows: int = 3) -> tuple[bytes, str]:
    # Zeros like those that hold the seal's place stand in the rows, and so in the statistics.
    table = pa.table({"sha": [ZEROS] * rows, "said": [SEAL] * rows})
    content = sealed_parquet(table, {"more": "1"}, compression="zstd", write_page_checksum=True)
    return content, read_key_values(content)[SEAL]


def test_a_sealed_file_is_parquet_with_all_its_metadata() -> None:
    content, seal = sealed()
    assert is_intact(content)
    assert pq.ParquetFile(pa.BufferReader(content)).read().num_rows == 3
    assert read_key_values(content)["more"] == "1"
    assert sealed() == (content, seal)  # equal rows, equal bytes


def test_every_flipped_bit_breaks_the_seal() -> None:
    """Page checksums leave out page headers, the footer and the metadata."""
    content, _ = sealed()
    for at in range(len(content)):
        for bit in range(8):
            changed = bytearray(content)
            changed[at] ^= 1 << bit
            assert not is_intact(bytes(changed)), (at, bit)


@pytest.mark.parametrize("content", [b"", b"PAR1", SEAL.encode() + b"\x18\x40" + b"0" * 10])
def test_what_has_no_seal_is_not_intact(content: bytes) -> None:
    assert not is_intact(content)


def test_a_changed_file_is_found_before_anything_parses_it(
    capfd: pytest.CaptureFixture[str],
) -> None:
    """A parser in Rust prints a panic on some flipped bits, which no Python code can prevent."""
    rows = pa.table({"sha": [ZEROS] * 3})
    content = sealed_parquet(rows, {N_ROWS: "3"}, compression="zstd")
    file = TableFile("here", table("actions"), {"demonstration": "cups-0"})
    for bit in range(8 * len(content)):
        changed = bytearray(content)
        changed[bit // 8] ^= 1 << bit % 8
        with pytest.raises((DamagedFileError, pa.ArrowInvalid)):
            intact_key_values(bytes(changed), file)
    assert capfd.readouterr().err == ""
