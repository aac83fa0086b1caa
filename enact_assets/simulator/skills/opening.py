"""Skills on fixtures: to open and close doors, lids and drawers, and to press buttons."""

import math
from dataclasses import replace

import numpy as np

from enact_assets.settings.arrays import Floats
from enact_assets.simulator.robot.kinematics import BasePose, HandPose, Side, shoulder
from enact_assets.simulator.robot.stances import TURN_PER_M, Goal, common_stance, heading
from enact_assets.simulator.rooms.fixtures import Fixture, Panel
from enact_assets.simulator.shapes.rotations import rotate_z, turn_about
from enact_assets.simulator.skills.motion import Motion, Motions

SWING_S_PER_RAD = 0.72
SLIDE_S_PER_M = 3.6
"""How long a panel takes: slowly enough for what stands in a drawer."""
SPRINGS, SPRINGS_S = 0.1, 0.3
"""A panel that springs back opens so far, as a share of its range, for so many seconds."""
SETTLED_S = 0.4
SAMPLES = 9
"""Points of the handle's way at which the reach is checked."""
PRESS_PITCH_RAD = math.radians(60)


def open_panel(robot: Motion, side: Side, name: str) -> Motions:
    """Open the closed door, lid or drawer of a fixture."""
    robot.step_name = f"open({side}, {name})"
    fixture = robot.stage.fixture(name)
    panel = fixture.opening
    robot.require(robot.physics.open_fraction(name) < 0.05, f"{name} is open already")
    yield from _lead(robot, side, fixture, panel.opened)


def close_panel(robot: Motion, side: Side, name: str, is_springy: bool = False) -> Motions:  # noqa: FBT001,FBT002
    """Close the open door, lid or drawer of a fixture; a springy one opens again for a moment."""
    robot.step_name = f"close({side}, {name})"
    fixture = robot.stage.fixture(name)
    robot.require(robot.physics.open_fraction(name) > 0.5, f"{name} is not open")
    yield from _lead(robot, side, fixture, 0.0, is_springy=is_springy)


def press(robot: Motion, side: Side, name: str) -> Motions:
    """Press the button of a fixture once and take the hand away."""
    robot.step_name = f"press({side}, {name})"
    fixture = robot.stage.fixture(name)
    robot.require_empty(side)
    robot.require(fixture.button is not None, f"{name} has no button")
    button = np.asarray(fixture.button, dtype=np.float64)
    before = robot.physics.appearance[fixture.cue]
    base = robot.stand(side, button, lambda base: press_pose(base, side, button))
    at = press_pose(base, side, button)
    back = rotate_z(np.array([0.0, -0.16, 0.14]), at.yaw)
    yield from robot.move(side, replace(at, pos=button + back), base)
    yield from robot.move(side, at, base, least_s=0.3)
    yield from robot.wait(0.1)
    yield from robot.home(side, 1.6 * back)
    robot.require(
        robot.physics.appearance[fixture.cue] != before, f"the button of {name} did not switch"
    )


def press_pose(base: BasePose, side: Side, button: Floats) -> HandPose:
    """How a hand touches a button at ``button`` (3,)."""
    pos = button + np.array([0, 0, 0.005])
    return HandPose(pos, heading(base, side, button), PRESS_PITCH_RAD, 0.0)


def handle_pose(panel: Panel, side: Side, amount: float, base: BasePose) -> HandPose:
    """How a hand holds the handle of a panel that is open by ``amount`` (rad or m).

    The fingers take upright bars from left and right, level ones from above and below.
    """
    handle, axis = np.array(panel.handle), np.array(panel.axis)
    if panel.hinge is None:
        pos = handle + axis * amount
    else:
        hinge = np.array(panel.hinge)
        if not panel.is_lid:
            turn = panel.axis[2] * amount
            return HandPose(hinge + rotate_z(handle - hinge, turn), turn * 0.4, 0.3, 0.03)
        pos = hinge + turn_about(axis, amount) @ (handle - hinge)
    line = pos - shoulder(base, side)
    slope = math.atan2(-float(line[2]), float(np.hypot(line[0], line[1])))
    roll = math.pi / 2 if side == "left" else -math.pi / 2
    return HandPose(pos, heading(base, side, pos), float(np.clip(slope, 0.1, 1.1)), 0.03, roll)


def panel_goals(fixture: Fixture, side: Side) -> list[Goal]:
    """What a hand must reach to open or close a panel."""
    panel = fixture.opening

    def goal(amount: float) -> Goal:
        what = f"the handle of {fixture.name}"
        return Goal(side, what, lambda base: handle_pose(panel, side, amount, base))

    return [goal(float(u) * panel.opened) for u in np.linspace(0, 1, SAMPLES)]


def panel_stance(fixture: Fixture, side: Side) -> BasePose | None:
    """Where the base stands to open or close a panel; None if its way is out of reach.

    Before a door it keeps its distance from where the door swings.
    """
    panel = fixture.opening
    if panel.hinge is not None and not panel.is_lid:
        x = float(np.clip(0.135 * (panel.hinge[0] + panel.handle[0]), -0.25, 0.25))
        return BasePose(x, -0.02, TURN_PER_M * x)
    return common_stance(panel_goals(fixture, side))


def _lead(
    robot: Motion, side: Side, fixture: Fixture, goal: float, *, is_springy: bool = False
) -> Motions:
    """Take the handle, lead it along its way until the panel is open by ``goal``, and let go."""
    robot.require_empty(side)
    panel = fixture.opening
    stance = robot.stance or panel_stance(fixture, side)
    robot.require(stance is not None, f"the handle of {fixture.name} goes out of reach")
    base = stance or robot.base
    start = robot.physics.open_fraction(fixture.name) * panel.span

    def at(amount: float) -> HandPose:
        return handle_pose(panel, side, amount, base)

    for u in np.linspace(0, 1, SAMPLES):
        robot.require_reach(side, at(start + (goal - start) * float(u)), base)
    first = at(start)
    off = _towards_shoulder(base, side, first.pos)
    yield from robot.move(side, replace(first, pos=first.pos + 0.12 * off, opening=0.08), base)
    yield from robot.move(side, replace(first, opening=0.08), base, least_s=0.25)
    yield from robot.move(side, first, base, least_s=0.15)
    robot.physics.hold(side, fixture.name)
    rate = SLIDE_S_PER_M if panel.hinge is None else SWING_S_PER_RAD
    yield from robot.follow(
        lambda u: {side: at(start + (goal - start) * u)},
        base,
        max(rate * abs(goal - start) / robot.pace, 0.5),
    )
    if is_springy:
        yield from robot.wait(SETTLED_S)
        far = SPRINGS * panel.span
        yield from robot.follow(
            lambda u: {side: at(goal + far * math.sin(math.pi * u))}, base, SPRINGS_S
        )
        yield from robot.wait(SETTLED_S)
    robot.physics.release(side, fixture.name)
    last = robot.hands[side]
    yield from robot.move(side, replace(last, opening=0.08), base, least_s=0.07)
    yield from robot.home(side, 0.25 * _towards_shoulder(base, side, last.pos))


def _towards_shoulder(base: BasePose, side: Side, point: Floats) -> Floats:
    line = shoulder(base, side) - point
    return line / float(np.linalg.norm(line))
