"""Segmentation: facts become key frames and the scene graphs that hold at them."""

from collections.abc import Iterator
from typing import Any

import dagster as dg

from enact_assets.contracts.registry import load_registry
from enact_assets.defs.partitions import Partitions
from enact_assets.defs.resources import DataResource
from enact_assets.defs.step import step
from enact_assets.defs.tables import landed, partition_of
from enact_assets.replay.validation import check_replay
from enact_assets.segmentation.segment import segment

GROUP = "segmentation"


def assets(p: Partitions) -> list[dg.AssetsDefinition]:
    """One multi-asset: key frames and their graphs come from one pass over the facts."""

    @step(
        p,
        "segmentation",
        group=GROUP,
        kinds=("numba", "polars", "parquet"),
        about={
            "segmented_frames": "Frames at which the scene graph changed for good.",
            "scene_graphs": "What holds at each key frame.",
        },
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
