"""What the robot's head sees of a box, estimated: rectangles in its picture, without casting rays.

The head is where it is while the robot works at the left, in the middle or at the right, and turned
towards the middle. Arms are not known ahead: a recording is measured by casting rays.
"""

import math
from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

from enact_assets.settings.classes import CameraSettings
from enact_assets.simulator.robot.stances import TURN_PER_M
from enact_assets.simulator.shapes.mjcf import Vec3

EYES: tuple[Vec3, ...] = ((-0.34, 0.1, 1.75), (0.0, -0.1, 1.75), (0.34, 0.1, 1.75))
PITCH_RAD = 0.66
PICTURE_PX = 512
FILLED, UPPER = 0.6, 0.45
"""Share of its rectangle that a thing fills, and its upper part."""
LEAST_PX = 195
LEAST_SHARE = 0.4
"""So much of a thing is to be seen from everywhere, in pixels and of what is seen of it alone."""
ARM_PX = 36.0
"""Half the width of an arm in the picture, and a margin."""
_FOCAL_PX = PICTURE_PX * CameraSettings().focal_length_mm / CameraSettings().aperture_mm


class Seen(NamedTuple):
    """A rectangle in pixels from the picture's middle, how far away, and its share in there."""

    left: float
    right: float
    low: float
    high: float
    away: float
    share: float

    @property
    def area(self) -> float:
        """Pixels in it."""
        return max(self.right - self.left, 0.0) * max(self.high - self.low, 0.0)


def seen(
    low: Sequence[float], high: Sequence[float], eyes: Sequence[Vec3] = EYES
) -> tuple[Seen, ...]:
    """Where a box with these corners is in the picture, from each of the eyes."""
    return tuple(_seen(low, high, eye) for eye in eyes)


def _seen(low: Sequence[float], high: Sequence[float], eye: Vec3) -> Seen:
    cos, sin = math.cos(PITCH_RAD), math.sin(PITCH_RAD)
    aside, along = math.sin(TURN_PER_M * eye[0]), math.cos(TURN_PER_M * eye[0])
    across, up = [], []
    for x, y, z in product(*zip(low, high, strict=True)):
        dx, dy, above = x - eye[0], y - eye[1], z - eye[2]
        right, ahead = dx * along + dy * aside, dy * along - dx * aside
        depth = ahead * cos - above * sin
        across.append(_FOCAL_PX * right / depth)
        up.append(_FOCAL_PX * (ahead * sin + above * cos) / depth)
    half = PICTURE_PX / 2
    left, right = (min(max(edge, -half), half) for edge in (min(across), max(across)))
    bottom, top = (min(max(edge, -half), half) for edge in (min(up), max(up)))
    share = (right - left) * (top - bottom) / (max(across) - min(across)) / (max(up) - min(up))
    return Seen(left, right, bottom, top, (low[1] + high[1]) / 2 - eye[1], share)


def is_seen(thing: Sequence[Seen], other: Sequence[Seen] = ()) -> bool:
    """Whether enough of a thing is seen, if an ``other`` is there, too."""
    return all(
        _is_enough(one, 1.0 - _overlap(one, before) / one.area if one.area else 0.0)
        for one, before in zip(thing, other or thing, strict=True)
    )


def is_seen_in(
    cavity: tuple[Vec3, Vec3],
    low: Sequence[float],
    high: Sequence[float],
    eyes: Sequence[Vec3] = EYES,
    *,
    is_open_above: bool,
) -> bool:
    """Whether enough is seen of a box with these corners in a hollow, open above or in front."""
    shown, filled = (_above_walls, UPPER) if is_open_above else (_between_walls, FILLED)
    return all(
        _is_enough(one, shown(low, high, cavity, eye), filled)
        for one, eye in zip(seen(low, high, eyes), eyes, strict=True)
    )


def is_behind_arm(thing: Sequence[Seen], tool: Sequence[Seen], *, is_left: bool) -> bool:
    """Whether the arm that has just taken a tool hides the middle of a thing: it comes from the
    lower corner of the picture. Seen from where the tool is nearest to the middle.
    """
    seen_tool, one = min(
        zip(tool, thing, strict=True), key=lambda pair: abs(pair[0].left + pair[0].right)
    )
    corner = complex(-PICTURE_PX / 2 if is_left else PICTURE_PX / 2, -PICTURE_PX / 2)
    hand = complex((seen_tool.left + seen_tool.right) / 2, (seen_tool.low + seen_tool.high) / 2)
    middle = complex((one.left + one.right) / 2, (one.low + one.high) / 2)
    way = corner - hand
    along = ((middle - hand) * way.conjugate()).real / abs(way) ** 2
    return abs(middle - hand - min(max(along, 0.0), 1.0) * way) < ARM_PX


def _is_enough(thing: Seen, share: float, filled: float = FILLED) -> bool:
    is_large = filled * share * thing.area >= LEAST_PX
    return is_large and share * thing.share >= LEAST_SHARE


def _overlap(thing: Seen, other: Seen) -> float:
    """Pixels of a thing that another one hides."""
    if other.away >= thing.away:
        return 0.0
    width = min(thing.right, other.right) - max(thing.left, other.left)
    height = min(thing.high, other.high) - max(thing.low, other.low)
    return max(width, 0.0) * max(height, 0.0)


def _between_walls(
    low: Sequence[float], high: Sequence[float], cavity: tuple[Vec3, Vec3], eye: Vec3
) -> float:
    """Share of the middle of a box, as of a round thing, that is seen between the front edges of
    side walls.
    """
    (left, front, _), (right, _, _) = cavity
    far = ((low[1] + high[1]) / 2 - eye[1]) / (front - eye[1])
    edges = (eye[0] + far * (left - eye[0]), eye[0] + far * (right - eye[0]))
    width = min(high[0], edges[1]) - max(low[0], edges[0])
    return max(width, 0.0) / (high[0] - low[0])


def _above_walls(
    low: Sequence[float], high: Sequence[float], cavity: tuple[Vec3, Vec3], eye: Vec3
) -> float:
    """Share of the height of a box that is seen, in its middle, over the walls towards the eye."""
    (left, front, _), (right, _, top) = cavity
    x, y = ((low[k] + high[k]) / 2 for k in range(2))
    ways = [(y - front, front - eye[1])]  # From a wall to the box, and from the eye to the wall.
    ways += [(right - x, eye[0] - right)] if eye[0] > right else []
    ways += [(x - left, left - eye[0])] if eye[0] < left else []
    hidden = max(top - behind * (eye[2] - top) / before for behind, before in ways)
    return min(max((high[2] - hidden) / (high[2] - low[2]), 0.0), 1.0)
