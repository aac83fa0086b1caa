"""What builders of things return: the geoms of a thing, how it is held, and what it can hold."""

from collections.abc import Callable
from dataclasses import dataclass

from enact_assets.simulator.shapes.mjcf import Scene, Vec3
from enact_assets.simulator.shapes.surfaces import Color


@dataclass(frozen=True)
class Vessel:
    """The hollow of a vessel, in its own frame: a solid of revolution about the z axis.

    ``profile`` lists (height, radius) of the hollow from the bottom to the rim, heights rising. It
    pours over the lowest point of the rim, or over ``lip`` where it has a spout. The walls of an
    ``is_clear`` vessel are not drawn, only ribs and rims: its content is seen from the side.
    """

    profile: tuple[tuple[float, float], ...]
    lip: Vec3 | None = None
    is_clear: bool = False

    @property
    def mouth_radius(self) -> float:
        """Radius of the opening at the rim."""
        return self.profile[-1][1]

    @property
    def mouth_height(self) -> float:
        """Height of the rim."""
        return self.profile[-1][0]


@dataclass(frozen=True)
class Coat:
    """Where particles of a substance may lie on a thing: places in its frame (a fixture's: in the
    world), just above its surface.

    Each particle is shown by a flat disc about ``normal``, ``half_m`` thick to either side. On a
    thin blade the disc shows on both sides. ``patch_m`` replaces the substance's disc radius.
    """

    patches: tuple[Vec3, ...]
    normal: Vec3 = (0.0, 0.0, 1.0)
    half_m: float = 0.0025
    patch_m: float | None = None


@dataclass(frozen=True)
class Parts:
    """A thing's geoms and the fields of :class:`Thing` that depend on its kind, in m.

    The hand takes it ``grasp_out`` from its axis on the robot's side, at ``grasp_height``, with the
    fingers ``grip`` apart. Things put on or into it rest at ``rest_height``. ``cavity`` is the box
    (low corner, high corner) whose inside counts as inside the thing.

    ``vessel`` is the hollow that substances fill, ``coat`` where they may lie on it. A wiper takes
    up what it is drawn over, an applier what it is dipped into, a stirrer mixes; ``tip`` is the end
    of such a tool that does it. A lid rests on the rim of a vessel, not on its bottom.

    A wide thing can be carried by two hands, each ``grasp_wide`` from its axis to the left and
    right, at ``grasp_height``.
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
    vessel: Vessel | None = None
    coat: Coat | None = None
    is_wiper: bool = False
    is_applier: bool = False
    is_stirrer: bool = False
    is_lid: bool = False
    tip: Vec3 = (0.0, 0.0, 0.0)
    grasp_wide: float | None = None


Builder = Callable[[Scene, str, Color], Parts]
"""Adds a thing of one kind, called by its name, in a colour, to a scene."""


def upright_cylinder(radius: float, bottom: float, top: float, mass: float) -> str:
    """A cylinder about the axis that only collides."""
    half = (top - bottom) / 2
    return Scene.solid("cylinder", (radius, half), (0, 0, bottom + half), mass)
