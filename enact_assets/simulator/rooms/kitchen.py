"""Kitchens: three work places side by side against one wall, and what hangs above them.

The robot stands in front of the middle one and reaches all three, so most of the scene stays in
its picture. x runs to the right, y away from the robot, and the floor is z = 0. What opens or works
by electricity at the side places faces the middle, by the sign of its x.
"""

import math
from dataclasses import dataclass

from enact_assets.simulator.rooms import shell
from enact_assets.simulator.rooms.fixtures import Fixture, Panel, panel_xml
from enact_assets.simulator.shapes.mjcf import DOOR, STATIC, Scene, Vec3
from enact_assets.simulator.shapes.surfaces import Surface
from enact_assets.simulator.shapes.world import WorldObject

LEFT_X, CENTRE_X, RIGHT_X = -0.76, 0.0, 0.76
"""Middles of the three work places."""
HALF_WIDTH = 0.31
"""Half the width of the side work places."""
WORKTOP_M = 0.90
"""Height of counters, stove and sink."""


BLUE_GREY = Surface((0.35, 0.47, 0.58), finish="gloss")
STEEL = shell.STEEL
DARK = Surface((0.03, 0.03, 0.035), finish="gloss")
INSIDE = Surface((0.85, 0.87, 0.88), finish="satin")


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

MAX_DOOR_RAD = 2.0
OPEN_DOOR_RAD = 1.75
"""Range of every door, and how far the robot opens it."""


def add_room(scene: Scene, style: Style) -> None:
    """Floor and walls. Only the floor is an object."""
    scene.look = shell.look_of("kitchen", STYLES, style)
    shell.add_shell(scene, style.wall, style.floor, window=style.window, decor=style.decor)


def inward(x: float) -> float:
    """+1 or -1: the x direction from a side work place at ``x`` to the middle."""
    return -math.copysign(1.0, x)


def finish_fixture(scene: Scene, fixture: Fixture, geoms: str, category: str = "") -> Fixture:
    """Add the body and the object of a fixture; its category is its name if not given."""
    name = fixture.name
    scene.body(name, (0, 0, 0), geoms)
    scene.objects.append(WorldObject(name, category or name, (name,), is_fixed=True))
    return fixture


def add_counter(scene: Scene, style: Style, x: float, name: str, category: str) -> Fixture:
    """A base unit with two drawer fronts and a worktop 0.9 m high."""
    geoms = scene.visible(
        f"{name}.top", "box", (HALF_WIDTH + 0.01, 0.335, 0.02), style.top, (x, 0.935, 0.88),
        collide=STATIC,
    )  # fmt: skip
    geoms += base_unit(scene, style, x, name, 0.86)
    return finish_fixture(scene, Fixture(name, (x, 0.93, 0.90)), geoms, category)


def base_unit(scene: Scene, style: Style, x: float, name: str, top: float) -> str:
    """The box below a worktop, from 0.04 m up to ``top``, with two drawer fronts."""
    half = (top - 0.04) / 2
    geoms = scene.visible(
        f"{name}.base", "box", (HALF_WIDTH, 0.31, half), style.front, (x, 0.96, 0.04 + half),
        collide=STATIC,
    )  # fmt: skip
    for k, z in enumerate((0.3, 0.66)):
        geoms += scene.visible(
            f"{name}.front_{k}", "box", (HALF_WIDTH - 0.02, 0.008, 0.15), style.front, (x, 0.65, z)
        )
        pull = (x, 0.632, z + 0.06)
        geoms += scene.visible(f"{name}.pull_{k}", "box", (0.1, 0.012, 0.012), STEEL, pull)
    return geoms


def add_table(scene: Scene, style: Style, name: str = "table") -> Fixture:
    """A table in the middle, 0.78 m high."""
    geoms = scene.visible(
        f"{name}.top", "box", (0.43, 0.36, 0.02), style.table, (0, 0.84, 0.76), collide=STATIC
    )
    for k, (sx, sy) in enumerate(((-1, -1), (1, -1), (-1, 1), (1, 1))):
        geoms += scene.visible(
            f"{name}.leg_{k}", "box", (0.025, 0.025, 0.37), style.table,
            (sx * 0.39, 0.84 + sy * 0.31, 0.37), collide=STATIC,
        )  # fmt: skip
    return finish_fixture(scene, Fixture(name, (0.0, 0.84, 0.78)), geoms)


def add_shelf(scene: Scene, style: Style, x: float, name: str = "shelf") -> Fixture:
    """A thick board on the wall, 0.4 m above the worktop."""
    geoms = scene.visible(
        f"{name}.board", "box", (HALF_WIDTH - 0.01, 0.13, 0.02), style.cabinet,
        (x, 1.15, 1.31), collide=STATIC,
    )  # fmt: skip
    for k, sx in enumerate((-1, 1)):
        geoms += scene.visible(
            f"{name}.bracket_{k}", "box", (0.012, 0.1, 0.012), DARK, (x + sx * 0.26, 1.17, 1.278)
        )
    return finish_fixture(scene, Fixture(name, (x, 1.15, 1.33), access="front"), geoms)


