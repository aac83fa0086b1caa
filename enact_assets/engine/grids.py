"""Partitions, and all partitions of an asset as a grid: finding one is an index operation."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import product
from math import prod


class Partition(tuple[str, ...]):
    """Names in the order of the asset's dimensions; empty for an asset without partitions.

    It equals the plain tuple of its names.
    """

    __slots__ = ()

    @classmethod
    def of(cls, *names: str) -> "Partition":
        """The partition of ``names``."""
        return cls(names)

    @classmethod
    def of_key(cls, key: str | None) -> "Partition":
        """Inverse of :attr:`key`; None gives the partition of an asset without partitions."""
        return cls(key.split("|")) if key else cls()

    @property
    def key(self) -> str:
        """As Dagster and the catalogue write it: ``setting_the_table-0|baseline``; empty without
        names.
        """
        return "|".join(self)

    def as_dict(self, dimensions: Iterable[str]) -> dict[str, str]:
        """Dimension -> name, as the lake asks for it; ``dimensions`` are those of the asset."""
        return dict(zip(dimensions, self, strict=True))


class Grid:
    """All partitions that an asset should have, in order; its axes are the asset's dimensions.

    ``names`` are the names on each axis. A position is the index of a partition in that order; a
    code is the index of a name on its axis.
    """

    def __init__(self, names: Sequence[Sequence[str]]) -> None:
        self.names = tuple(names)
        self.shape = tuple(map(len, self.names))
        self.size = prod(self.shape)

    @cached_property
    def codes(self) -> tuple[Mapping[str, int], ...]:
        """Name -> code, for each axis."""
        return tuple({name: code for code, name in enumerate(names)} for names in self.names)

    @cached_property
    def keys(self) -> list[str]:
        """Every partition as a key: its names, joined by ``|``."""
        if len(self.names) == 1:
            return list(self.names[0])
        return list(map("|".join, product(*self.names)))

    @cached_property
    def positions(self) -> Mapping[str, int]:
        """Key -> position."""
        return {key: position for position, key in enumerate(self.keys)}

    @cached_property
    def by_key(self) -> list[int]:
        """All positions, in the order of their keys."""
        return sorted(range(self.size), key=self.keys.__getitem__)

    def partition(self, position: int) -> Partition:
        """The names of a partition."""
        found = []
        for names in reversed(self.names):
            position, code = divmod(position, len(names))
            found.append(names[code])
        return Partition(reversed(found))

    def position(self, partition: Sequence[str]) -> int | None:
        """Index of a partition; None for one that the asset should not have."""
        position = 0
        if len(partition) != len(self.codes):
            return None
        for codes, name in zip(self.codes, partition, strict=True):
            code = codes.get(name)
            if code is None:
                return None
            position = position * len(codes) + code
        return position
