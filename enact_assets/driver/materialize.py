"""Headless driver: bring every missing or stale partition up to date, without UI or daemon.

Walks the asset graph step by step, one Dagster run per partition (one run for many partitions would
give them all one data version), in this process, in several, or on a cluster. Runs are kept in the
instance for the UI.
"""

import os
import time
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from enact_assets.contracts.errors import EnactError, UnknownNameError
from enact_assets.contracts.registry import BASELINE, Registry, load_registry, registry_path
from enact_assets.data_root.answer_files import has_answers
from enact_assets.data_root.forgotten import Forgotten
from enact_assets.data_root.published import published_stale
from enact_assets.defs.up_to_date import report_up_to_date
from enact_assets.driver.choice import Runners
from enact_assets.driver.chosen import Chosen, check_assets, choose, with_upstream
from enact_assets.driver.contract import Outcome, Site, StepRun
from enact_assets.driver.walk import Failure, Observer, Report, Step
from enact_assets.engine.graph import Partition, StepSpec, partition_key
from enact_assets.engine.planning.missing import not_current
from enact_assets.engine.planning.plan import (
    NEVER,
    NEW_CODE,
    NO_PROVENANCE,
    Cause,
    Lineage,
    Marks,
    Plan,
)
from enact_assets.engine.planning.state_source import landed_states
from enact_assets.lineage.pipeline import EXTERNAL, ROOTS, WAREHOUSE
from enact_assets.runs.arrivals import checked_name, names_found, names_in_lake
from enact_assets.runs.driver_lock import check_only_driver
from enact_assets.runs.instance import only_driver, open_instance
from enact_assets.runs.lost_runs import mark_all_lost
from enact_assets.runs.reported import read_lineage, report_landed, tried_partitions
from enact_assets.runs.resources import DataResource
from enact_assets.runs.running import WHY_TAG
from enact_assets.runs.spending import run_tags
from enact_assets.system.collector import without_collector

FOLLOWING = {"wanted_frames", "frame_images"}
"""Steps per demonstration that hang on what is asked of all: a demonstration more shifts that."""
OLDER_REASONS = (NEVER, NEW_CODE, NO_PROVENANCE)
"""Reasons that a walk over other demonstrations has nothing to do with."""
WHY_CHARACTERS = 1000


