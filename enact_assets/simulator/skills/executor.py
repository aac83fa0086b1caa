"""The robot that carries plans out, and its first two skills: to grasp and to place.

Grasping is a constraint switched on when the hand is at the grasp point, not friction: what is
simulated is where things end up, not whether a gripper would slip. A skill that cannot be carried
out raises :class:`PlanError`. Other skills are functions of the robot in modules of their own.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import ClassVar, Protocol

import numpy as np

from enact_assets.settings.arrays import Floats
from enact_assets.simulator.robot.kinematics import REACH_M, BasePose, HandPose, Side, reach_needed
from enact_assets.simulator.robot.stances import (
    FRONT_LIFT_M,
    LEAST_OVER_M,
    LIFT_M,
    PULL_M,
    grip_pose,
    grip_way,
    landing_way,
    lifted,
    moved,
    wherever,
)
from enact_assets.simulator.rooms.fixtures import Access
from enact_assets.simulator.shapes.rotations import rotate_z
from enact_assets.simulator.simulation.performed import Performed, described
from enact_assets.simulator.skills.clearance import bring, carry, carry_point, transit_height
from enact_assets.simulator.skills.motion import AWAY, UP, Motion, Motions
from enact_assets.simulator.things.kinds import Thing

MAX_PLACE_ERROR_M = 0.05
MAX_TILT_RAD = 0.3
PUT_OVER_M, ROCKS_M, ROCKS_S = 0.004, 0.005, 0.4
"""A thing is let go so far above what it comes to stand on; one that rocks goes down on it, so far
up again, and down, each in so many seconds.
"""


class Step(Protocol):
    """One step of a plan. With a method ``foresee`` too, it is checked before it is simulated."""

    def motions(self, robot: "Executor") -> Motions:
        """The motion that carries the step out."""
        ...


class SkillStep:
    """A step, a dataclass, that is one ``skill`` of the robot: called with it and all fields."""

    skill: ClassVar[Callable[..., Motions]]

    def motions(self, robot: "Executor") -> Motions:
        """The motion that carries the step out."""
        return type(self).skill(robot, *vars(self).values())


class Executor(Motion):
    """A robot that carries out the steps of a plan. ``performed`` are those carried out so far."""

    performed: tuple[Performed, ...] = ()

    def run(self, step: Step, number: str = "") -> None:
        """Carry one step out; ``number`` is named in its errors, e.g. "3 of 20"."""
        verb, objects = described(step, self.physics.held, self.resting)
        begins = self.physics.frame
        self.step_number = number
        self.drive(step.motions(self))
        self.step_number = ""
        done = Performed(verb, objects, begins, self.physics.frame)
        self.performed = (*self.performed, done)

    def grasp(self, side: Side, name: str) -> Motions:
        """Take a thing where it stands, lift it, and bring it before the robot."""
        self.step_name = f"grasp({side}, {name})"
        thing = self.stage.thing(name)
        self.require_empty(side)
        start = self.require_upright(name)
        is_front = self.access[name] == "front"
        base = self.stand(side, start, *grip_way(side, thing.parts, start, self.access[name]))
        at = grip_pose(base, side, thing.parts, start)
        grip, ahead = at.pos, rotate_z(AWAY, at.yaw)
        at = replace(at, opening=at.opening + 0.05)
        before = grip + (np.array([0, -0.24, 0.03]) if is_front else UP * 0.1 - ahead * 0.1)
        yield from self.move(side, replace(at, pos=before), base)
        shift, _ = self.offset(name, start)
        self.require(shift < 0.03, f"{name} moved {shift:.2f} m while the hand came near")
        yield from self.move(side, at, base, least_s=0.3)
        yield from self.move(side, replace(at, opening=thing.parts.grip), base, least_s=0.15)
        self.take(name, side)
        held = self.hands[side]
        if is_front:
            up = lifted(held, FRONT_LIFT_M)
            yield from self.move(side, up, base, least_s=0.2)
            yield from self.move(side, moved(up, -AWAY * PULL_M), base, least_s=0.45)
        else:
            top = transit_height(self, name, start, carry_point(side, base))
            over = self.above(side, base, held, top - float(start[2]), LIFT_M)
            yield from self.move(side, over, base, least_s=0.35)
        yield from carry(self, side, base)

    def place(
        self,
        side: Side,
        on: str,
        at: tuple[float, float] = (0.0, 0.0),
        access: Access | None = None,
        is_rocking: bool = False,  # noqa: FBT001,FBT002 - a field of a step
    ) -> Motions:
        """Put the held thing on (or into) a fixture or thing, let go, and withdraw the hand; one
        that rocks leaves what it stands on once for a moment.
        """
        name = self.physics.held[side]
        self.step_name = f"place({side}, {name}, on {on})"
        self.require(name is not None, f"the {side} hand is empty")
        thing = self.stage.thing(str(name))
        goal, found = self.support(on)
        goal = goal + np.array([at[0], at[1], PUT_OVER_M + self.stage.lift(thing.name, on)])
        way: Access = access or found
        pos, turn = self.physics.pose(thing.name)[0], self.turn_left(thing.name)
        hand = self.hands[side]
        final = HandPose(
            goal + rotate_z(hand.pos - pos, turn), hand.yaw + turn, hand.pitch, hand.opening
        )
        base = self.stand(side, goal, *map(wherever, landing_way(final, way)))
        if way == "front":
            over = lifted(final, FRONT_LIFT_M)
            yield from bring(self, side, base, moved(over, -AWAY * PULL_M))
            yield from self.move(side, over, base)
        else:
            height = transit_height(self, thing.name, pos, goal, landing_on=on)
            over = self.above(side, base, final, height - float(goal[2]), LEAST_OVER_M)
            up = [lifted(hand, height - float(pos[2]))] if height > pos[2] else []
            yield from bring(self, side, base, *up, over)
        yield from self.move(side, final, base, least_s=0.3)
        if is_rocking:
            yield from self.move(side, lifted(final, -ROCKS_M), base, least_s=ROCKS_S)
            yield from self.wait(ROCKS_S)
            yield from self.follow(
                lambda u: {side: lifted(final, ROCKS_M * (2.0 * math.sin(math.pi * u) - 1.0))},
                base,
                ROCKS_S,
            )
            yield from self.wait(ROCKS_S)
        self.physics.release(side, thing.name)
        self.rest(thing.name, on, way)
        yield from self.let_go(side, way)
        self.check_placed(thing, goal)

    def above(
        self, side: Side, base: BasePose, pose: HandPose, high: float, least: float
    ) -> HandPose:
        """``pose`` lifted by ``high`` m, or by ``least`` if it is lower or out of reach."""
        over = lifted(pose, max(high, least))
        return over if reach_needed(base, side, over) <= REACH_M else lifted(pose, least)

    def let_go(self, side: Side, way: Access) -> Motions:
        """Open the fingers and take the hand home, out of the picture of what it left."""
        hand = self.hands[side]
        yield from self.move(
            side, replace(hand, opening=hand.opening + 0.05), self.base, least_s=0.07
        )
        ahead = rotate_z(AWAY, hand.yaw)
        yield from self.home(side, -AWAY * 0.45 if way == "front" else (UP - ahead) * 0.2)

    def support(self, on: str) -> tuple[Floats, Access]:
        """Where the bottom of a thing put on ``on`` comes to lie, and how it is reached.

        Errors: :class:`PlanError` if it is shut or does not exist.
        """
        if on in self.stage.fixtures:
            fixture = self.stage.fixtures[on]
            self.require_open(on)
            return self.physics.fixture_origin(fixture), fixture.access
        below = self.stage.thing(on)
        self.require(on in self.physics.existing, f"{on} does not exist (now)")
        pos, _ = self.physics.pose(on)
        return pos + np.array([0, 0, below.parts.rest_height]), self.access[on]

    def rest(self, name: str, on: str, way: Access) -> None:
        """From here on a thing stands on ``on``; it and what stands on it are reached that way."""
        self.resting[name] = on
        self.access |= dict.fromkeys({name, *riders(self.resting, name)}, way)

    def require_upright(self, name: str) -> Floats:
        """Where a thing stands that is about to be taken; :class:`PlanError` if it cannot be."""
        physics = self.physics
        self.require(name in physics.existing, f"{name} does not exist (now)")
        self.require(name not in physics.held.values(), f"{name} is held by the other hand")
        self.require_open(root_of(self.resting, name))
        start, quat = physics.pose(name)
        tilt = math.degrees(tilt_of(quat))
        self.require(tilt_of(quat) < MAX_TILT_RAD, f"{name} lies on its side ({tilt:.0f} deg)")
        return start

    def require_open(self, name: str) -> None:
        """Raise :class:`PlanError` if ``name`` is a fixture that can be closed and is not open."""
        fixture = self.stage.fixtures.get(name)
        if fixture is not None and fixture.panel is not None:
            self.require(self.physics.open_fraction(name) > 0.5, f"{name} is closed")

    def check_placed(self, thing: Thing, goal: Floats) -> None:
        """Raise :class:`PlanError` unless ``thing`` stands upright at ``goal``."""
        miss, tilt = self.offset(thing.name, goal)
        self.require(
            miss < MAX_PLACE_ERROR_M and tilt < MAX_TILT_RAD,
            f"{thing.name} ended {miss:.2f} m from where it was put, tilted "
            f"{math.degrees(tilt):.0f} deg",
        )

    def offset(self, name: str, place: Floats) -> tuple[float, float]:
        """How far from ``place`` (3,) a thing is, in m, and how much it is tilted, in rad."""
        pos, quat = self.physics.pose(name)
        return float(np.linalg.norm(pos - place)), tilt_of(quat)

    def is_in_place(self, name: str) -> bool:
        """Whether a thing is there and stands upright where it stood at the start, within the
        limits of what was set down; what stood in a drawer may have moved with it.
        """
        place = np.array(self.stage.starts[name])
        fixture = self.stage.fixtures.get(root_of(self.stage.resting, name))
        if fixture is not None:
            at_start = fixture.origin_at_start(is_open=fixture.name in self.stage.opened)
            place = place + self.physics.fixture_origin(fixture) - at_start
        miss, tilt = self.offset(name, place)
        return name in self.physics.existing and miss < MAX_PLACE_ERROR_M and tilt < MAX_TILT_RAD


def root_of(resting: Mapping[str, str], name: str) -> str:
    """What a thing stands on or in after all: of a can in a basket on a table, the table."""
    while name in resting:
        name = resting[name]
    return name


def riders(resting: Mapping[str, str], name: str) -> set[str]:
    """All that stands in or on a thing."""
    found = {name}
    while more := {other for other, on in resting.items() if on in found} - found:
        found |= more
    return found - {name}


def tilt_of(quat: Floats) -> float:
    """Angle between a body's z axis and the vertical, in rad."""
    return 2.0 * math.asin(min(1.0, math.hypot(float(quat[1]), float(quat[2]))))
