"""What is stale and why, and what may follow: a comparison of provenance with the current state.

A partition is stale if it does not exist or cannot be used, if other code made it, or if one of its
inputs has another version than the one it was made from. Whether what is made from it becomes
stale is known when it is made: with equal content the change ends there. Until then it *may
follow*.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

import polars as pl

from enact_assets.contracts.provenance import InputVersion, Provenance
from enact_assets.engine.graph import Follow, Follows, Names, Partition, StepSpec, partition_key
from enact_assets.engine.planning.states import State, States

NEVER = "never materialized"
NEW_CODE = "its code changed"
NO_PROVENANCE = "it does not say what it was made from"
SHOWN = 8
"""Characters of a version that a person is shown."""

STALE_SCHEMA = {"asset": pl.String, "partition": pl.String, "why": pl.String}

CodeVersion = Callable[[str], str]
"""Asset -> version of the code that makes it."""


@dataclass(frozen=True)
class Cause:
    """One reason why a partition is stale, in words; ``asset`` is the input that changed."""

    text: str
    asset: str | None = None

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class PlannedStep:
    """One partition of a step that is to be made, the assets that are, and every reason."""

    name: str
    assets: tuple[str, ...]
    partition: Partition
    causes: tuple[Cause, ...]

    @property
    def key(self) -> str | None:
        """The partition's key in Dagster."""
        return partition_key(self.partition)

    @property
    def why(self) -> str:
        """All reasons in one line."""
        return "; ".join(str(cause) for cause in self.causes)


@dataclass(frozen=True)
class Plan:
    """What a walk would do now.

    ``stale`` in the order in which it would be made. ``may_follow`` maps step -> partitions that
    are stale as soon as something upstream comes out otherwise than before. ``n_fresh`` counts
    those that stay whatever happens.
    """

    stale: tuple[PlannedStep, ...]
    may_follow: Mapping[str, tuple[Partition, ...]]
    n_fresh: int
    upstream: tuple[PlannedStep, ...] = ()
    """Those of ``stale`` that were not asked for: others are made from them, or shown with them."""


class Marks:
    """A set of asset partitions, and whether any of them belongs to an input."""

    def __init__(self) -> None:
        self.of: dict[str, set[Partition]] = {}
        self._groups: dict[tuple[str, tuple[str, ...]], dict[Partition, int]] = {}

    def add(self, assets: Iterable[str], partition: Partition) -> None:
        """Mark one partition of each of ``assets``."""
        for asset in assets:
            marked = self.of.setdefault(asset, set())
            if partition in marked:
                continue
            marked.add(partition)
            for key in [key for key in self._groups if key[0] == asset]:
                del self._groups[key]

    def count(self, follow: Follow, partition: Partition) -> int:
        """How many marked partitions of an input belong to ``partition``."""
        marked = self.of.get(follow.asset)
        if not marked:
            return 0
        key = (follow.asset, follow.bound)
        if key not in self._groups:
            counts: dict[Partition, int] = {}
            for found in marked:
                group = tuple([found[i] for i in follow.bound_positions])
                counts[group] = counts.get(group, 0) + 1
            self._groups[key] = counts
        counts = self._groups[key]
        return sum(counts.get(group, 0) for group in follow.groups(partition))


def entry_changed(was: str | None, now: str, change: str) -> str:
    """Why a config root is to be made again: which settings changed, and its versions."""
    versions = f"{was[:SHOWN]} -> {now[:SHOWN]}" if was else "new"
    return f"the registry entry changed{f': {change}' if change else ''} ({versions})"


