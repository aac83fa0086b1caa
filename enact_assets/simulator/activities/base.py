"""What an activity is: a recipe that turns random draws into a stage, a plan and a goal."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from enact_assets.simulator.plan import Task
from enact_assets.simulator.recording import GoalFact
from enact_assets.simulator.stage import Stage

HEAD_PITCH_RAD = 0.66


@dataclass(frozen=True)
class Episode:
    """One drawn version of an activity. ``covers`` names fixtures that things may lie under."""

    stage: Stage
    plan: Task
    goal: tuple[GoalFact, ...]
    covers: frozenset[str]


@dataclass(frozen=True)
class Activity:
    """A household activity; ``build`` draws placement and order from the generator."""

    name: str
    description: str
    build: Callable[[np.random.Generator], Episode]


def jitter(
    rng: np.random.Generator, x: float, y: float, size: float = 0.015
) -> tuple[float, float]:
    """A placement near (x, y), at most ``size`` m off in either direction."""
    dx, dy = rng.uniform(-size, size, 2)
    return (round(x + float(dx), 4), round(y + float(dy), 4))
