"""What holds for every asset: its specification from the contract, and how its rows are landed."""

from collections.abc import Iterable, Mapping
from typing import Any

import dagster as dg
import polars as pl

from enact_assets.contracts.tables import Column, table
from enact_assets.defs.code import code_version
from enact_assets.defs.column_lineage import column_lineage, origins_in_words
from enact_assets.defs.making import provenance_of
from enact_assets.defs.resources import DataResource
from enact_assets.storage.damage import ANSWERS, PAID

PREVIEW_ROWS = 5


def asset_spec(
    name: str,
    *,
    group: str,
    deps: Iterable[Any] = (),
    partitions_def: dg.PartitionsDefinition[Any] | None = None,
    kinds: Iterable[str] = ("polars", "parquet"),
    about: str = "",
    automation_condition: dg.AutomationCondition[Any] | None = None,
) -> dg.AssetSpec:
    """Specification of the asset that lands table ``name``; the contract says all it can."""
    contract = table(name)
    columns = [
        dg.TableColumn(
            column,
            str(c.dtype),
            description=_describe(name, column, c),
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
        automation_condition=automation_condition,
        metadata={"dagster/column_schema": dg.TableSchema(columns), **column_lineage(name)},
    )


def _describe(name: str, column: str, contract: Column) -> str:
    unit = f" [{contract.unit}]" if contract.unit else ""
    return f"{contract.meaning}{unit}. {origins_in_words(name, column)}".strip()


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
    """Write ``rows`` and what they were made from to the lake, and report them.

    The data version is the hash of their content. Errors: those of ``Lake.write``, and
    :class:`MaterializationError` if an input changed since the step began; nothing is written then.
    """
    partition = partition_of(context, name)
    made_from = provenance_of(name)
    aside = data.lake.set_aside(name, partition) if name in PAID else None
    if aside is not None:
        context.log.warning(f"{aside}: the damaged file of this partition. {ANSWERS}")
    sha = data.lake.write(name, rows, partition, made_from)
    return dg.MaterializeResult(
        asset_key=name,
        data_version=dg.DataVersion(sha),
        metadata={
            "dagster/row_count": rows.height,
            "path": dg.MetadataValue.path(data.lake.where(name, partition)),
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
