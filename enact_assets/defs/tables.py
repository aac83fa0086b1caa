"""What holds for every asset: its specification from the contract, and how its rows are landed."""

from collections.abc import Iterable, Mapping
from typing import Any

import dagster as dg
import polars as pl

from enact_assets.contracts.tables import Column, table
from enact_assets.defs.code import code_version
from enact_assets.defs.resources import DataResource

PREVIEW_ROWS = 5


def asset_spec(
    name: str,
    *,
    group: str,
    deps: Iterable[Any] = (),
    partitions_def: dg.PartitionsDefinition[Any] | None = None,
    kinds: Iterable[str] = ("polars", "parquet"),
    about: str = "",
) -> dg.AssetSpec:
    """Specification of the asset that lands table ``name``; the contract says all it can."""
    contract = table(name)
    columns = [
        dg.TableColumn(
            column,
            str(c.dtype),
            description=_describe(c),
            constraints=dg.TableColumnConstraints(nullable=c.is_nullable),
        )
        for column, c in contract.columns.items()
    ]
    return dg.AssetSpec(
        name,
        deps=list(deps),
        description=f"{about}\n\nGrain: {contract.grain}. Key: {', '.join(contract.key)}.".strip(),
        group_name=group,
        kinds=set(kinds),
        code_version=code_version(name),
        partitions_def=partitions_def,
        metadata={"dagster/column_schema": dg.TableSchema(columns)},
    )


def _describe(column: Column) -> str:
    return column.meaning + (f" [{column.unit}]" if column.unit else "")


def partition_of(context: dg.AssetExecutionContext, name: str) -> dict[str, str]:
    """The partition of table ``name`` that this run makes, by dimension."""
    dimensions = table(name).partitions
    if not dimensions:
        return {}
    key = context.partition_key
    if isinstance(key, dg.MultiPartitionKey):
        return {d: key.keys_by_dimension[d] for d in dimensions}
    return {dimensions[0]: str(key)}


def landed(
    context: dg.AssetExecutionContext,
    data: DataResource,
    name: str,
    rows: pl.DataFrame,
    metadata: Mapping[str, Any] | None = None,
) -> dg.MaterializeResult[Any]:
    """Write ``rows`` to the lake and report them: data version = hash of the content."""
    partition = partition_of(context, name)
    sha = data.lake.write(name, rows, partition)
    path = data.lake.path(name, partition)
    return dg.MaterializeResult(
        asset_key=name,
        data_version=dg.DataVersion(sha),
        metadata={
            "dagster/row_count": rows.height,
            "path": dg.MetadataValue.path(str(path)),
            "preview": dg.MetadataValue.md(markdown_table(rows.head(PREVIEW_ROWS))),
            **(metadata or {}),
        },
    )


def markdown_table(rows: pl.DataFrame, width: int = 24) -> str:
    """Rows as a Markdown table; long cells are cut."""
    if rows.is_empty():
        return "no rows"
    shown = rows.columns

    def cell(value: object) -> str:
        text = "" if value is None else str(value).replace("|", "\\|").replace("\n", " ")
        return text if len(text) <= width else text[: width - 3] + "..."

    lines = ["| " + " | ".join(shown) + " |", "|" + "---|" * len(shown)]
    lines += ["| " + " | ".join(cell(v) for v in row) + " |" for row in rows.iter_rows()]
    return "\n".join(lines)
