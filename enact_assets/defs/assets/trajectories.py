"""Trajectories: what may follow what, how many ways there are, which of them are drawn."""

from typing import Any

import dagster as dg
import polars as pl

from enact_assets.contracts.registry import load_registry
from enact_assets.defs.evidence import drawing_index
from enact_assets.defs.partitions import Partitions, dimension
from enact_assets.defs.resources import DataResource
from enact_assets.defs.tables import asset_spec, landed, partition_of
from enact_assets.trajectories.counting import count_paths
from enact_assets.trajectories.graph import build_transition_graph
from enact_assets.trajectories.sampling import sample_trajectories

GROUP = "trajectories"
KINDS = ("numba", "polars", "parquet")


def assets(p: Partitions) -> list[dg.AssetsDefinition]:
    """Graph, counts, samples: one asset each, so that a change may stop at any of them."""
    gated = dg.AssetDep("gating_config", partition_mapping=dimension("gating"))

    @dg.multi_asset(
        name="transition_graph",
        specs=[
            asset_spec(
                "transition_graph",
                group=GROUP,
                deps=[
                    "segmented_frames",
                    "scene_graphs",
                    "visibility",
                    dg.AssetDep("objects", partition_mapping=dimension("demonstration")),
                    gated,
                ],
                partitions_def=p.demonstration_gating,
                kinds=KINDS,
                about="An edge joins two key frames if one to five changes between them can be "
                "seen in both pictures.",
            )
        ],
        partitions_def=p.demonstration_gating,
    )
    def transition_graph(
        context: dg.AssetExecutionContext, data: DataResource
    ) -> dg.MaterializeResult[Any]:
        partition = partition_of(context, "transition_graph")
        read = data.lake.read
        rows = build_transition_graph(
            read("segmented_frames", partition),
            read("scene_graphs", partition),
            read("visibility", partition),
            read("objects", {"demonstration": partition["demonstration"]}),
            load_registry().gating(partition["gating"]).profile,
        )
        return landed(context, data, "transition_graph", rows)

    @dg.multi_asset(
        name="path_counts",
        specs=[
            asset_spec(
                "path_counts",
                group=GROUP,
                deps=["segmented_frames", "transition_graph", gated],
                partitions_def=p.demonstration_gating,
                kinds=KINDS,
                about="How many valid trajectories of each length end at each key frame; exact.",
            )
        ],
        partitions_def=p.demonstration_gating,
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

    @dg.multi_asset(
        name="trajectories",
        specs=[
            asset_spec(
                "trajectories",
                group=GROUP,
                deps=[
                    "segmented_frames",
                    "transition_graph",
                    *drawn_from(p),
                    gated,
                    "question_config",
                ],
                partitions_def=p.demonstration_gating,
                kinds=KINDS,
                about="Trajectories drawn uniformly, without replacement, by their rank.",
            )
        ],
        partitions_def=p.demonstration_gating,
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

    return [transition_graph, path_counts, trajectories]


def drawn_from(p: Partitions) -> list[dg.AssetDep]:
    """Inputs that only the draws of the public release have, beside the graph."""
    return [
        dg.AssetDep("scene_graphs", partition_mapping=p.release_only),
        dg.AssetDep("visibility", partition_mapping=p.release_only),
        dg.AssetDep("objects", partition_mapping=dimension("demonstration")),
    ]


def _sum(counts: pl.Series) -> str:
    return str(sum(int(n) for n in counts))