class Driver:
    """Walks the graph of one data root.

    ``workers`` is how many processes may work at once; ``dask`` the address of a Dask cluster that
    works instead.
    """

    def __init__(
        self,
        data_root: Path,
        *,
        registry: Registry | None = None,
        workers: int | None = None,
        dask: str | None = None,
        observer: Observer | None = None,
    ) -> None:
        self.instance = open_instance(data_root)
        self._registry = registry or load_registry()
        self._workers = workers or os.cpu_count() or 1
        self._data = DataResource(root=str(data_root.resolve()), workers=self._workers)
        self._root = data_root
        self._dask = dask
        self._observer = observer or Observer()

    def run(
        self,
        *,
        demonstrations: Iterable[str] = (),
        models: Iterable[str] = (),
        assets: Iterable[str] | None = None,
        only: Mapping[str, Iterable[str]] | None = None,
        force: bool = False,
        max_usd: float | None = None,
    ) -> Report:
        """Materialize what is missing or stale.

        ``demonstrations`` and ``models``, those of the registry and imported ones become
        partitions if they are none yet. ``assets`` limits the walk to some assets or steps,
        ``only`` to some names of a dimension (demonstration, variant, model). Variants alone mean
        the demonstrations that they ask about; the baseline comes along where they are compared
        with it, and pictures of other demonstrations that were made before follow what is asked
        now. ``force`` makes fresh partitions too. ``max_usd`` is what models may
        cost in this walk, besides the limit in ``models.yaml``; without either, only models that
        cost nothing are asked. A failed partition blocks what is made from it;
        everything else goes on. Files that steps find damaged are made again, and these steps after
        them, once.

        Errors: :class:`UnknownNameError` for an unknown asset or variant,
        :class:`MaterializationError` if another driver is at work; KeyboardInterrupt passes
        through, and what is done by then is kept.
        """
        began = time.monotonic()
        report = Report()
        check_assets(assets or ())
        with only_driver(self._root):
            mark_all_lost(self.instance)
            self._register_all(demonstrations, models, report)
            lineage = self._read()
            chosen = choose(assets, only, lineage.names, self._registry, self._data.sources)
            tags = run_tags(self._root, max_usd)
            with ExitStack() as stack:
                runners = stack.enter_context(Runners(self._site(), self._workers, self._dask))
                _Walk(self, lineage, runners, chosen, report, tags=tags, is_forced=force).go()
                if report.failures:
                    before, lineage = lineage, self._read()
                    if report.begins_again(before, lineage, chosen.is_chosen):
                        _Walk(
                            self, lineage, runners, chosen, report, tags=tags, is_forced=False
                        ).go()
            report.n_told = report_landed(self.instance, lineage)
            report_up_to_date(self.instance, lineage)
        report.seconds = time.monotonic() - began
        return report

    def plan(
        self,
        *,
        demonstrations: Iterable[str] = (),
        models: Iterable[str] = (),
        assets: Iterable[str] | None = None,
        only: Mapping[str, Iterable[str]] | None = None,
    ) -> tuple[Plan, list[str]]:
        """What :meth:`run` would begin with, and messages about unknown names.

        Nothing is changed: names that are no partitions yet are treated as if they were.
        Errors: :class:`UnknownNameError` for an unknown asset or variant.
        """
        check_assets(assets or ())
        report = Report()
        lineage = self._read(self._new_names(demonstrations, models, report))
        chosen = choose(assets, only, lineage.names, self._registry, self._data.sources)
        with without_collector():
            plan = lineage.plan(chosen.is_chosen)
            if assets is not None:
                plan = with_upstream(plan, lineage, chosen)
        return plan, report.rejected

    def forget(self, dimension: str, name: str) -> str:
        """Make ``name`` no partition any more; its files stay, nothing reads them again. A model
        may be given by its id. Returns the name of the partition.

        The link to a recording goes too: it would be added again. Imported answers stay on disk,
        and count again when more are imported under the name. Errors: :class:`UnknownNameError` if
        it is not a partition, and neither lake nor imported answers have it.
        """
        if dimension == "model":
            name = self._data.models.called(name)
        with only_driver(self._root):
            was_linked = dimension == "demonstration" and self._data.recordings.unlink(name)
            was_answered = dimension == "model" and has_answers(self._data.data_root, name)
            known = self.instance.get_dynamic_partitions(dimension)
            is_held = name in names_in_lake(self._data).get(dimension, ())
            if not (name in known or was_linked or was_answered or is_held):
                raise UnknownNameError.of(dimension, name, known)
            Forgotten(self._root).add(dimension, name)
            if name in known:
                self.instance.delete_dynamic_partition(dimension, name)
        return name

    @property
    def data(self) -> DataResource:
        """Where the rows are."""
        return self._data

    @property
    def registry(self) -> Registry:
        """The registry in force."""
        return self._registry

    @property
    def observer(self) -> Observer:
        """Receives the events of a walk."""
        return self._observer

    def _site(self) -> Site:
        return Site(self._root.resolve(), self._data.lake_url, registry_path().read_text("utf-8"))

    def _read(self, added: Mapping[str, Collection[str]] | None = None) -> Lineage:
        on_progress = self._observer.reading
        return read_lineage(self.instance, self._data, self._registry, on_progress, added)

    def _register_all(
        self, demonstrations: Iterable[str], models: Iterable[str], report: Report
    ) -> None:
        for dimension, new in self._new_names(demonstrations, models, report).items():
            if new:
                Forgotten(self._root).remove(dimension, new)
                self.instance.add_dynamic_partitions(dimension, new)

    def _new_names(
        self, demonstrations: Iterable[str], models: Iterable[str], report: Report
    ) -> dict[str, list[str]]:
        """Names that become partitions; unknown ones are reported and ignored."""
        found, problems = names_found(self._data, self._registry)
        report.rejected += problems
        for dimension, names in (("demonstration", demonstrations), ("model", models)):
            for name in names:
                try:
                    key = checked_name(dimension, name, self._registry, self._data)
                except EnactError as error:
                    report.rejected.append(str(error))
                else:
                    found[dimension].append(key)
        known = {d: set(self.instance.get_dynamic_partitions(d)) for d in found}
        return {d: [n for n in dict.fromkeys(found[d]) if n not in known[d]] for d in found}


