"""Thumbnails of states and clips, each read once, and how they are compared."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from enact_assets.demonstrations.pictures.thumbnails import thumbnail
from enact_assets.questions.asked.types import PictureKey
from enact_assets.settings.world import FILM

Thumbnail = NDArray[np.float64]
Clip = tuple[str, int, str]
"""Demonstration, action and camera."""


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


class WorldPictures:
    """Thumbnails (32, 32, 3), 0 to 255, of the pictures that two tables name.

    ``frame_images`` of one variant has the states, ``clip_images`` the clips; ``read`` gives the
    pixels (h, w, 3) of a stored picture.
    """

    def __init__(
        self,
        frame_images: pl.DataFrame,
        clip_images: pl.DataFrame,
        read: Callable[[str], NDArray[np.uint8]],
    ) -> None:
        states = frame_images.select("demonstration", "key_frame", "image_sha").iter_rows()
        self._states = {(d, k): sha for d, k, sha in states}
        self._clips: dict[Clip, list[str]] = {}
        columns = "demonstration", "action", "view", "image_sha"
        in_order = clip_images.sort("demonstration", "action", "view", "place").select(columns)
        for *clip, sha in in_order.iter_rows():
            self._clips.setdefault((clip[0], clip[1], clip[2]), []).append(sha)
        self._read = read
        self._known: dict[str, Thumbnail] = {}

    def state_shas(self, row: Mapping[str, Any]) -> list[str]:
        """Names of the pictures before and after of a row of ``world_questions``; fewer without
        both.
        """
        keys = row["key_frame_before"], row["key_frame_after"]
        found = [self._states.get((row["recording"], key)) for key in keys]
        return [sha for sha in found if sha is not None]

    def clip_shas(self, candidate: Mapping[str, object]) -> list[str]:
        """Names of the pictures of the clip of a row of ``world_candidates``, in order; empty
        without any.
        """
        names = str(candidate["recording"]), int(str(candidate["action"])), str(candidate["view"])
        return self._clips.get(names, [])

    def states(self, row: Mapping[str, Any]) -> list[Thumbnail]:
        """Thumbnails of :meth:`state_shas`."""
        return [self._of(sha) for sha in self.state_shas(row)]

    def clip(self, candidate: Mapping[str, object]) -> list[Thumbnail]:
        """Thumbnails of :meth:`clip_shas`."""
        return [self._of(sha) for sha in self.clip_shas(candidate)]

    def _of(self, sha: str) -> Thumbnail:
        if sha not in self._known:
            self._known[sha] = thumbnail(self._read(sha))
        return self._known[sha]


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
