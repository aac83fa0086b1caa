"""Trajectories: what may follow what, how many ways there are, which of them are drawn."""

from collections.abc import Iterator
from typing import Any

import dagster as dg
import polars as pl

from enact_assets.contracts.registry import load_registry
from enact_assets.defs.evidence import change_index, drawing_index
from enact_assets.defs.partitions import Partitions
from enact_assets.defs.resources import DataResource
from enact_assets.defs.step import step
from enact_assets.defs.tables import landed, partition_of
from enact_assets.trajectories.counting import count_paths
from enact_assets.trajectories.edited import measure_edited_objects
from enact_assets.trajectories.graph import build_transition_graph
from enact_assets.trajectories.sampling import sample_trajectories

GROUP = "trajectories"
KINDS = ("numba", "polars", "parquet")


def assets(p: Partitions) -> list[dg.AssetsDefinition]:
    """Graph (and what its edges are about), counts, samples: a change may stop at any of them."""

    @step(
        p,
        "visible_changes",
        group=GROUP,
        kinds=KINDS,
        about={
            "transition_graph": "An edge joins two key frames if one to five changes between them "
            "can be seen in both pictures.",
            "edited_objects": "Which objects an edge is about, and how large they are.",
        },
    )
    def visible_changes(
        context: dg.AssetExecutionContext, data: DataResource
    ) -> Iterator[dg.MaterializeResult[Any]]:
        partition = partition_of(context, "transition_graph")
        gating = load_registry().gating(partition["gating"])
        index = change_index(data.lake, partition["demonstration"], gating)
        visibility = data.lake.read("visibility", partition)
        graph = build_transition_graph(
            data.lake.read("segmented_frames", partition),
            data.lake.read("scene_graphs", partition),
            visibility,
            data.lake.read("objects", {"demonstration": partition["demonstration"]}),
            gating.profile,
            index=index,
        )
        yield landed(context, data, "transition_graph", graph)
        edited = measure_edited_objects(graph, visibility, index)
        yield landed(context, data, "edited_objects", edited)

    @step(
        p,
        "path_counts",
        group=GROUP,
        kinds=KINDS,
        about="How many valid trajectories of each length end at each key frame; exact.",
    )
    def path_counts(
        context: dg.AssetExecutionContext, data: DataResource
    ) -> dg.MaterializeResult[Any]:
        partition = partition_of(context, "path_counts")
        rows = count_paths(
            data.lake.read("segmented_frames", partition),
            data.lake.read("transition_graph", partition),
            load_registry().gating(partition["gating"]).profile,
        )
        total = rows.group_by("length").agg(n=pl.col("n_paths").map_elements(_sum, pl.String))
        totals = {f"paths of length {n}": t for n, t in total.sort("length").iter_rows()}
        return landed(context, data, "path_counts", rows, totals)

    @step(
        p,
        "trajectories",
        group=GROUP,
        kinds=KINDS,
        about="Trajectories drawn uniformly, without replacement, by their rank.",
    )
    def trajectories(
        context: dg.AssetExecutionContext, data: DataResource
    ) -> dg.MaterializeResult[Any]:
        partition = partition_of(context, "trajectories")
        registry = load_registry()
        gating = registry.gating(partition["gating"])
        rows = sample_trajectories(
            data.lake.read("segmented_frames", partition),
            data.lake.read("transition_graph", partition),
            gating.profile,
            registry.questions.trajectories_per_length,
            registry.questions.seed,
            index=drawing_index(data.lake, partition["demonstration"], gating),
        )
        return landed(context, data, "trajectories", rows)

    return [visible_changes, path_counts, trajectories]


def _sum(counts: pl.Series) -> str:
    return str(sum(int(n) for n in counts))
