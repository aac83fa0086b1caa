"""Changes between key frames that many answers ask for: each computed once and kept."""

from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from enact_assets.contracts.components import Component
from enact_assets.evaluation.order_counts_kernels import Ints, Words
from enact_assets.evaluation.release_verification_kernels import ChangeArrays


@runtime_checkable
class ReleaseDeltas(Protocol):
    """Changes as the public release sees them; where it raises, there is none.

    ``segmentation.release_deltas.ReleaseDeltaIndex`` is one.
    """

    @property
    def components(self) -> tuple[Component, ...]:
        """The vocabulary: bit b of word w is component 64 w + b."""
        ...

    @property
    def n_key_frames(self) -> int:
        """Number of key frames."""
        ...

    @property
    def n_words(self) -> int:
        """Words of a change set."""
        ...

    def changes(self, pairs: NDArray[np.int64]) -> tuple[Words, Words, Ints]:
        """Partial and full changes of ``pairs`` (n, 2), and why each fails.

        Shape: (n, n_words), (n, n_words), (n, 2) with 0 for a change that does not fail.
        """
        ...


class SharedChanges:
    """All changes of one demonstration needed so far. Share it between models, not threads."""

    def __init__(self, deltas: ReleaseDeltas) -> None:
        n = deltas.n_key_frames
        self.deltas = deltas
        self._rows = np.full((n, n), -1, np.int64)
        np.fill_diagonal(self._rows, 0)
        self._partial = self._full = np.zeros((1, deltas.n_words), np.uint64)
        self._raises = np.zeros((2, n, n), np.bool_)

    @property
    def n_key_frames(self) -> int:
        """Number of key frames."""
        return len(self._rows)

    def at(self, pairs: Ints) -> ChangeArrays:
        """Arrays that hold the changes of ``pairs`` (n, 2), and all those asked for before."""
        is_new = self._rows[pairs[:, 0], pairs[:, 1]] < 0
        if is_new.any():
            is_wanted = np.zeros(self._rows.shape, np.bool_)
            is_wanted[pairs[is_new, 0], pairs[is_new, 1]] = True
            new = np.argwhere(is_wanted)
            partial, full, codes = self.deltas.changes(new)
            self._rows[new[:, 0], new[:, 1]] = len(self._partial) + np.arange(len(new))
            self._raises[:, new[:, 0], new[:, 1]] = codes.T != 0
            self._partial = np.concatenate([self._partial, partial])
            self._full = np.concatenate([self._full, full])
        return ChangeArrays(self._rows, self._partial, self._full, *self._raises)
