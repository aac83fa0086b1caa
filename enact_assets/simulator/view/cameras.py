"""Cameras: where the eye is, and the ray of every pixel.

Camera axes are right, up and forward. Pictures are square; pixel (row 0, column 0) is the upper
left one and its ray goes through its centre. The head camera sits at the origin of
``World.head_body`` (x right, y forward, z up) and looks down by ``World.head_pitch_rad``.

The fisheye lens follows the numbers of :mod:`contracts.fisheye_lens`. Its picture is a circle on
black. Aperture and focal length of :class:`CameraSettings` belong to the pinhole and change nothing
of it.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from enact_assets.engine.errors import RenderError, entry_named
from enact_assets.settings.arrays import Floats
from enact_assets.settings.classes import CameraSettings
from enact_assets.settings.fisheye_lens import (
    CIRCLE_SHARE,
    RADIANS_PER_HALF_EDGE,
    RADIANS_PER_HALF_EDGE_SQUARED,
)
from enact_assets.simulator.shapes.world import World

if TYPE_CHECKING:
    import mujoco


def fisheye_directions(_: CameraSettings, size_px: int) -> Floats:
    """Unit rays (size_px, size_px, 3) in camera axes; NaN for pixels outside the circle."""
    across = (np.arange(size_px) + 0.5) / size_px * 2.0 - 1.0
    x, y = np.meshgrid(across, -across)
    radius = np.hypot(x, y)
    angle = radius * (RADIANS_PER_HALF_EDGE + radius * RADIANS_PER_HALF_EDGE_SQUARED)
    # In the very middle the ray is the axis, whichever way it leans.
    lean = np.sin(angle) / np.where(radius > 0.0, radius, 1.0)
    rays = np.stack([x * lean, y * lean, np.cos(angle)], axis=-1)
    rays /= np.sqrt((rays * rays).sum(axis=-1, keepdims=True))
    rays[radius > CIRCLE_SHARE] = np.nan
    return np.asarray(rays)


@dataclass(frozen=True)
class CameraPose:
    """Eye position (3,) in metres and ``axes`` (3, 3), whose rows are right, up and forward."""

    position: Floats
    axes: Floats


@dataclass(frozen=True)
class Projection:
    """A camera model. ``directions`` maps (settings, size) to unit rays (size, size, 3) in camera
    axes, NaN for pixels that show nothing. Pictures of a camera that is not a pinhole are put
    together from faces that are, see :mod:`simulator.view.faces`.
    """

    directions: Callable[[CameraSettings, int], Floats]
    is_pinhole: bool


def field_of_view_rad(settings: CameraSettings) -> float:
    """Field of view of a pinhole, horizontal and vertical: 2 atan(aperture / (2 focal length))."""
    return 2.0 * math.atan(settings.aperture_mm / (2.0 * settings.focal_length_mm))


def projection(settings: CameraSettings) -> Projection:
    """The projection named by ``settings``; raises :class:`UnknownNameError`."""
    advice = "Correct the variant's camera."
    return entry_named(PROJECTIONS, settings.projection, "camera projection", advice)


def camera_pose(world: World, data: "mujoco.MjData", settings: CameraSettings) -> CameraPose:
    """Pose of the head camera in the posed world ``data`` (see :mod:`simulator.view.poses`).

    ``height_offset_m`` shifts the eye along the world's z axis. Errors: :class:`RenderError` if
    the world has no head body.
    """
    import mujoco

    body = mujoco.mj_name2id(world.model, mujoco.mjtObj.mjOBJ_BODY, world.head_body)
    if body < 0:
        raise RenderError(f"camera: the world has no body {world.head_body!r} to carry it")
    head = data.xmat[body].reshape(3, 3)
    cos, sin = math.cos(world.head_pitch_rad), math.sin(world.head_pitch_rad)
    in_head = np.array([[1.0, 0.0, 0.0], [0.0, sin, cos], [0.0, cos, -sin]])
    position = data.xpos[body] + np.array([0.0, 0.0, settings.height_offset_m])
    return CameraPose(position, in_head @ head.T)


@lru_cache(maxsize=4)
def picture_directions(settings: CameraSettings, size_px: int) -> Floats:
    """Unit ray directions in camera axes, (size_px, size_px, 3), read-only: the same for every
    picture of a camera. NaN for pixels that show nothing, outside the circle of a fisheye.
    """
    directions = projection(settings).directions(settings, size_px)
    directions.setflags(write=False)
    return directions


def in_world(directions: Floats, pose: CameraPose) -> Floats:
    """Directions (..., 3) in camera axes, turned into world axes."""
    x, y, z = np.moveaxis(directions, -1, 0)[..., None]
    right, up, forward = pose.axes
    # Written out: a matrix product may round differently with the number of threads.
    return np.asarray(x * right + y * up + z * forward)


def _pinhole_directions(settings: CameraSettings, size_px: int) -> Floats:
    reach = math.tan(field_of_view_rad(settings) / 2.0)
    across = ((np.arange(size_px) + 0.5) / size_px * 2.0 - 1.0) * reach
    x, y = np.meshgrid(across, -across)
    rays = np.stack([x, y, np.ones_like(x)], axis=-1)
    return np.asarray(rays / np.linalg.norm(rays, axis=-1, keepdims=True))


PROJECTIONS: dict[str, Projection] = {
    "pinhole": Projection(_pinhole_directions, is_pinhole=True),
    "fisheye": Projection(fisheye_directions, is_pinhole=False),
}
