"""Furniture of any room that things go into from above: a chest of drawers and a chest with a lid.

Both stand at a work place as all furniture does and take a style of their own, so that every room
can give them its colours.
"""

from dataclasses import dataclass

from enact_assets.simulator.rooms.fixtures import Fixture
from enact_assets.simulator.rooms.furniture import add_furniture
from enact_assets.simulator.rooms.shell import STEEL
from enact_assets.simulator.shapes.mjcf import Scene
from enact_assets.simulator.shapes.surfaces import Surface

LINING = Surface((0.8, 0.76, 0.68), finish="matte")


@dataclass(frozen=True)
class Style:
    """Colours of a piece of furniture: its body, its drawer fronts or lid, its top, its handles."""

    body: Surface
    front: Surface
    top: Surface
    handle: Surface = STEEL
    lining: Surface = LINING


DRAWER_FLOORS = (0.66, 0.41)
"""Heights of the floors of the two drawers."""


def add_drawer_unit(
    scene: Scene,
    style: Style,
    x: float,
    name: str = "chest_of_drawers",
    drawers: tuple[str, str] = ("top_drawer", "bottom_drawer"),
) -> tuple[Fixture, Fixture, Fixture]:
    """A chest 0.9 m high with two drawers: the fixtures of its top and of the two drawers.

    Each is an object of its own, with its name as category.
    """
    chest = add_furniture(scene, "storage", "chest_of_drawers", (x, 0.0, 0.0), style, name=name)
    top, bottom = (
        add_furniture(scene, "storage", "drawer", (x, 0.0, z), style, name=drawer)
        for drawer, z in zip(drawers, DRAWER_FLOORS, strict=True)
    )
    return chest, top, bottom
