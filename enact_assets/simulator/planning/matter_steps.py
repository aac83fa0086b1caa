"""Steps of a plan that handle substances and heat, or dice; see :mod:`planning.basic_steps`.

What is in a vessel when a step begins is not known ahead; what may ever be in it is.
"""

import math
from dataclasses import dataclass

import numpy as np

from enact_assets.settings.arrays import Floats
from enact_assets.simulator.planning.forecast import Forecast
from enact_assets.simulator.robot.kinematics import BasePose, HandPose, Side
from enact_assets.simulator.robot.stances import Goal, wherever
from enact_assets.simulator.skills import applying, cooking, cutting, pouring
from enact_assets.simulator.skills.applying import DIP_RAD, SPREAD_RAD, tilted
from enact_assets.simulator.skills.executor import Executor, SkillStep
from enact_assets.simulator.skills.handling import Hold
from enact_assets.simulator.skills.motion import Motions
from enact_assets.simulator.skills.pouring import Tilting, tilt_direction
from enact_assets.simulator.stage.hollows import Hollow
from enact_assets.simulator.stage.substances import Substance
from enact_assets.simulator.stage.transitions import Diced, Stirred

HALF_TURN_RAD = np.pi / 2
"""A tilt at which most vessels are empty."""


@dataclass(frozen=True)
class Pour(SkillStep):
    """Pour a share of what the held vessel has into a vessel, or onto a thing with a coat."""

    side: Side
    into: str
    share: float = 1.0
    skill = pouring.pour

    def foresee(self, ahead: Forecast) -> None:
        """The hand holds a vessel whose substance may be in or on what is below it, in reach."""
        stage, share = ahead.stage, self.share
        source = ahead.require_held(self.side)
        vessel = source.parts.vessel
        ahead.require(0.0 < share <= 1.0, f"the share to pour is {share}, not between 0 and 1")
        found = [s for s in _substances(ahead) if source.name in s.holders and s.flows]
        ahead.require(vessel is not None and bool(found), f"{source.name} holds nothing that flows")
        place = _place(ahead, self.into)
        fits = [s for s in found if self.into in s.holders or self.into in s.coats]
        ahead.require(
            bool(fits),
            f"none of what {source.name} may hold ({', '.join(s.name for s in found)}) may be in "
            f"or on {self.into}: name it among the holders or coats of the substance",
        )
        if place is None or vessel is None:
            return
        if self.into in stage.vessels:
            place = place + np.array([0.0, 0.0, stage.vessels[self.into].mouth_height])
        hold, at = Hold.foreseen(source, self.side), place

        def tilted_by(theta: float) -> Goal:
            def pose(base: BasePose) -> HandPose:
                direction = tilt_direction(hold, base)
                return Tilting(hold, Hollow.of(vessel), at, direction).hand(theta)

            return Goal(self.side, f"the place to pour into {self.into}", pose)

        _reach(ahead, [tilted_by(0.0), tilted_by(0.5 * HALF_TURN_RAD), tilted_by(HALF_TURN_RAD)])


@dataclass(frozen=True)
class Wipe(SkillStep):
    """Wipe all that lies on a thing off it with the held sponge or cloth."""

    side: Side
    on: str
    skill = applying.wipe

    def foresee(self, ahead: Forecast) -> None:
        """The hand holds a wiper, and a substance may lie on the thing, in reach."""
        tool = ahead.require_tool(self.side, "is_wiper", "sponge or cloth")
        is_coated = any(self.on in s.coats for s in _substances(ahead))
        ahead.require(is_coated, f"no substance ever lies on {self.on}: name it in its coats")
        _reach_places(ahead, Hold.foreseen(tool, self.side), 0.0, self.on)


@dataclass(frozen=True)
class Dip(SkillStep):
    """Dip the held knife or brush into a vessel: it takes up what is in it."""

    side: Side
    vessel: str
    skill = applying.dip

    def foresee(self, ahead: Forecast) -> None:
        """The hand holds an applier that may bear what is in the vessel, in reach."""
        tool = ahead.require_tool(self.side, "is_applier", "tool that takes up substances")
        found = [s for s in _substances(ahead) if self.vessel in s.holders and tool.name in s.coats]
        ahead.require(
            bool(found),
            f"no substance may be in {self.vessel} and lie on {tool.name}: name its holders and "
            "coats",
        )
        _reach_mouth(ahead, Hold.foreseen(tool, self.side), self.vessel)


@dataclass(frozen=True)
class Spread(SkillStep):
    """Spread what the held tool bears on a thing."""

    side: Side
    on: str
    skill = applying.spread

    def foresee(self, ahead: Forecast) -> None:
        """The hand holds an applier that may bear what may lie on the thing, in reach."""
        tool = ahead.require_tool(self.side, "is_applier", "tool that takes up substances")
        found = [s for s in _substances(ahead) if {self.on, tool.name} <= {*s.coats}]
        ahead.require(
            bool(found),
            f"no substance may lie on {tool.name} and on {self.on}: name them in its coats",
        )
        _reach_places(ahead, Hold.foreseen(tool, self.side), SPREAD_RAD, self.on)


