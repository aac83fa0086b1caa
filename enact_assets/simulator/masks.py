"""Exact object masks by ray casting: which object every pixel of a picture shows.

One cast through MuJoCo's collision geometry serves the masks and the denoiser's guides. Only geom
groups 0 and 1 are seen; group 3 is there to collide and stays transparent.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from enact_assets.contracts.errors import RenderError
from enact_assets.contracts.registry import CameraSettings
from enact_assets.simulator.cameras import CameraPose, camera_pose, camera_rays
from enact_assets.simulator.poses import pose_world
from enact_assets.simulator.world import World, WorldState

if TYPE_CHECKING:
    import mujoco

Ints = NDArray[np.int32]
Floats = NDArray[np.float64]

VISIBLE_GROUPS = (0, 1)
NO_OBJECT = -1


@dataclass(frozen=True)
class RayHits:
    """What each of n rays hits first. ``geom`` is -1 where nothing is hit; then ``distance`` is -1
    and ``position`` and ``normal`` are 0. Normals (n, 3) face the eye.
    """

    geom: Ints
    distance: Floats
    position: Floats
    normal: Floats


@dataclass(frozen=True)
class MaskSize:
    """Size of one object's mask: pixels and its box, edges inclusive, counted from 0."""

    pixels: int
    x_min: int
    y_min: int
    x_max: int
    y_max: int


def cast_rays(world: World, data: "mujoco.MjData", origin: Floats, rays: Floats) -> RayHits:
    """First visible geom along each unit ray (n, 3) from ``origin`` (3,)."""
    import mujoco

    n = len(rays)
    groups = np.zeros(mujoco.mjNGROUP, dtype=np.uint8)
    groups[list(VISIBLE_GROUPS)] = 1
    geom = np.full((n, 1), -1, dtype=np.int32)
    distance = np.full((n, 1), -1.0)
    normal = np.zeros((3 * n, 1))
    mujoco.mj_multiRay(
        world.model,
        data,
        np.ascontiguousarray(origin, dtype=np.float64).reshape(3, 1),
        np.ascontiguousarray(rays, dtype=np.float64).reshape(3 * n, 1),
        groups.reshape(-1, 1),
        True,  # static geoms are seen too  # noqa: FBT003 (MuJoCo names no parameters)
        -1,
        geom,
        distance,
        normal,
        n,
        mujoco.mjMAXVAL,
    )
    hit = geom[:, 0] >= 0
    normals = normal.reshape(n, 3)
    normals[~hit] = 0.0
    normals[(normals * rays).sum(axis=1) > 0.0] *= -1.0
    reach = np.where(hit, distance[:, 0], -1.0)
    position = np.where(hit[:, None], origin + rays * reach[:, None], 0.0)
    return RayHits(geom[:, 0], reach, position, normals)


def geom_objects(world: World) -> Ints:
    """Index into ``World.objects`` of every geom, (ngeom,); -1 for geoms of no object.

    A geom belongs to the object that names its body or, failing that, the nearest ancestor.
    Errors: :class:`RenderError` if an object names a body the world lacks, or two objects one body.
    """
    import mujoco

    model = world.model
    owner = np.full(model.nbody, NO_OBJECT, dtype=np.int32)
    for index, item in enumerate(world.objects):
        for name in item.bodies:
            body = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, name)
            if body < 0:
                raise RenderError(f"object {item.name!r}: the world has no body {name!r}")
            if owner[body] != NO_OBJECT:
                other = world.objects[owner[body]].name
                raise RenderError(f"body {name!r} belongs to {other!r} and to {item.name!r}")
            owner[body] = index
    # MuJoCo numbers parents before their children.
    for body in range(1, model.nbody):
        if owner[body] == NO_OBJECT:
            owner[body] = owner[model.body_parentid[body]]
    return np.asarray(owner[model.geom_bodyid], dtype=np.int32)


def object_masks(world: World, state: WorldState, camera: CameraSettings, size_px: int) -> Ints:
    """Index into ``World.objects`` shown by each pixel, (size_px, size_px) int32; -1 for none.

    Errors: :class:`RenderError` for a state that does not fit the world,
    :class:`UnknownNameError` for an unknown projection.
    """
    if size_px < 1:
        raise RenderError(f"object masks: the picture edge must be at least 1 pixel, is {size_px}")
    data = pose_world(world, state)
    pose = camera_pose(world, data, camera)
    hits = cast_picture(world, data, pose, camera, size_px)
    return mask_of(hits, geom_objects(world), size_px)


def cast_picture(
    world: World,
    data: "mujoco.MjData",
    pose: CameraPose,
    camera: CameraSettings,
    size_px: int,
) -> RayHits:
    """Hits of the centre rays of a picture, in row order."""
    rays = camera_rays(pose, camera, size_px).reshape(-1, 3)
    return cast_rays(world, data, pose.position, rays)


def mask_of(hits: RayHits, owners: Ints, size_px: int) -> Ints:
    """Object index per pixel from hits; ``owners`` is :func:`geom_objects` of the world."""
    mask = np.where(hits.geom >= 0, owners[hits.geom], NO_OBJECT)
    return np.asarray(mask, dtype=np.int32).reshape(size_px, size_px)


def mask_sizes(mask: Ints) -> dict[int, MaskSize]:
    """Size of every object present in ``mask`` (h, w), by ascending object index."""
    rows, columns = np.nonzero(mask >= 0)
    indices = mask[rows, columns]
    sizes = {}
    for index in np.unique(indices):
        x, y = columns[indices == index], rows[indices == index]
        sizes[int(index)] = MaskSize(len(x), int(x.min()), int(y.min()), int(x.max()), int(y.max()))
    return sizes
