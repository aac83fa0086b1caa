"""How the robot moves: hands on minimum-jerk paths that clear things, and a base that follows.

The base stands where the working hand reaches its goal, as near the middle as it can, and turns
slightly towards the middle: most of the scene stays in the picture. The idle hand goes with it.
"""

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from enact_assets.contracts.errors import PlanError
from enact_assets.simulator.fixtures import Access
from enact_assets.simulator.physics import FRAME_RATE_HZ, Physics
from enact_assets.simulator.robot import (
    REACH_M,
    SIDES,
    BasePose,
    HandPose,
    Side,
    reach_needed,
    shoulder,
)
from enact_assets.simulator.rotations import smooth_step
from enact_assets.simulator.stage import Stage

Floats = NDArray[np.float64]

UP = np.array([0.0, 0.0, 1.0])
AWAY = np.array([0.0, 1.0, 0.0])
"""From the robot towards the wall: the way into cabinets, under shelves and back."""
PITCH_RAD = math.radians(35)
"""Slope of the fingers in every grasp: from the robot's side, so the hand hides little."""
HAND_SPEED = 0.62
BASE_SPEED = 0.32
"""Mean speeds in m/s; a minimum-jerk path peaks at 1.9 times the mean."""
TURN_PER_M = 0.35
"""How far the base turns towards the middle for each metre it stands beside it, in rad."""
CLEARANCE_M = 0.03
FURNITURE_TOP_M = 1.3
"""Nothing is carried over what is higher than this: cabinets, shelves, the fridge."""


