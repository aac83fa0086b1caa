"""Publishing: the new file is whole, or the old one stays; readers never notice a rebuild."""

import json
import pickle
import signal
import subprocess
import sys
import uuid
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pytest
from sql.tiny_lake import (
    TABLE,
    Rows,
    contents,
    few_sql,
    publish_few,
    publish_lean,
    publish_on,
    tiny_rows,
    write_lake,
)

from enact_assets.engine.errors import CheckError, DamagedFileError, WarehouseError
from enact_assets.engine.lake.lake import Lake
from enact_assets.engine.progress import Progress
from enact_assets.engine.provenance import InputVersion, Provenance
from enact_assets.engine.publishing import warehouse
from enact_assets.engine.publishing.sql_files import STAGES
from enact_assets.engine.publishing.warehouse import publish
from enact_assets.engine.tables import TABLES, table
from enact_assets.results.published import published_provenance, query

PUBLISHED = ["enact.duckdb", "enact.duckdb.seal", "enact.duckdb.wal"]
"""All that stands in the folder after publishing: the file, and its log, a link to nowhere."""
OPEN_FILES = Path("/proc/self/fd")
COUNTS = "select (select count(*) from facts), (select max(n_frames) from demonstrations)"


def lake_with(root: Path, n_facts: int) -> Lake:
    """A lake in which the number of facts and the number of frames agree."""
    return write_lake(root, marked_rows(n_facts))


def marked_rows(n_facts: int) -> Rows:
    existence = {"demonstration": TABLE, "predicate": "Exists", "object": None, "frame_from": 0}
    facts = [{**existence, "subject": f"cup_{i}", "frame_to": 1} for i in range(n_facts)]
    [demonstration] = [d for d in tiny_rows()["demonstrations"] if d["demonstration"] == TABLE]
    return {"facts": facts, "demonstrations": [{**demonstration, "n_frames": n_facts}]}


def test_publishing_reports_rows_checks_and_progress(lake: Lake, target: Path) -> None:
    shares: list[float] = []
    report = publish_lean(lake, target, on_progress=lambda p: shares.append(p.share))
    assert report.path == target
    assert (report.rows["qa"], report.rows["answers"]) == (5, 12)
    assert all(check.is_passed for check in report.checks)
    assert shares == sorted(shares)
    assert 0.0 < shares[0] < shares[-1] == 1.0
    assert sorted(p.name for p in target.parent.iterdir()) == PUBLISHED


def test_the_lake_and_the_warehouse_hold_the_same_rows(lake: Lake, target: Path) -> None:
    """Nulls, lists of lists and floats must come through DuckDB as they were."""
    publish_lean(lake, target)
    for name in ("facts", "qa", "segmented_frames", "evaluation", "probes"):
        contract = table(name)
        published = contract.check(query(target, f"from {name}"))
        assert published.equals(lake.read_all(name).sort(contract.key()), null_equal=True)


@pytest.mark.slow
def test_equal_lakes_give_equal_warehouses(tmp_path: Path, target: Path) -> None:
    """Rows written in another order, by another run, are the same data."""
    rows = tiny_rows()
    reports = []
    for number in (1, 2):
        lake = write_lake(tmp_path / f"lake{number}", rows)
        reports.append(publish(lake, target.with_name(f"{number}.duckdb")))
        rows = {name: list(reversed(r)) for name, r in reversed(rows.items())}
    assert reports[0].content_sha == reports[1].content_sha
    one, other = (contents(report.path) for report in reports)
    assert one.keys() == other.keys() == reports[0].rows.keys()
    for name, rows_of_one in one.items():
        assert rows_of_one.equals(other[name], null_equal=True), name


def test_the_content_hash_follows_the_rows(tmp_path: Path, target: Path) -> None:
    """Dagster compares it: equal hashes mean that nothing downstream is due."""
    first = publish_few(lake_with(tmp_path / "lake", 2), target).content_sha
    assert publish_few(lake_with(tmp_path / "lake", 2), target).content_sha == first
    assert publish_few(lake_with(tmp_path / "lake", 3), target).content_sha != first


