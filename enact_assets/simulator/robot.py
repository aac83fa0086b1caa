"""The bimanual robot: a scripted base, two-segment arms by inverse kinematics, and two grippers.

All of it is moved as MuJoCo mocap bodies and touches nothing; things are held by constraints.
The base frame has x to the right, y forward and its origin on the floor under the eye.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from enact_assets.simulator.rotations import frame_along, quat_z, rotate_z
from enact_assets.simulator.shapes import Scene, Vector
from enact_assets.simulator.world import Surface, WorldObject

Floats = NDArray[np.float64]
Side = Literal["left", "right"]
SIDES: tuple[Side, Side] = ("left", "right")

EYE_HEIGHT_M = 1.75
SEGMENT_M = 0.5
"""Length of the upper arm and of the forearm."""
WRIST_M = 0.17
"""From the grasp point between the fingertips back to the wrist."""
REACH_M = 2 * SEGMENT_M - 0.005

WHITE = Surface((0.88, 0.88, 0.87), finish="gloss")
BLACK = Surface((0.025, 0.025, 0.03), finish="satin")

PARTS = ("upper", "fore", "hand", "finger_in", "finger_out")
BODIES: tuple[str, ...] = (
    "robot.base",
    *(f"robot.{side}_{part}" for side in SIDES for part in PARTS),
)
"""The robot's mocap bodies, in the order of their mocap index."""


def add_robot(scene: Scene) -> frozenset[str]:
    """Add the robot's bodies; returns the names of its geoms."""
    before = set(scene.surfaces)

    def geom(
        name: str, kind: str, size: tuple[float, ...], look: Surface, pos: Vector = (0, 0, 0)
    ) -> str:
        return scene.visible(f"robot.{name}", kind, size, look, pos)

    base = (
        geom("foot", "cylinder", (0.22, 0.09), WHITE, (0, -0.26, 0.1))
        + geom("column", "box", (0.09, 0.08, 0.4), BLACK, (0, -0.28, 0.6))
        + geom("chest", "capsule", (0.12, 0.15), WHITE, (0, -0.24, 1.15))
        + scene.visible(
            "robot.shoulders",
            "capsule",
            (0.065, 0.2),
            BLACK,
            (0, -0.2, 1.38),
            euler=(0, math.pi / 2, 0),
        )
        + geom("neck", "cylinder", (0.04, 0.08), BLACK, (0, -0.22, 1.52))
        + geom("skull", "sphere", (0.1,), WHITE, (0, -0.2, 1.68))
        + f'<body name="head" pos="0 0 {EYE_HEIGHT_M}"/>'
    )
    scene.body("robot.base", (0, 0, 0), base, kind="mocap")
    for side in SIDES:
        content = {
            "upper": geom(f"{side}_upper", "capsule", (0.042, 0.21), WHITE, (0, 0, 0.25))
            + geom(f"{side}_shoulder", "sphere", (0.062,), BLACK),
            "fore": geom(f"{side}_fore", "capsule", (0.034, 0.2), WHITE, (0, 0, 0.25))
            + geom(f"{side}_elbow", "sphere", (0.05,), BLACK),
            "hand": geom(f"{side}_palm", "box", (0.055, 0.022, 0.03), BLACK, (0, 0, 0.105))
            + geom(f"{side}_wrist", "capsule", (0.03, 0.02), BLACK, (0, 0, 0.155)),
            "finger_in": geom(
                f"{side}_finger_in", "box", (0.009, 0.016, 0.05), BLACK, (0, 0, 0.04)
            ),
            "finger_out": geom(
                f"{side}_finger_out", "box", (0.009, 0.016, 0.05), BLACK, (0, 0, 0.04)
            ),
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

    def to_world(self, point: Floats) -> Floats:
        """A point of the base frame in the world."""
        turned: Floats = rotate_z(point, self.yaw) + np.array([self.x, self.y, 0.0])
        return turned

    def from_world(self, point: Floats) -> Floats:
        """A point of the world in the base frame."""
        return rotate_z(point - np.array([self.x, self.y, 0.0]), -self.yaw)


@dataclass(frozen=True)
class HandPose:
    """Grasp point (3,) in the world, heading and downward slope of the fingers, opening in m."""

    pos: Floats
    yaw: float
    pitch: float
    opening: float

    @cached_property
    def approach(self) -> Floats:
        """Unit vector from the wrist to the fingertips."""
        flat, down = math.cos(self.pitch), -math.sin(self.pitch)
        return rotate_z(np.array([0.0, flat, down]), self.yaw)

    @cached_property
    def wrist(self) -> Floats:
        """Where the forearm ends."""
        wrist: Floats = self.pos - WRIST_M * self.approach
        return wrist

    @cached_property
    def quat(self) -> Floats:
        """Orientation: z points back to the wrist, x across the fingers."""
        return frame_along(-self.approach, rotate_z(np.array([1.0, 0.0, 0.0]), self.yaw))


def shoulder(base: BasePose, side: Side) -> Floats:
    """The shoulder joint (3,) in the world."""
    sign = -1.0 if side == "left" else 1.0
    return base.to_world(np.array([sign * 0.25, -0.2, 1.38]))


def reach_needed(base: BasePose, side: Side, hand: HandPose) -> float:
    """Distance from shoulder to wrist; the arm is :data:`REACH_M` long."""
    return float(np.linalg.norm(hand.wrist - shoulder(base, side)))


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
        across = rotate_z(np.array([1.0, 0.0, 0.0]), hand.yaw)
        half = across * (hand.opening / 2 + 0.009)
        positions += [start, elbow, hand.pos, hand.pos - half, hand.pos + half]
        quats += [
            frame_along(elbow - start, pole),
            frame_along(wrist - elbow, pole),
            hand.quat,
            hand.quat,
            hand.quat,
        ]
    return np.stack(positions), np.stack(quats)
