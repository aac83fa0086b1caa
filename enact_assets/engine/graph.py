"""The graph of steps: inputs of each asset, and how partitions follow from partitions.

A partition is a tuple of names in the order of its asset's dimensions. Unless an input declares
another rule, its partitions follow by name. In a dimension that step and input share, the same name
is read; in one that a name of the step determines (a variant has one gating), the determined name;
in a dimension that only the input has, every name.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product

from enact_assets.engine.grids import Grid, Partition


@dataclass(frozen=True)
class Input:
    """One asset that a step reads.

    ``fixed`` maps dimension -> the one name that is read for every partition of the step. With
    ``is_also_own`` the partition that follows by name is read, too. With ``when`` it is an input
    only where that condition holds.
    """

    asset: str
    fixed: tuple[tuple[str, str], ...] = ()
    is_also_own: bool = False
    when: str | None = None


@dataclass(frozen=True)
class StepSpec:
    """A step writes its assets together, all of them from all of its inputs.

    With ``when`` it has partitions only of names for which these conditions hold. With
    ``takes_what_there_is`` it runs even if inputs failed, and lists the stale ones.
    """

    name: str
    assets: tuple[str, ...]
    inputs: tuple[Input, ...]
    takes_what_there_is: bool = False
    when: tuple[str, ...] = ()


@dataclass(frozen=True)
class Graph:
    """All steps, each after those it reads.

    ``dimensions`` maps asset -> dimensions of its partitions. ``roots`` are settings, ``external``
    are files written outside the pipeline; they have versions but no rows. ``whole`` are steps that
    make one file of everything. ``determines`` maps a dimension to the dimension that its names
    decide, which may in turn decide another. ``conditions`` maps a condition to the dimension whose
    names it tests.
    """

    steps: tuple[StepSpec, ...]
    dimensions: Mapping[str, tuple[str, ...]]
    roots: tuple[str, ...] = ()
    external: tuple[str, ...] = ()
    whole: tuple[str, ...] = ()
    determines: Mapping[str, str] = field(default_factory=dict)
    conditions: Mapping[str, str] = field(default_factory=dict)

    def determined_by(self, dimension: str) -> tuple[str, ...]:
        """Dimensions that a name in ``dimension`` decides, directly or through others, in order."""
        found: tuple[str, ...] = ()
        while dimension in self.determines:
            dimension = self.determines[dimension]
            found = (*found, dimension)
        return found

    def upstream(self, steps: Collection[str]) -> set[str]:
        """Names of ``steps`` and of all steps upstream of them."""
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
        """Asset -> the step that writes it."""
        return {asset: step for step in self.steps for asset in step.assets}


@dataclass(frozen=True)
class Names:
    """All current names, and what settings say about them.

    ``of`` maps dimension -> sorted names. ``determined`` maps a dimension of ``Graph.determines``
    -> name -> the name it determines. ``holds`` maps condition -> the names for which it holds.
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
            limited = dict(self.of)
            for condition in step.when:
                dimension = self.graph.conditions[condition]
                holds = self.holds.get(condition, frozenset())
                limited[dimension] = tuple(name for name in limited[dimension] if name in holds)
            if step.when:
                found |= dict.fromkeys(step.assets, limited)
        return found

    @cached_property
    def _sets(self) -> Mapping[str, frozenset[str]]:
        """For :meth:`has`, which a plan calls half a million times with ten thousand names."""
        return {dimension: frozenset(names) for dimension, names in self.of.items()}


class Follow:
    """One input of a step: which of its partitions a partition of the step is made from.

    ``ours`` are the dimensions of the step. Partitions of the input are grouped: all partitions
    with the same names in the dimensions ``bound`` form a group.
    """

    def __init__(self, ours: tuple[str, ...], given: Input, names: Names) -> None:
        graph = names.graph
        self.asset = given.asset
        theirs = graph.dimensions[given.asset]
        by = {decided: d for d in ours for decided in graph.determined_by(d)}
        fixed = dict(given.fixed)
        self.bound = tuple(d for d in theirs if d in ours or d in by or d in fixed)
        self.is_rolled_up = self.bound != theirs
        """Whether the step is made from all existing partitions of the input."""
        self.bound_positions = tuple(theirs.index(d) for d in self.bound)
        """Positions of the bound dimensions in a partition of the input."""
        has_both = bool(fixed) and given.is_also_own
        first = {} if has_both else fixed
        self.own = [NameOf.of(d, ours, by, first, names) for d in self.bound]
        """Where the name in each dimension of ``bound`` comes from."""
        self.base: list[NameOf] | None = None
        """If the input is read both by a fixed name and by its own: where the fixed name comes
        from.
        """
        if has_both:
            self.base = [NameOf.of(d, ours, by, fixed, names) for d in self.bound]
        self._plain = None
        if all(part.position >= 0 and part.determined is None for part in self.own):
            self._plain = [part.position for part in self.own]
        self.when: tuple[NameOf, frozenset[str]] | None = None
        """Where the name that the condition tests comes from, and the names for which it holds."""
        if given.when is not None:
            dimension = graph.conditions[given.when]
            holds = names.holds.get(given.when, frozenset[str]())
            self.when = (NameOf.of(dimension, ours, by, {}, names), holds)
        self.is_by_name = given.when is None and (not fixed or has_both)
        """Whether the partition with the same names is always read."""
        self.is_simple = given.when is None and self.base is None and not self.is_rolled_up
        """Whether each partition of the step reads exactly one partition of the input."""

    def groups(self, partition: Partition) -> tuple[Partition, ...]:
        """Groups that ``partition`` reads, each as its names in the dimensions ``bound``."""
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
    """Index of the name in the step's partition; -1 for a fixed name."""
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
        """Source of the name in ``dimension``: fixed, one of ``ours``, or decided by one of ours
        (``by``).
        """
        if dimension in fixed:
            return cls(-1, None, fixed[dimension])
        if dimension in ours:
            return cls(ours.index(dimension), None, "")
        return cls(ours.index(by[dimension]), names.decided(dimension, by[dimension]), "")

    def name(self, partition: Partition) -> str:
        """The name for a ``partition`` of the step."""
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
