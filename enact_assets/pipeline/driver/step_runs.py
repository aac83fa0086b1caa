"""Performs runs in this process, each as one run of Dagster.

Opening the instance and resolving the asset graph take longer than most steps, so both are done
once per process and site. The module also sets the environment of a run, and makes the message of a
failed run.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import dagster as dg

from enact_assets.engine import errors
from enact_assets.engine.errors import EnactError
from enact_assets.engine.grids import Partition
from enact_assets.engine.ids import ID_CHARACTERS, sha256_bytes
from enact_assets.engine.planning.shards import shard_at
from enact_assets.engine.progress import OnProgress
from enact_assets.engine.system.atomic import replacing
from enact_assets.engine.system.contexts import having
from enact_assets.pipeline.dagster.definitions import build_definitions
from enact_assets.pipeline.dagster.partitions import Partitions
from enact_assets.pipeline.driver.contract import Progressed, Runner, Site, Started
from enact_assets.pipeline.driver.interrupts import no_interrupt_is_lost
from enact_assets.pipeline.lineage.graph import STEP_NAMED, dimensions
from enact_assets.pipeline.runs.captured_output import uncaptured
from enact_assets.pipeline.runs.code_location import note_code_location
from enact_assets.pipeline.runs.driver_lock import make_folder
from enact_assets.pipeline.runs.instance import INSTANCE_FOLDER, open_instance
from enact_assets.pipeline.runs.lost_runs import mark_lost, mark_stopped, process_tags
from enact_assets.pipeline.runs.making import WHY_CHARACTERS
from enact_assets.pipeline.runs.progress import listening
from enact_assets.pipeline.runs.range_making import run_config
from enact_assets.pipeline.runs.ranges import in_ranges, range_tags
from enact_assets.pipeline.runs.resources import DataResource
from enact_assets.pipeline.runs.run import Outcome, Run, performing
from enact_assets.pipeline.runs.running import WHY_TAG, asset_keys, job_of
from enact_assets.questions.world.step_files import world_sources
from enact_assets.settings.paths import HOME_VARIABLE, LAKE_VARIABLE, DataRoot
from enact_assets.settings.registry import load_registry

QUIET: Mapping[str, object] = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}
"""Run config: no logs on the terminal. All logs are in the instance, for the UI."""

NEVER_RETRIED: Mapping[str, str] = {"dagster/max_retries": "0"}
"""Tag of a driver's runs: without it, a daemon would retry failed runs that the driver retries
itself.
"""

REGISTRY_VARIABLE = "ENACT_REGISTRY"
REGISTRIES = "registries"


def variables_of(site: Site) -> dict[str, str]:
    """Environment variables that describe the site to code that reads the environment."""
    return {
        HOME_VARIABLE: str(site.data_root.resolve()),
        LAKE_VARIABLE: site.lake_url or "",
        REGISTRY_VARIABLE: str(registry_file(site)),
    }


def registry_file(site: Site) -> Path:
    """The registry as a file, so that ``load_registry()`` finds it in every process of the site.

    The file is stored beside the instance, in a folder named by its content, so that all processes
    share it and a killed process leaves no other copy. It keeps its name, which the report prints.
    """
    texts = [site.registry_text, *(part for file in site.beside_it for part in file)]
    sha = sha256_bytes("\0".join(texts).encode())[:ID_CHARACTERS]
    path = site.data_root.resolve() / INSTANCE_FOLDER / REGISTRIES / sha / site.registry_name
    if not path.exists():
        make_folder(path.parent)
        # The registry is written last, so that the files it names exist when it does.
        for name, text in (*site.beside_it, (site.registry_name, site.registry_text)):
            with replacing(path.parent / name) as temporary:
                temporary.write_text(text, encoding="utf-8")
    return path


INTERRUPTIONS = {"DagsterExecutionInterruptedError", "KeyboardInterrupt"}
"""How Dagster names a Ctrl-C or a terminated process in a failed step."""


def failure_message(result: dg.ExecuteInProcessResult) -> str:
    """Message of the outermost error of this package, else of the foreign error.

    Dagster turns Ctrl-C into a failed step, for which this raises KeyboardInterrupt.
    """
    for event in result.all_events:
        if not event.is_step_failure:
            continue
        chain = []
        error = event.step_failure_data.error
        while error is not None:
            chain.append(error)
            error = error.cause
        if any(e.cls_name in INTERRUPTIONS for e in chain):
            raise KeyboardInterrupt
        for error in chain:
            if isinstance(kind := getattr(errors, str(error.cls_name), None), type) and issubclass(
                kind, EnactError
            ):
                return error.message.split(": ", 1)[-1].strip()
        if chain:
            return chain[-1].message.strip()
    return "the run failed outside its step. See the run in the UI"


class InProcessRunner(Runner):
    """Performs runs of ``site`` in the order they are given."""

    def __init__(self, site: Site) -> None:
        self._site = site

    def run(self, runs: Sequence[Run], started: Started, progress: Progressed) -> Iterator[Outcome]:
        """As in :class:`Runner`."""
        for run in runs:
            started(run)
            yield execute(self._site, run, partial(progress, run))

    def close(self) -> None:
        """Does nothing: the workplace of this process is kept for the next runner."""


class Workplace:
    """Objects that a process reuses for all runs of a site: instance, definitions, a job per
    step.
    """

    def __init__(self, site: Site) -> None:
        self.variables = variables_of(site)
        self.instance = open_instance(site.data_root)
        note_code_location(self.instance)
        self.registry = load_registry(Path(self.variables[REGISTRY_VARIABLE]))
        self._shards = site.shards
        sources = world_sources(DataRoot(site.data_root).step_files)
        self._partitions = Partitions(self.registry.with_worlds(sources), site.shards)
        self._root, self._lake_url = str(site.data_root.resolve()), site.lake_url
        self._definitions: dict[int, dg.Definitions] = {}
        self._jobs: dict[tuple[str, int], dg.JobDefinition] = {}

    def in_dagster(self, step: str, partition: Partition) -> Partition:
        """The partition in Dagster that holds ``partition`` of a step: its shard, or itself."""
        if self._shards is None or shard_at(partition) is not None:
            return partition
        return self._shards.partition(dimensions(STEP_NAMED[step].assets[0]), partition)

    def in_shards(self, run: Run) -> list[list[Partition]]:
        """Partitions of a run, grouped by shard; empty if Dagster has no shards of them."""
        of: dict[Partition, list[Partition]] = {}
        for partition in run.partitions:
            of.setdefault(self.in_dagster(run.step, partition), []).append(partition)
        return list(of.values()) if any(shard_at(key) is not None for key in of) else []

    def in_ranges(self, run: Run) -> list[list[Partition]]:
        """Partitions of a run in as few ranges as possible."""
        definition = self._partitions.of(STEP_NAMED[run.step].assets[0])
        return in_ranges(definition, run.partitions, self.instance)

    def job(self, step: str, workers: int) -> dg.JobDefinition:
        """The part of the UI's job that makes the assets of one step.

        Resources are part of the definitions, so there are definitions for each number of
        ``workers``.
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
    """The job that runs ``keys`` in this process, prepared for reuse by all runs.

    Each run requests this subset of its job twice, and describes it for the run's record, which
    takes a third of the run's time. The result never changes, so these methods return the job
    itself.
    """
    job = whole.as_ephemeral_job(resource_defs={}, input_values={}, asset_selection=keys)
    for ask in ("as_ephemeral_job", "get_subset"):
        setattr(job, ask, lambda **_: job)
    return job


