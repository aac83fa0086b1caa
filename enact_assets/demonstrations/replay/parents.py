"""Parents of objects over time: first those of ``objects``, later those of ``later_parents``."""

from dataclasses import dataclass, field

import numpy as np
import polars as pl
from numpy.typing import NDArray

Parents = list[str] | None
"""Names in their order; None where a recording says nothing."""

FRAME = "frame_from"
KEY_FRAME = "key_frame_from"
"""Column of ``later_parents`` that says from when on, by frame or by key frame."""


@dataclass
class Kind:
    """Category of an object, and from which frame on it has which parents.

    Parents are None where the recording has no such field.
    """

    category: str
    parents: list[tuple[int, Parents]] = field(default_factory=list)

    def set(self, frame: int, parents: Parents) -> None:
        """It has ``parents`` at ``frame``, which is not before any other."""
        self.forget(frame)
        if not self.parents or self.parents[-1][1] != parents:
            self.parents.append((frame, parents))

    def forget(self, frame: int) -> None:
        """Take back what ``frame`` changed: the object came and went within it."""
        if self.parents and self.parents[-1][0] == frame:
            self.parents.pop()


def at_key_frames(later_parents: pl.DataFrame, frames: NDArray[np.int64]) -> pl.DataFrame:
    """``later_parents`` with the first key frame at or after ``frame_from`` as ``key_frame_from``.

    ``frames`` (M,) are the frames of the key frames, ascending. Rows after the last are left out.
    """
    key_frames = np.searchsorted(frames, later_parents[FRAME].to_numpy())
    found = later_parents.with_columns(pl.Series(KEY_FRAME, key_frames, pl.Int64))
    return found.filter(key_frames < len(frames)) if found.height else found


def parents_over_time(
    objects: pl.DataFrame, later: pl.DataFrame | None = None, since: str = FRAME
) -> dict[str, list[tuple[int, Parents]]]:
    """Per object of one demonstration, from when on it has which parents: the first from 0 on.

    ``later`` are rows of ``later_parents``, whose column ``since`` counts; None stands for no rows.
    """
    found: dict[str, list[tuple[int, Parents]]] = {
        name: [(0, parents)] for name, parents in objects.select("object_name", "parents").rows()
    }
    if later is not None and later.height:
        rows = later.sort(FRAME).select("object_name", since, "parents")
        for name, start, parents in rows.iter_rows():
            if found[name][-1][0] == start:  # two changes between the same key frames
                found[name].pop()
            found[name].append((start, parents))
    return found
