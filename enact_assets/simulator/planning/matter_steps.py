"""Steps of a plan that handle substances and heat, or dice; see :mod:`planning.basic_steps`."""

import math
from dataclasses import dataclass

from enact_assets.simulator.planning import matter_forecast
from enact_assets.simulator.planning.forecast import Forecast
from enact_assets.simulator.robot.kinematics import Side
from enact_assets.simulator.skills import applying, cooking, cutting, pouring
from enact_assets.simulator.skills.executor import Executor
from enact_assets.simulator.skills.motion import Motions
from enact_assets.simulator.stage.transitions import Diced


@dataclass(frozen=True)
class Pour:
    """Pour a share of what the held vessel has into a vessel, or onto a thing with a coat."""

    side: Side
    into: str
    share: float = 1.0

    def motions(self, robot: Executor) -> Motions:
        """The motion that carries the step out."""
        return pouring.pour(robot, self.side, self.into, self.share)

    def foresee(self, ahead: Forecast) -> None:
        """The hand holds a vessel whose substance may be in or on what is below it, in reach."""
        matter_forecast.pour(ahead, self.side, self.into, self.share)


@dataclass(frozen=True)
class Wipe:
    """Wipe a substance off a thing with the held sponge or cloth."""

    side: Side
    on: str
    substance: str

    def motions(self, robot: Executor) -> Motions:
        """The motion that carries the step out."""
        return applying.wipe(robot, self.side, self.on, self.substance)

    def foresee(self, ahead: Forecast) -> None:
        """The hand holds a wiper, and the substance may lie on the thing, in reach."""
        matter_forecast.wipe(ahead, self.side, self.on, self.substance)


@dataclass(frozen=True)
class Dip:
    """Dip the held knife or brush into a vessel: it takes up what is in it."""

    side: Side
    vessel: str

    def motions(self, robot: Executor) -> Motions:
        """The motion that carries the step out."""
        return applying.dip(robot, self.side, self.vessel)

    def foresee(self, ahead: Forecast) -> None:
        """The hand holds an applier that may bear what is in the vessel, in reach."""
        matter_forecast.dip(ahead, self.side, self.vessel)


@dataclass(frozen=True)
class Spread:
    """Spread what the held tool bears on a thing."""

    side: Side
    on: str

    def motions(self, robot: Executor) -> Motions:
        """The motion that carries the step out."""
        return applying.spread(robot, self.side, self.on)

    def foresee(self, ahead: Forecast) -> None:
        """The hand holds an applier that may bear what may lie on the thing, in reach."""
        matter_forecast.spread(ahead, self.side, self.on)


@dataclass(frozen=True)
class Stir:
    """Stir in a vessel with the held spoon."""

    side: Side
    vessel: str

    def motions(self, robot: Executor) -> Motions:
        """The motion that carries the step out."""
        return applying.stir(robot, self.side, self.vessel)

    def foresee(self, ahead: Forecast) -> None:
        """The hand holds a stirrer, and the vessel is there and in reach."""
        matter_forecast.stir(ahead, self.side, self.vessel)


@dataclass(frozen=True)
class Dice:
    """Cut a thing into a pile with the held knife."""

    side: Side
    thing: str

    def motions(self, robot: Executor) -> Motions:
        """The motion that carries the step out."""
        return cutting.dice_thing(robot, self.side, self.thing)

    def foresee(self, ahead: Forecast) -> None:
        """The hand holds a knife, and the thing is there, free and in reach."""
        matter_forecast.cut(ahead, self.side, Diced(self.thing))


@dataclass(frozen=True)
class AwaitCooked:
    """Stand still until a thing is cooked, at most so long."""

    thing: str
    at_most_s: float = 30.0

    def motions(self, robot: Executor) -> Motions:
        """The motion that carries the step out."""
        return cooking.await_cooked(robot, self.thing, self.at_most_s)

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
