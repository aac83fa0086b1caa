"""Makes staging relations and marts in an empty database, side by side."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

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

_CONTRACTS = {**TABLES, STALE_PARTITIONS.name: STALE_PARTITIONS}


@dataclass(frozen=True)
class Built:
    """Rows of each relation, and what rows of published files were left out."""

    rows: dict[str, int]
    left_out: LeftOut


def build(
    connection: duckdb.DuckDBPyConnection,
    files: Sequence[SqlFile],
    sources: Sources,
    names: Names,
    *,
    stale: pl.DataFrame,
    told: Callable[[float], None],
) -> Built:
    """Make the relations of ``files``, stage by stage, with comments; ``told`` the share done.

    Errors: :class:`WarehouseError` names the SQL file that failed, or the files of the lake that
    changed meanwhile; :class:`TableContractError` for ``stale`` with other columns.
    """
    relations = [file for file in files if file.stage != "checks"]
    kinds: dict[str, tuple[str, int]] = {}
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
        for stage in dict.fromkeys(file.stage for file in relations):
            of_stage = [file for file in relations if file.stage == stage]
            made = side_by_side.run(
                of_stage, _make, partial(_tell, told, len(kinds), len(relations))
            )
            kinds |= made
    except WarehouseError:
        refuse_changed(sources)
        raise
    # One transaction: each of the hundreds of comments would be flushed to disk alone.
    connection.begin()
    for file in relations:
        comment_relation(connection, file.name, kinds[file.name][0], file.meaning)
        if file.name in _CONTRACTS:
            comment_columns(connection, _CONTRACTS[file.name])
    connection.commit()
    return Built({name: n_rows for name, (_, n_rows) in kinds.items()}, left_out)


def _tell(told: Callable[[float], None], n_before: int, n: int, n_done: int) -> None:
    told((n_before + n_done) / n)


def _make(connection: duckdb.DuckDBPyConnection, file: SqlFile) -> tuple[str, int]:
    """Run one file; returns the kind of relation it made, and the number of its rows."""
    try:
        connection.begin()
        connection.execute(file.text)
        connection.commit()
        return _kind(connection, file), _count(connection, f"from {file.name}")
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
