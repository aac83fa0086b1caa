"""Skills: how the robot grasps, places, opens, closes, presses and slices.

A skill moves the hands along minimum-jerk paths while the physics runs. Grasping is a constraint
switched on when the hand is at the grasp point, not friction: what is simulated is where things
end up, not whether a gripper would slip. A skill that cannot be carried out raises PlanError.
"""

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from enact_assets.contracts.errors import PlanError
from enact_assets.simulator.kitchen import MAX_DOOR_RAD, Access, Fixture
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
from enact_assets.simulator.rotations import quat_z, rotate_z, smooth_step, wrap_angle
from enact_assets.simulator.stage import Stage
from enact_assets.simulator.things import Thing

Floats = NDArray[np.float64]

UP = np.array([0.0, 0.0, 1.0])
AWAY = np.array([0.0, 1.0, 0.0])
"""From the robot towards the wall: the way into cabinets, under shelves and back."""
PITCH_RAD = math.radians(35)
"""Slope of the fingers in every grasp: from the robot's side, so the hand hides little."""
HAND_SPEED = 0.62
BASE_SPEED = 0.32
"""Mean speeds in m/s; a minimum-jerk path peaks at 1.9 times the mean."""
LIFT_M = 0.13
CLEARANCE_M = 0.03
WITHDRAW_M = 0.3
MAX_PLACE_ERROR_M = 0.05
OPEN_RAD = 1.75
HALF_GAP_M = 0.105
"""Halves of a sliced thing fall this far to either side of the cut."""


