"""Kitchens: three work places side by side against one wall, and what hangs above them.

The robot stands in front of the middle one and reaches all three, so most of the scene stays in
its picture. x runs to the right, y away from the robot, and the floor is z = 0. What opens or works
by electricity at the side places faces the middle, by the sign of its x.
"""

from dataclasses import dataclass

from enact_assets.simulator.rooms import shell
from enact_assets.simulator.rooms.decor import Decor
from enact_assets.simulator.shapes.mjcf import Scene
from enact_assets.simulator.shapes.surfaces import Surface

LEFT_X, CENTRE_X, RIGHT_X = -0.76, 0.0, 0.76
"""Middles of the three work places."""

BLUE_GREY = Surface((0.35, 0.47, 0.58), finish="gloss")


@dataclass(frozen=True)
class Style:
    """Colours of one kitchen, its window and what hangs on its walls."""

    wall: Surface
    floor: Surface
    top: Surface
    front: Surface
    table: Surface
    cabinet: Surface
    appliance: Surface = BLUE_GREY
    window: shell.Window | None = shell.CASEMENT
    decor: tuple[Decor, ...] = ()


STYLES = shell.read_styles(Style, "kitchen")
"""Kitchens to draw from."""


def add_room(scene: Scene, style: Style) -> None:
    """Floor and walls. Only the floor is an object."""
    scene.look = shell.look_of("kitchen", STYLES, style)
    shell.add_shell(scene, style.wall, style.floor, window=style.window, decor=style.decor)
