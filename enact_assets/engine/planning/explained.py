"""Explains one partition: its inputs, whether it is stale, and stale partitions upstream."""

from collections.abc import Iterable
from dataclasses import dataclass

from enact_assets.engine.graph import Follow
from enact_assets.engine.grids import Partition
from enact_assets.engine.planning.lineage import Lineage
from enact_assets.engine.planning.states import State
from enact_assets.engine.planning.verdicts import FRESH, Verdict, judge
from enact_assets.engine.provenance import InputVersion


@dataclass(frozen=True)
class ExplainedInput:
    """One input: the partitions that are read, its version when it was read, and its version now.

    ``was`` is None if the input was not read or the partition does not exist yet; ``now`` is None
    if the input is missing. ``n_stale`` of its partitions are missing, stale, or may become stale.
    """

    asset: str
    partitions: tuple[str | None, ...]
    was: InputVersion | None
    now: InputVersion | None
    n_stale: int

    @property
    def is_changed(self) -> bool:
        """Whether the version that was read differs from the current one."""
        return self.was != self.now


@dataclass(frozen=True)
class Explained:
    """A partition of an asset, with its ``verdict``.

    ``upstream`` are partitions to make first, in order. Until they are made, it is unknown whether
    a partition that may become stale does.
    """

    verdict: Verdict
    state: State | None
    inputs: tuple[ExplainedInput, ...]
    upstream: tuple[Verdict, ...]


def explain(lineage: Lineage, asset: str, partition: Partition) -> Explained:
    """Explain one partition.

    ``asset`` is an asset of the graph, ``partition`` one of ``lineage.names.partitions(asset)``.
    Errors: ``KeyError`` for any other.
    """
    step = lineage.graph.step_of[asset]
    above = _Above(lineage)
    above.add(step.name, partition)
    verdicts = judge(lineage, lambda s, p: p in above.found.get(s.name, ()))
    open_rows = {(row.step, row.partition): row for row in verdicts.not_fresh}
    mine = open_rows.get((step.name, partition), Verdict(step.name, partition, FRESH))
    state = lineage.states.get(asset, partition)
    made_from = state.provenance.inputs if state is not None and state.provenance else {}
    inputs = []
    for follow in lineage.follows(step):
        members = above.members(follow, partition)
        maker = lineage.graph.step_of.get(follow.asset)
        is_open = [maker is not None and (maker.name, p) in open_rows for p in members]
        inputs.append(
            ExplainedInput(
                follow.asset,
                tuple(member.key for member in members),
                made_from.get(follow.asset),
                lineage.states.input_version(follow, partition),
                sum(is_open),
            )
        )
    upstream = tuple(row for row in verdicts.stale if row != mine)
    return Explained(mine, state, tuple(inputs), upstream)


class _Above:
    """Partitions upstream of a partition: step -> partitions."""

    def __init__(self, lineage: Lineage) -> None:
        self._lineage = lineage
        self._groups: dict[tuple[str, tuple[str, ...]], dict[tuple[str, ...], list[Partition]]] = {}
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
        """Partitions that an input should have and that ``partition`` reads."""
        key = (follow.asset, follow.bound)
        if key not in self._groups:
            groups: dict[tuple[str, ...], list[Partition]] = {}
            for member in self._lineage.names.partitions(follow.asset):
                group = tuple([member[i] for i in follow.bound_positions])
                groups.setdefault(group, []).append(member)
            self._groups[key] = groups
        wanted: Iterable[Partition] = dict.fromkeys(follow.groups(partition))
        return [member for group in wanted for member in self._groups[key].get(group, ())]
