"""Scans of the lake: quick where nothing changed, and right whatever the cache says.

Only folders that changed are listed."""

import errno
import multiprocessing
import os
import resource
import sqlite3
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from enact_assets.demonstrations.pictures.tables import FrameImages
from enact_assets.demonstrations.replay.tables import Facts, Objects
from enact_assets.engine.errors import DamagedFileError, LakeError
from enact_assets.engine.lake import listed_files, parquet_files, settling
from enact_assets.engine.lake.file_metadata import FileRecord
from enact_assets.engine.lake.image_store import ImageStore, picture_name
from enact_assets.engine.lake.lake import Lake
from enact_assets.engine.lake.lake_index import LakeIndex, Scan, missing_images
from enact_assets.engine.lake.parquet_files import FOOTER_BYTES, MAX_HEADS
from enact_assets.engine.provenance import InputVersion, Provenance
from enact_assets.engine.system import many_files
from enact_assets.engine.system.local_places import Listed, LocalPlace
from enact_assets.engine.system.places import Entry, Place
from enact_assets.engine.tables import TABLES, table

PROVENANCE = Provenance("c0de", {"facts": InputVersion("ab" * 32, 1)})
WHOLE_TABLE = "published_accuracies"
LONG_AGO = (1_000_000_000, 1_000_000_000)
SHAS = [f"{i:016x}" + "0" * 48 for i in (3, 1, 2)]


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    lake = Lake(tmp_path / "lake")
    for name in ("a-0", "a-1", "b-0"):
        write(lake, name)
    return lake


def write(lake: Lake, name: str, n_frames: int = 1) -> str:
    row = {"demonstration": name, "predicate": "Exists", "subject": "cup", "frame_from": 0}
    rows = Facts.build([{**row, "frame_to": n_frames}])
    sha = lake.write("facts", rows, {"demonstration": name}, PROVENANCE)
    os.utime(lake.path("facts", {"demonstration": name}), LONG_AGO)
    return sha


def write_pictures(lake: Lake, name: str, shas: list[str]) -> None:
    shared = {"demonstration": name, "variant": "baseline", "gating": "state", "frame": 0}
    size = {"render_sha": "1" * 64, "width_px": 1, "height_px": 1}
    rows = [{**shared, **size, "key_frame": k, "image_sha": s} for k, s in enumerate(shas)]
    partition = {"demonstration": name, "variant": "baseline"}
    lake.write("frame_images", FrameImages.build(rows), partition)
    os.utime(lake.path("frame_images", partition), LONG_AGO)


@pytest.fixture
def index(lake: Lake, tmp_path: Path) -> LakeIndex:
    return LakeIndex(lake, tmp_path / "catalogue.db")


def test_every_file_is_found_with_what_it_says(lake: Lake, index: LakeIndex) -> None:
    shares: list[float] = []
    index.files(on_progress=shares.append)
    found = index.scan()
    assert set(found) == set(TABLES)
    assert list(found["facts"]) == [("a-0",), ("a-1",), ("b-0",)]
    for values, record in found["facts"].items():
        metadata = lake.metadata("facts", {"demonstration": values[0]})
        assert record.content_sha == metadata.content_sha
        assert record.provenance == PROVENANCE
        assert (record.problem, record.images, record.mtime_ns) == (None, None, 10**18)
    assert shares == sorted(shares)
    assert shares[-1] == 1.0


def test_a_file_that_did_not_change_is_not_opened_again(
    lake: Lake, index: LakeIndex, opened: list[str]
) -> None:
    """Half a million files are listed in seconds, and read in a minute."""
    before = index.scan()
    assert len(opened) == 3
    opened.clear()
    assert index.scan() == before
    assert index.scan(["facts"])["facts"] == before["facts"]
    assert opened == []
    write(lake, "a-1", n_frames=2)
    (lake.root / "facts/b-0.parquet").unlink()
    after = index.scan()["facts"]
    assert opened == ["facts/a-1.parquet"]
    assert list(after) == [("a-0",), ("a-1",)]
    assert after["a-1",] != before["facts"]["a-1",]


