"""Column lineage as Dagster knows it, and as people read it."""

import dagster as dg

from enact_assets.contracts.column_lineage import COLUMNS_FROM, origins


def column_lineage(name: str) -> dict[str, dg.TableColumnLineage]:
    """Metadata of the asset that lands table ``name``; none for replayed and imported tables.

    It belongs to the specification, not to each materialization: it is the same for all partitions.
    The web server of this Dagster version keeps the entry for its GraphQL interface and hides it
    from pages; :func:`origins_in_words` is what pages show.
    """
    if name not in COLUMNS_FROM:
        return {}
    deps = {
        column: [dg.TableColumnDep(dg.AssetKey(table), origin) for table, origin in found]
        for column in COLUMNS_FROM[name]
        if (found := origins(name, column))
    }
    return {"dagster/column_lineage": dg.TableColumnLineage(deps)}


def origins_in_words(name: str, column: str) -> str:
    """``From facts (predicate, subject).``, to stand in a column's description; may be empty."""
    by_table: dict[str, list[str]] = {}
    for table, origin in origins(name, column):
        by_table.setdefault(table, []).append(origin)
    if not by_table:
        return "From settings." if name in COLUMNS_FROM else ""
    parts = [f"{table} ({', '.join(columns)})" for table, columns in by_table.items()]
    return f"From {', '.join(parts)}."
