"""Where a garage keeps its tools: a toolbox with a lid, a drawer unit, a cupboard, a wall shelf."""

from types import SimpleNamespace

from enact_assets.simulator.rooms.fixtures import Fixture
from enact_assets.simulator.rooms.furniture import add_furniture, at_side
from enact_assets.simulator.shapes.mjcf import Scene
from enact_assets.simulator.shapes.surfaces import Surface

add_drawer_unit = at_side("garage", "tool_drawer", "drawer")
add_cupboard = at_side("garage", "tool_cupboard", "cabinet")
add_wall_shelf = at_side("garage", "wall_shelf", "shelf")


def add_toolbox(scene: Scene, look: Surface, name: str = "toolbox") -> Fixture:
    """A long tin box of this look at the back of the workbench, whose lid swings up and back."""
    tin = SimpleNamespace(tin=look)
    return add_furniture(scene, "garage", "toolbox", (0.0, 0.0, 0.0), tin, name=name)
