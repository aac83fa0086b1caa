"""Skills: how the robot grasps, places, opens, closes, presses and slices.

Grasping is a constraint switched on when the hand is at the grasp point, not friction: what is
simulated is where things end up, not whether a gripper would slip. A skill that cannot be carried
out raises :class:`PlanError`.
"""

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from enact_assets.simulator.fixtures import Access, Fixture
from enact_assets.simulator.motion import AWAY, PITCH_RAD, TURN_PER_M, UP, Motion
from enact_assets.simulator.physics import FRAME_RATE_HZ
from enact_assets.simulator.robot import BasePose, HandPose, Side, shoulder
from enact_assets.simulator.rotations import quat_z, rotate_z, smooth_step, wrap_angle
from enact_assets.simulator.things import Thing

Floats = NDArray[np.float64]

LIFT_M = 0.13
PULL_M = 0.31
"""Way out of and into what is open in front: cabinets, the fridge, below shelves."""
WITHDRAW_M = 0.3
MAX_PLACE_ERROR_M = 0.05
MAX_TILT_RAD = 0.3
HALF_GAP_M = 0.105
"""Halves of a sliced thing come to lie this far to either side of the cut."""


class Executor(Motion):
    """The skills of a robot in a running simulation."""

    def grasp(self, side: Side, name: str) -> None:
        """Take a thing where it stands, lift it, and bring it before the robot."""
        self.step_name = f"grasp({side}, {name})"
        thing = self.stage.thing(name)
        self._require_empty(side)
        self.require(name in self.physics.existing, f"{name} does not exist (now)")
        self.require(name not in self.physics.held.values(), f"{name} is held by the other hand")
        start, quat = self.physics.pose(name)
        tilt = math.degrees(_tilt(quat))
        self.require(_tilt(quat) < MAX_TILT_RAD, f"{name} lies on its side ({tilt:.0f} deg)")
        base = self.stand(side, start)
        yaw = self.heading(base, side, start)
        ahead = rotate_z(np.array([0.0, 1.0, 0.0]), yaw)
        grip = start + np.array([0, 0, thing.parts.grasp_height]) - ahead * thing.parts.grasp_out
        at = HandPose(grip, yaw, PITCH_RAD, thing.parts.grip + 0.05)
        is_front = self.access[name] == "front"
        before = grip + (np.array([0, -0.24, 0.03]) if is_front else UP * 0.1 - ahead * 0.1)
        self.move(side, replace(at, pos=before), base)
        moved = float(np.linalg.norm(self.physics.pose(name)[0] - start))
        self.require(moved < 0.03, f"{name} moved {moved:.2f} m while the hand came near")
        self.move(side, at, base, least_s=0.3)
        self.move(side, replace(at, opening=thing.parts.grip), base, least_s=0.15)
        self.physics.hold(side, name)
        held = self.hands[side]
        if is_front:
            up = held.pos + UP * 0.03
            self.move(side, replace(held, pos=up), base, least_s=0.2)
            self.move(side, replace(held, pos=up - AWAY * PULL_M), base, least_s=0.45)
        else:
            carry = self.carry_point(side, base)
            top = self.transit_height(name, start, carry)
            rise = max(LIFT_M, top - float(start[2]))
            self.move(side, replace(held, pos=held.pos + UP * rise), base, least_s=0.35)
        self.carry(side, base)

    def place(
        self,
        side: Side,
        on: str,
        at: tuple[float, float] = (0.0, 0.0),
        access: Access | None = None,
    ) -> None:
        """Put the held thing on (or into) a fixture or thing, let go, and withdraw the hand."""
        name = self.physics.held[side]
        self.step_name = f"place({side}, {name}, on {on})"
        self.require(name is not None, f"the {side} hand is empty")
        thing = self.stage.thing(str(name))
        goal, found = self._support(on)
        goal = goal + np.array([at[0], at[1], 0.004])
        way: Access = access or found
        base = self.stand(side, goal)
        pos, quat = self.physics.pose(thing.name)
        turn = wrap_angle(-2.0 * math.atan2(float(quat[3]), float(quat[0])))
        hand = self.hands[side]
        final = HandPose(
            goal + rotate_z(hand.pos - pos, turn), hand.yaw + turn, hand.pitch, hand.opening
        )
        ahead = rotate_z(np.array([0.0, 1.0, 0.0]), final.yaw)
        if way == "front":
            over = final.pos + UP * 0.03
            self.move(side, replace(final, pos=over - AWAY * PULL_M), base)
            self.move(side, replace(final, pos=over), base)
        else:
            rise = self.transit_height(thing.name, pos, goal, landing_on=on) - float(pos[2])
            if rise > 0:
                self.move(side, replace(hand, pos=hand.pos + UP * rise), self.base)
            height = max(rise + float(pos[2]) - float(goal[2]), 0.05)
            self.move(side, replace(final, pos=final.pos + UP * height), base)
        self.move(side, final, base, least_s=0.3)
        self.physics.release(side, thing.name)
        self.access[thing.name] = way
        self.move(side, replace(final, opening=hand.opening + 0.05), base, least_s=0.1)
        if way == "front":
            back = final.pos - AWAY * WITHDRAW_M
        else:
            back = final.pos + UP * 0.12 - ahead * 0.12
        self.move(side, replace(final, pos=back, opening=hand.opening + 0.05), base, least_s=0.35)
        self._check_placed(thing, goal)
        self.home(side)

    def open_door(self, side: Side, name: str) -> None:
        """Pull a closed door open."""
        self.step_name = f"open_door({side}, {name})"
        self.require(self.physics.open_fraction(name) < 0.05, f"{name} is open already")
        fixture = self.stage.fixture(name)
        self._swing(side, fixture, fixture.opening.opened)

    def close_door(self, side: Side, name: str) -> None:
        """Push an open door shut."""
        self.step_name = f"close_door({side}, {name})"
        self.require(self.physics.open_fraction(name) > 0.5, f"{name} is not open")
        self._swing(side, self.stage.fixture(name), 0.0)

    def press(self, side: Side, name: str) -> None:
        """Press the button of a fixture once and take the hand away."""
        self.step_name = f"press({side}, {name})"
        fixture = self.stage.fixture(name)
        self._require_empty(side)
        self.require(fixture.button is not None, f"{name} has no button")
        button = np.asarray(fixture.button, dtype=np.float64)
        before = self.physics.appearance[fixture.cue]
        base = self.stand(side, button)
        yaw = self.heading(base, side, button)
        at = HandPose(button + np.array([0, 0, 0.005]), yaw, math.radians(60), 0.0)
        back = rotate_z(np.array([0.0, -0.16, 0.14]), yaw)
        self.move(side, replace(at, pos=button + back), base)
        self.move(side, at, base, least_s=0.3)
        self.wait(0.2)
        self.move(side, replace(at, pos=button + back), base, least_s=0.3)
        self.require(
            self.physics.appearance[fixture.cue] != before, f"the button of {name} did not switch"
        )
        self.home(side)

    def slice(self, side: Side, name: str) -> None:
        """Cut a thing in two with the held knife: at first contact its halves take its place."""
        self.step_name = f"slice({side}, {name})"
        thing = self.stage.thing(name)
        knife = self.physics.held[side]
        self.require(
            knife is not None and self.stage.thing(knife).parts.is_slicer, "no knife in the hand"
        )
        self.require(bool(thing.halves), f"{name} cannot be sliced")
        self.require(name in self.physics.existing, f"{name} does not exist (now)")
        where = self.physics.pose(name)[0]
        base = self.stand(side, where + np.array([0, -0.15, 0.1]))
        pos, quat = self.physics.pose(str(knife))
        turn = wrap_angle(-2.0 * math.atan2(float(quat[3]), float(quat[0])))
        hand = self.hands[side]
        # The middle of the blade lies 0.1 m before the origin of the knife.
        above = where + np.array([0, -0.1, thing.parts.height + 0.09])
        over = HandPose(
            above + rotate_z(hand.pos - pos, turn), hand.yaw + turn, hand.pitch, hand.opening
        )
        self.move(side, replace(over, pos=over.pos + np.array([0, 0, 0.05])), base)
        deep = replace(over, pos=over.pos - np.array([0, 0, 0.16]))
        is_cut = self.move(
            side, deep, base, least_s=0.8, until=lambda: self._cut(str(knife), thing)
        )
        self.require(is_cut, f"the blade never touched {name}")
        self.move(side, deep, base, least_s=0.3)
        self.move(side, replace(over, pos=over.pos + np.array([0, -0.12, 0.06])), base, least_s=0.4)
        self.carry(side, base)

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
        self._require_empty(side)
        panel = fixture.opening
        hinge, handle = np.array(panel.hinge), np.array(panel.handle)
        start = self.physics.open_fraction(fixture.name) * panel.span
        sign = panel.axis[2]
        middle = (hinge[0] + handle[0]) / 2
        base = BasePose(float(np.clip(0.27 * middle, -0.25, 0.25)), -0.02, 0.0)
        base = replace(base, yaw=TURN_PER_M * base.x)

        def at(angle: float) -> HandPose:
            pos = hinge + rotate_z(handle - hinge, sign * angle)
            return HandPose(pos, sign * angle * 0.4, 0.3, 0.03)

        first = at(start)
        off = shoulder(base, side) - first.pos
        off = off * (0.12 / float(np.linalg.norm(off)))
        self.move(side, replace(first, pos=first.pos + off, opening=0.08), base)
        self.move(side, replace(first, opening=0.08), base, least_s=0.25)
        self.move(side, first, base, least_s=0.15)
        self.physics.hold(side, fixture.name)
        n = max(round(FRAME_RATE_HZ * 0.72 * abs(angle_rad - start) / self.pace), 15)
        for k in range(1, n + 1):
            self.hands[side] = at(start + (angle_rad - start) * smooth_step(k / n))
            self.require_reach(side, self.hands[side], base)
            self.frame(moving=side)
        self.park(side)
        self.physics.release(side, fixture.name)
        last = at(angle_rad)
        off = shoulder(base, side) - last.pos
        off = off * (0.14 / float(np.linalg.norm(off)))
        self.move(side, replace(last, pos=last.pos + off, opening=0.08), base, least_s=0.25)
        self.home(side)

    def _support(self, on: str) -> tuple[Floats, Access]:
        """Where the bottom of a thing put on ``on`` comes to lie, and how it is reached."""
        if on in self.stage.fixtures:
            fixture = self.stage.fixtures[on]
            is_closed = fixture.panel is not None and self.physics.open_fraction(on) < 0.5
            self.require(not is_closed, f"{on} is closed")
            return np.asarray(fixture.origin, dtype=np.float64), fixture.access
        below = self.stage.thing(on)
        self.require(on in self.physics.existing, f"{on} does not exist (now)")
        pos, _ = self.physics.pose(on)
        return pos + np.array([0, 0, below.parts.rest_height]), self.access[on]

    def _check_placed(self, thing: Thing, goal: Floats) -> None:
        pos, quat = self.physics.pose(thing.name)
        miss = float(np.linalg.norm(pos - goal))
        tilt = _tilt(quat)
        self.require(
            miss < MAX_PLACE_ERROR_M and tilt < MAX_TILT_RAD,
            f"{thing.name} ended {miss:.2f} m from where it was put, tilted "
            f"{math.degrees(tilt):.0f} deg",
        )

    def _require_empty(self, side: Side) -> None:
        held = self.physics.held[side]
        self.require(held is None, f"the {side} hand holds {held}")


def _tilt(quat: Floats) -> float:
    """Angle between a body's z axis and the vertical, in rad."""
    return 2.0 * math.asin(min(1.0, math.hypot(float(quat[1]), float(quat[2]))))
