"""A living and dining room: three work places side by side against one wall, as in every room.

Warm colours, panelled walls, a rug, curtains and furniture on legs tell it from a kitchen. x runs
to the right, y away from the robot, and the floor is z = 0.
"""

import math
from dataclasses import dataclass

from enact_assets.simulator.rooms.decor import Decor
from enact_assets.simulator.rooms.shell import Window, add_shell, look_of, read_styles
from enact_assets.simulator.rooms.walls import HALF_WIDTH as SIDE_X
from enact_assets.simulator.rooms.walls import WALL_Y
from enact_assets.simulator.shapes.mjcf import Scene
from enact_assets.simulator.shapes.surfaces import Color, Surface


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


STYLES = read_styles(Style, "living_room")
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
