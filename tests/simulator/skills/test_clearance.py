"""What is carried keeps clear of what stands on its way; a slow twin looks at every millimetre."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import mujoco
import numpy as np
import pytest
from simulator import room_pieces

from enact_assets.settings.arrays import Floats
from enact_assets.simulator.activities.base import HEAD_PITCH_RAD
from enact_assets.simulator.planning.basic_steps import Grasp, GraspBoth, move
from enact_assets.simulator.robot.kinematics import REACH_M, HandPose, Side, reach_needed
from enact_assets.simulator.robot.stances import lifted
from enact_assets.simulator.rooms import kitchen
from enact_assets.simulator.shapes.rotations import quat_to_matrix
from enact_assets.simulator.simulation.recording import facts_of
from enact_assets.simulator.skills.clearance import SPARE_M, STEP_M, TOUCH_M, Load, free_way
from enact_assets.simulator.skills.executor import Executor, Step
from enact_assets.simulator.skills.motion import between
from enact_assets.simulator.stage.stage_builder import StageBuilder

RED = (0.8, 0.1, 0.1)


def crowd(*things: tuple[str, tuple[float, float]], steps: tuple[Step, ...] = ()) -> Executor:
    """A table with things at places, called by their kind and number; ``steps`` are carried out."""
    stage = StageBuilder()
    kitchen.add_room(stage.scene, kitchen.STYLES[0])
    stage.furnish(
        room_pieces.add_table(stage.scene, kitchen.STYLES[0]),
        room_pieces.add_fridge(stage.scene, kitchen.STYLES[0], kitchen.RIGHT_X),
    )
    stage.leave_open("fridge")
    stage.put("jam_jar", "jam_jar", RED, "fridge")
    for number, (kind, at) in enumerate(things):
        stage.put(f"{kind}_{number}", kind, RED, "table", at)
    robot = Executor(stage.finish(HEAD_PITCH_RAD), "a crowd")
    for step in steps:
        robot.run(step)
    return robot


def drawn_way(seed: int) -> tuple[Executor, Load, list[HandPose]]:
    """A mug in the right hand before tall bottles, and a way of two legs among them."""
    rng = np.random.default_rng(seed)
    tall = [("bottle", (x, float(rng.uniform(-0.1, 0.15)))) for x in (-0.3, -0.08, 0.14)]
    robot = crowd(("mug", (0.33, -0.2)), *tall, steps=(Grasp("right", "mug_0"),))
    hand = robot.hands["right"]
    points = rng.uniform((-0.35, 0.55, 0.92), (0.4, 0.95, 1.25), (2, 3))
    turns = rng.uniform(-0.5, 0.5, 2).tolist()
    way = [replace(hand, pos=pos, yaw=turn) for pos, turn in zip(points, turns, strict=True)]
    return robot, Load.of(robot, "mug_0", hand), way


def gaps_of(robot: Executor, load: Load, poses: list[HandPose]) -> Floats:
    """How near each of the load's others comes to the mug with the hand at any of ``poses``."""
    model, data, now = robot.physics.model, mujoco.MjData(robot.physics.model), robot.physics.data
    data.geom_xpos[:], data.geom_xmat[:] = now.geom_xpos, now.geom_xmat
    mug = model.body("mug_0").id
    own = [g for g in robot.physics.colliding.tolist() if model.geom_bodyid[g] == mug]
    found = np.full(len(load.others), 0.1)
    for pose in poses:
        turn = quat_to_matrix(pose.quat) @ quat_to_matrix(load.lead.quat).T
        for g in own:
            data.geom_xpos[g] = pose.pos + turn @ (now.geom_xpos[g] - load.lead.pos)
            data.geom_xmat[g] = (turn @ now.geom_xmat[g].reshape(3, 3)).ravel()
        for k, other in enumerate(load.others.tolist()):
            pairs = (mujoco.mj_geomDistance(model, data, g, other, 0.1, None) for g in own)
            found[k] = min(found[k], *pairs)
    return found


def is_kept_clear(robot: Executor, load: Load, way: Sequence[HandPose], n: int) -> bool:
    """Whether nothing comes nearer than the margin that is not near at an end, and nothing is
    touched that is not touched there, at ``n`` places of each leg.
    """
    legs = pairwise((load.lead, *way))
    fine = gaps_of(robot, load, [between(a, b, u) for a, b in legs for u in np.linspace(0, 1, n)])
    ends = gaps_of(robot, load, [load.lead, way[-1]])
    is_near = (fine < SPARE_M) & (ends >= SPARE_M + 0.5 * STEP_M)
    is_hit = (fine < -TOUCH_M - 0.5 * STEP_M) & (ends >= -TOUCH_M)
    return not (is_near | is_hit).any()


