"""How the robot moves: hands on minimum-jerk paths, and a base that follows.

Every motion is a generator that sets the pose of the robot and yields once per frame; its driver
(:meth:`Motion.drive`) steps the physics at each yield. So two hands can act in the same frames, and
a skill of another module needs only the methods of :class:`Motion`.

The base stands where the working hand reaches its goal, as near the middle as it can, and turns
slightly towards the middle: most of the scene stays in the picture. The idle hand goes with it.
"""

import math
from collections.abc import Callable, Generator, Mapping
from dataclasses import replace
from typing import TypeVar

import numpy as np

from enact_assets.engine.errors import PlanError
from enact_assets.settings.arrays import Floats
from enact_assets.simulator.robot.kinematics import (
    REACH_M,
    SIDES,
    BasePose,
    HandPose,
    Side,
    reach_needed,
)
from enact_assets.simulator.robot.stances import PITCH_RAD, standing_place
from enact_assets.simulator.rooms.fixtures import Access
from enact_assets.simulator.shapes.rotations import smooth_step, yaw_of
from enact_assets.simulator.simulation.physics import FRAME_RATE_HZ, Physics
from enact_assets.simulator.stage.stage import Stage

Motions = Generator[None, None, None]
"""A motion: yields once per frame."""
Result = TypeVar("Result")

UP = np.array([0.0, 0.0, 1.0])
AWAY = np.array([0.0, 1.0, 0.0])
"""From the robot towards the wall: the way into cabinets, under shelves and back."""
HAND_SPEED = 0.62
BASE_SPEED = 0.32
RETREAT_SPEED = 1.1
"""Mean speeds in m/s, the last one of a hand that has let go: it must not hide what it did. A
minimum-jerk path peaks at 1.9 times the mean.
"""
STRAIGHT_RAD = 0.05
DONE = object()


