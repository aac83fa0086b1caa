"""Runs one step in this process: a Dagster run of one partition, reusing what it can.

Opening the instance and resolving the asset graph cost more than most steps: both are done once
per process and site.
"""

import time
import uuid
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

import dagster as dg

from enact_assets.contracts.registry import load_registry
from enact_assets.defs.definitions import build_definitions
from enact_assets.driver.contract import Outcome, Site, StepRun
from enact_assets.driver.environment import REGISTRY_VARIABLE, having, variables_of
from enact_assets.driver.failures import failed_partitions, failure_message
from enact_assets.driver.interrupts import no_interrupt_is_lost
from enact_assets.lineage.pipeline import STEP_NAMED
from enact_assets.runs.code_location import note_code_location
from enact_assets.runs.instance import open_instance
from enact_assets.runs.lost_runs import mark_lost, mark_stopped, process_tags
from enact_assets.runs.progress import Progress, listening
from enact_assets.runs.resources import DataResource
from enact_assets.runs.running import job_of
from enact_assets.runs.shard_making import run_config

QUIET: Mapping[str, object] = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}
"""Run config: nothing on the terminal. All of it is in the instance, for the UI."""


class Workplace:
    """What a process keeps of a site from step to step: instance, definitions, a job per step."""

    def __init__(self, site: Site) -> None:
        self.variables = variables_of(site)
        self.instance = open_instance(site.data_root)
        note_code_location(self.instance)
        self.registry = load_registry(Path(self.variables[REGISTRY_VARIABLE]))
        self._shards = site.shards
        self._root, self._lake_url = str(site.data_root.resolve()), site.lake_url
        self._definitions: dict[int, dg.Definitions] = {}
        self._jobs: dict[tuple[str, int], dg.JobDefinition] = {}

    def job(self, step: str, workers: int) -> dg.JobDefinition:
        """The part of the UI's job that makes the assets of one step.

        A resource is part of its definitions: there are some for each number of ``workers``.
        """
        if workers not in self._definitions:
            data = DataResource(root=self._root, lake_url=self._lake_url, workers=workers)
            self._definitions[workers] = build_definitions(
                self.registry, data, self._shards, for_steps=True
            )
        if (step, workers) not in self._jobs:
            whole = self._definitions[workers].resolve_job_def(job_of(step))
            self._jobs[step, workers] = _kept(whole, asset_keys(step))
        return self._jobs[step, workers]


def _kept(whole: dg.JobDefinition, keys: list[dg.AssetKey]) -> dg.JobDefinition:
    """The job that runs ``keys`` in this process, which stays the same from run to run.

    Each run asks its job for this subset of itself, twice, and describes what it gets for the run's
    record: a third of what a run costs. The answer never changes, so it is the job itself.
    """
    job = whole.as_ephemeral_job(resource_defs={}, input_values={}, asset_selection=keys)
    for ask in ("as_ephemeral_job", "get_subset"):
        setattr(job, ask, lambda **_: job)
    return job


_open: dict[Site, Workplace] = {}
"""At most one: a process works for one site at a time."""


def workplace(site: Site) -> Workplace:
    """What this process keeps of ``site``, opened on first use.

    Errors: as :func:`open_instance` and :func:`load_registry`.
    """
    if site not in _open:
        leave()
        _open[site] = Workplace(site)
    return _open[site]


def leave() -> None:
    """Close the workplace of this process, if it has one."""
    while _open:
        _open.popitem()[1].instance.dispose()


def asset_keys(step: str) -> list[dg.AssetKey]:
    """Keys of what a step lands."""
    return [dg.AssetKey(asset) for asset in STEP_NAMED[step].assets]


def execute(
    site: Site, run: StepRun, progress: Callable[[Progress], None], *, run_id: str | None = None
) -> Outcome:
    """Run one step in this process, as the Dagster run ``run_id`` (by default a new one).

    A failure is an outcome with an error: what our own error says, else the foreign one's message.
    Raises KeyboardInterrupt on Ctrl-C or SIGTERM.
    """
    began = time.monotonic()
    place = workplace(site)
    run_id = run_id or str(uuid.uuid4())
    error, failures = None, dict[str, str]()
    config = QUIET
    if run.only:
        only_stale = run.is_again and not run.is_forced
        config = {**QUIET, **run_config(run.step, run.only, only_stale=only_stale)}
    with having(place.variables), listening(progress), no_interrupt_is_lost():
        try:
            result = place.job(run.step, run.workers).execute_in_process(
                partition_key=run.partition,
                instance=place.instance,
                run_config=config,
                raise_on_error=False,
                asset_selection=asset_keys(run.step),
                tags={**run.tags, **process_tags(run_id)},
                run_id=run_id,
            )
            if not result.success:
                error, failures = failure_message(result), failed_partitions(result)
        except KeyboardInterrupt:
            mark_stopped(place.instance, run_id)
            raise
        except Exception as outside:  # noqa: BLE001 - reported as this step's failure, others go on
            # No such partition, or Dagster's own storage failed: then it cannot be reported either.
            error = f"{type(outside).__name__}: {outside}".strip()
            with suppress(Exception):
                mark_lost(place.instance, run_id, f"The run could not go on ({error}).")
    return Outcome(run, run_id, error, time.monotonic() - began, failures)
