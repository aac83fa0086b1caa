"""Where a hand must be for the thing it holds to be somewhere: tilting, dipping, drawing over."""

import math
from collections.abc import Generator, Sequence
from dataclasses import dataclass

import numpy as np

from enact_assets.settings.arrays import Floats
from enact_assets.simulator.robot.kinematics import REACH_M, BasePose, HandPose, Side, reach_needed
from enact_assets.simulator.robot.stances import PITCH_RAD, Goal, common_stance, lifted, wherever
from enact_assets.simulator.shapes.rotations import quat_to_matrix
from enact_assets.simulator.skills.clearance import bring, transit_height
from enact_assets.simulator.skills.motion import Motion
from enact_assets.simulator.things.kinds import Thing

LEAST_OVER_M = 0.06
"""A thing is brought from at least so far above to where it works."""


@dataclass(frozen=True)
class Hold:
    """How one hand holds ``thing``: its place (3,) and turn (3, 3) in the frame of the hand.

    ``turn`` (3, 3) is how the thing is turned in the world when the skill starts, made upright.
    """

    thing: Thing
    side: Side
    place: Floats
    rotation: Floats
    turn: Floats
    opening: float
    yaw: float

    @classmethod
    def of(cls, robot: Motion, side: Side) -> "Hold":
        """What ``side`` holds now; raises :class:`PlanError` if it is empty."""
        name = robot.physics.held[side]
        robot.require(name is not None, f"the {side} hand is empty")
        hand = robot.hands[side]
        pos, quat = robot.physics.pose(str(name))
        grip = quat_to_matrix(hand.quat)
        turn = quat_to_matrix(quat)
        return cls(
            thing=robot.stage.thing(str(name)),
            side=side,
            place=grip.T @ (pos - hand.pos),
            rotation=grip.T @ turn,
            turn=_upright(turn),
            opening=hand.opening,
            yaw=hand.yaw,
        )

    @classmethod
    def foreseen(cls, thing: Thing, side: Side) -> "Hold":
        """How a hand that grasped a thing straight ahead will hold it, before the robot."""
        parts = thing.parts
        pos = np.array([0.0, -parts.grasp_out, parts.grasp_height])
        grip = quat_to_matrix(HandPose(pos, 0.0, PITCH_RAD, parts.grip).quat)
        return cls(thing, side, grip.T @ -pos, grip.T, np.eye(3), parts.grip, 0.0)

    def hand(self, turn: Floats, point: Floats, at: Floats) -> HandPose:
        """The hand that turns the thing to ``turn`` (3, 3), its own ``point`` at ``at`` (3,)."""
        grip = turn @ self.rotation.T
        pos = at - turn @ point - grip @ self.place
        return hand_pose(grip, pos, self.opening, self.yaw)


def stance_for(robot: Motion, side: Side, what: str, poses: Sequence[HandPose]) -> BasePose:
    """Where the base stands so that a hand reaches ``poses``; :class:`PlanError` if nowhere."""
    if robot.stance is not None:
        for pose in poses:
            robot.require_reach(side, pose, robot.stance)
        return robot.stance
    base = robot.stand(side, poses[0].pos)
    if all(reach_needed(base, side, pose) <= REACH_M for pose in poses):
        return base
    found = common_stance([Goal(side, what, wherever(pose)) for pose in poses])
    robot.require(found is not None, f"{what} is out of reach of the {side} hand")
    return found or base


def bring_over(
    robot: Motion, hold: Hold, what: str, poses: Sequence[HandPose]
) -> Generator[None, None, BasePose]:
    """Bring a held thing from above to the first of ``poses``, clear of what stands on the way.

    Returns where the base then stands: all poses are in reach from there. Errors:
    :class:`PlanError` if there is no such place.
    """
    side, first = hold.side, poses[0]
    start = robot.physics.pose(hold.thing.name)[0]
    goal = first.pos + quat_to_matrix(first.quat) @ hold.place
    height = transit_height(robot, hold.thing.name, start, goal, landing_on=what)
    over = lifted(first, max(height - float(goal[2]), LEAST_OVER_M))
    base = stance_for(robot, side, what, [*poses, over])
    up = [lifted(robot.hands[side], height - float(start[2]))] if height > start[2] else []
    yield from bring(robot, side, base, *up, over, least_s=0.2)
    yield from robot.move(side, first, base, least_s=0.3)
    return base


def hand_pose(grip: Floats, pos: Floats, opening: float, near_yaw: float) -> HandPose:
    """The pose of a hand whose frame is ``grip`` (3, 3), with a heading near ``near_yaw``."""
    approach = -grip[:, 2]
    yaw = math.atan2(-float(approach[0]), float(approach[1]))
    pitch = -math.asin(float(np.clip(approach[2], -1.0, 1.0)))
    if math.cos(yaw - near_yaw) < 0:
        yaw, pitch = yaw + math.pi, math.pi - pitch
    yaw = near_yaw + (yaw - near_yaw + math.pi) % (2 * math.pi) - math.pi
    level = np.array([math.cos(yaw), math.sin(yaw), 0.0])
    flat = math.cos(pitch)
    ahead = np.array([-math.sin(yaw) * flat, math.cos(yaw) * flat, -math.sin(pitch)])
    down = np.cross(ahead, level)
    across = grip[:, 0]
    roll = math.atan2(float(across @ down), float(across @ level))
    return HandPose(pos, yaw, pitch, opening, roll)


def tilt_towards(direction: Floats, angle_rad: float) -> Floats:
    """Rotation (3, 3) that tilts the vertical towards a level unit ``direction`` (3,)."""
    axis = np.array([-direction[1], direction[0], 0.0])
    cos, sin = math.cos(angle_rad), math.sin(angle_rad)
    x, y, _ = axis
    cross = np.array([[0.0, 0.0, y], [0.0, 0.0, -x], [-y, x, 0.0]])
    turned: Floats = cos * np.eye(3) + sin * cross + (1.0 - cos) * np.outer(axis, axis)
    return turned


def _upright(turn: Floats) -> Floats:
    """The turn about the vertical that is nearest to ``turn``."""
    yaw = math.atan2(float(turn[1, 0] - turn[0, 1]), float(turn[0, 0] + turn[1, 1]))
    cos, sin = math.cos(yaw), math.sin(yaw)
    return np.array([[cos, -sin, 0.0], [sin, cos, 0.0], [0.0, 0.0, 1.0]])
