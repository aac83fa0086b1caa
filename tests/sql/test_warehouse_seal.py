"""What other programs write into the published file is noticed (faults N1).

DuckDB clients of 1.2 to 1.4 remove the link in the place of the log, and write. Ours does so once
the link is gone.
"""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest
from polars.testing import assert_frame_equal
from sql.tiny_lake import contents, publish_few, tiny_rows, write_lake

from enact_assets.cli import main
from enact_assets.engine.lake.lake import Lake
from enact_assets.engine.publishing import warehouse_seal
from enact_assets.engine.publishing.warehouse_seal import SEAL, seal, why_altered


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a lake and the file that was published from it."""
    folder = tmp_path_factory.mktemp("published")
    publish_few(write_lake(folder / "lake", tiny_rows()), folder / "enact.duckdb")
    return folder


@pytest.fixture
def target(published: Path, tmp_path: Path) -> Path:
    """In a copy of that folder, where inodes and times are others."""
    shutil.copytree(published, tmp_path / "copy", symlinks=True)
    return tmp_path / "copy" / "enact.duckdb"


def client(*statements: str) -> Callable[[Path], None]:
    """Another program, as DuckDB 1.2 to 1.4 would do it."""

    def write(path: Path) -> None:
        Path(f"{path}.wal").unlink()
        with duckdb.connect(str(path)) as connection:
            for statement in statements:
                connection.execute(statement)

    return write


def flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def remake(path: Path) -> None:
    """A whole copy by SQL, with changed rows: all that the file says about itself is in it."""
    made = path.with_name("made.duckdb")
    with duckdb.connect(str(made)) as connection:
        connection.execute(f"attach '{path}' as published (read_only)")
        connection.execute("copy from database published to made")
        connection.execute("delete from qa")
    made.replace(path)


UPDATE = "update qa set kind = 'forward'"
EDITS = {
    "rows changed": client(UPDATE),
    "rows added": client("insert into facts from facts"),
    "rows gone": client("delete from qa"),
    "a relation more": client("create table mine as select 1 as x"),
    "a relation less": client("drop table facts"),
    "its memory changed": client("update meta.made set n_rows = 7"),
    "in its log": client("pragma disable_checkpoint_on_shutdown", UPDATE),
    "one bit": flip,
    "another file": remake,
    "no seal": lambda path: Path(f"{path}{SEAL}").unlink(),
    "no seal to be read": lambda path: Path(f"{path}{SEAL}").write_bytes(b"{}"),
}


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
def test_what_others_wrote_is_noticed(target: Path, edit: Callable[[Path], None]) -> None:
    """Also if they set the times of the file back."""
    before = target.stat()
    assert why_altered(target) is None
    edit(target)
    os.utime(target, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert why_altered(target) is not None
    assert why_altered(target, is_read=True) is not None


@pytest.mark.parametrize("edit", ["rows changed", "in its log"])
def test_nothing_is_kept_of_a_file_that_others_wrote_to(target: Path, edit: str) -> None:
    wanted = contents(target)
    EDITS[edit](target)
    again = publish_few(Lake(target.parent / "lake"), target)
    assert again.rows.keys() < again.ran
    assert why_altered(target) is None
    found = contents(target)
    assert found.keys() == wanted.keys()
    for name, rows in wanted.items():
        assert_frame_equal(found[name], rows, check_exact=True)


def test_an_older_state_is_noticed(target: Path, tmp_path: Path) -> None:
    older = shutil.copy2(target, tmp_path)
    lake = Lake(target.parent / "lake")
    where = lake.partitions("facts")[0]
    lake.write("facts", lake.read("facts", where).head(1), where)
    publish_few(lake, target)
    shutil.copy2(older, target)
    assert why_altered(target) is not None


def look(path: Path) -> None:
    with duckdb.connect(str(path)) as connection:
        connection.execute("from qa").fetchall()


def copy_again(path: Path) -> None:
    shutil.copyfile(shutil.copyfile(path, path.with_name("other")), path)


def kill_before_the_swap(path: Path) -> None:
    """The next file was built, and its hash noted."""
    seal(path, Path(shutil.copyfile(path, path.with_name("other"))))


def kill_after_the_swap(path: Path) -> None:
    built = Path(shutil.copyfile(path, path.with_name("other")))
    with built.open("ab") as file:
        file.write(b"another content")
    seal(path, built)
    built.replace(path)


HARMLESS = {
    "opened for writing": look,
    "opened for writing by an old client": client("from qa"),
    "copied in place": copy_again,
    "a publication killed before the swap": kill_before_the_swap,
    "a publication killed after the swap": kill_after_the_swap,
}


@pytest.mark.parametrize("event", HARMLESS.values(), ids=HARMLESS)
def test_a_file_with_the_same_bytes_is_as_it_was_published(
    target: Path, event: Callable[[Path], None]
) -> None:
    event(target)
    assert why_altered(target) is None
    assert why_altered(target, is_read=True) is None


def test_a_published_file_need_not_be_read_to_be_compared(published: Path) -> None:
    """How it looks after the swap is noted beside its hash."""
    target = published / "enact.duckdb"
    noted = Path(f"{target}{SEAL}").read_text()
    assert f"{target.stat().st_ino}," in noted
    assert f"{target.stat().st_ctime_ns}]" in noted


def test_a_file_that_looks_otherwise_is_read_once(
    target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As after a copy, `chmod` or `cp -al`: every process read all of it until it was published."""
    monkeypatch.setattr(warehouse_seal, "NOT_SETTLED_NS", 0)
    assert why_altered(target) is None
    target.chmod(0o600)
    assert why_altered(target) is None
    monkeypatch.setattr(warehouse_seal, "_sha_of_state", None)
    assert why_altered(target) is None
    flip(target)
    assert why_altered(target, is_read=True) is not None


def test_without_a_file_there_is_nothing_to_notice(tmp_path: Path) -> None:
    assert why_altered(tmp_path / "enact.duckdb") is None


def test_who_asks_for_rows_is_told_that_they_were_changed(
    target: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("sql", "select count(*) as n from qa", "--csv", "--data", str(target.parent))
    assert main(words) == 0
    assert capsys.readouterr() == ("n\n5\n", "")
    client("delete from qa")(target)
    assert main(words) == 0
    rows, told = capsys.readouterr()
    assert rows == "n\n0\n"
    assert told.startswith(f"{target}: another program changed it after it was published. `enact")
    assert told.count("\n") == 1
    Path(f"{target}{SEAL}").unlink()
    assert main(words) == 0
    assert capsys.readouterr().err == "", "a file that was copied alone may be whole"
