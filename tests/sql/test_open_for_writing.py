"""The warehouse held open for writing by somebody else, who is killed, or goes on and on.

DuckDB logs what is committed beside the file, and refuses a file beside which stands the log of
another. Tried with a real second process.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb
import pytest
from sql.tiny_lake import publish_few

from enact_assets.engine.lake.lake import Lake
from enact_assets.results.published import query

pytestmark = pytest.mark.slow

KILLED_OR_CLOSED = [
    pytest.param(True, id="killed"),
    pytest.param(False, id="closed", marks=pytest.mark.slow),
]
HOLDER = """
import sys
import duckdb
held = duckdb.connect(sys.argv[1])
print("ready", flush=True)
for line in sys.stdin:
    try:
        held.execute(line)
        print("done", flush=True)
    except duckdb.Error as error:
        print(str(error).splitlines()[0], flush=True)
held.close()
"""


class Holder:
    def __init__(self, path: Path) -> None:
        command = [sys.executable, "-c", HOLDER, str(path)]
        self.process = subprocess.Popen(  # noqa: S603 - our own code
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert self._line() == "ready"

    def run(self, sql: str) -> str:
        assert self.process.stdin is not None
        self.process.stdin.write(sql + "\n")
        self.process.stdin.flush()
        return self._line()

    def end(self, *, kill: bool) -> None:
        if kill:
            self.process.kill()
        self.process.communicate(timeout=30)

    def _line(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()


@contextmanager
def holding(path: Path) -> Iterator[Holder]:
    holder = Holder(path)
    try:
        yield holder
    finally:
        holder.end(kill=True)


def assert_readable(path: Path) -> None:
    """By us and by plain clients, and without what somebody wrote into an older file."""
    with duckdb.connect(str(path), read_only=True) as connection:
        assert connection.execute("select count(*) from qa").fetchone() == (5,)
        tables = connection.execute("select table_name from duckdb_tables()").fetchall()
        assert ("mine",) not in tables
    assert query(path, "select count(*) from qa").item() == 5


def published_long_ago(lake: Lake, path: Path) -> None:
    """As before there was a link in the place of the log."""
    publish_few(lake, path)
    Path(f"{path}.wal").unlink()


BIG = "create or replace table mine as select range as x, hash(range) as y from range(2000000)"


@pytest.mark.parametrize("kill", KILLED_OR_CLOSED)
def test_a_log_that_stands_there_does_not_poison_the_new_file(
    lake: Lake, target: Path, kill: bool
) -> None:
    """Nor does what its writer, still alive, commits after the swap, or writes when it ends."""
    published_long_ago(lake, target)
    with holding(target) as holder:
        assert holder.run("create table mine as select 1 as x") == "done"
        assert Path(f"{target}.wal").stat().st_size > 0
        for left in (".wal.checkpoint", ".wal.recovery"):
            Path(f"{target}{left}").write_bytes(b"left by one who was killed long ago")
        publish_few(lake, target)
        assert_readable(target)
        holder.run("insert into mine values (2)")
        assert_readable(target)
        holder.run(BIG)
        holder.run("checkpoint")
        assert_readable(target)
        holder.end(kill=kill)
        assert_readable(target)


@pytest.mark.parametrize("kill", KILLED_OR_CLOSED)
def test_a_log_that_appears_after_the_swap_does_not_poison_the_new_file(
    lake: Lake, target: Path, kill: bool
) -> None:
    """Its writer opened the old file before the swap, and commits for the first time after it."""
    published_long_ago(lake, target)
    with holding(target) as holder:
        publish_few(lake, target)
        assert "Failed to commit" in holder.run("create table mine as select 1 as x")
        assert "Failed to commit" in holder.run(BIG)
        assert_readable(target)
        holder.end(kill=kill)
        assert_readable(target)


def test_the_published_file_cannot_be_written_to_by_accident(lake: Lake, target: Path) -> None:
    """What was written would be gone with the next publication; reading like this is harmless."""
    publish_few(lake, target)
    assert Path(f"{target}.wal").readlink() == Path(os.devnull)
    with duckdb.connect(str(target)) as connection:
        assert connection.execute("select count(*) from qa").fetchone() == (5,)
        with pytest.raises(duckdb.Error, match="Failed to commit"):
            connection.execute("create table mine as select 1 as x")
    assert_readable(target)
    publish_few(lake, target)
    assert_readable(target)
