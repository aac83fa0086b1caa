"""Tables in DuckDB: types, views over the files of the lake, comments on columns."""

import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl
from duckdb import DuckDBPyConnection

from enact_assets.engine.tables import Table, text, unit_of

CONFIG: dict[str, str | bool | int | float | list[str]] = {"autoinstall_known_extensions": False}
"""DuckDB must not download anything on its own."""
PUBLISHED = "meta.published"
"""Table with a warehouse's own metadata: key, value."""
CONTENT_SHA, PROVENANCE = "content_sha", "provenance"
"""Keys of that table."""


class StalePartitions(Table):
    """One row per partition that is older than its inputs, or missing.

    It is not from the lake: the publisher gives its rows.

    Empty when all partitions are fresh. Rows of stale partitions stay published. A missing
    partition has none: it does not exist although a run was started for it, or although an input
    with the same names exists or is missing itself.
    """

    keys = ("asset", "partition")
    is_in_lake = False

    asset = text("asset, and relation of the same name where there is one")
    partition = text("values joined by |; null for an asset without any", null=True)
    state = text(
        "stale: its rows are older than their inputs; missing: it was requested, or an input "
        "with the same names exists, but it has no rows"
    )
    why = text("first reason, in words")


class Relations(Table):
    """One row per relation of this file.

    A relation that is removed stays for one more version, as a view of its old name; `replaced_by`
    names the relation to read instead.
    """

    keys = ("name",)
    is_in_lake = False

    name = text("as in `from`")
    one_row_per = text("its grain")
    since = text("first version that has it; null for the next one", null=True)
    replaced_by = text("relation to read instead; null if this one stays", null=True)


GIVEN = {table.table_name(): table for table in (StalePartitions, Relations)}
"""Relations that are neither from the lake nor made by a file of SQL."""

_TYPES = {
    pl.String: "varchar",
    pl.Boolean: "boolean",
    pl.Int64: "bigint",
    pl.Float64: "double",
    pl.Float32: "float",
}


def duckdb_type(dtype: Any) -> str:
    """``List(Int64)`` -> ``bigint[]``. Raises ``KeyError`` for a type that no contract has yet."""
    if isinstance(dtype, pl.List):
        return duckdb_type(dtype.inner) + "[]"
    return _TYPES[dtype]


def lake_rows(contract: type[Table], files: Sequence[Path]) -> str:
    """SQL for the rows of ``files``, in their order, with the columns and types of the contract.

    Without files the result is empty: a table that was never materialized is not an error.
    """
    columns = ", ".join(
        f"cast({name if files else 'null'} as {duckdb_type(dtype)}) as {name}"
        for name, dtype in contract.schema().items()
    )
    # Columns contain the partition already; a folder called a=b must not add a column.
    paths = ", ".join(literal(_one_file(path)) for path in files)
    source = f"from read_parquet([{paths}], hive_partitioning = false)" if files else "where false"
    return f"select {columns} {source}"


def _one_file(path: Path) -> str:
    """``path`` as a pattern of DuckDB that matches only this file."""
    return re.sub(r"[*?[]", r"[\g<0>]", str(path.absolute()))


def create_lake_view(
    connection: DuckDBPyConnection,
    contract: type[Table],
    files: Sequence[Path],
    without: Mapping[str, Collection[str]],
) -> None:
    """Make the temporary view ``lake_<table>`` of a connection: :func:`lake_rows` less some rows.

    ``without`` maps columns, or other SQL of a row, to values; a row with one of these values is
    left out.
    """
    kept = "".join(f" and not ({is_one_of(c, v)})" for c, v in sorted(without.items()))
    rows = f"from ({lake_rows(contract, files)}) where true{kept}"
    connection.execute(f"create or replace temp view lake_{contract.table_name()} as {rows}")


def create_given_view(
    connection: DuckDBPyConnection, contract: type[Table], rows: pl.DataFrame
) -> None:
    """Make ``given_<table>``, a temporary table of ``rows`` in their order.

    Errors: :class:`TableContractError` if they break the contract.
    """
    contract.check(rows)
    columns = ", ".join(f"{name} {duckdb_type(dtype)}" for name, dtype in contract.schema().items())
    connection.execute(f"create temp table given_{contract.table_name()} ({columns})")
    connection.register("given_rows", rows.select(list(contract.schema())).to_arrow())
    connection.execute(f"insert into given_{contract.table_name()} from given_rows")
    connection.unregister("given_rows")


def is_one_of(column: str, values: Collection[str]) -> str:
    """SQL: whether ``column`` is one of ``values``. As a filter it keeps the order of rows."""
    names = ", ".join(literal(value) for value in sorted(values))
    return f"coalesce(list_contains([{names}]::varchar[], {column}), false)"


def within_partition(contract: type[Table], partition: Sequence[str], column: str) -> str:
    """SQL: ``column`` in rows of one partition, null in others."""
    named = zip(contract.by, partition, strict=True)
    where = " and ".join(f"{name} = {literal(value)}" for name, value in named)
    return f"case when {where} then {column} end"


def comment_columns(connection: DuckDBPyConnection, contract: type[Table]) -> None:
    """Write meaning and unit of each column of a staging relation into the database."""
    for name, column in contract.columns().items():
        unit = unit_of(column)
        meaning = (column.description or "") + (f" (unit: {unit})" if unit else "")
        connection.execute(
            f"comment on column {contract.table_name()}.{name} is {literal(meaning)}"
        )


def comment_old_columns(connection: DuckDBPyConnection, name: str, successor: str) -> None:
    """Say of each column of an old name that has no comment what to read instead."""
    rows = connection.execute(
        "select column_name from duckdb_columns() where table_name = ? and comment is null", [name]
    ).fetchall()
    for (column,) in rows:
        meaning = f"of an old name: read {successor} instead"
        connection.execute(f"comment on column {name}.{column} is {literal(meaning)}")


def kinds_of(connection: DuckDBPyConnection) -> dict[str, str]:
    """Every relation -> table or view. One query for all, as DuckDB lists all relations each
    time.
    """
    listed = connection.execute(
        "with relations as ("
        "select schema_name, table_name as name, 'table' as kind, temporary from duckdb_tables() "
        "union all select schema_name, view_name, 'view', temporary from duckdb_views()) "
        "select if(schema_name = 'main', name, schema_name || '.' || name), kind from relations "
        "where not temporary"
    )
    return dict(listed.fetchall())


def n_rows_of(connection: DuckDBPyConnection, relation: str) -> int:
    """How many rows a relation has. Errors: ``duckdb.Error``."""
    [(n,)] = connection.execute(f"select count(*) from {relation}").fetchall()  # noqa: S608 - our own names
    return int(n)


def literal(text: str) -> str:
    """``text`` as an SQL string, as statements of the DDL take no parameters."""
    return "'" + text.replace("'", "''") + "'"
