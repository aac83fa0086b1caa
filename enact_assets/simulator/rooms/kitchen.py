"""The room and its furniture: three work places side by side against one wall.

The robot stands in front of the middle one and reaches all three, so most of the scene stays in
its picture. x runs to the right, y away from the robot, and the floor is z = 0.
"""

import math
from dataclasses import dataclass

from enact_assets.simulator.fixtures import Fixture, Heater, Panel, Vec3, panel_xml
from enact_assets.simulator.shapes import DOOR, STATIC, Scene
from enact_assets.simulator.world import Cue, Surface, WorldObject

LEFT_X, CENTRE_X, RIGHT_X = -0.76, 0.0, 0.76
"""Middles of the three work places."""
WALL_Y = 1.28
"""Front face of the back wall."""
HALF_WIDTH = 0.31
"""Half the width of the side work places."""


@dataclass(frozen=True)
class Style:
    """Colours of one kitchen."""

    wall: Surface
    floor: Surface
    top: Surface
    front: Surface
    table: Surface
    cabinet: Surface


STEEL = Surface((0.62, 0.63, 0.65), finish="metal")
DARK = Surface((0.03, 0.03, 0.035), finish="gloss")
INSIDE = Surface((0.85, 0.87, 0.88), finish="satin")

MAX_DOOR_RAD = 2.0
OPEN_DOOR_RAD = 1.75
"""Range of every door, and how far the robot opens it."""


def add_room(scene: Scene, style: Style) -> None:
    """Floor, back wall with a window, and two side walls. Only the floor is an object."""
    floor = scene.visible(
        "floor.slab", "box", (2.6, 2.6, 0.05), style.floor, (0, -0.6, -0.05), collide=STATIC
    )
    scene.body("floor", (0, 0, 0), floor)
    scene.objects.append(WorldObject("floor", "floor", ("floor",), is_fixed=True))
    walls = scene.visible("room.back", "box", (2.2, 0.05, 1.4), style.wall, (0, WALL_Y + 0.05, 1.4))
    for side, x in (("left", -1.75), ("right", 1.75)):
        walls += scene.visible(f"room.{side}", "box", (0.05, 2.6, 1.4), style.wall, (x, -0.6, 1.4))
    sky = Surface((0.55, 0.75, 0.95), finish="matte")
    lawn = Surface((0.22, 0.42, 0.14), finish="matte", texture="speckles", second=(0.3, 0.5, 0.2))
    frame = Surface((0.9, 0.9, 0.88))
    y = WALL_Y - 0.005
    walls += scene.visible("room.sky", "box", (0.3, 0.004, 0.2), sky, (0, y, 1.88))
    walls += scene.visible("room.lawn", "box", (0.3, 0.004, 0.09), lawn, (0, y, 1.6))
    for k, (x, z, half_x, half_z) in enumerate(
        (
            (-0.31, 1.8, 0.02, 0.31),
            (0.31, 1.8, 0.02, 0.31),
            (0, 1.5, 0.33, 0.02),
            (0, 2.1, 0.33, 0.02),
        )
    ):
        walls += scene.visible(
            f"room.frame_{k}", "box", (half_x, 0.02, half_z), frame, (x, y - 0.01, z)
        )
    scene.body("room", (0, 0, 0), walls)


def add_counter(scene: Scene, style: Style, x: float, name: str, category: str) -> Fixture:
    """A base unit with two drawers and a worktop 0.9 m high."""
    geoms = scene.visible(
        f"{name}.top",
        "box",
        (HALF_WIDTH + 0.01, 0.335, 0.02),
        style.top,
        (x, 0.935, 0.88),
        collide=STATIC,
    )
    geoms += scene.visible(
        f"{name}.base",
        "box",
        (HALF_WIDTH, 0.31, 0.41),
        style.front,
        (x, 0.96, 0.45),
        collide=STATIC,
    )
    for k, z in enumerate((0.3, 0.68)):
        geoms += scene.visible(f"{name}.pull_{k}", "box", (0.1, 0.012, 0.012), STEEL, (x, 0.64, z))
    scene.body(name, (0, 0, 0), geoms)
    scene.objects.append(WorldObject(name, category, (name,), is_fixed=True))
    return Fixture(name, (x, 0.93, 0.90))


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
    scene.body(name, (0, 0, 0), geoms)
    scene.objects.append(WorldObject(name, name, (name,), is_fixed=True))
    return Fixture(name, (0.0, 0.84, 0.78))


