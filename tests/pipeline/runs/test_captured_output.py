"""What runs print is kept for the UI: the last of it, of the last runs, and not of drivers."""

import io
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from enact_assets.pipeline.runs import captured_output
from enact_assets.pipeline.runs.captured_output import (
    FOLDER,
    MOST_BYTES,
    BoundedComputeLogManager,
    show,
    uncaptured,
)
from enact_assets.pipeline.runs.instance import INSTANCE_FOLDER, open_instance

CRASH = """
import os, sys, time
from enact_assets.pipeline.runs.captured_output import BoundedComputeLogManager
with BoundedComputeLogManager(sys.argv[1]).capture_logs(["run", "compute_logs", "a"]):
    os.write(1, b"before")
    os.write(2, b"terminate called without an active exception")
    time.sleep(1.5)
    os.write(2, b" at last")
    os.abort()
"""


def key(run: str) -> Sequence[str]:
    return [run, "compute_logs", "a"]


def test_the_last_of_a_long_stream_stays(tmp_path: Path) -> None:
    """Whoever writes goes on at the new end, as files of output are appended to."""
    long, short = tmp_path / "long", tmp_path / "short"
    text = b"x" * MOST_BYTES + b"the reason"
    shown = io.BytesIO()
    with long.open("ab", buffering=0) as writer:
        writer.write(text)
        short.write_bytes(b"y")
        seen = show(long, 0, shown)
        assert show(short, 0, shown) == 1
        writer.write(b" and more")
        show(long, seen, shown)
    assert shown.getvalue() == text + b"y and more"
    assert long.read_bytes().endswith(b"xthe reason and more")
    assert MOST_BYTES // 2 < long.stat().st_size < MOST_BYTES
    assert short.read_bytes() == b"y"
    assert show(tmp_path / "absent", 0, shown) == 0


def test_runs_of_drivers_print_where_the_driver_does(tmp_path: Path) -> None:
    """The UI must not wait for what never comes."""
    instance = open_instance(tmp_path)
    manager = instance.compute_log_manager
    assert isinstance(manager, BoundedComputeLogManager)
    with uncaptured(), manager.capture_logs(key("driver")) as context:
        assert context.log_key == key("driver")
    assert not (tmp_path / INSTANCE_FOLDER / FOLDER).exists()
    assert manager.is_capture_complete(key("driver"))
    instance.dispose()


@pytest.mark.slow
def test_what_a_crashing_library_printed_is_there(tmp_path: Path) -> None:
    command = [sys.executable, "-c", CRASH, str(tmp_path)]
    ended = subprocess.run(command, capture_output=True, check=False)  # noqa: S603 - our own
    assert ended.returncode < 0, ended.stderr
    manager = BoundedComputeLogManager(str(tmp_path))
    found = manager.get_log_data(key("run"))
    said = b"terminate called without an active exception"
    assert (found.stdout, found.stderr) == (b"before", said + b" at last")
    assert (ended.stdout, ended.stderr) == (b"before", said), "shown while it worked"
    manager.dispose()


@pytest.mark.slow
def test_the_output_of_old_runs_goes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(captured_output, "MOST_RUNS", 2)
    manager = BoundedComputeLogManager(str(tmp_path))
    for k in range(4):
        with manager.capture_logs(key(f"run {k}")):
            os.write(1, b"said")
        assert manager.is_capture_complete(key(f"run {k}"))
        os.utime(tmp_path / f"run {k}", (k, k))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run 1", "run 2", "run 3"]
    manager.dispose()