class Motion:
    """A robot in a running simulation. ``pace`` scales all speeds."""

    def __init__(
        self,
        stage: Stage,
        where: str,
        pace: float = 1.0,
        progress: Callable[[float], None] | None = None,
    ):
        self.stage = stage
        self.physics = Physics(stage, where, progress)
        self.pace = pace
        self.access: dict[str, Access] = dict(stage.access)
        self.base = BasePose(0.0, -0.1, 0.0)
        self.hands: dict[Side, HandPose] = {}
        self._idle: dict[Side, tuple[Floats, float, float, float]] = {}
        self.step_name = "start"
        for side in SIDES:
            self.hands[side] = self.rest_pose(side)
            self.park(side)
        self.wait(1.0)

    def wait(self, seconds: float) -> None:
        """Stand still."""
        for _ in range(round(seconds * FRAME_RATE_HZ)):
            self.frame()

    def require(self, condition: bool, problem: str) -> None:  # noqa: FBT001 - an assertion
        """Raise :class:`PlanError`, saying where, unless ``condition`` holds."""
        if not condition:
            raise PlanError(
                f"{self.physics.where}, frame {self.physics.frame}, step {self.step_name}: "
                f"{problem}. Change the plan or the placement in simulator/activities."
            )

    def stand(self, side: Side, target: Floats) -> BasePose:
        """A standing place from which ``side`` reaches ``target``, as far back as it may be."""
        outward = -0.25 if side == "left" else 0.25
        x = float(np.clip(0.65 * (target[0] - outward), -0.34, 0.34))
        wrist = target + np.array([0.0, -0.14, 0.2])
        for y in np.arange(-0.12, 0.24, 0.02):
            base = BasePose(x, float(y), TURN_PER_M * x)
            if float(np.linalg.norm(wrist - shoulder(base, side))) < REACH_M - 0.09:
                break
        return base

    @staticmethod
    def heading(base: BasePose, side: Side, target: Floats) -> float:
        """Heading of the fingers towards ``target``, at most 0.4 rad to either side."""
        line = target - shoulder(base, side)
        return float(np.clip(math.atan2(-line[0], line[1]), -0.4, 0.4))

    def rest_pose(self, side: Side) -> HandPose:
        """An empty hand's place: low and to its side, where the camera just sees it."""
        sign = -1.0 if side == "left" else 1.0
        pos = self.base.to_world(np.array([sign * 0.42, 0.2, 1.0]))
        return HandPose(pos, self.base.yaw, PITCH_RAD, 0.06)

    @staticmethod
    def carry_point(side: Side, base: BasePose) -> Floats:
        """Where a full hand waits: before the robot, lower than what stands on the furniture."""
        sign = -1.0 if side == "left" else 1.0
        return base.to_world(np.array([sign * 0.42, 0.24, 1.1]))

    def carry(self, side: Side, base: BasePose) -> None:
        """Bring a full hand to its waiting place."""
        hand = self.hands[side]
        pos = self.carry_point(side, base)
        if hand.pos[2] > pos[2] + 0.1:
            # What was lifted over others must not sink among them on its way back.
            level = np.array([pos[0], pos[1], hand.pos[2]])
            self.move(side, replace(hand, pos=level, yaw=base.yaw), base)
        self.move(side, replace(hand, pos=pos, yaw=base.yaw), base)

    def home(self, side: Side) -> None:
        """Bring an empty hand to its rest pose."""
        self.move(side, self.rest_pose(side), self.base)

    def park(self, side: Side) -> None:
        """From now on the hand goes with the base."""
        hand = self.hands[side]
        self._idle[side] = (
            self.base.from_world(hand.pos),
            hand.yaw - self.base.yaw,
            hand.pitch,
            hand.opening,
        )

    def move(
        self,
        side: Side,
        goal: HandPose,
        base: BasePose,
        *,
        least_s: float = 0.3,
        until: Callable[[], bool] | None = None,
    ) -> bool:
        """Bring one hand to ``goal`` while the base walks; the other hand goes with the base.

        Returns whether ``until`` became true (it is asked after every frame until it does).
        Errors: :class:`PlanError` if the goal is out of reach.
        """
        self.require_reach(side, goal, base)
        first, start = self.hands[side], self.base
        walk = math.hypot(base.x - start.x, base.y - start.y)
        way = float(np.linalg.norm(goal.pos - first.pos))
        seconds = max(way / HAND_SPEED / self.pace, walk / BASE_SPEED / self.pace, least_s)
        n = max(round(seconds * FRAME_RATE_HZ), 1)
        is_done = False
        for k in range(1, n + 1):
            u = smooth_step(k / n)
            self.base = BasePose(
                start.x + u * (base.x - start.x),
                start.y + u * (base.y - start.y),
                start.yaw + u * (base.yaw - start.yaw),
            )
            self.hands[side] = HandPose(
                first.pos + u * (goal.pos - first.pos),
                first.yaw + u * (goal.yaw - first.yaw),
                first.pitch + u * (goal.pitch - first.pitch),
                first.opening + u * (goal.opening - first.opening),
            )
            self.frame(moving=side)
            if until is not None and not is_done:
                is_done = until()
        self.park(side)
        return is_done

    def frame(self, moving: Side | None = None) -> None:
        """Simulate and log one frame; hands other than ``moving`` go with the base."""
        for side in SIDES:
            if side != moving:
                pos, yaw, pitch, opening = self._idle[side]
                self.hands[side] = HandPose(
                    self.base.to_world(pos), self.base.yaw + yaw, pitch, opening
                )
        self.physics.step(self.base, self.hands)

    def require_reach(self, side: Side, goal: HandPose, base: BasePose) -> None:
        """Raise :class:`PlanError` if the arm is too short for ``goal``."""
        needed = reach_needed(base, side, goal)
        where = ", ".join(f"{v:.2f}" for v in goal.pos)
        self.require(
            needed <= REACH_M,
            f"({where}) is out of reach: {needed:.2f} m from the {side} shoulder, the arm is "
            f"{REACH_M:.2f} m long",
        )

    def transit_height(
        self, name: str, start: Floats, goal: Floats, landing_on: str | None = None
    ) -> float:
        """Height of the bottom of ``name`` that clears everything between two points, in m."""
        owners, low, high = self.physics.bounds()
        ignored = self._companions(name) | {"limbo"}
        if landing_on in self.stage.fixtures:
            ignored.add(str(landing_on))
        radius = self.stage.thing(name).parts.radius + 0.02
        path = start[:2] + np.linspace(0, 1, 16)[:, None] * (goal[:2] - start[:2])
        height = float(goal[2])
        for owner, corner, opposite in zip(owners, low, high, strict=True):
            if owner in ignored or opposite[2] > FURNITURE_TOP_M:
                continue
            gap = np.maximum(np.maximum(corner[:2] - path, path - opposite[:2]), 0.0)
            if float(np.hypot(gap[:, 0], gap[:, 1]).min()) < radius:
                height = max(height, float(opposite[2]) + CLEARANCE_M)
        return height

    def _companions(self, name: str) -> set[str]:
        """The thing and whatever stands in or on it: they move together."""
        thing = self.stage.thing(name)
        found = {name}
        if not thing.parts.rest_height:
            return found
        pos, _ = self.physics.pose(name)
        for other in self.stage.things:
            offset = self.physics.pose(other)[0] - pos
            if float(np.abs(offset[:2]).max()) < thing.parts.radius and 0 <= offset[2] < 0.15:
                found.add(other)
        return found
