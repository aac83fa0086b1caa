"""The fisheye lens: the rays of the Kannala-Brandt model.

A ray at angle t from the optical axis meets the picture at r(t) = t + k1 t^3 + k2 t^5 + k3 t^7 +
k4 t^9 times the focal length from the middle (Kannala and Brandt, 2006, equation 6). The picture
is a circle on black that ends where rays reach half the field of view. Aperture and focal length
of :class:`CameraSettings` belong to the pinhole and change nothing here.
"""

import math

import numpy as np
from numpy.typing import NDArray

from enact_assets.contracts.settings import CameraSettings

Floats = NDArray[np.float64]

COEFFICIENTS = (0.05, 0.01, -0.003, -0.0005)
"""k1 to k4, those of the fisheye example in the manual of Isaac Sim. r rises up to 1.9 rad (109
degrees), so that it can be inverted."""
FIELD_OF_VIEW_DEG = 190.0
CIRCLE_SHARE = 0.8
"""Diameter of the circle in picture edges, as measured on an official picture."""
NEWTON_STEPS = 4
"""One more than the inverse needs to reach the last digit."""

HALF_FIELD_RAD = math.radians(FIELD_OF_VIEW_DEG) / 2.0


def fisheye_directions(_: CameraSettings, size_px: int) -> Floats:
    """Unit rays (size_px, size_px, 3) in camera axes; NaN for pixels outside the circle."""
    across = ((np.arange(size_px) + 0.5) / size_px * 2.0 - 1.0) / _focal_edges()
    x, y = np.meshgrid(across, -across)
    radius = np.hypot(x, y)
    angle = _angle(radius)
    # In the very middle the ray is the axis, whichever way it leans.
    lean = np.sin(angle) / np.where(radius > 0.0, radius, 1.0)
    rays = np.stack([x * lean, y * lean, np.cos(angle)], axis=-1)
    rays /= np.sqrt((rays * rays).sum(axis=-1, keepdims=True))
    rays[radius > _radius(HALF_FIELD_RAD)] = np.nan
    return np.asarray(rays)


def _focal_edges() -> float:
    """Focal length in half picture edges: it puts half the field of view on the circle."""
    return CIRCLE_SHARE / float(_radius(np.float64(HALF_FIELD_RAD)))


def _radius(angle: Floats | float) -> Floats:
    k1, k2, k3, k4 = COEFFICIENTS
    s = np.square(angle)
    return np.asarray(angle * (1.0 + s * (k1 + s * (k2 + s * (k3 + s * k4)))))


def _angle(radius: Floats) -> Floats:
    """Inverse of :func:`_radius` by Newton's method; beyond the circle, its edge's angle."""
    k1, k2, k3, k4 = COEFFICIENTS
    edge = float(_radius(HALF_FIELD_RAD))
    wanted = np.minimum(radius, edge)
    angle = wanted / edge * HALF_FIELD_RAD
    for _ in range(NEWTON_STEPS):
        s = np.square(angle)
        slope = 1.0 + s * (3 * k1 + s * (5 * k2 + s * (7 * k3 + s * 9 * k4)))
        angle = angle - (_radius(angle) - wanted) / slope
    return np.asarray(angle)
