"""The catalogue is a cache of footers: whatever happens to it, a scan finds what the files say."""

import logging
import multiprocessing
import os
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from enact_assets.cli import main
from enact_assets.demonstrations.replay.tables import Facts
from enact_assets.engine.lake import catalogue as catalogue_module
from enact_assets.engine.lake import listed_files, parquet_files
from enact_assets.engine.lake.catalogue import Catalogue, Known
from enact_assets.engine.lake.file_metadata import FileRecord
from enact_assets.engine.lake.lake import Lake
from enact_assets.engine.lake.lake_index import LakeIndex
from enact_assets.engine.provenance import InputVersion, Provenance
from enact_assets.engine.system.places import Entry

NAMES = ("a-0", "a-1", "b-0")
PROVENANCE = Provenance("c0de", {"facts": InputVersion("ab" * 32, 1)})


class Root:
    """A lake and its catalogue."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "catalogue.db"
        self.lake = Lake(folder / "lake", self.file)

    def write(self, name: str, n_frames: int = 1, lake: Lake | None = None) -> str:
        row = {"demonstration": name, "predicate": "Exists", "subject": "cup", "frame_from": 0}
        rows = Facts.build([{**row, "frame_to": n_frames}])
        return (lake or self.lake).write("facts", rows, {"demonstration": name}, PROVENANCE)

    def scan(self) -> dict[tuple[str, ...], FileRecord]:
        return LakeIndex(self.lake, self.file).scan(["facts"])["facts"]

    def plain(self) -> dict[tuple[str, ...], FileRecord]:
        """What the files say, read one by one."""
        files = sorted(self.lake.entries("facts"))
        records = parquet_files.read_records(self.lake.place, "facts", files)
        return {v: r for (v, _), r in zip(files, records, strict=True) if r is not None}

    def change(self, sql: str) -> None:
        with closing(sqlite3.connect(self.file, isolation_level=None)) as connection:
            connection.execute(sql)


@pytest.fixture
def root(tmp_path: Path) -> Root:
    found = Root(tmp_path)
    for name in NAMES:
        found.write(name)
    return found


def test_what_a_step_has_written_is_known_without_reading_it(root: Root, opened: list[str]) -> None:
    """The first plan after a walk read half a million footers: a minute and a half."""
    assert root.scan() == root.plain()
    assert len(root.scan()) == 3
    assert opened == []


def test_a_file_of_which_the_catalogue_was_not_told_is_read(root: Root, opened: list[str]) -> None:
    """As after a kill between renaming and noting, or of another machine that shares the lake."""
    sha = root.write("a-1", 2, Lake(root.lake.root))
    (root.lake.root / "facts/b-0.parquet").unlink()
    found = root.scan()
    assert opened == ["facts/a-1.parquet"]
    assert found == root.plain()
    assert found["a-1",].content_sha == sha
    assert ("b-0",) not in found


def test_a_file_that_was_changed_where_it_is_is_read(root: Root, opened: list[str]) -> None:
    path = root.lake.path("facts", {"demonstration": "a-0"})
    path.write_bytes(path.read_bytes()[:-9])
    assert "truncated or damaged" in str(root.scan()["a-0",].problem)
    assert opened == ["facts/a-0.parquet"]


def test_a_writer_notes_the_file_that_it_wrote_not_one_that_replaced_it(
    root: Root, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Between renaming and noting, another step may write the same partition."""
    other, real = Lake(root.lake.root), Path.replace

    def raced(self: Path, target: Path) -> Path:
        found = real(self, target)
        monkeypatch.undo()
        root.write("a-0", 7, other)
        return found

    monkeypatch.setattr(Path, "replace", raced)
    root.write("a-0", 5)
    assert root.scan() == root.plain()
    assert root.scan()["a-0",].content_sha == other.content_sha("facts", {"demonstration": "a-0"})


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-3000])


def _cut_short(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:50])


def _garbage(path: Path) -> None:
    path.write_bytes(b"x" * 4000)


def _empty(path: Path) -> None:
    path.write_bytes(b"")


def _folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def _of_another_lake(path: Path) -> None:
    other = Root(path.parent / "other")
    other.write("a-0", 9)
    other.file.replace(path)


@pytest.mark.parametrize(
    "damage", [Path.unlink, _cut, _cut_short, _garbage, _empty, _folder, _of_another_lake]
)
def test_a_damaged_catalogue_is_as_good_as_none(root: Root, damage: Callable[[Path], None]) -> None:
    """It is a cache: deleting it, or copying half of it, costs time and nothing else."""
    damage(root.file)
    for _ in range(2):
        assert root.scan() == root.plain()
    root.write("a-0", 3)
    assert root.scan() == root.plain()