@pytest.mark.parametrize(
    ("folder", "sibling"),
    [
        ("it's a[b]c 50% *", "it's abc 50% d"),
        ("n_frames=7", "n_frames=8"),
        pytest.param("run[1]", "run1", marks=pytest.mark.slow),  # a part of the first
    ],
)
def test_any_folder_name_will_do(tmp_path: Path, folder: str, sibling: str) -> None:
    """Quotes, globs and 'key=value' mean something to SQL and to DuckDB's file reader; rows are
    never those of a sibling that a glob matches (faults N3).
    """
    lake_with(tmp_path / sibling / "lake", 4)
    lake = lake_with(tmp_path / folder / "lake", 3)
    path = publish_few(lake, tmp_path / folder / "enact.duckdb").path
    assert query(path, COUNTS).row(0) == (3, 3)


def test_a_path_that_duckdb_cannot_write_to_is_refused(tmp_path: Path) -> None:
    """DuckDB reads a '?' as the start of a query and looks for its log elsewhere."""
    with pytest.raises(WarehouseError, match="cannot write below a path"):
        publish_few(Lake(tmp_path), tmp_path / "what?" / "enact.duckdb")


def n_files(lake: Lake) -> int:
    """Files of all tables."""
    return sum(len(lake.partitions(name)) for name in TABLES)


@pytest.mark.slow
def test_damaged_files_are_all_named_and_nothing_is_replaced(lake: Lake, target: Path) -> None:
    """DuckDB itself reads a flipped bit as other data, or stops at the first bad file."""
    publish_on(lake, target, few_sql())
    before = target.read_bytes()
    qa = lake.path("qa", {"demonstration": TABLE, "gating": "state"})
    qa.write_bytes(qa.read_bytes()[:-50])
    facts = lake.path("facts", {"demonstration": TABLE})
    pl.read_parquet(facts).write_parquet(facts)  # the same rows, written by something else
    said = f"^2 of {n_files(lake)} files of the lake"
    with pytest.raises(DamagedFileError, match=said) as caught:
        publish_few(lake, target)
    assert str(qa) in str(caught.value)
    assert str(facts) in str(caught.value)
    assert target.read_bytes() == before
    assert sorted(p.name for p in target.parent.iterdir()) == PUBLISHED


def test_a_failed_check_keeps_the_old_file(lake: Lake, target: Path, tmp_path: Path) -> None:
    """People keep querying yesterday's sound numbers instead of today's broken ones."""
    publish_on(lake, target, few_sql())
    before = target.read_bytes()
    rows = tiny_rows()
    rows["facts"][0]["frame_to"] = 10_000
    broken = write_lake(tmp_path / "broken", rows)
    with pytest.raises(CheckError, match=r"not replaced, 1 of \d+ checks failed"):
        publish_few(broken, target)
    assert target.read_bytes() == before
    assert sorted(p.name for p in target.parent.iterdir()) == PUBLISHED


def test_a_failed_check_shows_its_first_rows(tmp_path: Path, target: Path) -> None:
    """And what the others found: Dagster shows a result for each, also when nothing is published.

    Five of them: who sees one row only cannot tell a slip from a rule that everything breaks.
    """
    root = sql_root(
        tmp_path / "own",
        checks_a="-- a: one row per number.\n-- Fix: count less.\nselect * from range(7) as t(n);",
        checks_b="-- b: none.\nselect 1 as x where false;",
    )
    with pytest.raises(CheckError, match=r"check a: 7 offending rows, first \{'n': 0\}") as caught:
        publish_few(Lake(tmp_path / "lake"), target, root)
    a, b = caught.value.checks
    assert (a.name, a.n_offending, a.is_passed, a.advice) == ("a", 7, False, "count less.")
    assert a.rows.rows() == [(0,), (1,), (2,), (3,), (4,)]
    assert (b.name, b.is_passed, b.first) == ("b", True, None)
    sent = pickle.loads(pickle.dumps(caught.value))  # noqa: S301 - our own
    assert (str(sent), sent.checks[0].n_offending) == (str(caught.value), 7)


def test_the_file_says_what_it_was_made_from(tmp_path: Path, lake: Lake, target: Path) -> None:
    """Rows and provenance are swapped in together, as in the lake: no moment between them."""
    assert published_provenance(target) == (None, None)
    provenance = Provenance("it's", {"qa": InputVersion("ab" * 32, 2)})
    report = publish_few(lake, target, provenance=provenance)
    assert published_provenance(target) == (report.content_sha, provenance)
    publish_few(lake, target)
    assert published_provenance(target) == (report.content_sha, None)
    target.write_bytes(b"not a database" * 1000)
    assert published_provenance(target) == (None, None)


