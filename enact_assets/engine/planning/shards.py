"""Shards: the names of one dimension in groups, so that Dagster has hundreds of partitions of them.

Files, freshness and plans know names only; shards are how Dagster's partitions and runs are cut. A
shard says in its name which one it is of how many (``shard_007/100``). No setting is needed to
tell its members, and shards of another number are other partitions. No name has a slash.
"""

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import product

from enact_assets.engine.graph import Names
from enact_assets.engine.grids import Partition
from enact_assets.engine.planning.states import State
from enact_assets.engine.provenance import combined

_SHARD = re.compile(r"shard_(\d+)/(\d+)")


@dataclass(frozen=True)
class Shards:
    """``n`` shards of the names of ``dimension``."""

    dimension: str
    n: int

    @property
    def names(self) -> tuple[str, ...]:
        """Every shard, in order; one without members, too."""
        return tuple(_shard(number, self.n) for number in range(self.n))

    def of(self, name: str) -> str:
        """The shard of ``name``, whatever other names there are."""
        return _shard(_number(name, self.n), self.n)

    def partition(self, dimensions: tuple[str, ...], partition: Partition) -> Partition:
        """The partition in Dagster that holds ``partition`` of an asset with ``dimensions``."""
        named = partition.as_dict(dimensions).items()
        return Partition(self.of(name) if d == self.dimension else name for d, name in named)


def _shard(number: int, n: int) -> str:
    width = max(3, len(str(n - 1)))
    return f"shard_{number:0{width}}/{n}"


def _number(name: str, n: int) -> int:
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big") % n


def shard_at(partition: Partition) -> int | None:
    """Where a partition in Dagster names a shard; None if it stands for itself."""
    return next((i for i, name in enumerate(partition) if _SHARD.fullmatch(name)), None)


def members(names: Names, asset: str, partition: Partition) -> list[Partition]:
    """Current partitions of ``asset`` that ``partition`` in Dagster stands for, in order: itself,
    or those of the members of its shard.
    """
    dimensions = names.graph.dimensions[asset]
    if shard_at(partition) is None:
        return [partition]
    found = map(
        Partition, product(*map(_names_of, [names] * len(partition), dimensions, partition))
    )
    return [one for one in found if names.has(asset, one)]


def _names_of(names: Names, dimension: str, name: str) -> Iterable[str]:
    shard = _SHARD.fullmatch(name)
    if shard is None:
        return (name,)
    return _by_number(names.of[dimension], int(shard[2])).get(int(shard[1]), ())


@lru_cache(maxsize=4)
def _by_number(names: tuple[str, ...], n: int) -> Mapping[int, list[str]]:
    """Number of the shard -> its names: asked for every shard of an asset, with the same names."""
    found = dict[int, list[str]]()
    for name in names:
        found.setdefault(_number(name, n), []).append(name)
    return found


def version_of(states: Iterable[tuple[Partition, State | None]]) -> str:
    """Data version of a shard: of the data versions of its members that are there, in any order;
    empty if none is.
    """
    versions = {p.key: s.version for p, s in states if s is not None and s.version}
    return combined(versions).version if versions else ""
