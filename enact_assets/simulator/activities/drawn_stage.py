"""A version of an activity being drawn: things in natural colours at mirrored, jittered places."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from enact_assets.engine.errors import StageError
from enact_assets.simulator.activities.base import Mirror, draw_one, draw_some, jitter
from enact_assets.simulator.planning.basic_steps import Task, move
from enact_assets.simulator.robot.kinematics import Side
from enact_assets.simulator.rooms.fixtures import Access
from enact_assets.simulator.shapes.surfaces import Color
from enact_assets.simulator.stage.hollows import Hollow
from enact_assets.simulator.stage.stage_builder import StageBuilder
from enact_assets.simulator.things.kinds import natural_colors

ALIKE = 0.35
"""Colours nearer than this in display values look alike at a glance."""


def kind_of(name: str) -> str:
    """The kind of a thing that is called by its kind and, maybe, a number: "plate_2" -> "plate"."""
    return re.sub(r"_\d+$", "", name)


@dataclass
class Drawing:
    """Puts things on a stage as designed, on the side, in the colours and at the places drawn.

    ``left`` and ``right`` in its methods are the designed sides. ``palette`` holds the colours not
    used yet by things that may have any; when it is empty, it is drawn again.
    """

    rng: np.random.Generator
    mirror: Mirror
    stage: StageBuilder
    colors: tuple[Color, ...]
    palette: list[Color] = field(default_factory=list)

    def put(
        self,
        name: str,
        on: str,
        x: float = 0.0,
        y: float = 0.0,
        *,
        color: Color | None = None,
        off_m: float = 0.012,
        access: Access | None = None,
        halves: tuple[str, ...] = (),
    ) -> None:
        """Stand a thing of the kind its name tells, at most ``off_m`` off (x, y)."""
        kind = kind_of(name)
        at = self.near(x, y, off_m)
        shown = color or self.color(kind)
        self.stage.put(name, kind, shown, on, at, access=access, halves=halves)

    def near(self, x: float, y: float, off_m: float = 0.012) -> tuple[float, float]:
        """A placement at most ``off_m`` off the designed (x, y) in either direction."""
        return jitter(self.rng, *self.mirror.at(x, y), off_m)

    def color(self, kind: str) -> Color:
        """A natural colour of ``kind``, or one of the palette that is not in use yet."""
        natural = natural_colors(kind)
        if natural:
            return draw_one(self.rng, natural)
        if not self.palette:
            self.palette = draw_some(self.rng, self.colors)
        return self.palette.pop()

    def move(
        self,
        hand: Side,
        thing: str,
        on: str,
        x: float = 0.0,
        y: float = 0.0,
        *,
        off_m: float = 0.012,
    ) -> Task:
        """Take a thing with the designed ``hand`` and put it on or into ``on`` near (x, y)."""
        return move(self.side(hand), thing, on, self.near(x, y, off_m))

    def shares(
        self, jug: str, filled: float, cups: Sequence[str], full: float | Sequence[float]
    ) -> list[float]:
        """What share of its content a jug, ``filled`` by this share of its volume, gives to each
        of ``cups`` in turn so that each becomes ``full``, all of them or each its own.
        """
        each = [full] * len(cups) if isinstance(full, float) else full
        left = self._volume(jug) * filled
        found = []
        for cup, share in zip(cups, each, strict=True):
            wanted = self._volume(cup) * share
            found.append(wanted / left)
            left -= wanted
        return found

    def _volume(self, name: str) -> float:
        vessel = self.stage.things[name].parts.vessel
        if vessel is None:
            raise StageError(f"{name} is not a vessel: nothing can be poured from or into it")
        return Hollow.of(vessel).volume

    def side(self, hand: Side) -> Side:
        """The hand that stands for the designed one."""
        return self.mirror.left if hand == "left" else self.mirror.right


def differing(palette: tuple[Color, ...], *others: Color) -> tuple[Color, ...]:
    """The colours of a palette that are not similar to any of ``others``."""

    def shown(color: Color) -> np.ndarray:
        return np.array(color) ** (1 / 2.2)

    return tuple(
        color
        for color in palette
        if all(float(np.linalg.norm(shown(color) - shown(other))) > ALIKE for other in others)
    )
