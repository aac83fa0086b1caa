"""A scan lists only folders that changed, and finds what a scan without any memory finds."""

import os
import resource
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from enact_assets.engine.errors import LakeError
from enact_assets.engine.lake import settling
from enact_assets.engine.lake.lake import Lake
from enact_assets.engine.lake.lake_index import LakeIndex, Scan
from enact_assets.engine.system.local_places import Listed, LocalPlace
from enact_assets.engine.tables import TABLES

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
