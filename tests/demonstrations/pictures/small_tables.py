"""Replay tables of a short demonstration in the small world, as a replay would land them."""

import polars as pl
from simulator.painted_world import first_state

from enact_assets.demonstrations.replay.tables import States
from enact_assets.questions.key_frames.tables import SegmentedFrames
from enact_assets.simulator.shapes.world import World

from reference.builders import build_objects

DEMONSTRATION = "small-0"
N_FRAMES = 60


def states_of(world: World, demonstration: str = DEMONSTRATION) -> pl.DataFrame:
    """Sixty frames: the door opens a little every frame, the burner is on from frame 30."""
    first = first_state(world)
    rows = []
    for frame in range(N_FRAMES):
        qpos = first.qpos.copy()
        qpos[-1] = 1.8 * frame / N_FRAMES
        rows.append(
            {
                "demonstration": demonstration,
                "frame": frame,
                "qpos": qpos.tolist(),
                "mocap_pos": first.mocap_pos.ravel().tolist(),
                "mocap_quat": first.mocap_quat.ravel().tolist(),
                "appearance": [float(frame >= 30), 0.0],
            }
        )
    return States.build(rows)


def segmented(frames: list[int], gating: str = "state") -> pl.DataFrame:
    """Key frames at ``frames``."""
    return SegmentedFrames.build(
        [
            {
                "demonstration": DEMONSTRATION,
                "gating": gating,
                "key_frame": k,
                "frame": frame,
                "frame_id": frame,
                "change_frame": None if k == 0 else frame - 20,
                "similarity": None,
                "changes": [],
            }
            for k, frame in enumerate(frames)
        ]
    )


def objects_of(world: World) -> pl.DataFrame:
    """The table ``objects`` of a world."""
    things = ((thing.name, thing.category, thing.parents) for thing in world.objects)
    return build_objects(*things, demonstration=DEMONSTRATION)


def with_value(states: pl.DataFrame, frame: int, column: str, values: list[float]) -> pl.DataFrame:
    """``states`` with one array of one frame replaced."""
    changed = pl.Series([values], dtype=pl.List(pl.Float32))
    return states.with_columns(
        pl.when(pl.col("frame") == frame).then(pl.lit(changed)).otherwise(column).alias(column)
    )
