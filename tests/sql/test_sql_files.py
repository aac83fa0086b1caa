"""Every relation and check explains itself, and every example in the README of sql/ runs."""

import re
from pathlib import Path

import pytest
from sql.tiny_lake import add_statistics, answer, tiny_rows, write_lake

from enact_assets.engine.errors import WarehouseError
from enact_assets.engine.lake.lake import Lake
from enact_assets.engine.publishing import sql_files
from enact_assets.engine.publishing.relations import StalePartitions, duckdb_type
from enact_assets.engine.publishing.sql_files import STAGES, SqlFile, read_sql_files, sql_folder
from enact_assets.engine.publishing.warehouse import publish
from enact_assets.engine.tables import TABLES
from enact_assets.results.published import query

FILES = read_sql_files(sql_folder())
WRITTEN = [file for file in FILES if file.stage in STAGES]
COPIES = [file for file in FILES if file.stage not in STAGES]
RELATIONS = [file for file in FILES if file.stage != "checks"]
CONTRACTS = {n: t for n, t in TABLES.items() if t.is_published} | {
    StalePartitions.table_name(): StalePartitions
}
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


def test_the_readme_names_every_mart_and_has_many_examples() -> None:
    listed = re.findall(r"^\| `(\w+)`(?: \(mart\))? \|", README.read_text(), flags=re.MULTILINE)
    made = {file.name for file in RELATIONS} - TABLES.keys()
    assert sorted(listed) == sorted(made), "the table of relations in sql/README.md"
    assert len(EXAMPLES) >= 27


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
