"""Boxes about the geoms of a scene, in the world."""

import mujoco
import numpy as np

from enact_assets.settings.arrays import Floats
from enact_assets.simulator.mechanics.bounds import GeomShapes, geom_bounds
from enact_assets.simulator.shapes.mjcf import Scene


def geom_boxes(scene: Scene) -> list[tuple[Floats, Floats, bool]]:
    """Low and high corner (3,) of each geom, and whether it collides; of a mesh those of its
    vertices.
    """
    model = mujoco.MjModel.from_xml_string(scene.xml())
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    solid = model.geom_contype > 0
    return [(*_box(model, data, geom), bool(solid[geom])) for geom in range(model.ngeom)]


def whole_box(scene: Scene) -> tuple[Floats, Floats]:
    """Low and high corner (3,) of all geoms together."""
    boxes = geom_boxes(scene)
    return np.min([low for low, _, _ in boxes], axis=0), np.max([h for _, h, _ in boxes], axis=0)


def _box(model: mujoco.MjModel, data: mujoco.MjData, geom: int) -> tuple[Floats, Floats]:
    pos, turn = data.geom_xpos[geom], data.geom_xmat[geom].reshape(3, 3)
    if model.geom_type[geom] == mujoco.mjtGeom.mjGEOM_MESH:
        mesh = model.geom_dataid[geom]
        first = model.mesh_vertadr[mesh]
        corners = model.mesh_vert[first : first + model.mesh_vertnum[mesh]] @ turn.T + pos
        return corners.min(axis=0), corners.max(axis=0)
    shapes = GeomShapes(
        np.array([geom]), np.array([int(model.geom_type[geom])]), model.geom_size[[geom]]
    )
    low, high = geom_bounds(shapes, pos[None, None], turn[None, None])
    return low[0, 0], high[0, 0]