@dataclass(frozen=True)
class Stir(SkillStep):
    """Stir in a vessel with the held spoon."""

    side: Side
    vessel: str
    skill = applying.stir

    def foresee(self, ahead: Forecast) -> None:
        """The hand holds a stirrer, and the vessel is in reach; its only recipe is then done."""
        tool = ahead.require_tool(self.side, "is_stirrer", "spoon")
        _reach_mouth(ahead, Hold.foreseen(tool, self.side), self.vessel)
        recipes = [r for r in ahead.stage.matter.recipes if r.when == Stirred(self.vessel)]
        if len(recipes) == 1:
            ahead.carry_out(recipes[0], self.vessel, ahead.access_on(self.vessel), None)


@dataclass(frozen=True)
class Dice(SkillStep):
    """Cut a thing into a pile with the held knife."""

    side: Side
    thing: str
    skill = cutting.dice_thing

    def foresee(self, ahead: Forecast) -> None:
        """The hand holds a knife, and the thing is there, free and in reach."""
        ahead.cut(self.side, Diced(self.thing))


@dataclass(frozen=True)
class AwaitCooked(SkillStep):
    """Stand still until a thing is cooked, at most so long."""

    thing: str
    at_most_s: float = 30.0
    skill = cooking.await_cooked

    def foresee(self, ahead: Forecast) -> None:
        """The thing is there and can be cooked."""
        ahead.require_there(self.thing)
        ahead.require(self.thing in ahead.stage.matter.cookable, f"{self.thing} is not cookable")
        _require_time(ahead, self.at_most_s)


@dataclass(frozen=True)
class Wait:
    """Stand still."""

    seconds: float

    def motions(self, robot: Executor) -> Motions:
        """The motion that carries the step out."""
        robot.step_name = f"wait({self.seconds})"
        return robot.wait(self.seconds)

    def foresee(self, ahead: Forecast) -> None:
        """The time is one that can be waited for."""
        _require_time(ahead, self.seconds)


def _require_time(ahead: Forecast, seconds: float) -> None:
    can_wait = math.isfinite(seconds) and seconds >= 0.0
    ahead.require(can_wait, f"a time of {seconds} s cannot be waited for")


def _substances(ahead: Forecast) -> list[Substance]:
    return list(ahead.stage.matter.substances.values())


def _place(ahead: Forecast, name: str) -> Floats | None:
    """Where a thing or fixture is that something is poured into or put on, if known.

    It must be open, in nothing that is closed, and in no hand.
    """
    if name in ahead.stage.fixtures:
        ahead.require_open(name)
        return ahead.fixture_origin(ahead.stage.fixtures[name])
    ahead.require_free(name)
    return ahead.places.get(name)


def _reach_places(ahead: Forecast, hold: Hold, angle_rad: float, on: str) -> None:
    """The tool must reach every place of a coat."""
    at = _place(ahead, on)
    if at is None:
        return
    start = np.zeros(3) if on in ahead.stage.fixtures else at
    turn, tip = tilted(hold, angle_rad), np.array(hold.thing.parts.tip)
    if hold.thing.parts.is_wiper:
        tip = np.zeros(3)
    places = [start + np.array(p) for p in ahead.stage.coats[on].patches]
    poses = [hold.hand(turn, tip, place) for place in places]
    _reach(ahead, [Goal(hold.side, on, wherever(pose)) for pose in poses])


def _reach_mouth(ahead: Forecast, hold: Hold, vessel: str) -> None:
    """The tip of the tool must reach the mouth of a vessel."""
    stage, at = ahead.stage, _place(ahead, vessel)
    hollow = stage.vessels.get(vessel)
    parts = stage.things[vessel].parts if vessel in stage.things else None
    ahead.require(
        hollow is not None or (parts is not None and parts.cavity is not None),
        f"{vessel} has no hollow",
    )
    if at is None:
        return
    height = hollow.mouth_height if hollow is not None else parts.height if parts else 0.0
    mouth = at + np.array([0.0, 0.0, height])
    pose = hold.hand(tilted(hold, DIP_RAD), np.array(hold.thing.parts.tip), mouth)
    _reach(ahead, [Goal(hold.side, f"the mouth of {vessel}", wherever(pose))])
    ahead.arm = (hold.side, pose.pos)


def _reach(ahead: Forecast, goals: list[Goal]) -> None:
    """A hand must reach all goals from one place."""
    if ahead.goals is not None:
        ahead.goals.extend(goals)
        return
    ahead.reach_from_one(
        goals,
        f"{goals[0].what} is out of reach of the {goals[0].side} hand; use the other hand or move "
        "it nearer",
    )
