"""Slow, obvious twin of ``contracts.ids.table_sha``: what two tables of equal content share."""

from collections.abc import Sequence

import polars as pl


def canonical_text(table: pl.DataFrame, key: Sequence[str]) -> str:
    """A text that two tables share exactly if they hold the same rows, columns and types."""
    columns = sorted(table.columns)
    types = [(name, str(table.schema[name])) for name in columns]
    position = [columns.index(name) for name in key]
    rows = [tuple(row) for row in table.select(columns).iter_rows()]
    if key:
        rows.sort(key=lambda row: [(row[i] is not None, row[i]) for i in position])
    return repr((types, rows))
