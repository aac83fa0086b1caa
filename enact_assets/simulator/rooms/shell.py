"""The shell of every room: floor, four walls, a window with a view, a door, and what hangs there.

The robot looks at the back wall and sees parts of the left and right one; the wall behind it shows
in reflections and keeps the light in. Only the floor is an object of the scene graph.
"""

from collections.abc import Sequence

from enact_assets.contracts.errors import UnknownNameError
from enact_assets.simulator.rooms.decor import DECOR, Decor
from enact_assets.simulator.rooms.walls import (
    BEHIND_Y,
    HALF_WIDTH,
    HEIGHT,
    THICKNESS,
    WALL_Y,
    Face,
    Wall,
)
from enact_assets.simulator.rooms.windows import (
    CASEMENT,
    CROSS_BARS,
    STRIP,
    TRIM,
    TWO_PANES,
    WIDE,
    Window,
    add_window,
)
from enact_assets.simulator.shapes.mjcf import STATIC, Scene
from enact_assets.simulator.shapes.surfaces import Surface
from enact_assets.simulator.shapes.world import WorldObject

__all__ = [
    "CASEMENT", "CROSS_BARS", "STRIP", "TRIM", "TWO_PANES", "WALL_Y", "WIDE", "Decor", "Window",
    "add_shell", "look_of",
]  # fmt: skip

STEEL = Surface((0.62, 0.63, 0.65), finish="metal")


def look_of(room: str, styles: Sequence[object], style: object) -> str:
    """Kind of room and number of its style, from 1; 0 is a style of no list."""
    return f"{room} {styles.index(style) + 1 if style in styles else 0}"


def add_shell(
    scene: Scene,
    wall: Surface,
    floor: Surface,
    *,
    window: Window | None = CASEMENT,
    decor: Sequence[Decor] = (),
    door: Surface = TRIM,
    skirting: Surface = TRIM,
    ceiling: Surface | None = None,
) -> None:
    """Add the shell of a room: the object ``floor``, and the body ``room`` of all the rest.

    Errors: :class:`UnknownNameError` for an unknown view or kind of decor.
    """
    slab = scene.visible(
        "floor.slab", "box", (2.6, 2.6, 0.05), floor, (0, -0.6, -0.05), collide=STATIC
    )
    scene.body("floor", (0, 0, 0), slab)
    scene.objects.append(WorldObject("floor", "floor", ("floor",), is_fixed=True))
    geoms = _back_wall(scene, wall, window)
    middle_y, half_y = (WALL_Y + BEHIND_Y) / 2, (WALL_Y - BEHIND_Y) / 2
    for side, x in (("left", -HALF_WIDTH - THICKNESS / 2), ("right", HALF_WIDTH + THICKNESS / 2)):
        half = (THICKNESS / 2, half_y + THICKNESS, HEIGHT / 2)
        geoms += scene.visible(f"room.{side}", "box", half, wall, (x, middle_y, HEIGHT / 2))
    half = (HALF_WIDTH + THICKNESS, THICKNESS / 2, HEIGHT / 2)
    place = (0, BEHIND_Y - THICKNESS / 2, HEIGHT / 2)
    geoms += scene.visible("room.behind", "box", half, wall, place)
    geoms += _door(scene, door)
    geoms += _skirting(scene, skirting)
    if ceiling is not None:
        half = (HALF_WIDTH + THICKNESS, half_y + THICKNESS, THICKNESS / 2)
        place = (0, middle_y, HEIGHT + THICKNESS / 2)
        geoms += scene.visible("room.ceiling", "box", half, ceiling, place)
    for k, item in enumerate(decor):
        if item.kind not in DECOR:
            raise UnknownNameError.of("decor", item.kind, DECOR, "See simulator/rooms/decor.py.")
        geoms += DECOR[item.kind](scene, f"room.{item.kind}_{k}", item)
    scene.body("room", (0, 0, 0), geoms)


def _back_wall(scene: Scene, wall: Surface, window: Window | None) -> str:
    """The wall the robot looks at, built round the opening of the window."""
    outer = HALF_WIDTH + THICKNESS
    face = Face(scene, "back")
    layer = (-THICKNESS, 0.0)
    if window is None:
        middle, half = (0.0, HEIGHT / 2), (outer, HEIGHT / 2)
        return face.box("room.back", wall, middle, half, layer=layer)
    left, right = window.x - window.half_width, window.x + window.half_width
    low, high = window.z - window.half_height, window.z + window.half_height
    geoms = ""
    for part, x0, x1, z0, z1 in (
        ("below", -outer, outer, 0.0, low),
        ("above", -outer, outer, high, HEIGHT),
        ("left_of_window", -outer, left, low, high),
        ("right_of_window", right, outer, low, high),
    ):
        middle, half = ((x0 + x1) / 2, (z0 + z1) / 2), ((x1 - x0) / 2, (z1 - z0) / 2)
        geoms += face.box(f"room.back_{part}", wall, middle, half, layer=layer)
    return geoms + add_window(scene, window)


def _door(scene: Scene, look: Surface) -> str:
    """A closed door in the wall behind the robot."""
    face, x, half, height = Face(scene, "behind"), 0.6, 0.42, 2.05
    geoms = face.box("room.door", look, (x, height / 2), (half, height / 2), layer=(0.0, 0.02))
    for part, mx, mz, hx, hz in (
        ("left", x - half - 0.03, height / 2, 0.035, height / 2),
        ("right", x + half + 0.03, height / 2, 0.035, height / 2),
        ("top", x, height + 0.03, half + 0.065, 0.035),
    ):
        geoms += face.box(f"room.door_{part}", TRIM, (mx, mz), (hx, hz), layer=(0.0, 0.04))
    geoms += face.box(
        "room.door_handle", STEEL, (x - half + 0.1, 1.0), (0.06, 0.012), layer=(0.03, 0.05)
    )
    return geoms


def _skirting(scene: Scene, look: Surface) -> str:
    middle_y, half_y = (WALL_Y + BEHIND_Y) / 2, (WALL_Y - BEHIND_Y) / 2
    geoms = ""
    walls: tuple[tuple[Wall, float, float], ...] = (
        ("back", 0.0, HALF_WIDTH),
        ("left", middle_y, half_y),
        ("right", middle_y, half_y),
        ("behind", 0.0, HALF_WIDTH),
    )
    for wall, along, half in walls:
        name = f"room.skirting_{wall}"
        geoms += Face(scene, wall).box(
            name, look, (along, 0.045), (half, 0.045), layer=(0.0, 0.014)
        )
    return geoms
