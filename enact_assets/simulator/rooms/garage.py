"""A garage: a workbench between a place for storage and a place for cleaning, bare walls.

Brick or painted concrete, a roller door in one side wall and a board with outlines of tools above
the bench tell it from a kitchen or living room. x runs to the right, y away from the robot, and
the floor is z = 0.
"""

from dataclasses import dataclass

from enact_assets.simulator.rooms.decor import Decor
from enact_assets.simulator.rooms.furniture import inward
from enact_assets.simulator.rooms.shell import Window, add_shell, look_of
from enact_assets.simulator.rooms.walls import Face
from enact_assets.simulator.shapes.mjcf import Scene
from enact_assets.simulator.shapes.surfaces import Surface

BENCH_M = 0.84
"""Height of the workbench."""

DARK = Surface((0.03, 0.03, 0.035), finish="gloss")
ENAMEL = Surface((0.86, 0.87, 0.88), finish="gloss")
GRIME = Surface((0.2, 0.19, 0.18), finish="matte")


@dataclass(frozen=True)
class Style:
    """Colours of one garage: ``metal`` is that of its cupboards, ``gate`` that of its door."""

    wall: Surface
    floor: Surface
    top: Surface
    metal: Surface
    frame: Surface
    pegboard: Surface
    outline: Surface
    gate: Surface
    appliance: Surface = ENAMEL


def _plywood(light: tuple[float, float, float], dark: tuple[float, float, float]) -> Surface:
    return Surface(light, "wood", "satin", dark, 0.14)


STYLES: tuple[Style, ...] = (
    Style(
        wall=Surface((0.42, 0.17, 0.11), "brick", "matte", (0.66, 0.6, 0.54), 0.24),
        floor=Surface((0.5, 0.5, 0.49), "mottled", "matte", (0.36, 0.36, 0.36), 0.5),
        top=_plywood((0.66, 0.47, 0.27), (0.5, 0.32, 0.16)),
        metal=Surface((0.05, 0.16, 0.42), finish="gloss"),
        frame=Surface((0.14, 0.15, 0.17), finish="satin"),
        pegboard=Surface((0.72, 0.57, 0.36), finish="matte"),
        outline=Surface((0.12, 0.1, 0.08), finish="matte"),
        gate=Surface((0.78, 0.78, 0.75), finish="satin"),
    ),
    Style(
        wall=Surface((0.66, 0.7, 0.68), "mottled", "matte", (0.56, 0.6, 0.58), 0.4),
        floor=Surface((0.36, 0.13, 0.1), "speckles", "satin", (0.5, 0.3, 0.26), 0.12),
        top=Surface((0.58, 0.59, 0.6), "brushed", "satin", (0.68, 0.69, 0.7), 0.2),
        metal=Surface((0.85, 0.6, 0.04), finish="gloss"),
        frame=Surface((0.08, 0.08, 0.09), finish="satin"),
        pegboard=Surface((0.2, 0.24, 0.28), finish="matte"),
        outline=Surface((0.95, 0.78, 0.1), finish="matte"),
        gate=Surface((0.2, 0.3, 0.26), finish="satin"),
        appliance=Surface((0.45, 0.47, 0.5), finish="gloss"),
    ),
    Style(
        wall=Surface((0.8, 0.79, 0.75), "brick", "matte", (0.62, 0.61, 0.58), 0.24),
        floor=Surface((0.12, 0.12, 0.13), "checks", "satin", (0.34, 0.35, 0.36), 0.8),
        top=_plywood((0.78, 0.6, 0.36), (0.62, 0.44, 0.24)),
        metal=Surface((0.5, 0.05, 0.05), finish="gloss"),
        frame=Surface((0.5, 0.5, 0.52), finish="metal"),
        pegboard=Surface((0.9, 0.9, 0.88), finish="matte"),
        outline=Surface((0.65, 0.08, 0.06), finish="matte"),
        gate=Surface((0.14, 0.26, 0.42), finish="satin"),
    ),
    Style(
        wall=Surface((0.46, 0.48, 0.5), "tile", "matte", (0.72, 0.73, 0.73), 0.36),
        floor=Surface((0.3, 0.36, 0.4), "mottled", "satin", (0.2, 0.25, 0.29), 0.6),
        top=_plywood((0.44, 0.3, 0.19), (0.3, 0.19, 0.11)),
        metal=Surface((0.06, 0.32, 0.16), finish="gloss"),
        frame=Surface((0.75, 0.74, 0.7), finish="satin"),
        pegboard=Surface((0.1, 0.36, 0.38), finish="matte"),
        outline=Surface((0.9, 0.9, 0.86), finish="matte"),
        gate=Surface((0.66, 0.3, 0.1), finish="satin"),
        appliance=Surface((0.16, 0.2, 0.26), finish="gloss"),
    ),
)
"""The garages a seed may draw."""


