"""Where the base stands so that hands reach what they must."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from enact_assets.settings.arrays import Floats
from enact_assets.simulator.robot.kinematics import (
    REACH_M,
    BasePose,
    HandPose,
    Side,
    reach_needed,
    shoulder,
)
from enact_assets.simulator.rooms.fixtures import Access
from enact_assets.simulator.shapes.rotations import rotate_z
from enact_assets.simulator.things.thing_parts import Parts

PITCH_RAD = math.radians(35)
"""Slope of the fingers in every grasp: from the robot's side, so the hand hides little."""
TURN_PER_M = 0.35
"""How far the base turns towards the middle for each metre it stands beside it, in rad."""
SIDEWAYS_M = 0.34
"""The base stands at most so far to either side of the middle."""
FARTHEST_M, NEAREST_M, STEP_M = -0.12, 0.24, 0.02
"""The base stands from here to (not including) there, on the y axis."""
UTMOST_M = 0.29
"""So near only where a hand would not reach its goal otherwise."""
LIFT_M, LEAST_OVER_M = 0.13, 0.05
"""A thing is lifted at least so high, and comes at least from so high to where it is put."""
FRONT_LIFT_M, PULL_M = 0.03, 0.31
"""Way up and out of and into what is open in front: cabinets, the fridge, below shelves."""
MARGIN_M, SPARE_M = 0.05, 0.003
"""A stance for several goals leaves so much of the arm to spare, and so much on the way to them."""


@dataclass(frozen=True)
class Goal:
    """What a hand must reach: its pose there depends on where the base stands, which is chosen for
    the point ``at`` (3,), or for the hand itself.
    """

    side: Side
    what: str
    pose: Callable[[BasePose], HandPose]
    at: Floats | None = None
    is_via: bool = False
    """Only on the way to another goal: the stance is not chosen for it, but reaches it."""

    def excess(self, base: BasePose) -> float:
        """By how much the arm is too short (positive) from ``base``, in m."""
        return reach_needed(base, self.side, self.pose(base)) - REACH_M


def heading(base: BasePose, side: Side, target: Floats) -> float:
    """Heading of the fingers towards ``target``, at most 0.4 rad to either side."""
    x, y, _ = (target - shoulder(base, side)).tolist()
    return min(max(math.atan2(-x, y), -0.4), 0.4)


def grip_pose(base: BasePose, side: Side, parts: Parts, pos: Floats) -> HandPose:
    """How a hand holds a thing that stands at ``pos`` (3,)."""
    yaw = heading(base, side, pos)
    ahead = rotate_z((0.0, 1.0, 0.0), yaw)
    grip = pos + np.array([0, 0, parts.grasp_height]) - ahead * parts.grasp_out
    return HandPose(grip, yaw, PITCH_RAD, parts.grip)


def grip_way(
    side: Side, parts: Parts, pos: Floats, access: Access
) -> tuple[Callable[[BasePose], HandPose], ...]:
    """How a hand holds a thing that stands at ``pos`` (3,), there and lifted."""
    rise = FRONT_LIFT_M if access == "front" else LIFT_M
    return (
        lambda base: grip_pose(base, side, parts, pos),
        lambda base: lifted(grip_pose(base, side, parts, pos), rise),
    )


def landing_way(final: HandPose, access: Access) -> tuple[HandPose, HandPose]:
    """How a hand that puts something down comes to ``final``: there, and above it."""
    return final, lifted(final, FRONT_LIFT_M if access == "front" else LEAST_OVER_M)


def moved(pose: HandPose, by: Floats) -> HandPose:
    """The same pose elsewhere, moved ``by`` (3,)."""
    return replace(pose, pos=pose.pos + by)


def lifted(pose: HandPose, height: float) -> HandPose:
    """The same pose ``height`` higher, in m."""
    return moved(pose, np.array([0.0, 0.0, height]))


def wherever(pose: HandPose) -> Callable[[BasePose], HandPose]:
    """The same pose from wherever the base stands, for a :class:`Goal`."""
    return lambda _base: pose


def wide_grip(parts: Parts, pos: Floats, yaw: float) -> dict[Side, HandPose]:
    """How two hands hold a wide thing that stands at ``pos`` (3,), turned by ``yaw``."""
    half = parts.grasp_wide or 0.0
    offsets: dict[Side, float] = {"left": -half, "right": half}
    return {
        side: HandPose(
            pos + rotate_z(np.array([x, 0.0, parts.grasp_height]), yaw), yaw, PITCH_RAD, parts.grip
        )
        for side, x in offsets.items()
    }


def standing_place(side: Side, target: Floats, *poses: Callable[[BasePose], HandPose]) -> BasePose:
    """Where the base stands for one hand to reach ``target`` (3,), as far back as it may be.

    If the hand does not reach all ``poses`` from the usual places, the base comes a little nearer,
    or stands wherever they are in reach.
    """
    outward = -0.25 if side == "left" else 0.25
    x = float(np.clip(0.65 * (target[0] - outward), -SIDEWAYS_M, SIDEWAYS_M))
    wrist = target + np.array([0.0, -0.14, 0.2])
    for y in np.arange(FARTHEST_M, NEAREST_M, STEP_M):
        base = BasePose(x, float(y), TURN_PER_M * x)
        if float(np.linalg.norm(wrist - shoulder(base, side))) < REACH_M - 0.09:
            break

    def is_short(base: BasePose) -> bool:
        return any(reach_needed(base, side, pose(base)) > REACH_M for pose in poses)

    while base.y < UTMOST_M and is_short(base):
        base = BasePose(x, base.y + STEP_M, base.yaw)
    if is_short(base):
        return common_stance([Goal(side, "", pose, is_via=True) for pose in poses]) or base
    return base


def common_stance(goals: Sequence[Goal]) -> BasePose | None:
    """A pose of the base from which all ``goals`` are reached, as far back and as near below the
    middle of those that are not on the way only as can be; None if there is none.
    """
    ahead = BasePose(0.0, 0.0, 0.0)
    chosen = [goal for goal in goals if not goal.is_via] or goals
    middle = 0.6 * float(np.mean([goal.pose(ahead).pos[0] for goal in chosen])) if goals else 0.0
    places = [
        (float(x), float(y))
        for x in np.linspace(-SIDEWAYS_M, SIDEWAYS_M, 18)
        for y in np.arange(FARTHEST_M, NEAREST_M, STEP_M)
    ]
    places.sort(key=lambda at: abs(at[0] - middle) + 2.0 * (at[1] - FARTHEST_M))
    for x, y in places:
        base = BasePose(x, y, TURN_PER_M * x)
        if all(goal.excess(base) < -(SPARE_M if goal.is_via else MARGIN_M) for goal in goals):
            return base
    return None
