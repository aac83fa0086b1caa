"""Orders pictures by their similarity, without reading the actions."""

import numpy as np
from numpy.typing import NDArray

from enact_assets.answers.baselines.order_kernels import shortest_path
from enact_assets.answers.baselines.requests import Picture
from enact_assets.demonstrations.pictures.thumbnails import thumbnail
from enact_assets.engine.errors import PredictionError


class PictureDistances:
    """Root mean square difference of thumbnails, each picture read and each pair compared once."""

    def __init__(self) -> None:
        self._thumbnails: dict[str, NDArray[np.float64]] = {}
        self._distances: dict[tuple[str, str], float] = {}

    def between(self, a: Picture, b: Picture) -> float:
        """Distance of two pictures, 0 to 255; raises :class:`PredictionError` if one is not a
        picture.
        """
        first, second = sorted((a, b), key=lambda picture: str(picture.sha))
        key = (str(first.sha), str(second.sha))
        if key not in self._distances:
            difference = self._thumbnail(first) - self._thumbnail(second)
            self._distances[key] = float(np.sqrt(np.mean(difference**2)))
        return self._distances[key]

    def _thumbnail(self, picture: Picture) -> NDArray[np.float64]:
        key = str(picture.sha)
        if key not in self._thumbnails:
            image = picture.load()
            if image.ndim != 3 or image.shape[2] != 3 or 0 in image.shape:
                raise PredictionError(
                    f"{picture.shown.where}: expected a picture "
                    f"of shape (height, width, 3), got {image.shape}"
                )
            self._thumbnails[key] = thumbnail(image)
        return self._thumbnails[key]


def order_by_continuity(pictures: tuple[Picture, ...], distances: PictureDistances) -> list[int]:
    """Labels (from 1) of ``pictures[1:]`` on the shortest path that starts at ``pictures[0]``.

    Exact; among equally short paths the one with the smaller labels first.
    """
    n = len(pictures)
    matrix = np.zeros((n, n), np.float64)
    for i in range(n):
        for j in range(i):
            matrix[i, j] = matrix[j, i] = distances.between(pictures[i], pictures[j])
    return [int(label) for label in shortest_path(matrix)]
