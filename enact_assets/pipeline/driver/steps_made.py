"""One walk through the steps of a lineage: its plan, and each chosen partition that it makes."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from enact_assets.engine.graph import Partition, StepSpec, partition_key
from enact_assets.engine.planning.lineage import Cause, Lineage
from enact_assets.engine.planning.marks import Marks
from enact_assets.engine.planning.shards import Shards
from enact_assets.engine.planning.state_source import landed_states
from enact_assets.engine.planning.verdicts import FOLLOWS, HELD, STALE, Verdict, Verdicts, judge
from enact_assets.pipeline.driver.choice import Runners
from enact_assets.pipeline.driver.chosen import Chosen
from enact_assets.pipeline.driver.contract import Outcome, StepRun
from enact_assets.pipeline.driver.walk import (
    BEHIND,
    BUDGET_SPENT,
    LATE,
    MANY,
    NO_MONEY,
    Batch,
    Failure,
    Limits,
    Observer,
    Report,
    Step,
    Withheld,
    in_batches,
)
from enact_assets.pipeline.lineage.graph import LANDED_OF, REPORT, ROOTS, STEP_NAMED, WAREHOUSE
from enact_assets.pipeline.lineage.lake_states import LakeStates
from enact_assets.pipeline.runs.driver_lock import check_only_driver
from enact_assets.pipeline.runs.running import WHY_TAG
from enact_assets.settings.registry import BASELINE

WHY_CHARACTERS = 1000

PUBLISHING = (WAREHOUSE, REPORT)
OUTDATED = Cause("its list of stale and missing partitions is outdated")


def planned(
    lineage: Lineage,
    chosen: Chosen,
    is_list_outdated: Callable[[], bool],
    withheld: Withheld = lambda _step, _partition: False,
) -> Verdicts:
    """What a walk over ``chosen`` makes, and what it may make depending on results; what is
    ``withheld`` is held, and what waits for it.

    ``is_list_outdated`` says whether the published list of stale and missing partitions differs
    from the present one; it is asked only if nothing else decides whether to publish.
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
    """With the warehouse to be made if its list is, or may come to be, outdated; then the report.

    Before the report, the only step that can be there.
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
    """One walk: what was made and what failed so far."""

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
        shards: Shards | None,
        is_forced: Callable[[str], bool],
        limits: Limits | None = None,
    ) -> None:
        self._lineage, self._runners, self._chosen = lineage, runners, chosen
        self._report, self._tags, self._is_forced = report, tags, is_forced
        self._shards, self._limits = shards, limits
        self._states, self._observer = states, observer
        self._is_list_outdated = partial(is_list_outdated, lineage)
        self._left, self._unpaid = Marks(), Marks()
        self._failed = Marks()
        for failure in report.failures:
            self._failed.add(failure.step.keys, failure.step.names)

    def go(self) -> None:
        """Make them, step by step. KeyboardInterrupt passes through; what was made is kept."""
        for spec in self._lineage.steps:
            if steps := self._to_make(spec):
                check_only_driver()
                if batches := self._within_limits(in_batches(spec, steps, self._shards)):
                    unit = "shard" if batches[0].only else "partition"
                    self._observer.stage_starts(spec.name, len(batches), unit)
                    self._make(batches)

    def _within_limits(self, batches: list[Batch]) -> list[Batch]:
        """Those that may begin now; the others are left."""
        limits, name = self._limits, batches[0].of_run.name
        if limits is None or name in PUBLISHING:
            return batches
        if limits.is_over():
            n, why = 0, LATE
        elif limits.max_runs is None:
            return batches
        else:
            n, why = max(0, limits.max_runs - self._report.n_runs), MANY
        self._leave([s for batch in batches[n:] for s in batch.steps], why, self._left)
        return batches[:n]

    def _waits(self, spec: StepSpec, partition: Partition, step: Step) -> bool:
        """Whether limits leave ``partition``, or what it is made from; it is listed if it is stale.

        What reads all partitions of something does not wait for those that nobody may pay for.
        """
        lineage, limits = self._lineage, self._limits
        if limits is None or spec.name in PUBLISHING:
            return False
        why, marks = BEHIND, [self._left]
        if not lineage.touches(spec, partition, self._left):
            marks = [self._failed, self._unpaid]
            if step.why and limits.withheld(spec, partition):
                why = NO_MONEY
            elif not (
                lineage.is_blocked(spec, partition, self._failed)
                and lineage.touches(spec, partition, self._unpaid)
            ):
                return False
        for of in marks:
            of.add(spec.assets, partition)
        if step.why:
            self._leave([step], why)
        return True

    def _leave(self, steps: Sequence[Step], why: str, *marks: Marks) -> None:
        if not steps:
            return
        for step in steps:
            for of in marks:
                of.add(step.keys, step.names)
        self._report.left.setdefault(why, []).extend(steps)
        self._observer.leaves(steps, why)

    def _to_make(self, spec: StepSpec) -> list[Step]:
        steps = []
        failed_before = set(self._failed.of.get(spec.assets[0], ()))
        suspects = self._lineage.may_be_stale(spec).tolist()
        for partition, is_suspect in zip(self._lineage.partitions(spec), suspects, strict=True):
            if partition in failed_before:
                continue  # in a walk that begins again
            if not self._chosen.is_chosen(spec, partition):
                continue
            causes = self._lineage.causes(spec, partition) if is_suspect else ()
            if spec.name == WAREHOUSE and not causes and self._is_list_outdated():
                causes = (OUTDATED,)
            is_forced = self._is_forced(spec.name) and self._chosen.is_asked_for(spec, partition)
            why = "; ".join(str(c) for c in causes) or ("forced" if is_forced else "")
            step = Step(spec.name, spec.assets, partition_key(partition), why)
            if self._waits(spec, partition, step):
                continue
            if self._lineage.is_blocked(spec, partition, self._failed):
                self._failed.add(spec.assets, partition)
                (self._report.blocked if why else self._report.kept).append(step)
            elif why:
                steps.append(step)
            else:
                self._report.fresh.setdefault(spec.name, []).append(partition)
        # Variants that look like the baseline find its pictures rendered.
        return sorted(steps, key=lambda step: BASELINE not in step.names)

    def _make(self, batches: list[Batch]) -> None:
        of_run = {batch.of_run.partition: batch for batch in batches}
        is_publishing = batches[0].of_run.name in PUBLISHING
        runs = [
            StepRun(
                batch.of_run.name,
                batch.of_run.partition,
                {
                    **self._tags(batch.of_run.name),
                    WHY_TAG: f"{batch.of_run.name}: {batch.of_run.why}"[:WHY_CHARACTERS],
                },
                only=batch.only,
                is_forced=self._is_forced(batch.of_run.name),
                until=None if self._limits is None or is_publishing else self._limits.until,
            )
            for batch in batches
        ]
        for outcome in self._runners.run(
            runs,
            lambda run: self._observer.step_starts(of_run[run.partition].of_run),
            lambda run, progress: self._observer.progress(of_run[run.partition].of_run, progress),
        ):
            batch = of_run[outcome.run.partition]
            if outcome.is_left:
                self._leave(batch.steps, LATE, self._left)
                continue
            self._report.n_runs += not is_publishing
            for step in batch.steps:
                self._ended(step, self._failure(step, batch, outcome))
            of_run_failure = None
            if outcome.error is not None and not self._is_unpaid(outcome.error):
                of_run_failure = Failure(batch.of_run, outcome.error, outcome.run_id or "")
            self._observer.step_ends(batch.of_run, of_run_failure)

    def _failure(self, step: Step, batch: Batch, outcome: Outcome) -> Failure | None:
        """Why ``step`` was not made in its run."""
        if outcome.error is None:
            return None
        message = outcome.failures.get(step.partition or "", outcome.error)
        is_made = bool(outcome.failures) and step.partition not in outcome.failures
        if batch.only and not outcome.failures and not self._is_forced(step.name):
            # The run broke off.
            self._look(step)
            is_made = not self._lineage.causes(STEP_NAMED[step.name], step.names)
        return None if is_made else Failure(step, message, outcome.run_id or "")

    def _look(self, step: Step) -> None:
        """What there is now of a step that ran."""
        if step.name not in ROOTS:
            about = [asset for asset, table in LANDED_OF.items() if table in step.keys]
            landed = landed_states(self._states, [*step.keys, *about], step.names)
            for asset, state in landed.items():
                self._lineage.states.set(asset, step.names, state)

    def _ended(self, step: Step, failure: Failure | None) -> None:
        # Also of a failure: it may have landed some of its tables.
        self._look(step)
        if failure is None:
            if step.name in ROOTS:
                version = self._lineage.states.of[step.name][step.names].version
                self._lineage.reported[step.name][step.names] = version
            self._report.made.append(step)
        elif self._is_unpaid(failure.message):
            self._leave([step], NO_MONEY, self._failed, self._unpaid)
        else:
            self._report.failures.append(failure)
            self._failed.add(step.keys, step.names)

    def _is_unpaid(self, message: str) -> bool:
        return self._limits is not None and BUDGET_SPENT in message
