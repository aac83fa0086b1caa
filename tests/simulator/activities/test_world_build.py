"""Worlds of all activities: they compile, are complete, and are the same every time."""

from functools import cache

import numpy as np
import pytest
from simulator.simulated import quick_first

from enact_assets.engine.errors import UnknownNameError
from enact_assets.simulator.activities import SHIPPED
from enact_assets.simulator.robot.kinematics import BODIES, SIDES, BasePose, HandPose, body_poses
from enact_assets.simulator.shapes.world import World
from enact_assets.simulator.simulate import build_world
from enact_assets.simulator.stage.stage_builder import StageBuilder

every_activity = pytest.mark.parametrize("activity", quick_first(sorted(SHIPPED)))


@cache
def world_of(activity: str) -> World:
    return build_world(activity, 0)


@every_activity
def test_every_visible_geom_is_named_and_has_a_surface(activity: str) -> None:
    """A geom without a surface would be drawn in a default colour, or not at all."""
    world = world_of(activity)
    model = world.model
    groups = {int(g) for g in model.geom_group}
    seen = {model.geom(g).name for g in range(model.ngeom) if model.geom_group[g] in (0, 1)}
    assert groups == {0, 1, 3}
    assert "" not in seen
    assert seen == set(world.surfaces)
    assert world.robot_geoms < seen
    assert all(name in seen for cue in world.cues for name in cue.surfaces_on)


@every_activity
def test_objects_own_bodies_that_exist(activity: str) -> None:
    """Masks and predicates go by these names; the robot is one of the objects."""
    world = world_of(activity)
    bodies = {world.model.body(b).name for b in range(world.model.nbody)}
    assert all(set(o.bodies) <= bodies for o in world.objects)
    names = [o.name for o in world.objects]
    assert len(set(names)) == len(names)
    assert [o.category for o in world.objects if o.name == "robot"] == ["agent"]
    assert world.head_body in bodies
    parents = {p for o in world.objects for p in o.parents}
    assert parents <= set(names)


@every_activity
def test_a_world_depends_on_activity_and_seed_only(activity: str) -> None:
    """A log is shown in the world built again; other placements must have another hash."""
    assert build_world(activity, 0).sha == world_of(activity).sha
    assert build_world(activity, 1).sha != world_of(activity).sha


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
