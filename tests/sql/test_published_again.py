"""A file that is made from a copy of the former one holds what one made from nothing holds."""

import os
import random
import shutil
from datetime import timedelta
from pathlib import Path

import duckdb
import polars as pl
import pytest
from polars.testing import assert_frame_equal
from sql.tiny_lake import (
    BOIL,
    TABLE,
    contents,
    few_sql,
    part_of_sql,
    publish_few,
    publish_lean,
    publish_on,
    tiny_rows,
    write_lake,
)

from enact_assets.engine.errors import CheckError, DamagedFileError
from enact_assets.engine.lake.lake import Lake
from enact_assets.engine.provenance import Provenance
from enact_assets.engine.publishing import former_file
from enact_assets.engine.publishing.former_file import FEWEST, parts_of
from enact_assets.engine.publishing.warehouse import PublishReport, publish
from enact_assets.engine.publishing.warehouse_seal import seal
from enact_assets.engine.system.many_files import File
from enact_assets.engine.system.places import Entry
from enact_assets.engine.tables import TABLES
from enact_assets.questions.key_frames.tables import SceneGraphs
from enact_assets.results.published import query
from enact_assets.results.verification.tables import Evaluation

LONG_AGO = 1_600_000_000


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    return aged(write_lake(tmp_path / "lake", tiny_rows()))


def aged(lake: Lake) -> Lake:
    """``lake`` with files that look as if nobody had written to them for years."""
    for path in lake.root.rglob("*.parquet"):
        os.utime(path, (LONG_AGO, LONG_AGO))
    return lake


def assert_same_content(again: Path, anew: Path) -> None:
    """Same relations, rows and order of rows, floats to the last bit."""
    found, wanted = contents(again), contents(anew)
    assert found.keys() == wanted.keys()
    for name, rows in wanted.items():
        assert_frame_equal(found[name], rows, check_exact=True)


def test_nothing_is_made_again_where_nothing_changed(lake: Lake, target: Path) -> None:
    first = publish_lean(lake, target)
    again = publish_lean(lake, target)
    assert first.rows.keys() < first.ran
    assert not again.ran
    assert (again.rows, again.checks, again.content_sha) == (
        first.rows,
        first.checks,
        first.content_sha,
    )


@pytest.mark.usefixtures("small_parts")
def test_only_what_reads_a_changed_file_is_made_again(lake: Lake, target: Path) -> None:
    sql = part_of_sql("fact_intervals_are_ordered", "key_frames", "answers")
    checks = {name for name in publish(lake, target, sql).ran if name.startswith("sql/checks")}
    [check] = [name for name in checks if name.endswith(".sql")]
    assert checks == {check, f"{check} from {TABLE}"}
    boiling = {"demonstration": BOIL}
    lake.write("facts", lake.read("facts", boiling).head(1), boiling)
    again = publish(lake, target, sql)
    [part] = [name for name in again.ran if name.startswith("parts.")]
    assert part.startswith("parts.facts_")
    assert again.ran > {"facts", "key_frames", check}
    assert again.ran.isdisjoint({"qa", "evaluation", "answers", f"{check} from {TABLE}"})
    anew = target.with_name("anew.duckdb")
    publish(lake, anew, sql)
    assert_same_content(target, anew)


@pytest.mark.slow
@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize("demonstration", [BOIL, TABLE])
def test_a_row_that_offends_a_check_is_found_in_whatever_part(
    demonstration: str, lake: Lake, target: Path
) -> None:
    publish_few(lake, target)
    before = target.read_bytes()
    where = {"demonstration": demonstration}
    facts = lake.read("facts", where)
    lake.write("facts", facts.with_columns(frame_to=pl.lit(10**6, pl.Int64)), where)
    with pytest.raises(CheckError) as error:
        publish_few(lake, target)
    assert {c.name: c.n_offending for c in error.value.checks if not c.is_passed} == {
        "fact_intervals_are_ordered": facts.height
    }
    assert f"'{demonstration}'" in str(error.value)
    assert target.read_bytes() == before


