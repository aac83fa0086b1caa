"""Makes several partitions in one run, one after the other: a range, or members of shards. Drivers
and people start such runs.

Each partition has its own provenance and, except for members of shards, its own event with its data
version as soon as it is written. A failed partition is recorded and the others continue, also in
later steps of the same run; the last step fails at its end. Finished partitions stay, so a killed
or failed run is repeated only for partitions that are still stale.
"""

import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import dagster as dg
from dagster._core.definitions.data_version import DATA_VERSION_TAG
from dagster._core.definitions.source_asset import SYSTEM_METADATA_KEY_SOURCE_ASSET_OBSERVATION

from enact_assets.engine.errors import EnactError, MaterializationError
from enact_assets.engine.graph import StepSpec
from enact_assets.engine.grids import Partition
from enact_assets.engine.planning.shards import members, shard_at, version_of
from enact_assets.engine.plurals import counted
from enact_assets.engine.progress import Progress
from enact_assets.engine.provenance import InputVersion
from enact_assets.pipeline.lineage.code import code_version
from enact_assets.pipeline.lineage.graph import EXTERNAL, STEP_OF
from enact_assets.pipeline.runs.making import Found, note_why
from enact_assets.pipeline.runs.progress import reporter, within
from enact_assets.pipeline.runs.reported import last_event_id
from enact_assets.pipeline.runs.run import Outcome, Run, performed
from enact_assets.pipeline.runs.running import TRIGGER_TAG, WHY_TAG, assets_of_run

ONLY, ONLY_STALE = "only", "only_stale"
CONFIG = {
    ONLY: dg.Field(
        [str],
        default_value=[],
        description="Names of the shard that are made. Empty: all of its names.",
    ),
    ONLY_STALE: dg.Field(
        bool,
        default_value=True,
        description="Leave out partitions that are fresh. If all are fresh, all are made again.",
    ),
}
"""Configuration of the op of a step whose partitions are shards."""
ONLY_STALE_TAG = "enact/only_stale"
"""Tag of a run of a range that leaves out fresh partitions, as an earlier attempt was aborted."""
FAILED = "failed partitions"
"""Metadata key of a failed run: partition -> reason."""
AUTOMATED = "automation"
RETRY_TAG = "dagster/retry_number"
MOST_CHARACTERS = 1_000
LOGGED = 3
"""Most tracebacks in the log of a run."""
FOUND = "an earlier run made it"
_failed: dict[tuple[str, str], Mapping[str, str]] = {}
"""(Run, asset) -> partitions that could not be made, and why: later steps leave them out."""
Landed = Iterable[tuple[str, dg.MaterializeResult[Any], int, Mapping[str, InputVersion]]]
"""Results of one partition, for each table: result for Dagster, number of rows, and inputs."""


def run_config(only: Mapping[str, Iterable[str]], *, only_stale: bool) -> dict[str, Any]:
    """Run configuration for some names of a shard (``only``: step -> names)."""
    configs = {step: {ONLY: sorted(names), ONLY_STALE: only_stale} for step, names in only.items()}
    return {"ops": {step: {"config": config} for step, config in configs.items()}}


def chosen_partitions(
    context: dg.AssetExecutionContext, found: Found, step: StepSpec, keys: Iterable[Partition]
) -> dict[Partition, list[Partition]]:
    """Partition in Dagster -> partitions that the run makes for it: itself, or members of its
    shard.

    For a range these are all its partitions, for shards the stale ones that the run's configuration
    names. Fresh partitions are also left out by a retry, and by a run that automation started. A
    run that a person started makes everything if nothing is stale.

    Errors: :class:`MaterializationError` for names that are not in the shard.
    """
    config = context.op_execution_context.op_config or {}
    tags, only = context.run.tags, set(config.get(ONLY, ()))
    names, asset = found.names, step.assets[0]
    # A range may contain partitions that the asset should not have.
    every = {key: [p for p in members(names, asset, key) if names.has(asset, p)] for key in keys}
    if only:
        at = shard_at(next(iter(every))) or 0
        every = {key: [p for p in of if p[at] in only] for key, of in every.items()}
        unknown = sorted(only - {p[at] for of in every.values() for p in of})
        if unknown:
            raise MaterializationError(
                f"{_place(step, every)}: {counted(len(unknown), 'name')} of `{ONLY}` cannot be "
                f"made in this shard, first {unknown[0]!r}. Leave them out, or start the run of "
                "their shard."
            )
    is_repeated = context.run.parent_run_id is not None or ONLY_STALE_TAG in tags
    trigger = tags.get(TRIGGER_TAG)
    if config.get(ONLY_STALE) or is_repeated or trigger == AUTOMATED:
        stale = {key: [p for p in of if found.causes(step.name, p)] for key, of in every.items()}
        if any(stale.values()) or trigger is not None or RETRY_TAG in tags:
            every = stale
    wanted = [p for of in every.values() for p in of]
    if WHY_TAG in tags:
        pass  # a planned run has its reasons already
    elif wanted:
        first = f"{wanted[0].key}: {found.why(step.name, wanted[0])}"
        note_why(context, f"{counted(len(wanted), 'partition')}, first {first}")
    else:
        note_why(context, "all of it was fresh")
    return every


