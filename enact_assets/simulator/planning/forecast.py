"""What is known ahead of a step without simulating it: what each hand holds, what is open, where
things stand. Steps say what they need and what they do; needs that are not met raise
:class:`PlanError`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

import numpy as np

from enact_assets.engine.errors import PlanError
from enact_assets.settings.arrays import Floats
from enact_assets.simulator.robot.kinematics import SIDES, BasePose, HandPose, Side
from enact_assets.simulator.robot.stances import (
    LEAST_OVER_M,
    PITCH_RAD,
    Goal,
    common_stance,
    grip_pose,
    grip_way,
    landing_way,
    lifted,
    moved,
    standing_place,
    wherever,
)
from enact_assets.simulator.rooms.fixtures import Access, Fixture
from enact_assets.simulator.skills.executor import Executor, riders, root_of
from enact_assets.simulator.stage.stage import Stage
from enact_assets.simulator.stage.transitions import Cut, Diced, Recipe
from enact_assets.simulator.things.kinds import Thing

Grip = Callable[[BasePose], HandPose]
"""The pose of a hand about the place of the upright thing it holds, from where the base stands."""


@dataclass
class Forecast:
    """What will hold before a step of a plan, as far as it can be known.

    ``places`` (3,) are missing for things whose place is not known. While ``goals`` is a list, what
    must be reached is kept there and not checked.
    """

    stage: Stage
    places: dict[str, Floats]
    resting: dict[str, str]
    access: dict[str, Access]
    existing: set[str]
    held: dict[Side, str | None] = field(default_factory=lambda: dict.fromkeys(SIDES))
    opened: set[str] = field(default_factory=set)
    goals: list[Goal] | None = None
    stance: BasePose | None = None
    """Where the base stands since the last step, if that is known."""
    arm: tuple[Side, Floats] | None = None
    """The hand that has just led a panel or dipped a tool, and where (3,): its arm still hides."""
    grips: dict[Side, Grip] = field(default_factory=dict)
    """How each hand holds what it took from a known place."""

    @classmethod
    def at_start(cls, stage: Stage) -> "Forecast":
        """Before the first step."""
        return cls(
            stage,
            {name: np.array(pos) for name, pos in stage.starts.items()},
            dict(stage.resting),
            dict(stage.access),
            set(stage.starts),
            opened=set(stage.opened),
        )

    @classmethod
    def now(cls, robot: Executor) -> "Forecast":
        """In a running simulation."""
        physics, stage = robot.physics, robot.stage
        existing = {name for name in stage.things if name in physics.existing}
        panels = [f.name for f in stage.fixtures.values() if f.panel]
        return cls(
            stage,
            {name: physics.pose(name)[0] for name in existing},
            dict(robot.resting),
            dict(robot.access),
            existing,
            dict(physics.held),
            {name for name in panels if physics.open_fraction(name) > 0.5},
        )

    def require(self, condition: bool, problem: str) -> None:  # noqa: FBT001 - an assertion
        """Raise :class:`PlanError` unless ``condition`` holds."""
        if not condition:
            raise PlanError(problem)

    def require_empty(self, side: Side) -> None:
        """The hand must hold nothing."""
        held = self.held[side]
        self.require(held is None, f"the {side} hand holds {held}; place it first")

    def require_held(self, side: Side) -> Thing:
        """The thing the hand must hold."""
        name = self.held[side]
        self.require(name is not None, f"the {side} hand is empty; grasp something first")
        return self.stage.thing(str(name))

    def require_tool(self, side: Side, flag: str, what: str) -> Thing:
        """The thing with the flag ``flag`` of its parts that the hand must hold, e.g. a knife."""
        name = self.held[side]
        thing = None if name is None else self.stage.thing(name)
        self.require(
            thing is not None and bool(getattr(thing.parts, flag)),
            f"the {side} hand holds {name or 'nothing'}, not a {what}; grasp one first",
        )
        return self.require_held(side)

    def require_there(self, name: str) -> Thing:
        """The thing called ``name``, which must exist.

        What only physics brings about (a recipe of heat or of a machine) is taken for granted.
        """
        thing = self.stage.thing(name)
        if name not in self.existing:
            recipes = [r for r in self.stage.matter.recipes if name in r.products]
            self.require(bool(recipes), f"{name} does not exist any more")
            when = recipes[0].when
            self.require(
                not isinstance(when, Cut | Diced),
                f"{name} does not exist before {' and '.join(recipes[0].parents)} is cut",
            )
            self.existing.add(name)
        return thing

    def require_free(self, name: str) -> Thing:
        """The thing called ``name``, which must be in no hand and behind no door."""
        thing = self.require_there(name)
        self.require(name not in self.held.values(), f"{name} is in a hand; place it first")
        self.require_open(root_of(self.resting, name))
        return thing

    def require_open(self, fixture: str) -> None:
        """A fixture that can be closed must be open."""
        found = self.stage.fixtures.get(fixture)
        is_shut = found is not None and found.panel is not None and fixture not in self.opened
        self.require(not is_shut, f"{fixture} is closed; open it first")

    def reach(self, *goals: Goal, base: BasePose | None = None) -> None:
        """A hand must reach ``goals`` in turn, from ``base`` or wherever it will."""
        self.arm = None
        if self.goals is not None:
            self.goals.extend(goals)
            return
        for goal in goals:
            pos = goal.at if goal.at is not None else goal.pose(BasePose(0.0, 0.0, 0.0)).pos
            stance = self.stance = base or standing_place(goal.side, pos, goal.pose)
            self.require(
                goal.excess(stance) <= 0,
                f"{goal.what} ({', '.join(f'{v:.2f}' for v in pos)}) is {goal.excess(stance):.2f} "
                f"m out of reach of the {goal.side} hand; use the other hand or move it nearer",
            )

    def reach_thing(self, side: Side, name: str) -> None:
        """A hand must be able to hold and lift a thing where it stands, if that is known."""
        self.grips.pop(side, None)
        if name not in self.places:
            return
        pos = self.places[name]
        way = grip_way(side, self.stage.thing(name).parts, pos, self.access[name])
        stance = self.reach_way(side, name, pos, *way)

        self.grips[side] = lambda base: moved(way[0](stance or base), -pos)

    def reach_place(self, side: Side, on: str, pos: Floats, access: Access) -> None:
        """A hand must be able to set down what it holds at ``pos`` (3,), turned as it was taken."""
        parts = self.require_held(side).parts
        grip = self.grips.pop(side, None) or (
            lambda base: moved(grip_pose(base, side, parts, pos), -pos)
        )
        way = [lambda base, k=k: landing_way(moved(grip(base), pos), access)[k] for k in (1, 0)]
        # Where both hands reach all is chosen for a hand that turns to the place.
        turned = [lambda base: lifted(grip_pose(base, side, parts, pos), LEAST_OVER_M)]
        self.reach_way(side, on, pos, *(turned if self.goals is not None else []), *way)

    def reach_way(
        self, side: Side, what: str, pos: Floats, *poses: Callable[[BasePose], HandPose]
    ) -> BasePose | None:
        """A hand must reach all ``poses`` from one place, which is returned if it is known now."""
        goals = [Goal(side, what, pose, pos, is_via=k > 0) for k, pose in enumerate(poses)]
        if self.goals is not None:
            self.goals.extend(goals)
            return None
        stance = standing_place(side, pos, *poses)
        self.reach(*goals, base=stance)
        return stance

    def reach_both(self, what: str, goals: list[Goal]) -> None:
        """Both hands must reach ``goals`` from one place."""
        self.require(self.goals is None, "both hands are busy already")
        self.reach_from_one(goals, f"{what} is out of reach of two hands at once")

    def reach_from_one(self, goals: Sequence[Goal], problem: str) -> BasePose:
        """All ``goals`` must be in reach from one place, which is returned."""
        self.arm, self.stance = None, common_stance(goals)
        self.require(self.stance is not None, problem)
        return self.stance or BasePose(0.0, 0.0, 0.0)

    def support(self, on: str) -> Floats | None:
        """Where things put on ``on`` come to stand, which must be open and exist.

        None if it is not known.
        """
        self.require(
            on in self.stage.fixtures or on in self.stage.things,
            f"nothing is called {on!r} (known: "
            f"{', '.join(sorted([*self.stage.fixtures, *self.stage.things]))})",
        )
        self.require_open(on)
        if on in self.stage.fixtures:
            return self.fixture_origin(self.stage.fixtures[on])
        below = self.require_there(on)
        self.require(on not in self.held.values(), f"{on} is in a hand; place it first")
        self.require_open(root_of(self.resting, on))
        place = self.places.get(on)
        return None if place is None else place + np.array([0, 0, below.parts.rest_height])

    def require_room(self, thing: Thing, on: str) -> None:
        """What closes over a thing, a drawer's unit or a lid, must be high enough for it."""
        fixture = self.stage.fixtures.get(on)
        if fixture is None or fixture.cavity is None or fixture.panel is None:
            return
        if fixture.is_drawer or fixture.panel.is_lid:
            room = fixture.cavity[1][2] - fixture.origin[2]
            self.require(
                thing.parts.height <= room,
                f"{thing.name} is {thing.parts.height:.2f} m high, {on} only {room:.2f} m",
            )

    def fixture_origin(self, fixture: Fixture) -> Floats:
        """Where things on a fixture stand: that of a drawer moves with it."""
        origin = np.asarray(fixture.origin, dtype=np.float64)
        if fixture.is_drawer and fixture.name in self.opened:
            origin = origin + fixture.opening.opened * np.asarray(fixture.opening.axis)
        return origin

    def take(self, name: str, *sides: Side) -> None:
        """From here on these hands hold a thing."""
        for side in sides:
            self.held[side] = name
        self.resting.pop(name, None)

    def put(self, name: str, on: str, pos: Floats | None, access: Access | None = None) -> None:
        """From here on no hand holds a thing and it stands on ``on``, at ``pos`` if known."""
        for side in SIDES:
            if self.held[side] == name:
                self.held[side] = None
        self._shift(name, pos)
        self.resting[name] = on
        way = access or self.access_on(on)
        self.access |= dict.fromkeys({name, *riders(self.resting, name)}, way)

    def access_on(self, on: str) -> Access:
        """How things on or in a fixture or thing are reached."""
        return self.stage.fixtures[on].access if on in self.stage.fixtures else self.access[on]

    def set_open(self, fixture: Fixture, *, is_open: bool) -> None:
        """From here on a panel is open or closed; what stands in a drawer moves with it."""
        if fixture.is_drawer:
            way = fixture.opening.opened * np.asarray(fixture.opening.axis)
            for name in list(self.places):
                if self.resting.get(name) == fixture.name:
                    self._shift(name, self.places[name] + (way if is_open else -way))
        (self.opened.add if is_open else self.opened.discard)(fixture.name)

    def cut(self, side: Side, when: Cut | Diced) -> None:
        """A hand must hold a knife and reach a thing that is free. From here on the thing is
        replaced by what its recipe for slicing (or dicing) makes of it, of which there must be one.
        """
        self.require_tool(side, "is_slicer", "knife")
        name, thing = when.thing, self.require_free(when.thing)
        if name in self.places:
            above = self.places[name] + np.array([0.0, -0.2, thing.parts.height + 0.1])
            pose = HandPose(above, 0.0, PITCH_RAD, 0.0)
            self.reach(Goal(side, name, wherever(pose)))
        found = [r for r in self.stage.matter.recipes if r.when == when]
        deed = "sliced" if isinstance(when, Cut) else "diced"
        self.require(bool(found), f"{name} cannot be {deed}")
        on, place = self.resting.get(name), self.places.get(name)
        self.carry_out(found[0], on, self.access[name], place)

    def carry_out(
        self, recipe: Recipe, on: str | None, access: Access, place: Floats | None
    ) -> None:
        """From here on parents are gone and products lie on (or in) ``on``, at ``place``, if known.

        What stood on a parent stands on ``on``.
        """
        for name in recipe.parents:
            self.existing.discard(name)
            self.places.pop(name, None)
            self.resting.pop(name, None)
            self.access.pop(name, None)
            for other in [other for other, below in self.resting.items() if below == name]:
                self._rest(other, on)
        for name in recipe.products:
            if name in self.stage.things:
                self.existing.add(name)
                self.access[name] = access
                self._rest(name, on)
                if place is not None:
                    self.places[name] = place

    def _rest(self, name: str, on: str | None) -> None:
        self.resting.pop(name, None)
        if on is not None:
            self.resting[name] = on

    def _shift(self, name: str, pos: Floats | None) -> None:
        """Move a thing and what stands on it to ``pos``."""
        before = self.places.pop(name, None)
        if pos is not None:
            self.places[name] = pos
        for other in [other for other, below in self.resting.items() if below == name]:
            place = self.places.get(other)
            if place is not None:
                way = None if before is None or pos is None else pos - before
                self._shift(other, None if way is None else place + way)


@runtime_checkable
class Foreseen(Protocol):
    """A step that can be checked before it is simulated."""

    def foresee(self, ahead: Forecast) -> None:
        """Check what the step needs, then note what it does; raises :class:`PlanError`."""
        ...


def foresee(ahead: Forecast, step: object, where: str) -> None:
    """Let a step happen in a forecast.

    A step without ``foresee`` is passed over: what it does remains unknown to the forecast, which
    may then refuse a later step, or let one pass, wrongly. Errors: :class:`PlanError` naming
    ``where`` and the step if it cannot be done; the forecast is then to be given up, as it may have
    noted a part of the step.
    """
    if isinstance(step, Foreseen):
        try:
            step.foresee(ahead)
        except PlanError as error:
            raise PlanError(f"{where}, {step}: {error}") from error