def door_panel(hinge: Vec3, handle: Vec3, away: float) -> Panel:
    """A door about the vertical that turns towards +x or -x, as ``away`` has it."""
    return Panel(handle, (0.0, 0.0, away), hinge, MAX_DOOR_RAD, OPEN_DOOR_RAD)


def door(
    scene: Scene, fixture: Fixture, look: Surface, half: Vec3, bar_half_z: float, *, more: str = ""
) -> str:
    """A door of half size ``half`` hinged on one side, with a bar to pull it by.

    ``more`` are further geoms of the door, relative to its hinge.
    """
    opening = fixture.opening
    hinge, handle = opening.hinge or opening.handle, opening.handle
    side = -math.copysign(1.0, opening.axis[2])
    name = fixture.panel_body
    geoms = scene.visible(
        f"{name}.leaf", "box", half, look, (side * half[0], 0, 0), collide=DOOR, mass=3.0
    )
    bar = (handle[0] - hinge[0], -0.05, handle[2] - hinge[2])
    geoms += scene.visible(f"{name}.bar", "box", (0.014, 0.014, bar_half_z), DARK, bar)
    return panel_xml(fixture, geoms + more)


def add_cabinet(scene: Scene, style: Style, x: float, name: str = "cabinet") -> Fixture:
    """A wall cabinet whose door turns away from the middle of the kitchen."""
    half_z, low, front, depth = 0.24, 1.27, 0.92, 0.17
    middle_y, middle_z = front + depth, low + half_z
    away = -inward(x)
    fixture = Fixture(
        name,
        (x, middle_y, low + 0.024),
        access="front",
        cavity=(
            (x - HALF_WIDTH + 0.02, front - 0.005, low + 0.01),
            (x + HALF_WIDTH - 0.02, front + 2 * depth, low + 2 * half_z),
        ),
        panel=door_panel(
            (x + away * HALF_WIDTH, front - 0.014, middle_z),
            (x - away * (HALF_WIDTH - 0.05), front - 0.07, middle_z - 0.05),
            away,
        ),
    )
    geoms = ""
    for part, half, pos in (
        ("bottom", (HALF_WIDTH, depth, 0.012), (x, middle_y, low + 0.012)),
        ("top", (HALF_WIDTH, depth, 0.012), (x, middle_y, low + 2 * half_z - 0.012)),
        ("left", (0.012, depth, half_z), (x - HALF_WIDTH + 0.012, middle_y, middle_z)),
        ("right", (0.012, depth, half_z), (x + HALF_WIDTH - 0.012, middle_y, middle_z)),
    ):
        geoms += scene.visible(f"{name}.{part}", "box", half, style.cabinet, pos, collide=STATIC)
    geoms += scene.visible(
        f"{name}.back", "box", (HALF_WIDTH, 0.008, half_z), INSIDE,
        (x, front + 2 * depth - 0.01, middle_z), collide=STATIC,
    )  # fmt: skip
    geoms += door(scene, fixture, style.cabinet, (HALF_WIDTH - 0.004, 0.012, half_z), 0.09)
    return finish_fixture(scene, fixture, geoms)


def add_trash_can(scene: Scene, x: float, name: str = "trash_can") -> Fixture:
    """A tall bin at a side place with a lid that swings up and back; its inside is black."""
    half, middle_y, height, wall = 0.2, 0.78, 0.74, 0.012
    at = (x - inward(x) * -0.06, middle_y)
    tin = Surface((0.5, 0.52, 0.54), "brushed", "metal", (0.7, 0.71, 0.72), 0.2)
    geoms = ""
    for part, size, offset in (
        ("left", (wall, half, height / 2), (-half + wall, 0.0, height / 2)),
        ("right", (wall, half, height / 2), (half - wall, 0.0, height / 2)),
        ("near", (half, wall, height / 2), (0.0, -half + wall, height / 2)),
        ("far", (half, wall, height / 2), (0.0, half - wall, height / 2)),
    ):
        pos = (at[0] + offset[0], at[1] + offset[1], offset[2])
        geoms += scene.visible(f"{name}.{part}", "box", size, tin, pos, collide=STATIC)
    bottom = height - 0.3
    geoms += scene.visible(
        f"{name}.bottom", "box", (half - 2 * wall, half - 2 * wall, 0.01), DARK,
        (*at, bottom - 0.01), collide=STATIC,
    )  # fmt: skip
    hinge = (at[0], at[1] + half, height + 0.012)
    fixture = Fixture(
        name,
        (*at, bottom),
        cavity=(
            (at[0] - half, at[1] - half, bottom - 0.02),
            (at[0] + half, at[1] + half, height + 0.02),
        ),
        panel=Panel(
            (at[0], at[1] - half - 0.03, height + 0.03), (-1.0, 0.0, 0.0), hinge, 2.0, 1.75
        ),
    )
    lid = fixture.panel_body
    leaf = scene.visible(
        f"{lid}.leaf", "box", (half + 0.012, half + 0.012, 0.012), DARK, (0, -half, 0),
        collide=DOOR, mass=1.5,
    )  # fmt: skip
    leaf += scene.visible(
        f"{lid}.grip", "box", (0.07, 0.025, 0.012), STEEL, (0, -2 * half - 0.02, 0.01)
    )
    geoms += panel_xml(fixture, leaf)
    return finish_fixture(scene, fixture, geoms)