class Lineage:
    """Answers about one set of names and states, which the caller keeps up to date.

    ``reported`` maps config root -> partition -> version last reported to Dagster;
    ``entry_change`` says of one that has another version now which settings changed, if known.
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
        self._expected: dict[tuple[str, tuple[str, ...]], Counter[Partition]] = {}

    def partitions(self, step: StepSpec) -> list[Partition]:
        """Every partition that ``step`` should have made."""
        return self.names.partitions(step.assets[0])

    def follows(self, step: StepSpec) -> tuple[Follow, ...]:
        """The inputs of ``step``."""
        return self._follows.of(step.name)

    def inputs(self, step: StepSpec, partition: Partition) -> dict[str, InputVersion]:
        """Version of each input as it is now; a missing one is left out."""
        found = {}
        for follow in self.follows(step):
            version = self.states.input_version(follow, partition)
            if version is not None:
                found[follow.asset] = version
        return found

    def causes(self, step: StepSpec, partition: Partition) -> tuple[Cause, ...]:
        """Every reason why ``partition`` of ``step`` is stale; empty if it is fresh.

        An input that is not there is none: when it is made, it may come out as it was.
        """
        if step.name in self.graph.roots:
            return self._root_causes(step.name, partition)
        states = [(asset, self.states.get(asset, partition)) for asset in step.assets]
        if all(state is None for _, state in states):
            return (Cause(NEVER),)
        now: dict[str, InputVersion] | None = None
        causes: dict[str, Cause] = {}
        for asset, state in states:
            for cause in self._problems(asset, state):
                causes.setdefault(cause.text, cause)
            if state is None or state.provenance is None:
                continue
            if self._is_as_made(step, partition, state.provenance):
                continue
            if now is None:
                now = self.inputs(step, partition)
            for cause in self._changes(step, partition, state.provenance, now):
                causes.setdefault(cause.text, cause)
        return tuple(causes.values())

    def plan(
        self,
        is_chosen: Callable[[StepSpec, Partition], bool] = lambda _step, _partition: True,
        on_progress: Callable[[float], None] = lambda _share: None,
        *,
        only_there: bool = False,
    ) -> Plan:
        """What would be made now of the chosen partitions; ``on_progress`` gets the share done.

        ``only_there`` leaves out what was never made, and what would follow from that.
        """
        stale: list[PlannedStep] = []
        may_follow: dict[str, tuple[Partition, ...]] = {}
        marked, n_fresh = Marks(), 0
        for done, step in enumerate(self.steps):
            following = []
            for partition in self.partitions(step):
                if not is_chosen(step, partition):
                    continue
                causes = self._final(step, partition, marked)
                if only_there and causes == (Cause(NEVER),):
                    continue
                if causes:
                    stale.append(PlannedStep(step.name, step.assets, partition, causes))
                elif self.touches(step, partition, marked):
                    following.append(partition)
                else:
                    n_fresh += 1
            if (
                step.name not in self.graph.roots
            ):  # what they say is known before they are materialized
                of_step = (s.partition for s in stale if s.name == step.name)
                for partition in (*of_step, *following):
                    marked.add(step.assets, partition)
            if following:
                may_follow[step.name] = tuple(following)
            on_progress((done + 1) / len(self.steps))
        return Plan(tuple(stale), may_follow, n_fresh)

    def _final(self, step: StepSpec, partition: Partition, marked: Marks) -> tuple[Cause, ...]:
        """Causes, without those from inputs that will be remade: their results are unknown."""
        causes = self.causes(step, partition)
        if not causes or not marked.of:
            return causes
        open_inputs = {f.asset for f in self.follows(step) if marked.count(f, partition)}
        return tuple(cause for cause in causes if cause.asset not in open_inputs)

    def touches(self, step: StepSpec, partition: Partition, marked: Marks) -> bool:
        """Whether a marked partition is an input of ``partition``."""
        return any(marked.count(follow, partition) for follow in self.follows(step))

    def out_of_date(self) -> pl.DataFrame:
        """Rows that are there, and older than what they are made from: ``stale_partitions``.

        What is made from a stale partition is one itself, though nothing it reads has changed yet.
        The warehouse is left out: it is what says so; and the report, which repeats it.
        """
        plan = self.plan(only_there=True)
        why: dict[tuple[str, Partition], str] = {(s.name, s.partition): s.why for s in plan.stale}
        marked = Marks()
        rows = []
        for step in self.steps:
            if step.name in self.graph.whole:
                continue
            stale = [s.partition for s in plan.stale if s.name == step.name]
            for partition in sorted([*stale, *plan.may_follow.get(step.name, ())]):
                older = (f.asset for f in self.follows(step) if marked.count(f, partition))
                text = why.get((step.name, partition)) or f"made from {next(older)}, which is stale"
                rows += [(asset, partition_key(partition), text) for asset in step.assets]
            if step.name not in self.graph.roots:
                for partition in (*stale, *plan.may_follow.get(step.name, ())):
                    marked.add(step.assets, partition)
        return pl.DataFrame(rows, schema=STALE_SCHEMA, orient="row")

    def is_blocked(self, step: StepSpec, partition: Partition, failed: Marks) -> bool:
        """Whether an input failed; of an input read with all its partitions, whether all failed.

        Never a step that publishes existing rows and lists stale ones.
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

    def _is_as_made(self, step: StepSpec, partition: Partition, made: Provenance) -> bool:
        """Whether no input changed: the quick answer for the many, without building any."""
        inputs = made.inputs
        n_known = 0
        for follow in self.follows(step):
            was = inputs.get(follow.asset)
            n_known += was is not None
            if not follow.is_simple:
                now = self.states.input_version(follow, partition)
                if now is not None and now != was:
                    return False
                continue
            state = self.states.of[follow.asset].get(follow.groups(partition)[0])
            version = state.version if state is not None else ""
            if version and (was is None or was.version != version):
                return False
        return n_known == len(inputs)

    def _problems(self, asset: str, state: State | None) -> Iterator[Cause]:
        if state is None:
            yield Cause(f"{asset} is not there")
        elif state.problem is not None:
            yield Cause(state.problem)
        elif state.provenance is None:
            yield Cause(NO_PROVENANCE)
        elif state.provenance.code_version != self._code_version(asset):
            was, now = state.provenance.code_version, self._code_version(asset)
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
            return f"{name} changed ({was.version[:SHOWN]} -> {now.version[:SHOWN]})"
        numbers = f"{now.n_partitions} partitions"
        if was.n_partitions != now.n_partitions:
            numbers += f", were {was.n_partitions}"
        members = self.states.members(follow, partition)
        newest = max(members, key=lambda m: self.states.of[name][m].changed_ns, default=None)
        hint = f", newest {partition_key(newest)}" if newest else ""
        return f"{name} changed ({numbers}{hint})"
