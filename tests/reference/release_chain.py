"""Tasks under profile ``release``, through all stages up to the index of changes."""

from dataclasses import dataclass
from functools import cache

import polars as pl

from enact_assets.demonstrations.pictures.observed import visibility_from_observability
from enact_assets.demonstrations.replay.recorded import read_recorded
from enact_assets.questions.key_frames.release import segment_release
from enact_assets.questions.key_frames.release_deltas import ReleaseDeltaIndex
from enact_assets.questions.paths.transition_graph import build_transition_graph
from enact_assets.settings.classes import Gating
from enact_assets.settings.profile import RELEASE

from reference.builders import (
    build_objects,
    build_scene_graphs,
    build_segmented_frames,
    build_visibility,
)
from reference.conformance import replay_path


@dataclass(frozen=True)
class ReleaseTask:
    segmented_frames: pl.DataFrame
    transition_graph: pl.DataFrame
    index: ReleaseDeltaIndex


@cache
def release_task(name: str) -> ReleaseTask:
    replay = read_recorded(replay_path(name), name)
    gating = Gating("release", RELEASE, ())
    found = segment_release(replay.demonstrations, replay.facts, replay.objects, gating)
    frames, graphs = found.segmented_frames, found.scene_graphs
    visibility = visibility_from_observability(replay.observability, frames)
    tables = graphs, visibility, replay.objects
    index = ReleaseDeltaIndex.from_tables(*tables, RELEASE, frames.height)
    return ReleaseTask(frames, build_transition_graph(frames, index), index)


@cache
def failing_task() -> ReleaseTask:
    """Four key frames; at the last one particles appear of which nothing disappeared."""
    things = {("Exists", "fridge", None), ("Exists", "lamp", None)}
    graphs = [
        things,
        things | {("Open", "fridge", None)},
        things | {("ToggledOn", "lamp", None)},
        things | {("Exists", "diced__apple", None)},
    ]
    objects = build_objects(
        ("fridge", "fridge"), ("lamp", "lamp"), ("diced__apple", "System", ["apple_1"])
    ).with_columns(is_particle_system=pl.col("category") == "System")
    seen = [dict.fromkeys(("fridge", "lamp", "diced__apple"), 0.1)] * 4
    frames = build_segmented_frames(4)
    tables = build_scene_graphs(graphs), build_visibility(seen), objects
    index = ReleaseDeltaIndex.from_tables(*tables, RELEASE, 4)
    return ReleaseTask(frames, build_transition_graph(frames, index), index)
