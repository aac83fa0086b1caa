"""Turns and profiles of which things and furniture have many."""

import math

from enact_assets.simulator.shapes.mjcf import Profile, Vec3

HALF_PI = 1.5707963267948966
ALONG_X: Vec3 = (0.0, HALF_PI, 0.0)
ALONG_Y: Vec3 = (HALF_PI, 0.0, 0.0)
"""Turns that lay a cylinder or capsule down: its axis points right, or away from the robot."""


def band_profile(radius: float, low: float, high: float) -> Profile:
    """A thin tube about the axis: a label round a hollow vessel, a hoop."""
    inner, outer = radius - 0.0015, radius + 0.0015
    return ((inner, low), (outer, low), (outer, high), (inner, high), (inner, low))


def dome_profile(radius: float, height: float, n: int) -> Profile:
    """Half a fruit on its skin: an elliptic arc of ``n`` steps up to the rim, closed flat."""
    turns = [k * math.pi / 2 / n for k in range(n + 1)]
    arc = [(radius * math.sin(turn), height * (1 - math.cos(turn))) for turn in turns]
    return (*arc, (0.0, height))
