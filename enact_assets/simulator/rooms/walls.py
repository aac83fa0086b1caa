"""The four walls of every room: where they stand, and boards and discs on them."""

import math
from dataclasses import dataclass
from typing import Literal

from enact_assets.simulator.shapes.mjcf import Scene
from enact_assets.simulator.shapes.surfaces import Surface

WALL_Y = 1.28
"""Front face of the back wall."""
HALF_WIDTH = 1.7
"""From the middle of the room to the left and right wall."""
BEHIND_Y = -2.6
"""Face of the wall behind the robot."""
HEIGHT = 2.8
THICKNESS = 0.1


Place = tuple[float, float]
Wall = Literal["back", "left", "right", "behind"]


@dataclass(frozen=True)
class Face:
    """A wall of a scene; places on it are given as (along, up, out of the wall)."""

    scene: Scene
    wall: Wall

    def place(self, along: float, up: float, out: float) -> tuple[float, float, float]:
        """World coordinates."""
        if self.wall in ("back", "behind"):
            return (along, WALL_Y - out if self.wall == "back" else BEHIND_Y + out, up)
        return (-HALF_WIDTH + out if self.wall == "left" else HALF_WIDTH - out, along, up)

    def half(self, along: float, up: float, out: float) -> tuple[float, float, float]:
        """Half size of a box in world axes."""
        return (along, out, up) if self.wall in ("back", "behind") else (out, along, up)

    @property
    def disc(self) -> tuple[float, float, float]:
        """Euler angles that turn a cylinder's axis out of the wall."""
        half_pi = math.pi / 2
        return (half_pi, 0, 0) if self.wall in ("back", "behind") else (0, half_pi, 0)

    def box(
        self,
        name: str,
        look: Surface,
        middle: Place,
        half: Place,
        *,
        layer: Place,
    ) -> str:
        """A board: middle and half size along and up, and from where to where it sticks out."""
        low, high = layer
        return self.scene.visible(
            name,
            "box",
            self.half(*half, (high - low) / 2),
            look,
            self.place(*middle, (low + high) / 2),
        )

    def round(
        self,
        name: str,
        look: Surface,
        middle: Place,
        radius: float,
        *,
        layer: Place,
    ) -> str:
        """A disc that sticks out from ``layer[0]`` to ``layer[1]``."""
        low, high = layer
        return self.scene.visible(
            name,
            "cylinder",
            (radius, (high - low) / 2),
            look,
            self.place(*middle, (low + high) / 2),
            euler=self.disc,
        )
