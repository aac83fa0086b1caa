"""Skills of two hands: a task each in the same frames, and a wide thing carried by both."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from enact_assets.settings.arrays import Floats
from enact_assets.simulator.robot.kinematics import (
    SIDES,
    BasePose,
    HandPose,
    Side,
)
from enact_assets.simulator.robot.stances import LIFT_M, Goal, common_stance, wide_grip
from enact_assets.simulator.shapes.rotations import rotate_z, wrap_angle, yaw_of
from enact_assets.simulator.skills.clearance import Load, foot, free_way, transit_height
from enact_assets.simulator.skills.executor import Executor, Step
from enact_assets.simulator.skills.motion import (
    AWAY,
    DONE,
    HAND_SPEED,
    UP,
    Motions,
    between,
    side_by_side,
)

APART_M = 0.16
"""Hands that come nearer to each other than this would collide."""
MAX_TURN_RAD = 0.4
"""A wide thing that stands turned by more cannot be taken from left and right."""
CARRY_AT = np.array([[0.0, 0.4, 0.92], [0.0, 0.4, 1.06], [0.0, 0.4, 1.2], [0.0, 0.3, 1.06]])
"""Where a wide thing is carried, in the base frame: the first place that is free and in reach."""
GENTLE_M_S2 = 1.8
"""What stands on a tray topples at more acceleration than this."""
PAUSE_S = 0.2


def together(robot: Executor, tasks: dict[Side, Sequence[Step]], stance: BasePose) -> Motions:
    """Carry out a task with each hand in the same frames, standing still at ``stance``.

    A hand that is done earlier waits. Errors: :class:`PlanError`, also if the hands come too near
    to each other.
    """
    yield from robot.follow(lambda _: {}, stance, 0.0)
    names = dict.fromkeys(SIDES, "together")
    robot.stance = stance
    try:
        running = {side: _in_turn(robot, tasks[side]) for side in SIDES}
        while running:
            for side in SIDES:
                if side in running:
                    robot.step_name = names[side]
                    if next(running[side], DONE) is DONE:
                        del running[side]
                    names[side] = robot.step_name
            if running:
                robot.step_name = " beside ".join(names[side] for side in SIDES)
                _require_apart(robot)
                yield
    finally:
        robot.stance = None


def _in_turn(robot: Executor, steps: Sequence[Step]) -> Motions:
    for step in steps:
        yield from step.motions(robot)
        yield from robot.wait(PAUSE_S)


def _require_apart(robot: Executor) -> None:
    left, right = (robot.base.from_world(robot.hands[side].pos) for side in SIDES)
    robot.require(
        float(np.linalg.norm(left - right)) > APART_M and bool(left[0] < right[0]),
        "the two hands come in each other's way; give each hand the goals on its own side",
    )


def grasp_both(robot: Executor, name: str) -> Motions:
    """Take a wide thing with both hands, lift it, and bring it before the robot."""
    robot.step_name = f"grasp_both({name})"
    thing = robot.stage.thing(name)
    for side in SIDES:
        robot.require_empty(side)
    robot.require(thing.parts.grasp_wide is not None, f"{name} is not made for two hands")
    robot.require(robot.access[name] == "top", f"{name} cannot be reached from above")
    start = robot.require_upright(name)
    yaw = yaw_of(robot.physics.pose(name)[1])
    robot.require(abs(yaw) < MAX_TURN_RAD, f"{name} stands turned by {yaw:.1f} rad")
    at = wide_grip(thing.parts, start, yaw)
    base = _stance(robot, name, at)
    open_wide = {s: replace(pose, opening=pose.opening + 0.05) for s, pose in at.items()}
    before = {s: replace(p, pos=p.pos + UP * 0.1 - AWAY * 0.1) for s, p in open_wide.items()}
    for goal, least_s in ((before, 0.3), (open_wide, 0.3), (at, 0.15)):
        yield from side_by_side(
            *(_ignoring(robot, side, goal[side], base, least_s) for side in SIDES)
        )
    robot.take(name, *SIDES)
    middle, turn = _middle(start), wrap_angle(base.yaw - yaw)
    places = [_middle(base.to_world(at), turn) for at in CARRY_AT]
    near = [at for at in places if foot(robot, base, _led(robot.hands, middle, at)) is not None]
    carry = Load.of(robot, name, middle).clearest(near or places)
    rise = max(LIFT_M, transit_height(robot, name, start, carry.pos) - float(start[2]))
    up = _middle(start + UP * rise)
    yield from _lead(robot, middle, up, base, least_s=0.35)
    level = replace(carry, pos=np.array([*carry.pos[:2], up.pos[2]]))
    yield from _bring(robot, name, up, base, level, carry)


def place_both(robot: Executor, on: str, at: tuple[float, float] = (0.0, 0.0)) -> Motions:
    """Put what both hands hold on (or into) something, let go, and withdraw the hands."""
    name = robot.physics.held["left"]
    robot.step_name = f"place_both({name}, on {on})"
    robot.require(name is not None, "the hands are empty")
    robot.require(robot.physics.held["right"] == name, "the hands do not hold the same thing")
    thing = robot.stage.thing(str(name))
    goal, way = robot.support(on)
    robot.require(way == "top", f"{on} cannot be reached from above")
    goal = goal + np.array([at[0], at[1], 0.004])
    base = _stance(robot, on, wide_grip(thing.parts, goal, robot.turns[thing.name]))
    pos = robot.physics.pose(thing.name)[0]
    height = max(transit_height(robot, thing.name, pos, goal, landing_on=on), float(goal[2]) + 0.05)
    down = _middle(goal, robot.turn_left(thing.name))
    up, over = (
        replace(at, pos=np.array([*at.pos[:2], max(height, at.pos[2])]))
        for at in (_middle(pos), down)
    )
    yield from _bring(robot, thing.name, _middle(pos), base, up, over)
    yield from _lead(robot, over, down, base, least_s=0.35)
    for side in SIDES:
        robot.physics.release(side, thing.name)
    robot.rest(thing.name, on, way)
    yield from side_by_side(*(robot.let_go(side, way) for side in SIDES))
    robot.check_placed(thing, goal)


def wide_goals(name: str, at: dict[Side, HandPose]) -> list[Goal]:
    """What the hands must reach to hold a wide thing, and to lower it there."""

    def goal(side: Side, rise: float) -> Goal:
        pose = replace(at[side], pos=at[side].pos + UP * rise)
        return Goal(side, name, lambda _: pose)

    return [goal(side, rise) for side in SIDES for rise in (0.0, LIFT_M)]


def _stance(robot: Executor, name: str, at: dict[Side, HandPose]) -> BasePose:
    stance = common_stance(wide_goals(name, at))
    robot.require(stance is not None, f"{name} is out of reach of two hands at once")
    return stance or robot.base


def _ignoring(
    robot: Executor, side: Side, goal: HandPose, base: BasePose, least_s: float
) -> Motions:
    """A move of one hand whose result is discarded."""
    yield from robot.move(side, goal, base, least_s=least_s)


def _middle(pos: Floats, turn: float = 0.0) -> HandPose:
    """The point between both hands (3,), turned so far since they took hold."""
    return HandPose(pos, turn, 0.0, 0.0)


def _led(first: Mapping[Side, HandPose], start: HandPose, goal: HandPose) -> dict[Side, HandPose]:
    """The hands, ``first`` with the point between them at ``start``, once it is at ``goal``."""
    turn = goal.yaw - start.yaw
    return {
        side: replace(
            hand, pos=goal.pos + rotate_z(hand.pos - start.pos, turn), yaw=hand.yaw + turn
        )
        for side, hand in first.items()
    }


def _bring(
    robot: Executor, name: str, start: HandPose, base: BasePose, *usual: HandPose
) -> Motions:
    """Lead both hands to the last of ``usual`` on the first way on which nothing is met."""

    def stance(goal: HandPose) -> BasePose | None:
        return foot(robot, base, _led(robot.hands, start, goal))

    load = Load.of(robot, name, start)
    *via, end = free_way(load, usual, lambda goal: stance(goal) is not None)
    for goal in via:
        yield from _lead(robot, start, goal, stance(goal) or base)
        start = goal
    yield from _lead(robot, start, end, base)


def _lead(
    robot: Executor, start: HandPose, goal: HandPose, base: BasePose, *, least_s: float = 0.3
) -> Motions:
    """Lead both hands so that the point between them comes from ``start`` to ``goal`` and
    everything turns about it: what they hold moves as one body.
    """
    for side, pose in _led(robot.hands, start, goal).items():
        robot.require_reach(side, pose, base)
    way = float(np.linalg.norm(goal.pos - start.pos))
    # A minimum-jerk path of s metres in t seconds accelerates by 5.77 s / t^2 at most.
    gentle_s = math.sqrt(5.77 * way / GENTLE_M_S2)
    seconds = max(way / HAND_SPEED, gentle_s) / robot.pace
    first = dict(robot.hands)
    yield from robot.follow(
        lambda u: _led(first, start, between(start, goal, u)), base, max(seconds, least_s)
    )
