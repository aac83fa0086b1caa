"""The shell of every room: floor, four walls, windows with a view, a door, and what hangs there.

The robot looks at the back wall and sees parts of the left and right one; the wall behind it shows
in reflections and keeps the light in. Only the floor is an object of the scene graph.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

import msgspec

from enact_assets.engine.errors import SettingsError, entry_named
from enact_assets.engine.package_files import file_bytes
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
from enact_assets.simulator.shapes.mjcf import STATIC, Scene
from enact_assets.simulator.shapes.surfaces import Surface
from enact_assets.simulator.shapes.world import WorldObject

StyleOf = TypeVar("StyleOf")
STEEL = Surface((0.62, 0.63, 0.65), finish="metal")

TRIM = Surface((0.9, 0.9, 0.88))


@dataclass(frozen=True)
class Window:
    """A window in the back wall: its middle, half size of the opening, panes and the view.

    ``view`` names an entry of :data:`VIEWS`.
    """

    x: float = 0.0
    z: float = 1.8
    half_width: float = 0.3
    half_height: float = 0.3
    columns: int = 1
    rows: int = 1
    view: str = "garden"
    frame: Surface = TRIM


CASEMENT = Window()


def add_window(scene: Scene, window: Window) -> str:
    """Frame, bars, sill, and the view as layers behind the opening."""
    seen = entry_named(VIEWS, window.view, "view", "See simulator/rooms/shell.py.")
    face, x, z = Face(scene, "back"), window.x, window.z
    half_x, half_z, bar = window.half_width, window.half_height, 0.022
    boards = [
        ("left", x - half_x, z, bar, half_z + bar),
        ("right", x + half_x, z, bar, half_z + bar),
        ("low", x, z - half_z, half_x + bar, bar),
        ("high", x, z + half_z, half_x + bar, bar),
    ]
    for k in range(1, window.columns):
        at = x - half_x + 2 * half_x * k / window.columns
        boards.append((f"post_{k}", at, z, bar / 2, half_z))
    for k in range(1, window.rows):
        at = z - half_z + 2 * half_z * k / window.rows
        boards.append((f"bar_{k}", x, at, half_x, bar / 2))
    geoms = ""
    for part, mx, mz, hx, hz in boards:
        is_inner = part.startswith(("post", "bar"))
        layer = (-0.05, -0.02) if is_inner else (-0.05, 0.018)
        name = f"room.window_{part}"
        geoms += face.box(name, window.frame, (mx, mz), (hx, hz), layer=layer)
    sill, size = (x, z - half_z - bar - 0.012), (half_x + 0.06, 0.012)
    geoms += face.box("room.window_sill", window.frame, sill, size, layer=(-0.01, 0.06))
    return geoms + _view(face, window, seen)


@dataclass(frozen=True)
class View:
    """What is seen through a window, from back to front: layers from and to a share of its height,
    then trees as (x, height of the crown's middle, its radius), in shares of its height; x counts
    from the middle of the window.
    """

    layers: tuple[tuple[Surface, float, float], ...]
    trees: tuple[tuple[float, float, float], ...] = ()


def _view(face: Face, window: Window, view: View) -> str:
    low, height = window.z - window.half_height, 2 * window.half_height
    geoms = ""
    for k, (look, start, stop) in enumerate(view.layers):
        middle = (window.x, low + height * (start + stop) / 2)
        half = (window.half_width, height * (stop - start) / 2)
        layer = (-THICKNESS - 0.01, -THICKNESS + 0.004 * (k + 1))
        geoms += face.box(f"room.view_{k}", look, middle, half, layer=layer)
    # Trees stand in front of the sky and behind all else.
    layer = (-THICKNESS - 0.01, -THICKNESS + 0.006)
    for k, (x, crown, radius) in enumerate(view.trees):
        place = (window.x + x * height, low + crown * height)
        if abs(place[0] - window.x) > window.half_width + radius * height:
            continue
        name = f"room.tree_{k}"
        geoms += face.round(f"{name}.crown", LEAVES, place, radius * height, layer=layer)
        trunk, half = (place[0], low + crown * height / 2), (0.018 * height, crown * height / 2)
        geoms += face.box(f"{name}.trunk", BARK, trunk, half, layer=(layer[0], layer[1] - 0.001))
    return geoms


SKY = Surface((0.55, 0.75, 0.95), finish="matte")
LAWN = Surface((0.22, 0.42, 0.14), "speckles", "matte", (0.3, 0.5, 0.2))
HEDGE = Surface((0.1, 0.24, 0.09), "mottled", "matte", (0.2, 0.38, 0.14), 0.1)
FENCE = Surface((0.34, 0.2, 0.12), "stripes", "matte", (0.24, 0.14, 0.08), 0.03)
HILLS = Surface((0.36, 0.5, 0.5), finish="matte")
BRICK = Surface((0.5, 0.24, 0.17), "tile", "matte", (0.75, 0.68, 0.62), 0.08)
STREET = Surface((0.3, 0.3, 0.31), finish="matte")
LEAVES = Surface((0.12, 0.3, 0.1), "mottled", "matte", (0.3, 0.5, 0.18), 0.08)
BARK = Surface((0.2, 0.13, 0.08), finish="matte")

VIEWS: dict[str, View] = {
    "garden": View(
        ((SKY, 0.0, 1.0), (FENCE, 0.2, 0.4), (LAWN, 0.0, 0.28)),
        ((-0.3, 0.66, 0.17), (0.34, 0.58, 0.13), (-1.3, 0.6, 0.16), (1.1, 0.7, 0.2)),
    ),
    "hills": View(
        ((SKY, 0.0, 1.0), (HILLS, 0.2, 0.5), (HEDGE, 0.2, 0.36), (LAWN, 0.0, 0.28)),
        ((0.22, 0.56, 0.12), (-1.0, 0.6, 0.15)),
    ),
    "street": View(((SKY, 0.0, 1.0), (BRICK, 0.0, 0.62), (STREET, 0.0, 0.12))),
}


def read_styles(of: type[StyleOf], room: str) -> tuple[StyleOf, ...]:
    """The styles of a kind of room, in the file of its name. Errors: :class:`SettingsError`."""
    path = Path(__file__).parent / "styles" / f"{room}.yaml"
    try:
        found = msgspec.yaml.decode(file_bytes(path), type=tuple[of, ...])  # type: ignore[valid-type]
        # Where a file says nothing, an instance has no value of its own before it is made anew.
        return tuple(replace(style) for style in found)
    except msgspec.MsgspecError as error:
        raise SettingsError(f"{path.name}: {error}") from error


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
    skirting: Surface = TRIM,
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
    geoms += _door(scene)
    geoms += _skirting(scene, skirting)
    for k, item in enumerate(decor):
        add = entry_named(DECOR, item.kind, "decor", "See simulator/rooms/decor.py.")
        geoms += add(scene, f"room.{item.kind}_{k}", item)
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


def _door(scene: Scene) -> str:
    """A closed door in the wall behind the robot."""
    face, x, half, height = Face(scene, "behind"), 0.6, 0.42, 2.05
    geoms = face.box("room.door", TRIM, (x, height / 2), (half, height / 2), layer=(0.0, 0.02))
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
