"""Contracts as DuckDB sees them: types, views over the files of the lake, comments on columns."""

from collections.abc import Sequence
from pathlib import Path

import polars as pl
from duckdb import DuckDBPyConnection

from enact_assets.contracts.tables import PolarsType, Table

_TYPES = {
    pl.String: "varchar",
    pl.Boolean: "boolean",
    pl.Int64: "bigint",
    pl.Float64: "double",
    pl.Float32: "float",
}


def duckdb_type(dtype: PolarsType) -> str:
    """``List(Int64)`` -> ``bigint[]``. Raises ``KeyError`` for a type that no contract has yet."""
    if isinstance(dtype, pl.List):
        return duckdb_type(dtype.inner) + "[]"
    return _TYPES[dtype]


def create_lake_view(
    connection: DuckDBPyConnection, contract: Table, files: Sequence[Path]
) -> None:
    """Make the temporary view ``lake_<table>`` over ``files``, in their order.

    Without files it is empty, with the contract's columns: nothing materialized is no error.
    """
    columns = ", ".join(
        f"cast({name if files else 'null'} as {duckdb_type(dtype)}) as {name}"
        for name, dtype in contract.schema.items()
    )
    # Partitions stand in columns already; a folder called a=b must not add another one.
    paths = ", ".join(_literal(str(path.absolute())) for path in files)
    source = f"from read_parquet([{paths}], hive_partitioning = false)" if files else "where false"
    connection.execute(f"create temp view lake_{contract.name} as select {columns} {source}")


def comment_columns(connection: DuckDBPyConnection, contract: Table) -> None:
    """Write meaning and unit of each column of a staging relation into the database."""
    for name, column in contract.columns.items():
        meaning = column.meaning + (f" (unit: {column.unit})" if column.unit else "")
        connection.execute(f"comment on column {contract.name}.{name} is {_literal(meaning)}")


def comment_relation(connection: DuckDBPyConnection, name: str, kind: str, meaning: str) -> None:
    """Write what a relation (``kind``: table or view) holds into the database."""
    connection.execute(f"comment on {kind} {name} is {_literal(meaning)}")


def _literal(text: str) -> str:
    """``text`` as an SQL string. Statements that define things take no parameters."""
    return "'" + text.replace("'", "''") + "'"
