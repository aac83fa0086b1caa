"""Features of pictures against loops over their pixels."""

import numpy as np
import pytest

from enact_assets.answers.learned.picture_features import (
    DIRECTIONS,
    GRID,
    N_FEATURES,
    PICTURE_PX,
    features_of,
    scaled,
)

EDGE = PICTURE_PX // GRID


def drawn(seed: int, size: int = PICTURE_PX) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 256, (size, size, 3), np.uint8)


def slow_cell(picture: np.ndarray, row: int, column: int) -> list[float]:
    """The 14 features of one cell."""
    x = picture / 255
    inside = [
        (i, j)
        for i in range(row * EDGE, (row + 1) * EDGE)
        for j in range(column * EDGE, (column + 1) * EDGE)
    ]
    colours = np.array([x[i, j] for i, j in inside])
    squares = [0.0] * DIRECTIONS
    for i, j in inside:
        dx = x[i, j + 1] - x[i, j - 1] if 0 < j < PICTURE_PX - 1 else np.zeros(3)
        dy = x[i + 1, j] - x[i - 1, j] if 0 < i < PICTURE_PX - 1 else np.zeros(3)
        best = int(np.hypot(dx, dy).argmax())
        turn = (np.arctan2(dy[best], dx[best]) + np.pi) / (2 * np.pi)
        squares[int(turn * DIRECTIONS) % DIRECTIONS] += float(np.hypot(dx[best], dy[best]))
    return [*colours.mean(axis=0), *colours.std(axis=0), *np.sqrt(np.array(squares) / EDGE**2)]


@pytest.mark.parametrize("cell", [(0, 0), (7, 3), (GRID - 1, GRID - 1)])
def test_features_of_a_cell_are_its_colours_and_edges(cell: tuple[int, int]) -> None:
    """Cells that are swapped, shifted or mirrored read another part of the picture."""
    picture = drawn(1)
    (found,) = features_of(picture[None])
    assert found.shape == (N_FEATURES,)
    parts = np.split(found, [3 * GRID**2, 6 * GRID**2])
    by_cell = [p.reshape(GRID, GRID, -1)[cell] for p in parts]
    assert np.concatenate(by_cell) == pytest.approx(slow_cell(picture, *cell), abs=2e-5)


def test_a_picture_of_512_px_is_the_mean_of_four_by_four() -> None:
    """Models are trained at 128 px and asked at 512. It is rounded twice."""
    large = drawn(2, 4 * PICTURE_PX)
    means = large.reshape(PICTURE_PX, 4, PICTURE_PX, 4, 3).mean(axis=(1, 3))
    assert np.abs(scaled(large) - means).max() <= 1
    small = drawn(3)
    assert scaled(small) is small
