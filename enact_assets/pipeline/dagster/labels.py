"""Owners, tags, descriptions and column lineage of assets, for the catalogue of the UI."""

import re
from collections.abc import Collection, Iterable, Mapping

import dagster as dg

from enact_assets.engine.tables import TABLES

OWNERS = ("team:enact_assets",)
LAYER_TAG = "enact/layer"
IN_DUCKDB_TAG = "enact/in_duckdb"


def tags_of(asset: str, layer: str) -> dict[str, str]:
    """Tags of ``asset``: its layer (setting, table, warehouse, mart, report), and whether DuckDB
    has a relation with its name.
    """
    table = TABLES.get(asset)
    is_in_duckdb = layer == "mart" or (table is not None and table.is_published)
    return {LAYER_TAG: layer, IN_DUCKDB_TAG: "yes" if is_in_duckdb else "no"}


def relation_metadata(name: str) -> dict[str, str]:
    """Location of relation ``name`` in the published file, under Dagster's metadata keys."""
    return {"dagster/table_name": f"enact.main.{name}"}


def column_lineage(
    columns: Iterable[str], inputs: Mapping[str, Collection[str]]
) -> dg.TableColumnLineage:
    """Lineage of ``columns``: those with the same name in an input (asset -> its columns)."""
    return dg.TableColumnLineage(
        {
            column: [
                dg.TableColumnDep(dg.AssetKey(name), column)
                for name, found in inputs.items()
                if column in found
            ]
            for column in columns
        }
    )


def as_markdown(docstring: str) -> str:
    """``docstring`` as Markdown for the UI: names of code without Sphinx's markup."""
    return re.sub(r":\w+:(?=`)", "", docstring).replace("``", "`")
