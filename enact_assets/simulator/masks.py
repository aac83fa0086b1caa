"""Exact object masks by ray casting: which object every pixel of a picture shows.

One way of casting through MuJoCo's geometry serves the masks and the denoiser's guides; masks need
no normals. Only geom groups 0 and 1 are seen; group 3 is there to collide and stays transparent.
"""

from concurrent.futures import ThreadPoolExecutor
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
CAST_THREADS = 2
"""A mask is cast in this many parts at once. Rays are independent: their number changes nothing."""


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
    n = len(rays)
    normals = np.zeros((n, 3))
    geom, distance = _cast(world, data, origin, rays, normals)
    hit = geom >= 0
    normals[~hit] = 0.0
    normals[(normals * rays).sum(axis=1) > 0.0] *= -1.0
    reach = np.where(hit, distance, -1.0)
    position = np.where(hit[:, None], origin + rays * reach[:, None], 0.0)
    return RayHits(geom, reach, position, normals)


def _cast(
    world: World,
    data: "mujoco.MjData",
    origin: Floats,
    rays: Floats,
    normals: Floats | None = None,
) -> tuple[Ints, Floats]:
    """Geom and distance (n,) of the first hits; fills ``normals`` (n, 3), if given.

    MuJoCo takes scratch memory from ``data``: no two threads may cast through the same one.
    """
    import mujoco

    n = len(rays)
    groups = np.zeros((mujoco.mjNGROUP, 1), dtype=np.uint8)
    groups[list(VISIBLE_GROUPS)] = 1
    geom = np.full((n, 1), -1, dtype=np.int32)
    distance = np.full((n, 1), -1.0)
    mujoco.mj_multiRay(
        world.model,
        data,
        np.ascontiguousarray(origin, dtype=np.float64).reshape(3, 1),
        np.ascontiguousarray(rays, dtype=np.float64).reshape(3 * n, 1),
        groups,
        True,  # static geoms are seen too  # noqa: FBT003 (MuJoCo names no parameters)
        -1,
        geom,
        distance,
        None if normals is None else normals.reshape(3 * n, 1),
        n,
        mujoco.mjMAXVAL,
    )
    return geom[:, 0], distance[:, 0]


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
    owners = geom_objects(world)
    # One MjData for each thread, all made here: a bad state must fail before any thread starts.
    posed = [pose_world(world, state) for _ in range(CAST_THREADS)]
    pose = camera_pose(world, posed[0], camera)
    rays = camera_rays(pose, camera, size_px).reshape(-1, 3)
    shown = np.isfinite(rays[:, 0])
    bands = np.array_split(rays if shown.all() else rays[shown], CAST_THREADS)

    def geoms_seen(data: "mujoco.MjData", band: Floats) -> Ints:
        return _cast(world, data, pose.position, band)[0]

    geom = np.full(len(rays), -1, dtype=np.int32)
    with ThreadPoolExecutor(CAST_THREADS) as pool:
        geom[shown] = np.concatenate(list(pool.map(geoms_seen, posed, bands)))
    return _owner_picture(geom, owners, size_px)


def cast_picture(
    world: World,
    data: "mujoco.MjData",
    pose: CameraPose,
    camera: CameraSettings,
    size_px: int,
    *,
    rows: int | None = None,
) -> RayHits:
    """Hits of the centre rays of a picture, or of its upper ``rows``, in row order.

    Pixels that show nothing (see :func:`camera_rays`) hit nothing.
    """
    rays = camera_rays(pose, camera, size_px)[:rows].reshape(-1, 3)
    shown = np.isfinite(rays[:, 0])
    if shown.all():
        return cast_rays(world, data, pose.position, rays)
    found = cast_rays(world, data, pose.position, rays[shown])
    hits = RayHits(
        np.full(len(rays), -1, dtype=np.int32),
        np.full(len(rays), -1.0),
        np.zeros((len(rays), 3)),
        np.zeros((len(rays), 3)),
    )
    hits.geom[shown], hits.distance[shown] = found.geom, found.distance
    hits.position[shown], hits.normal[shown] = found.position, found.normal
    return hits


def _owner_picture(geom: Ints, owners: Ints, size_px: int) -> Ints:
    mask = np.where(geom >= 0, owners[geom], NO_OBJECT)
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
