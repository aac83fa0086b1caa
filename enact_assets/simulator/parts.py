"""What builders of things share: the parts they return and a few surfaces and shapes."""

from collections.abc import Callable
from dataclasses import dataclass

from enact_assets.simulator.shapes import Scene
from enact_assets.simulator.world import Surface

Color = tuple[float, float, float]
Vec3 = tuple[float, float, float]


@dataclass(frozen=True)
class Parts:
    """A thing's geoms and the fields of :class:`Thing` that depend on its kind, in m.

    The hand takes it ``grasp_out`` from its axis on the robot's side, at ``grasp_height``, with the
    fingers ``grip`` apart. Things put on or into it rest at ``rest_height``. ``cavity`` is the box
    (low corner, high corner) whose inside counts as inside the thing.
    """

    geoms: str
    grasp_out: float
    grasp_height: float
    grip: float
    radius: float
    height: float
    rest_height: float = 0.0
    cavity: tuple[Vec3, Vec3] | None = None
    is_slicer: bool = False


Builder = Callable[[Scene, str, Color], Parts]
"""Adds a thing of one kind, called by its name, in a colour, to a scene."""


def gloss(color: Color) -> Surface:
    """A shiny surface of one colour."""
    return Surface(color, finish="gloss")


def darker(color: Color, share: float = 0.45) -> Color:
    """The same hue with ``share`` of the light."""
    return (color[0] * share, color[1] * share, color[2] * share)


def upright_cylinder(radius: float, bottom: float, top: float, mass: float) -> str:
    """A cylinder about the axis that only collides."""
    half = (top - bottom) / 2
    return Scene.solid("cylinder", (radius, half), (0, 0, bottom + half), mass)
