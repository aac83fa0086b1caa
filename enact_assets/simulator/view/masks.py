"""Exact object masks by ray casting: which object every pixel of a picture shows.

One way of casting through MuJoCo's geometry serves the masks and the denoiser's guides; masks need
no normals. Only geom groups 0 and 1 are seen; group 3 is there to collide and stays transparent.

The picture is cut into square parts: few geoms lie in a small part of the view, and most of the
time of casting a ray goes into geoms it cannot meet. A geom is left out of a part only if its
bounding box lies wholly on the outer side of a plane through the eye that has all of the part's
rays on its inner side, so every ray meets what it would meet among all geoms.
"""

import copy
import math
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from enact_assets.engine.errors import RenderError
from enact_assets.settings.arrays import Bools, Floats
from enact_assets.settings.classes import CameraSettings
from enact_assets.simulator.shapes.world import World, WorldState
from enact_assets.simulator.view.cameras import (
    CameraPose,
    camera_pose,
    in_world,
    picture_directions,
)
from enact_assets.simulator.view.faces import Face
from enact_assets.simulator.view.poses import pose_world

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


Ints = NDArray[np.int32]

VISIBLE_GROUPS = (0, 1)
NO_OBJECT = -1
CAST_THREADS = 2
"""A mask is cast by this many threads. Rays are independent: their number changes nothing."""
HIDDEN_GROUP = 5
"""Where a caster puts geoms that its rays cannot meet."""


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
    normals = np.zeros((len(rays), 3))
    geom, distance = _cast(world.model, data, origin, rays, normals)
    return _hits(origin, rays, geom, distance, normals)


def _hits(origin: Floats, rays: Floats, geom: Ints, distance: Floats, normals: Floats) -> RayHits:
    hit = geom >= 0
    normals[~hit] = 0.0
    normals[(normals * rays).sum(axis=1) > 0.0] *= -1.0
    reach = np.where(hit, distance, -1.0)
    position = np.where(hit[:, None], origin + rays * reach[:, None], 0.0)
    return RayHits(geom, reach, position, normals)


