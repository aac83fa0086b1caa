"""Whole demonstrations: each activity reaches its goal, on time, and every change can be seen."""

import dataclasses
import functools

import numpy as np
import pytest

from enact_assets.contracts.components import Component
from enact_assets.contracts.registry import CameraSettings, load_registry
from enact_assets.replay.embedded import tables_of
from enact_assets.replay.validation import check_replay
from enact_assets.segmentation.segment import segment
from enact_assets.simulator.activities import ACTIVITIES
from enact_assets.simulator.cameras import camera_pose
from enact_assets.simulator.masks import cast_picture, mask_sizes, object_masks
from enact_assets.simulator.poses import pose_world
from enact_assets.simulator.recording import Recording
from enact_assets.simulator.simulate import find_activity, perform, random_draws, simulate

MASK_PX = 128
MIN_PIXELS = 150
"""Of a picture of 512 by 512 pixels."""

_recording = functools.cache(simulate)

slow_seeds = [pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 5)]


@pytest.mark.parametrize("seed", [0, *slow_seeds])
@pytest.mark.parametrize("activity", sorted(ACTIVITIES))
def test_a_demonstration_is_long_enough_rich_enough_and_visible(activity: str, seed: int) -> None:
    """A goal reached unseen, or in too few key frames, gives no questions a person can answer."""
    recording = _recording(activity, seed)
    assert 60 <= recording.n_frames / recording.frame_rate_hz <= 180
    tables = tables_of(f"{activity}-{seed}", recording)
    check_replay(tables.demonstrations, tables.facts, tables.objects)
    gating = load_registry().gatings["state"]
    found = segment(tables.demonstrations, tables.facts, tables.objects, gating)
    frames = found.segmented_frames.sort("key_frame")
    assert 14 <= frames.height - 1 <= 30
    _check_seen(recording, frames.get_column("frame").to_list(), frames["changes"].to_list())


def _check_seen(recording: Recording, frames: list[int], changes: list[list[str]]) -> None:
    """Every movable thing that changes is large enough in the picture before and after."""
    world = recording.world
    movable = {k: o.name for k, o in enumerate(world.objects) if not o.is_fixed}
    scale = (512 / MASK_PX) ** 2
    sizes = []
    for frame in frames:
        mask = object_masks(world, recording.state(frame), CameraSettings(), MASK_PX)
        seen = {k: size.pixels for k, size in mask_sizes(mask).items()}
        sizes.append({name: scale * seen.get(k, 0) for k, name in movable.items()})
    for k in range(1, len(frames)):
        components = [Component.parse(text) for text in changes[k]]
        cut = {name for c in components if c.operation == "transition" for name in c.parents}
        cut |= {c.object for c in components if c.operation == "transition" and c.object}
        for name in {n for c in components for n in (c.subject, c.object)} & set(movable.values()):
            before, after = sizes[k - 1][name], sizes[k][name]
            least = max(before, after) if name in cut else min(before, after)
            assert name == "robot" or least >= MIN_PIXELS, (frames[k], name, before, after)


def test_all_kinds_of_change_occur_between_the_activities() -> None:
    """Questions about states, places and hands need all of them."""
    recordings = {name: _recording(name, 0) for name in ACTIVITIES}
    found = {f.predicate for r in recordings.values() for f in r.facts}
    assert found >= {"LeftGrasping", "RightGrasping", "OnTop", "Inside", "Under", "Open"}
    assert found >= {"ToggledOn", "Touching", "Exists"}
    assert any(o.parents for r in recordings.values() for o in r.world.objects)


def _shortened(activity: str, n_steps: int, seed: int = 0) -> Recording:
    """The first steps of a demonstration, without its goal."""
    rng = random_draws(activity, seed)
    episode = find_activity(activity).build(rng)
    short = dataclasses.replace(episode, plan=episode.plan[:n_steps], goal=())
    return perform(activity, seed, short, rng)


def test_the_same_seed_gives_the_same_bytes() -> None:
    """Log, facts and world are functions of activity and seed alone."""
    first, second = (_shortened("cooking_breakfast", 3) for _ in range(2))
    for name in ("qpos", "mocap_pos", "mocap_quat", "appearance"):
        assert getattr(first, name).tobytes() == getattr(second, name).tobytes()
    assert first.facts == second.facts
    assert first.world.sha == second.world.sha


def test_progress_counts_simulated_seconds() -> None:
    """Whole seconds, in order: what a progress bar shows."""
    heard: list[float] = []
    rng = np.random.default_rng(0)
    episode = find_activity("setting_the_table").build(rng)
    short = dataclasses.replace(episode, plan=(), goal=())
    recording = perform("setting_the_table", 0, short, rng, progress=heard.append)
    assert heard == [float(k) for k in range(1, recording.n_frames // 30 + 1)]


@pytest.mark.parametrize(
    ("camera", "most"),
    [
        (CameraSettings(height_offset_m=-0.25), 0.0),
        (CameraSettings(height_offset_m=0.5), 0.0),
        (CameraSettings(aperture_mm=30.0), 0.0),
        (CameraSettings(aperture_mm=60.0), 0.03),
        (CameraSettings(projection="fisheye"), 0.06),
    ],
)
def test_no_camera_looks_into_the_robots_own_torso(camera: CameraSettings, most: float) -> None:
    """A lowered eye inside chest or shoulders shows their inside, or nothing but them."""
    recording = _recording("setting_the_table", 0)
    world = recording.world
    torso = {f"robot.{part}" for part in ("foot", "column", "chest", "shoulders", "neck", "skull")}
    is_torso = np.array([world.model.geom(g).name in torso for g in range(world.model.ngeom)])
    assert is_torso.sum() == len(torso)
    for frame in range(0, recording.n_frames, 400):
        data = pose_world(world, recording.state(frame))
        pose = camera_pose(world, data, camera)
        hits = cast_picture(world, data, pose, camera, 64)
        is_hit = hits.geom >= 0
        assert (is_hit & is_torso[hits.geom]).mean() <= most
        # Inside a geom, or a hand's breadth from one, its rays end at once.
        assert hits.distance[is_hit].min() > 0.15
