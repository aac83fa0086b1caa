"""A garage: a workbench between a place for storage and a place for cleaning, bare walls.

Brick or painted concrete, a roller door in one side wall and a board with outlines of tools above
the bench tell it from a kitchen or living room. x runs to the right, y away from the robot, and
the floor is z = 0.
"""

from dataclasses import dataclass

from enact_assets.simulator.rooms.decor import Decor
from enact_assets.simulator.rooms.furniture import inward
from enact_assets.simulator.rooms.shell import Window, add_shell, look_of, read_styles
from enact_assets.simulator.rooms.walls import Face
from enact_assets.simulator.shapes.mjcf import Scene
from enact_assets.simulator.shapes.surfaces import Surface

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


STYLES = read_styles(Style, "garage")
"""The garages a seed may draw."""


def add_room(scene: Scene, style: Style, gate_x: float) -> None:
    """Walls, a small window, a roller door in the side wall where ``gate_x`` lies, a tube lamp,
    and the board with outlines. Only the floor is an object.
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
    scene.body("garage", (0, 0, 0), geoms + _pegboard(scene, style))


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
