"""Frames: what can be seen at each key frame, and its picture under each variant."""

from typing import Any

import dagster as dg

from enact_assets.contracts.registry import BASELINE, load_registry
from enact_assets.defs.partitions import Partitions
from enact_assets.defs.pictures import key_frame_preview
from enact_assets.defs.playing import playing
from enact_assets.defs.progress import reporter
from enact_assets.defs.resources import DataResource
from enact_assets.defs.step import step
from enact_assets.defs.tables import landed, partition_of
from enact_assets.frames.frame_tables import FrameImages
from enact_assets.frames.observed import visibility_from_observability
from enact_assets.frames.visibility import measure_visibility
from enact_assets.replay.embedded import SOURCE
from enact_assets.replay.sources import PictureRequest

GROUP = "frames"


def assets(p: Partitions) -> list[dg.AssetsDefinition]:
    """Masks by the baseline camera; pictures by every variant."""

    @step(
        p,
        "visibility",
        group=GROUP,
        kinds=("mujoco", "parquet"),
        about="How many pixels of each object the baseline camera sees. Questions are written "
        "from this, so every variant asks the same questions.",
    )
    def visibility(
        context: dg.AssetExecutionContext, data: DataResource
    ) -> dg.MaterializeResult[Any]:
        partition = partition_of(context, "visibility")
        replay = {"demonstration": partition["demonstration"]}
        registry = load_registry()
        read = data.lake.read
        demonstrations = read("demonstrations", replay)
        segmented = read("segmented_frames", partition)
        if demonstrations.item(0, "source") == SOURCE:
            states, objects = read("states", replay), read("objects", replay)
            baseline = registry.variant(BASELINE)
            rows = measure_visibility(demonstrations, states, objects, segmented, baseline)
        else:
            rows = visibility_from_observability(read("observability", replay), segmented)
        return landed(context, data, "visibility", rows)

    @step(
        p,
        "frame_images",
        group=GROUP,
        kinds=("mitsuba", "parquet"),
        about="The picture of each wanted key frame under one variant, stored once by content.",
    )
    def frame_images(
        context: dg.AssetExecutionContext, data: DataResource
    ) -> dg.MaterializeResult[Any]:
        partition = partition_of(context, "frame_images")
        demonstration = partition["demonstration"]
        replay = {"demonstration": demonstration}
        variant = load_registry().variant(partition["variant"])
        wanted = data.lake.read("wanted_frames", partition)
        progress = reporter(context, f"pictures {demonstration} {variant.name}").pictures
        demonstrations = data.lake.read("demonstrations", replay)
        source = data.sources.named(demonstrations.item(0, "source"))
        if source.shows(demonstration, variant):
            request = PictureRequest(
                demonstrations,
                wanted,
                variant,
                data.images,
                lambda: data.lake.read("states", replay),
                progress,
                data.workers,
            )
            with playing(context):
                rows = source.pictures(request)
        else:
            # Nobody can look at it with another camera: no pictures, no probe questions.
            rows = FrameImages.empty()
        preview = key_frame_preview(rows, data.images)
        return landed(context, data, "frame_images", rows, {"key frames": preview})

    return [visibility, frame_images]
