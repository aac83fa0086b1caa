"""Plans: sequences of skill calls as data, and groups of them whose order a seed may change.

A step says what it needs and does (``foresee``, see :mod:`planning.forecast`) and has a motion.
"""

from dataclasses import dataclass
from itertools import zip_longest

import numpy as np

from enact_assets.engine.errors import PlanError
from enact_assets.simulator.planning.forecast import Forecast, foresee
from enact_assets.simulator.robot.kinematics import SIDES, BasePose, Side
from enact_assets.simulator.robot.stances import Goal, wide_grip
from enact_assets.simulator.rooms.fixtures import Access
from enact_assets.simulator.skills import both_hands, cutting, opening, touching
from enact_assets.simulator.skills.executor import Executor, SkillStep, Step
from enact_assets.simulator.skills.motion import Motions
from enact_assets.simulator.stage.transitions import Cut

Task = tuple[Step, ...]
"""Steps that belong together, in this order."""


@dataclass(frozen=True)
class Grasp(SkillStep):
    """Take a thing with one hand."""

    side: Side
    thing: str
    skill = Executor.grasp

    def foresee(self, ahead: Forecast) -> None:
        """The hand is empty, and the thing is there, free and in reach."""
        ahead.require_empty(self.side)
        ahead.require_free(self.thing)
        ahead.reach_thing(self.side, self.thing)
        ahead.take(self.thing, self.side)


@dataclass(frozen=True)
class Place(SkillStep):
    """Put what one hand holds on or into something."""

    side: Side
    on: str
    at: tuple[float, float] = (0.0, 0.0)
    access: Access | None = None
    is_rocking: bool = False
    skill = Executor.place

    def foresee(self, ahead: Forecast) -> None:
        """The hand holds something, and the place is open and in reach."""
        thing = ahead.require_held(self.side)
        is_wide = all(held == thing.name for held in ahead.held.values())
        ahead.require(not is_wide, f"both hands hold {thing.name}; use PlaceBoth")
        ahead.require_room(thing, self.on)
        support = ahead.support(self.on)
        pos = None
        if support is not None:
            pos = support + np.array([*self.at, ahead.stage.lift(thing.name, self.on)])
            way = self.access or ahead.access_on(self.on)
            ahead.reach_place(self.side, f"the place on {self.on}", pos, way)
        ahead.put(thing.name, self.on, pos, self.access)


@dataclass(frozen=True)
class Open(SkillStep):
    """Open the door, lid or drawer of a fixture."""

    side: Side
    fixture: str
    skill = opening.open_panel

    def foresee(self, ahead: Forecast) -> None:
        """The hand is empty, and the panel is closed and in reach on all its way."""
        ahead.require(self.fixture not in ahead.opened, f"{self.fixture} is open already")
        _foresee_panel(ahead, self.side, self.fixture, is_open=True)
        ahead.set_open(ahead.stage.fixture(self.fixture), is_open=True)


@dataclass(frozen=True)
class Close(SkillStep):
    """Close the door, lid or drawer of a fixture."""

    side: Side
    fixture: str
    is_springy: bool = False
    skill = opening.close_panel

    def foresee(self, ahead: Forecast) -> None:
        """The hand is empty, and the panel is open and in reach on all its way."""
        fixture = ahead.stage.fixture(self.fixture)
        is_open = self.fixture in ahead.opened
        ahead.require(is_open or fixture.panel is None, f"{self.fixture} is closed already")
        _foresee_panel(ahead, self.side, self.fixture, is_open=False)
        ahead.set_open(fixture, is_open=False)


def _foresee_panel(ahead: Forecast, side: Side, name: str, *, is_open: bool) -> None:
    fixture = ahead.stage.fixture(name)
    goals = opening.panel_goals(fixture, side)
    ahead.require_empty(side)
    if ahead.goals is None:
        base = opening.panel_stance(fixture, side)
        ahead.require(base is not None, f"the handle of {name} goes out of reach")
        ahead.reach(*goals, base=base)
        at = goals[-1 if is_open else 0].pose(ahead.stance or BasePose(0.0, 0.0, 0.0))
        ahead.arm = (side, at.pos)
    else:
        ahead.reach(*goals)


@dataclass(frozen=True)
class Press(SkillStep):
    """Press the button of a fixture."""

    side: Side
    fixture: str
    skill = opening.press

    def foresee(self, ahead: Forecast) -> None:
        """The hand is empty, and there is a button in reach."""
        button = ahead.stage.fixture(self.fixture).button
        ahead.require_empty(self.side)
        ahead.require(button is not None, f"{self.fixture} has no button")
        at = np.array(button)
        what = f"the button of {self.fixture}"
        ahead.reach(Goal(self.side, what, lambda base: opening.press_pose(base, self.side, at), at))


