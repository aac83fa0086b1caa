"""A living and dining room: three work places side by side against one wall, as in every room.

Warm colours, panelled walls, a rug, curtains and furniture on legs tell it from a kitchen. x runs
to the right, y away from the robot, and the floor is z = 0.
"""

import math
from dataclasses import dataclass

from enact_assets.simulator.rooms.fixtures import Fixture
from enact_assets.simulator.rooms.furniture import add_furniture
from enact_assets.simulator.rooms.shell import WALL_Y, Decor, Window, add_shell, look_of
from enact_assets.simulator.rooms.walls import HALF_WIDTH as SIDE_X
from enact_assets.simulator.shapes.mjcf import Scene
from enact_assets.simulator.shapes.surfaces import Color, Surface, darker

TABLE_M, TABLE_Y = 0.78, 0.84
"""Height of the table, and its middle."""
UPPER_BOARD = "bookcase.upper_board"
"""The place on the upper board of the bookcase; what stands there is inside the bookcase."""


@dataclass(frozen=True)
class Style:
    """Colours of one living room."""

    wall: Surface
    panelling: Surface
    floor: Surface
    rug: Surface
    wood: Surface
    front: Surface
    fabric: Surface
    picture: tuple[Color, ...]
    """Sky, land and sun of the pictures on the wall."""
    view: str = "garden"
    bars: int = 1


def wood(color: Color, scale_m: float = 0.12) -> Surface:
    """Wood of this colour with darker grain."""
    return Surface(color, "wood", "satin", darker(color, 0.6), scale_m)


STYLES: tuple[Style, ...] = (
    Style(
        wall=Surface((0.36, 0.5, 0.4), finish="matte"),
        panelling=Surface((0.82, 0.8, 0.72)),
        floor=Surface((0.34, 0.2, 0.11), "wood", "satin", (0.22, 0.12, 0.06), 0.25),
        rug=Surface((0.5, 0.08, 0.07), "checks", "matte", (0.62, 0.4, 0.2), 0.22),
        wood=wood((0.42, 0.24, 0.12)),
        front=Surface((0.78, 0.74, 0.62)),
        fabric=Surface((0.75, 0.48, 0.06), finish="matte"),
        picture=((0.9, 0.8, 0.6), (0.5, 0.16, 0.1), (0.8, 0.3, 0.05)),
        view="garden",
        bars=1,
    ),
    Style(
        wall=Surface((0.78, 0.5, 0.42), finish="matte"),
        panelling=Surface((0.55, 0.27, 0.22)),
        floor=Surface((0.66, 0.48, 0.3), "wood", "satin", (0.5, 0.34, 0.2), 0.25),
        rug=Surface((0.12, 0.22, 0.42), "stripes", "matte", (0.75, 0.73, 0.68), 0.2),
        wood=wood((0.72, 0.52, 0.3)),
        front=Surface((0.14, 0.26, 0.42)),
        fabric=Surface((0.1, 0.2, 0.42), finish="matte"),
        picture=((0.5, 0.72, 0.85), (0.2, 0.36, 0.4), (0.95, 0.9, 0.8)),
        view="hills",
        bars=2,
    ),
    Style(
        wall=Surface((0.13, 0.2, 0.36), finish="matte"),
        panelling=Surface((0.68, 0.7, 0.74)),
        floor=Surface((0.46, 0.44, 0.42), "wood", "satin", (0.34, 0.32, 0.3), 0.25),
        rug=Surface((0.74, 0.68, 0.55), "speckles", "matte", (0.45, 0.25, 0.12), 0.25),
        wood=Surface((0.8, 0.79, 0.76)),
        front=wood((0.5, 0.3, 0.15)),
        fabric=Surface((0.72, 0.2, 0.06), finish="matte"),
        picture=((0.95, 0.6, 0.25), (0.3, 0.1, 0.2), (0.98, 0.85, 0.3)),
        view="street",
        bars=1,
    ),
    Style(
        wall=Surface((0.82, 0.66, 0.3), finish="matte"),
        panelling=Surface((0.36, 0.37, 0.36)),
        floor=Surface((0.2, 0.13, 0.09), "wood", "satin", (0.12, 0.07, 0.05), 0.25),
        rug=Surface((0.16, 0.3, 0.25), "tile", "matte", (0.6, 0.56, 0.4), 0.3),
        wood=wood((0.26, 0.13, 0.07)),
        front=Surface((0.3, 0.4, 0.3)),
        fabric=Surface((0.5, 0.1, 0.18), finish="matte"),
        picture=((0.75, 0.85, 0.8), (0.2, 0.34, 0.14), (0.9, 0.3, 0.3)),
        view="garden",
        bars=2,
    ),
)
"""The living rooms a seed may draw."""

BRASS = Surface((0.72, 0.52, 0.2), finish="metal")


def add_room(scene: Scene, style: Style) -> None:
    """The shell of a room, with panelling, a rug, and a curtain to either side of the window."""
    scene.look = look_of("living room", STYLES, style)
    window = Window(half_width=0.34, half_height=0.31, columns=2, rows=style.bars, view=style.view)
    pictures = tuple(
        Decor("picture", "back", x, 1.72, 0.34, (BRASS.color, *style.picture)) for x in (-1.3, 1.3)
    )
    add_shell(scene, style.wall, style.floor, window=window, decor=pictures)
    low, y = 0.55, WALL_Y - 0.012
    geoms = scene.visible(
        "parlour.panel", "box", (SIDE_X, 0.012, low), style.panelling, (0, y, low)
    )
    geoms += scene.visible(
        "parlour.rail", "box", (SIDE_X, 0.02, 0.018), style.panelling, (0, y, 2 * low)
    )
    for side, x in (("left", -SIDE_X + 0.012), ("right", SIDE_X - 0.012)):
        geoms += scene.visible(
            f"parlour.{side}", "box", (0.012, 1.9, low), style.panelling, (x, WALL_Y - 1.9, low)
        )
    geoms += scene.visible("parlour.rug", "box", (1.0, 0.62, 0.006), style.rug, (0, 0.12, 0.006))
    for curtain, sign in (("left", -1), ("right", 1)):
        for k in range(4):
            geoms += scene.visible(
                f"parlour.{curtain}_curtain_{k}", "capsule", (0.034, 0.38),
                style.fabric, (sign * (0.36 + 0.05 * k), WALL_Y - 0.06, 1.82),
            )  # fmt: skip
    geoms += scene.visible(
        "parlour.rod", "capsule", (0.012, 0.62), BRASS, (0, WALL_Y - 0.06, 2.22),
        euler=(0, math.pi / 2, 0),
    )  # fmt: skip
    scene.body("parlour", (0, 0, 0), geoms)


def add_bookcase(scene: Scene, style: Style, x: float) -> tuple[Fixture, Fixture]:
    """An open bookcase with two boards; the second fixture is only the place on the upper one.

    What stands on either board is inside the bookcase.
    """
    bookcase = add_furniture(scene, "living_room", "bookcase", (x, 0.0, 0.0), style)
    upper = (*bookcase.origin[:2], 1.2)
    return bookcase, Fixture(UPPER_BOARD, upper, access="front")
