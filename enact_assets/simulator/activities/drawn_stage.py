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

GREENS: tuple[Color, ...] = ((0.15, 0.5, 0.12), (0.22, 0.55, 0.06), (0.06, 0.38, 0.12))
CRUSTS: tuple[Color, ...] = ((0.62, 0.35, 0.13), (0.52, 0.26, 0.09), (0.72, 0.46, 0.2))
WOODS: tuple[Color, ...] = ((0.6, 0.38, 0.2), (0.76, 0.55, 0.32), (0.4, 0.22, 0.11))

NATURAL: dict[str, tuple[Color, ...]] = {
    "apple": ((0.72, 0.03, 0.04), (0.42, 0.68, 0.06), (0.92, 0.7, 0.08)),
    "bacon": ((0.68, 0.1, 0.09),),
    "basket": ((0.72, 0.5, 0.26), (0.82, 0.78, 0.62), (0.42, 0.26, 0.14)),
    "bread_loaf": CRUSTS,
    "bread_slice": CRUSTS,
    "butter_dish": ((0.05, 0.12, 0.6), (0.75, 0.04, 0.04), (0.03, 0.35, 0.14), (0.35, 0.08, 0.5)),
    "cheese": ((0.98, 0.72, 0.12), (0.95, 0.55, 0.08)),
    "cutting_board": WOODS,
    "egg_carton": ((0.5, 0.46, 0.4), (0.3, 0.5, 0.36), (0.62, 0.4, 0.44)),
    "frying_pan": ((0.75, 0.07, 0.05), (0.06, 0.3, 0.6), (0.1, 0.45, 0.3)),
    "half_watermelon": GREENS,
    "lemon": ((0.98, 0.82, 0.06),),
    "lettuce": ((0.3, 0.6, 0.08),),
    "onion": ((0.45, 0.05, 0.2), (0.38, 0.03, 0.26)),
    "orange": ((1.0, 0.4, 0.02),),
    "pancake": ((0.95, 0.85, 0.6),),
    "pineapple": ((0.85, 0.55, 0.08),),
    "potato": ((0.6, 0.42, 0.2),),
    "pumpkin": ((0.95, 0.38, 0.02), (0.92, 0.55, 0.1)),
    "salad_bowl": WOODS,
    "tomato": ((0.8, 0.05, 0.03),),
    "watermelon": GREENS,
    "wooden_spoon": WOODS,
}
"""Colours of what has colours of its own, by kind."""

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
        if kind in NATURAL:
            return draw_one(self.rng, NATURAL[kind])
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
