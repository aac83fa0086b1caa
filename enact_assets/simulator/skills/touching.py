"""To hold a thing against another one for a while: contact between two changes of state."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import numpy as np

from enact_assets.settings.arrays import Bools, Floats
from enact_assets.simulator.robot.kinematics import REACH_M, BasePose, HandPose, Side, reach_needed
from enact_assets.simulator.robot.stances import lifted, moved
from enact_assets.simulator.shapes.rotations import rotate_z
from enact_assets.simulator.skills.clearance import Load, bring, carry, free_way, transit_height
from enact_assets.simulator.skills.executor import MAX_TILT_RAD, tilt_of
from enact_assets.simulator.skills.motion import UP, Motion, Motions

TOUCH_S = 2.0
"""Longer than a change must last to count."""
AWAY_M, STEP_M, PUSHED_M = 0.06, 0.002, 0.008
"""It comes level from so far away, in steps of a search, and pushes the other one along so far."""
OVER_M = 0.02
"""It keeps so far above what the other thing stands on."""
CLEAR_M = 0.008
SHIFT_M = 0.03
LIFT_M, FARTHEST_M = 0.1, 0.25
"""So far the other thing may be pushed."""
FROM = ((0.0, -1.0), (-1.0, 0.0), (1.0, 0.0), (-0.7, -0.7), (0.7, -0.7))
"""From where it comes: from the robot, from the left or the right, or between."""


def touch(robot: Motion, side: Side) -> Motions:
    """Hold what a hand has against the first thing near where that is free, and take it away again.

    Errors: :class:`PlanError` if there is none, or if it is pushed away or over.
    """
    name = robot.physics.held[side]
    robot.step_name = f"touch({side}, {name})"
    robot.require(name is not None, f"the {side} hand is empty")
    load = Load.of(robot, str(name), robot.hands[side])
    found = next(_ways(robot, side, load), None)
    robot.require(found is not None, f"nothing is near that {name} can be held against")
    assert found is not None  # noqa: S101 - for mypy
    other, over, before, against = found
    base = robot.stand(side, against.pos)
    place = robot.physics.pose(other)[0]
    yield from bring(robot, side, base, over, before)
    yield from robot.move(side, against, base, least_s=0.3)
    way = against.pos - before.pos
    on = moved(against, way * (PUSHED_M / np.linalg.norm(way)))
    touched = yield from robot.move(
        side, on, base, least_s=TOUCH_S, until=lambda: robot.physics.touches(str(name), other)
    )
    robot.require(touched, f"{name} does not touch {other}")
    yield from robot.move(side, before, base, least_s=0.3)
    yield from robot.move(side, over, base)
    pos, quat = robot.physics.pose(other)
    is_still = np.linalg.norm(pos - place) < SHIFT_M and tilt_of(quat) < MAX_TILT_RAD
    robot.require(bool(is_still), f"{other} was pushed away")
    yield from carry(robot, side, base)


def _ways(
    robot: Motion, side: Side, load: Load
) -> Iterator[tuple[str, HandPose, HandPose, HandPose]]:
    """A thing, and how the hand comes to it: above it, beside it, and until they touch."""
    physics, hand = robot.physics, robot.hands[side]
    name = str(physics.held[side])
    pos, turn = physics.pose(name)[0], robot.turn_left(name)
    grip = rotate_z(hand.pos - pos, turn)
    roots = physics.model.body_rootid[physics.model.geom_bodyid[load.others]]
    owners = np.array([physics.model.body(int(root)).name for root in roots])
    near = sorted(
        (thing for thing in robot.resting if _is_open(robot, thing)),
        key=lambda thing: float(np.linalg.norm(physics.pose(thing)[0] - pos)),
    )
    for other, way in product(near, FROM):
        out = np.array([*way, 0.0]) / np.linalg.norm(way)
        far = float(np.abs(out[:2]) @ (_half(robot, name) + _half(robot, other)))
        goal = physics.pose(other)[0] + out * (far + AWAY_M) + OVER_M * UP + grip
        before = replace(hand, pos=goal, yaw=hand.yaw + turn)
        against = _against(load, before, -out, owners == other)
        if against is None:
            continue
        base = robot.stand(side, against.pos)
        top = transit_height(robot, name, pos, goal - grip)
        over = lifted(before, max(LIFT_M, top - float(goal[2] - grip[2])))

        def reaches(pose: HandPose, base: BasePose = base) -> bool:
            return reach_needed(base, side, pose) <= REACH_M

        is_near = all(map(reaches, (over, before, against)))
        if is_near and not load.met(free_way(load, (over, before), reaches)):
            yield other, over, before, against


def _is_open(robot: Motion, name: str) -> bool:
    """Whether a thing stands on furniture, is in no hand, and is reached from above."""
    on = robot.stage.fixtures.get(robot.resting[name])
    is_there = name in robot.physics.existing and robot.access[name] == "top"
    return is_there and on is not None and on.cavity is None


def _against(load: Load, start: HandPose, way: Floats, theirs: Bools) -> HandPose | None:
    """Where on its ``way`` (3,) a load meets these others, if it comes near to none else before."""
    for far in np.arange(0.0, FARTHEST_M, STEP_M).tolist():
        pose = moved(start, way * far)
        gaps = load.gaps([pose])
        if gaps[~theirs].min(initial=CLEAR_M) < CLEAR_M:
            return None
        if gaps[theirs].min(initial=CLEAR_M) < 0.0:
            return pose
    return None


def _half(robot: Motion, name: str) -> Floats:
    """Half of the outline of a thing (2,)."""
    low, high = robot.physics.box(name)
    return (high - low)[:2] / 2
