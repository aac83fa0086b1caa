"""Pictures of states and clips, and how their thumbnails are compared."""

import numpy as np
import polars as pl
from numpy.typing import NDArray

from enact_assets.questions.asked.types import PictureKey
from enact_assets.settings.world import FILM

Thumbnail = NDArray[np.float64]


def picture_shas(
    frame_images: pl.DataFrame,
    clip_images: pl.DataFrame | None = None,
    film_images: pl.DataFrame | None = None,
) -> dict[PictureKey, str]:
    """Each picture -> its hash, from rows of these tables under one variant."""
    states = frame_images.select("demonstration", "key_frame", "image_sha").iter_rows()
    found: dict[PictureKey, str] = {(name, key_frame): sha for name, key_frame, sha in states}
    if clip_images is not None:
        columns = "demonstration", "view", "action", "place", "image_sha"
        rows = clip_images.select(columns).iter_rows()
        found |= {(name, view, action, place): sha for name, view, action, place, sha in rows}
    if film_images is not None:
        rows = film_images.select("recording", "action", "place", "image_sha").iter_rows()
        found |= {(name, FILM, action, place): sha for name, action, place, sha in rows}
    return found


def rms(first: Thumbnail, second: Thumbnail) -> float:
    """Root mean square difference, 0 to 255."""
    return float(np.sqrt(np.mean((first - second) ** 2)))


def region(pictures: list[Thumbnail]) -> NDArray[np.float64]:
    """How much each cell changes among pictures, (32, 32), as a vector of length 1 (or 0)."""
    stack = np.stack(pictures)
    change = (stack.max(axis=0) - stack.min(axis=0)).mean(axis=2).ravel()
    size = float(np.linalg.norm(change))
    found: NDArray[np.float64] = change / size if size else change
    return found
