"""Marts that are made of some demonstrations after others, and memory that does not grow."""

import os
import random
import shutil
from pathlib import Path

import duckdb
import pytest
from polars.testing import assert_frame_equal
from tiny_lake import (
    BOIL,
    add_statistics,
    contents,
    few_sql,
    part_of_sql,
    publish_few,
    tiny_rows,
    write_lake,
)

from enact_assets.engine.errors import WarehouseError
from enact_assets.engine.lake.lake import Lake
from enact_assets.engine.publishing import former_file, sql_runs
from enact_assets.engine.publishing.sql_files import read_sql_files, sql_folder
from enact_assets.engine.publishing.sql_runs import Job, SideBySide
from enact_assets.engine.publishing.warehouse import publish

SPLIT = [
    f.name for f in read_sql_files(sql_folder()) if f.stage == "marts" and f.is_by_demonstration
]
SUMMED = ("question_statistics", "predicate_statistics", "edited_object_sizes", "key_frame_gaps")


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "enact.duckdb"


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    rows = tiny_rows()
    add_statistics(rows)
    return write_lake(tmp_path / "lake", rows)


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """A part for each demonstration."""
    monkeypatch.setattr(former_file, "FEWEST", 1)
    monkeypatch.setattr(former_file, "ONE_IN", 1)


@pytest.mark.slow
def test_parts_hold_the_rows_that_one_table_would_hold(
    lake: Lake, target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the order that the file says, demonstration by demonstration; sums of them all alike."""
    sql = part_of_sql(*SUMMED)
    publish(lake, target, sql)
    whole = contents(target)
    monkeypatch.setattr(former_file, "FEWEST", 1)
    monkeypatch.setattr(former_file, "ONE_IN", 1)
    in_parts = target.with_name("other.duckdb")
    ran = publish(lake, in_parts, sql).ran
    parts = contents(in_parts)
    for name in SPLIT:
        assert len([n for n in ran if n.startswith(f"parts.{name}_")]) > 1, name
        assert not whole[name].is_empty(), name
        assert_frame_equal(
            *(rows[name].sort("demonstration", maintain_order=True) for rows in (parts, whole)),
            check_exact=True,
        )
    for name in SUMMED:
        assert_frame_equal(parts[name], whole[name], check_exact=True)


@pytest.mark.usefixtures("small_parts")
def test_only_the_part_of_a_mart_that_reads_a_changed_file_is_made_again(
    lake: Lake, target: Path
) -> None:
    sql = part_of_sql("question_statistics")
    publish(lake, target, sql)
    where = {"demonstration": BOIL, "gating": "state"}
    lake.write("question_orders", lake.read("question_orders", where).head(0), where)
    ran = publish(lake, target, sql).ran
    [sums] = [name for name in ran if name.startswith("parts.question_sums_")]
    assert ran > {sums, "question_sums", "question_statistics"}
    assert not [name for name in ran if name.startswith(("parts.step_", "step_"))]
    with duckdb.connect(str(target), read_only=True) as connection:
        comments = "select count(comment) from duckdb_columns() where table_name = 'question_sums'"
        assert connection.execute(comments).fetchall() == [(18,)]


@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("create view own as select * from facts;", "must be 'create table own as'"),
        ("create table own as select nope from facts;", "^sql/marts/own.sql: Binder"),
    ],
)
def test_a_mart_that_cannot_be_made_part_by_part_is_named(
    text: str, says: str, lake: Lake, target: Path, tmp_path: Path
) -> None:
    shutil.copytree(few_sql(), tmp_path / "sql")
    header = "-- own: one row per fact.\n-- Reads: facts.\n-- By:    demonstration.\n"
    (tmp_path / "sql" / "marts" / "own.sql").write_text(header + text)
    with pytest.raises(WarehouseError, match=says):
        publish_few(lake, target, tmp_path / "sql")


def test_blocks_of_the_file_leave_memory_between_jobs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """DuckDB would keep all that it wrote or read, up to most of the machine's memory."""
    monkeypatch.setattr(sql_runs, "MOST_CACHED", 4 << 20)
    monkeypatch.setattr(sql_runs, "LEAST_CACHED", 1 << 20)
    monkeypatch.setattr(sql_runs, "ASK_EVERY_S", 0.0)
    held: list[int] = []

    def read(connection: duckdb.DuckDBPyConnection, number: int) -> int:
        of_file = "select sum(memory_usage_bytes) from duckdb_memory() where tag = 'BASE_TABLE'"
        held.extend(n for (n,) in connection.execute(of_file).fetchall())
        sql = f"select bit_xor(hash(x)) % 1000 from t{number}"  # noqa: S608 - our own
        [(found,)] = connection.execute(sql).fetchall()
        return int(found)

    path = tmp_path / "large.duckdb"
    with duckdb.connect(str(path)) as connection:
        for number in range(8):
            rows = f"select hash(i + {number}) as x from range(400000) as r(i)"  # noqa: S608 - our own
            connection.execute(f"create table t{number} as {rows}")
    with duckdb.connect(str(path)) as connection, SideBySide(connection) as side_by_side:
        limit = connection.sql("select current_setting('memory_limit')").fetchall()
        jobs = [Job(str(n), lambda connection, n=n: read(connection, n % 8)) for n in range(16)]
        random.Random(0).shuffle(jobs)  # noqa: S311 - not a secret
        found = dict(zip((job.name for job in jobs), side_by_side.run(jobs), strict=True))
        assert connection.sql("select current_setting('memory_limit')").fetchall() == limit
    assert [found[str(n)] for n in range(8)] == [found[str(n)] for n in range(8, 16)]
    # Each job reads 3.2 MB; what runs beside the last one that was started may add to it.
    n_beside = min(os.cpu_count() or 1, sql_runs.MAX_AT_ONCE)
    assert max(held) < (4 << 20) + n_beside * 4_000_000
    assert path.stat().st_size > max(held)
