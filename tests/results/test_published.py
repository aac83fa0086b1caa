"""Queries on the published warehouse read it, and reach nothing else on the machine."""

import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

from enact_assets.engine.errors import WarehouseError
from enact_assets.results.published import OpenWarehouse, _advice_on, query


@pytest.fixture
def warehouse(tmp_path: Path) -> Path:
    path = tmp_path / "enact.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("create table leaderboard as select 1 as rank, 'oracle' as model")
    return path


@pytest.mark.parametrize(
    "sql",
    [
        "from leaderboard",
        "describe leaderboard",
        "show tables",
        "explain analyze from leaderboard",
        "explain (format json) from leaderboard",
        "pivot leaderboard on model using sum(rank)",
        "pragma table_info('leaderboard')",
    ],
)
def test_queries_that_read_work(warehouse: Path, sql: str) -> None:
    assert query(warehouse, sql).height > 0


@pytest.mark.parametrize(
    "sql",
    [
        "copy leaderboard to '{folder}/out.csv'",
        "copy leaderboard to '{folder}/enact.duckdb' (format csv, use_tmp_file false)",
        "explain analyze copy leaderboard to '{folder}/enact.duckdb' (use_tmp_file false)",
        "explain /* */ analyze copy leaderboard to '{folder}/enact.duckdb' (use_tmp_file false)",
        "explain (analyze) copy leaderboard to '{folder}/enact.duckdb.wal' (use_tmp_file false)",
        "attach '{folder}/mine.duckdb'",
        "export database '{folder}/out'",
        "install httpfs",
        "load httpfs",
        "set enable_external_access = true",
        "pragma enable_external_access = true",
        "from read_text('{folder}/secret.txt')",
        "from '{folder}/secret.csv'",
        "from glob('{folder}/*')",
        "create table mine as select 1",
        "insert into leaderboard values (2, 'mine')",
        "from warehouse_path",
    ],
)
def test_a_query_reaches_nothing_but_the_warehouse(warehouse: Path, sql: str) -> None:
    """Queries are pasted from elsewhere; one of these overwrote the published file."""
    folder = warehouse.parent
    for name in ("secret.txt", "secret.csv"):
        (folder / name).write_text("word\nxyzzy\n")
    before = {path: path.read_bytes() for path in folder.iterdir()}
    with pytest.raises(WarehouseError) as refused:
        query(warehouse, sql.format(folder=folder))
    assert "xyzzy" not in str(refused.value)
    assert {path: path.read_bytes() for path in folder.iterdir()} == before


def test_a_trusted_query_may_write_files(warehouse: Path) -> None:
    out = warehouse.parent / "out.csv"
    query(warehouse, f"copy leaderboard to '{out}'", is_trusted=True)
    assert out.read_text() == "rank,model\n1,oracle\n"
    with pytest.raises(WarehouseError, match="sql --files"):
        query(warehouse, f"copy leaderboard to '{out}'")


def test_a_damaged_file_is_named_with_the_remedy(tmp_path: Path) -> None:
    (tmp_path / "enact.duckdb").write_bytes(b"no database" * 1000)
    with pytest.raises(WarehouseError, match=r"delete it: .*--asset warehouse` publishes it again"):
        query(tmp_path / "enact.duckdb", "from leaderboard")


def test_a_file_that_is_in_use_is_not_said_to_be_damaged(warehouse: Path) -> None:
    """Faults N15: the advice was to delete it."""
    lock = "import fcntl, sys; f = open(sys.argv[1], 'rb+'); fcntl.lockf(f, fcntl.LOCK_EX); print()"
    command = [sys.executable, "-S", "-c", f"{lock}; sys.stdout.flush(); input()", str(warehouse)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:  # noqa: S603 - our own interpreter
        assert other.stdout is not None
        other.stdout.readline()
        with pytest.raises(WarehouseError, match=f"PID {other.pid}.*Nothing is damaged") as found:
            query(warehouse, "from leaderboard")
        other.kill()
    assert "delete" not in str(found.value)
    assert query(warehouse, "from leaderboard").height == 1


def test_a_file_that_the_system_refuses_is_not_said_to_be_damaged(tmp_path: Path) -> None:
    """Faults N15, other reasons of the same kind: rights, a disk that went away."""
    advice = _advice_on(tmp_path / "gone", duckdb.IOException('Cannot open file "gone"'))
    assert advice == "The file cannot be read (No such file or directory), which is no damage."


@pytest.mark.parametrize("is_error", [False, True])
def test_a_file_that_was_swapped_while_it_was_opened_is_opened_again(
    warehouse: Path, monkeypatch: pytest.MonkeyPatch, is_error: bool
) -> None:
    """DuckDB opens a file twice: the header could be the old file's, and all the rest the new's."""
    newer = warehouse.with_name("newer.duckdb")
    with duckdb.connect(str(newer)) as connection:
        connection.execute("create table leaderboard as select 2 as rank")
    attach = OpenWarehouse._attach

    def swapped(self: OpenWarehouse, connection: duckdb.DuckDBPyConnection) -> None:
        attach(self, connection)
        if newer.exists():
            newer.replace(warehouse)
            if is_error:
                raise WarehouseError("blocks of another file")

    monkeypatch.setattr(OpenWarehouse, "_attach", swapped)
    assert query(warehouse, "select rank from leaderboard").item() == 2