def test_a_scan_that_learns_nothing_writes_nothing(
    lake: Lake, index: LakeIndex, tmp_path: Path, opened: list[str]
) -> None:
    """In the first hour after a walk, the newest file of every table is too young to remember."""
    catalogue = tmp_path / "catalogue.db"
    os.utime(lake.path("facts", {"demonstration": "b-0"}))
    index.scan()
    first = catalogue.stat()
    assert set(index.scan()["facts"]) == {("a-0",), ("a-1",), ("b-0",)}
    assert catalogue.stat() == first
    # A young file that replaces an old one: what was remembered of the old one goes.
    write(lake, "a-1", n_frames=2)
    os.utime(lake.path("facts", {"demonstration": "a-1"}))
    index.scan()
    opened.clear()
    assert index.scan()["facts"]["a-1",].content_sha == lake.content_sha(
        "facts", {"demonstration": "a-1"}
    )
    assert opened == ["facts/a-1.parquet", "facts/b-0.parquet"]


def test_the_file_of_a_table_without_partitions_is_known_again(
    lake: Lake, index: LakeIndex, opened: list[str]
) -> None:
    """Its name has no values: an hour after it was published, each second plan failed."""
    lake.write(WHOLE_TABLE, table(WHOLE_TABLE).empty(), {})
    os.utime(lake.path(WHOLE_TABLE, {}), LONG_AGO)
    first = index.scan([WHOLE_TABLE])
    assert list(first[WHOLE_TABLE]) == [()]
    opened.clear()
    assert index.scan([WHOLE_TABLE]) == first
    assert opened == []


def test_a_file_of_equal_size_and_time_is_still_known_as_another(
    lake: Lake, index: LakeIndex
) -> None:
    """Clocks jump back, and copies keep times: a plan must not call the new rows the old ones."""
    index.scan()
    path = lake.path("facts", {"demonstration": "a-0"})
    size = path.stat().st_size
    sha = write(lake, "a-0", n_frames=2)  # at the very same nanosecond
    assert path.stat().st_size == size
    assert index.scan()["facts"]["a-0",].content_sha == sha


@pytest.mark.parametrize("ahead_s", [0.0, 3600.0])
def test_what_may_still_be_written_within_the_same_tick_is_read_again(
    lake: Lake, index: LakeIndex, opened: list[str], ahead_s: float
) -> None:
    """As in git's index: a file just written, or one from the future, may change and look equal."""
    path = lake.path("facts", {"demonstration": "a-0"})
    os.utime(path, (time.time() + ahead_s,) * 2)
    index.scan()
    opened.clear()
    index.scan()
    assert opened == ["facts/a-0.parquet"]


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-30])


def test_files_that_are_not_the_partition_have_a_problem_in_words(
    lake: Lake, index: LakeIndex
) -> None:
    """One bad file among half a million must not end the plan that would replace it."""
    facts = lake.root / "facts"
    write(lake, "c-0")
    (facts / "b-0.parquet").write_bytes((facts / "c-0.parquet").read_bytes())
    _cut(facts / "a-0.parquet")
    (facts / "d-0.parquet").write_bytes(b"")
    pl.DataFrame({"x": [1]}).write_parquet(facts / "e-0.parquet")
    (facts / "notes.txt").write_text("foreign")
    (facts / "deeper").mkdir()
    (facts / "deeper/f-0.parquet").write_bytes(b"")
    found = index.scan()["facts"]
    problems = {values[0]: record.problem for values, record in found.items()}
    assert problems["a-1"] is None
    assert problems["c-0"] is None
    assert "its file is of facts (demonstration=c-0)" in str(problems["b-0"])
    assert "truncated or damaged" in str(problems["a-0"])
    assert "truncated or damaged" in str(problems["d-0"])
    assert "written by something else" in str(problems["e-0"])
    assert all(found[n,].content_sha is None for n in ("a-0", "b-0", "d-0", "e-0"))
    assert len(problems) == 6
    assert index.scan()["facts"] == found


