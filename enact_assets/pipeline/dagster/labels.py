"""Owners, tags and descriptions of assets: what the catalogue of the UI filters by and shows."""

import re

from enact_assets.engine.tables import TABLES

OWNERS = ("team:enact_assets",)
LAYER_TAG = "enact/layer"
IN_DUCKDB_TAG = "enact/in_duckdb"


def tags_of(asset: str, layer: str) -> dict[str, str]:
    """Tags of ``asset``: its layer (setting, table, warehouse, mart, report), and whether DuckDB
    has a relation of its name.
    """
    table = TABLES.get(asset)
    is_in_duckdb = layer == "mart" or (table is not None and table.is_published)
    return {LAYER_TAG: layer, IN_DUCKDB_TAG: "yes" if is_in_duckdb else "no"}


def relation_metadata(name: str) -> dict[str, str]:
    """Where people query relation ``name`` of the published file, by Dagster's metadata keys."""
    return {"dagster/table_name": f"enact.main.{name}"}


def as_markdown(docstring: str) -> str:
    """``docstring`` as the UI shows it: names of code without the marks of Sphinx."""
    return re.sub(r":\w+:(?=`)", "", docstring).replace("``", "`")