def _place(step: StepSpec, keys: Iterable[Partition]) -> str:
    named = [key.key for key in keys]
    return f"{step.name} {named[0]}" + (f" to {named[-1]}" if len(named) > 1 else "")


def tell(  # noqa: PLR0917 - what an event consists of
    context: dg.AssetExecutionContext,
    asset: str,
    key: str,
    result: dg.MaterializeResult[Any],
    tags: Mapping[str, str] | None = None,
    why: str | None = None,
) -> None:
    """Report one partition to Dagster immediately; ``key`` is Dagster's own key.

    The event has the reason ``why``, since each partition of a run has its own; None: the driver's
    reason.
    """
    if why is None:
        outcome = performed()
        why = outcome.run.why_of(Partition.of_key(str(key))) if outcome is not None else ""
    version = result.data_version.value if result.data_version is not None else ""
    context.log_event(
        dg.AssetMaterialization(
            asset,
            metadata={**(result.metadata or {}), **({WHY_TAG: why} if why else {})},
            partition=key,
            tags={DATA_VERSION_TAG: version, **(tags or {})},
        )
    )


def without_event(asset: str) -> dg.MaterializeResult[Any]:
    """A result that lets later steps of the run begin, and reports no partition to Dagster.

    It is Dagster's marker for assets that were reported already; without it all partitions would
    get one version.
    """
    metadata = {SYSTEM_METADATA_KEY_SOURCE_ASSET_OBSERVATION: True}
    return dg.MaterializeResult(asset_key=asset, metadata=metadata)


def make_partitions(
    context: dg.AssetExecutionContext,
    found: Found,
    step: StepSpec,
    make: Callable[[Partition], Landed],
    where: Callable[[str], str],
) -> Iterator[dg.MaterializeResult[Any]]:
    """Make all partitions of a run with ``make``, and report each to Dagster.

    Yields results without events, so that later steps of the run begin. Errors: ``dagster.Failure``
    caused by a :class:`MaterializationError` if some could not be made.
    """
    named = {Partition.of_key(str(key)): key for key in context.partition_keys}
    run = _Run(context, found, step, named)
    chosen = chosen_partitions(context, found, step, named)
    n = sum(map(len, chosen.values()))
    on_progress = reporter(context, _place(step, named))
    for key, of in chosen.items():
        in_time = []
        for partition in of:
            if run.is_too_late(partition):
                continue
            in_time.append(partition)
            with within(run.n_done, n, "partitions"):
                run.make(key, partition, make)
            on_progress(Progress(run.n_done, n, "partitions"))
        if shard_at(key) is not None:
            run.report_shard(key, in_time, where)
        elif not of:
            run.report_fresh(key)
    run.fail_if_some_failed()
    yield from map(without_event, step.assets)