def add_shelf(scene: Scene, style: Style, x: float, name: str = "shelf") -> Fixture:
    """A thick board on the wall, 0.4 m above the worktop."""
    board = scene.visible(
        f"{name}.board", "box", (HALF_WIDTH - 0.01, 0.13, 0.02), style.cabinet,
        (x, 1.15, 1.31), collide=STATIC,
    )  # fmt: skip
    for k, sx in enumerate((-1, 1)):
        board += scene.visible(
            f"{name}.bracket_{k}", "box", (0.012, 0.1, 0.012), DARK, (x + sx * 0.26, 1.17, 1.278)
        )
    scene.body(name, (0, 0, 0), board)
    scene.objects.append(WorldObject(name, name, (name,), is_fixed=True))
    return Fixture(name, (x, 1.15, 1.33), access="front")


def _door_panel(hinge: Vec3, handle: Vec3, away: float) -> Panel:
    """A door about the vertical that turns towards +x or -x, as ``away`` has it."""
    return Panel(handle, (0.0, 0.0, away), hinge, MAX_DOOR_RAD, OPEN_DOOR_RAD)


def _door(scene: Scene, fixture: Fixture, panel: Surface, half: Vec3, bar_half_z: float) -> str:
    """A door panel of half size ``half`` hinged on one side, with a bar to pull it by."""
    opening = fixture.opening
    hinge, handle = opening.hinge or opening.handle, opening.handle
    side = -math.copysign(1.0, opening.axis[2])
    name = fixture.panel_body
    geoms = scene.visible(
        f"{name}.leaf", "box", half, panel, (side * half[0], 0, 0), collide=DOOR, mass=3.0
    )
    bar = (handle[0] - hinge[0], -0.05, handle[2] - hinge[2])
    geoms += scene.visible(f"{name}.bar", "box", (0.014, 0.014, bar_half_z), DARK, bar)
    return panel_xml(fixture, geoms)


