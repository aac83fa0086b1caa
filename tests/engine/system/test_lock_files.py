"""Locks do not write to what is linked in their place."""

from pathlib import Path

import pytest

from enact_assets.engine.errors import SettingsError
from enact_assets.engine.system.lock_files import open_lock
from enact_assets.pipeline.runs.driver_lock import LOCK_FILE, driver_at_work, only_driver


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
