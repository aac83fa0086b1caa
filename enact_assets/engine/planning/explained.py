"""One partition explained: what it was made from, whether it is stale, and what is upstream."""

from collections.abc import Iterable
from dataclasses import dataclass

from enact_assets.engine.graph import Follow, Partition, partition_key
from enact_assets.engine.planning.plan import NEVER, Lineage, PlannedStep
from enact_assets.engine.planning.states import State
from enact_assets.engine.provenance import InputVersion

FRESH, STALE, MISSING, FOLLOWS = "fresh", "stale", "missing", "may become stale"


@dataclass(frozen=True)
class ExplainedInput:
    """One input: its partitions that belong, its version when it was read, and its version now.

    ``was`` is None if it was not read or nothing is there yet, ``now`` if it is missing.
    ``n_stale`` of its partitions are missing, stale, or may become so.
    """

    asset: str
    partitions: tuple[str | None, ...]
    was: InputVersion | None
    now: InputVersion | None
    n_stale: int

    @property
    def is_changed(self) -> bool:
        """Whether another version was read than there is now."""
        return self.was != self.now


@dataclass(frozen=True)
class Explained:
    """A partition of ``asset``, which ``step`` makes; ``status`` is one of the four above.

    ``why`` has every reason why it is stale or missing, ``upstream`` what is to be made before it,
    in order: until then it is unknown whether a partition that may become stale does.
    """

    asset: str
    partition: Partition
    step: str
    status: str
    why: tuple[str, ...]
    state: State | None
    inputs: tuple[ExplainedInput, ...]
    upstream: tuple[PlannedStep, ...]


def explain(lineage: Lineage, asset: str, partition: Partition) -> Explained:
    """What a plan knows about one partition.

    ``asset`` is one of the graph, ``partition`` one of ``lineage.names.partitions(asset)``.
    Errors: ``KeyError`` for any other.
    """
    step = lineage.graph.step_of[asset]
    above = _Above(lineage)
    above.add(step.name, partition)
    plan = lineage.plan(lambda s, p: p in above.found.get(s.name, ()))
    to_make = {(s.name, s.partition) for s in plan.stale}
    following = {(name, p) for name, found in plan.may_follow.items() for p in found}
    mine = next((s for s in plan.stale if (s.name, s.partition) == (step.name, partition)), None)
    state = lineage.states.get(asset, partition)
    if mine is not None:
        status = MISSING if any(str(c) == NEVER for c in mine.causes) else STALE
    else:
        status = FOLLOWS if (step.name, partition) in following else FRESH
    made_from = state.provenance.inputs if state is not None and state.provenance else {}
    inputs = []
    for follow in lineage.follows(step):
        members = above.members(follow, partition)
        maker = lineage.graph.step_of.get(follow.asset)
        is_open = [maker is not None and (maker.name, p) in to_make | following for p in members]
        inputs.append(
            ExplainedInput(
                follow.asset,
                tuple(partition_key(member) for member in members),
                made_from.get(follow.asset),
                lineage.states.input_version(follow, partition),
                sum(is_open),
            )
        )
    return Explained(
        asset,
        partition,
        step.name,
        status,
        () if mine is None else tuple(str(cause) for cause in mine.causes),
        state,
        tuple(inputs),
        tuple(s for s in plan.stale if s is not mine),
    )


class _Above:
    """Partitions that a partition is made from, directly or not: step -> partitions."""

    def __init__(self, lineage: Lineage) -> None:
        self._lineage = lineage
        self._groups: dict[tuple[str, tuple[str, ...]], dict[Partition, list[Partition]]] = {}
        self.found: dict[str, set[Partition]] = {}

    def add(self, step: str, partition: Partition) -> None:
        left = [(step, partition)]
        while left:
            name, one = left.pop()
            found = self.found.setdefault(name, set())
            if one in found:
                continue
            found.add(one)
            for follow in self._lineage.follows(self._lineage.graph.step_named[name]):
                maker = self._lineage.graph.step_of.get(follow.asset)
                if maker is not None:
                    left += [(maker.name, member) for member in self.members(follow, one)]

    def members(self, follow: Follow, partition: Partition) -> list[Partition]:
        """Partitions that an input should have and that belong to ``partition``."""
        key = (follow.asset, follow.bound)
        if key not in self._groups:
            groups: dict[Partition, list[Partition]] = {}
            for member in self._lineage.names.partitions(follow.asset):
                group = tuple([member[i] for i in follow.bound_positions])
                groups.setdefault(group, []).append(member)
            self._groups[key] = groups
        wanted: Iterable[Partition] = dict.fromkeys(follow.groups(partition))
        return [member for group in wanted for member in self._groups[key].get(group, ())]
