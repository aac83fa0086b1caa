"""What steps with substances need and do, as far as it is known without simulating them.

What is in a vessel when a step begins is not known ahead; what may ever be in it is.
"""

import numpy as np

from enact_assets.settings.arrays import Floats
from enact_assets.simulator.planning.forecast import Forecast
from enact_assets.simulator.robot.kinematics import BasePose, HandPose, Side
from enact_assets.simulator.robot.stances import PITCH_RAD, Goal, common_stance
from enact_assets.simulator.skills.applying import DIP_RAD, SPREAD_RAD, tilted
from enact_assets.simulator.skills.handling import Hold, wherever
from enact_assets.simulator.skills.pouring import Tilting, tilt_direction
from enact_assets.simulator.stage.hollows import Hollow
from enact_assets.simulator.stage.substances import Substance
from enact_assets.simulator.stage.transitions import Cut, Diced, Stirred

HALF_TURN_RAD = np.pi / 2
"""A tilt at which most vessels are empty."""


def pour(ahead: Forecast, side: Side, into: str, share: float) -> None:
    """Check what :class:`planning.matter_steps.Pour` needs."""
    stage = ahead.stage
    source = ahead.require_held(side)
    vessel = source.parts.vessel
    ahead.require(0.0 < share <= 1.0, f"the share to pour is {share}, not between 0 and 1")
    found = [s for s in _substances(ahead) if source.name in s.holders and s.flows]
    ahead.require(vessel is not None and bool(found), f"{source.name} holds nothing that flows")
    place = _place(ahead, into)
    fits = [s for s in found if into in s.holders or into in s.coats]
    ahead.require(
        bool(fits),
        f"none of what {source.name} may hold ({', '.join(s.name for s in found)}) may be in or on "
        f"{into}: name it among the holders or coats of the substance",
    )
    if place is None or vessel is None:
        return
    if into in stage.vessels:
        place = place + np.array([0.0, 0.0, stage.vessels[into].mouth_height])
    hold, at = Hold.foreseen(source, side), place

    def tilted_by(theta: float) -> Goal:
        def pose(base: BasePose) -> HandPose:
            direction = tilt_direction(hold, base)
            return Tilting(hold, Hollow.of(vessel), at, direction).hand(theta)

        return Goal(side, f"the place to pour into {into}", pose)

    _reach(ahead, [tilted_by(0.0), tilted_by(0.5 * HALF_TURN_RAD), tilted_by(HALF_TURN_RAD)])


def wipe(ahead: Forecast, side: Side, on: str, substance: str) -> None:
    """Check what :class:`planning.matter_steps.Wipe` needs."""
    tool = ahead.require_tool(side, "is_wiper", "sponge or cloth")
    known = ahead.stage.matter.substances
    ahead.require(substance in known, f"no substance is called {substance}")
    ahead.require(on in known[substance].coats, f"{substance} never lies on {on}")
    _reach_places(ahead, Hold.foreseen(tool, side), 0.0, on)


def dip(ahead: Forecast, side: Side, vessel: str) -> None:
    """Check what :class:`planning.matter_steps.Dip` needs."""
    tool = ahead.require_tool(side, "is_applier", "tool that takes up substances")
    found = [s for s in _substances(ahead) if vessel in s.holders and tool.name in s.coats]
    ahead.require(
        bool(found),
        f"no substance may be in {vessel} and lie on {tool.name}: name its holders and coats",
    )
    _reach_mouth(ahead, Hold.foreseen(tool, side), vessel)


def spread(ahead: Forecast, side: Side, on: str) -> None:
    """Check what :class:`planning.matter_steps.Spread` needs."""
    tool = ahead.require_tool(side, "is_applier", "tool that takes up substances")
    found = [s for s in _substances(ahead) if on in s.coats and tool.name in s.coats]
    ahead.require(
        bool(found), f"no substance may lie on {tool.name} and on {on}: name them in its coats"
    )
    _reach_places(ahead, Hold.foreseen(tool, side), SPREAD_RAD, on)


def stir(ahead: Forecast, side: Side, vessel: str) -> None:
    """Check what :class:`planning.matter_steps.Stir` needs; its only recipe is then done."""
    tool = ahead.require_tool(side, "is_stirrer", "spoon")
    _reach_mouth(ahead, Hold.foreseen(tool, side), vessel)
    recipes = [r for r in ahead.stage.matter.recipes if r.when == Stirred(vessel)]
    if len(recipes) == 1:
        ahead.carry_out(recipes[0], vessel, ahead.access_on(vessel), None)


def cut(ahead: Forecast, side: Side, when: Cut | Diced) -> None:
    """Check what :class:`planning.basic_steps.Slice` (or Dice) needs; the thing is then cut."""
    ahead.require_tool(side, "is_slicer", "knife")
    thing = ahead.require_free(when.thing)
    if when.thing in ahead.places:
        above = ahead.places[when.thing] + np.array([0.0, -0.2, thing.parts.height + 0.1])
        pose = HandPose(above, 0.0, PITCH_RAD, 0.0)
        ahead.reach(Goal(side, when.thing, wherever(pose)))
    ahead.cut(when)


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


def _reach(ahead: Forecast, goals: list[Goal]) -> None:
    """A hand must reach all goals from one place."""
    if ahead.goals is not None:
        ahead.goals.extend(goals)
        return
    ahead.require(
        common_stance(goals) is not None,
        f"{goals[0].what} is out of reach of the {goals[0].side} hand; use the other hand or move "
        "it nearer",
    )
