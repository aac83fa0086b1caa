"""Transition graph: between which key frames a question may step, and what such a step is about.

Source: definitions.md 4 (paper A.2.2, DAG construction).
"""

import numpy as np
import polars as pl

from enact_assets.engine.errors import TrajectoryError
from enact_assets.questions.key_frames.component_index import ComponentIndex
from enact_assets.questions.paths.tables import EditedObjects, TransitionGraph

KEY = ("demonstration", "gating", "key_frame_from", "key_frame_to")


def build_transition_graph(segmented_frames: pl.DataFrame, index: ComponentIndex) -> pl.DataFrame:
    """Edges i -> j (i < j) of one demonstration and gating -> transition_graph.

    There is an edge where the visible change has ``min_changes`` to ``max_changes`` components.
    Without key frames, or without edges, the table is empty. Under profile ``release`` sentences
    are counted instead, of which several may be about one component, and the table is also empty if
    any pair i < j fails (``ReleaseDeltaIndex.first_failure`` says which). ``index`` has the changes
    between these key frames.

    Errors: :class:`TrajectoryError` if key frames are not numbered from 0 without a gap, or the
    index knows key frames that do not exist.
    """
    contract = TransitionGraph
    n_key_frames = count_key_frames(segmented_frames)
    if n_key_frames == 0:
        return contract.empty()
    demonstration, gating = segmented_frames.select("demonstration", "gating").row(0)
    if index.n_key_frames > n_key_frames:
        raise TrajectoryError(
            f"demonstration {demonstration!r}, gating {gating!r}: scene graphs or visibility know "
            f"{index.n_key_frames} key frames, segmented_frames {n_key_frames}. Materialize "
            "segmented_frames and what follows again."
        )
    pairs, n_changes = index.edges()
    edges = pl.DataFrame(
        {
            "key_frame_from": pairs[:, 0],
            "key_frame_to": pairs[:, 1],
            "n_changes": n_changes,
            "changes": index.texts(index.visible_bits(pairs)),
        }
    ).with_columns(demonstration=pl.lit(demonstration), gating=pl.lit(gating))
    return contract.arranged(edges, f"{demonstration}, {gating}")


def count_key_frames(segmented_frames: pl.DataFrame) -> int:
    """Number of key frames of one demonstration and gating.

    Errors: :class:`TrajectoryError` if the rows are of several, or not numbered 0, 1, 2, ...
    """
    partitions = segmented_frames.select("demonstration", "gating").unique().sort(pl.all())
    if partitions.height > 1:
        raise TrajectoryError(
            f"segmented_frames: rows of {partitions.height} partitions were given together, first "
            f"{partitions.rows()[:2]}. Trajectories are made one demonstration and gating at a "
            "time."
        )
    numbers = segmented_frames["key_frame"].sort().to_list()
    if numbers != list(range(len(numbers))):
        first = next(k for k, number in enumerate(numbers) if number != k)
        raise TrajectoryError(
            f"demonstration {partitions['demonstration'][0]!r}: {len(numbers)} key frames are not "
            f"numbered 0 to {len(numbers) - 1}, first {numbers[first]} instead of {first}. "
            "Materialize segmented_frames again."
        )
    return len(numbers)


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
