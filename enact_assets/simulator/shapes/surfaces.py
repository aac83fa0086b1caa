"""How geoms look: a colour, a texture and a finish. Colours are linear RGB from 0 to 1."""

from dataclasses import dataclass
from typing import Literal

Color = tuple[float, float, float]
Texture = Literal[
    "plain", "wood", "tile", "marble", "stripes", "checks", "speckles", "brick",
    "mottled", "brushed", "fine_wood", "worn_tile",
]  # fmt: skip
Finish = Literal["matte", "satin", "gloss", "metal", "lacquer", "glow", "glass"]


@dataclass(frozen=True)
class Surface:
    """How a geom looks. ``second`` is the other colour of a two-coloured texture.

    A ``glow`` surface emits its colour. ``scale_m`` is the size of one texture period.
    """

    color: Color
    texture: Texture = "plain"
    finish: Finish = "satin"
    second: Color = (0.0, 0.0, 0.0)
    scale_m: float = 0.1


def browned(color: Color) -> Color:
    """What a colour becomes in a pan."""
    return (color[0] * 0.58, color[1] * 0.4, color[2] * 0.28)


def darker(color: Color, share: float = 0.45) -> Color:
    """The same hue with ``share`` of the light."""
    return (color[0] * share, color[1] * share, color[2] * share)
