"""Every relation and check explains itself, and every example in the README of sql/ runs.

Marts are made of some demonstrations after others, in memory that does not grow."""

import os
import random
import re
import runpy
import shutil
from pathlib import Path

import duckdb
import polars as pl
import pytest
from polars.testing import assert_frame_equal
from sql.tiny_lake import (
    BOIL,
    add_statistics,
    answer,
    contents,
    few_sql,
    part_of_sql,
    publish_few,
    tiny_rows,
    write_lake,
)

from enact_assets.engine.errors import WarehouseError
from enact_assets.engine.lake.lake import Lake
from enact_assets.engine.publishing import former_file, sql_files, sql_runs
from enact_assets.engine.publishing.relations import GIVEN, StalePartitions, duckdb_type
from enact_assets.engine.publishing.sql_files import (
    STAGES,
    SqlFile,
    read_sql_files,
    released_columns,
    sql_folder,
)
from enact_assets.engine.publishing.sql_runs import Job, SideBySide
from enact_assets.engine.publishing.warehouse import publish
from enact_assets.engine.tables import TABLES
from enact_assets.results.published import query

FILES = read_sql_files(sql_folder())
WRITTEN = [file for file in FILES if file.stage in STAGES]
COPIES = [file for file in FILES if file.stage not in STAGES]
RELATIONS = [file for file in FILES if file.stage != "checks"]
CONTRACTS = {n: t for n, t in TABLES.items() if t.is_published} | GIVEN
README = sql_folder() / "README.md"
EXAMPLES = re.findall(r"```sql\n(.*?)```", README.read_text(), flags=re.DOTALL)


@pytest.fixture(scope="module", params=["tiny", "empty"])
def warehouse(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp(request.param)
    if request.param == "empty":
        return publish(Lake(root), root / "enact.duckdb").path
    listed = {"asset": "qa", "partition": "a|b", "state": "stale", "why": "it is old"}
    stale = StalePartitions.build([listed])
    rows = tiny_rows()
    answer(rows, "text_prior", "baseline", "i1", parsed=[1, 2, 3])
    answer(rows, "gpt-5-mini", "baseline", "i1", parsed=[1, 2, 3])
    answer(rows, "gpt-5-mini", "baseline", "i1", raw="No.", repetition=1, stop="refused")
    add_statistics(rows)
    return publish(write_lake(root / "lake", rows), root / "enact.duckdb", stale=stale).path


@pytest.mark.parametrize("file", WRITTEN, ids=lambda file: file.place)
def test_a_header_gives_grain_inputs_and_the_rule_that_surprises(file: SqlFile) -> None:
    """A relation without its grain is queried wrongly, and nobody notices."""
    assert file.meaning.startswith("one row per "), "the first line is '-- <name>: one row per ...'"
    assert file.header["Reads"].endswith(".")
    assert file.header["Fix" if file.stage == "checks" else "Rule"].endswith(".")
    assert all(len(line) <= 100 for line in file.text.splitlines())


@pytest.mark.parametrize("file", WRITTEN, ids=lambda file: file.place)
def test_the_inputs_named_in_a_header_are_the_inputs(file: SqlFile) -> None:
    """Whoever looks for what a changed table touches reads the headers."""
    known = {f.name for f in RELATIONS} | {f"lake_{name}" for name in TABLES}
    body = "\n".join(line for line in file.text.splitlines() if not line.startswith("--"))
    read = set(re.findall(r"(?<!distinct )\b(?:from|join)\s+(\w+)", body)) & known
    named = set(re.findall(r"\w+", file.header["Reads"])) & known
    assert read == named


def test_every_table_but_the_heavy_ones_is_copied() -> None:
    """A table without a copy would silently be missing from SQL."""
    assert {file.name for file in COPIES} == set(CONTRACTS)
    learned = {"training_statistics", "fact_reader", "learned_precedences"}
    assert set(TABLES) - set(CONTRACTS) == {"later_parents", "observability", "states", *learned}


@pytest.mark.parametrize("copy", COPIES, ids=lambda file: file.name)
def test_the_class_of_a_table_gives_grain_and_the_rule_that_surprises(copy: SqlFile) -> None:
    """They are the comments of its copy: people who query it see no other."""
    assert copy.meaning.startswith("One row per ")
    assert copy.header["Rule"].endswith(".")
    assert not copy.header["Rule"].startswith(copy.meaning)


def test_no_mart_shadows_a_table() -> None:
    names = [file.name for file in RELATIONS]
    assert len(names) == len(set(names))


def test_staging_relations_have_the_columns_and_types_of_their_contract(warehouse: Path) -> None:
    """Also when nothing was materialized: a query must not fail for want of data."""
    found = query(
        warehouse,
        "select table_name, column_name, data_type from duckdb_columns() "
        "where database_name = 'warehouse' and schema_name = 'main' "
        "order by table_oid, column_index",
    )
    columns: dict[str, list[tuple[str, str]]] = {}
    for name, column, kind in found.iter_rows():
        columns.setdefault(name, []).append((column, kind.lower()))
    assert set(columns) == {file.name for file in RELATIONS}
    for name, contract in CONTRACTS.items():
        assert columns[name] == [(c, duckdb_type(t)) for c, t in contract.schema().items()]


def test_every_relation_and_column_is_explained_in_the_database(warehouse: Path) -> None:
    """The people who query the file do not have this repository."""
    silent = query(
        warehouse,
        "select table_name, column_name from duckdb_columns() "
        "where database_name = 'warehouse' and comment is null",
    )
    assert silent.rows() == []
    comments = dict(
        query(
            warehouse,
            "select table_name, comment from duckdb_tables() union all "
            "select view_name, comment from duckdb_views() where not internal",
        ).iter_rows()
    )
    for own in ("published", "files", "made"):  # what the file says about itself: schema meta
        assert comments.pop(own)
    assert comments == {file.name: file.meaning for file in RELATIONS}


def test_units_stand_in_the_comments(warehouse: Path) -> None:
    comment = query(
        warehouse,
        "select comment from duckdb_columns() "
        "where table_name = 'visibility' and column_name = 'pixels'",
    ).item()
    assert comment == "size of its mask (unit: px)"


@pytest.mark.parametrize("example", EXAMPLES, ids=range(len(EXAMPLES)))
def test_the_examples_of_the_readme_run(warehouse: Path, example: str) -> None:
    """An example that fails is the first thing a newcomer tries."""
    rows = query(warehouse, example)
    assert rows.width > 1
    # No imported questions are asked there, and no others compare with the paper's.
    if "tiny" in str(warehouse) and "from agreement_with_published" not in example:
        assert rows.height > 0


def test_the_readme_lists_what_headers_say_and_has_many_examples() -> None:
    readme = runpy.run_path(str(sql_folder().parent / "docs/site/relation_pages.py"))["readme"]
    assert README.read_text() == readme(), "python docs/site/relation_pages.py"
    assert len(EXAMPLES) >= 27


def test_names_of_the_last_version_still_answer(warehouse: Path) -> None:
    """Whoever wrote a query against it reads something, and is told what to read next."""
    listed = query(warehouse, "select table_name, column_name from duckdb_columns()")
    now = set(listed.iter_rows())
    released = released_columns(sql_folder())
    assert len(released) > 100
    gone = [
        (relation, column)
        for relation, (_, columns) in released.items()
        for column in columns
        if (relation, column) not in now
    ]
    assert not gone, (
        "these names left: keep a column for one version; of a relation, a view of its old name "
        f"in sql/marts, whose header says 'Successor: NAME.': {gone}"
    )


def test_the_file_lists_its_relations(warehouse: Path) -> None:
    rows = query(warehouse, "from relations order by name")
    assert rows["name"].to_list() == sorted(file.name for file in RELATIONS)
    released = released_columns(sql_folder())
    named = dict(rows.select("name", "since").iter_rows())
    assert named == {n: released.get(n, (None,))[0] for n in named}
    grains = dict(rows.select("name", "one_row_per").iter_rows())
    assert grains["gap_sizes"].startswith("gating, demonstration, kind and size of gap")
    assert not rows.filter(pl.col("one_row_per") == "").height


def test_an_old_name_says_what_to_read_instead(tmp_path: Path) -> None:
    root = tmp_path / "sql"
    shutil.copytree(few_sql(), root)
    (root / "marts" / "former.sql").write_text(
        "-- former: one row per question.\n-- Reads: qa.\n-- Rule: an old name of qa.\n"
        "-- Successor: qa.\ncreate view former as from qa;\n"
    )
    (root / "released.csv").write_text("relation,since,columns\nformer,0.1.0,kind\n")
    target = publish(Lake(tmp_path / "lake"), tmp_path / "enact.duckdb", sql_root=root).path
    [row] = query(target, "from relations where name = 'former'").iter_rows(named=True)
    assert row == {
        "name": "former", "one_row_per": "question", "since": "0.1.0", "replaced_by": "qa",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        (
            "relations",
            "-- relations: one row.\ncreate view relations as from qa;",
            "this name, too",
        ),
        ("old", "-- old: one row.\n-- Successor: qua.\ncreate view old as from qa;", "'qua' is no"),
    ],
)
def test_a_contract_that_cannot_hold_is_refused(
    tmp_path: Path, name: str, text: str, said: str
) -> None:
    shutil.copytree(few_sql(), tmp_path / "sql")
    (tmp_path / "sql" / "marts" / f"{name}.sql").write_text(text)
    with pytest.raises(WarehouseError, match=said):
        read_sql_files(tmp_path / "sql")