class Executor:
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
        self._step_name = "start"
        for side in SIDES:
            self.hands[side] = self._rest_pose(side)
            self._park(side)
        self.wait(1.0)

    # --- public skills -------------------------------------------------------------------------

    def wait(self, seconds: float) -> None:
        """Stand still."""
        for _ in range(round(seconds * FRAME_RATE_HZ)):
            self._frame()

    def grasp(self, side: Side, name: str) -> None:
        """Take a thing where it stands, lift it, and bring it before the robot."""
        self._step_name = f"grasp({side}, {name})"
        thing = self.stage.thing(name)
        self._require(self.physics.held[side] is None, f"the {side} hand holds {self.physics.held[side]}")
        self._require(name in self.physics.existing, f"{name} does not exist (now)")
        self._require(name not in self.physics.held.values(), f"{name} is held by the other hand")
        start = self.physics.pose(name)[0]
        base = self._stand(side, start)
        yaw = self._heading(base, side, start)
        ahead = rotate_z(np.array([0.0, 1.0, 0.0]), yaw)
        grip = start + np.array([0, 0, thing.grasp_height]) - ahead * thing.grasp_out
        at = HandPose(grip, yaw, PITCH_RAD, thing.grip + 0.05)
        is_front = self.access[name] == "front"
        before = grip + (np.array([0, -0.24, 0.03]) if is_front else UP * 0.1 - ahead * 0.1)
        self._move(side, replace(at, pos=before), base)
        moved = float(np.linalg.norm(self.physics.pose(name)[0] - start))
        self._require(moved < 0.03, f"{name} moved {moved:.2f} m while the hand came near")
        self._move(side, at, base, least_s=0.3)
        self._move(side, replace(at, opening=thing.grip), base, least_s=0.15)
        self.physics.hold(side, name)
        held = self.hands[side]
        if is_front:
            up = held.pos + UP * 0.03
            self._move(side, replace(held, pos=up), base, least_s=0.2)
            self._move(side, replace(held, pos=up - AWAY * 0.36), base, least_s=0.5)
        else:
            carry = self._carry_point(side, base)
            top = self._transit_height(name, start, carry)
            rise = max(LIFT_M, top - float(start[2]))
            self._move(side, replace(held, pos=held.pos + UP * rise), base, least_s=0.35)
        self._carry(side, base)

    def place(
        self,
        side: Side,
        on: str,
        at: tuple[float, float] = (0.0, 0.0),
        access: Access | None = None,
    ) -> None:
        """Put the held thing on (or into) a fixture or thing, let go, and withdraw the hand."""
        name = self.physics.held[side]
        self._step_name = f"place({side}, {name}, on {on})"
        self._require(name is not None, f"the {side} hand is empty")
        thing = self.stage.thing(str(name))
        goal, found = self._support(on)
        goal = goal + np.array([at[0], at[1], 0.004])
        way: Access = access or found
        base = self._stand(side, goal)
        pos, quat = self.physics.pose(thing.name)
        turn = wrap_angle(-2.0 * math.atan2(float(quat[3]), float(quat[0])))
        hand = self.hands[side]
        final = HandPose(
            goal + rotate_z(hand.pos - pos, turn), hand.yaw + turn, hand.pitch, hand.opening
        )
        ahead = rotate_z(np.array([0.0, 1.0, 0.0]), final.yaw)
        if way == "front":
            over = final.pos + UP * 0.03
            self._move(side, replace(final, pos=over - AWAY * 0.36), base)
            self._move(side, replace(final, pos=over), base)
        else:
            rise = self._transit_height(thing.name, pos, goal, landing_on=on) - float(pos[2])
            if rise > 0:
                self._move(side, replace(hand, pos=hand.pos + UP * rise), self.base)
            height = max(rise + float(pos[2]) - float(goal[2]), 0.05)
            self._move(side, replace(final, pos=final.pos + UP * height), base)
        self._move(side, final, base, least_s=0.3)
        self.physics.release(side, thing.name)
        self.access[thing.name] = way
        self._move(side, replace(final, opening=hand.opening + 0.05), base, least_s=0.1)
        if way == "front":
            back = final.pos - AWAY * WITHDRAW_M
        else:
            back = final.pos + UP * 0.12 - ahead * 0.12
        self._move(side, replace(final, pos=back, opening=hand.opening + 0.05), base, least_s=0.35)
        self._check_placed(thing, goal)
        self._home(side)

    def open_door(self, side: Side, name: str) -> None:
        """Pull a closed door open."""
        self._step_name = f"open_door({side}, {name})"
        self._require(self.physics.door_fraction(name) < 0.05, f"{name} is open already")
        self._swing(side, self.stage.fixture(name), OPEN_RAD)

    def close_door(self, side: Side, name: str) -> None:
        """Push an open door shut."""
        self._step_name = f"close_door({side}, {name})"
        self._require(self.physics.door_fraction(name) > 0.5, f"{name} is not open")
        self._swing(side, self.stage.fixture(name), 0.0)

    def press(self, side: Side, name: str) -> None:
        """Press the button of a fixture once and take the hand away."""
        self._step_name = f"press({side}, {name})"
        fixture = self.stage.fixture(name)
        self._require(self.physics.held[side] is None, f"the {side} hand holds {self.physics.held[side]}")
        self._require(fixture.button is not None, f"{name} has no button")
        button = np.asarray(fixture.button, dtype=np.float64)
        before = self.physics.appearance[fixture.cue]
        base = self._stand(side, button)
        yaw = self._heading(base, side, button)
        at = HandPose(button + np.array([0, 0, 0.005]), yaw, math.radians(60), 0.0)
        back = rotate_z(np.array([0.0, -0.16, 0.14]), yaw)
        self._move(side, replace(at, pos=button + back), base)
        self._move(side, at, base, least_s=0.3)
        self.wait(0.2)
        self._move(side, replace(at, pos=button + back), base, least_s=0.3)
        self._require(
            self.physics.appearance[fixture.cue] != before, f"the button of {name} did not switch"
        )
        self._home(side)

    def slice(self, side: Side, name: str) -> None:
        """Cut a thing in two with the held knife: at first contact its halves take its place."""
        self._step_name = f"slice({side}, {name})"
        thing = self.stage.thing(name)
        knife = self.physics.held[side]
        self._require(knife is not None and self.stage.thing(knife).is_slicer, "no knife in the hand")
        self._require(bool(thing.halves), f"{name} cannot be sliced")
        self._require(name in self.physics.existing, f"{name} does not exist (now)")
        where = self.physics.pose(name)[0]
        base = self._stand(side, where + np.array([0, -0.15, 0.1]))
        pos, quat = self.physics.pose(str(knife))
        turn = wrap_angle(-2.0 * math.atan2(float(quat[3]), float(quat[0])))
        hand = self.hands[side]
        # The middle of the blade lies 0.1 m before the origin of the knife.
        above = where + np.array([0, -0.1, thing.height + 0.09])
        over = HandPose(
            above + rotate_z(hand.pos - pos, turn), hand.yaw + turn, hand.pitch, hand.opening
        )
        self._move(side, replace(over, pos=over.pos + np.array([0, 0, 0.05])), base)
        deep = replace(over, pos=over.pos - np.array([0, 0, 0.16]))
        is_cut = self._move(side, deep, base, least_s=0.8, until=lambda: self._cut(str(knife), thing))
        self._require(is_cut, f"the blade never touched {name}")
        self._move(side, deep, base, least_s=0.3)
        self._move(side, replace(over, pos=over.pos + np.array([0, -0.12, 0.06])), base, least_s=0.4)
        self._carry(side, base)

    # --- parts of skills -----------------------------------------------------------------------

    def _cut(self, knife: str, whole: Thing) -> bool:
        """Swap the whole for its halves once the blade touches it."""
        physics = self.physics
        if not physics.touches(knife, whole.name):
            return False
        pos, _ = physics.pose(whole.name)
        limbo = np.asarray(self.stage.limbo[whole.name])
        physics.teleport(whole.name, limbo, quat_z(0.0))
        for half, sign in zip(whole.halves, (-1.0, 1.0), strict=True):
            physics.teleport(half, pos + np.array([sign * HALF_GAP_M, 0, 0.002]), quat_z(0.0))
            self.access[half] = self.access[whole.name]
        physics.existing = (physics.existing - {whole.name}) | set(whole.halves)
        return True

    def _swing(self, side: Side, fixture: Fixture, angle_rad: float) -> None:
        self._require(self.physics.held[side] is None, f"the {side} hand holds {self.physics.held[side]}")
        hinge, handle = (np.asarray(p, dtype=np.float64) for p in fixture.hinge_and_handle())
        start = self.physics.door_fraction(fixture.name) * MAX_DOOR_RAD
        sign = fixture.open_sign
        middle = (hinge[0] + handle[0]) / 2
        base = BasePose(float(np.clip(0.27 * middle, -0.25, 0.25)), -0.02, 0.0)
        base = replace(base, yaw=0.45 * base.x)

        def at(angle: float) -> HandPose:
            pos = hinge + rotate_z(handle - hinge, sign * angle)
            return HandPose(pos, sign * angle * 0.4, 0.3, 0.03)

        first = at(start)
        off = shoulder(base, side) - first.pos
        off = off * (0.12 / float(np.linalg.norm(off)))
        self._move(side, replace(first, pos=first.pos + off, opening=0.08), base)
        self._move(side, replace(first, opening=0.08), base, least_s=0.25)
        self._move(side, first, base, least_s=0.15)
        self.physics.hold(side, fixture.name)
        n = max(round(FRAME_RATE_HZ * 0.72 * abs(angle_rad - start) / self.pace), 15)
        for k in range(1, n + 1):
            self.hands[side] = at(start + (angle_rad - start) * smooth_step(k / n))
            self._require_reach(side, self.hands[side], base)
            self._frame(moving=side)
        self._park(side)
        self.physics.release(side, fixture.name)
        last = at(angle_rad)
        off = shoulder(base, side) - last.pos
        off = off * (0.14 / float(np.linalg.norm(off)))
        self._move(side, replace(last, pos=last.pos + off, opening=0.08), base, least_s=0.25)
        self._home(side)

    def _support(self, on: str) -> tuple[Floats, Access]:
        """Where the bottom of a thing put on ``on`` comes to lie, and how it is reached."""
        if on in self.stage.fixtures:
            fixture = self.stage.fixtures[on]
            is_closed = fixture.hinge is not None and self.physics.door_fraction(on) < 0.5
            self._require(not is_closed, f"{on} is closed")
            return np.asarray(fixture.origin, dtype=np.float64), fixture.access
        below = self.stage.thing(on)
        self._require(on in self.physics.existing, f"{on} does not exist (now)")
        pos, _ = self.physics.pose(on)
        return pos + np.array([0, 0, below.rest_height]), self.access[on]

    def _check_placed(self, thing: Thing, goal: Floats) -> None:
        pos, quat = self.physics.pose(thing.name)
        miss = float(np.linalg.norm(pos - goal))
        tilt = 2.0 * math.asin(min(1.0, math.hypot(float(quat[1]), float(quat[2]))))
        self._require(
            miss < MAX_PLACE_ERROR_M and tilt < 0.3,
            f"{thing.name} ended {miss:.2f} m from where it was put, tilted {math.degrees(tilt):.0f} deg",
        )

    def _transit_height(
        self, name: str, start: Floats, goal: Floats, landing_on: str | None = None
    ) -> float:
        """Height of the bottom of ``name`` that clears everything between two points, in m."""
        owners, low, high = self.physics.bounds()
        others = self._companions(name) | {"limbo"}
        radius = self.stage.thing(name).radius + 0.02
        path = start[:2] + np.linspace(0, 1, 16)[:, None] * (goal[:2] - start[:2])
        height = float(goal[2])
        for owner, corner, opposite in zip(owners, low, high, strict=True):
            if owner in others or opposite[2] > 1.3 or owner == landing_on and landing_on in self.stage.fixtures:
                continue
            gap = np.maximum(np.maximum(corner[:2] - path, path - opposite[:2]), 0.0)
            if float(np.hypot(gap[:, 0], gap[:, 1]).min()) < radius:
                height = max(height, float(opposite[2]) + CLEARANCE_M)
        return height

    def _companions(self, name: str) -> set[str]:
        """The thing and whatever stands in or on it: they move together."""
        found = {name}
        pos, _ = self.physics.pose(name)
        thing = self.stage.thing(name)
        for other in self.stage.things:
            there, _ = self.physics.pose(other)
            offset = np.abs(there - pos)
            if max(offset[0], offset[1]) < thing.radius and 0 <= there[2] - pos[2] < 0.15 and thing.rest_height:
                found.add(other)
        return found

    # --- motion --------------------------------------------------------------------------------

    def _stand(self, side: Side, target: Floats) -> BasePose:
        """A standing place from which ``side`` reaches ``target``, as near the middle as it may be."""
        outward = -0.25 if side == "left" else 0.25
        x = float(np.clip(0.65 * (target[0] - outward), -0.34, 0.34))
        wrist = target + np.array([0.0, -0.14, 0.2])
        for y in np.arange(-0.12, 0.24, 0.02):
            base = BasePose(x, float(y), 0.5 * x)
            if float(np.linalg.norm(wrist - shoulder(base, side))) < REACH_M - 0.09:
                break
        return base

    @staticmethod
    def _heading(base: BasePose, side: Side, target: Floats) -> float:
        line = target - shoulder(base, side)
        return float(np.clip(math.atan2(-line[0], line[1]), -0.4, 0.4))

    def _rest_pose(self, side: Side) -> HandPose:
        sign = -1.0 if side == "left" else 1.0
        pos = self.base.to_world(np.array([sign * 0.42, 0.2, 1.0]))
        return HandPose(pos, self.base.yaw, PITCH_RAD, 0.06)

    def _carry_point(self, side: Side, base: BasePose) -> Floats:
        sign = -1.0 if side == "left" else 1.0
        return base.to_world(np.array([sign * 0.42, 0.24, 1.1]))

    def _carry(self, side: Side, base: BasePose) -> None:
        hand = self.hands[side]
        pos = self._carry_point(side, base)
        if hand.pos[2] > pos[2] + 0.1:
            # What was lifted over others must not sink among them on its way back.
            level = np.array([pos[0], pos[1], hand.pos[2]])
            self._move(side, replace(hand, pos=level, yaw=base.yaw), base)
        self._move(side, replace(hand, pos=pos, yaw=base.yaw), base)

    def _home(self, side: Side) -> None:
        self._move(side, self._rest_pose(side), self.base)

    def _park(self, side: Side) -> None:
        hand = self.hands[side]
        self._idle[side] = (
            self.base.from_world(hand.pos), hand.yaw - self.base.yaw, hand.pitch, hand.opening
        )  # fmt: skip

    def _move(
        self,
        side: Side,
        goal: HandPose,
        base: BasePose,
        least_s: float = 0.3,
        until: Callable[[], bool] | None = None,
    ) -> bool:
        """Bring one hand to ``goal`` while the base walks; the other hand goes with the base.

        Returns whether ``until`` became true (it is asked after every frame until it does).
        """
        self._require_reach(side, goal, base)
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
            self._frame(moving=side)
            if until is not None and not is_done:
                is_done = until()
        self._park(side)
        return is_done

    def _frame(self, moving: Side | None = None) -> None:
        for side in SIDES:
            if side != moving and side in self._idle:
                pos, yaw, pitch, opening = self._idle[side]
                self.hands[side] = HandPose(
                    self.base.to_world(pos), self.base.yaw + yaw, pitch, opening
                )
        self.physics.step(self.base, self.hands)

    def _require_reach(self, side: Side, goal: HandPose, base: BasePose) -> None:
        needed = reach_needed(base, side, goal)
        where = ", ".join(f"{v:.2f}" for v in goal.pos)
        self._require(
            needed <= REACH_M,
            f"({where}) is {needed:.2f} m from the {side} shoulder, the arm is {REACH_M:.2f} m long",
        )

    def _require(self, condition: bool, problem: str) -> None:  # noqa: FBT001 - an assertion
        if not condition:
            raise PlanError(
                f"{self.physics.where}, frame {self.physics.frame}, step {self._step_name}: {problem}. "
                "Change the plan or the placement in simulator/activities."
            )
