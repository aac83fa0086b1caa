"""Types for a run of the driver: limits, failures, the report, the observer."""

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
"""Whether a partition must not be made, such as answers that the budget does not cover."""


@dataclass(frozen=True)
class Limits:
    """Limits that leave partitions to the next run: after the time ``until`` (Unix, s), beyond
    ``max_partitions``, or ``withheld``.

    Publishing is never left, so that results are visible. ``tags`` are tags of all runs.
    """

    tags: Mapping[str, str]
    until: float | None = None
    max_partitions: int | None = None
    withheld: Withheld = lambda _step, _partition: False

    def is_over(self) -> bool:
        """Whether the time ``until`` has passed."""
        return self.until is not None and time.time() >= self.until


LATE = "the window ended"
MANY = "the greatest number of partitions was reached"
NO_MONEY = "it costs money, and the budget does not cover it"
BEHIND = "an input was left"
"""Reasons why partitions were left, in the order in which they are reported."""
BUDGET_SPENT = "does not cover another request"
"""Part of the message of a step whose budget was spent."""


@dataclass(frozen=True)
class Failure:
    """A partition that failed: the error's message, and the id of its run for the UI."""

    run: Run
    message: str
    run_id: str


@dataclass
class Report:
    """The results of a run of the driver, as runs of one partition each.

    ``blocked`` could not be made because something upstream failed; ``kept`` are unchanged although
    an input failed. ``rejected`` are messages about unknown names. ``n_reported`` partitions
    existed but were not yet reported to Dagster. ``damaged`` lists files that were found damaged
    and made again. A run with limits has a ``plan``, and lists in ``left`` the partitions that it
    did not make.
    """

    made: list[Run] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    blocked: list[Run] = field(default_factory=list)
    kept: list[Run] = field(default_factory=list)
    rejected: list[str] = field(default_factory=list)
    damaged: list[str] = field(default_factory=list)
    fresh: dict[str, list[Partition]] = field(default_factory=dict)
    """Step -> its fresh partitions."""
    plan: Verdicts | None = None
    left: dict[str, list[Run]] = field(default_factory=dict)
    """Reason -> stale partitions that are left to another run."""
    n_begun: int = 0
    """Number of partitions that were started, without publishing."""
    n_reported: int = 0
    seconds: float = 0.0

    @property
    def is_success(self) -> bool:
        """Whether all selected partitions are up to date now."""
        return not self.failures and not self.blocked and not self.rejected

    @property
    def n_fresh(self) -> int:
        """How many partitions were fresh."""
        return sum(map(len, self.fresh.values()))

    def current(self, name: str) -> list[Partition]:
        """Partitions of a step that were made or fresh, without repetition."""
        made = (run.partition for run in self.made if run.step == name)
        return list(dict.fromkeys([*made, *self.fresh.get(name, ())]))

    def begins_again(
        self,
        before: Lineage,
        now: Lineage,
        is_chosen: Callable[[StepSpec, Partition], bool],
    ) -> bool:
        """Whether steps failed because of damaged inputs that can be made again.

        Then their failures and all blocked partitions are removed from the report; other failures
        stay, since they would repeat. The result is False if a damaged partition is not selected:
        the warehouse would be published without its rows.
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
    """Partitions that were usable before a run, and are not usable after it."""
    damaged = Marks()
    for asset, states in now.states.of.items():
        for partition, state in states.items():
            was = before.states.get(asset, partition)
            if state.problem is not None and was is not None and was.problem is None:
                damaged.add([asset], partition)
    return damaged


class Observer:
    """Receives the events of a run of the driver. The base class does nothing; the terminal is a
    subclass.
    """

    def reading(self, share: float) -> None:
        """The lake is being read; ``share`` of it is done, 0 to 1."""

    def notes(self, texts: Sequence[str]) -> None:
        """Messages to show before anything is made, a sentence or two each."""

    def planned(self, plan: Verdicts) -> None:
        """The plan of a run with limits."""

    def leaves(self, runs: Sequence[Run], why: str) -> None:
        """Partitions are left to another run, for the reason ``why``."""

    def stage_starts(self, name: str, n: int) -> None:
        """A step starts, with ``n`` partitions to make."""

    def run_starts(self, run: Run) -> None:
        """A run of the step starts."""

    def progress(self, run: Run, progress: Progress) -> None:
        """A run made progress; a run of several partitions counts partitions."""

    def run_ends(self, run: Run, n: int, failures: Sequence[Failure]) -> None:
        """A run ended: ``n`` of its partitions were made or failed; the others are still to be
        made.
        """