def test_a_damaged_catalogue_is_made_anew_and_said_to_be(
    root: Root, caplog: pytest.LogCaptureFixture, opened: list[str]
) -> None:
    _garbage(root.file)
    long_ago = (10**9, 10**9)
    for name in NAMES:
        os.utime(root.lake.path("facts", {"demonstration": name}), long_ago)
    with caplog.at_level(logging.WARNING):
        root.scan()
    assert len(caplog.records) == 1
    assert "catalogue.db: damaged (file is not a database). It is made anew" in caplog.text
    opened.clear()
    assert root.scan() == root.plain()
    assert opened == []


def test_no_bit_that_the_disk_spoils_changes_an_answer(root: Root) -> None:
    """SQLite notices none in a row; a version that was never there would make all stale, or worse
    call a partition fresh.
    """
    expected, rng = root.plain(), np.random.default_rng(0)
    root.scan()
    whole = root.file.read_bytes()
    for at in rng.choice(len(whole), 40, replace=False).tolist():
        spoilt = bytearray(whole)
        spoilt[at] ^= 1 << int(rng.integers(8))
        root.file.write_bytes(spoilt)
        assert root.scan() == expected, at


@pytest.mark.parametrize("at", ["version", *range(1, 49, 8)])
def test_a_row_that_does_not_fit_its_seal_is_none(
    root: Root, opened: list[str], at: int | str
) -> None:
    """``at`` is a byte of each number of the row."""
    with closing(sqlite3.connect(root.file, isolation_level=None)) as connection:
        sql = "select version, numbers from files where partition = 'a-1'"
        version, content = connection.execute(sql).fetchone()
        spoilt = bytearray(content)
        if isinstance(at, int):
            spoilt[at] ^= 1
        version = "00" + version[2:] if at == "version" else version
        sql = "update files set version = ?, numbers = ? where partition = 'a-1'"
        connection.execute(sql, (version, bytes(spoilt)))
    assert root.scan() == root.plain()
    assert opened == ["facts/a-1.parquet"]