_open: dict[Site, Workplace] = {}
"""At most one entry, as a process works for one site at a time."""


def workplace(site: Site) -> Workplace:
    """The workplace of ``site`` in this process, opened on first use.

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


def execute(site: Site, run: Run, on_progress: OnProgress) -> Outcome:
    """Perform ``run`` in this process, as one run of Dagster.

    The outcome of a failure has the message of our own error, else of the foreign one. Raises
    KeyboardInterrupt on Ctrl-C or SIGTERM.
    """
    outcome = Outcome(run)
    if run.until is not None and time.time() >= run.until:
        outcome.left += run.partitions
        return outcome
    began = time.monotonic()
    place = workplace(site)
    outcome.run_id = run.run_id
    with (
        having(place.variables), listening(on_progress), performing(outcome), uncaptured(),
        no_interrupt_is_lost(),
    ):  # fmt: skip
        try:
            result = place.job(run.step, run.workers).execute_in_process(
                instance=place.instance,
                raise_on_error=False,
                asset_selection=asset_keys(run.step),
                run_id=run.run_id,
                **_in_dagster(place, run),
            )
            if not result.success:
                outcome.error = failure_message(result)
        except KeyboardInterrupt:
            mark_stopped(place.instance, run.run_id)
            raise
        except Exception as outside:  # noqa: BLE001 - reported as this run's failure, others go on
            # The partition does not exist, or Dagster's own storage failed and cannot record the
            # failure.
            outcome.error = f"{type(outside).__name__}: {outside}".strip()
            with suppress(Exception):
                why = f"The run could not go on ({outcome.error})."
                mark_lost(place.instance, run.run_id, why)
    outcome.seconds = time.monotonic() - began
    return outcome


def _in_dagster(place: Workplace, run: Run) -> dict[str, Any]:
    """Arguments of a run in Dagster: its partition or range; for a part of a shard, the members."""
    tags = {**run.tags, **process_tags(run.run_id), **NEVER_RETRIED}
    if run.why:
        tags[WHY_TAG] = f"{run.step}: {run.why}"[:WHY_CHARACTERS]
    keys = list(dict.fromkeys(place.in_dagster(run.step, p) for p in run.partitions))
    config, at = dict(QUIET), shard_at(keys[0])
    if at is not None and keys[0] != run.partition:
        config |= run_config({run.step: [p[at] for p in run.partitions]}, only_stale=False)
    if len(keys) > 1:
        return {"tags": tags | range_tags(keys), "run_config": config}
    return {"tags": tags, "run_config": config, "partition_key": keys[0].key or None}
