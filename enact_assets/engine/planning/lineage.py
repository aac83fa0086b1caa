"""Finds why a partition is stale: compares its provenance with the current state.

That of all partitions is in memory; for one partition only its inputs are read.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from enact_assets.engine.graph import Follow, Follows, Names, StepSpec
from enact_assets.engine.grids import Partition
from enact_assets.engine.planning.marks import Marks
from enact_assets.engine.planning.state_columns import Suspects
from enact_assets.engine.planning.states import State, States
from enact_assets.engine.provenance import InputVersion, Provenance, combined

NEVER = "never materialized"
NEW_CODE = "its code changed"
NO_PROVENANCE = "it does not say what it was made from"
SHOWN = 8
"""Characters of a version that are shown to people."""

CodeVersion = Callable[[str], str]
"""Asset -> version of the code that makes it."""


@dataclass(frozen=True)
class Cause:
    """One reason why a partition is stale; ``asset`` is the input that changed."""

    text: str
    asset: str | None = None

    @property
    def is_new_code(self) -> bool:
        """Whether the partition was made by other code."""
        return self.text.startswith(NEW_CODE)

    def __str__(self) -> str:
        return self.text


def entry_changed(was: str | None, now: str, change: str) -> str:
    """Why a config root must be made again: the changed settings, and its versions."""
    versions = f"{was[:SHOWN]} -> {now[:SHOWN]}" if was else "new"
    return f"the registry entry changed{f': {change}' if change else ''} ({versions})"


class Lineage:
    """Compares partitions with their inputs, for names and states that the caller keeps up to date.

    ``reported`` maps config root -> partition -> version last reported to Dagster; ``entry_change``
    returns which settings of a changed config root changed, if known.
    """

    def __init__(
        self,
        names: Names,
        states: States,
        code_version: CodeVersion,
        reported: Mapping[str, dict[Partition, str]],
        steps: Collection[StepSpec] | None = None,
        *,
        entry_change: Callable[[str, Partition], str] = lambda _root, _partition: "",
    ) -> None:
        self.names = names
        self.states = states
        self.graph = names.graph
        self.reported = {root: dict(reported.get(root, {})) for root in self.graph.roots}
        self.steps = self.graph.steps if steps is None else tuple(steps)
        self._code_version = code_version
        self._entry_change = entry_change
        self._follows = Follows(names, self.steps)
        self._suspects = Suspects(names, states, self._follows, code_version)
        self._expected: dict[tuple[str, tuple[str, ...]], Counter[tuple[str, ...]]] = {}

    def partitions(self, step: StepSpec) -> list[Partition]:
        """Every partition that ``step`` should have."""
        return self.names.partitions(step.assets[0])

    def follows(self, step: StepSpec) -> tuple[Follow, ...]:
        """The inputs of ``step``."""
        return self._follows.of(step.name)

    def inputs(self, step: StepSpec, partition: Partition) -> dict[str, InputVersion]:
        """Current version of each input; a missing input is left out."""
        found = {}
        for follow in self.follows(step):
            version = self.states.input_version(follow, partition)
            if version is not None:
                found[follow.asset] = version
        return found

    def causes(self, step: StepSpec, partition: Partition) -> tuple[Cause, ...]:
        """Every reason why ``partition`` of ``step`` is stale; empty if it is fresh.

        A missing input is not a cause: once made, it may equal the version that was read before.
        """
        if step.name in self.graph.roots:
            return self._root_causes(step.name, partition)
        states = [(asset, self.states.get(asset, partition)) for asset in step.assets]
        if all(state is None for _, state in states):
            return (Cause(NEVER),)
        now: dict[str, InputVersion] | None = None
        causes: dict[str, Cause] = {}
        for asset, state in states:
            made = None if state is None else state.provenance
            for cause in self._problems(asset, state, made):
                causes.setdefault(cause.text, cause)
            if made is None:
                continue
            now = self.inputs(step, partition) if now is None else now
            for cause in self._changes(step, partition, made, now):
                causes.setdefault(cause.text, cause)
        return tuple(causes.values())

    def may_be_stale(self, step: StepSpec) -> NDArray[np.bool_]:
        """Whether there may be :meth:`causes`: shape (n_partitions,), in their order.

        Computed for all partitions together. A partition with False has no causes. Do not modify
        the array.
        """
        if step.name in self.graph.roots:
            return np.ones(self.names.grid(step.name).size, np.bool_)
        return self._suspects.of(step)

    def touched(self, step: StepSpec, marked: Marks) -> NDArray[np.bool_]:
        """Whether a marked partition is an input of each partition of ``step``: shape
        (n_partitions,), in their order.
        """
        return self._suspects.touched(step, marked)

    def touched_by(self, step: StepSpec, marked: Marks) -> list[tuple[str, NDArray[np.bool_]]]:
        """:meth:`touched` for each input alone; inputs that touch no partition are left out."""
        return self._suspects.touched_by(step, marked)

    def touches(self, step: StepSpec, partition: Partition, marked: Marks) -> bool:
        """Whether a marked partition is an input of ``partition``."""
        return any(marked.count(follow, partition) for follow in self.follows(step))

    def is_blocked(self, step: StepSpec, partition: Partition, failed: Marks) -> bool:
        """Whether an input failed. An input that is read with all its partitions fails if all
        failed.

        False for a step with ``takes_what_there_is``.
        """
        if step.takes_what_there_is:
            return False
        for follow in self.follows(step):
            n_failed = failed.count(follow, partition)
            if n_failed and not follow.is_rolled_up:
                return True
            if n_failed and n_failed == self._n_expected(follow, partition):
                return True
        return False

    def _n_expected(self, follow: Follow, partition: Partition) -> int:
        key, at = (follow.asset, follow.bound), follow.bound_positions
        if key not in self._expected:
            every = self.names.partitions(follow.asset)
            self._expected[key] = Counter(tuple([p[i] for i in at]) for p in every)
        return sum(self._expected[key][group] for group in follow.groups(partition))

    def _root_causes(self, root: str, partition: Partition) -> tuple[Cause, ...]:
        before, now = self.reported[root].get(partition), self.states.of[root][partition].version
        if before is None:
            return (Cause(NEVER),)
        if before == now:
            return ()
        return (Cause(entry_changed(before, now, self._entry_change(root, partition))),)

    def _problems(
        self, asset: str, state: State | None, made: Provenance | None
    ) -> Iterator[Cause]:
        if state is None:
            yield Cause(f"{asset} is not there")
        elif state.problem is not None:
            yield Cause(state.problem)
        elif made is None:
            yield Cause(NO_PROVENANCE)
        elif made.code_version != self._code_version(asset):
            was, now = made.code_version, self._code_version(asset)
            yield Cause(f"{NEW_CODE} ({was[:SHOWN]} -> {now[:SHOWN]})")

    def _changes(
        self, step: StepSpec, partition: Partition, made: Provenance, now: dict[str, InputVersion]
    ) -> Iterator[Cause]:
        for follow in self.follows(step):
            was, found = made.inputs.get(follow.asset), now.get(follow.asset)
            if was == found or found is None:
                continue
            yield Cause(self._change(follow, partition, was, found), follow.asset)
        declared = {follow.asset for follow in self.follows(step)}
        for asset in sorted(set(made.inputs) - declared):
            yield Cause(f"{asset} is no longer an input")

    def _change(
        self,
        follow: Follow,
        partition: Partition,
        was: InputVersion | None,
        now: InputVersion,
    ) -> str:
        name = follow.asset
        if was is None:
            return f"{name} is a new input"
        if not follow.is_rolled_up:
            return f"{name} changed ({self._pair(follow, partition, was, now)})"
        numbers = f"{now.n_partitions} partitions"
        if was.n_partitions != now.n_partitions:
            numbers += f", were {was.n_partitions}"
        members = self.states.members(follow, partition)
        newest = max(members, key=lambda m: self.states.of[name][m].changed_ns, default=None)
        hint = f", newest {newest.key}" if newest else ""
        return f"{name} changed ({numbers}{hint})"

    def _pair(
        self, follow: Follow, partition: Partition, was: InputVersion, now: InputVersion
    ) -> str:
        """Versions before and after of the changed partition.

        If several partitions are read together, only the hash of all is known. If the reported
        version of one of them explains the change, its versions are returned, otherwise only the
        names.
        """
        members = self.states.members(follow, partition)
        if len(members) < 2:
            return f"{was.version[:SHOWN]} -> {now.version[:SHOWN]}"
        of = {m.key: self.states.of[follow.asset][m].version for m in members}
        for member in members:
            key = member.key
            before = self.reported.get(follow.asset, {}).get(member)
            if before is not None and combined({**of, key: before}) == was:
                return f"{before[:SHOWN]} -> {of[key][:SHOWN]}"
        return f"of {' or '.join(of)}"


class StateSource(Protocol):
    """Finds states of existing partitions; planning reads stored data only through this protocol.

    The lake answers from its catalogue, and from the footers of files that are not catalogued.
    """

    def landed(self, asset: str, partition: Partition) -> State | None:
        """State of one partition of a table, of a whole or of an external input; None if it does
        not exist.
        """
        ...

    def members(
        self, names: Names, follow: Follow, groups: tuple[Partition, ...]
    ) -> dict[Partition, State]:
        """States of the partitions of one input in ``groups`` (``Follow.groups``)."""
        ...


def inputs_now(
    source: StateSource,
    names: Names,
    step: str,
    partition: Partition,
    only: Collection[str] | None = None,
) -> dict[str, InputVersion]:
    """Current version of each input of one partition, or of the inputs in ``only``.

    Versions are read before a step reads its inputs and again when it writes its tables. If an
    input changed in between, it is unknown which version the step read. A missing input is left
    out.
    """
    found = {}
    for follow in Follows(names, names.graph.steps).of(step):
        if only is not None and follow.asset not in only:
            continue
        states = States({follow.asset: source.members(names, follow, follow.groups(partition))})
        version = states.input_version(follow, partition)
        if version is not None:
            found[follow.asset] = version
    return found


def causes_now(
    source: StateSource, names: Names, code_version: CodeVersion, step: str, partition: Partition
) -> tuple[Cause, ...]:
    """Why one partition is stale, as in a plan. Reads only the states of its inputs."""
    spec = names.graph.step_named[step]
    follows = Follows(names, names.graph.steps).of(step)
    of = {f.asset: source.members(names, f, f.groups(partition)) for f in follows}
    for asset in spec.assets:
        state = source.landed(asset, partition)
        of[asset] = {} if state is None else {partition: state}
    return Lineage(names, States(of), code_version, {}, [spec]).causes(spec, partition)
