"""Triangle meshes of MuJoCo geoms, in the geom's own frame, ready for the renderer.

Every triangle has corners of its own (no shared vertices), so that shading normals may break at
sharp edges and texture coordinates where the mapping changes axis.
"""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from enact_assets.engine.errors import RenderError
from enact_assets.settings.arrays import Floats, Ints
from enact_assets.simulator.shapes.mjcf import lathe

if TYPE_CHECKING:
    import mujoco


CREASE_RAD = math.radians(40.0)
SEGMENTS = 32
RINGS = 12
UNBOUNDED_M = 20.0
"""Half edge drawn for a plane that MuJoCo takes as infinite."""


@dataclass(frozen=True)
class GeomMesh:
    """Corners (3 n, 3) of n triangles, three after three, and unit shading normals of each."""

    positions: Floats
    normals: Floats


@dataclass(frozen=True)
class TextureFrame:
    """Axes by which a geom's texture is laid out.

    A local point p has texture-frame coordinates ``rotation @ p + offset``; ``order`` lists the
    frame's axes from the geom's longest extent to its shortest.
    """

    rotation: Floats
    offset: Floats
    order: tuple[int, int, int]


def geom_mesh(model: "mujoco.MjModel", geom: int) -> GeomMesh:
    """The mesh of one geom. Errors: :class:`RenderError` for a type that cannot be drawn."""
    import mujoco

    kind, size = int(model.geom_type[geom]), model.geom_size[geom]
    types = mujoco.mjtGeom
    if kind == types.mjGEOM_BOX:
        vertices, faces = _box(size)
    elif kind == types.mjGEOM_PLANE:
        vertices, faces = _plane(size)
    elif kind == types.mjGEOM_CYLINDER:
        vertices, faces = lathe(_arc_profile(size[0], size[1], rings=0), SEGMENTS)
    elif kind == types.mjGEOM_CAPSULE:
        vertices, faces = lathe(_arc_profile(size[0], size[1], rings=RINGS), SEGMENTS)
    elif kind == types.mjGEOM_SPHERE:
        vertices, faces = lathe(_arc_profile(size[0], 0.0, rings=RINGS), SEGMENTS)
    elif kind == types.mjGEOM_ELLIPSOID:
        vertices, faces = lathe(_arc_profile(1.0, 0.0, rings=RINGS), SEGMENTS)
        vertices = vertices * size
    elif kind == types.mjGEOM_MESH:
        vertices, faces = _compiled(model, int(model.geom_dataid[geom]))
    else:
        name = model.geom(geom).name
        raise RenderError(
            f"geom {name!r} is a {types(kind).name}, which cannot be drawn "
            "(known: plane, box, sphere, capsule, ellipsoid, cylinder, mesh)"
        )
    return _shaded(vertices, faces)


def texture_frame(model: "mujoco.MjModel", geom: int) -> TextureFrame:
    """How textures lie on one geom: along its own axes, for a mesh along those it was given in.

    MuJoCo moves a mesh into its principal frame when it compiles; that is undone here.
    """
    import mujoco

    extent = model.geom_aabb[geom, 3:]
    rotation, offset = np.eye(3), np.zeros(3)
    if model.geom_type[geom] == mujoco.mjtGeom.mjGEOM_MESH:
        mesh = int(model.geom_dataid[geom])
        flat = np.zeros(9)
        mujoco.mju_quat2Mat(flat, model.mesh_quat[mesh])
        rotation, offset = flat.reshape(3, 3), model.mesh_pos[mesh].copy()
        first, n = model.mesh_vertadr[mesh], model.mesh_vertnum[mesh]
        given = model.mesh_vert[first : first + n].astype(np.float64) @ rotation.T
        extent = given.max(axis=0) - given.min(axis=0)
    # Rounded, so that the axes of a round thing do not change places by a last digit.
    a, b, c = (int(k) for k in np.argsort(-np.round(extent, 6), kind="stable"))
    return TextureFrame(rotation, offset, (a, b, c))


def texture_coordinates(frame: TextureFrame, points: Floats, normals: Floats) -> Floats:
    """Metres along the surface (n, 2) of local points (n, 3) with the given local normals.

    Each point is projected along the axis its normal is nearest to; u runs along the longer of the
    two axes that are left, so that grain follows a board.
    """
    in_frame = rotated(points, frame.rotation) + frame.offset
    across = np.argmax(np.round(np.abs(rotated(normals, frame.rotation)), 6), axis=1)
    result = np.empty((len(points), 2))
    for axis in range(3):
        u, v = (k for k in frame.order if k != axis)
        chosen = across == axis
        result[chosen, 0] = in_frame[chosen, u]
        result[chosen, 1] = in_frame[chosen, v]
    return result


