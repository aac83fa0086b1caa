"""What things of many parts are drawn from: one row for each geom that is seen."""

from collections.abc import Iterable
from dataclasses import dataclass

from enact_assets.simulator.shapes.mjcf import Scene, Vec3, Vector
from enact_assets.simulator.shapes.surfaces import Surface

HALF_PI = 1.5707963267948966
ALONG_X: Vec3 = (0.0, HALF_PI, 0.0)
ALONG_Y: Vec3 = (HALF_PI, 0.0, 0.0)
"""Turns that lay a cylinder or capsule down: its axis points right, or away from the robot."""

STEEL = Surface((0.66, 0.68, 0.71), finish="gloss")
IRON = Surface((0.16, 0.17, 0.19), finish="gloss")
BLACK = Surface((0.03, 0.03, 0.035), finish="satin")
WHITE = Surface((0.92, 0.92, 0.9), finish="satin")


@dataclass(frozen=True)
class Piece:
    """A geom of a thing that is seen and touches nothing. ``size`` may name a mesh."""

    part: str
    kind: str
    size: Vector | str
    surface: Surface
    pos: Vec3 = (0.0, 0.0, 0.0)
    euler: Vec3 | None = None


def drawn(scene: Scene, name: str, pieces: Iterable[Piece]) -> str:
    """The geoms of the pieces of the thing ``name``."""
    return "".join(
        scene.visible(f"{name}.{p.part}", p.kind, p.size, p.surface, p.pos, euler=p.euler)
        for p in pieces
    )


def band(scene: Scene, name: str, radius: float, low: float, high: float) -> str:
    """The mesh of a thin tube about the axis: a label round a hollow vessel, a hoop."""
    inner, outer = radius - 0.0015, radius + 0.0015
    return scene.mesh(
        name, ((inner, low), (outer, low), (outer, high), (inner, high), (inner, low))
    )