def _cast(
    model: "mujoco.MjModel",
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
        model,
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


def object_masks(
    world: World,
    state: WorldState,
    camera: CameraSettings,
    size_px: int,
    only: Collection[str] | None = None,
) -> Ints:
    """Index into ``World.objects`` shown by each pixel, (size_px, size_px) int32; -1 for none.
    Where something that moves is seen through glass, that is shown, and else the glass. Pixels are
    those of all objects, or at least all of those that are called so, which takes less time.

    Errors: :class:`RenderError` for a state that does not fit the world,
    :class:`UnknownNameError` for an unknown projection.
    """
    if size_px < 1:
        raise RenderError(f"object masks: the picture edge must be at least 1 pixel, is {size_px}")
    owners = geom_objects(world)
    # One MjData for each thread, all made here: a bad state must fail before any thread starts.
    posed = [pose_world(world, state) for _ in range(CAST_THREADS)]
    pose = camera_pose(world, posed[0], camera)
    geom = np.full((size_px, size_px), -1, dtype=np.int32)
    moves = np.array([not item.is_fixed for item in world.objects] + [False])[owners]
    wanted = [only is None or item.name in only for item in world.objects]
    asked = np.array([*wanted, only is None])[owners]

    def keep(part: ViewPart, origin: Floats, rays: Floats, caster: _Caster) -> None:
        part.fill(geom, caster.cast(origin, rays, shows=moves)[0])

    _each_part(world, posed, Face(pose, camera, size_px, size_px), keep, asked)
    return np.where(geom >= 0, owners[geom], np.int32(NO_OBJECT))


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

    Pixels that show nothing (see :func:`picture_directions`) hit nothing.
    """
    shape = (size_px if rows is None else rows, size_px)
    geom = np.full(shape, -1, dtype=np.int32)
    distance = np.full(shape, -1.0)
    position, normal = np.zeros((*shape, 3)), np.zeros((*shape, 3))

    def keep(part: ViewPart, origin: Floats, rays: Floats, caster: _Caster) -> None:
        normals = np.zeros((len(rays), 3))
        hits = _hits(origin, rays, *caster.cast(origin, rays, normals), normals)
        part.fill(geom, hits.geom)
        part.fill(distance, hits.distance)
        part.fill(position, hits.position)
        part.fill(normal, hits.normal)

    _each_part(world, [data], Face(pose, camera, size_px, shape[0]), keep)
    return RayHits(geom.ravel(), distance.ravel(), position.reshape(-1, 3), normal.reshape(-1, 3))


class _Caster:
    """Casts rays in one thread. MuJoCo takes scratch memory from ``data``, and hiding geoms changes
    the model, so every caster has its own of both.
    """

    def __init__(self, world: World, data: "mujoco.MjData") -> None:
        self._model = copy.copy(world.model)
        self._groups = world.model.geom_group.copy()
        self._is_glass = np.zeros(world.model.ngeom, dtype=np.bool_)
        glass = [name for name, surface in world.surfaces.items() if surface.finish == "glass"]
        self._is_glass[[world.model.geom(name).id for name in glass]] = True
        self._data = data

    def show(self, geoms: Bools) -> None:
        """Hide all geoms but these, (ngeom,)."""
        self._model.geom_group[:] = np.where(geoms, self._groups, HIDDEN_GROUP)

    def cast(
        self,
        origin: Floats,
        rays: Floats,
        normals: Floats | None = None,
        shows: Bools | None = None,
    ) -> tuple[Ints, Floats]:
        """See :func:`_cast`. What is behind glass is hit; with ``shows`` (ngeom,) only the geoms
        among these are, and the glass where there is none.
        """
        geom, distance = _cast(self._model, self._data, origin, rays, normals)
        through = np.flatnonzero((geom >= 0) & self._is_glass[geom])
        if through.size:
            groups = self._model.geom_group.copy()
            self._model.geom_group[self._is_glass] = HIDDEN_GROUP
            turned = None if normals is None else np.zeros((len(through), 3))
            behind, far = _cast(self._model, self._data, origin, rays[through], turned)
            self._model.geom_group[:] = groups
            is_shown = (
                np.ones(len(through), bool) if shows is None else shows[behind] & (behind >= 0)
            )
            chosen = through[is_shown]
            geom[chosen], distance[chosen] = behind[is_shown], far[is_shown]
            if normals is not None and turned is not None:
                normals[chosen] = turned[is_shown]
        return geom, distance


def _each_part(
    world: World,
    posed: Sequence["mujoco.MjData"],
    face: Face,
    keep: Callable[[ViewPart, Floats, Floats, _Caster], None],
    asked: Bools | slice = slice(None),
) -> None:
    """Call ``keep(part, eye, world rays, caster)`` for every part of a picture that can show one
    of the geoms ``asked`` (ngeom,), in one thread for each of ``posed``. The caster shows what the
    part can show.
    """
    cut = cut_picture(face.camera, face.size_px, face.rows)
    shown = geoms_in_parts(world.model, posed[0], face.pose, cut.normals)
    waiting = iter(np.flatnonzero(shown[:, asked].any(axis=1)).tolist())

    def work(data: "mujoco.MjData") -> None:
        caster = _Caster(world, data)
        for k in waiting:
            caster.show(shown[k])
            rays = in_world(cut.parts[k].rays, face.pose)
            keep(cut.parts[k], face.pose.position, rays, caster)

    if len(posed) == 1:
        work(posed[0])
        return
    with ThreadPoolExecutor(len(posed)) as pool:
        list(pool.map(work, posed))


def mask_sizes(mask: Ints) -> dict[int, MaskSize]:
    """Size of every object present in ``mask`` (h, w), by ascending object index."""
    rows, columns = np.nonzero(mask >= 0)
    indices = mask[rows, columns]
    sizes = {}
    for index in np.unique(indices):
        x, y = columns[indices == index], rows[indices == index]
        sizes[int(index)] = MaskSize(len(x), int(x.min()), int(y.min()), int(x.max()), int(y.max()))
    return sizes
