"""Edited objects: what the steps of questions are about, and how much of it can be seen."""

import numpy as np
import polars as pl

from enact_assets.questions.key_frames.component_index import ComponentIndex
from enact_assets.questions.paths.tables import EditedObjects

KEY = ("demonstration", "gating", "key_frame_from", "key_frame_to")


def measure_edited_objects(
    transition_graph: pl.DataFrame, visibility: pl.DataFrame, index: ComponentIndex
) -> pl.DataFrame:
    """Objects that the visible change of each edge names, with their masks -> edited_objects.

    All arguments are of one demonstration and gating. Profile ``release`` names objects by
    sentences of its own: its table is empty.

    Errors: :class:`EnactError` if the graph has key frames that ``index`` does not know.
    """
    edges = transition_graph.select(KEY)
    is_edited, takes_part = index.edited(edges.select(KEY[2:]).to_numpy())
    edge, entity = np.nonzero(is_edited)
    if not edge.size:
        return EditedObjects.empty()
    names = pl.Series("object_name", index.object_names, dtype=pl.String)
    rows = edges[edge].with_columns(
        names.gather(entity), in_transition=pl.Series(takes_part[edge, entity])
    )
    for end in ("from", "to"):
        seen = visibility.select(
            pl.col("key_frame").alias(f"key_frame_{end}"),
            "object_name",
            pl.col("pixels").alias(f"pixels_{end}"),
        )
        rows = rows.join(seen, on=[f"key_frame_{end}", "object_name"], how="left")
    both = [pl.col(f"pixels_{end}").fill_null(0) for end in ("from", "to")]
    return EditedObjects.arranged(
        rows.with_columns(
            *both,
            pixels=pl.when("in_transition")
            .then(pl.max_horizontal(both))
            .otherwise(pl.min_horizontal(both)),
        )
    )
