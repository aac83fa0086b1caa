"""Worlds of all activities: they compile, are complete, and are the same every time."""

import numpy as np
import pytest

from enact_assets.engine.errors import UnknownNameError
from enact_assets.simulator.robot.kinematics import BODIES, SIDES, BasePose, HandPose, body_poses
from enact_assets.simulator.shapes.world import World
from enact_assets.simulator.simulate import build_world
from enact_assets.simulator.stage.stage_builder import StageBuilder


def check_surfaces(world: World) -> None:
    """Every visible geom is named and has a surface: without, it would be drawn in a default
    colour, or not at all.
    """
    model = world.model
    groups = {int(g) for g in model.geom_group}
    seen = {model.geom(g).name for g in range(model.ngeom) if model.geom_group[g] in (0, 1)}
    assert groups == {0, 1, 3}
    assert "" not in seen
    assert seen == set(world.surfaces)
    assert world.robot_geoms < seen
    assert all(name in seen for cue in world.cues for name in cue.surfaces_on)


def check_bodies(world: World) -> None:
    """Objects own bodies that exist: masks and predicates go by these names; the robot is one."""
    bodies = {world.model.body(b).name for b in range(world.model.nbody)}
    assert all(set(o.bodies) <= bodies for o in world.objects)
    names = [o.name for o in world.objects]
    assert len(set(names)) == len(names)
    assert [o.category for o in world.objects if o.name == "robot"] == ["agent"]
    assert world.head_body in bodies
    parents = {p for o in world.objects for p in o.parents}
    assert parents <= set(names)


def test_a_world_is_complete_and_depends_on_activity_and_seed_only() -> None:
    """A log is shown in the world built again; other placements must have another hash."""
    world = build_world("bringing_water", 0)
    check_surfaces(world)
    check_bodies(world)
    assert build_world("bringing_water", 0).sha == world.sha
    assert build_world("bringing_water", 1).sha != world.sha


def test_an_unknown_activity_lists_the_known_ones() -> None:
    """The message is what a user who mistyped sees."""
    with pytest.raises(
        UnknownNameError, match=r"unknown activity 'set_tabel' \(known: .*setting_the_table"
    ):
        build_world("set_tabel", 0)


def test_a_thing_put_on_nothing_is_refused() -> None:
    """It would float, and fall when the simulation starts."""
    with pytest.raises(UnknownNameError, match="unknown support 'table'"):
        StageBuilder().put("mug", "mug", (1, 0, 0), "table")


def test_arms_join_shoulder_elbow_and_wrist() -> None:
    """Both segments are half a metre long for any reachable goal; else arms come apart."""
    base = BasePose(0.1, 0.05, 0.2)
    hands = {
        side: HandPose(np.array([0.1 * k, 0.6, 1.0 + 0.2 * k]), 0.1, 0.5, 0.05)
        for k, side in enumerate(SIDES)
    }
    pos, quat = body_poses(base, hands)
    at = dict(zip(BODIES, pos, strict=True))
    assert np.linalg.norm(quat, axis=1) == pytest.approx(np.ones(len(BODIES)))
    for side in SIDES:
        elbow = at[f"robot.{side}_fore"]
        assert np.linalg.norm(elbow - at[f"robot.{side}_upper"]) == pytest.approx(0.5)
        assert np.linalg.norm(elbow - hands[side].wrist) == pytest.approx(0.5)
