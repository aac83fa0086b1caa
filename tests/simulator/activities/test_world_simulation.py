"""Whole demonstrations: each activity reaches its goal, on time, and every change can be seen."""

import dataclasses
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from simulator.simulated import (
    KeyFrame,
    changed_predicates,
    key_frames,
    recorded,
)

from enact_assets.engine.ids import sha256_bytes
from enact_assets.settings.predicates import STATE_PREDICATES, TRANSITION
from enact_assets.settings.registry import CameraSettings
from enact_assets.simulator.robot.trunk import BASE
from enact_assets.simulator.simulate import find_activity, perform, random_draws, simulate
from enact_assets.simulator.simulation.recording import Recording, missing_goals
from enact_assets.simulator.view.cameras import camera_pose
from enact_assets.simulator.view.masks import cast_picture, mask_sizes, object_masks
from enact_assets.simulator.view.poses import pose_world

MASK_PX = 128
MIN_PIXELS = 150
"""Of a picture of 512 by 512 pixels."""
ACTIVITY = "assembling_gift_baskets"
ARRAYS = ("qpos", "mocap_pos", "mocap_quat", "appearance")


def test_a_demonstration_is_long_enough_rich_enough_and_visible() -> None:
    """A goal reached unseen, or in too few key frames, gives no questions a person can answer."""
    recording = recorded(ACTIVITY)
    assert 60 <= recording.n_frames / recording.frame_rate_hz <= 300
    found = key_frames(ACTIVITY)
    assert 18 <= len(found) - 1 <= 50
    assert len(changed_predicates(ACTIVITY)) >= 5
    assert missing_goals(recording.facts, recording.goal, recording.n_frames) == []
    _check_seen(recording, found)


def _check_seen(recording: Recording, found: tuple[KeyFrame, ...]) -> None:
    """Every movable thing that changes is large enough in the picture before and after."""
    world = recording.world
    movable = {k: o.name for k, o in enumerate(world.objects) if not o.is_fixed}
    scale = (512 / MASK_PX) ** 2
    sizes = []
    for key_frame in found:
        state = recording.state(key_frame.frame)
        mask = object_masks(world, state, CameraSettings(), MASK_PX)
        seen = {k: size.pixels for k, size in mask_sizes(mask).items()}
        sizes.append({name: scale * seen.get(k, 0) for k, name in movable.items()})
    for k in range(1, len(found)):
        changes = found[k].changes
        made = [c for c in changes if c.operation == "transition"]
        cut = {name for c in made for name in (*c.parents, c.object)}
        for name in {n for c in changes for n in (c.subject, c.object)} & set(movable.values()):
            before, after = sizes[k - 1][name], sizes[k][name]
            least = max(before, after) if name in cut else min(before, after)
            assert name == "robot" or least >= MIN_PIXELS, (found[k].frame, name, before, after)


def _shortened(activity: str, n_steps: int, seed: int = 0) -> Recording:
    """The first steps of a demonstration, without its goal."""
    rng = random_draws(activity, seed)
    episode = find_activity(activity).build(rng)
    ends = {"goal": (), "absent": (), "stays": frozenset()}
    short = dataclasses.replace(episode, plan=episode.plan[:n_steps], **ends)
    return perform(activity, seed, short, rng)


def digests(recording: Recording) -> dict[str, str]:
    """Hash of each array, the facts and the world."""
    found = {name: sha256_bytes(getattr(recording, name).tobytes()) for name in ARRAYS}
    found["facts"] = sha256_bytes(repr(recording.facts).encode())
    return found | {"world": recording.world.sha}


@pytest.mark.slow
def test_the_same_seed_gives_the_same_bytes_whatever_was_simulated_before() -> None:
    """A whole demonstration: substances, recipes and both hands come late in its plan."""
    first = recorded("make_lemonade")
    between = _shortened("cooking_breakfast", 3)
    assert digests(between) != digests(first)
    assert digests(simulate("make_lemonade", 0)) == digests(first)


@pytest.mark.slow
def test_every_kind_of_change_is_in_two_activities_at_least() -> None:
    """One that is in one activity only is no guarantee: it can be changed or left out."""
    rich = ("make_lemonade", "cook_cabbage", "cooking_breakfast", "make_a_steak")
    kinds = Counter(kind for name in rich for kind in changed_predicates(name))
    assert set(kinds) == {*STATE_PREDICATES, TRANSITION}
    assert min(kinds.values()) >= 2, kinds


@pytest.mark.slow
def test_another_process_gives_the_same_bytes() -> None:
    """Names hash differently in each process: an order that hangs on it changes the log."""
    code = (
        "import sys; sys.path.insert(0, 'tests')\n"
        "from simulator.activities.test_world_simulation import _shortened, digests\n"
        "print(sorted(digests(_shortened('make_a_salad', 6)).items()))\n"
    )
    other = "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"
    printed = subprocess.run(  # noqa: S603 - our own interpreter, our own code
        [sys.executable, "-c", code],
        capture_output=True, text=True, check=True, env={**os.environ, "PYTHONHASHSEED": other},
        cwd=Path(__file__).parents[3],
    ).stdout  # fmt: skip
    assert printed == f"{sorted(digests(_shortened('make_a_salad', 6)).items())}\n"


def test_progress_counts_simulated_seconds() -> None:
    """Whole seconds, in order: what a progress bar shows."""
    heard: list[float] = []
    rng = np.random.default_rng(0)
    episode = find_activity("setting_the_table").build(rng)
    short = dataclasses.replace(episode, plan=(), goal=(), absent=())
    recording = perform("setting_the_table", 0, short, rng, progress=heard.append)
    assert heard == [float(k) for k in range(1, recording.n_frames // 30 + 1)]


@pytest.mark.slow
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
def test_no_camera_looks_into_the_robots_own_trunk(camera: CameraSettings, most: float) -> None:
    """A lowered eye inside chest or shoulders shows their inside, or nothing but them."""
    recording = recorded("setting_the_table")
    world = recording.world
    trunk = {f"robot.base.{piece.name}" for piece in BASE}
    is_trunk = np.array([world.model.geom(g).name in trunk for g in range(world.model.ngeom)])
    assert is_trunk.sum() == len(trunk)
    for frame in range(0, recording.n_frames, 400):
        data = pose_world(world, recording.state(frame))
        pose = camera_pose(world, data, camera)
        hits = cast_picture(world, data, pose, camera, 64)
        is_hit = hits.geom >= 0
        assert (is_hit & is_trunk[hits.geom]).mean() <= most
        # Inside a geom, or a hand's breadth from one, its rays end at once.
        assert hits.distance[is_hit].min() > 0.15