def add_cabinet(scene: Scene, style: Style, x: float, name: str = "cabinet") -> Fixture:
    """A wall cabinet whose door turns away from the middle of the kitchen."""
    half_z, low, front, depth = 0.24, 1.27, 0.92, 0.17
    middle_y, middle_z = front + depth, low + half_z
    away = math.copysign(1.0, x)
    fixture = Fixture(
        name,
        (x, middle_y, low + 0.024),
        access="front",
        cavity=(
            (x - HALF_WIDTH + 0.02, front - 0.005, low + 0.01),
            (x + HALF_WIDTH - 0.02, front + 2 * depth, low + 2 * half_z),
        ),
        panel=_door_panel(
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
    geoms += _door(scene, fixture, style.cabinet, (HALF_WIDTH - 0.004, 0.012, half_z), 0.09)
    scene.body(name, (0, 0, 0), geoms)
    scene.objects.append(WorldObject(name, name, (name,), is_fixed=True))
    return fixture


def add_fridge(scene: Scene, x: float, name: str = "fridge") -> Fixture:
    """A refrigerator 1.6 m high with one deep shelf at hand height."""
    front, depth, height, shelf = 0.62, 0.315, 1.6, 0.9
    middle_y = front + depth
    away = math.copysign(1.0, x)
    shell = Surface((0.35, 0.47, 0.58), finish="gloss")
    fixture = Fixture(
        name,
        (x, middle_y, shelf),
        access="front",
        cavity=(
            (x - HALF_WIDTH + 0.03, front - 0.005, shelf - 0.01),
            (x + HALF_WIDTH - 0.03, front + 2 * depth, height - 0.03),
        ),
        panel=_door_panel(
            (x + away * HALF_WIDTH, front - 0.022, 0.85),
            (x - away * (HALF_WIDTH - 0.06), front - 0.075, 1.1),
            away,
        ),
    )
    geoms = ""
    for part, half, pos, look in (
        ("base", (HALF_WIDTH, depth, 0.05), (x, middle_y, 0.05), shell),
        ("top", (HALF_WIDTH, depth, 0.02), (x, middle_y, height - 0.02), shell),
        ("left", (0.02, depth, height / 2), (x - HALF_WIDTH + 0.02, middle_y, height / 2), shell),
        ("right", (0.02, depth, height / 2), (x + HALF_WIDTH - 0.02, middle_y, height / 2), shell),
        ("back", (HALF_WIDTH, 0.02, height / 2), (x, front + 2 * depth - 0.02, height / 2), INSIDE),
        ("shelf", (HALF_WIDTH - 0.04, depth - 0.03, 0.01), (x, middle_y, shelf - 0.01), INSIDE),
        ("low_shelf", (HALF_WIDTH - 0.04, depth - 0.03, 0.01), (x, middle_y, 0.5), INSIDE),
    ):
        geoms += scene.visible(f"{name}.{part}", "box", half, look, pos, collide=STATIC)
    geoms += _door(scene, fixture, shell, (HALF_WIDTH, 0.02, 0.745), 0.2)
    scene.body(name, (0, 0, 0), geoms)
    scene.objects.append(WorldObject(name, name, (name,), is_fixed=True))
    return fixture


def add_stove(scene: Scene, style: Style, x: float, name: str = "stove") -> Fixture:
    """A cooker with one large burner that glows, a round button and a lamp on its back panel."""
    burner = (x - 0.1, 0.96, 0.904)
    button = (x - 0.22, 0.66, 0.915)
    geoms = scene.visible(
        f"{name}.top", "box", (HALF_WIDTH, 0.33, 0.02), DARK, (x, 0.93, 0.88), collide=STATIC
    )
    geoms += scene.visible(
        f"{name}.base", "box", (HALF_WIDTH - 0.01, 0.31, 0.42), style.front, (x, 0.95, 0.44),
        collide=STATIC,
    )  # fmt: skip
    geoms += scene.visible(f"{name}.oven", "box", (0.22, 0.01, 0.17), DARK, (x, 0.635, 0.5))
    off = Surface((0.16, 0.16, 0.17), finish="satin")
    geoms += scene.visible(f"{name}.burner", "cylinder", (0.17, 0.004), off, burner)
    geoms += scene.visible(
        f"{name}.panel", "box", (HALF_WIDTH, 0.02, 0.1), STEEL, (x, 1.24, 1.0), collide=STATIC
    )
    dark_lamp = Surface((0.05, 0.1, 0.06), finish="gloss")
    geoms += scene.visible(f"{name}.lamp", "box", (0.16, 0.008, 0.05), dark_lamp, (x, 1.215, 1.01))
    red = Surface((0.75, 0.04, 0.03), finish="gloss")
    geoms += scene.visible(f"{name}.button", "cylinder", (0.045, 0.015), red, button)
    scene.body(name, (0, 0, 0), geoms)
    scene.objects.append(WorldObject(name, name, (name,), is_fixed=True))
    scene.cues.append(
        Cue(
            name,
            {
                f"{name}.burner": Surface((1.0, 0.22, 0.03), finish="glow"),
                f"{name}.lamp": Surface((0.1, 1.0, 0.2), finish="glow"),
            },
        )
    )
    return Fixture(
        name,
        (burner[0], burner[1], 0.908),
        button=(button[0], button[1], 0.93),
        cue=len(scene.cues) - 1,
        heater=Heater((burner[0], burner[1], 0.98), 0.25),
    )
