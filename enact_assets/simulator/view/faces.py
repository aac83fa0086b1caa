"""Pictures a perspective sensor cannot take, put together from five it can.

Mitsuba has no fisheye sensor. One square face looks along the camera's axis and four look
sideways, as the sides of a cube; of the sideways ones only the part up to the edge of the view is
traced. Every ray of the picture takes its light from the face it points at most directly.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from enact_assets.settings.arrays import Floats, Floats32
from enact_assets.settings.classes import CameraSettings
from enact_assets.settings.fisheye_lens import HALF_FIELD_RAD
from enact_assets.simulator.view.cameras import CameraPose

FACE_SHARE = 0.75
"""Edge of a face in picture edges: finer than the picture in its middle, as fine at its rim."""
REACH = 1.05
"""Tangent of half a face's field of view. Beyond 1 faces overlap, so that no picture is read at
its border, where the denoiser sees only one side."""
LEAST_EDGE_PX = 24
"""At 21 pixels the overlap is half a pixel, the least that interpolation needs."""
TURNS: tuple[tuple[tuple[int, int, int], ...], ...] = (
    ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    ((0, 1, 0), (0, 0, 1), (1, 0, 0)),
    ((0, -1, 0), (0, 0, 1), (-1, 0, 0)),
    ((-1, 0, 0), (0, 0, 1), (0, 1, 0)),
    ((1, 0, 0), (0, 0, 1), (0, -1, 0)),
)
"""Right, up and forward of each face in camera axes. Up is the camera's forward on the sides, so
that the rows to be traced are the first."""


@dataclass(frozen=True)
class Face:
    """The upper ``rows`` of a pinhole picture of ``size_px`` columns."""

    pose: CameraPose
    camera: CameraSettings
    size_px: int
    rows: int


def fisheye_faces(pose: CameraPose, size_px: int) -> tuple[Face, ...]:
    """The five faces that hold a fisheye picture of edge ``size_px``, in the order of TURNS."""
    edge = max(LEAST_EDGE_PX, math.ceil(FACE_SHARE * size_px))
    pinhole = CameraSettings(aperture_mm=2.0 * REACH, focal_length_mm=1.0)
    # The lowest rays of a side leave it at its corners, 45 degrees from its middle.
    lowest = math.sqrt(2.0) / math.tan(HALF_FIELD_RAD) - (REACH - 1.0)
    side_rows = min(edge, math.ceil((REACH - lowest) / (2.0 * REACH) * edge) + 1)
    return tuple(
        Face(CameraPose(pose.position, _turned(pose.axes, turn)), pinhole, edge, rows)
        for turn, rows in zip(TURNS, (edge, *[side_rows] * 4), strict=True)
    )


def stitched(pictures: Sequence[Floats32], directions: Floats) -> Floats32:
    """Light (h, w, 3) along ``directions`` (h, w, 3) in camera axes, by bilinear interpolation in
    the ``pictures`` of :func:`fisheye_faces`; black where the direction is NaN.
    """
    result = np.zeros(directions.shape, dtype=np.float32)
    shown = np.isfinite(directions[..., 0])
    rays = directions[shown]
    turns = np.array(TURNS, dtype=np.float64)
    ahead = np.stack([_along(rays, turn[2]) for turn in turns], axis=-1)
    nearest = np.argmax(ahead, axis=-1)
    light = np.empty((len(rays), 3), dtype=np.float32)
    for k, (picture, (right, up, forward)) in enumerate(zip(pictures, turns, strict=True)):
        mine = nearest == k
        reach = _along(rays[mine], forward) * REACH
        half = picture.shape[1] / 2.0
        column = half * (1.0 + _along(rays[mine], right) / reach) - 0.5
        row = half * (1.0 - _along(rays[mine], up) / reach) - 0.5
        light[mine] = _between(picture, row, column)
    result[shown] = light
    return result


def _between(picture: Floats32, row: Floats, column: Floats) -> Floats32:
    """Bilinear values at (row, column), which count from pixel centres."""
    height, width = picture.shape[:2]
    top = np.clip(np.floor(row).astype(np.int64), 0, height - 2)
    left = np.clip(np.floor(column).astype(np.int64), 0, width - 2)
    down = np.clip(row - top, 0.0, 1.0)[:, None]
    aside = np.clip(column - left, 0.0, 1.0)[:, None]
    upper = picture[top, left] * (1.0 - aside) + picture[top, left + 1] * aside
    lower = picture[top + 1, left] * (1.0 - aside) + picture[top + 1, left + 1] * aside
    return np.asarray(upper * (1.0 - down) + lower * down, dtype=np.float32)


def _along(rays: Floats, axis: Floats) -> Floats:
    """Written out: a matrix product may round differently with the number of threads."""
    return np.asarray(rays[:, 0] * axis[0] + rays[:, 1] * axis[1] + rays[:, 2] * axis[2])


def _turned(axes: Floats, turn: tuple[tuple[int, int, int], ...]) -> Floats:
    return np.stack([x * axes[0] + y * axes[1] + z * axes[2] for x, y, z in turn])
