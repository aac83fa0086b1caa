"""Volumes in tilted vessels, by counting small cubes and by school geometry."""

import math

import numpy as np

Profile = tuple[tuple[float, float], ...]


def counted_volume(profile: Profile, up: np.ndarray, offset: float, edge: float = 0.0025) -> float:
    """Volume of the hollow's points p with up . p < offset, from cubes of ``edge`` metres."""
    heights, radii = zip(*profile, strict=True)
    widest = max(radii)
    across = np.arange(-widest, widest, edge) + edge / 2
    along = np.arange(heights[0], heights[-1], edge) + edge / 2
    x, y, z = np.meshgrid(across, across, along, indexing="ij")
    inside = np.hypot(x, y) < np.interp(z, heights, radii)
    below = up[0] * x + up[1] * y + up[2] * z < offset
    return float((inside & below).sum()) * edge**3


def cylinder_capacity(radius: float, height: float, tilt_rad: float) -> float:
    """What stays in a tilted cylindrical cup while its bottom is covered.

    The level runs from the lip down to the far wall; on average it is lower by radius tan(tilt).
    """
    slope = math.tan(tilt_rad)
    assert slope <= height / (2 * radius), "the bottom would show"
    return math.pi * radius**2 * (height - radius * slope)


def wedge_capacity(radius: float, height: float, tilt_rad: float) -> float:
    """What stays in it when the level just passes through the middle of the bottom.

    A cylindrical wedge has two thirds of radius squared times its height.
    """
    assert math.isclose(math.tan(tilt_rad), height / radius)
    return 2.0 / 3.0 * radius**2 * height


def frustum_volume(low: float, high: float, height: float) -> float:
    """Volume of a cone without its tip."""
    return math.pi * height / 3 * (low * low + low * high + high * high)
