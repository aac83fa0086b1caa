"""The lock of a data root: who holds it is told, and whoever died does not."""

import errno
import fcntl
import re
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from enact_assets.engine.errors import MaterializationError, SettingsError
from enact_assets.engine.system.process_identity import ProcessIdentity
from enact_assets.pipeline.runs.driver_lock import (
    LOCK_FILE,
    check_only_driver,
    driver_at_work,
    only_driver,
    shown,
)
from enact_assets.pipeline.runs.instance import open_instance

HOLD = """
import sys, time
from pathlib import Path
from enact_assets.pipeline.runs.driver_lock import only_driver
with only_driver(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(600)
"""


def test_a_second_driver_is_told_who_is_at_work_until_that_one_dies(tmp_path: Path) -> None:
    holder = subprocess.Popen(  # noqa: S603 - our own interpreter, our own code
        [sys.executable, "-c", HOLD, str(tmp_path)], stdout=subprocess.PIPE, text=True
    )
    try:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        here = ProcessIdentity.here()
        who = rf"process {holder.pid} on {re.escape(here.host)}, since \d{{4}}-\d\d-\d\dT"
        with pytest.raises(MaterializationError, match=who), only_driver(tmp_path):
            pass
    finally:
        holder.kill()
        holder.communicate()
    with only_driver(tmp_path):
        pass


@pytest.mark.slow
def test_what_a_lock_file_says_locks_nothing(tmp_path: Path) -> None:
    """The number of a killed driver is another process's soon; its time may be of next year."""
    text = f'{{"process": "{ProcessIdentity.here().encoded()}", "since": "2999-01-01T00:00:00"}}'
    for content in (text, "", "12345", "{", '{"process": 3}', "\0" * 5000):
        (tmp_path / LOCK_FILE).write_text(content)
        with (
            only_driver(tmp_path),
            pytest.raises(MaterializationError, match="another driver is at work"),
            only_driver(tmp_path),
        ):
            pass


def test_a_driver_that_died_is_not_named_in_place_of_its_successor(tmp_path: Path) -> None:
    """A driver takes the lock before it writes its name over the one of the last driver."""
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    gone = replace(ProcessIdentity.here(), pid=ended.pid).encoded()
    with only_driver(tmp_path):
        (tmp_path / LOCK_FILE).write_text(f'{{"process": "{gone}", "since": "2025-01-01"}}')
        assert driver_at_work(tmp_path) == "it has just started"


@pytest.mark.parametrize("number", [errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS])
def test_a_file_system_without_locks_is_refused(
    tmp_path: Path, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """None is at hand, so the call fails here as it does on one."""

    def flock(*_: object) -> None:
        raise OSError(number, "no locks")

    monkeypatch.setattr(fcntl, "flock", flock)
    with (
        pytest.raises(SettingsError, match=r"has no locks .*ENACT_POSTGRES_URL"),
        only_driver(tmp_path),
    ):
        pass
    assert driver_at_work(tmp_path) is None


def test_a_folder_that_cannot_be_written_is_named() -> None:
    """On a read-only disk; here in a file system in which nobody may make anything."""
    root = Path("/proc/sys/enact")
    with (
        pytest.raises(SettingsError, match=r"/proc/sys/enact: cannot be .* --data") as told,
        only_driver(root),
    ):
        pass
    assert "aterializ" not in str(told.value), "`plan` says the same, and materializes nothing"


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("postgresql://me:se%40cret@db.example:5433/runs?sslmode=require", "runs on db.example"),
        ("postgresql+psycopg2://me:secret@db.example/runs", "database runs on db.example"),
        ("postgresql:///runs", "database runs on this machine"),
    ],
)
def test_a_database_is_shown_without_user_and_password(url: str, told: str) -> None:
    assert told in shown(url)
    assert "cret" not in shown(url)


@pytest.mark.parametrize(
    "url",
    [
        "host=127.0.0.1 port=1 password=secret",
        "postgresql://me:sec/ret@127.0.0.1:1/runs",
        "postgresql://me:123/secret@127.0.0.1:1/runs",
        "postgresql://me:sec@secret@127.0.0.1:1/runs",
        "postgresql://[secret/db",
        "secret",
    ],
)
def test_of_what_is_no_url_nothing_is_shown(
    tmp_path: Path, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A password with a character that had to be escaped stands where none is looked for."""
    monkeypatch.setenv("ENACT_POSTGRES_URL", url)
    for use in (lambda: open_instance(tmp_path), lambda: driver_at_work(tmp_path)):
        with pytest.raises(SettingsError, match="ENACT_POSTGRES_URL: not a URL") as caught:
            use()
        assert "sec" not in str(caught.value)
        assert "ret@" not in str(caught.value)


def test_whoever_asks_is_told_who_drives_and_disturbs_nobody(tmp_path: Path) -> None:
    assert driver_at_work(tmp_path / "nowhere") is None
    with only_driver(tmp_path):
        assert f"process {ProcessIdentity.here().pid} on" in str(driver_at_work(tmp_path))
        check_only_driver()
    assert driver_at_work(tmp_path) is None
    stop = threading.Event()

    def ask() -> None:
        while not stop.is_set():
            driver_at_work(tmp_path)

    asking = threading.Thread(target=ask)
    asking.start()
    try:
        for _ in range(200):
            with only_driver(tmp_path):
                pass
    finally:
        stop.set()
        asking.join()


def test_a_process_is_gone_only_if_that_is_certain() -> None:
    """Its number alone says nothing: it is used again, and other machines have it too."""
    here = ProcessIdentity.here()
    assert ProcessIdentity.decoded(here.encoded()) == here
    assert here.is_gone() is False
    stat = Path("/proc/self/stat").read_text()
    assert here.started == stat.rpartition(")")[2].split()[19], "as runs were tagged before"
    assert replace(here, started="1").is_gone() is True, "another process with that number"
    assert replace(here, boot="before").is_gone() is True, "this machine was restarted"
    assert replace(here, boot="before", host="other").is_gone() is None, "another machine"
    assert replace(here, namespace="1").is_gone() is None, "another container"
    assert ProcessIdentity.decoded("4711") is None
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    assert replace(here, pid=ended.pid).is_gone() is True
