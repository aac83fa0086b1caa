"""`enact-assets sql` ends at once when it is asked to, however long the query would run."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import duckdb
import pytest

FOREVER = "select count(*) from range(10000000) a, range(10000000) b where a.range + b.range = -1"
LIMIT_S = 5.0
"""A second on an idle machine; without the interrupt the query runs for years."""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    with duckdb.connect(str(tmp_path / "enact.duckdb")) as connection:
        connection.execute("create table leaderboard as select 1 as rank")
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize(
    "number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.slow)]
)
def test_a_long_query_ends_within_a_second_and_says_so(root: Path, number: signal.Signals) -> None:
    """A user who typed a cross join had to kill the process."""
    command = [sys.executable, "-m", "enact_assets.cli", "sql", FOREVER, "--data", str(root)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:  # noqa: S603 - ours
        try:
            _wait_until_open(process.pid, root / "enact.duckdb")
            time.sleep(0.3)  # to be amid the query; ending earlier must work, too
            began = time.monotonic()
            process.send_signal(number)
            _, printed = process.communicate(timeout=10 * LIMIT_S)
            seconds = time.monotonic() - began
        finally:
            process.kill()
    assert process.returncode == 130
    assert "Stopped: the query was interrupted." in printed
    assert seconds < LIMIT_S


def _wait_until_open(pid: int, file: Path) -> None:
    for _ in range(600):
        opened = Path(f"/proc/{pid}/fd").iterdir()
        if any(link.exists() and link.resolve() == file.resolve() for link in opened):
            return
        time.sleep(0.05)
    pytest.fail("the query did not begin within 30 s")
