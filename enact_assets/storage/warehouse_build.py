"""Makes staging relations and marts in an empty database and checks them, side by side."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import duckdb
import polars as pl

from enact_assets.contracts.errors import WarehouseError
from enact_assets.contracts.tables import TABLES
from enact_assets.storage.relations import (
    STALE_PARTITIONS,
    comment_columns,
    comment_relation,
    create_given_view,
)
from enact_assets.storage.sources import (
    LeftOut,
    Names,
    Sources,
    create_lake_views,
    find_left_out,
    refuse_changed,
)
from enact_assets.storage.sql_files import SqlFile
from enact_assets.storage.sql_runs import SideBySide
from enact_assets.storage.warehouse_checks import CheckResult, run_check

_CONTRACTS = {**TABLES, STALE_PARTITIONS.name: STALE_PARTITIONS}


class Made(NamedTuple):
    """A relation that a file made: table or view, and the number of its rows."""

    kind: str
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
    names: Names,
    *,
    stale: pl.DataFrame,
    told: Callable[[float], None],
) -> Built:
    """Make the relations of ``files``, with comments, and run the checks; ``told`` the share done.

    Errors: :class:`WarehouseError` names the SQL file that failed, or the files of the lake that
    changed meanwhile; :class:`TableContractError` for ``stale`` with other columns. Offending rows
    are no error.
    """
    try:
        side_by_side = SideBySide(connection, sources.sizes)
        left_out = find_left_out(connection, sources, names)
        for other in side_by_side.connections:
            create_given_view(other, STALE_PARTITIONS, stale)
            create_lake_views(other, sources, left_out)
    except duckdb.Error as error:
        refuse_changed(sources)
        raise WarehouseError(f"the files of the lake cannot be read: {error}") from error
    try:
        done = side_by_side.run(files, _run, lambda n_done: told(n_done / len(files)))
    except WarehouseError:
        refuse_changed(sources)
        raise
    made = [(f, r) for f, r in zip(files, done, strict=True) if isinstance(r, Made)]
    checks = tuple(result for result in done if isinstance(result, CheckResult))
    # One transaction: each of the hundreds of comments would be flushed to disk alone.
    connection.begin()
    for file, result in made:
        comment_relation(connection, file.name, result.kind, file.meaning)
        if file.name in _CONTRACTS:
            comment_columns(connection, _CONTRACTS[file.name])
    connection.commit()
    return Built({file.name: result.n_rows for file, result in made}, left_out, checks)


def _run(connection: duckdb.DuckDBPyConnection, file: SqlFile) -> "Made | CheckResult":
    return run_check(connection, file) if file.stage == "checks" else _make(connection, file)


def _make(connection: duckdb.DuckDBPyConnection, file: SqlFile) -> Made:
    try:
        connection.begin()
        connection.execute(file.text)
        connection.commit()
        return Made(_kind(connection, file), _count(connection, f"from {file.name}"))
    except duckdb.Error as error:
        raise WarehouseError(f"{file.place}: {error}") from error


def _kind(connection: duckdb.DuckDBPyConnection, file: SqlFile) -> str:
    """Whether the file made a table or a view of its own name."""
    for kind in ("table", "view"):
        made = f"from duckdb_{kind}s() where not temporary and {kind}_name = '{file.name}'"
        if _count(connection, made):
            return kind
    raise WarehouseError(f"{file.place}: ran, but made no relation {file.name!r}")


def _count(connection: duckdb.DuckDBPyConnection, source: str) -> int:
    [(n,)] = connection.execute(f"select count(*) {source}").fetchall()
    return int(n)