@pytest.mark.slow
def test_a_lake_elsewhere_is_published_like_one_in_a_folder(tmp_path: Path, target: Path) -> None:
    """DuckDB reads no object store here: verified files are copied, and the copies removed."""
    here = publish_lean(write_lake(tmp_path / "lake", tiny_rows()), target)
    lake = write_lake(f"memory://{uuid.uuid4().hex}/lake", tiny_rows())
    there = publish_lean(lake, tmp_path / "there/enact.duckdb")
    assert there.content_sha == here.content_sha
    assert there.rows == here.rows
    for name in ("qa", "predictions", "leaderboard"):
        one, other = (query(report.path, f"from {name}") for report in (here, there))
        assert one.equals(other, null_equal=True), name
    assert sorted(p.name for p in (tmp_path / "there").iterdir()) == PUBLISHED
    with lake.place.publishing("facts/x-1.parquet") as file:
        file.write(b"PAR1 or what")
    said = rf"1 of {n_files(lake)} files .*\n.*memory://.*/facts/x-1.parquet"
    with pytest.raises(DamagedFileError, match=said):
        publish_few(lake, target)


def sql_root(folder: Path, **files: str) -> Path:
    """A folder like sql/ with files ``<stage>_<name>``."""
    for stage in STAGES:
        (folder / stage).mkdir(parents=True)
    for place, text in files.items():
        stage, name = place.split("_", 1)
        (folder / stage / f"{name}.sql").write_text(text)
    return folder


def test_people_can_bring_their_own_sql(tmp_path: Path, target: Path) -> None:
    root = sql_root(
        tmp_path / "own",
        marts_total="-- total: one row.\ncreate view total as select count(*) as n from facts;",
        checks_few="-- few: one row per fact too many.\nselect * from facts limit 0;",
    )
    report = publish_few(lake_with(tmp_path / "lake", 4), target, root)
    filled = {name: n for name, n in report.rows.items() if n}
    assert filled.pop("relations") == len(report.rows)
    assert filled == {"demonstrations": 1, "facts": 4, "total": 1}
    assert query(target, "from total").item() == 4
    assert [c.name for c in report.checks] == ["few"]


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"marts_bad": "create table bad as select nope from nowhere;"}, "sql/marts/bad.sql: Cata"),
        ({"marts_bad": "create table good as select 1 as x;"}, "created no relation 'bad'"),
        ({"checks_bad": "select 1 from nowhere"}, "sql/checks/bad.sql: Catalog Error"),
        (
            {
                "marts_one": "-- one: x\n-- Reads: two.\ncreate table one as from two;",
                "marts_two": "-- two: x\n-- Reads: one.\ncreate table two as from one;",
            },
            r"in a circle: sql/marts/(one|two).sql -> sql/marts/(two|one).sql -> sql/marts/\1.sql",
        ),
        ({"checks_bad": "select 7 as seven"}, r"check bad: 1 offending rows, first {'seven': 7}"),
    ],
)
def test_sql_that_fails_is_named(
    tmp_path: Path, target: Path, files: dict[str, str], message: str
) -> None:
    with pytest.raises(WarehouseError, match=message):
        publish_few(Lake(tmp_path / "lake"), target, sql_root(tmp_path / "own", **files))
    assert not target.exists()


def test_a_mart_may_read_one_whose_name_sorts_behind_its_own(tmp_path: Path, target: Path) -> None:
    """As `leaderboard` reads `leaderboard_details`."""
    files = {
        "marts_a": "-- a: x\n-- Reads: z.\ncreate table a as from z;",
        "marts_z": "-- z: x\n-- Reads: facts.\ncreate table z as select 7 as seven;",
    }
    report = publish_few(Lake(tmp_path / "lake"), target, sql_root(tmp_path / "own", **files))
    assert (report.rows["a"], report.rows["z"]) == (1, 1)


def test_a_folder_that_is_no_sql_folder_is_refused(tmp_path: Path, target: Path) -> None:
    with pytest.raises(WarehouseError, match="no sub-folder 'marts'"):
        publish_few(Lake(tmp_path / "lake"), target, tmp_path)


def test_files_written_again_during_publication_are_noticed(tmp_path: Path, target: Path) -> None:
    """What DuckDB reads must be what was verified and hashed."""
    lake = lake_with(tmp_path / "lake", 2)

    def write_again(progress: Progress) -> None:
        if 0.5 < progress.share < 0.6:
            lake_with(tmp_path / "lake", 3)

    with pytest.raises(
        WarehouseError, match=r"2 of 2 files .* changed during publishing, .* Publish again"
    ):
        publish_few(lake, target, on_progress=write_again)
    assert not target.exists()


