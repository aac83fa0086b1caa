"""Small blurred versions of pictures, which forgive noise of rendering."""

import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.uint8]
THUMBNAIL_EDGE = 32
"""Cells per side of the picture that is compared: coarse enough to forgive noise of rendering."""


def thumbnail(image: Image) -> NDArray[np.float64]:
    """A small blurred version: cell means, then a binomial blur over 3 x 3 cells.

    Shape: uint8 (height, width, 3) -> float64 (32, 32, 3), of the same units (0 to 255).
    """
    cells = image.astype(np.float64)
    for axis in (0, 1):
        size = cells.shape[axis]
        starts = np.arange(THUMBNAIL_EDGE) * size // THUMBNAIL_EDGE
        counts = np.maximum(np.diff(np.append(starts, size)), 1)
        shape = [1, 1, 1]
        shape[axis] = THUMBNAIL_EDGE
        cells = np.add.reduceat(cells, starts, axis=axis) / counts.reshape(shape)
    for axis in (0, 1):
        padding = [(0, 0)] * 3
        padding[axis] = (1, 1)
        wide = np.moveaxis(np.pad(cells, padding, mode="edge"), axis, 0)
        cells = np.moveaxis((wide[:-2] + 2 * wide[1:-1] + wide[2:]) / 4, 0, axis)
    return cells
