"""Furniture of tests, by name: what declarations take from the rows by its kind."""

from collections.abc import Callable

from enact_assets.simulator.rooms.fixtures import Fixture
from enact_assets.simulator.rooms.furnished import DRAWERS
from enact_assets.simulator.rooms.furniture import add_furniture
from enact_assets.simulator.shapes.mjcf import Scene


def at_side(theme: str, kind: str) -> Callable[..., Fixture]:
    """What adds a kind of furniture at a side place."""

    def add(scene: Scene, style: object, x: float, name: str = kind) -> Fixture:
        return add_furniture(scene, theme, kind, (x, 0.0, 0.0), style, name=name)

    return add


add_fridge = at_side("appliances", "fridge")
add_stove = at_side("appliances", "stove")
add_griddle = at_side("appliances", "griddle")
add_sink = at_side("appliances", "sink")
add_microwave = at_side("appliances", "microwave")
add_blender = at_side("appliances", "blender")
add_shelf = at_side("kitchen", "shelf")
add_cabinet = at_side("kitchen", "cabinet")
add_chest = at_side("storage", "chest")
MIDDLE = (0.0, 0.0, 0.0)


def add_drawer_unit(scene: Scene, style: object, x: float) -> tuple[Fixture, ...]:
    """A chest of drawers, and its two drawers."""
    chest = add_furniture(scene, "storage", "chest_of_drawers", (x, 0.0, 0.0), style)
    drawers = (
        add_furniture(scene, "storage", "drawer", (x, 0.0, z), style, name=name)
        for name, z in DRAWERS.items()
    )
    return chest, *drawers


def add_counter(scene: Scene, style: object, x: float, name: str, category: str) -> Fixture:
    """A base unit with a worktop."""
    at = (x, 0.0, 0.0)
    return add_furniture(scene, "kitchen", "counter", at, style, name=name, category=category)


def add_table(scene: Scene, style: object, name: str = "table") -> Fixture:
    """A table in the middle."""
    return add_furniture(scene, "kitchen", "table", MIDDLE, style, name=name)


def add_trash_can(scene: Scene, x: float, name: str = "trash_can") -> Fixture:
    """A bin at a side place."""
    return add_furniture(scene, "kitchen", "trash_can", (x, 0.0, 0.0), name=name)


def add_workbench(scene: Scene, style: object, name: str = "workbench") -> Fixture:
    """A bench in the middle."""
    return add_furniture(scene, "garage", "workbench", MIDDLE, style, name=name)
