"""A picture cut into square parts, and which geoms each part can show.

Few geoms lie in a small part of the view, and most of the time of casting a ray goes into geoms it
cannot meet. A geom is left out of a part only if its bounding box lies wholly on the outer side of
a plane through the eye that has all of the part's rays on its inner side, so every ray meets what
it would meet among all geoms.
"""

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from enact_assets.settings.arrays import Bools, Floats
from enact_assets.settings.classes import CameraSettings
from enact_assets.simulator.view.cameras import CameraPose, picture_directions

if TYPE_CHECKING:
    import mujoco


PARTS_ACROSS = 8
LEAST_EDGE_PX = 32
"""Smaller parts cost more to set up than they save."""
PLANES = 8
"""Planes round a part: the four sides of a square and the four of one turned by 45 degrees."""
MARGIN_M = 1e-4
"""A geom this near to the inner side is kept, whatever rounding says."""


@dataclass(frozen=True)
class ViewPart:
    """Pixels ``[rows, columns]`` of a picture: rays (n, 3) of those that show anything, in camera
    axes, and their places among the part's pixels, None for all.
    """

    rows: slice
    columns: slice
    rays: Floats
    shown: Bools | None

    def fill(self, picture: NDArray[Any], values: NDArray[Any]) -> None:
        """Put one of ``values`` (n, ...) into every pixel of ``picture`` (h, w, ...) shown here."""
        block = picture[self.rows, self.columns]
        if self.shown is None:
            block[...] = values.reshape(block.shape)
        else:
            block[self.shown.reshape(block.shape[:2])] = values


@dataclass(frozen=True)
class CutPicture:
    """The parts of a picture and the inner normals (n_parts, PLANES, 3) of the planes round each,
    in camera axes; normals are 0 where a part is too wide for planes.
    """

    parts: tuple[ViewPart, ...]
    normals: Floats


@lru_cache(maxsize=4)
def cut_picture(camera: CameraSettings, size_px: int, rows: int) -> CutPicture:
    """The upper ``rows`` of a picture, in parts that show anything."""
    directions = picture_directions(camera, size_px)[:rows]
    edge = max(LEAST_EDGE_PX, math.ceil(size_px / PARTS_ACROSS))
    parts = []
    for top in range(0, rows, edge):
        for left in range(0, size_px, edge):
            down, across = slice(top, min(top + edge, rows)), slice(left, min(left + edge, size_px))
            rays = directions[down, across].reshape(-1, 3)
            shown = np.isfinite(rays[:, 0])
            if shown.all():
                parts.append(ViewPart(down, across, rays, None))
            elif shown.any():
                parts.append(ViewPart(down, across, rays[shown], shown))
    normals = np.array([_planes_round(part.rays) for part in parts])
    return CutPicture(tuple(parts), normals.reshape(-1, PLANES, 3))


def _planes_round(rays: Floats) -> Floats:
    """Normals (PLANES, 3) that have a product >= 0 with every one of ``rays`` (n, 3)."""
    axis = rays.mean(axis=0)
    axis /= np.linalg.norm(axis)
    ahead = rays @ axis
    if ahead.min() < 0.2:
        return np.zeros((PLANES, 3))
    # The sides of the part lie along the picture's right, as near as it is to a right angle.
    right = np.array([1.0, 0.0, 0.0]) if abs(axis[0]) < 0.9 else np.array([0.0, 1.0, 0.0])
    right -= axis * (right @ axis)
    right /= np.linalg.norm(right)
    up = np.cross(axis, right)
    found = []
    for k in range(PLANES):
        turn = 2.0 * math.pi * k / PLANES
        aside = math.cos(turn) * right + math.sin(turn) * up
        widest = float(np.arctan2(rays @ aside, ahead).max())
        found.append(axis * math.sin(widest) - aside * math.cos(widest))
    return np.stack(found)


def geoms_in_parts(
    model: "mujoco.MjModel", data: "mujoco.MjData", pose: CameraPose, normals: Floats
) -> Bools:
    """Which geoms may show in each part, (n_parts, ngeom), in the posed ``data``.

    ``normals`` are those of :func:`cut_picture`. Geoms without bounds are kept everywhere.
    """
    import mujoco

    kinds = mujoco.mjtGeom
    turn = data.geom_xmat.reshape(-1, 3, 3)
    middle = data.geom_xpos + np.einsum("gij,gj->gi", turn, model.geom_aabb[:, :3]) - pose.position
    reach = turn * model.geom_aabb[:, None, 3:]
    planes = normals @ pose.axes
    out_to = planes @ middle.T
    for k in range(3):
        out_to += np.abs(planes @ reach[:, :, k].T)
    unbounded = np.isin(model.geom_type, (kinds.mjGEOM_PLANE, kinds.mjGEOM_HFIELD))
    return np.asarray((out_to >= -MARGIN_M).all(axis=1) | unbounded)
