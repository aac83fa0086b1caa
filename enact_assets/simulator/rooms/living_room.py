"""A living and dining room: three work places side by side against one wall, as in every room.

Warm colours, panelled walls, a rug, curtains and furniture on legs tell it from a kitchen. x runs
to the right, y away from the robot, and the floor is z = 0.
"""

import math
from dataclasses import dataclass

from enact_assets.simulator.rooms.fixtures import Fixture
from enact_assets.simulator.rooms.kitchen import HALF_WIDTH, door, door_panel, finish_fixture
from enact_assets.simulator.rooms.shell import WALL_Y, Decor, Window, add_shell, look_of
from enact_assets.simulator.rooms.walls import HALF_WIDTH as SIDE_X
from enact_assets.simulator.shapes.mjcf import STATIC, Scene
from enact_assets.simulator.shapes.surfaces import Color, Surface, darker
from enact_assets.simulator.things.thing_parts import Coat

TABLE_M, TABLE_Y = 0.78, 0.84
"""Height of the table, and its middle."""
UPPER_BOARD = "bookcase.upper_board"
"""The place on the upper board of the bookcase; what stands there is inside the bookcase."""
INSIDE = Surface((0.85, 0.83, 0.78), finish="satin")


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


def add_table(scene: Scene, style: Style, name: str = "table", coat: Coat | None = None) -> Fixture:
    """A dining table in the middle, 0.78 m high, with an apron and turned legs."""
    geoms = scene.visible(
        f"{name}.top", "box", (0.43, 0.36, 0.02), style.wood, (0, TABLE_Y, 0.76), collide=STATIC
    )
    geoms += scene.visible(
        f"{name}.apron", "box", (0.39, 0.32, 0.04), style.front, (0, TABLE_Y, 0.7)
    )
    for k, (sx, sy) in enumerate(((-1, -1), (1, -1), (-1, 1), (1, 1))):
        x, y = sx * 0.385, TABLE_Y + sy * 0.315
        geoms += scene.visible(
            f"{name}.leg_{k}", "cylinder", (0.03, 0.37), style.wood, (x, y, 0.37), collide=STATIC
        )
        geoms += scene.visible(f"{name}.ball_{k}", "sphere", (0.042,), style.wood, (x, y, 0.5))
    return finish_fixture(scene, Fixture(name, (0.0, TABLE_Y, TABLE_M), coat=coat), geoms)


def add_sideboard(scene: Scene, style: Style, x: float, name: str = "sideboard") -> Fixture:
    """A sideboard on legs with two panelled fronts, 0.86 m high."""
    geoms = scene.visible(
        f"{name}.top", "box", (HALF_WIDTH + 0.015, 0.365, 0.02), style.wood, (x, 0.915, 0.84),
        collide=STATIC,
    )  # fmt: skip
    geoms += scene.visible(
        f"{name}.body",
        "box",
        (HALF_WIDTH, 0.345, 0.3),
        style.wood,
        (x, 0.925, 0.52),
        collide=STATIC,
    )
    geoms += _fronts(scene, style, name, (x, 0.576), (0.52, 0.26))
    for k, (sx, sy) in enumerate(((-1, -1), (1, -1), (-1, 1), (1, 1))):
        geoms += scene.visible(
            f"{name}.leg_{k}", "cylinder", (0.018, 0.11), style.wood,
            (x + sx * 0.26, 0.925 + sy * 0.3, 0.11),
        )  # fmt: skip
    return finish_fixture(scene, Fixture(name, (x, 0.9, 0.86)), geoms)


def add_cupboard(scene: Scene, style: Style, x: float, name: str = "cupboard") -> Fixture:
    """A tall cupboard whose upper door opens away from the middle of the room."""
    front, depth, low, high = 0.88, 0.19, 0.84, 1.38
    y, middle_z, half_z = front + depth, (low + high) / 2, (high - low) / 2
    away = math.copysign(1.0, x)
    fixture = Fixture(
        name,
        (x, y, low),
        access="front",
        cavity=(
            (x - HALF_WIDTH + 0.02, front - 0.005, low - 0.01),
            (x + HALF_WIDTH - 0.02, front + 2 * depth, high),
        ),
        panel=door_panel(
            (x + away * HALF_WIDTH, front - 0.014, middle_z),
            (x - away * (HALF_WIDTH - 0.05), front - 0.07, middle_z - 0.02),
            away,
        ),
    )
    geoms = scene.visible(
        f"{name}.base", "box", (HALF_WIDTH, depth, low / 2), style.wood, (x, y, low / 2),
        collide=STATIC,
    )  # fmt: skip
    geoms += _fronts(scene, style, name, (x, front - 0.006), (0.42, 0.34))
    for part, half, pos in (
        ("top", (HALF_WIDTH + 0.02, depth + 0.02, 0.02), (x, y, high + 0.02)),
        ("left", (0.014, depth, half_z), (x - HALF_WIDTH + 0.014, y, middle_z)),
        ("right", (0.014, depth, half_z), (x + HALF_WIDTH - 0.014, y, middle_z)),
    ):
        geoms += scene.visible(f"{name}.{part}", "box", half, style.wood, pos, collide=STATIC)
    geoms += scene.visible(
        f"{name}.back", "box", (HALF_WIDTH, 0.008, half_z), INSIDE,
        (x, front + 2 * depth - 0.01, middle_z), collide=STATIC,
    )  # fmt: skip
    geoms += door(scene, fixture, style.front, (HALF_WIDTH - 0.004, 0.012, half_z - 0.004), 0.09)
    return finish_fixture(scene, fixture, geoms)