@dataclass
class _Run:
    """State of a run: rows by asset and partition, and reasons of failed partitions."""

    context: dg.AssetExecutionContext
    found: Found
    step: StepSpec
    named: Mapping[Partition, str]
    """Partition in Dagster -> Dagster's own key, which may have dimensions."""
    n_rows: dict[Partition, dict[str, int]] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._since, self._id = last_event_id(self.context.instance), self.context.run.run_id
        self._outcome = performed() or Outcome(Run(self.step.name, ()))
        self._blocked = {
            key: why
            for given in self.step.inputs
            for key, why in _failed.get((self._id, given.asset), {}).items()
        }

    @property
    def n_done(self) -> int:
        return len(self.n_rows) + len(self.failures)

    def make(
        self, key: Partition, partition: Partition, make: Callable[[Partition], Landed]
    ) -> None:
        """Make one partition; a failure is recorded."""
        n_rows, name = dict[str, int](), partition.key
        if name in self._blocked:
            self.failures[name] = self._blocked[name]
            return
        why = self._outcome.run.why_of(partition) or self.found.why(self.step.name, partition)
        try:
            for asset, result, n, inputs in make(partition):
                n_rows[asset] = n
                if key == partition:
                    made_from = self._made_from(asset, inputs)
                    tell(self.context, asset, self.named[key], result, made_from, why)
        except Exception as error:  # noqa: BLE001 - one of many must not stop the others
            self._note_failure(partition, error)
        else:
            self.n_rows[partition] = n_rows

    def is_too_late(self, partition: Partition) -> bool:
        """Whether the time limit of the driver's run has passed."""
        until = self._outcome.run.until
        is_late = until is not None and time.time() >= until
        self._outcome.left += [partition] if is_late else []
        return is_late

    def report_fresh(self, key: Partition) -> None:
        """Report a partition that was left out as fresh: otherwise a failed run would show it as
        failed.
        """
        for asset in self.step.assets:
            state = self.found.states.landed(asset, key)
            if state is not None and state.version:
                self._report(asset, key, state.version, {"found fresh": FOUND})

    def report_shard(
        self, shard: Partition, chosen: list[Partition], where: Callable[[str], str]
    ) -> None:
        """Report a shard with all its existing members; not at all if nothing could be made."""
        made = [self.n_rows[p] for p in chosen if p in self.n_rows]
        if chosen and not made:
            return
        for asset in self.step.assets:
            of_shard = members(self.found.names, asset, shard)
            states = [(p, self.found.states.landed(asset, p)) for p in of_shard]
            metadata = {
                "partitions made": len(made),
                "partitions failed": len(chosen) - len(made),
                "partitions in the shard": len(of_shard),
                "partitions there": sum(state is not None for _, state in states),
                "rows made": sum(n_rows[asset] for n_rows in made),
                "path": dg.MetadataValue.path(where(asset)),
            }
            self._report(asset, shard, version_of(states), metadata)

    def fail_if_some_failed(self) -> None:
        """Raise an error that names failed partitions, unless a later step will."""
        self._outcome.failures |= self.failures
        if not self.failures:
            return
        in_run = {STEP_OF[asset] for asset in assets_of_run(self.context.run) & STEP_OF.keys()}
        reads = {given.asset for step in in_run - {self.step} for given in step.inputs}
        if not reads.isdisjoint(self.step.assets):
            reasons = {key: f"{self.step.name}: {text}" for key, text in self.failures.items()}
            reasons |= {key: why for key, why in self.failures.items() if key in self._blocked}
            _failed.update(((self._id, asset), reasons) for asset in self.step.assets)
            return
        first, why = next(iter(self.failures.items()))
        text = (
            f"{_place(self.step, self.named)}: {len(self.failures)} of "
            f"{counted(self.n_done, 'partition')} failed, first {first}: {why} What was made is "
            "kept. Start the run again to make the others."
        )
        raise dg.Failure(
            text, metadata={FAILED: dg.MetadataValue.json(self.failures)}, allow_retries=False
        ) from MaterializationError(text)

    def _report(
        self, asset: str, key: Partition, version: str, metadata: Mapping[str, Any]
    ) -> None:
        result = dg.MaterializeResult[Any](data_version=dg.DataVersion(version), metadata=metadata)
        tell(self.context, asset, self.named[key], result, why="")

    def _made_from(self, asset: str, inputs: Mapping[str, InputVersion]) -> dict[str, str]:
        """Dagster's tags for the inputs of a partition, as in runs of a single partition."""
        tags = {
            "dagster/data_version_is_user_provided": "true",
            "dagster/code_version": code_version(asset),
        }
        for given in self.step.inputs:
            if given.asset not in EXTERNAL:
                version = inputs[given.asset].version if given.asset in inputs else "INITIAL"
                tags[f"dagster/input_data_version/{given.asset}"] = version
                tags[f"dagster/input_event_pointer/{given.asset}"] = str(self._since)
        return tags

    def _note_failure(self, partition: Partition, error: Exception) -> None:
        name = partition.key
        place = f"{self.step.name} {name}"
        self.failures[name] = _message(error)[:MOST_CHARACTERS]
        text = "".join(traceback.format_exception(error))
        is_long = len(self.failures) <= LOGGED
        self.context.log.error(
            f"{place} failed, the others go on\n{text if is_long else _message(error)}"
        )


def _message(error: BaseException) -> str:
    """Message of the outermost error of this package; for foreign errors, of the innermost one."""
    last = error
    at: BaseException | None = error
    while at is not None:
        if isinstance(at, EnactError):
            return str(at)
        last, at = at, at.__cause__ or at.__context__
    return f"{type(last).__name__}: {last}"