@pytest.mark.slow
@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize("seed", [0, *(pytest.param(n, marks=pytest.mark.slow) for n in (1, 2))])
def test_any_changes_give_what_is_made_from_nothing(seed: int, lake: Lake, target: Path) -> None:
    """Files leave and come back, some with half their rows; names leave and come back."""
    files = sorted(lake.root.rglob("*.parquet"))
    halved = write_lake(lake.root.with_name("halved"), tiny_rows())
    for name in TABLES:
        for partition in halved.partitions(name):
            rows = halved.read(name, partition)
            halved.write(name, rows.head(rows.height // 2), partition)
    draw = random.Random(seed)  # noqa: S311 - not a secret
    sql = part_of_sql("leaderboard", "question_statistics")
    for number in range(2 + 2 * seed):
        for path in draw.sample(files, 5):
            source = draw.choice([path, halved.root / path.relative_to(lake.root), None])
            if source is None:
                path.unlink(missing_ok=True)
            elif source != path:
                path.write_bytes(source.read_bytes())
        names = {"variant": ["baseline", "fov"][: 1 + number % 2]}
        anew = target.with_name(f"{number}.duckdb")
        made = publish(aged(lake), anew, sql, names=names)
        again = publish(lake, target, sql, names=names)
        assert (again.rows, again.content_sha) == (made.rows, made.content_sha)
        assert number == 0 or again.ran < made.ran
        assert_same_content(target, anew)


def test_a_mart_that_changed_is_made_again_and_one_that_left_goes(
    lake: Lake, target: Path, tmp_path: Path
) -> None:
    sql = tmp_path / "sql"
    shutil.copytree(few_sql(), sql)
    mart, other = sql / "marts" / "own.sql", sql / "marts" / "other.sql"
    mart.write_text("create view own as select count(*) as n from facts;")
    other.write_text("-- Reads: own\ncreate table other as select n + 1 as n from own;")
    publish(lake, target, sql)
    mart.write_text("create table own as select 2 * count(*) as n from facts;")
    assert publish(lake, target, sql).ran == {"own", "other"}
    facts = lake.read_all("facts").height
    assert query(target, "select own.n, other.n from own, other").row(0) == (
        2 * facts,
        2 * facts + 1,
    )
    other.unlink()
    again = publish(lake, target, sql)
    assert (again.ran, "other" in again.rows) == ({"relations"}, False)
    assert "other" not in contents(target)


@pytest.mark.slow
def test_a_file_is_read_only_where_its_rows_are_needed(lake: Lake, target: Path) -> None:
    """Remembered are size, time and inode: damage that changes none of them waits to be read."""
    publish_on(lake, target, few_sql())
    path = lake.path("facts", {"demonstration": BOIL})
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    aged(lake)
    assert not publish_few(lake, target).ran
    table = {"demonstration": TABLE}
    lake.write("facts", lake.read("facts", table).head(1), table)
    with pytest.raises(DamagedFileError, match=BOIL):
        publish_few(lake, target)


def test_what_was_written_moments_ago_is_read_again(lake: Lake, target: Path) -> None:
    """A file may be written twice within a tick of the clock and look the same."""
    path = lake.path("facts", {"demonstration": BOIL})
    os.utime(path)
    publish_on(lake, target, few_sql())
    looks = path.stat().st_mtime_ns
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    os.utime(path, ns=(looks, looks))
    with pytest.raises(DamagedFileError, match=BOIL):
        publish_few(lake, target)


@pytest.fixture(scope="module")
def wanted(tmp_path_factory: pytest.TempPathFactory) -> PublishReport:
    """Made from nothing."""
    folder = tmp_path_factory.mktemp("wanted")
    return publish_few(write_lake(folder / "lake", tiny_rows()), folder / "enact.duckdb")


@pytest.mark.slow
@pytest.mark.parametrize("damage", ["cut", "no database", "another database", "memory"])
def test_a_former_file_that_is_damaged_is_not_built_upon(
    damage: str, lake: Lake, target: Path, wanted: PublishReport
) -> None:
    publish_on(lake, target, few_sql())
    content = bytearray(target.read_bytes())
    if damage == "cut":
        target.write_bytes(content[: len(content) // 2])
    elif damage == "no database":
        target.write_bytes(b"no database")
    else:
        Path(f"{target}.wal").unlink()
        if damage == "another database":
            target.unlink()
        with duckdb.connect(str(target)) as connection:
            is_other = damage == "another database"
            connection.execute("create table facts (a int)" if is_other else "drop table meta.made")
    seal(target, target)  # no other program: else nothing would be looked at
    again = publish_few(lake, target)
    assert (again.ran, again.rows) == (wanted.ran, wanted.rows)


@pytest.mark.slow
def test_progress_does_not_start_again_where_the_former_file_fails_half_way(
    lake: Lake, target: Path
) -> None:
    wanted = publish_few(lake, target)
    Path(f"{target}.wal").unlink()
    with duckdb.connect(str(target)) as connection:
        connection.execute("drop table facts")
    seal(target, target)
    demonstrations = {"demonstration": BOIL}
    rows = lake.read("demonstrations", demonstrations)
    lake.write("demonstrations", rows.with_columns(n_frames=pl.col("n_frames") + 1), demonstrations)
    shares: list[float] = []
    again = publish_few(lake, target, on_progress=lambda p: shares.append(p.share))
    assert again.ran == wanted.ran
    assert shares == sorted(shares)
    assert (len(set(shares)), shares[-1]) == (len(shares), 1.0)


@pytest.mark.slow
def test_of_a_file_that_other_code_made_or_is_a_week_old_nothing_is_kept(
    lake: Lake, target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = publish_few(lake, target, provenance=Provenance("one", {}))
    assert not publish_few(lake, target, provenance=Provenance("one", {})).ran
    assert publish_few(lake, target, provenance=Provenance("two", {})).ran == first.ran
    monkeypatch.setattr(former_file, "FORMAT", "next")
    assert publish_few(lake, target, provenance=Provenance("two", {})).ran == first.ran
    monkeypatch.setattr(former_file, "WHOLE_EVERY", timedelta())
    assert publish_few(lake, target, provenance=Provenance("two", {})).ran == first.ran


@pytest.mark.slow
def test_a_file_does_not_grow_for_ever(lake: Lake, target: Path) -> None:
    boiling = {"demonstration": BOIL}
    rows = lake.read("facts", boiling)
    sizes = []
    for number in range(6):
        lake.write("facts", rows.head(number % 2 + 1), boiling)
        publish_few(lake, target)
        sizes.append(target.stat().st_size)
    assert max(sizes) <= 2 * sizes[0]


def files_of(n_demonstrations: int, without: int | None = None) -> list[File]:
    """Two files for each."""
    return [
        ((f"boxing-{number:04}", gating), Entry(f"{number} {gating}", 1, 1, 1))
        for number in range(n_demonstrations)
        for gating in ("contact", "state")
        if number != without
    ]


def test_parts_follow_each_other_and_a_small_table_has_one() -> None:
    files = files_of(1000)
    parts = parts_of(SceneGraphs, files)
    assert [n for part in parts for n in part.numbers] == list(range(len(files)))
    lengths = [len(part.numbers) for part in parts[:-1]]
    assert min(lengths) >= 2 * FEWEST
    assert len(parts) > 10
    assert [p.name for p in parts_of(SceneGraphs, files[: 2 * FEWEST])] == ["scene_graphs"]
    assert [p.name for p in parts_of(Evaluation, files)] == ["evaluation"]


@pytest.mark.parametrize("without", [0, 1, 317, 640, 999])
def test_one_demonstration_changes_the_parts_near_it_only(without: int) -> None:
    def made_of(files: list[File]) -> set[tuple[str, ...]]:
        of = parts_of(SceneGraphs, files)
        return {(part.name, *(files[n][1].name for n in part.numbers)) for part in of}

    before, after = made_of(files_of(1000)), made_of(files_of(1000, without))
    assert len(before - after) <= 3
