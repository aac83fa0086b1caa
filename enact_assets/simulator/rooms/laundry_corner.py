"""The laundry corner of a garage: a washing machine on a pedestal, a dryer, a folding table."""

from enact_assets.simulator.rooms.fixtures import Fixture
from enact_assets.simulator.rooms.furniture import add_furniture, at_side
from enact_assets.simulator.rooms.garage import Style
from enact_assets.simulator.shapes.mjcf import Scene

add_washer = at_side("garage", "washer")
add_dryer = at_side("garage", "dryer")


def add_dispenser(scene: Scene, x: float, name: str = "dispenser") -> Fixture:
    """The open detergent dispenser on top of a washer at the side place ``x``: a wide cup."""
    return add_furniture(scene, "garage", "dispenser", (x, 0.0, 0.0), name=name)


def add_folding_table(scene: Scene, style: Style, name: str = "table") -> Fixture:
    """A table in the middle on crossed legs, 0.8 m high, with a rounded front edge."""
    return add_furniture(scene, "garage", "folding_table", (0.0, 0.0, 0.0), style, name=name)
