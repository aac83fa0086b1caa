"""Segmentation: facts become key frames and the scene graphs that hold at them."""

from collections.abc import Iterator
from typing import Any

import dagster as dg

from enact_assets.contracts.registry import load_registry
from enact_assets.defs.partitions import Partitions, dimension
from enact_assets.defs.resources import DataResource
from enact_assets.defs.tables import asset_spec, landed, partition_of
from enact_assets.replay.validation import check_replay
from enact_assets.segmentation.segment import segment

GROUP = "segmentation"


def assets(p: Partitions) -> list[dg.AssetsDefinition]:
    """One multi-asset: key frames and their graphs come from one pass over the facts."""
    by_demonstration = dimension("demonstration")
    deps = [
        dg.AssetDep("demonstrations", partition_mapping=by_demonstration),
        dg.AssetDep("facts", partition_mapping=by_demonstration),
        dg.AssetDep("objects", partition_mapping=by_demonstration),
        dg.AssetDep("gating_config", partition_mapping=dimension("gating")),
    ]

    def spec(name: str, about: str) -> dg.AssetSpec:
        return asset_spec(
            name,
            group=GROUP,
            deps=deps,
            partitions_def=p.demonstration_gating,
            kinds=("numba", "polars", "parquet"),
            about=about,
        )

    @dg.multi_asset(
        name="segmentation",
        specs=[
            spec("segmented_frames", "Frames at which the scene graph changed for good."),
            spec("scene_graphs", "What holds at each key frame."),
        ],
        partitions_def=p.demonstration_gating,
    )
    def segmentation(
        context: dg.AssetExecutionContext, data: DataResource
    ) -> Iterator[dg.MaterializeResult[Any]]:
        partition = partition_of(context, "segmented_frames")
        replay = {"demonstration": partition["demonstration"]}
        read = data.lake.read
        inputs = (read("demonstrations", replay), read("facts", replay), read("objects", replay))
        check_replay(*inputs)
        tables = segment(*inputs, load_registry().gating(partition["gating"]))
        yield landed(context, data, "segmented_frames", tables.segmented_frames)
        yield landed(context, data, "scene_graphs", tables.scene_graphs)

    return [segmentation]
