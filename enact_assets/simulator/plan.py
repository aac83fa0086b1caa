"""Plans: sequences of skill calls as data, and groups of them whose order a seed may change."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from enact_assets.simulator.executor import Executor
from enact_assets.simulator.fixtures import Access
from enact_assets.simulator.robot import Side


@dataclass(frozen=True)
class Grasp:
    """Take a thing with one hand."""

    side: Side
    thing: str

    def run(self, robot: Executor) -> None:
        """Carry the step out."""
        robot.grasp(self.side, self.thing)


@dataclass(frozen=True)
class Place:
    """Put what one hand holds on or into something."""

    side: Side
    on: str
    at: tuple[float, float] = (0.0, 0.0)
    access: Access | None = None

    def run(self, robot: Executor) -> None:
        """Carry the step out."""
        robot.place(self.side, self.on, self.at, self.access)


@dataclass(frozen=True)
class OpenDoor:
    """Open the door of a fixture."""

    side: Side
    fixture: str

    def run(self, robot: Executor) -> None:
        """Carry the step out."""
        robot.open_door(self.side, self.fixture)


@dataclass(frozen=True)
class CloseDoor:
    """Close the door of a fixture."""

    side: Side
    fixture: str

    def run(self, robot: Executor) -> None:
        """Carry the step out."""
        robot.close_door(self.side, self.fixture)


@dataclass(frozen=True)
class Press:
    """Press the button of a fixture."""

    side: Side
    fixture: str

    def run(self, robot: Executor) -> None:
        """Carry the step out."""
        robot.press(self.side, self.fixture)


@dataclass(frozen=True)
class Slice:
    """Cut a thing with the knife in one hand."""

    side: Side
    thing: str

    def run(self, robot: Executor) -> None:
        """Carry the step out."""
        robot.slice(self.side, self.thing)


Step = Grasp | Place | OpenDoor | CloseDoor | Press | Slice
Task = tuple[Step, ...]
"""Steps that belong together, in this order."""


def move(side: Side, thing: str, on: str, at: tuple[float, float] = (0.0, 0.0),
         access: Access | None = None) -> Task:  # fmt: skip
    """Take a thing and put it somewhere else with the same hand."""
    return (Grasp(side, thing), Place(side, on, at, access))


def move_both(left: Task, right: Task) -> Task:
    """Two moves interleaved: both hands are full before the first lets go."""
    return (left[0], right[0], left[1], right[1])


def in_any_order(rng: np.random.Generator, *tasks: Task) -> Task:
    """Independent tasks one after the other, in an order drawn from ``rng``."""
    order: Sequence[int] = rng.permutation(len(tasks)).tolist()
    return tuple(step for k in order for step in tasks[k])
