"""Kitchens: three work places side by side against one wall, and what hangs above them.

The robot stands in front of the middle one and reaches all three, so most of the scene stays in
its picture. x runs to the right, y away from the robot, and the floor is z = 0. What opens or works
by electricity at the side places faces the middle, by the sign of its x.
"""

from dataclasses import dataclass

from enact_assets.simulator.rooms import shell
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
    decor: tuple[shell.Decor, ...] = ()


STYLES: tuple[Style, ...] = (
    Style(
        wall=Surface((0.72, 0.76, 0.74), finish="matte"),
        floor=Surface((0.55, 0.52, 0.48), "tile", "satin", (0.35, 0.33, 0.31), 0.4),
        top=Surface((0.72, 0.55, 0.36), "wood", "satin", (0.5, 0.34, 0.2), 0.12),
        front=Surface((0.86, 0.86, 0.84)),
        table=Surface((0.36, 0.2, 0.11), "wood", "satin", (0.22, 0.11, 0.06), 0.12),
        cabinet=Surface((0.16, 0.36, 0.42), finish="satin"),
        appliance=Surface((0.78, 0.78, 0.76), finish="gloss"),
        decor=(shell.Decor("clock", "back", 0.62, 2.1, 0.26, ((0.1, 0.1, 0.12),)),),
    ),
    Style(
        wall=Surface((0.85, 0.78, 0.62), finish="matte"),
        floor=Surface((0.42, 0.27, 0.17), "wood", "satin", (0.3, 0.18, 0.1), 0.25),
        top=Surface((0.75, 0.75, 0.77), "marble", "gloss", (0.5, 0.5, 0.54), 0.3),
        front=Surface((0.18, 0.3, 0.24)),
        table=Surface((0.66, 0.5, 0.33), "wood", "satin", (0.5, 0.36, 0.22), 0.12),
        cabinet=Surface((0.5, 0.17, 0.13), finish="satin"),
        window=shell.TWO_PANES,
    ),
    Style(
        wall=Surface((0.62, 0.7, 0.82), finish="matte"),
        floor=Surface((0.62, 0.6, 0.56), "checks", "satin", (0.4, 0.39, 0.37), 0.5),
        top=Surface((0.22, 0.22, 0.24), "speckles", "gloss", (0.4, 0.4, 0.42), 0.03),
        front=Surface((0.72, 0.62, 0.45), "wood", "satin", (0.55, 0.45, 0.3), 0.15),
        table=Surface((0.8, 0.79, 0.76), "marble", "satin", (0.62, 0.61, 0.6), 0.35),
        cabinet=Surface((0.5, 0.33, 0.18), "wood", "satin", (0.36, 0.22, 0.11), 0.12),
        appliance=Surface((0.55, 0.12, 0.1), finish="gloss"),
        window=shell.CROSS_BARS,
    ),
    Style(
        wall=Surface((0.62, 0.72, 0.6), finish="matte"),
        floor=Surface((0.3, 0.18, 0.12), "tile", "satin", (0.46, 0.36, 0.28), 0.3),
        top=Surface((0.88, 0.86, 0.8), "speckles", "satin", (0.6, 0.56, 0.5), 0.05),
        front=Surface((0.16, 0.2, 0.34)),
        table=Surface((0.72, 0.68, 0.6), "wood", "satin", (0.58, 0.53, 0.45), 0.1),
        cabinet=Surface((0.82, 0.66, 0.3), finish="satin"),
        appliance=Surface((0.16, 0.34, 0.3), finish="gloss"),
        window=shell.Window(x=0.0, half_width=0.34, columns=3, view="hills"),
    ),
    Style(
        wall=Surface((0.8, 0.62, 0.55), finish="matte"),
        floor=Surface((0.7, 0.62, 0.5), "wood", "satin", (0.56, 0.47, 0.35), 0.3),
        top=Surface((0.3, 0.18, 0.12), "wood", "satin", (0.2, 0.11, 0.07), 0.15),
        front=Surface((0.62, 0.66, 0.66)),
        table=Surface((0.2, 0.3, 0.32), finish="satin"),
        cabinet=Surface((0.88, 0.86, 0.8), finish="satin"),
        appliance=Surface((0.1, 0.1, 0.11), finish="gloss"),
        decor=(shell.Decor("picture", "back", -0.62, 2.12, 0.34),),
    ),
)
"""Kitchens to draw from."""


def add_room(scene: Scene, style: Style) -> None:
    """Floor and walls. Only the floor is an object."""
    scene.look = shell.look_of("kitchen", STYLES, style)
    shell.add_shell(scene, style.wall, style.floor, window=style.window, decor=style.decor)
