"""Values of input partitions, gathered for all partitions that a step makes at once."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from enact_assets.engine.graph import Follow, NameOf
from enact_assets.engine.grids import Grid

Array = NDArray[Any]


class Gathered:
    """Which group of an input belongs to each partition of a step.

    ``ours`` is the grid of the step, ``theirs`` that of the input. Groups have the input's
    dimensions that are bound, in its order.
    """

    def __init__(self, follow: Follow, ours: Grid, theirs: Grid) -> None:
        self._ours = ours
        self._at = follow.bound_positions
        self._open = tuple(i for i in range(len(theirs.shape)) if i not in self._at)
        self._theirs = theirs
        self._own = self._index(follow.own)
        self._base = None if follow.base is None else self._index(follow.base)
        self._when = np.ones((), np.bool_) if follow.when is None else self._holds(*follow.when)

    def of(self, values: Array, absent: int = 0) -> Array:
        """The value of the group that each partition of the step follows by name.

        ``values`` has one for each group, ``absent`` is that of a group with a name that there is
        not. Where the input's condition does not hold, it is 0. Only if :attr:`is_one_group`.
        """
        return self._where(self._own, values, absent).ravel()

    @property
    def is_one_group(self) -> bool:
        """Whether at most one group of the input belongs to a partition."""
        return self._base is None

    def any(self, marked: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Whether a marked partition of the input belongs to each partition of the step."""
        groups = np.asarray(marked.reshape(self._theirs.shape).any(axis=self._open))
        found = self._where(self._own, groups, absent=False)
        if self._base is not None:
            found = found | self._where(self._base, groups, absent=False)
        return found.ravel()

    @property
    def groups(self) -> NDArray[np.int64]:
        """Number of the group to which each partition of the input belongs."""
        shape = self.group_shape
        numbers = np.arange(math.prod(shape), dtype=np.int64).reshape(shape)
        return np.broadcast_to(np.expand_dims(numbers, self._open), self._theirs.shape).ravel()

    @property
    def group_shape(self) -> tuple[int, ...]:
        """How many names each bound dimension has."""
        return tuple(self._theirs.shape[i] for i in self._at)

    def _where(self, codes: Sequence[NDArray[np.int64]], values: Array, absent: int) -> Array:
        is_there, found = np.ones((), np.bool_), np.asarray(absent, values.dtype)
        for code in codes:
            is_there = is_there & (code >= 0)
        if values.size:
            taken = values[tuple(np.maximum(code, 0) for code in codes)]
            found = np.where(is_there, taken, found)
        found = np.where(self._when, found, np.zeros((), values.dtype))
        return np.broadcast_to(found, self._ours.shape)

    def _index(self, parts: Sequence[NameOf]) -> list[NDArray[np.int64]]:
        return [self._codes(p, self._theirs.codes[i]) for p, i in zip(parts, self._at, strict=True)]

    def _codes(self, part: NameOf, codes: Any) -> NDArray[np.int64]:
        """Code of the name in one bound dimension, along the axis that decides it; -1 for none."""
        if part.position < 0:
            return np.array(codes.get(part.fixed, -1))
        names = self._ours.names[part.position]
        decided = names if part.determined is None else [part.determined[name] for name in names]
        return self._along(part.position, np.array([codes.get(n, -1) for n in decided], np.int64))

    def _holds(self, part: NameOf, holds: Any) -> NDArray[np.bool_]:
        names = self._ours.names[part.position]
        decided = names if part.determined is None else [part.determined[name] for name in names]
        return self._along(part.position, np.array([n in holds for n in decided], np.bool_))

    def _along(self, axis: int, values: Array) -> Array:
        shape = [1] * len(self._ours.shape)
        shape[axis] = -1
        return values.reshape(shape)