def test_rows_of_another_version_of_a_table_are_none(
    root: Root, opened: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(catalogue_module, "__version__", "0.0.0")
    assert root.scan() == root.plain()
    assert sorted(opened) == [f"facts/{name}.parquet" for name in NAMES]
    root.write("a-0", 4)  # which must not call the others its own
    opened.clear()
    assert root.scan() == root.plain()
    assert sorted(opened) == ["facts/a-1.parquet", "facts/b-0.parquet"]


def test_a_catalogue_of_another_format_is_laid_out_anew(root: Root) -> None:
    root.change("alter table files rename column numbers to sum")
    root.change("pragma user_version = 99")
    assert root.scan() == root.plain()
    root.write("a-0", 4)
    assert root.scan() == root.plain()
    with closing(sqlite3.connect(root.file)) as connection:
        assert connection.execute("select partition from files").fetchall() == [("a-0",)]


def test_another_format_keeps_what_is_known_of_recordings(root: Root) -> None:
    """They were read whole again, and no footer of the lake has their hashes."""
    catalogue = Catalogue(root.file, root.lake.place.address)
    known = Known("pour-0/scene_graph_0.json", "mark", "sha")
    catalogue.note_known([known])
    root.change("pragma user_version = 99")
    root.write("a-0", 4)
    root.scan()
    assert catalogue.known() == [known]
    root.change("alter table known rename column found to what")
    root.change("pragma user_version = 99")
    root.write("a-0", 4)
    root.scan()
    assert catalogue.known() == []
    catalogue.note_known([known])
    assert catalogue.known() == [known]


def test_a_catalogue_that_cannot_be_written_is_read(
    root: Root, monkeypatch: pytest.MonkeyPatch, opened: list[str]
) -> None:
    """On a disk that is mounted read-only SQLite cannot even take part in reading."""
    real = sqlite3.connect

    def refused(path: object, **options: object) -> sqlite3.Connection:
        if "immutable" not in str(path):
            raise sqlite3.OperationalError("unable to open database file")
        return real(path, **options)  # type: ignore[call-overload, no-any-return]

    monkeypatch.setattr(sqlite3, "connect", refused)
    assert root.scan() == root.plain()
    assert opened == []
    root.write("a-0", 3)
    assert root.scan() == root.plain()
    assert opened == ["facts/a-0.parquet"]


def test_what_is_asked_after_the_catalogue_has_gone_is_read_from_the_footer(root: Root) -> None:
    """Or partitions would not say what they were made from, and be made again."""
    (found,) = LakeIndex(root.lake, root.file).files(["facts"]).values()
    for _ in range(listed_files.FEW + 1):
        assert found.provenance(0) == PROVENANCE
    root.file.unlink()
    assert [found.provenance(k) for k in range(3)] == [PROVENANCE] * 3


def test_a_check_names_the_file_of_which_the_catalogue_says_something_else(
    root: Root, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing else would notice: the row fits its seal, and the file is as it is listed."""
    data = ["--data", str(root.file.parent)]
    (root.lake.root / "facts/b-0.parquet").unlink()
    root.write("c-0", lake=Lake(root.lake.root))
    assert main(["catalogue", "check", *data]) == 0
    assert "knows 2 of 3 files, and 1 that are gone; 0 differ" in capsys.readouterr().out
    catalogue = Catalogue(root.file, root.lake.place.address)
    for name, other in (("a-0", Provenance("other", {})), ("a-1", None)):
        entry = root.lake.place.entry(f"facts/{name}.parquet")
        assert entry is not None
        made_from = PROVENANCE.encoded() if other is None else other.encoded()
        sha = "ab" * 32 if other is None else root.plain()[name,].content_sha
        record = FileRecord(sha, made_from, None, entry.size, entry.mtime_ns)
        catalogue.note(Facts, [(name, entry, record)])
    assert main(["catalogue", "check", *data]) == 1
    out = " ".join(capsys.readouterr().out.split())
    assert all(f"than this file: {root.lake.root}/facts/{n}.parquet" in out for n in ("a-0", "a-1"))
    assert "2 differ" in out
    assert main(["catalogue", "rebuild", *data]) == 0
    assert "made anew from 3 files" in capsys.readouterr().out
    assert main(["catalogue", "check", *data]) == 0
    assert root.scan() == root.plain()


def test_a_locked_catalogue_is_waited_for_once(root: Root, monkeypatch: pytest.MonkeyPatch) -> None:
    """Faults N20: every table that a plan looked at waited anew, a minute in all."""
    monkeypatch.setattr(catalogue_module, "BUSY_S", 0.125)
    waits, connect = list[float](), sqlite3.connect

    def noted(*where: Any, timeout: float = 5.0, **options: Any) -> sqlite3.Connection:
        waits.append(timeout)
        return connect(*where, timeout=timeout, **options)

    with closing(sqlite3.connect(root.file, isolation_level=None)) as other:
        other.execute("pragma locking_mode = exclusive")
        other.execute("begin exclusive")
        monkeypatch.setattr(sqlite3, "connect", noted)
        for name in NAMES:
            root.write(name, 7)
        catalogue = Catalogue(root.file, root.lake.place.address)
        with catalogue.held():
            catalogue.files(Facts)
        assert root.scan() == root.plain()
        other.execute("rollback")
    assert (waits.count(0.125), waits.count(0.0) > 3) == (1, True)
    catalogue_module._locked_until.clear()
    assert root.scan() == root.plain()


def test_any_inode_and_any_time_can_be_noted(root: Root) -> None:
    """File servers have inodes of 64 bits, and copies have times before 1970."""
    catalogue = Catalogue(root.file, root.lake.place.address)
    record = FileRecord("ab" * 32, PROVENANCE.encoded(), None, 1, -5)
    catalogue.note(Facts, [("x-0", Entry("facts/x-0.parquet", 1, -5, 2**64 - 1), record)])
    found = catalogue.files(Facts)
    at = found.partition.index("x-0")
    assert (int(found.mark[at]), int(found.mtime_ns.view(np.int64)[at])) == (2**64 - 1, -5)


def _write_many(folder: Path, worker: int, n: int) -> None:
    root = Root(folder)
    for k in range(n):
        root.write(f"w{worker}-{k}", worker + k + 1)
        root.write("shared-0", 100 * worker + k + 1)
        if k % 5 == 0:
            root.scan()


@pytest.mark.slow
def test_several_writers_at_once_lose_nothing(
    root: Root, tmp_path: Path, opened: list[str]
) -> None:
    """Workers write a step's files while a plan scans; all rows are those of the files."""
    spawn = multiprocessing.get_context("spawn")
    workers = [spawn.Process(target=_write_many, args=(tmp_path, w, 30)) for w in range(3)]
    for worker in workers:
        worker.start()
    while any(worker.is_alive() for worker in workers):
        root.scan()
        time.sleep(0.05)
    assert [worker.exitcode for worker in workers] == [0, 0, 0]
    opened.clear()
    assert root.scan() == root.plain()
    assert set(opened) <= {"facts/shared-0.parquet"}
    with closing(sqlite3.connect(root.file)) as connection:
        assert connection.execute("pragma integrity_check").fetchone() == ("ok",)
        assert connection.execute("select count(*) from files").fetchone()[0] >= 93
