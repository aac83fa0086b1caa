"""Replays: a demonstration becomes facts, objects, and what its pictures are made from."""

from collections.abc import Iterator
from typing import Any

import dagster as dg

from enact_assets.defs.partitions import Partitions
from enact_assets.defs.playing import playing
from enact_assets.defs.progress import reporter
from enact_assets.defs.resources import DataResource
from enact_assets.defs.step import step
from enact_assets.defs.tables import landed, partition_of
from enact_assets.replay.sources import replay
from enact_assets.replay.validation import check_replay

GROUP = "replay"


def assets(p: Partitions) -> list[dg.AssetsDefinition]:
    """One multi-asset: one replay lands five tables, each with its own data version."""

    @step(
        p,
        "replays",
        group=GROUP,
        kinds=("mujoco", "parquet"),
        about={
            "demonstrations": "One recorded execution of an activity.",
            "facts": "What holds when: the scene graph over time, as intervals.",
            "objects": "What is in the scene, and what came from what.",
            "observability": "What a recorded camera saw of each object; empty if embedded.",
            "states": "The log from which any frame can be rendered again; embedded only.",
        },
    )
    def replays(
        context: dg.AssetExecutionContext, data: DataResource
    ) -> Iterator[dg.MaterializeResult[Any]]:
        demonstration = partition_of(context, "facts")["demonstration"]
        progress = reporter(context, f"replaying {demonstration}")
        with playing(context):
            tables = replay(demonstration, data.sources, progress)
        check_replay(tables.demonstrations, tables.facts, tables.objects)
        n_frames = tables.demonstrations.item(0, "n_frames")
        rate = tables.demonstrations.item(0, "frame_rate_hz")
        source = tables.demonstrations.item(0, "source")
        length = {"frames": n_frames, "seconds": round(n_frames / rate, 1), "source": source}
        yield landed(context, data, "demonstrations", tables.demonstrations, length)
        yield landed(context, data, "facts", tables.facts)
        yield landed(context, data, "objects", tables.objects)
        yield landed(context, data, "observability", tables.observability)
        yield landed(context, data, "states", tables.states)

    return [replays]