def _fronts(
    scene: Scene, style: Style, name: str, at: tuple[float, float], height: tuple[float, float]
) -> str:
    """Two closed fronts with knobs that only look like doors.

    ``at`` is their middle seen from above, ``height`` their mid-height and half of it.
    """
    geoms, (x, y), (middle, half) = "", at, height
    for k, dx in enumerate((-0.155, 0.155)):
        geoms += scene.visible(
            f"{name}.front_{k}", "box", (0.14, 0.006, half), style.front, (x + dx, y, middle)
        )
        knob = (x + dx - math.copysign(0.115, dx), y - 0.018, middle + 0.4 * half)
        geoms += scene.visible(f"{name}.knob_{k}", "sphere", (0.018,), BRASS, knob)
    return geoms


def add_shelf(scene: Scene, style: Style, x: float, name: str = "shelf") -> Fixture:
    """A board on brass brackets, 1.32 m high."""
    geoms = scene.visible(
        f"{name}.board", "box", (HALF_WIDTH - 0.01, 0.13, 0.02), style.wood,
        (x, 1.15, 1.31), collide=STATIC,
    )  # fmt: skip
    for k, sx in enumerate((-1, 1)):
        geoms += scene.visible(
            f"{name}.bracket_{k}", "box", (0.012, 0.1, 0.012), BRASS, (x + sx * 0.26, 1.17, 1.278)
        )
    return finish_fixture(scene, Fixture(name, (x, 1.15, 1.33), access="front"), geoms)


def add_bookcase(scene: Scene, style: Style, x: float) -> tuple[Fixture, Fixture]:
    """An open bookcase with two boards; the second fixture is only the place on the upper one.

    What stands on either board is inside the bookcase.
    """
    name, front, depth, top, lower, upper = "bookcase", 0.92, 0.17, 1.62, 0.8, 1.2
    y = front + depth
    geoms = scene.visible(
        f"{name}.plinth", "box", (HALF_WIDTH, depth, lower / 2 - 0.012), style.wood,
        (x, y, lower / 2 - 0.012), collide=STATIC,
    )  # fmt: skip
    geoms += _fronts(scene, style, name, (x, front), (0.4, 0.32))
    for part, half, pos in (
        ("lower", (HALF_WIDTH, depth, 0.012), (x, y, lower - 0.012)),
        ("upper", (HALF_WIDTH, depth, 0.012), (x, y, upper - 0.012)),
        ("top", (HALF_WIDTH + 0.015, depth + 0.01, 0.015), (x, y, top)),
        ("left", (0.014, depth, (top - lower) / 2), (x - 0.296, y, (top + lower) / 2)),
        ("right", (0.014, depth, (top - lower) / 2), (x + 0.296, y, (top + lower) / 2)),
    ):
        geoms += scene.visible(f"{name}.{part}", "box", half, style.wood, pos, collide=STATIC)
    geoms += scene.visible(
        f"{name}.back", "box", (HALF_WIDTH, 0.008, (top - lower) / 2), style.front,
        (x, front + 2 * depth - 0.01, (top + lower) / 2), collide=STATIC,
    )  # fmt: skip
    cavity = (
        (x - HALF_WIDTH + 0.02, front - 0.03, lower - 0.005),
        (x + HALF_WIDTH - 0.02, front + 2 * depth, top - 0.02),
    )
    bookcase = Fixture(name, (x, y, lower), access="front", cavity=cavity)
    upper_board = Fixture(UPPER_BOARD, (x, y, upper), access="front")
    return finish_fixture(scene, bookcase, geoms), upper_board
