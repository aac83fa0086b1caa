"""What hangs on the walls of a room. None of it is an object of the scene graph."""

import math
from collections.abc import Callable
from dataclasses import dataclass

from enact_assets.simulator.rooms.walls import Face, Wall
from enact_assets.simulator.shapes.mjcf import Scene
from enact_assets.simulator.shapes.surfaces import Color, Surface

BRASS = Surface((0.72, 0.55, 0.25), finish="metal")
PAPER = Surface((0.93, 0.92, 0.88), finish="matte")
INK = Surface((0.04, 0.04, 0.05), finish="matte")


@dataclass(frozen=True)
class Decor:
    """Something on a wall: ``along`` is its x on the back wall and the one behind, its y on the
    side walls; ``z`` its middle and ``width`` its extent. ``kind`` names an entry of
    :data:`DECOR`; how many ``colors`` it uses is said there.
    """

    kind: str
    wall: Wall
    along: float
    z: float
    width: float = 0.4
    colors: tuple[Color, ...] = ((0.75, 0.3, 0.2), (0.2, 0.4, 0.6))


def _picture(scene: Scene, name: str, item: Decor) -> str:
    """A framed landscape: colours of frame, sky, land and sun."""
    face, at, half = Face(scene, item.wall), (item.along, item.z), item.width / 2
    frame, sky, land, sun = (item.colors + PICTURE_COLORS[len(item.colors) :])[:4]
    tall = 0.72 * half
    geoms = face.box(f"{name}.frame", Surface(frame), at, (half, tall), layer=(0.0, 0.025))
    inner = (half - 0.02, tall - 0.02)
    geoms += face.box(f"{name}.mat", PAPER, at, inner, layer=(0.02, 0.027))
    matte = Surface(sky, finish="matte")
    inside = (half - 0.055, tall - 0.055)
    geoms += face.box(f"{name}.sky", matte, at, inside, layer=(0.02, 0.029))
    low = (item.along, item.z - 0.55 * inside[1])
    hill = Surface(land, finish="matte")
    geoms += face.box(f"{name}.land", hill, low, (inside[0], 0.45 * inside[1]), layer=(0.02, 0.031))
    high = (item.along + 0.4 * inside[0], item.z + 0.45 * inside[1])
    disc = Surface(sun, finish="matte")
    return geoms + face.round(f"{name}.sun", disc, high, 0.28 * inside[1], layer=(0.02, 0.031))


PICTURE_COLORS: tuple[Color, ...] = (
    (0.2, 0.12, 0.07), (0.55, 0.72, 0.85), (0.35, 0.42, 0.2), (0.95, 0.65, 0.2),
)  # fmt: skip


def _poster(scene: Scene, name: str, item: Decor) -> str:
    """An upright sheet with three bars: colours of the paper and of the bars."""
    face, half = Face(scene, item.wall), item.width / 2
    colors = (item.colors + PICTURE_COLORS)[:4]
    at, size = (item.along, item.z), (half, 1.35 * half)
    paper = Surface(colors[0], finish="matte")
    geoms = face.box(f"{name}.paper", paper, at, size, layer=(0.0, 0.006))
    for k, color in enumerate(colors[1:]):
        middle = (item.along, item.z + (0.75 - 0.75 * k) * half)
        bar = ((0.75 - 0.15 * k) * half, 0.24 * half)
        look = Surface(color, finish="matte")
        geoms += face.box(f"{name}.bar_{k}", look, middle, bar, layer=(0.0, 0.009))
    return geoms


def _clock(scene: Scene, name: str, item: Decor) -> str:
    """A round clock: colour of the rim."""
    face, at, radius = Face(scene, item.wall), (item.along, item.z), item.width / 2
    rim = Surface(item.colors[0], finish="gloss")
    geoms = face.round(f"{name}.rim", rim, at, radius, layer=(0.0, 0.03))
    geoms += face.round(f"{name}.dial", PAPER, at, 0.86 * radius, layer=(0.02, 0.032))
    long, short = 0.36 * radius, 0.24 * radius
    minute, hour = (item.along, item.z + long), (item.along + short, item.z)
    geoms += face.box(f"{name}.minute", INK, minute, (0.006, long), layer=(0.03, 0.036))
    geoms += face.box(f"{name}.hour", INK, hour, (short, 0.008), layer=(0.03, 0.036))
    for k in range(4):
        turn = k * math.pi / 2
        mark = (
            item.along + 0.74 * radius * math.sin(turn),
            item.z + 0.74 * radius * math.cos(turn),
        )
        geoms += face.box(f"{name}.mark_{k}", INK, mark, (0.008, 0.008), layer=(0.03, 0.034))
    return geoms


def _lamp(scene: Scene, name: str, item: Decor) -> str:
    """A wall lamp that is off: colour of the shade."""
    face, radius = Face(scene, item.wall), item.width / 2
    out = radius + 0.05
    plate = (item.along, item.z - 0.6 * radius)
    geoms = face.round(f"{name}.plate", BRASS, plate, 0.3 * radius, layer=(0.0, 0.012))
    geoms += face.box(f"{name}.arm", BRASS, plate, (0.008, 0.008), layer=(0.0, out))
    middle = face.place(item.along, item.z, out)
    shade = scene.mesh(f"lamp_shade_{item.width:g}", _shade_profile(radius))
    return geoms + scene.visible(
        f"{name}.shade", "mesh", shade, Surface(item.colors[0], finish="matte"), middle
    )


def _shade_profile(radius: float) -> list[tuple[float, float]]:
    return [
        (0.0, -0.7 * radius), (radius, -0.7 * radius), (0.6 * radius, 0.7 * radius),
        (0.0, 0.7 * radius),
    ]  # fmt: skip


DECOR: dict[str, Callable[[Scene, str, Decor], str]] = {
    "picture": _picture,
    "poster": _poster,
    "clock": _clock,
    "lamp": _lamp,
}
"""What can hang on a wall."""
