"""What each rule of segmentation and validation decides: one table for each gating."""

import polars as pl

from enact_assets.results.report.parts import NONE, Table, count, percent, table
from enact_assets.results.report.rows import ReportRows


def rule_table(rows: ReportRows, gating: str) -> Table | None:
    """Effects of the rules of ``gating``, over all its demonstrations; None without any."""
    found = rows["rule_totals"].filter(gating=gating)
    if found.is_empty():
        return None
    marked = found.with_columns(
        rule=pl.col("rule") + pl.when("is_in_force").then(pl.lit("")).otherwise(pl.lit(_NOT))
    )
    lines = marked.sort("source", "is_in_force", "rule", descending=[False, True, False])
    caption = f"What each rule of gating {gating} decides: with it and without it"
    return table(caption, lines.to_dicts(), _COLUMNS, n_words=2)


_NOT = " (not in force)"


def _paths(without: str | None, with_it: str | None) -> str:
    """How many times as many trajectories there are without the rule."""
    if without is None or with_it is None or int(with_it) == 0:
        return NONE
    return f"{int(without) / int(with_it):,.2f}"


_COLUMNS = (
    ("source", str, "source"),
    ("rule", str, "rule"),
    ("frames changed or rejected", count, "n_frames_decided"),
    ("key frames", count, "n_key_frames_with"),
    ("only with the rule", count, "n_key_frames_only_with"),
    ("only without", count, "n_key_frames_only_without"),
    ("edges", count, "n_edges_with"),
    ("only with the rule", count, "n_edges_only_with"),
    ("only without", count, "n_edges_only_without"),
    ("trajectories, without / with", _paths, "n_paths_without", "n_paths_with"),
    ("questions by the rule %", percent, "share_of_questions"),
)
