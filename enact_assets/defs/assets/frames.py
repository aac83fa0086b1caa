"""Frames: what can be seen at each key frame, and its picture under each variant."""

from typing import Any

import dagster as dg

from enact_assets.contracts.registry import BASELINE, load_registry
from enact_assets.defs.partitions import Partitions, dimension
from enact_assets.defs.pictures import key_frame_preview
from enact_assets.defs.progress import reporter
from enact_assets.defs.resources import DataResource
from enact_assets.defs.tables import asset_spec, landed, partition_of
from enact_assets.frames.images import render_key_frames
from enact_assets.frames.visibility import measure_visibility

GROUP = "frames"


def assets(p: Partitions) -> list[dg.AssetsDefinition]:
    """Masks by the baseline camera; pictures by every variant."""
    by_demonstration = dimension("demonstration")
    states = [
        dg.AssetDep("demonstrations", partition_mapping=by_demonstration),
        dg.AssetDep("states", partition_mapping=by_demonstration),
    ]

    @dg.multi_asset(
        name="visibility",
        specs=[
            asset_spec(
                "visibility",
                group=GROUP,
                deps=[
                    *states,
                    dg.AssetDep("objects", partition_mapping=by_demonstration),
                    dg.AssetDep("segmented_frames"),
                    dg.AssetDep("variant_config", partition_mapping=p.baseline_only),
                ],
                partitions_def=p.demonstration_gating,
                kinds=("mujoco", "parquet"),
                about="How many pixels of each object the baseline camera sees. Questions are "
                "written from this, so every variant asks the same questions.",
            )
        ],
        partitions_def=p.demonstration_gating,
    )
    def visibility(
        context: dg.AssetExecutionContext, data: DataResource
    ) -> dg.MaterializeResult[Any]:
        partition = partition_of(context, "visibility")
        replay = {"demonstration": partition["demonstration"]}
        registry = load_registry()
        rows = measure_visibility(
            data.lake.read("demonstrations", replay),
            data.lake.read("states", replay),
            data.lake.read("objects", replay),
            data.lake.read("segmented_frames", partition),
            registry.variant(BASELINE),
        )
        return landed(context, data, "visibility", rows)

    @dg.multi_asset(
        name="frame_images",
        specs=[
            asset_spec(
                "frame_images",
                group=GROUP,
                deps=[
                    *states,
                    dg.AssetDep("segmented_frames", partition_mapping=p.segmented_to_pictures),
                    dg.AssetDep("variant_config", partition_mapping=dimension("variant")),
                ],
                partitions_def=p.demonstration_variant,
                kinds=("mitsuba", "parquet"),
                about="The picture of each key frame under one variant, stored once by content.",
            )
        ],
        partitions_def=p.demonstration_variant,
    )
    def frame_images(
        context: dg.AssetExecutionContext, data: DataResource
    ) -> dg.MaterializeResult[Any]:
        partition = partition_of(context, "frame_images")
        demonstration = partition["demonstration"]
        replay = {"demonstration": demonstration}
        variant = load_registry().variant(partition["variant"])
        segmented = data.lake.read(
            "segmented_frames", {"demonstration": demonstration, "gating": variant.gating}
        )
        progress = reporter(context, f"pictures {demonstration} {variant.name}")
        rows = render_key_frames(
            data.lake.read("demonstrations", replay),
            data.lake.read("states", replay),
            segmented,
            variant,
            data.images,
            progress=progress.pictures,
            workers=data.workers,
        )
        preview = key_frame_preview(rows, data.images)
        return landed(context, data, "frame_images", rows, {"key frames": preview})

    return [visibility, frame_images]
