"""Parts of a walk through the asset graph: steps, limits, failures, the report, the observer."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from enact_assets.engine.graph import Partition, StepSpec, partition_key, partition_tuple
from enact_assets.engine.planning.lineage import Lineage
from enact_assets.engine.planning.marks import Marks
from enact_assets.engine.planning.shards import Shards
from enact_assets.engine.planning.verdicts import Verdicts
from enact_assets.engine.plurals import counted
from enact_assets.pipeline.lineage.graph import STEP_NAMED, STEP_OF, dimensions
from enact_assets.pipeline.runs.progress import Progress


@dataclass(frozen=True)
class Step:
    """One partition of one asset (or of the assets that one step lands together)."""

    name: str
    keys: tuple[str, ...]
    partition: str | None
    why: str

    @property
    def names(self) -> Partition:
        """The partition as a tuple of names."""
        return partition_tuple(self.partition)

    def __str__(self) -> str:
        return f"{self.name} {self.partition or ''}".strip()


@dataclass(frozen=True)
class Batch:
    """What one run makes: ``steps``, and ``of_run`` as which it is shown.

    Of a shard, ``only`` are the names of its members that are made.
    """

    of_run: Step
    steps: tuple[Step, ...]
    only: tuple[str, ...] = ()


def in_batches(spec: StepSpec, steps: Sequence[Step], shards: Shards | None) -> list[Batch]:
    """Runs for ``steps``, all of ``spec``, in the order of the first that each one makes."""
    named = dimensions(spec.assets[0])
    if shards is None or shards.dimension not in named:
        return [Batch(step, (step,)) for step in steps]
    at = named.index(shards.dimension)
    found: dict[Partition, list[Step]] = {}
    for step in steps:
        found.setdefault(shards.partition(named, step.names), []).append(step)
    return [
        Batch(
            Step(spec.name, spec.assets, partition_key(shard), _why(of)),
            tuple(of),
            tuple(step.names[at] for step in of),
        )
        for shard, of in found.items()
    ]


def _why(steps: Sequence[Step]) -> str:
    return f"{counted(len(steps), 'partition')}, first {steps[0].partition}: {steps[0].why}"


Withheld = Callable[[StepSpec, Partition], bool]
"""Whether a partition is not to be made, such as answers that nobody may buy."""


@dataclass(frozen=True)
class Limits:
    """What a walk leaves for the next one: runs after the time ``until`` (Unix, s), runs beyond
    ``max_runs``, and what is ``withheld``.

    Publishing is never left: what was made is to be seen. ``tags`` are those of all runs.
    """

    tags: Mapping[str, str]
    until: float | None = None
    max_runs: int | None = None
    withheld: Withheld = lambda _step, _partition: False

    def is_over(self) -> bool:
        """Whether the time has come."""
        return self.until is not None and time.time() >= self.until


LATE = "the window ended"
MANY = "the greatest number of runs was reached"
NO_MONEY = "it costs money, and the budget does not cover it"
BEHIND = "an input was left"
"""Why partitions were left, in this order where people read of it."""
BUDGET_SPENT = "does not cover another request"
"""In the message of a step whose budget was spent."""


@dataclass(frozen=True)
class Failure:
    """A step that failed: what the error said, and the run in which the UI shows it."""

    step: Step
    message: str
    run_id: str


@dataclass
class Report:
    """What a walk did.

    ``blocked`` could not be made because something upstream failed; ``kept`` are unchanged, but
    older than what failed. ``rejected`` are messages about unknown names. ``n_told``
    partitions existed but were not yet reported to Dagster. ``damaged`` says which files the
    walk found damaged and made again. A walk with limits has a ``plan`` and says what it ``left``.
    """

    made: list[Step] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    blocked: list[Step] = field(default_factory=list)
    kept: list[Step] = field(default_factory=list)
    rejected: list[str] = field(default_factory=list)
    damaged: list[str] = field(default_factory=list)
    fresh: dict[str, list[Partition]] = field(default_factory=dict)
    """Step -> its partitions that were fresh."""
    plan: Verdicts | None = None
    left: dict[str, list[Step]] = field(default_factory=dict)
    """Why -> stale partitions that another walk makes."""
    n_runs: int = 0
    """Runs that were begun, publishing left out. A run of a shard makes several partitions."""
    n_told: int = 0
    seconds: float = 0.0

    @property
    def is_success(self) -> bool:
        """Whether everything wanted is up to date now."""
        return not self.failures and not self.blocked and not self.rejected

    @property
    def n_fresh(self) -> int:
        """How many partitions were fresh."""
        return sum(map(len, self.fresh.values()))

    def current(self, name: str) -> list[Partition]:
        """Partitions of a step that were made or found fresh, each once."""
        made = (step.names for step in self.made if step.name == name)
        return list(dict.fromkeys([*made, *self.fresh.get(name, ())]))

    def begins_again(
        self,
        before: Lineage,
        now: Lineage,
        is_chosen: Callable[[StepSpec, Partition], bool],
    ) -> bool:
        """Whether steps failed because they found inputs damaged that the walk can make again.

        Then their failures are forgotten, and what was blocked; other failures stay, since the same
        again would fail again. Not if a damaged partition was not chosen: without it the warehouse
        would be published with a hole.
        """
        damaged = _damaged_since(before, now)
        found = [(a, p) for a, partitions in damaged.of.items() for p in sorted(partitions)]
        if not found or not all(is_chosen(STEP_OF[asset], p) for asset, p in found):
            return False
        for asset, partition in found:
            place = f"{asset} {partition_key(partition) or ''}".strip()
            self.damaged.append(f"{place}: {now.states.of[asset][partition].problem}")
        self.failures = [
            f
            for f in self.failures
            if not now.touches(STEP_NAMED[f.step.name], f.step.names, damaged)
        ]
        self.blocked, self.kept, self.fresh, self.left = [], [], {}, {}
        return True


def _damaged_since(before: Lineage, now: Lineage) -> Marks:
    """Partitions that could be used before a walk, and cannot be used after it."""
    damaged = Marks()
    for asset, states in now.states.of.items():
        for partition, state in states.items():
            was = before.states.get(asset, partition)
            if state.problem is not None and was is not None and was.problem is None:
                damaged.add([asset], partition)
    return damaged


class Observer:
    """Receives the events of a walk. The terminal subclasses it; the base does nothing."""

    def reading(self, share: float) -> None:
        """The lake is being read: the share done, 0 to 1."""

    def notes(self, texts: Sequence[str]) -> None:
        """What people should know before anything is made, a sentence or two each."""

    def planned(self, plan: Verdicts) -> None:
        """What a walk with limits will make, if nothing keeps it from that."""

    def leaves(self, steps: Sequence[Step], why: str) -> None:
        """Partitions are left to another walk."""

    def stage_starts(self, name: str, n_steps: int, unit: str = "partition") -> None:
        """An asset has ``n_steps`` partitions to make, or shards."""

    def step_starts(self, step: Step) -> None:
        """A partition is being made."""

    def progress(self, step: Step, progress: Progress) -> None:
        """A running step got further."""

    def step_ends(self, step: Step, failure: Failure | None) -> None:
        """A partition was made, or failed."""
