"""Comforts of a living room: what glows or sounds.

A button switches each of the fireplace, the lamp and the radio, and all show it from afar.
"""

from enact_assets.simulator.rooms.fixtures import Fixture
from enact_assets.simulator.rooms.furniture import add_furniture, at_side
from enact_assets.simulator.rooms.living_room import Style
from enact_assets.simulator.shapes.mjcf import Scene, Vec3

add_fireplace = at_side("living_room", "fireplace")


def add_lamp(scene: Scene, style: Style, at: Vec3, name: str = "table_lamp") -> Fixture:
    """A table lamp with a wide shade that glows, standing ``at``; its button is on its foot."""
    return add_furniture(scene, "living_room", "lamp", at, style, name=name)


def add_radio(scene: Scene, style: Style, at: Vec3, name: str = "radio") -> Fixture:
    """A wooden radio whose dial lights up, standing ``at``; its button is on its top."""
    return add_furniture(scene, "living_room", "radio", at, style, name=name)
