"""The bimanual robot: a scripted base, two-segment arms by inverse kinematics, and two grippers.

All of it is moved as MuJoCo mocap bodies and touches nothing; things are held by constraints.
The base frame has x to the right, y forward and its origin on the floor under the eye.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from enact_assets.settings.arrays import Floats
from enact_assets.simulator.robot.arms import (
    BLACK,
    FINGERS,
    FORE,
    HAND,
    SHOULDER_BALL_M,
    THUMB,
    UPPER,
    Piece,
)
from enact_assets.simulator.robot.trunk import BASE
from enact_assets.simulator.shapes.mjcf import Scene
from enact_assets.simulator.shapes.rotations import frame_along, quat_z, rotate_z
from enact_assets.simulator.shapes.world import WorldObject

Side = Literal["left", "right"]
SIDES: tuple[Side, Side] = ("left", "right")

EYE_HEIGHT_M = 1.75
SEGMENT_M = 0.5
"""Length of the upper arm and of the forearm."""
WRIST_M = 0.17
"""From the grasp point between the fingertips back to the wrist."""
REACH_M = 2 * SEGMENT_M - 0.005

PARTS = ("upper", "fore", "hand", "finger_in", "finger_out")
BODIES: tuple[str, ...] = (
    "robot.base",
    *(f"robot.{side}_{part}" for side in SIDES for part in PARTS),
)
"""The robot's mocap bodies, in the order of their mocap index."""


def add_robot(scene: Scene) -> frozenset[str]:
    """Add the robot's bodies; returns the names of its geoms."""
    before = set(scene.surfaces)

    def drawn(name: str, pieces: tuple[Piece, ...], *, is_turned: bool = False) -> str:
        turn = (0, 0, math.pi) if is_turned else None
        return "".join(
            scene.visible(
                f"robot.{name}.{piece.name}",
                "mesh",
                scene.mesh_of(f"robot_{piece.name}", *piece.mesh),
                piece.look,
                euler=turn,
            )
            for piece in pieces
        )

    head = f'<body name="head" pos="0 0 {EYE_HEIGHT_M}"/>'
    scene.body("robot.base", (0, 0, 0), drawn("base", BASE) + head, kind="mocap")
    for side in SIDES:
        # The thumb is the jaw towards the robot's middle.
        inner, outer = (THUMB, FINGERS) if side == "right" else (FINGERS, THUMB)
        ball = scene.visible(f"robot.{side}_shoulder", "sphere", (SHOULDER_BALL_M,), BLACK)
        content = {
            "upper": drawn(f"{side}_upper", UPPER) + ball,
            "fore": drawn(f"{side}_fore", FORE),
            "hand": drawn(f"{side}_hand", HAND),
            "finger_in": drawn(f"{side}_finger_in", inner),
            "finger_out": drawn(f"{side}_finger_out", outer, is_turned=True),
        }
        for part in PARTS:
            scene.body(f"robot.{side}_{part}", (0, 0, 1), content[part], kind="mocap")
    scene.objects.append(WorldObject("robot", "agent", BODIES))
    return frozenset(set(scene.surfaces) - before)


@dataclass(frozen=True)
class BasePose:
    """Where the robot stands: floor position and heading (0 looks along y)."""

    x: float
    y: float
    yaw: float

    def to_world(self, point: Floats | tuple[float, float, float]) -> Floats:
        """A point of the base frame in the world."""
        turned = rotate_z(point, self.yaw)
        turned[:2] += self.x, self.y
        return turned

    def from_world(self, point: Floats) -> Floats:
        """A point of the world in the base frame."""
        return rotate_z(point - np.array([self.x, self.y, 0.0]), -self.yaw)


@dataclass(frozen=True)
class HandPose:
    """Grasp point (3,) in the world, heading and downward slope of the fingers, opening in m.

    ``roll`` turns the hand about :attr:`approach`, right-handed: its right side goes down.
    """

    pos: Floats
    yaw: float
    pitch: float
    opening: float
    roll: float = 0.0

    @cached_property
    def approach(self) -> Floats:
        """Unit vector from the wrist to the fingertips."""
        flat, down = math.cos(self.pitch), -math.sin(self.pitch)
        return rotate_z((0.0, flat, down), self.yaw)

    @cached_property
    def wrist(self) -> Floats:
        """Where the forearm ends."""
        return np.asarray(self.pos - WRIST_M * self.approach)

    @cached_property
    def across(self) -> Floats:
        """Unit vector across the fingers, to the right of an unrolled hand."""
        level = rotate_z((1.0, 0.0, 0.0), self.yaw)
        if not self.roll:
            return level
        down = np.cross(self.approach, level)
        return np.asarray(level * math.cos(self.roll) + down * math.sin(self.roll))

    @cached_property
    def quat(self) -> Floats:
        """Orientation: z points back to the wrist, x across the fingers."""
        return frame_along(-self.approach, self.across)


def shoulder(base: BasePose, side: Side) -> Floats:
    """The shoulder joint (3,) in the world."""
    sign = -1.0 if side == "left" else 1.0
    return base.to_world((sign * 0.25, -0.2, 1.38))


def reach_needed(base: BasePose, side: Side, hand: HandPose) -> float:
    """Distance from shoulder to wrist; the arm is :data:`REACH_M` long."""
    return math.dist(hand.wrist.tolist(), shoulder(base, side).tolist())


def body_poses(base: BasePose, hands: dict[Side, HandPose]) -> tuple[Floats, Floats]:
    """Positions (11, 3) and quaternions (11, 4) of :data:`BODIES`.

    The elbow follows from the two equal segments and hangs outwards, down and back.
    """
    positions = [np.array([base.x, base.y, 0.0])]
    quats = [quat_z(base.yaw)]
    for side in SIDES:
        hand = hands[side]
        start, wrist = shoulder(base, side), hand.wrist
        line = wrist - start
        distance = min(float(np.linalg.norm(line)), REACH_M)
        along = line / float(np.linalg.norm(line))
        sign = -1.0 if side == "left" else 1.0
        pole = rotate_z(np.array([sign * 0.9, -0.2, -0.6]), base.yaw)
        pole = pole - along * float(pole @ along)
        pole = pole / float(np.linalg.norm(pole))
        bend = math.sqrt(max(SEGMENT_M**2 - (distance / 2) ** 2, 0.0))
        elbow = start + along * (distance / 2) + pole * bend
        half = hand.across * (hand.opening / 2 + 0.009)
        positions += [start, elbow, hand.pos, hand.pos - half, hand.pos + half]
        quats += [
            frame_along(elbow - start, pole),
            frame_along(wrist - elbow, pole),
            hand.quat,
            hand.quat,
            hand.quat,
        ]
    return np.stack(positions), np.stack(quats)
