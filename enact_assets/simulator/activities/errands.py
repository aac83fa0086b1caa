"""Errands: things carried one way or the other by the seed, whenever the schedule has them.

They depend on nothing else. So neither the words of a change nor the place of such a thing tells
when in the plan a key frame lies.
"""

from dataclasses import dataclass

import numpy as np

from enact_assets.simulator.activities.base import Mirror, draw_some
from enact_assets.simulator.planning.basic_steps import Grasp, Place
from enact_assets.simulator.planning.job_orders import Job
from enact_assets.simulator.robot.kinematics import Side
from enact_assets.simulator.rooms.fixtures import Access
from enact_assets.simulator.shapes.surfaces import Color
from enact_assets.simulator.simulation.recording import GoalFact
from enact_assets.simulator.stage.stage_builder import StageBuilder

OFF_M = 0.008
"""Things stand at most so far off their spots."""


@dataclass(frozen=True)
class Spot:
    """A place as designed: metres right and away of the middle of fixture ``on``."""

    on: str
    x: float
    y: float
    access: Access | None = None


def errand(
    rng: np.random.Generator,
    mirror: Mirror,
    stage: StageBuilder,
    side: Side,
    thing: tuple[str, Color],
    *,
    between: tuple[Spot, Spot],
) -> tuple[Job, GoalFact]:
    """As :func:`carry`, from one of two spots to the other, drawn."""
    start, end = draw_some(rng, between)
    return carry(rng, mirror, stage, side, thing, start=start, end=end)


def carry(
    rng: np.random.Generator,
    mirror: Mirror,
    stage: StageBuilder,
    side: Side,
    thing: tuple[str, Color],
    *,
    start: Spot,
    end: Spot,
) -> tuple[Job, GoalFact]:
    """Put ``thing`` (kind, colour) on ``start``; a job carries it to ``end``.

    ``side`` is the hand as the world has it. Returns the job, and the fact that holds after it.
    """
    name, color = thing
    at = mirror.near(rng, start.x, start.y, OFF_M)
    stage.put(name, name, color, start.on, at, access=start.access)
    to = mirror.near(rng, end.x, end.y, OFF_M)
    job = Job((Grasp(side, name), Place(side, end.on, to, end.access)))
    # A board of a bookcase is no object of its own.
    fixture, _, board = end.on.partition(".")
    if end.on in stage.fixtures:
        cavity = stage.fixtures[end.on].cavity
    else:
        cavity = stage.things[end.on].parts.cavity
    is_inside = board or cavity is not None
    return job, ("Inside" if is_inside else "OnTop", name, fixture)
