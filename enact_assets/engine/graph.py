"""The graph of steps: inputs of each asset, and how partitions follow from partitions.

A partition is a tuple of names in the order of its asset's dimensions. Where an input says nothing
else, partitions follow by name: in each dimension that step and input share, the same name; in one
that a name of the step determines (a variant has one gating), the name that it determines; of a
dimension that only the input has, every name.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product

from enact_assets.engine.grids import Grid, Partition


@dataclass(frozen=True)
class Input:
    """One asset that a step reads.

    ``fixed`` are dimensions with the one name that is read, whatever is made; with ``is_also_own``
    the partition that follows by name is read, too. Under the condition called ``when`` it is an
    input, otherwise it is none.
    """

    asset: str
    fixed: tuple[tuple[str, str], ...] = ()
    is_also_own: bool = False
    when: str | None = None


@dataclass(frozen=True)
class StepSpec:
    """A step lands its assets together, all of them from all of its inputs.

    With ``when`` it has partitions only of names for which that condition holds. One that
    ``takes_what_there_is`` runs although inputs failed, and says which are stale.
    """

    name: str
    assets: tuple[str, ...]
    inputs: tuple[Input, ...]
    takes_what_there_is: bool = False
    when: str | None = None


@dataclass(frozen=True)
class Graph:
    """All steps, each after those it reads.

    ``dimensions`` maps asset -> dimensions of its partitions. ``roots`` are settings, ``external``
    are written by others: both have versions and no rows. ``whole`` make one file of everything.
    ``determines`` maps a dimension to the one that its names decide, which may decide another;
    ``conditions`` maps a condition to the dimension whose names it holds for.
    """

    steps: tuple[StepSpec, ...]
    dimensions: Mapping[str, tuple[str, ...]]
    roots: tuple[str, ...] = ()
    external: tuple[str, ...] = ()
    whole: tuple[str, ...] = ()
    determines: Mapping[str, str] = field(default_factory=dict)
    conditions: Mapping[str, str] = field(default_factory=dict)

    def determined_by(self, dimension: str) -> tuple[str, ...]:
        """Dimensions that a name in ``dimension`` decides, one after the other."""
        found: tuple[str, ...] = ()
        while dimension in self.determines:
            dimension = self.determines[dimension]
            found = (*found, dimension)
        return found

    def upstream(self, steps: Collection[str]) -> set[str]:
        """Names of ``steps`` and of all that they are made from, directly or not."""
        found, left = set[str](), list(steps)
        while left:
            name = left.pop()
            if name not in found:
                found.add(name)
                inputs = (given.asset for given in self.step_named[name].inputs)
                left += [self.step_of[asset].name for asset in inputs if asset in self.step_of]
        return found

    @cached_property
    def step_named(self) -> Mapping[str, StepSpec]:
        """Name -> step."""
        return {step.name: step for step in self.steps}

    @cached_property
    def step_of(self) -> Mapping[str, StepSpec]:
        """Asset -> the step that lands it."""
        return {asset: step for step in self.steps for asset in step.assets}


@dataclass(frozen=True)
class Names:
    """Every name there is now, and what settings say about names.

    ``of`` maps dimension -> names, sorted. ``determined`` maps a dimension of
    ``Graph.determines`` -> name -> the name it determines. ``holds`` maps condition -> the names
    for which it holds.
    """

    graph: Graph
    of: Mapping[str, tuple[str, ...]]
    determined: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    holds: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def partitions(self, asset: str) -> list[Partition]:
        """All partitions that ``asset`` should have, in order."""
        return [Partition(names) for names in product(*self.by_dimension(asset))]

    def by_dimension(self, asset: str) -> tuple[tuple[str, ...], ...]:
        """Names in each dimension of ``asset``: its partitions are their product."""
        of = self._limited.get(asset, self.of)
        return tuple(of[dimension] for dimension in self.graph.dimensions[asset])

    def grid(self, asset: str) -> Grid:
        """:meth:`partitions` as a grid."""
        if asset not in self._grids:
            self._grids[asset] = Grid(self.by_dimension(asset))
        return self._grids[asset]

    def decided(self, dimension: str, by: str) -> Mapping[str, str]:
        """Name in dimension ``by`` -> the name in ``dimension`` that it decides."""
        found, at = {name: name for name in self.determined[by]}, by
        while at != dimension:
            found = {name: self.determined[at][last] for name, last in found.items()}
            at = self.graph.determines[at]
        return found

    def has(self, asset: str, partition: Partition) -> bool:
        """Whether ``partition`` is one of :meth:`partitions`."""
        limited = self._limited.get(asset)
        sets = self._sets if limited is None else {d: frozenset(of) for d, of in limited.items()}
        named = zip(self.graph.dimensions[asset], partition, strict=True)
        return all(name in sets[dimension] for dimension, name in named)

    @cached_property
    def _grids(self) -> dict[str, Grid]:
        return {}

    @cached_property
    def _limited(self) -> Mapping[str, Mapping[str, tuple[str, ...]]]:
        """Names for assets that are made only where a condition holds."""
        found: dict[str, Mapping[str, tuple[str, ...]]] = {}
        for step in self.graph.steps:
            if step.when is not None:
                dimension = self.graph.conditions[step.when]
                holds = self.holds.get(step.when, frozenset())
                names = tuple(name for name in self.of[dimension] if name in holds)
                found |= {asset: {**self.of, dimension: names} for asset in step.assets}
        return found

    @cached_property
    def _sets(self) -> Mapping[str, frozenset[str]]:
        """For :meth:`has`, which a plan asks half a million times of ten thousand names."""
        return {dimension: frozenset(names) for dimension, names in self.of.items()}


class Follow:
    """One input of a step: which of its partitions belong to a partition that is made.

    ``ours`` are the dimensions of what is made. Partitions of the input come in groups: ``bound``
    are the dimensions of the input in which the group says the name; in all others every name
    belongs to it.
    """

    def __init__(self, ours: tuple[str, ...], given: Input, names: Names) -> None:
        graph = names.graph
        self.asset = given.asset
        theirs = graph.dimensions[given.asset]
        by = {decided: d for d in ours for decided in graph.determined_by(d)}
        fixed = dict(given.fixed)
        self.bound = tuple(d for d in theirs if d in ours or d in by or d in fixed)
        self.is_rolled_up = self.bound != theirs
        """Whether it is made from all existing partitions of an input."""
        self.bound_positions = tuple(theirs.index(d) for d in self.bound)
        """Positions of the bound dimensions in a partition of the input."""
        has_both = bool(fixed) and given.is_also_own
        first = {} if has_both else fixed
        self.own = [NameOf.of(d, ours, by, first, names) for d in self.bound]
        """What names each dimension of ``bound``."""
        self.base: list[NameOf] | None = None
        """With both a fixed and its own name: what names the fixed one."""
        if has_both:
            self.base = [NameOf.of(d, ours, by, fixed, names) for d in self.bound]
        self._plain = None
        if all(part.position >= 0 and part.determined is None for part in self.own):
            self._plain = [part.position for part in self.own]
        self.when: tuple[NameOf, frozenset[str]] | None = None
        """The name on which the condition depends, and the names for which it holds."""
        if given.when is not None:
            dimension = graph.conditions[given.when]
            holds = names.holds.get(given.when, frozenset[str]())
            self.when = (NameOf.of(dimension, ours, by, {}, names), holds)
        self.is_by_name = given.when is None and (not fixed or has_both)
        """Whether the partition of the same names belongs, whatever is made."""
        self.is_simple = given.when is None and self.base is None and not self.is_rolled_up
        """Whether exactly one partition of the input belongs to each that is made."""

    def groups(self, partition: Partition) -> tuple[Partition, ...]:
        """The names in the dimensions ``bound``; a partition of the input that has them belongs."""
        if self.when is not None:
            part, holds = self.when
            if part.name(partition) not in holds:
                return ()
        if self._plain is not None:
            own = Partition([partition[i] for i in self._plain])
        else:
            own = Partition([part.name(partition) for part in self.own])
        if self.base is None:
            return (own,)
        base = Partition([part.name(partition) for part in self.base])
        return (own,) if own == base else (own, base)


@dataclass(frozen=True)
class NameOf:
    """Where the name in one dimension comes from."""

    position: int
    """In the partition that is made; -1 for a fixed name."""
    determined: Mapping[str, str] | None
    fixed: str

    @classmethod
    def of(
        cls,
        dimension: str,
        ours: tuple[str, ...],
        by: Mapping[str, str],
        fixed: Mapping[str, str],
        names: Names,
    ) -> "NameOf":
        """Of ``dimension``: fixed, one of ``ours``, or decided by the one of ours in ``by``."""
        if dimension in fixed:
            return cls(-1, None, fixed[dimension])
        if dimension in ours:
            return cls(ours.index(dimension), None, "")
        return cls(ours.index(by[dimension]), names.decided(dimension, by[dimension]), "")

    def name(self, partition: Partition) -> str:
        """The name that it has where ``partition`` is made."""
        if self.position < 0:
            return self.fixed
        name = partition[self.position]
        return name if self.determined is None else self.determined[name]


class Follows:
    """The inputs of every step, for one set of names."""

    def __init__(self, names: Names, steps: Collection[StepSpec]) -> None:
        self._names = names
        self._steps = {step.name: step for step in steps}
        self._of: dict[str, tuple[Follow, ...]] = {}

    def of(self, step: str) -> tuple[Follow, ...]:
        """Inputs of ``step`` in the order in which they are declared."""
        if step not in self._of:
            spec = self._steps[step]
            ours = self._names.graph.dimensions[spec.assets[0]]
            self._of[step] = tuple(Follow(ours, given, self._names) for given in spec.inputs)
        return self._of[step]
