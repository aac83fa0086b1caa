"""Shards: groups of the names of one dimension, so that Dagster has only hundreds of partitions.

Files, freshness and plans use names only; shards divide Dagster's partitions and runs. The name of
a shard contains its number and the number of shards (``shard_007/100``), so its members follow from
its name without a setting, and another number of shards gives other partitions. Names of partitions
have no slash.
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
        """Every shard, in order, including shards without members."""
        return tuple(_shard(number, self.n) for number in range(self.n))

    def of(self, name: str) -> str:
        """The shard of ``name``; it does not depend on other names."""
        return _shard(_number(name, self.n), self.n)

    def partition(self, dimensions: tuple[str, ...], partition: Partition) -> Partition:
        """The partition in Dagster that contains ``partition`` of an asset with ``dimensions``."""
        named = partition.as_dict(dimensions).items()
        return Partition(self.of(name) if d == self.dimension else name for d, name in named)


def _shard(number: int, n: int) -> str:
    width = max(3, len(str(n - 1)))
    return f"shard_{number:0{width}}/{n}"


def _number(name: str, n: int) -> int:
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big") % n


def shard_at(partition: Partition) -> int | None:
    """Index of the shard among the names of a partition in Dagster; None if it has no shard."""
    return next((i for i, name in enumerate(partition) if _SHARD.fullmatch(name)), None)


def members(names: Names, asset: str, partition: Partition) -> list[Partition]:
    """Current partitions of ``asset`` in the Dagster partition ``partition``, in order: the
    partition itself, or those of the members of its shard.
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
    """Number of the shard -> its names. Cached, as it is needed for every shard with the same
    names.
    """
    found = dict[int, list[str]]()
    for name in names:
        found.setdefault(_number(name, n), []).append(name)
    return found


def version_of(states: Iterable[tuple[Partition, State | None]]) -> str:
    """Data version of a shard, from the data versions of its existing members in any order; empty
    if no member exists.
    """
    versions = {p.key: s.version for p, s in states if s is not None and s.version}
    return combined(versions).version if versions else ""
