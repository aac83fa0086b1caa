"""Frame numbering of a recording: positions from 0 here, arbitrary ids there."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from enact_assets.engine.errors import ReplayError
from enact_assets.settings.arrays import Ints

COUNTED_FROM_0 = (0, 0)
"""Runs of a recording whose ids are its positions."""


@dataclass(frozen=True)
class FrameIds:
    """Ids of frames 0, 1, ..., as runs of consecutive ids.

    ``runs`` is flat: position, id, position, id, ...; ids count up by one from there to the next
    run. Column ``frame_id_runs`` of table ``demonstrations`` holds it.
    """

    runs: tuple[int, ...]

    def __post_init__(self) -> None:
        starts, ids = self.runs[::2], self.runs[1::2]
        lengths = [b - a for a, b in pairwise(starts)]
        jumps = [b - a for a, b in pairwise(ids)]
        if (
            len(self.runs) % 2
            or not self.runs
            or starts[0] != 0
            or any(n < 1 for n in lengths)
            or any(jump < n for jump, n in zip(jumps, lengths, strict=True))
        ):
            raise ReplayError(
                f"frame_id_runs {list(self.runs)[:8]} is not a numbering: expected position, id, "
                "position, id, ... with positions from 0 and both ascending"
            )

    @classmethod
    def of(cls, ids: Ints) -> "FrameIds":
        """Numbering of ascending ``ids`` (n,), n >= 1."""
        starts = np.concatenate([[0], 1 + np.flatnonzero(np.diff(ids) != 1)])
        return cls(tuple(np.stack([starts, ids[starts]], axis=1).reshape(-1).tolist()))

    def at(self, frames: Ints | Sequence[int]) -> Ints:
        """Ids of ``frames`` (n,), positions from 0: (n,)."""
        starts = np.array(self.runs[::2], np.int64)
        ids = np.array(self.runs[1::2], np.int64)
        positions = np.asarray(frames, np.int64)
        run = np.searchsorted(starts, positions, side="right") - 1
        return np.asarray(ids[run] + positions - starts[run], np.int64)

    def find(self, ids: Ints | Sequence[int], n_frames: int) -> Ints:
        """Positions of ``ids`` (n,) among the first ``n_frames``: (n,), -1 for other values."""
        known = self.at(np.arange(n_frames))
        wanted = np.asarray(ids, np.int64)
        at = np.minimum(np.searchsorted(known, wanted), n_frames - 1)
        return np.asarray(np.where(known[at] == wanted, at, -1), np.int64)
