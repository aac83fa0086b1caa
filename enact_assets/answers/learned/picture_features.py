"""Features of a picture for a linear model: colours and edges on a coarse grid."""

import numpy as np
from numpy.typing import NDArray
from PIL import Image

PICTURE_PX = 128
"""Edge of the pictures that are trained on; any other picture is scaled to it first."""
GRID = 16
"""Cells per side."""
DIRECTIONS = 8
N_FEATURES = GRID * GRID * (3 + 3 + DIRECTIONS)

Floats = NDArray[np.float32]


def scaled(picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """A picture (h, w, 3) as (128, 128, 3): means over the area that each pixel covers."""
    if picture.shape[:2] == (PICTURE_PX, PICTURE_PX):
        return picture
    size = (PICTURE_PX, PICTURE_PX)
    return np.asarray(Image.fromarray(picture).resize(size, Image.Resampling.BOX))


def features_of(pictures: NDArray[np.uint8]) -> Floats:
    """Per cell of a 16 x 16 grid: mean and deviation of each colour, strength of edges by
    direction.

    Shape: uint8 (n, 128, 128, 3) -> (n, 3584), colours and edges in shares of full brightness. An
    edge is the difference of the two neighbours of a pixel, in the colour in which it is greatest;
    its direction is one of eight. A cell's strength is the root of the mean.
    """
    n, edge = len(pictures), PICTURE_PX // GRID
    x = pictures.astype(np.float32) / 255
    cells = x.reshape(n, GRID, edge, GRID, edge, 3)
    dx, dy = np.zeros_like(x), np.zeros_like(x)
    dx[:, :, 1:-1] = x[:, :, 2:] - x[:, :, :-2]
    dy[:, 1:-1] = x[:, 2:] - x[:, :-2]
    every = np.hypot(dx, dy)
    strongest = every.argmax(axis=-1)[..., None]
    strength, dx, dy = (np.take_along_axis(v, strongest, -1)[..., 0] for v in (every, dx, dy))
    turn = (np.arctan2(dy, dx) + np.pi) / (2 * np.pi)
    direction = (turn * DIRECTIONS).astype(np.int64) % DIRECTIONS
    edges = np.empty((n, GRID, GRID, DIRECTIONS), np.float32)
    for number in range(DIRECTIONS):
        there = np.where(direction == number, strength, 0).reshape(n, GRID, edge, GRID, edge)
        edges[..., number] = np.sqrt(there.mean(axis=(2, 4)))
    parts = cells.mean(axis=(2, 4)), cells.std(axis=(2, 4)), edges
    return np.concatenate([part.reshape(n, -1) for part in parts], axis=1)