KILLED_PUBLISHER = """
import os, signal, sys
from pathlib import Path
from enact_assets.engine.publishing import warehouse
from enact_assets.engine.lake.lake import Lake

def die(*_):
    os.kill(os.getpid(), signal.SIGKILL)

warehouse.refuse_offending = die  # every relation is built, nothing is swapped in
lake, target, sql = map(Path, sys.argv[1:])
warehouse.publish(Lake(lake), target, sql)
"""


@pytest.mark.slow
def test_kill_9_while_publishing_keeps_the_old_file(lake: Lake, target: Path) -> None:
    publish_few(lake, target)
    before = target.read_bytes()
    command = [sys.executable, "-c", KILLED_PUBLISHER, str(lake.root), str(target), str(few_sql())]
    finished = subprocess.run(command, check=False, capture_output=True)  # noqa: S603 - our own
    assert finished.returncode == -signal.SIGKILL, finished.stderr.decode()
    assert target.read_bytes() == before
    left = [p.name for p in target.parent.iterdir() if p.name not in PUBLISHED]
    assert left
    assert all(name.startswith(".enact.duckdb.") for name in left)
    publish_few(lake, target)
    assert query(target, "select count(*) from qa").item() == 5


@pytest.mark.skipif(not OPEN_FILES.is_dir(), reason="this system does not list open files")
def test_the_file_is_closed_before_it_is_swapped_in(
    lake: Lake, target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """DuckDB may write to a file when it closes it: nobody may see that."""
    opened: list[str] = []
    check = warehouse.refuse_offending

    def look(*told: Any) -> None:
        links = [str(link.readlink()) for link in OPEN_FILES.iterdir() if link.is_symlink()]
        opened.extend(link for link in links if str(target.parent) in link)
        check(*told)

    monkeypatch.setattr(warehouse, "refuse_offending", look)
    for is_whole in (True, False):
        publish_few(lake, target, is_whole=is_whole)
        assert opened == []


READERS = """
import json, os, sys
from pathlib import Path
import duckdb
from enact_assets.results.published import query
path, sql, stop, is_held = sys.argv[1:]
held = duckdb.connect(path, read_only=True) if is_held == "held" else None
print("ready", flush=True)
seen, n_queries, n_swapped, n_failed = set(), 0, 0, 0
while not Path(stop).exists():
    if held is None:
        before, found, failed = os.stat(path).st_ino, None, None
        try:
            with duckdb.connect(path, read_only=True) as other:
                found = other.execute(sql).fetchone()
        except duckdb.Error as error:
            failed = error
        if os.stat(path).st_ino != before:
            n_swapped += 1
            n_failed += failed is not None
            continue
        if failed is not None:
            raise failed
        seen.add(found)
    else:
        seen.add(query(Path(path), sql).row(0))
        seen_by_the_holder = held.execute(sql).fetchone()
        assert seen_by_the_holder == (1, 1), seen_by_the_holder
    n_queries += 1
print(json.dumps([n_queries, n_swapped, n_failed, sorted(seen)]))
"""


@pytest.mark.slow
@pytest.mark.parametrize("n_rebuilds", [2, 25])
def test_readers_see_no_error_and_no_half_state_during_rebuilds(
    tmp_path: Path, target: Path, n_rebuilds: int
) -> None:
    """Whoever opens the file at any moment gets one publication whole; who holds one keeps it.

    The swap has no moment at which the file is missing, partial or locked, and a shell left open
    blocks no rebuild. One reader holds the first file and asks as our commands do, one opens the
    file anew for each query, as other programs do; it asks again if the file was swapped meanwhile,
    because DuckDB opens a file two or three times.
    """
    root = sql_root(tmp_path / "own")
    publish_few(lake_with(tmp_path / "lake", 1), target, root)
    stop = tmp_path / "stop"
    command = [sys.executable, "-c", READERS, str(target), COUNTS, str(stop)]
    readers = [
        subprocess.Popen(  # noqa: S603 - our own code
            [*command, word], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        for word in ("held", "anew")
    ]
    try:
        for reader in readers:
            assert reader.stdout is not None
            assert reader.stdout.readline() == "ready\n"
        for number in range(2, 2 + n_rebuilds):
            lake = lake_with(tmp_path / "lake", number)
            publish_few(lake, target, root, is_whole=number % 10 == 0)
            assert query(target, COUNTS).row(0) == (number, number)
    finally:
        stop.touch()
        told = [reader.communicate(timeout=60) for reader in readers]
    for reader, (out, errors) in zip(readers, told, strict=True):
        assert reader.returncode == 0, errors
        n_queries, n_swapped, n_failed, seen = json.loads(out)
        print(
            f"{n_queries} queries, {len(seen)} publications seen; {n_swapped} times the file was "
            f"swapped meanwhile, {n_failed} of them could not be opened"
        )
        assert n_queries >= n_rebuilds
        assert len(seen) > 1
        assert all(n_facts == n_frames for n_facts, n_frames in seen)


PUBLISHER = """
import sys
from pathlib import Path
from enact_assets.engine.lake.lake import Lake
from enact_assets.engine.publishing.warehouse import publish
lake, target, sql = map(Path, sys.argv[1:])
for _ in range(2):
    publish(Lake(lake), target, sql)
"""


@pytest.mark.slow
def test_of_two_publishers_one_wins_whole(tmp_path: Path, target: Path) -> None:
    """A schedule and a person may publish at the same moment."""
    lakes = [lake_with(tmp_path / f"lake{n}", n) for n in (2, 5)]
    places = [[str(lake.root), str(target), str(few_sql())] for lake in lakes]
    commands = [[sys.executable, "-c", PUBLISHER, *place] for place in places]
    running = [subprocess.Popen(c, stderr=subprocess.PIPE) for c in commands]  # noqa: S603 - our own
    for process in running:
        _, errors = process.communicate(timeout=60)
        assert process.returncode == 0, errors.decode()
    assert query(target, COUNTS).row(0) in {(2, 2), (5, 5)}
    assert sorted(p.name for p in target.parent.iterdir()) == PUBLISHED


def test_a_query_sees_the_new_file_in_a_process_that_holds_the_old(
    tmp_path: Path, target: Path
) -> None:
    """DuckDB gives a process that connects to the same path twice the first file again."""
    publish_few(lake_with(tmp_path / "lake", 1), target)
    with duckdb.connect(str(target), read_only=True) as held:
        publish_few(lake_with(tmp_path / "lake", 2), target)
        assert held.execute(COUNTS).fetchone() == (1, 1)
        assert query(target, COUNTS).row(0) == (2, 2)


def test_who_stands_in_the_wrong_folder_is_told_where_the_warehouse_was_looked_for(
    tmp_path: Path,
) -> None:
    """Most often nothing is missing but a --data."""
    with pytest.raises(WarehouseError) as error:
        query(tmp_path / "data" / "enact.duckdb", "select 1")
    for told in (f"Looked in {tmp_path / 'data'}", "--data or ENACT_HOME", "`make demo`"):
        assert told in str(error.value)


def test_queries_that_cannot_run_say_why(lake: Lake, target: Path) -> None:
    (target.parent / "lake").mkdir(parents=True)
    with pytest.raises(WarehouseError, match=r"no warehouse yet\. .* --asset warehouse` publishes"):
        query(target, "select 1")
    publish_on(lake, target, few_sql())
    with pytest.raises(WarehouseError, match="Catalog Error"):
        query(target, "from nowhere")
    with pytest.raises(WarehouseError, match="more than read"):
        query(target, "drop table qa")
    with pytest.raises(WarehouseError, match="syntax error"):
        query(target, "selec 1")
    target.write_bytes(b"not a database, but as long as the header of one" * 100)
    with pytest.raises(WarehouseError, match=r"enact\.duckdb"):
        query(target, "select 1")


def test_an_empty_query_is_refused(lake: Lake, target: Path) -> None:
    """An empty box looks like a query without results."""
    publish_on(lake, target, few_sql())
    for nothing in ("", "  ;; ", "-- only a comment"):
        with pytest.raises(WarehouseError, match="the query is empty"):
            query(target, nothing)


def test_two_statements_are_refused(lake: Lake, target: Path) -> None:
    """Rows of all but the last would be lost without a word."""
    publish_on(lake, target, few_sql())
    with pytest.raises(WarehouseError, match=r"^2 SQL statements .* one at a time"):
        query(target, "select 1; select 2")
    assert query(target, "select ';' as x -- ; select 2\n;").item() == ";"
    # DuckDB runs a pivot as two statements of its own: it is still one query.
    pivoted = query(target, "pivot (select kind, length from qa) on kind using count(*)")
    assert pivoted.columns == ["length", "forward", "inverse"]
