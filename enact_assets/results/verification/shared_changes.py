"""Changes between key frames that many answers ask for: each computed once and kept."""

from typing import NamedTuple

import numpy as np

from enact_assets.questions.key_frames.component_index import ComponentIndex
from enact_assets.settings.arrays import Bools, Ints, Words


class KnownChanges(NamedTuple):
    """Changes between k key frames as bit sets: ``rows[i, j]`` is the row of the one from i to j.

    Row 0 is the empty set: nothing changes from a key frame to itself.
    """

    rows: Ints
    """(k, k)"""
    visible: Words
    full: Words
    """(n_rows, n_words)"""
    visible_fails: Bools
    full_fails: Bools
    """Pairs that have no such change (k, k)."""


class SharedChanges:
    """All changes of one demonstration needed so far. Share it between models, not threads."""

    def __init__(self, index: ComponentIndex) -> None:
        n = index.n_key_frames
        self.index = index
        self._rows = np.full((n, n), -1, np.int64)
        np.fill_diagonal(self._rows, 0)
        self._visible = self._full = np.zeros((1, index.n_words), np.uint64)
        self._fails = np.zeros((2, n, n), np.bool_)

    @property
    def n_key_frames(self) -> int:
        """Number of key frames."""
        return len(self._rows)

    @property
    def known(self) -> KnownChanges:
        """Those asked for so far."""
        return KnownChanges(self._rows, self._visible, self._full, *self._fails)

    def at(self, pairs: Ints) -> KnownChanges:
        """Arrays that hold the changes of ``pairs`` (n, 2), and all those asked for before."""
        is_new = self._rows[pairs[:, 0], pairs[:, 1]] < 0
        if is_new.any():
            is_wanted = np.zeros(self._rows.shape, np.bool_)
            is_wanted[pairs[is_new, 0], pairs[is_new, 1]] = True
            new = np.argwhere(is_wanted)
            visible, full, codes = self.index.changes(new)
            self._rows[new[:, 0], new[:, 1]] = len(self._visible) + np.arange(len(new))
            self._fails[:, new[:, 0], new[:, 1]] = codes.T != 0
            self._visible = np.concatenate([self._visible, visible])
            self._full = np.concatenate([self._full, full])
        return self.known