class _Walk:
    """One walk: what was made and what failed so far."""

    def __init__(
        self,
        driver: Driver,
        lineage: Lineage,
        runners: Runners,
        chosen: Chosen,
        report: Report,
        *,
        tags: Callable[[str], Mapping[str, str]],
        is_forced: bool,
    ) -> None:
        self._lineage, self._runners, self._chosen = lineage, runners, chosen
        self._report, self._tags, self._is_forced = report, tags, is_forced
        self._states = driver.data.states(driver.registry)
        self._observer = driver.observer
        self._tried = partial(tried_partitions, driver.instance)
        self._failed = Marks()
        for failure in report.failures:
            self._failed.add(failure.step.keys, failure.step.names)

    def go(self) -> None:
        for spec in self._lineage.steps:
            if not self._chosen.has(spec):
                continue
            if steps := self._to_make(spec):
                check_only_driver()
                self._observer.stage_starts(spec.name, len(steps))
                self._make(spec, steps)

    def _to_make(self, spec: StepSpec) -> list[Step]:
        steps = []
        failed_before = set(self._failed.of.get(spec.assets[0], ()))
        for partition in self._lineage.partitions(spec):
            if partition in failed_before:
                continue  # in a walk that begins again
            is_chosen = self._chosen.matches(spec, partition)
            if not is_chosen and not self._may_follow(spec, partition):
                continue
            causes = self._lineage.causes(spec, partition)
            if not is_chosen and not _follows(causes):
                continue
            if spec.name == WAREHOUSE and not causes and self._is_stale_otherwise():
                causes = (Cause("its list of stale and missing partitions is outdated"),)
            why = "; ".join(str(c) for c in causes) or ("forced" if self._is_forced else "")
            step = Step(spec.name, spec.assets, partition_key(partition), why)
            if self._lineage.is_blocked(spec, partition, self._failed):
                self._failed.add(spec.assets, partition)
                (self._report.blocked if why else self._report.kept).append(step)
            elif why:
                steps.append(step)
            else:
                self._report.n_fresh += 1
        # Variants that look like the baseline find its pictures rendered.
        return sorted(steps, key=lambda step: BASELINE not in step.names)

    def _may_follow(self, spec: StepSpec, partition: Partition) -> bool:
        """Whether it is of another demonstration, and hangs on what is asked of all.

        Whether an input was made in this walk says nothing: an earlier one may have been killed.
        """
        return spec.name in FOLLOWING and self._chosen.matches(
            spec, partition, besides="demonstration"
        )

    def _is_stale_otherwise(self) -> bool:
        """Whether the list of stale and missing partitions in the warehouse is outdated.

        A partition that was made again with the same rows is stale no longer, and one that failed
        for the first time is missing: neither changes an input of the warehouse.
        """
        found = not_current(self._lineage, self._tried)
        rows = found.select("asset", "partition").iter_rows()
        return set(rows) != published_stale(self._states.root.warehouse)

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


def _follows(causes: Collection[Cause]) -> bool:
    """Whether a partition made before is stale for nothing but inputs of our own that changed."""
    return bool(causes) and not any(
        cause.asset in EXTERNAL or cause.text.startswith(OLDER_REASONS) for cause in causes
    )
