"""Meshes by lofting: closed skins over cross-sections along an axis, and ways to combine them.

A mesh is a pair of vertices (n, 3) and triangles (k, 3) that face outwards, as
:meth:`simulator.shapes.mjcf.Scene.mesh_of` takes it.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from enact_assets.settings.arrays import Floats, Ints

Mesh = tuple[Floats, Ints]

POINTS = 18
"""Corners of a cross-section. Shading is smoothed, so that few are enough."""


@dataclass(frozen=True)
class Section:
    """A cross-section at height ``z`` with its middle at (x, y): a superellipse of half size
    (half_x, half_y). ``square`` is its exponent: 2 for an ellipse, 4 or more for a rounded box.
    """

    z: float
    half_x: float
    half_y: float
    x: float = 0.0
    y: float = 0.0
    square: float = 2.0

    def outline(self, points: int) -> Floats:
        """Corners (points, 3), counter-clockwise seen from above."""
        turn = (np.arange(points) + 0.5) * (2.0 * math.pi / points)
        power = 2.0 / self.square
        cos, sin = np.cos(turn), np.sin(turn)
        return np.stack(
            [
                self.x + self.half_x * np.sign(cos) * np.abs(cos) ** power,
                self.y + self.half_y * np.sign(sin) * np.abs(sin) ** power,
                np.full(points, self.z),
            ],
            axis=1,
        )


def loft(sections: Sequence[Section], points: int = POINTS) -> Mesh:
    """The closed skin over ``sections``, given from low to high; flat at both ends."""
    rings = [section.outline(points) for section in sections]
    n = len(rings)
    middles = [[s.x, s.y, s.z] for s in (sections[0], sections[-1])]
    vertices = np.concatenate([*rings, np.array(middles)])
    low, high = n * points, n * points + 1
    faces = []
    for k in range(points):
        after = (k + 1) % points
        faces += [(low, after, k), (high, (n - 1) * points + k, (n - 1) * points + after)]
        for ring in range(n - 1):
            a, b = ring * points + k, ring * points + after
            faces += [(a, b, b + points), (a, b + points, a + points)]
    return vertices, np.array(faces, dtype=np.int64)


def rounded(sections: Sequence[Section], bevel: float, points: int = POINTS) -> Mesh:
    """:func:`loft` with the edges at both ends rounded by ``bevel``, within the same height."""
    first, last = sections[0], sections[-1]
    low = [_inset(first, first.z + up, by) for up, by in _quarter(bevel)]
    high = [_inset(last, last.z - up, by) for up, by in reversed(_quarter(bevel))]
    return loft([*low, *sections[1:-1], *high], points)


def _quarter(bevel: float) -> list[tuple[float, float]]:
    """(height, inset) along a rounded edge from its end inwards."""
    part = 1.0 - math.sqrt(0.5)
    return [(0.0, bevel), (part * bevel, part * bevel), (bevel, 0.0)]


def _inset(section: Section, z: float, by: float) -> Section:
    half_x, half_y = max(section.half_x - by, 1e-4), max(section.half_y - by, 1e-4)
    return replace(section, z=z, half_x=half_x, half_y=half_y)


def drum(radius: float, low: float, high: float, bevel: float, points: int = POINTS) -> Mesh:
    """A cylinder about z with rounded edges."""
    return rounded([Section(low, radius, radius), Section(high, radius, radius)], bevel, points)


def joined(*meshes: Mesh) -> Mesh:
    """Several meshes as one."""
    counts = np.cumsum([0] + [len(vertices) for vertices, _ in meshes])
    faces = [faces + start for (_, faces), start in zip(meshes, counts, strict=False)]
    return np.concatenate([vertices for vertices, _ in meshes]), np.concatenate(faces)


def moved(mesh: Mesh, x: float = 0.0, y: float = 0.0, z: float = 0.0) -> Mesh:
    """The mesh shifted."""
    return mesh[0] + np.array([x, y, z]), mesh[1]


def along_x(mesh: Mesh) -> Mesh:
    """The mesh turned so that its z axis points along x, and its x axis along y."""
    return mesh[0][:, [2, 0, 1]], mesh[1]


def along_y(mesh: Mesh) -> Mesh:
    """The mesh turned so that its z axis points along y, and its x axis along z."""
    return mesh[0][:, [1, 2, 0]], mesh[1]


def mirrored_x(mesh: Mesh) -> Mesh:
    """The mirror image across the plane x = 0."""
    return mesh[0] * np.array([-1.0, 1.0, 1.0]), mesh[1][:, ::-1].copy()


def mirrored_y(mesh: Mesh) -> Mesh:
    """The mirror image across the plane y = 0."""
    return mesh[0] * np.array([1.0, -1.0, 1.0]), mesh[1][:, ::-1].copy()
