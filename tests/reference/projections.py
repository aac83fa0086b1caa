"""Where places in the world come to lie in a picture, and the rays of all its pixels in the world.

The way back from what the simulator has: it only ever goes from pixels to rays.
"""

import math

import numpy as np
from numpy.typing import NDArray

from enact_assets.settings.fisheye_lens import (
    HALF_FIELD_RAD,
    RADIANS_PER_HALF_EDGE,
    RADIANS_PER_HALF_EDGE_SQUARED,
)
from enact_assets.settings.registry import CameraSettings
from enact_assets.simulator.view.cameras import CameraPose, in_world, picture_directions

Floats = NDArray[np.float64]


def camera_rays(pose: CameraPose, settings: CameraSettings, size_px: int) -> Floats:
    """Unit ray directions in world axes, (size_px, size_px, 3), one per pixel centre."""
    return in_world(picture_directions(settings, size_px), pose)


def project(points: Floats, pose: CameraPose, settings: CameraSettings, size_px: int) -> Floats:
    """Picture coordinates (n, 2) as x, y in pixels of world points (n, 3).

    The centre of the upper left pixel is at (0.5, 0.5). Points out of view give NaN.
    """
    half = size_px / 2
    lens = _fisheye if settings.projection == "fisheye" else _pinhole
    found = []
    for point in points:
        right, up, forward = (float(axis @ (point - pose.position)) for axis in pose.axes)
        x, y = lens(right, up, forward, settings)
        found.append((half + half * x, half - half * y))
    return np.array(found)


def _pinhole(right: float, up: float, ahead: float, camera: CameraSettings) -> tuple[float, float]:
    """Half picture edges from the middle: similar triangles at the focal length."""
    if ahead <= 1e-9:
        return math.nan, math.nan
    scale = camera.focal_length_mm / (camera.aperture_mm / 2) / ahead
    return right * scale, up * scale


def _fisheye(right: float, up: float, ahead: float, _: CameraSettings) -> tuple[float, float]:
    """The same through the lens: the angle from the axis says how far, the sides say which way."""
    aside = math.hypot(right, up)
    angle = math.atan2(aside, ahead)
    if angle > HALF_FIELD_RAD:
        return math.nan, math.nan
    if aside == 0.0:
        return 0.0, 0.0
    # The smaller root of C r^2 + B r = angle.
    b, c = RADIANS_PER_HALF_EDGE, RADIANS_PER_HALF_EDGE_SQUARED
    share = (math.sqrt(b * b + 4 * c * angle) - b) / (2 * c)
    return share * right / aside, share * up / aside