@pytest.mark.parametrize("text", ["name;since\n", "relation,since,columns\nqa\n", "\ufeffa,b\nc\n"])
def test_names_of_the_last_version_that_cannot_be_read_are_an_error(
    tmp_path: Path, text: str
) -> None:
    shutil.copytree(few_sql(), tmp_path / "sql")
    (tmp_path / "sql" / "released.csv").write_text(f"{text}qa\n")
    with pytest.raises(WarehouseError, match=r"released\.csv: expected UTF-8"):
        read_sql_files(tmp_path / "sql")


def test_a_grain_in_other_words_is_kept_whole() -> None:
    file = SqlFile("marts", "mine", {"mine": "A row for each demonstration."}, "")
    assert file.grain == "A row for each demonstration"


def test_an_installed_package_finds_the_files_inside_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder 'sql' in site-packages belongs to someone else."""
    package = tmp_path / "site-packages" / "enact_assets"
    inside = package / "engine" / "publishing" / "sql_files.py"
    monkeypatch.setattr(sql_files, "__file__", str(inside))
    (tmp_path / "site-packages" / "sql").mkdir(parents=True)
    with pytest.raises(WarehouseError, match="no folder sql with marts, checks"):
        sql_folder()
    for stage in STAGES:
        (package / "sql" / stage).mkdir(parents=True)
        (tmp_path / "site-packages" / "sql" / stage).mkdir()
    assert sql_folder() == package / "sql"


SPLIT = [
    f.name for f in read_sql_files(sql_folder()) if f.stage == "marts" and f.is_by_demonstration
]
SUMMED = ("question_statistics", "predicate_statistics", "edited_object_sizes", "key_frame_gaps")


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
