"""Marts as assets: one for each relation that publishing the warehouse computes.

Nothing runs for them: the step ``warehouse`` makes all of them in one file, and reports the rows
and columns of each. So people find `leaderboard` in the catalogue, with what its SQL reads.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import dagster as dg

from enact_assets.engine.publishing.relations import StalePartitions
from enact_assets.engine.publishing.sql_files import SqlFile, packaged_sql
from enact_assets.engine.tables import TABLES
from enact_assets.pipeline.dagster.labels import OWNERS, relation_metadata, tags_of
from enact_assets.pipeline.lineage.graph import WAREHOUSE
from enact_assets.results.published import query

GROUP = "marts"
_COLUMNS = (
    "select table_name, column_name, data_type, comment, is_nullable from duckdb_columns() "
    "where schema_name = 'main' and not internal order by table_name, column_index"
)


def mart_assets() -> list[dg.AssetSpec]:
    """One per file of ``sql/marts``, and one for the list of stale and missing partitions.

    Upstream are ``warehouse``, which makes it, and what the header of the file says it reads.
    """
    files = _files()
    known = {*TABLES, *(file.name for file in files)}
    return [
        dg.AssetSpec(
            file.name,
            deps=[WAREHOUSE, *(name for name in file.reads if name in known)],
            description="\n\n".join(_about(file)),
            group_name=GROUP,
            kinds={"duckdb", "sql"},
            owners=OWNERS,
            tags=tags_of(file.name, "mart"),
            metadata={
                **relation_metadata(file.name),
                "dagster/storage_kind": "duckdb",
                "file": file.place,
            },
        )
        for file in files
    ]


def mart_materializations(
    warehouse: Path, rows: Mapping[str, int]
) -> Iterator[dg.AssetMaterialization]:
    """What the published file holds of each mart; ``rows`` maps relations to their row counts.

    Errors: :class:`WarehouseError` if there is no published file.
    """
    columns: dict[str, list[dg.TableColumn]] = {}
    for relation, name, kind, comment, is_nullable in query(warehouse, _COLUMNS).iter_rows():
        constraints = dg.TableColumnConstraints(nullable=is_nullable)
        column = dg.TableColumn(name, kind.lower(), comment, constraints)
        columns.setdefault(relation, []).append(column)
    for file in _files():
        yield dg.AssetMaterialization(
            file.name,
            metadata={
                "dagster/row_count": rows[file.name],
                "dagster/column_schema": dg.TableSchema(columns[file.name]),
                "dagster/column_lineage": _column_lineage(file, columns),
                "path": dg.MetadataValue.path(warehouse.name),  # in the data root
            },
        )


def _files() -> list[SqlFile]:
    return [
        file
        for file in packaged_sql()
        if file.stage == "marts" or file.name == StalePartitions.table_name()
    ]


def _about(file: SqlFile) -> Iterator[str]:
    for text in (file.meaning, file.header.get("Rule", "")):
        yield f"{text[:1].upper()}{text[1:]}"
    yield f"Published with the asset {WAREHOUSE}; materialize that one to refresh it."


def _column_lineage(
    file: SqlFile, columns: Mapping[str, Sequence[dg.TableColumn]]
) -> dg.TableColumnLineage:
    """Columns that inputs share with the mart by name, as for tables: they are passed on."""
    inputs = {name: {c.name for c in columns[name]} for name in file.reads if name in columns}
    return dg.TableColumnLineage(
        {
            column.name: [
                dg.TableColumnDep(dg.AssetKey(name), column.name)
                for name, found in inputs.items()
                if column.name in found
            ]
            for column in columns[file.name]
        }
    )