@dataclass(frozen=True)
class Slice(SkillStep):
    """Cut a thing with the knife in one hand."""

    side: Side
    thing: str
    skill = cutting.slice_thing

    def foresee(self, ahead: Forecast) -> None:
        """The hand holds a knife, and the thing is there, free and in reach."""
        ahead.cut(self.side, Cut(self.thing))


@dataclass(frozen=True)
class Touch(SkillStep):
    """Hold what one hand has against something near for a while."""

    side: Side
    skill = touching.touch

    def foresee(self, ahead: Forecast) -> None:
        """The hand holds something."""
        ahead.require_held(self.side)


@dataclass(frozen=True)
class GraspBoth(SkillStep):
    """Take a wide thing with both hands."""

    thing: str
    skill = both_hands.grasp_both

    def foresee(self, ahead: Forecast) -> None:
        """Both hands are empty, and the thing is there, free, wide and in reach of both."""
        for side in SIDES:
            ahead.require_empty(side)
        thing = ahead.require_free(self.thing)
        ahead.require(thing.parts.grasp_wide is not None, f"{self.thing} is not made for two hands")
        if self.thing in ahead.places:
            at = wide_grip(thing.parts, ahead.places[self.thing], 0.0)
            ahead.reach_both(self.thing, both_hands.wide_goals(self.thing, at))
        ahead.take(self.thing, *SIDES)


@dataclass(frozen=True)
class PlaceBoth(SkillStep):
    """Put what both hands hold on or into something."""

    on: str
    at: tuple[float, float] = (0.0, 0.0)
    skill = both_hands.place_both

    def foresee(self, ahead: Forecast) -> None:
        """Both hands hold the same thing, and the place is open and in reach of both."""
        thing = ahead.require_held("left")
        ahead.require(
            ahead.held["right"] == thing.name,
            f"the right hand does not hold {thing.name} too; use Place, or GraspBoth before",
        )
        ahead.require_room(thing, self.on)
        support = ahead.support(self.on)
        pos = None if support is None else support + np.array([*self.at, 0.0])
        if pos is not None:
            goals = both_hands.wide_goals(self.on, wide_grip(thing.parts, pos, 0.0))
            ahead.reach_both(f"the place on {self.on}", goals)
        ahead.put(thing.name, self.on, pos)


@dataclass(frozen=True)
class Together:
    """Each hand carries out a task in the same frames; the base stands still."""

    left: Task
    right: Task

    def motions(self, robot: Executor) -> Motions:
        """The motion that carries the step out."""
        robot.step_name = "together"
        try:
            stance = self._stance(Forecast.now(robot))
        except PlanError as error:
            robot.require(False, str(error))  # noqa: FBT003 - names the frame and the step
        return both_hands.together(robot, {"left": self.left, "right": self.right}, stance)

    def foresee(self, ahead: Forecast) -> None:
        """Each task can be done by its hand, and there is a place to stand for both."""
        self._stance(ahead)

    def _stance(self, ahead: Forecast) -> BasePose:
        for side, task in (("left", self.left), ("right", self.right)):
            ahead.require(bool(task), f"the {side} hand has nothing to do")
            for step in task:
                is_wide = isinstance(step, GraspBoth | PlaceBoth | Together)
                is_own = getattr(step, "side", side) == side and not is_wide
                ahead.require(is_own, f"{step} is not a step of the {side} hand")
        goals: list[Goal] = []
        ahead.goals = goals
        for number, pair in enumerate(zip_longest(self.left, self.right), 1):
            for side, step in zip(SIDES, pair, strict=True):
                if step is not None:
                    foresee(ahead, step, f"step {number} of the {side} hand")
        ahead.goals = None
        return ahead.reach_from_one(goals, "there is no place to stand from where both hands reach")


def move(side: Side, thing: str, on: str, at: tuple[float, float] = (0.0, 0.0),
         access: Access | None = None) -> Task:  # fmt: skip
    """Take a thing and put it somewhere else with the same hand."""
    return (Grasp(side, thing), Place(side, on, at, access))


def move_wide(thing: str, on: str, at: tuple[float, float] = (0.0, 0.0)) -> Task:
    """Take a wide thing and put it somewhere else with both hands."""
    return (GraspBoth(thing), PlaceBoth(on, at))
