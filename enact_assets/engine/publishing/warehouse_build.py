"""Makes staging relations and marts in an empty database and checks them.

Everything is a job that waits for what it needs and for nothing else: tables of the lake are
verified while others, verified already, are read into the database.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import duckdb
import polars as pl

from enact_assets.contracts.errors import DamagedFileError, WarehouseError
from enact_assets.engine.publishing.publishable import (
    LeftOut,
    Sources,
    left_out_of,
    refuse_changed,
    verified_before,
)
from enact_assets.engine.publishing.relations import (
    StalePartitions,
    comment_columns,
    comment_relation,
    create_given_view,
    create_lake_view,
)
from enact_assets.engine.publishing.sql_files import SqlFile
from enact_assets.engine.publishing.sql_runs import Job, SideBySide
from enact_assets.engine.publishing.warehouse_checks import CheckResult, run_check
from enact_assets.engine.tables import TABLES, Table

_COMMENT = re.compile(r"--[^\n]*")
_WORD = re.compile(r"\w+")
_LAKE = "lake_"


class Made(NamedTuple):
    """A relation that a file made: the number of its rows."""

    n_rows: int


@dataclass(frozen=True)
class Built:
    """Rows of each relation, what rows of published files were left out, and all checks."""

    rows: dict[str, int]
    left_out: LeftOut
    checks: tuple[CheckResult, ...]


def build(
    connection: duckdb.DuckDBPyConnection,
    files: Sequence[SqlFile],
    sources: Sources,
    *,
    stale: pl.DataFrame,
    on_progress: Callable[[float], None],
) -> Built:
    """Verify ``sources``, make the relations of ``files`` with comments, and run the checks.

    ``on_progress`` gets the share done. Errors: :class:`DamagedFileError` names files of the lake
    that cannot be used; :class:`WarehouseError` the SQL file that failed, or files of the lake that
    changed meanwhile; :class:`TableContractError` for ``stale`` with other columns. Offending rows
    are no error.
    """
    side_by_side = SideBySide(connection)
    for other in side_by_side.connections:
        create_given_view(other, StalePartitions, stale)
    left_out: LeftOut = {}
    jobs = [*_jobs_of_tables(sources, left_out), *_jobs_of_files(files, sources, left_out)]
    try:
        results = side_by_side.run(jobs, lambda n_done: on_progress(n_done / len(jobs)))
    except WarehouseError:
        refuse_changed(sources)
        raise
    except DamagedFileError:
        sources.refuse_damaged()  # by now all of them
        raise
    sources.refuse_damaged()
    done = results[-len(files) :] if files else []
    made = [(f, r) for f, r in zip(files, done, strict=True) if isinstance(r, Made)]
    kinds = _kinds(connection)
    # One transaction: each of the hundreds of comments would be flushed to disk alone.
    connection.begin()
    for file, _ in made:
        comment_relation(connection, file.name, kinds[file.name], file.meaning)
        contract = _contract(file.name)
        if contract is not None:
            comment_columns(connection, contract)
    connection.commit()
    return Built(
        {file.name: relation.n_rows for file, relation in made},
        {table: left_out[table] for table in sources.sizes if left_out.get(table)},
        tuple(result for result in done if isinstance(result, CheckResult)),
    )


def _contract(relation: str) -> type[Table] | None:
    """The table that a staging relation holds; None of a mart."""
    return StalePartitions if relation == StalePartitions.table_name() else TABLES.get(relation)


_Done = Made | CheckResult | None


def _jobs_of_tables(sources: Sources, left_out: LeftOut) -> Iterator[Job[_Done]]:
    """Per table, one that verifies it and one that finds whose rows of it are left out."""

    def verify(table: str, _: duckdb.DuckDBPyConnection) -> None:
        sources.verify(table)

    def find_left_out(table: str, connection: duckdb.DuckDBPyConnection) -> None:
        try:
            left_out[table] = left_out_of(connection, sources, table, left_out)
        except duckdb.Error as error:
            raise WarehouseError(f"the files of the lake cannot be read: {error}") from error

    def verify_leavers(_: duckdb.DuckDBPyConnection) -> None:
        sources.verify_leavers()

    leavers = "verify leavers"
    yield Job(leavers, verify_leavers, is_due_anyway=True)
    for table, size in sources.sizes.items():
        yield Job(_verify(table), partial(verify, table), weight=size, is_due_anyway=True)
        before = verified_before(table)
        needs = {_verify(table), *map(_left_out, before), *([leavers] if before else [])}
        yield Job(_left_out(table), partial(find_left_out, table), frozenset(needs), size)


def _jobs_of_files(
    files: Sequence[SqlFile], sources: Sources, left_out: LeftOut
) -> Iterator[Job[_Done]]:
    """One per file; it waits for those before it, and for the tables, that its text names."""

    def run(file: SqlFile, tables: Sequence[str], connection: duckdb.DuckDBPyConnection) -> _Done:
        if file.stage == "checks":
            return run_check(connection, file)
        try:
            for table in tables:
                paths = sources.paths(table)
                create_lake_view(connection, TABLES[table], paths, left_out[table])
            return _make(connection, file)
        except duckdb.Error as error:
            raise WarehouseError(f"{file.place}: {error}") from error

    sizes = sources.sizes
    before: dict[str, str] = {}
    for file in files:
        words = set(_WORD.findall(_COMMENT.sub("", file.text)))
        tables = sorted(table for table in sizes if _LAKE + table in words)
        needs = {before[word] for word in words & before.keys()} | set(map(_left_out, tables))
        weight = sum(sizes.get(word, 0) for word in words)
        yield Job(file.place, partial(run, file, tables), frozenset(needs), weight)
        if file.stage != "checks":
            before[file.name] = file.place


def _verify(table: str) -> str:
    return f"verify {table}"


def _left_out(table: str) -> str:
    return f"left out of {table}"


def _make(connection: duckdb.DuckDBPyConnection, file: SqlFile) -> Made:
    connection.begin()
    connection.execute(file.text)
    connection.commit()
    try:
        return Made(_count(connection, f"from {file.name}"))
    except duckdb.CatalogException as error:
        if file.name in _kinds(connection):
            raise
        missing = f"{file.place}: the file ran but created no relation {file.name!r}"
        raise WarehouseError(missing) from error


def _kinds(connection: duckdb.DuckDBPyConnection) -> dict[str, str]:
    """Every relation -> table or view. Asked once: DuckDB lists all of them each time."""
    listed = connection.execute(
        "select table_name, 'table' from duckdb_tables() where not temporary "
        "union all select view_name, 'view' from duckdb_views() where not temporary"
    )
    return dict(listed.fetchall())


def _count(connection: duckdb.DuckDBPyConnection, source: str) -> int:
    [(n,)] = connection.execute(f"select count(*) {source}").fetchall()
    return int(n)
