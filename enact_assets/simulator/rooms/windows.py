"""Windows in the back wall, and what is seen through them."""

from dataclasses import dataclass

from enact_assets.contracts.errors import UnknownNameError
from enact_assets.simulator.rooms.walls import THICKNESS, Face
from enact_assets.simulator.shapes.mjcf import Scene
from enact_assets.simulator.shapes.surfaces import Surface

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
TWO_PANES = Window(half_width=0.38, columns=2)
CROSS_BARS = Window(half_width=0.3, half_height=0.36, z=1.84, columns=2, rows=2)
WIDE = Window(z=2.1, half_width=1.0, half_height=0.24, columns=3)
"""Above wall cabinets."""
STRIP = Window(z=2.25, half_width=0.9, half_height=0.14, columns=4, view="street")
"""High and narrow, as in a garage."""


def add_window(scene: Scene, window: Window) -> str:
    """Frame, bars, sill, and the view as layers behind the opening."""
    if window.view not in VIEWS:
        raise UnknownNameError.of("view", window.view, VIEWS, "See simulator/rooms/windows.py.")
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
    return geoms + _view(face, window)


@dataclass(frozen=True)
class View:
    """What is seen through a window, from back to front: layers from and to a share of its height,
    then trees as (x, height of the crown's middle, its radius), in shares of its height; x counts
    from the middle of the window.
    """

    layers: tuple[tuple[Surface, float, float], ...]
    trees: tuple[tuple[float, float, float], ...] = ()


def _view(face: Face, window: Window) -> str:
    view, low, height = VIEWS[window.view], window.z - window.half_height, 2 * window.half_height
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
