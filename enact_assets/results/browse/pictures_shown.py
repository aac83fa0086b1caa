"""Pictures by name, and sheets of several pictures."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from enact_assets.demonstrations.pictures.sheets import contact_sheet
from enact_assets.engine.errors import RenderError

SHEET_COLUMNS = 4
THUMBNAIL_PX = 256

PictureOf = Callable[[str], NDArray[np.uint8]]
"""SHA-256 of a picture -> uint8 (h, w, 3). Errors: :class:`LakeError` if it cannot be read."""


@dataclass(frozen=True)
class Shown:
    """A picture with its name; ``sha`` is None if the variant has no such picture, ``key_frame`` of
    a clip.
    """

    name: str
    key_frame: int | None
    sha: str | None


def sheet_of(pictures: Sequence[Shown], picture: PictureOf) -> bytes:
    """All existing pictures, row by row with their names, as a PNG file.

    Errors: :class:`RenderError` if there is none, :class:`LakeError` if one cannot be read.
    """
    there = [(shown.name, shown.sha) for shown in pictures if shown.sha is not None]
    if not there:
        raise RenderError(f"sheet: none of {len(pictures)} pictures is there")
    return contact_sheet(
        [picture(sha) for _, sha in there],
        [name for name, _ in there],
        columns=SHEET_COLUMNS,
        thumbnail_px=THUMBNAIL_PX,
        encoding="png",
    )
