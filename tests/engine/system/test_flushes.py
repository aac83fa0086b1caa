"""What counts as there is on disk: first the file, then its name, then its folder (faults N14).

Locks do not write to what is linked in their place."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from enact_assets.answers.imported.answer_files import add_answers
from enact_assets.answers.models.ledger import Ledger
from enact_assets.commands.release.pictures import write_picture
from enact_assets.engine.errors import SettingsError
from enact_assets.engine.system.atomic import make_folder, replacing
from enact_assets.engine.system.local_places import LocalPlace
from enact_assets.engine.system.lock_files import open_lock
from enact_assets.pipeline.runs.driver_lock import LOCK_FILE, driver_at_work, only_driver
from enact_assets.settings.paths import DataRoot

Event = tuple[str, int | str]


@pytest.fixture
def events(monkeypatch: pytest.MonkeyPatch) -> list[Event]:
    """Flushes, by inode, and renames, by inode and then by the name that was given."""
    seen: list[Event] = []
    sync, rename = os.fsync, Path.replace

    def flush(file: int) -> None:
        seen.append(("flush", os.fstat(file).st_ino))
        sync(file)

    def replace(source: Path, target: Path) -> Path:
        seen.append(("rename", source.lstat().st_ino))
        return rename(source, target)

    monkeypatch.setattr(os, "fsync", flush)
    monkeypatch.setattr(Path, "replace", replace)
    return seen


def replaced(path: Path) -> None:
    with replacing(path) as temporary:
        temporary.write_bytes(b"x")


def published(path: Path) -> None:
    with LocalPlace(path.parent).publishing(path.name) as file:
        file.write(b"x")


def put(path: Path) -> None:
    LocalPlace(path.parent).put(path.name, b"x")


def put_file(path: Path) -> None:
    source = path.with_name("source")
    source.write_bytes(b"x")
    LocalPlace(path.parent).put_file(source, path.name)


def picture(path: Path) -> None:
    write_picture(path, b"x")


@pytest.mark.parametrize("door", [replaced, published, put, put_file, picture])
def test_a_file_is_flushed_before_it_has_its_name_and_its_folder_after(
    tmp_path: Path, events: list[Event], door: Callable[[Path], None]
) -> None:
    path = tmp_path / "file"
    door(path)
    assert path.read_bytes() == b"x"
    file, folder = path.stat().st_ino, tmp_path.stat().st_ino
    assert events == [("flush", file), ("rename", file), ("flush", folder)]


def test_the_names_of_new_folders_are_on_disk(tmp_path: Path, events: list[Event]) -> None:
    """A flushed file in a folder that a power cut takes is lost with it."""
    folder = tmp_path / "a" / "b" / "c"
    (tmp_path / "a").mkdir()
    make_folder(folder)
    above = [tmp_path / "a", tmp_path / "a" / "b"]
    assert events == [("flush", path.stat().st_ino) for path in above]
    events.clear()
    make_folder(folder)
    assert events == []


def bought(root: Path) -> None:
    with Ledger(root / "ledger" / "seer"):
        pass


def imported(root: Path) -> None:
    add_answers(DataRoot(root, None), "seer", "baseline", [])


@pytest.mark.parametrize("door", [bought, imported])
def test_new_folders_of_answers_are_flushed_into_a_new_root(
    tmp_path: Path, events: list[Event], door: Callable[[Path], None]
) -> None:
    root = tmp_path / "data"
    door(root)
    flushed = {inode for what, inode in events if what == "flush"}
    assert {path.stat().st_ino for path in (tmp_path, root)} <= flushed


def test_a_lock_changes_nothing_that_it_links_to(tmp_path: Path) -> None:
    """A link to a file elsewhere was emptied, and the name of the driver written into it."""
    root, target = tmp_path / "root", tmp_path / "letter.txt"
    root.mkdir()
    target.write_text("Dear reader")
    (root / LOCK_FILE).symlink_to(target)
    with pytest.raises(SettingsError, match=LOCK_FILE), only_driver(root):
        pass
    with pytest.raises(OSError, match="symbolic link"):
        open_lock(root / LOCK_FILE)
    assert driver_at_work(root) is None
    assert target.read_text() == "Dear reader"
    target.unlink()
    (root / LOCK_FILE).unlink()
    with open_lock(root / LOCK_FILE) as lock:
        lock.write("x")
    assert (root / LOCK_FILE).read_text() == "x"
