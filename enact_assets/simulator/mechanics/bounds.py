"""Exact axis-aligned bounds of primitive geoms in any pose.

A mesh's own box, once rotated, is too large and loses OnTop; so bounds come from collision
primitives only, each by its closed form.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from enact_assets.engine.errors import PhysicsError
from enact_assets.settings.arrays import Floats, Ints

if TYPE_CHECKING:
    import mujoco


SPHERE, CAPSULE, ELLIPSOID, CYLINDER, BOX = 2, 3, 4, 5, 6
"""MuJoCo's mjtGeom codes of the primitives bounds are known for."""


@dataclass(frozen=True)
class GeomShapes:
    """The colliding geoms of a model: ids (g,), type codes (g,) and sizes (g, 3)."""

    ids: Ints
    types: Ints
    sizes: Floats

    @classmethod
    def of(cls, model: "mujoco.MjModel") -> "GeomShapes":
        """All geoms of ``model`` that take part in contacts."""
        collides = (model.geom_contype > 0) | (model.geom_conaffinity > 0)
        ids = np.flatnonzero(collides).astype(np.int64)
        return cls(ids, model.geom_type[ids].astype(np.int64), np.array(model.geom_size[ids]))

    def of_body(self, model: "mujoco.MjModel", name: str) -> "GeomShapes":
        """Those that move with one body of the world."""
        own = model.body_rootid[model.geom_bodyid[self.ids]] == model.body(name).id
        return GeomShapes(self.ids[own], self.types[own], self.sizes[own])


def geom_bounds(shapes: GeomShapes, pos: Floats, mat: Floats) -> tuple[Floats, Floats]:
    """Low and high corners, both (t, g, 3), of geoms at ``pos`` (t, g, 3), turned by ``mat``
    (t, g, 3, 3).

    Source: the support function of each primitive along the world axes.
    Errors: :class:`PhysicsError` for a colliding geom without a closed form (a mesh, a plane).
    """
    half = np.empty_like(pos)
    for k, (kind, size) in enumerate(zip(shapes.types, shapes.sizes, strict=True)):
        turn = mat[:, k]
        axis = np.abs(turn[:, :, 2])
        if kind == SPHERE:
            half[:, k] = size[0]
        elif kind == BOX:
            half[:, k] = np.abs(turn) @ size
        elif kind == CAPSULE:
            half[:, k] = size[0] + axis * size[1]
        elif kind == CYLINDER:
            half[:, k] = axis * size[1] + size[0] * np.sqrt(np.clip(1 - axis**2, 0, 1))
        elif kind == ELLIPSOID:
            half[:, k] = np.sqrt(((turn * size) ** 2).sum(axis=-1))
        else:
            raise PhysicsError(
                f"geom {int(shapes.ids[k])} collides but is not a primitive (type {int(kind)}): "
                "give it a collision box, cylinder or sphere"
            )
    return pos - half, pos + half
