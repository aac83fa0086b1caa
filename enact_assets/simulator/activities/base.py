"""What an activity is: a recipe that turns random draws into a stage, a plan and a goal.

An activity is written down once, and each seed draws a version of it: half of the seeds are mirror
images, and style, colours, objects, places and order are drawn with the functions below. Draw in a
fixed order: every draw moves all later ones on.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from enact_assets.simulator.planning.basic_steps import Task
from enact_assets.simulator.shapes.surfaces import Color
from enact_assets.simulator.simulation.recording import GoalFact
from enact_assets.simulator.stage.stage import Stage

T = TypeVar("T")

HEAD_PITCH_RAD = 0.66

PALETTE: tuple[Color, ...] = (
    (0.75, 0.04, 0.04),
    (0.95, 0.42, 0.02),
    (0.95, 0.72, 0.03),
    (0.3, 0.6, 0.05),
    (0.03, 0.35, 0.14),
    (0.04, 0.5, 0.48),
    (0.25, 0.6, 0.95),
    (0.05, 0.12, 0.6),
    (0.35, 0.08, 0.5),
    (0.9, 0.2, 0.45),
    (0.9, 0.9, 0.88),
)
"""Colours (linear RGB) that a person tells apart at a glance."""


@dataclass(frozen=True)
class Episode:
    """One drawn version of an activity. ``covers`` names fixtures that things may lie under.

    At the end all facts of ``goal`` hold and none of ``absent`` (what is poured out, cut up, wiped
    off, shut), and what ``stays`` stands upright where it stood.
    """

    stage: Stage
    plan: Task
    goal: tuple[GoalFact, ...]
    covers: frozenset[str]
    absent: tuple[GoalFact, ...] = ()
    stays: frozenset[str] = frozenset()
    stands_for: tuple[tuple[str, str], ...] = ()
    """Things and furniture in it, with the synsets of BEHAVIOR's definition that they replace."""


@dataclass(frozen=True)
class Activity:
    """A household activity; ``build`` draws one version of it from the generator.

    Where places are drawn, too, not all versions can be carried out: with the number of another
    attempt, up to ``attempts``, ``build`` draws that of the same generator with other places and
    another order.
    """

    name: str
    description: str
    build: Callable[..., Episode]
    file: str = ""
    """Where it is written down."""
    attempts: int = 1

    def drawn(self, rng: np.random.Generator, attempt: int = 1) -> Episode:
        """The version of an attempt."""
        return self.build(rng) if attempt == 1 else self.build(rng, attempt)


def draw_one(rng: np.random.Generator, options: Sequence[T]) -> T:
    """One of ``options``, all with equal chances: a style, a kind, a plan."""
    return options[int(rng.integers(len(options)))]


def is_drawn(rng: np.random.Generator) -> bool:
    """True for half of the seeds."""
    return bool(rng.integers(2))


def draw_some(rng: np.random.Generator, options: Sequence[T], n: int | None = None) -> list[T]:
    """``n`` different ones of ``options`` in random order; without ``n``, all of them.

    Of places, kinds or colours: ``dict(zip(names, draw_some(rng, places)))`` shuffles who stands
    where.
    """
    order: list[int] = rng.permutation(len(options)).tolist()
    return [options[k] for k in order[:n]]
