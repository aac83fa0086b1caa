"""The fisheye lens: the ray of every pixel, by the numbers of :mod:`contracts.fisheye_lens`.

The picture is a circle on black. Aperture and focal length of :class:`CameraSettings` belong to the
pinhole and change nothing here.
"""

import numpy as np
from numpy.typing import NDArray

from enact_assets.contracts.fisheye_lens import (
    CIRCLE_SHARE,
    RADIANS_PER_HALF_EDGE,
    RADIANS_PER_HALF_EDGE_SQUARED,
)
from enact_assets.contracts.settings import CameraSettings

Floats = NDArray[np.float64]


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
