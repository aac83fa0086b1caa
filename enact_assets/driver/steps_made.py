"""One walk through the steps of a lineage: each chosen partition that is missing or stale."""

from collections.abc import Callable, Mapping
from functools import partial

from enact_assets.contracts.registry import BASELINE
from enact_assets.driver.choice import Runners
from enact_assets.driver.chosen import Chosen
from enact_assets.driver.contract import Outcome, StepRun
from enact_assets.driver.planned import OUTDATED
from enact_assets.driver.walk import Failure, Observer, Report, Step
from enact_assets.engine.graph import StepSpec, partition_key
from enact_assets.engine.planning.marks import Marks
from enact_assets.engine.planning.plan import Lineage
from enact_assets.engine.planning.state_source import landed_states
from enact_assets.lineage.lake_states import LakeStates
from enact_assets.lineage.pipeline import ROOTS, WAREHOUSE
from enact_assets.runs.driver_lock import check_only_driver
from enact_assets.runs.running import WHY_TAG

WHY_CHARACTERS = 1000


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
        is_forced: Callable[[str], bool],
    ) -> None:
        self._lineage, self._runners, self._chosen = lineage, runners, chosen
        self._report, self._tags, self._is_forced = report, tags, is_forced
        self._states, self._observer = states, observer
        self._is_list_outdated = partial(is_list_outdated, lineage)
        self._failed = Marks()
        for failure in report.failures:
            self._failed.add(failure.step.keys, failure.step.names)

    def go(self) -> None:
        """Make them, step by step. KeyboardInterrupt passes through; what was made is kept."""
        for spec in self._lineage.steps:
            if steps := self._to_make(spec):
                check_only_driver()
                self._observer.stage_starts(spec.name, len(steps))
                self._make(spec, steps)

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
            if self._lineage.is_blocked(spec, partition, self._failed):
                self._failed.add(spec.assets, partition)
                (self._report.blocked if why else self._report.kept).append(step)
            elif why:
                steps.append(step)
            else:
                self._report.fresh.setdefault(spec.name, []).append(partition)
        # Variants that look like the baseline find its pictures rendered.
        return sorted(steps, key=lambda step: BASELINE not in step.names)

    def _make(self, spec: StepSpec, steps: list[Step]) -> None:
        of_run = {step.partition: step for step in steps}
        runs = [
            StepRun(
                spec.name,
                step.partition,
                {
                    **self._tags(spec.name),
                    WHY_TAG: f"{spec.name}: {step.why}"[:WHY_CHARACTERS],
                },
            )
            for step in steps
        ]
        for outcome in self._runners.run(
            runs,
            lambda run: self._observer.step_starts(of_run[run.partition]),
            lambda run, progress: self._observer.progress(of_run[run.partition], progress),
        ):
            self._ended(spec, of_run[outcome.run.partition], outcome)

    def _ended(self, spec: StepSpec, step: Step, outcome: Outcome) -> None:
        failure = None
        if outcome.error is not None:
            failure = Failure(step, outcome.error, outcome.run_id or "")
        # Also of a failure: it may have landed some of its tables.
        if spec.name not in ROOTS:
            landed = landed_states(self._states, spec.assets, step.names)
            for asset, state in landed.items():
                self._lineage.states.set(asset, step.names, state)
        if failure is None:
            if spec.name in ROOTS:
                version = self._lineage.states.of[spec.name][step.names].version
                self._lineage.reported[spec.name][step.names] = version
            self._report.made.append(step)
        else:
            self._report.failures.append(failure)
            self._failed.add(spec.assets, step.names)
        self._observer.step_ends(step, failure)