def add_room(scene: Scene, style: Style, gate_x: float, *, tools: bool = True) -> None:
    """Walls, a small window, a roller door in the side wall where ``gate_x`` lies, a tube lamp,
    and with ``tools`` the board with outlines. Only the floor is an object.
    """
    scene.look = look_of("garage", STYLES, style)
    window = Window(z=1.8, half_width=0.5, half_height=0.14, columns=4, view="street")
    decor = (Decor("clock", "back", inward(gate_x) * 1.3, 1.72, 0.3, ((0.1, 0.1, 0.11),)),)
    add_shell(scene, style.wall, style.floor, window=window, decor=decor, skirting=GRIME)
    wall = Face(scene, "left" if gate_x < 0 else "right")
    geoms = ""
    for part, y in (("near", -1.36), ("far", 0.78)):
        geoms += wall.box(
            f"gate.rail_{part}", style.frame, (y, 1.0), (0.05, 1.04), layer=(0.0, 0.06)
        )
    geoms += wall.box("gate.case", style.frame, (-0.29, 2.12), (1.12, 0.12), layer=(0.0, 0.16))
    for k in range(14):
        z = 0.075 + 0.145 * k
        geoms += wall.box(
            f"gate.slat_{k}", style.gate, (-0.29, z), (1.03, 0.066), layer=(0.0, 0.03)
        )
    geoms += wall.box("gate.gap", DARK, (-0.29, 1.0), (1.03, 1.0), layer=(0.0, 0.012))
    back = Face(scene, "back")
    geoms += back.box("tube.case", style.frame, (0.0, 2.03), (0.6, 0.03), layer=(0.0, 0.05))
    geoms += back.box("tube.lamp", ENAMEL, (0.0, 2.015), (0.55, 0.018), layer=(0.05, 0.075))
    if tools:
        geoms += _pegboard(scene, style)
    scene.body("garage", (0, 0, 0), geoms)


def _pegboard(scene: Scene, style: Style) -> str:
    """A board on the back wall with painted outlines of a saw, a hammer, wrenches and pliers."""
    wall = Face(scene, "back")
    low = (0.0, 0.012)
    geoms = wall.box("pegboard.board", style.pegboard, (0.0, 1.29), (0.42, 0.26), layer=low)
    for k, (x, z, half_x, half_z) in enumerate(
        (
            (-0.29, 1.4, 0.09, 0.022), (-0.18, 1.4, 0.026, 0.05),
            (-0.05, 1.3, 0.011, 0.13), (-0.05, 1.42, 0.06, 0.026),
            (0.1, 1.3, 0.012, 0.11), (0.078, 1.43, 0.012, 0.028), (0.122, 1.43, 0.012, 0.028),
            (0.2, 1.28, 0.01, 0.08), (0.184, 1.38, 0.009, 0.022), (0.216, 1.38, 0.009, 0.022),
            (0.32, 1.38, 0.022, 0.04), (0.3, 1.27, 0.011, 0.08), (0.34, 1.27, 0.011, 0.08),
            (-0.29, 1.2, 0.018, 0.06), (-0.29, 1.3, 0.008, 0.05),
        )
    ):  # fmt: skip
        name = f"pegboard.outline_{k}"
        geoms += wall.box(name, style.outline, (x, z), (half_x, half_z), layer=(0.0, 0.016))
    return geoms
