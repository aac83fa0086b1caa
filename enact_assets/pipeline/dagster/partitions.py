"""Dagster's partition definitions, and partition mappings for the inputs of steps.

Dagster allows two dimensions at most and orders them by name: demonstration | gating, demonstration
| variant, model | variant. Demonstrations, models and imported question files are dynamic (they can
be added), gatings, question sets and variants are static (the registry names them), as are
activities (the simulator has them). World sources are names that decide which question sets and
variants of WorldPrediction there are: static, too, as known when the code location is loaded.
Shards of demonstrations are static, too.
"""

import warnings
from collections.abc import Collection, Mapping
from typing import Any

import dagster as dg

from enact_assets.engine.graph import Input, StepSpec
from enact_assets.engine.planning.shards import Shards
from enact_assets.pipeline.lineage.graph import EXTERNAL, GRAPH, dimensions, names_now
from enact_assets.settings.registry import Registry
from enact_assets.simulator.activities import SHIPPED

demonstration_partitions = dg.DynamicPartitionsDefinition(name="demonstration")
question_file_partitions = dg.DynamicPartitionsDefinition(name="question_file")
model_partitions = dg.DynamicPartitionsDefinition(name="model")
world_source_partitions = dg.DynamicPartitionsDefinition(name="world_source")


class Partitions:
    """Partition definitions and mappings for one registry; with ``shards`` in one dimension."""

    def __init__(self, registry: Registry, shards: Shards | None = None) -> None:
        self._one: dict[str, dg.PartitionsDefinition[str]] = {
            "training_activity": dg.StaticPartitionsDefinition(sorted(SHIPPED)),
            "demonstration": demonstration_partitions,
            "model": model_partitions,
            "question_file": question_file_partitions,
            **{d: dg.StaticPartitionsDefinition(sorted(e)) for d, e in registry.named.items()},
        }
        self.shards = shards
        if shards is not None:
            self._one[shards.dimension] = dg.StaticPartitionsDefinition(list(shards.names))
        # Static partitions: all names of the registry, independently of imports.
        files = [g.question_file for g in registry.gatings.values() if g.question_file is not None]
        self._names = names_now(registry, (), (), files)
        self._static = frozenset(registry.named)
        # (Input dimension, dimension that determines it) -> name in the latter -> name in the
        # former.
        self._decided = {
            (other, dimension): self._names.decided(other, dimension)
            for dimension in GRAPH.determines
            for other in GRAPH.determined_by(dimension)
        }

    def of(self, asset: str) -> dg.PartitionsDefinition[Any] | None:
        """The partitions of ``asset``; None if it is not partitioned."""
        named = dimensions(asset)
        if not named:
            return None
        axes = {dimension: self._axis(asset, dimension) for dimension in named}
        return axes[named[0]] if len(named) == 1 else dg.MultiPartitionsDefinition(axes)

    def _axis(self, asset: str, dimension: str) -> dg.PartitionsDefinition[str]:
        names, every = self._on_axis(asset, dimension), self._names.of.get(dimension)
        is_whole = dimension not in self._static or names == every
        return self._one[dimension] if is_whole else dg.StaticPartitionsDefinition(list(names))

    def _on_axis(self, asset: str, dimension: str) -> tuple[str, ...]:
        """Names of a static dimension that ``asset`` has partitions of. Of two dimensions all names
        stay, as Dagster maps one of them to an asset with that dimension only if they are equal.
        """
        if dimension not in self._static:
            return ()
        is_one = dimensions(asset) == (dimension,)
        return self._names.by_dimension(asset)[0] if is_one else self._names.of[dimension]

    def deps(self, step: StepSpec) -> list[dg.AssetDep]:
        """Our own assets that ``step`` reads, each with its partition mapping."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", dg.BetaWarning)  # mappings: pinned and tested
            return [
                dg.AssetDep(given.asset, partition_mapping=self._mapping(step.assets[0], given))
                for given in step.inputs
                if given.asset not in EXTERNAL
            ]

    def _mapping(  # noqa: PLR0911 - one for each way to follow
        self, asset: str, given: Input
    ) -> dg.PartitionMapping | None:
        ours, theirs, fixed = dimensions(asset), dimensions(given.asset), dict(given.fixed)
        if fixed and not given.is_also_own:
            if len(fixed) < len(theirs):  # the mapping has more partitions than are read
                return dg.AllPartitionMapping()
            return dg.SpecificPartitionsPartitionMapping(["|".join(fixed[d] for d in theirs)])
        if fixed and len(theirs) < len(ours):
            # Dagster has no mapping for both; our own plan is exact.
            return self._by_name(ours, theirs)
        changed = {
            d: (own, self._static_mapping(asset, own, given, d))
            for d in theirs
            for own in ours
            if self._differs(asset, own, given, d)
        }
        for dimension, name in fixed.items():
            changed[dimension] = (dimension, self._and_fixed(dimension, name))
        if not changed:
            return self._by_name(ours, theirs)
        if len(ours) < len(theirs):
            dimension, (own, _) = next(iter(changed.items()))
            return self._of_many(asset, own, given.asset, dimension)
        if len(theirs) < len(ours) or not {*ours, *changed} & {*theirs}:
            return dg.AllPartitionMapping()
        if len(theirs) > 1 and not set(ours) & set(theirs):
            return dg.AllPartitionMapping()
        if len(theirs) == 1:
            return changed[theirs[0]][1]
        same = dg.IdentityPartitionMapping()
        return dg.MultiPartitionMapping(
            {
                d: dg.DimensionPartitionMapping(*changed.get(d, (d, same)))
                for d in theirs
                if d in changed or d in ours
            }
        )

    def _differs(self, asset: str, own: str, given: Input, dimension: str) -> bool:
        """Whether names in ``dimension`` of the input follow from names in ``own`` of ``asset`` in
        another way than one by one.
        """
        if (dimension, own) in self._decided:
            return dimension not in dimensions(asset)
        # For dynamic names, the mapping has the partition with the same name, whether it exists or
        # not.
        if own != dimension or dimension not in self._static:
            return False
        is_conditional = given.when is not None and GRAPH.conditions[given.when] == dimension
        axes = [self._on_axis(of, dimension) for of in (asset, given.asset)]
        return is_conditional or axes[0] != axes[1]

    def _static_mapping(
        self, asset: str, own: str, given: Input, dimension: str
    ) -> dg.StaticPartitionMapping:
        """Mapping for names in ``own`` of ``asset`` -> the name in ``dimension`` of the input."""
        names = self._on_axis(given.asset, dimension)
        of = self._decided.get((dimension, own), {})
        wanted = set(names)
        if given.when is not None and GRAPH.conditions[given.when] == dimension:
            wanted &= self._names.holds[given.when]
        follows = {n: of.get(n, n) for n in self._on_axis(asset, own)}
        return _static(names, {n: name for n, name in follows.items() if name in wanted})

    def _of_many(self, asset: str, own: str, read: str, dimension: str) -> dg.PartitionMapping:
        """Mapping from one dimension of ``asset`` to two of ``read``, where ``own`` decides
        ``dimension``.

        Dagster supports this only for equal names. Otherwise the mapping has more partitions than
        are read.
        """
        names = self._on_axis(asset, own)
        of = self._decided.get((dimension, own), {})
        is_same = all(of.get(name, name) == name for name in names)
        if is_same and self._axis(asset, own) == self._axis(read, dimension):
            return dg.MultiToSingleDimensionPartitionMapping(dimension)
        return dg.AllPartitionMapping()

    def _and_fixed(self, dimension: str, name: str) -> dg.StaticPartitionMapping:
        """A mapping where each partition reads its own name and the fixed one."""
        every = self._names.of[dimension]
        return dg.StaticPartitionMapping({n: list(every) if n == name else [n] for n in every})

    def _by_name(
        self, ours: tuple[str, ...], theirs: tuple[str, ...]
    ) -> dg.PartitionMapping | None:
        shared = [d for d in theirs if d in ours]
        if not theirs or ours == theirs:
            return None
        if not shared:
            return dg.AllPartitionMapping()
        if len(ours) == len(theirs):
            same = dg.IdentityPartitionMapping()
            return dg.MultiPartitionMapping(
                {shared[0]: dg.DimensionPartitionMapping(shared[0], same)}
            )
        return dg.MultiToSingleDimensionPartitionMapping(shared[0])


def _static(upstream: Collection[str], of: Mapping[str, str]) -> dg.StaticPartitionMapping:
    """Mapping for downstream names -> the upstream name that each is made from."""
    found: dict[str, str | list[str]] = {
        name: [below for below, above in of.items() if above == name] for name in upstream
    }
    return dg.StaticPartitionMapping(found)