MANY = [pytest.param(seed, 60, marks=pytest.mark.slow) for seed in range(1, 29)]


@pytest.mark.parametrize(("seed", "n"), [(0, 15), *MANY])
def test_a_way_said_to_be_free_keeps_its_margin_everywhere(seed: int, n: int) -> None:
    """The few places looked at answer for all between them, whatever turns on the way."""
    robot, load, way = drawn_way(seed)
    if load.met(way) == 0:
        assert is_kept_clear(robot, load, way, n)

    def reaches(pose: HandPose) -> bool:
        return reach_needed(robot.base, "right", pose) <= REACH_M + 0.3

    found = free_way(load, way, reaches)
    assert load.met(found) <= load.met(way)
    if load.met(found) == 0:
        assert is_kept_clear(robot, load, found, n)
    again = free_way(load, way, reaches)
    assert [(*p.pos, p.yaw) for p in again] == [(*p.pos, p.yaw) for p in found]


def test_what_stands_on_the_way_is_gone_over_and_what_does_not_changes_nothing() -> None:
    """A bottle on the straight way of a mug: the mug meets it, then goes over it."""
    robot, load, _ = drawn_way(0)
    at, hand = robot.physics.pose("bottle_3")[0], load.lead
    off = hand.pos - robot.physics.pose("mug_0")[0]
    before, behind = (at + off + np.array([x, 0.0, 0.05]) for x in (0.3, -0.3))
    load = replace(load, lead=replace(hand, pos=before))
    straight = [replace(hand, pos=behind)]
    assert load.met(straight) > 0
    assert not is_kept_clear(robot, replace(load, lead=hand), [load.lead, *straight], 60)
    over = free_way(load, straight, lambda _: True)
    assert load.met(over) == 0
    assert max(pose.pos[2] for pose in over) > before[2] + 0.05
    high = [lifted(straight[0], 0.5)]
    load = replace(load, lead=lifted(load.lead, 0.5))
    assert free_way(load, high, lambda _: True) is high


@pytest.mark.slow
@pytest.mark.parametrize("sign", [1, -1])
def test_carrying_moves_nothing_else(sign: int) -> None:
    """A jar is taken from behind others and brought past them."""
    side: Side = "right" if sign > 0 else "left"
    near = [("bottle", (-0.02 * sign, 0.02)), ("milk_carton", (0.16 * sign, -0.02))]
    robot = crowd(("jam_jar", (0.1 * sign, 0.2)), *near)
    names = [name for name in robot.stage.things if name != "jam_jar_0"]
    before = [robot.physics.pose(name)[0] for name in names]
    for step in move(side, "jam_jar_0", "table", (0.3 * sign, -0.2)):
        robot.run(step)
    after = [robot.physics.pose(name)[0] for name in names]
    assert np.abs(np.array(after) - before).max() < 0.002


@pytest.mark.parametrize("kind", ["bottle", pytest.param("rubber_duck", marks=pytest.mark.slow)])
def test_both_hands_wait_above_what_stands_before_the_robot(kind: str) -> None:
    """Held low before the robot, a doll's house would stand in it."""
    robot = crowd(("doll_house", (0.0, 0.1)), (kind, (0.0, -0.25)))
    before = robot.physics.pose(f"{kind}_1")[0]
    robot.run(GraspBoth("doll_house_0"))
    assert np.abs(robot.physics.pose(f"{kind}_1")[0] - before).max() < 0.001


def test_what_is_taken_out_of_a_fridge_does_not_go_through_its_wall() -> None:
    """It is drawn back before it goes aside; straight, it went five centimetres into the wall."""
    robot = crowd()
    for step in move("right", "jam_jar", "table", (0.1, -0.2)):
        robot.run(step)
    held = robot.physics.held
    facts = facts_of(robot.physics, frozenset())
    found = [f for f in facts if {f.subject, f.object} == {"jam_jar", "fridge"}]
    assert held["right"] is None
    assert {f.frame_from for f in found} == {0}, "it touches the shelf it stood on, never a wall"