class Motion:
    """A robot in a running simulation. ``pace`` scales all speeds.

    ``access`` and ``resting`` say how each thing is reached and what it was put on or in, ``turns``
    how it stood turned when it was taken, in rad.
    ``step_name`` and ``step_number`` say in errors what the robot is doing. While ``stance`` is
    set, the base stands there whatever a skill would like.
    """

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
        self.access: dict[str, Access] = self.physics.matter.access
        self.resting: dict[str, str] = self.physics.matter.resting
        self.turns: dict[str, float] = {}
        self.base = BasePose(0.0, -0.1, 0.0)
        self.stance: BasePose | None = None
        self.hands: dict[Side, HandPose] = {}
        self._parked: dict[Side, HandPose] = {}
        self.step_name, self.step_number = "start", ""
        for side in SIDES:
            self.hands[side] = self.rest_pose(side)
            self.park(side)
        self.drive(self.wait(1.0))

    def drive(self, motions: Generator[None, None, Result]) -> Result:
        """Carry out a motion: simulate and log a frame at each of its yields; its result."""
        while True:
            try:
                next(motions)
            except StopIteration as stop:
                result: Result = stop.value
                return result
            self.frame()

    def frame(self) -> None:
        """Simulate and log one frame; parked hands go with the base."""
        for side, pose in self._parked.items():
            self.hands[side] = replace(
                pose, pos=self.base.to_world(pose.pos), yaw=self.base.yaw + pose.yaw
            )
        self.physics.step(self.base, self.hands)

    def wait(self, seconds: float) -> Motions:
        """Stand still."""
        for _ in range(round(seconds * FRAME_RATE_HZ)):
            yield

    def require(self, condition: bool, problem: str) -> None:  # noqa: FBT001 - an assertion
        """Raise :class:`PlanError`, saying where, unless ``condition`` holds."""
        if not condition:
            raise PlanError(
                f"{self.physics.where}, frame {self.physics.frame}, step "
                f"{self.step_number + ', ' if self.step_number else ''}{self.step_name}: "
                f"{problem}. Change the plan or the placement in simulator/activities."
            )

    def take(self, name: str, *sides: Side) -> None:
        """From now on these hands hold a thing, which is set down turned as it is now: straight, if
        it is all but straight.
        """
        turn = yaw_of(self.physics.pose(name)[1])
        self.turns[name] = turn if abs(turn) > STRAIGHT_RAD else 0.0
        for side in sides:
            self.physics.hold(side, name)
        self.resting.pop(name, None)

    def turn_left(self, name: str) -> float:
        """How much a held thing must turn, in rad, to stand as it did when it was taken."""
        return self.turns[name] - yaw_of(self.physics.pose(name)[1])

    def require_empty(self, side: Side) -> None:
        """Raise :class:`PlanError` if the hand holds something."""
        held = self.physics.held[side]
        self.require(held is None, f"the {side} hand holds {held}")

    def require_reach(self, side: Side, goal: HandPose, base: BasePose) -> None:
        """Raise :class:`PlanError` if the arm is too short for ``goal``."""
        needed = reach_needed(base, side, goal)
        where = ", ".join(f"{v:.2f}" for v in goal.pos)
        self.require(
            needed <= REACH_M,
            f"({where}) is out of reach: {needed:.2f} m from the {side} shoulder, the arm is "
            f"{REACH_M:.2f} m long",
        )

    def stand(self, side: Side, target: Floats, *poses: Callable[[BasePose], HandPose]) -> BasePose:
        """A standing place from which ``side`` reaches ``target`` and all of ``poses``, as far back
        as it may be.
        """
        return self.stance or standing_place(side, target, *poses)

    def rest_pose(self, side: Side) -> HandPose:
        """An empty hand's place: low and to its side, where the camera just sees it."""
        sign = -1.0 if side == "left" else 1.0
        pos = self.base.to_world(np.array([sign * 0.42, 0.2, 1.0]))
        return HandPose(pos, self.base.yaw, PITCH_RAD, 0.06)

    def home(self, side: Side, away: Floats | None = None) -> Motions:
        """Bring an empty hand to its rest pose, quickly: straight, or setting off by ``away``."""
        first, rest = self.hands[side], self.rest_pose(side)
        via = (first.pos + rest.pos) / 2 if away is None else first.pos + away
        way = float(np.linalg.norm(via - first.pos) + np.linalg.norm(rest.pos - via))

        def curve(u: float) -> dict[Side, HandPose]:
            pos = (1 - u) ** 2 * first.pos + 2 * u * (1 - u) * via + u**2 * rest.pos
            return {side: replace(between(first, rest, u), pos=pos)}

        yield from self.follow(curve, self.base, max(way / RETREAT_SPEED / self.pace, 0.4))

    def park(self, side: Side) -> None:
        """From now on the hand goes with the base."""
        hand = self.hands[side]
        self._parked[side] = replace(
            hand, pos=self.base.from_world(hand.pos), yaw=hand.yaw - self.base.yaw
        )

    def move(
        self,
        side: Side,
        goal: HandPose,
        base: BasePose,
        *,
        least_s: float = 0.3,
        until: Callable[[], bool] | None = None,
    ) -> Generator[None, None, bool]:
        """Bring one hand straight to ``goal`` while the base walks.

        Returns whether ``until`` became true (it is asked after every frame until it does).
        Errors: :class:`PlanError` if the goal is out of reach.
        """
        self.require_reach(side, goal, base)
        first = self.hands[side]
        way = float(np.linalg.norm(goal.pos - first.pos))
        return (
            yield from self.follow(
                lambda u: {side: between(first, goal, u)},
                base,
                max(way / HAND_SPEED / self.pace, least_s),
                until=until,
            )
        )

    def follow(
        self,
        path: Callable[[float], Mapping[Side, HandPose]],
        base: BasePose,
        seconds: float,
        *,
        until: Callable[[], bool] | None = None,
    ) -> Generator[None, None, bool]:
        """Lead hands along ``path`` (0 to 1, rest to rest) while the base walks to ``base``.

        It takes ``seconds``, or as long as the base needs; afterwards these hands go with the base
        again. Returns whether ``until`` became true, as :meth:`move` does.
        """
        start = self.base
        walk = math.hypot(base.x - start.x, base.y - start.y)
        seconds = max(seconds, walk / BASE_SPEED / self.pace)
        n = max(round(seconds * FRAME_RATE_HZ), 1)
        is_done = False
        for k in range(1, n + 1):
            u = smooth_step(k / n)
            self.base = BasePose(
                start.x + u * (base.x - start.x),
                start.y + u * (base.y - start.y),
                start.yaw + u * (base.yaw - start.yaw),
            )
            for side, pose in path(u).items():
                self._parked.pop(side, None)
                self.hands[side] = pose
            yield
            if until is not None and not is_done:
                is_done = until()
        for side in path(1.0):
            self.park(side)
        return is_done


def between(first: HandPose, goal: HandPose, u: float) -> HandPose:
    """The pose a share ``u`` of the way from ``first`` to ``goal``."""
    return HandPose(
        first.pos + u * (goal.pos - first.pos),
        first.yaw + u * (goal.yaw - first.yaw),
        first.pitch + u * (goal.pitch - first.pitch),
        first.opening + u * (goal.opening - first.opening),
        first.roll + u * (goal.roll - first.roll),
    )


def side_by_side(*motions: Motions) -> Motions:
    """Several motions in the same frames, until the last one ends."""
    running = list(motions)
    while running := [m for m in running if next(m, DONE) is not DONE]:
        yield
