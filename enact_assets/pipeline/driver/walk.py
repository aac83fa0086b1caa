"""Parts of a walk through the asset graph: limits, failures, the report, the observer."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from enact_assets.engine.graph import StepSpec
from enact_assets.engine.grids import Partition
from enact_assets.engine.planning.lineage import Lineage
from enact_assets.engine.planning.marks import Marks
from enact_assets.engine.planning.verdicts import Verdicts
from enact_assets.engine.progress import Progress
from enact_assets.pipeline.lineage.graph import STEP_NAMED, STEP_OF
from enact_assets.pipeline.runs.run import Run

Withheld = Callable[[StepSpec, Partition], bool]
"""Whether a partition is not to be made, such as answers that nobody may buy."""


@dataclass(frozen=True)
class Limits:
    """What a walk leaves for the next one: partitions after the time ``until`` (Unix, s) or beyond
    ``max_partitions``, and what is ``withheld``.

    Publishing is never left: what was made is to be seen. ``tags`` are those of all runs.
    """

    tags: Mapping[str, str]
    until: float | None = None
    max_partitions: int | None = None
    withheld: Withheld = lambda _step, _partition: False

    def is_over(self) -> bool:
        """Whether the time has come."""
        return self.until is not None and time.time() >= self.until


LATE = "the window ended"
MANY = "the greatest number of partitions was reached"
NO_MONEY = "it costs money, and the budget does not cover it"
BEHIND = "an input was left"
"""Why partitions were left, in this order where people read of it."""
BUDGET_SPENT = "does not cover another request"
"""In the message of a step whose budget was spent."""


@dataclass(frozen=True)
class Failure:
    """A partition that failed: what the error said, and the run in which the UI shows it."""

    run: Run
    message: str
    run_id: str


@dataclass
class Report:
    """What a walk did: runs of one partition each.

    ``blocked`` could not be made because something upstream failed; ``kept`` are unchanged, but
    older than what failed. ``rejected`` are messages about unknown names. ``n_told``
    partitions existed but were not yet reported to Dagster. ``damaged`` says which files the
    walk found damaged and made again. A walk with limits has a ``plan`` and says what it ``left``.
    """

    made: list[Run] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    blocked: list[Run] = field(default_factory=list)
    kept: list[Run] = field(default_factory=list)
    rejected: list[str] = field(default_factory=list)
    damaged: list[str] = field(default_factory=list)
    fresh: dict[str, list[Partition]] = field(default_factory=dict)
    """Step -> its partitions that were fresh."""
    plan: Verdicts | None = None
    left: dict[str, list[Run]] = field(default_factory=dict)
    """Why -> stale partitions that another walk makes."""
    n_begun: int = 0
    """Partitions that were begun, publishing left out."""
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
        made = (run.partition for run in self.made if run.step == name)
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
            place = f"{asset} {partition.key}".strip()
            self.damaged.append(f"{place}: {now.states.of[asset][partition].problem}")
        self.failures = [
            f
            for f in self.failures
            if not now.touches(STEP_NAMED[f.run.step], f.run.partition, damaged)
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

    def leaves(self, runs: Sequence[Run], why: str) -> None:
        """Partitions are left to another walk."""

    def stage_starts(self, name: str, n: int) -> None:
        """A step has ``n`` partitions to make."""

    def run_starts(self, run: Run) -> None:
        """Some of them are being made."""

    def progress(self, run: Run, progress: Progress) -> None:
        """A run got further; one of several partitions counts these."""

    def run_ends(self, run: Run, n: int, failures: Sequence[Failure]) -> None:
        """Of the partitions of a run ``n`` were made or failed; the others are to be made yet."""