def test_a_file_that_cannot_be_read_is_not_taken_for_damaged(
    lake: Lake, index: LakeIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would be made again, answers bought again; and the cache would remember it for ever."""

    def too_many(entries: Sequence[Entry], n_bytes: int) -> list[bytes | OSError]:
        return [OSError(errno.EMFILE, "Too many open files") for _ in entries]

    with monkeypatch.context() as patch:
        patch.setattr(lake.place, "tails", too_many)
        with pytest.raises(LakeError, match=r"facts.* read .Too many open files") as caught:
            index.scan()
    assert not isinstance(caught.value, DamagedFileError)
    assert {record.problem for record in index.scan()["facts"].values()} == {None}


def test_a_footer_that_is_larger_than_what_is_read_first_is_found(
    lake: Lake, index: LakeIndex
) -> None:
    many = {f"input_{i}": InputVersion("ab" * 32, 1) for i in range(FOOTER_BYTES // 64)}
    provenance = Provenance("c0de", many)
    lake.write("objects", Objects.empty(), {"demonstration": "a-0"}, provenance)
    assert index.scan()["objects"]["a-0",].provenance == provenance


def test_pictures_that_are_gone_are_counted_per_partition(lake: Lake, tmp_path: Path) -> None:
    """One listing tells it for all partitions; some name no picture, and some the same ones."""
    store = ImageStore(tmp_path / "images")
    for sha in SHAS[:2]:
        path = store.root / picture_name(sha)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    for name, shas in {"a": SHAS, "b": [], "c": SHAS[:2], "d": [SHAS[2]] * 2, "e": []}.items():
        write_pictures(lake, name, shas)
    index = LakeIndex(lake, tmp_path / "catalogue.db")
    for _ in range(2):  # from the files, and from the cache
        records = index.scan(["frame_images"])["frame_images"]
        assert records["a", "baseline"].images is not None
        assert np.array_equal(records["a", "baseline"].images, np.array([1, 2, 3], np.uint64))
        named = {key: record.images for key, record in records.items()}
        gone = missing_images(named, store.stored_heads())
        assert gone == {("a", "baseline"): 1, ("d", "baseline"): 1}
    assert missing_images({}, store.stored_heads()) == {}


@pytest.mark.parametrize("max_heads", [MAX_HEADS, 0])
def test_pictures_are_told_by_the_footer_or_by_the_rows(
    lake: Lake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, max_heads: int
) -> None:
    """Of many pictures the footer says nothing, nor does a file of an older version."""
    monkeypatch.setattr(parquet_files, "MAX_HEADS", max_heads)
    write_pictures(lake, "a", [SHAS[0], SHAS[2], SHAS[0]])
    path = lake.path("frame_images", {"demonstration": "a", "variant": "baseline"})
    assert (b"enact.pictures" in path.read_bytes()) == (max_heads > 0)
    record = LakeIndex(lake, tmp_path / "catalogue.db").scan()["frame_images"]["a", "baseline"]
    assert np.array_equal(record.images, np.array([2, 3], np.uint64))


def _killed_in_a_worker(
    place: Place, table_name: str, files: Sequence[many_files.File]
) -> list[FileRecord | None]:
    if multiprocessing.parent_process() is not None and "b-0" in files[-1][1].name:
        os._exit(1)
    return parquet_files.read_records(place, table_name, files)


@pytest.mark.slow
@pytest.mark.parametrize("work", [parquet_files.read_records, _killed_in_a_worker])
def test_several_processes_find_what_one_does(
    lake: Lake, index: LakeIndex, monkeypatch: pytest.MonkeyPatch, work: object
) -> None:
    """Also if they are killed: nothing is left out, nothing told twice."""
    monkeypatch.setattr(many_files, "POOL_FROM", 2)
    monkeypatch.setattr(many_files, "CHUNK", 1)
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    monkeypatch.setattr(listed_files, "read_records", work)
    shared = index.scan()
    monkeypatch.undo()
    assert len(shared["facts"]) == 3
    assert shared == index.scan()


TABLE = "qa"
ROWS = TABLES[TABLE].empty()
CLOCK_S = 0.02
"""Within a tick of the clock a folder may change twice and show one time."""


class Root:
    """A lake of one table, and its catalogue."""

    def __init__(self, folder: Path) -> None:
        self.lake, self.file = (
            Lake(folder / "lake", folder / "catalogue.db"),
            folder / "catalogue.db",
        )
        self.folder = folder / "lake" / TABLE

    def write(self, demonstration: str, gating: str, lake: Lake | None = None) -> Path:
        partition = {"demonstration": demonstration, "gating": gating}
        (lake or self.lake).write(TABLE, ROWS, partition)
        return self.lake.path(TABLE, partition)

    def scan(self) -> Scan:
        time.sleep(CLOCK_S)
        return LakeIndex(self.lake, self.file).scan([TABLE])

    def plain(self) -> Scan:
        """Without any memory."""
        index = LakeIndex(self.lake, self.file.with_name("none.db"))
        index.catalogue.remove()
        return index.scan([TABLE])


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Root:
    monkeypatch.setattr(settling, "NOT_SETTLED_NS", 0)
    monkeypatch.setattr(settling, "GREATEST_SKEW_NS", -(10**18))
    found = Root(tmp_path)
    for demonstration in ("a-0", "b-0"):
        for gating in ("state", "paper"):
            found.write(demonstration, gating)
    found.scan()
    return found


@pytest.fixture
def listed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Folders that are listed from here on."""
    names: list[str] = []
    real = LocalPlace.listed

    def noting(self: LocalPlace, folder: str) -> Listed:
        names.append(folder)
        return real(self, folder)

    monkeypatch.setattr(LocalPlace, "listed", noting)
    return names


def test_a_folder_that_did_not_change_is_not_listed(root: Root, listed: list[str]) -> None:
    assert len(root.scan()[TABLE]) == 4
    assert listed == []
    root.write("a-0", "state")
    assert root.scan() == root.scan()
    assert listed == ["qa/a-0"]


def test_a_file_that_is_overwritten_in_place_is_seen_without_listing(
    root: Root, listed: list[str]
) -> None:
    """Its folder does not tell: a backup that `cp` writes over a file must count at once."""
    (root.folder / "a-0/state.parquet").write_bytes(b"short")
    found = root.scan()[TABLE]
    assert listed == []
    assert "damaged" in str(found["a-0", "state"].problem)
    assert found["a-0", "paper"].problem is None


@pytest.mark.parametrize("other", ["note.txt", "state.parquet.damaged-1f", "link.parquet"])
def test_a_folder_with_other_files_is_listed_each_time(
    root: Root, listed: list[str], other: str
) -> None:
    """A link to nowhere may lead somewhere later, and its folder does not tell."""
    path = root.folder / "a-0" / other
    if other.startswith("link"):
        path.symlink_to(root.file.with_name("absent"))
    else:
        path.write_bytes(b"")
    for _ in range(2):
        listed.clear()
        root.scan()
        assert listed == ["qa/a-0"]
    if other.startswith("link"):
        root.file.with_name("absent").write_bytes(b"")
        assert ("a-0", "link") in root.scan()[TABLE]


def test_a_folder_that_may_still_change_unseen_is_listed_again(
    root: Root, listed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.undo()
    root.write("a-0", "state")
    root.scan()
    real = LocalPlace.listed
    monkeypatch.setattr(LocalPlace, "listed", lambda s, f: (listed.append(f), real(s, f))[1])
    root.scan()
    assert "qa/a-0" in listed
    assert "qa/b-0" not in listed


def test_damaged_looks_are_none(root: Root, listed: list[str]) -> None:
    with closing(sqlite3.connect(root.file, isolation_level=None)) as connection:
        connection.execute("update folders set looks = replace(looks, 'b-0', 'c-0')")
    assert root.scan() == root.plain()
    assert "qa/b-0" in listed


@pytest.mark.parametrize("seed", range(3))
def test_whatever_becomes_of_files_a_scan_finds_what_there_is(root: Root, seed: int) -> None:
    """Files and folders come, go, move and are overwritten, noted in the catalogue or not."""
    rng, other = np.random.default_rng(seed), Lake(root.lake.root)
    for number in range(25):
        files = sorted(root.folder.rglob("*.parquet"))
        one, two = (files[k] for k in rng.integers(len(files), size=2))
        match int(rng.integers(9)):
            case 0:
                root.write(f"n-{number}", "state")
            case 1:
                root.write(f"n-{number}", "state", other)
            case 2:
                root.write(one.parent.name, "state", other)
            case 3 if len(files) > 2:
                one.unlink()
            case 4:
                one.write_bytes(two.read_bytes())
            case 5 if one != two:
                one.replace(two)
            case 6:
                one.parent.replace(root.folder / f"m-{number}")
            case 7:
                one.parent.joinpath("paper.parquet").write_bytes(one.read_bytes())
            case _:
                os.utime(one.parent, (1, 1))
        if rng.integers(2):
            assert root.scan() == root.plain(), number
    assert root.scan() == root.plain()


def test_too_few_open_files_is_said(tmp_path: Path) -> None:
    """The campaign found a traceback."""
    _, hard = usual = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (3, hard))
    try:
        with pytest.raises(LakeError, match="cannot be listed"):
            list(LocalPlace(tmp_path).changed([("qa.parquet", 1, 1, 1)]))
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, usual)
