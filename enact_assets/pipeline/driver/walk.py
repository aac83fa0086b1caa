"""Makes the selected partitions of a lineage, step by step, according to a plan; and what such a
run has: limits, failures, a report, an observer.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from enact_assets.engine.graph import StepSpec
from enact_assets.engine.grids import Partition
from enact_assets.engine.planning.lineage import Cause, Lineage
from enact_assets.engine.planning.marks import Marks
from enact_assets.engine.planning.verdicts import FOLLOWS, HELD, STALE, Verdict, Verdicts, judge
from enact_assets.engine.progress import Progress
from enact_assets.pipeline.driver.choice import Runners
from enact_assets.pipeline.driver.chosen import Chosen
from enact_assets.pipeline.lineage.graph import (
    LANDED_OF,
    REPORT,
    ROOTS,
    STEP_NAMED,
    STEP_OF,
    WAREHOUSE,
)
from enact_assets.pipeline.lineage.lake_states import LakeStates
from enact_assets.pipeline.runs.driver_lock import check_only_driver
from enact_assets.pipeline.runs.run import Outcome, Run
from enact_assets.settings.registry import BASELINE

PUBLISHING = (WAREHOUSE, REPORT)
OUTDATED = Cause("its list of stale and missing partitions is outdated")

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


def planned(
    lineage: Lineage,
    chosen: Chosen,
    is_list_outdated: Callable[[], bool],
    withheld: Withheld = lambda _step, _partition: False,
) -> Verdicts:
    """Verdicts on ``chosen`` partitions: those to make, and those that may be made depending on
    results. Partitions that are ``withheld``, and partitions downstream of them, are held.

    ``is_list_outdated`` returns whether the published list of stale and missing partitions differs
    from the current one; it is called only if no other reason requires publishing.
    """
    verdicts = judge(
        lineage,
        None if chosen.is_everything else chosen.is_chosen,
        hold=lambda step, row: HELD if withheld(step, row.partition) else None,
    )
    return _published(verdicts, chosen, is_list_outdated).asked_for(
        lambda step, partition: chosen.is_asked_for(STEP_NAMED[step], partition)
    )


def _published(
    verdicts: Verdicts, chosen: Chosen, is_list_outdated: Callable[[], bool]
) -> Verdicts:
    """The same verdicts, with the warehouse to be made if its list is or may become outdated, and
    then the report.

    Before the report, as that is the only step that can come later.
    """
    known, whole = {row.step for row in verdicts.not_fresh}, Partition()
    if WAREHOUSE in known or not chosen.is_chosen(STEP_NAMED[WAREHOUSE], whole):
        return verdicts
    published = Verdict(WAREHOUSE, whole, FOLLOWS)
    if not known - {REPORT}:
        if not is_list_outdated():
            return verdicts
        published = Verdict(WAREHOUSE, whole, STALE, (OUTDATED,))
    verdicts = verdicts.updated(published)
    if REPORT in known or not chosen.is_chosen(STEP_NAMED[REPORT], whole):
        return verdicts
    return verdicts.updated(Verdict(REPORT, whole, FOLLOWS, upstream=(WAREHOUSE,)))


class Walk:
    """One run of the driver, with the partitions made and failed so far."""

    def __init__(
        self,
        lineage: Lineage,
        runners: Runners,
        chosen: Chosen,
        report: Report,
        *,
        states: LakeStates,
        observer: Observer,
        is_list_outdated: Callable[[Lineage], bool],
        tags: Callable[[str], Mapping[str, str]],
        is_forced: Callable[[str], bool],
        limits: Limits | None = None,
    ) -> None:
        self._lineage, self._runners, self._chosen = lineage, runners, chosen
        self._report, self._tags, self._is_forced = report, tags, is_forced
        self._limits = limits
        self._states, self._observer = states, observer
        self._is_list_outdated = partial(is_list_outdated, lineage)
        self._left, self._unpaid = Marks(), Marks()
        self._failed = Marks()
        for failure in report.failures:
            self._mark(failure.run, self._failed)

    def go(self) -> None:
        """Make the selected partitions, step by step. KeyboardInterrupt passes through; finished
        partitions are kept.
        """
        for spec in self._lineage.steps:
            if wanted := self._to_make(spec):
                check_only_driver()
                if wanted := self._within_limits(wanted):
                    self._observer.stage_starts(spec.name, len(wanted))
                    self._make(wanted)

    def _within_limits(self, wanted: list[Run]) -> list[Run]:
        """Runs that the limits allow to start now; the others are left."""
        limits = self._limits
        if limits is None or wanted[0].step in PUBLISHING:
            return wanted
        if limits.is_over():
            n, why = 0, LATE
        elif limits.max_partitions is None:
            return wanted
        else:
            n, why = max(0, limits.max_partitions - self._report.n_begun), MANY
        self._leave(wanted[n:], why, self._left)
        return wanted[:n]

    def _waits(self, spec: StepSpec, partition: Partition, run: Run) -> bool:
        """Whether limits leave ``partition`` or an input of it to a later run; it is then listed if
        it is stale.

        A step that reads all partitions of an input does not wait for partitions that the budget
        does not cover.
        """
        lineage, limits = self._lineage, self._limits
        if limits is None or spec.name in PUBLISHING:
            return False
        why, marks = BEHIND, [self._left]
        if not lineage.touches(spec, partition, self._left):
            marks = [self._failed, self._unpaid]
            if run.why and limits.withheld(spec, partition):
                why = NO_MONEY
            elif not (
                lineage.is_blocked(spec, partition, self._failed)
                and lineage.touches(spec, partition, self._unpaid)
            ):
                return False
        for of in marks:
            of.add(spec.assets, partition)
        if run.why:
            self._leave([run], why)
        return True

    def _leave(self, runs: Sequence[Run], why: str, *marks: Marks) -> None:
        if not runs:
            return
        for run in runs:
            self._mark(run, *marks)
        self._report.left.setdefault(why, []).extend(runs)
        self._observer.leaves(runs, why)

    @staticmethod
    def _mark(run: Run, *marks: Marks) -> None:
        for of in marks:
            of.add(STEP_NAMED[run.step].assets, *run.partitions)

    def _to_make(self, spec: StepSpec) -> list[Run]:
        """A run for each partition."""
        found = []
        failed_before = set(self._failed.of.get(spec.assets[0], ()))
        suspects = self._lineage.may_be_stale(spec).tolist()
        for partition, is_suspect in zip(self._lineage.partitions(spec), suspects, strict=True):
            if partition in failed_before:
                continue  # already made before the steps were repeated
            if not self._chosen.is_chosen(spec, partition):
                continue
            causes = self._lineage.causes(spec, partition) if is_suspect else ()
            if spec.name == WAREHOUSE and not causes and self._is_list_outdated():
                causes = (OUTDATED,)
            is_forced = self._is_forced(spec.name) and self._chosen.is_asked_for(spec, partition)
            why = "; ".join(str(c) for c in causes) or ("forced" if is_forced else "")
            run = Run(spec.name, (partition,), (why,))
            if self._waits(spec, partition, run):
                continue
            if self._lineage.is_blocked(spec, partition, self._failed):
                self._failed.add(spec.assets, partition)
                (self._report.blocked if why else self._report.kept).append(run)
            elif why:
                found.append(run)
            else:
                self._report.fresh.setdefault(spec.name, []).append(partition)
        # The baseline comes first, as variants with the same pictures reuse them.
        return sorted(found, key=lambda run: BASELINE not in run.partition)

    def _make(self, wanted: Sequence[Run]) -> None:
        """Make all partitions of one step. Partitions that an aborted run did not make are made
        again, one by one.
        """
        step, limits = wanted[0].step, self._limits
        partitions = tuple(run.partition for run in wanted)
        whys = tuple(run.why for run in wanted)
        until = None if limits is None or step in PUBLISHING else limits.until
        runs = [Run(step, partitions, whys, self._tags(step), until=until)]
        begun: dict[str, Run] = {}

        def started(run: Run) -> None:
            begun[run.id] = run
            self._observer.run_starts(run)

        while runs:
            again: list[Run] = []
            try:
                for outcome in self._runners.run(runs, started, self._observer.progress):
                    begun.pop(outcome.run.id, None)
                    again += self._ended(outcome)
            except KeyboardInterrupt:
                landed = [one for run in begun.values() if run.is_list for one in run.each()]
                self._report.made += filter(self._has_landed, landed)
                raise
            runs = again

    def _ended(self, outcome: Outcome) -> list[Run]:
        """Record the result of each partition of a run; returns those whose result is unknown."""
        run, again, failures = outcome.run, list[Run](), list[Failure]()
        left = set(outcome.left)
        for one in run.each():
            if one.partition in left:
                self._leave([one], LATE, self._left)
                continue
            why = outcome.error
            if why is not None and run.is_list:
                why = outcome.failures.get(one.key)
                if why is None and outcome.broke_off and not self._has_landed(one):
                    again.append(one)
                    continue
            failure = None if why is None else Failure(one, why, outcome.run_id or "")
            failures += self._noted(one, failure)
        n_ended = len(run.partitions) - len(left) - len(again)
        self._report.n_begun += 0 if run.step in PUBLISHING else n_ended
        self._observer.run_ends(run, n_ended, failures)
        return again

    def _has_landed(self, run: Run) -> bool:
        """Whether a partition exists that a run made without reporting it."""
        self._look(run)
        is_forced = self._is_forced(run.step)
        return not is_forced and not self._lineage.causes(STEP_NAMED[run.step], run.partition)

    def _look(self, run: Run) -> None:
        """Update the state of a partition that was made."""
        if run.step not in ROOTS:
            made = STEP_NAMED[run.step].assets
            about = [asset for asset, table in LANDED_OF.items() if table in made]
            for asset in (*made, *about):
                state = self._states.landed(asset, run.partition)
                self._lineage.states.set(asset, run.partition, state)

    def _noted(self, run: Run, failure: Failure | None) -> list[Failure]:
        """Record the result of one partition; returns its failure, unless only the budget was
        spent.
        """
        # Also after a failure, as some tables may have been written.
        self._look(run)
        if failure is None:
            if run.step in ROOTS:
                version = self._lineage.states.of[run.step][run.partition].version
                self._lineage.reported[run.step][run.partition] = version
            self._report.made.append(run)
        elif self._limits is not None and BUDGET_SPENT in failure.message:
            self._leave([run], NO_MONEY, self._failed, self._unpaid)
        else:
            self._report.failures.append(failure)
            self._mark(run, self._failed)
            return [failure]
        return []
