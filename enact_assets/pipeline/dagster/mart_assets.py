"""Marts as assets: one for each relation that publishing the warehouse computes.

All are outputs of the step ``warehouse``, which makes them in one file. Each has a data version
from its rows, so assets downstream, here or in another code location, see whether it changed.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import dagster as dg

from enact_assets.engine.ids import ID_CHARACTERS, sha256_bytes
from enact_assets.engine.publishing.sql_files import SqlFile
from enact_assets.engine.publishing.warehouse import PublishReport
from enact_assets.engine.tables import TABLES
from enact_assets.pipeline.dagster.labels import OWNERS, relation_metadata, tags_of
from enact_assets.pipeline.dagster.lake_rows import LAKE_ROWS
from enact_assets.pipeline.lineage.graph import WAREHOUSE
from enact_assets.pipeline.runs.marts import MADE_OF, Content, contents, mart_files
from enact_assets.results.published import query

GROUP = "marts"
_COLUMNS = (
    "select table_name, column_name, data_type, comment, is_nullable from duckdb_columns() "
    "where schema_name = 'main' and not internal order by table_name, column_index"
)


def mart_specs() -> list[dg.AssetSpec]:
    """One asset per file of ``sql/marts``, and one for the list of stale and missing partitions.

    Upstream are the relations that the file's header says it reads; the list is part of the
    warehouse.
    """
    files = mart_files()
    known = {*TABLES, *(file.name for file in files)}
    return [
        dg.AssetSpec(
            file.name,
            deps=[name for name in file.reads if name in known] or [WAREHOUSE],
            description="\n\n".join(_about(file)),
            group_name=GROUP,
            kinds={"duckdb", "sql"},
            owners=OWNERS,
            tags=tags_of(file.name, "mart"),
            code_version=sha256_bytes(file.text.encode())[:ID_CHARACTERS],
            metadata={
                **relation_metadata(file.name),
                "dagster/storage_kind": "duckdb",
                "file": file.place,
            },
        ).with_io_manager_key(LAKE_ROWS)
        for file in files
    ]


def mart_results(
    warehouse: Path, report: PublishReport, reported: Mapping[str, Content]
) -> Iterator[dg.MaterializeResult[Any]]:
    """Results for Dagster, one for each mart of the published file; ``reported`` is what was
    reported last.

    Errors: :class:`WarehouseError` if there is no published file.
    """
    columns: dict[str, list[dg.TableColumn]] = {}
    for relation, name, kind, comment, is_nullable in query(warehouse, _COLUMNS).iter_rows():
        constraints = dg.TableColumnConstraints(nullable=is_nullable)
        column = dg.TableColumn(name, kind.lower(), comment, constraints)
        columns.setdefault(relation, []).append(column)
    for file, content in contents(warehouse, reported, report.ran):
        yield dg.MaterializeResult(
            asset_key=file.name,
            data_version=dg.DataVersion(content.version),
            metadata={
                MADE_OF: content.made_of,
                "dagster/row_count": report.rows[file.name],
                "dagster/column_schema": dg.TableSchema(columns[file.name]),
                "dagster/column_lineage": _column_lineage(file, columns),
                "path": dg.MetadataValue.path(warehouse.name),  # in the data root
            },
        )


def _about(file: SqlFile) -> Iterator[str]:
    for text in (file.meaning, file.header.get("Rule", "")):
        yield f"{text[:1].upper()}{text[1:]}"
    yield f"Materializing it publishes {WAREHOUSE} and every other mart, too, in one run."


def _column_lineage(
    file: SqlFile, columns: Mapping[str, Sequence[dg.TableColumn]]
) -> dg.TableColumnLineage:
    """Column lineage: columns with the same name in mart and input, as for tables."""
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
