"""The questions of a variant without those that filters of WorldPrediction leave out."""

import polars as pl

from enact_assets.engine.lake.lake import Lake


def without_removed(asked: pl.DataFrame, filters: pl.DataFrame | None) -> pl.DataFrame:
    """Rows of ``asked_questions`` but those that ``filters``, rows of ``world_filters``, remove."""
    if filters is None or filters.is_empty():
        return asked
    removed = filters.drop_nulls("removed_by")
    return asked.join(removed, on="question_id", how="anti", maintain_order="left")


def questions_asked(lake: Lake, variant: str) -> pl.DataFrame:
    """Rows of ``asked_questions`` of ``variant``, without those that were left out.

    Errors: :class:`MissingPartitionError` if they were not made.
    """
    of = {"variant": variant}
    filters = lake.read("world_filters", of) if lake.exists("world_filters", of) else None
    return without_removed(lake.read("asked_questions", of), filters)
