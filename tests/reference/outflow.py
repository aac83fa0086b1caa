"""A tilted cylindrical cup that loses what it has no room for: one loop, one formula."""

import math
from collections.abc import Sequence

from reference.hollow_volumes import cylinder_capacity

MOST_M3_PER_S, LEAST_M3_PER_S, RUNOUT_S, FRAME_S = 5e-4, 3e-5, 0.15, 1 / 30
POURS_FROM_DEGREES = math.degrees(math.acos(0.995))


def cylinder_outflow(
    radius: float, height: float, share: float, degrees: Sequence[float]
) -> list[float]:
    """Volume left after each frame, tilted as ``degrees`` say."""
    volume = share * math.pi * radius**2 * height
    left = []
    for angle in degrees:
        excess = volume - cylinder_capacity(radius, height, math.radians(angle))
        if angle > POURS_FROM_DEGREES and excess > 0:
            rate = min(max(excess / RUNOUT_S, LEAST_M3_PER_S), MOST_M3_PER_S)
            volume -= min(rate * FRAME_S, excess)
        left.append(volume)
    return left
