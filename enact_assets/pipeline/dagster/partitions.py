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
from enact_assets.simulator.activities import ACTIVITIES

demonstration_partitions = dg.DynamicPartitionsDefinition(name="demonstration")
question_file_partitions = dg.DynamicPartitionsDefinition(name="question_file")
model_partitions = dg.DynamicPartitionsDefinition(name="model")
world_source_partitions = dg.DynamicPartitionsDefinition(name="world_source")


class Partitions:
    """Partition definitions and mappings for one registry; with ``shards`` in one dimension."""

    def __init__(self, registry: Registry, shards: Shards | None = None) -> None:
        self._one: dict[str, dg.PartitionsDefinition[str]] = {
            "training_activity": dg.StaticPartitionsDefinition(sorted(ACTIVITIES)),
            "demonstration": demonstration_partitions,
            "model": model_partitions,
            "question_file": question_file_partitions,
            **{d: dg.StaticPartitionsDefinition(sorted(e)) for d, e in registry.named.items()},
        }
        self.shards = shards
        if shards is not None:
            self._one[shards.dimension] = dg.StaticPartitionsDefinition(list(shards.names))
        self._two: dict[tuple[str, ...], dg.MultiPartitionsDefinition] = {}
        # Static partitions: all names of the registry, independently of imports.
        files = [g.question_file for g in registry.gatings.values() if g.question_file is not None]
        names = names_now(registry, (), (), files)
        self._static_dimensions = frozenset(registry.named)
        self._all = names.of
        # (Input dimension, dimension that determines it) -> name in the latter -> name in the
        # former.
        self._decided = {
            (other, dimension): names.decided(other, dimension)
            for dimension in GRAPH.determines
            for other in GRAPH.determined_by(dimension)
        }
        self._holds = names.holds

    def of(self, asset: str) -> dg.PartitionsDefinition[Any] | None:
        """The partitions of ``asset``; None if it is not partitioned."""
        named = dimensions(asset)
        if not named:
            return None
        if len(named) == 1:
            return self._one[named[0]]
        if named not in self._two:
            self._two[named] = dg.MultiPartitionsDefinition({d: self._one[d] for d in named})
        return self._two[named]

    def deps(self, step: StepSpec) -> list[dg.AssetDep]:
        """Our own assets that ``step`` reads, each with its partition mapping."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", dg.BetaWarning)  # mappings: pinned and tested
            own = dimensions(step.assets[0])
            return [
                dg.AssetDep(given.asset, partition_mapping=self._mapping(own, given))
                for given in step.inputs
                if given.asset not in EXTERNAL
            ]

    def _mapping(  # noqa: PLR0911 - one for each way to follow
        self, ours: tuple[str, ...], given: Input
    ) -> dg.PartitionMapping | None:
        theirs, fixed = dimensions(given.asset), dict(given.fixed)
        if fixed and not given.is_also_own:
            if len(fixed) < len(theirs):  # the mapping has more partitions than are read
                return dg.AllPartitionMapping()
            return dg.SpecificPartitionsPartitionMapping(["|".join(fixed[d] for d in theirs)])
        if fixed and len(theirs) < len(ours):
            # Dagster has no mapping for both; our own plan is exact.
            return self._by_name(ours, theirs)
        changed: dict[str, tuple[str, dg.StaticPartitionMapping]] = {
            d: (own, _static(self._all[d], self._decided[d, own]))
            for d in theirs
            for own in ours
            if d not in ours and (d, own) in self._decided
        }
        for dimension, name in fixed.items():
            changed[dimension] = (dimension, self._and_fixed(dimension, name))
        dimension = "" if given.when is None else GRAPH.conditions[given.when]
        # For dynamic names, the mapping has the partition with the same name, whether it exists or
        # not.
        is_static = dimension in theirs and dimension in self._static_dimensions
        if given.when is not None and is_static:
            own = next((o for o in ours if (dimension, o) in self._decided), dimension)
            of = self._decided.get((dimension, own), {n: n for n in self._all[dimension]})
            holds = {n: name for n, name in of.items() if name in self._holds[given.when]}
            changed[dimension] = (own, _static(self._all[dimension], holds))
        if not changed:
            return self._by_name(ours, theirs)
        if len(ours) < len(theirs):
            return self._of_many(ours[0], next(iter(changed)))
        if len(theirs) > 1 and not set(ours) & set(theirs):
            return dg.AllPartitionMapping()
        if len(theirs) == 1:
            return changed[theirs[0]][1]
        same = dg.IdentityPartitionMapping()
        return dg.MultiPartitionMapping(
            {d: dg.DimensionPartitionMapping(*changed.get(d, (d, same))) for d in theirs}
        )

    def _of_many(self, ours: str, theirs: str) -> dg.PartitionMapping:
        """Mapping from one dimension to two, where ``ours`` decides ``theirs``.

        Dagster supports this only for equal names. Otherwise the mapping has more partitions than
        are read.
        """
        is_same = all(name == other for name, other in self._decided[theirs, ours].items())
        if is_same and self._one[ours] == self._one[theirs]:
            return dg.MultiToSingleDimensionPartitionMapping(theirs)
        return dg.AllPartitionMapping()

    def _and_fixed(self, dimension: str, name: str) -> dg.StaticPartitionMapping:
        """A mapping where each partition reads its own name and the fixed one."""
        every = self._all[dimension]
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
