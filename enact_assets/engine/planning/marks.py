"""Sets of partitions that are marked as stale, failed or being made."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from enact_assets.engine.graph import Follow, Names
from enact_assets.engine.grids import Partition


class Marks:
    """A set of partitions of assets; finds those that an input reads."""

    def __init__(self) -> None:
        self.of: dict[str, set[Partition]] = {}
        self._groups: dict[tuple[str, tuple[str, ...]], dict[tuple[str, ...], int]] = {}
        self._grids: dict[str, NDArray[np.bool_]] = {}

    def add(self, assets: Iterable[str], *partitions: Partition) -> None:
        """Mark partitions of each of ``assets``."""
        for asset in assets:
            marked = self.of.setdefault(asset, set())
            if not partitions or marked.issuperset(partitions):
                continue
            marked.update(partitions)
            self._grids.pop(asset, None)
            for key in [key for key in self._groups if key[0] == asset]:
                del self._groups[key]

    def count(self, follow: Follow, partition: Partition) -> int:
        """How many marked partitions of an input ``partition`` reads."""
        marked = self.of.get(follow.asset)
        if not marked:
            return 0
        key = (follow.asset, follow.bound)
        if key not in self._groups:
            counts: dict[tuple[str, ...], int] = {}
            for found in marked:
                group = tuple([found[i] for i in follow.bound_positions])
                counts[group] = counts.get(group, 0) + 1
            self._groups[key] = counts
        counts = self._groups[key]
        return sum(counts.get(group, 0) for group in follow.groups(partition))

    def grid(self, asset: str, names: Names) -> NDArray[np.bool_] | None:
        """Which partitions of ``asset`` are marked, in their order; None if no partition is marked.

        If a partition of a removed name is marked, all partitions of the asset count as marked, as
        any of them may have been made from it.
        """
        marked = self.of.get(asset)
        if not marked:
            return None
        if asset not in self._grids:
            grid = names.grid(asset)
            positions = [grid.position(partition) for partition in marked]
            found = np.zeros(grid.size, np.bool_)
            found[[p for p in positions if p is not None]] = True
            self._grids[asset] = found | (None in positions)
        return self._grids[asset]
