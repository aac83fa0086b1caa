"""What the robot's head sees of a box, estimated: rectangles in its picture, without casting rays.

The head stands as it does over the middle of a room. Where it is turned, or an arm is before a
thing, is not known ahead: whoever needs to know casts rays when all has happened.
"""

import math
from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

from enact_assets.settings.classes import CameraSettings
from enact_assets.simulator.shapes.mjcf import Vec3

EYE: Vec3 = (0.0, -0.1, 1.75)
PITCH_RAD = 0.66
PICTURE_PX = 512
FILLED = 0.6
"""Share of its rectangle that a thing fills."""
LEAST_PX = 170
LEAST_SHARE = 0.5
"""So much of a thing is to be seen, in pixels and of what is seen of it where it stands alone."""
_FOCAL_PX = PICTURE_PX * CameraSettings().focal_length_mm / CameraSettings().aperture_mm


class Seen(NamedTuple):
    """A rectangle of the picture, in pixels from its middle, right and up, and how far it is."""

    left: float
    right: float
    low: float
    high: float
    away: float

    @property
    def area(self) -> float:
        """Pixels in it."""
        return max(self.right - self.left, 0.0) * max(self.high - self.low, 0.0)


def seen(low: Sequence[float], high: Sequence[float]) -> Seen:
    """Where a box with these corners is in the picture."""
    cos, sin = math.cos(PITCH_RAD), math.sin(PITCH_RAD)
    across, up = [], []
    for x, y, z in product(*zip(low, high, strict=True)):
        right, ahead, above = x - EYE[0], y - EYE[1], z - EYE[2]
        depth = ahead * cos - above * sin
        across.append(_FOCAL_PX * right / depth)
        up.append(_FOCAL_PX * (ahead * sin + above * cos) / depth)
    half = PICTURE_PX / 2
    left, right = (min(max(edge, -half), half) for edge in (min(across), max(across)))
    bottom, top = (min(max(edge, -half), half) for edge in (min(up), max(up)))
    return Seen(left, right, bottom, top, (low[1] + high[1]) / 2 - EYE[1])


def is_seen_behind(thing: Seen, other: Seen | None = None) -> bool:
    """Whether enough of a thing is seen, if ``other`` is there, too."""
    hidden = 0.0
    if other is not None and other.away < thing.away:
        width = min(thing.right, other.right) - max(thing.left, other.left)
        height = min(thing.high, other.high) - max(thing.low, other.low)
        hidden = max(width, 0.0) * max(height, 0.0)
    left = thing.area - hidden
    return FILLED * left >= LEAST_PX and left >= LEAST_SHARE * thing.area