def rotated(points: Floats, rotation: Floats) -> Floats:
    """``rotation`` (3, 3) applied to each of ``points`` (n, 3).

    Written out, because a matrix product may round differently with the number of threads.
    """
    x, y, z = points.T
    columns = [x * row[0] + y * row[1] + z * row[2] for row in rotation]
    return np.stack(columns, axis=1)


def face_normals(positions: Floats) -> Floats:
    """Unit normals (n, 3) of the triangles in ``positions`` (3 n, 3), by the right-hand rule."""
    a, b, c = positions[0::3], positions[1::3], positions[2::3]
    normals = np.cross(b - a, c - a)
    lengths = np.linalg.norm(normals, axis=1, keepdims=True)
    return np.asarray(normals / np.maximum(lengths, 1e-300))


def _box(size: Floats) -> tuple[Floats, Ints]:
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * size
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    return corners.astype(np.float64), _halves(quads)


def _plane(size: Floats) -> tuple[Floats, Ints]:
    x, y = (s if s > 0 else UNBOUNDED_M for s in size[:2])
    corners = np.array([[-x, -y, 0.0], [x, -y, 0.0], [x, y, 0.0], [-x, y, 0.0]])
    return corners, _halves([(0, 1, 2, 3)])


def _halves(quads: list[tuple[int, int, int, int]]) -> Ints:
    return np.array([t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))], dtype=np.int64)


def _arc_profile(radius: float, half_length: float, rings: int) -> Floats:
    """(radius, z) from the lower pole to the upper; without ``rings`` the ends are flat."""
    if rings == 0:
        profile = [(0, -half_length), (radius, -half_length), (radius, half_length)]
        return np.array([*profile, (0, half_length)], dtype=np.float64)
    angle = np.linspace(0.0, math.pi / 2, rings // 2 + 1)
    below = np.stack([radius * np.sin(angle), -half_length - radius * np.cos(angle)], axis=1)
    above = below[::-1] * np.array([1.0, -1.0])
    return np.concatenate([below, above if half_length > 0 else above[1:]])


def _compiled(model: "mujoco.MjModel", mesh: int) -> tuple[Floats, Ints]:
    first, n = model.mesh_vertadr[mesh], model.mesh_vertnum[mesh]
    vertices = model.mesh_vert[first : first + n].astype(np.float64)
    first, n = model.mesh_faceadr[mesh], model.mesh_facenum[mesh]
    return vertices, model.mesh_face[first : first + n].astype(np.int64)


def _shaded(vertices: Floats, faces: Ints) -> GeomMesh:
    """Split corners and smooth their normals over edges flatter than the crease angle.

    A corner's normal is the mean of the normals of the triangles that meet there and turn less
    than the crease angle from its own, weighted by area.
    """
    _, point = np.unique(np.round(vertices, 7), axis=0, return_inverse=True)
    corner_point = point.reshape(-1)[faces.reshape(-1)]
    positions = vertices[faces.reshape(-1)]
    flat = face_normals(positions)
    area = np.linalg.norm(
        np.cross(positions[1::3] - positions[0::3], positions[2::3] - positions[0::3]), axis=1
    )
    face_of_corner = np.repeat(np.arange(len(faces)), 3)
    order = np.argsort(corner_point, kind="stable")
    starts = np.flatnonzero(np.r_[True, np.diff(corner_point[order]) != 0])
    counts = np.diff(np.r_[starts, len(order)])
    normals = np.empty_like(positions)
    for start, count in zip(starts, counts, strict=True):
        corners = order[start : start + count]
        around = face_of_corner[corners]
        near = flat[around] @ flat[around].T > math.cos(CREASE_RAD)
        normals[corners] = (near * area[around]) @ flat[around]
    lengths = np.linalg.norm(normals, axis=1, keepdims=True)
    own = flat[face_of_corner]
    smooth = np.where(lengths > 1e-12, normals / np.maximum(lengths, 1e-300), own)
    return GeomMesh(positions, np.asarray(smooth))
