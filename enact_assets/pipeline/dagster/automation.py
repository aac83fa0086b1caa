"""Automation: the daemon makes stale partitions once, one run for each range.

The condition uses the same plan as the driver: data versions and provenance are stored with the
rows, so unobserved changes count, and re-runs with equal content do not. A partition waits until
everything upstream of it is settled. Dagster's own conditions check only one step upstream, and
would render pictures of frames that are about to change.

Automation starts no runs unless it is switched on: see ``AUTOMATE_VARIABLE``. Answers of models
that cost money wait for a person, unless ``models.yaml`` allows automation to buy.
"""

import json
import os
import sys
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import dagster as dg

from enact_assets.engine.graph import StepSpec
from enact_assets.engine.grids import Partition
from enact_assets.engine.ids import content_sha
from enact_assets.engine.planning.shards import Shards, shard_at
from enact_assets.engine.planning.verdicts import Due, DueSteps
from enact_assets.engine.plurals import counted
from enact_assets.pipeline.costs.spending import bought_by_persons
from enact_assets.pipeline.lineage.graph import GRAPH, STEP_NAMED, STEP_OF, dimensions
from enact_assets.pipeline.root.partitions_file import SHARDED
from enact_assets.pipeline.root.scope import scoped_registry
from enact_assets.pipeline.runs.driver_lock import driver_at_work
from enact_assets.pipeline.runs.names import current_names
from enact_assets.pipeline.runs.range_making import run_config
from enact_assets.pipeline.runs.ranges import PARTITION_TAG, in_ranges, range_tags
from enact_assets.pipeline.runs.reported import last_event_id, read_lineage, report_landed
from enact_assets.pipeline.runs.resources import DataResource
from enact_assets.pipeline.runs.running import TRIGGER_TAG, running, unfinished_runs
from enact_assets.settings.classes import world_source_of
from enact_assets.settings.registry import Registry, settings_sha

AUTOMATE_VARIABLE = "ENACT_AUTOMATE"
"""The switch: 1 turns on all sensors and schedules that start runs. The UI can switch each of
them.
"""
MAX_QUEUED = 100
"""Most runs that are queued or running; further partitions are found again when there is room."""
TRY_AGAIN_S = 24 * 3600.0
"""After this time a failed partition is tried again on the same inputs, as disks are freed and
services come back.
"""
LOOK_AGAIN_S = 600.0
"""After this time files are checked again, even without an event in Dagster."""
RUN_TAGS = {
    TRIGGER_TAG: "automation",
    # The progress of a killed run is unknown, so a retry starts from the beginning.
    "dagster/retry_strategy": "ALL_STEPS",
}
"""Tags of all automatic runs."""


def is_automated() -> bool:
    """Whether the switch is on in the process that loads the definitions."""
    return os.environ.get(AUTOMATE_VARIABLE, "") not in {"", "0"}


class MadeFromOtherData(dg.AutomationCondition[dg.AssetKey]):
    """The condition of every asset that has inputs.

    True for partitions that are stale, not being made, and made from settled inputs only.

    A partition is stale if it was never made, was made by other code, or was made from inputs whose
    data version has changed. The condition is false while a driver is running. Its cursor records
    attempts (partition -> inputs and time), so a failure is not repeated on the same inputs for a
    day.
    """

    @property
    def description(self) -> str:
        """Description in the UI."""
        return (
            "Stale; all upstream partitions are settled, and no attempt on the same inputs "
            "within a day"
        )

    def get_label(self) -> str:
        """Name in the UI."""
        return "on_changed_data"

    def evaluate(
        self, context: dg.AutomationContext[dg.AssetKey]
    ) -> dg.AutomationResult[dg.AssetKey]:
        """Partitions of one asset for which the condition is true. All assets of a step get the
        same ones.
        """
        step = STEP_NAMED[STEP_OF[context.key.to_user_string()].name]
        tick = _tick(context)
        if tick.steps is None:
            return dg.AutomationResult(context, context.get_empty_subset(), cursor=context.cursor)
        tried = _tried(context.cursor, tick.at)
        shards = loaded_shards(context.asset_graph)
        if step.name not in tick.found:
            limit = tick.n_free if shards is None else sys.maxsize
            due = tick.steps.next(step, {p: of for p, (of, _) in tried.items()}, limit)
            tick.found[step.name] = due, _runs(context, step, due, tick.n_free, shards)
            tick.n_free -= len(tick.found[step.name][1])
        due, runs = tick.found[step.name]
        keys = {partition.key for partition in runs}
        cursor = _cursor(tried, due.attempts, tick.at)
        return dg.AutomationResult(context, _subset(context, keys), cursor=cursor)


def automation_sensor() -> dg.AutomationConditionSensorDefinition:
    """Evaluates the conditions of all assets; the daemon runs it if it is switched on."""
    status = dg.DefaultSensorStatus.RUNNING if is_automated() else dg.DefaultSensorStatus.STOPPED
    with warnings.catch_warnings():
        # The code server evaluates custom conditions: a beta feature, pinned and tested.
        warnings.simplefilter("ignore", dg.BetaWarning)
        return _InRanges(
            "automation",
            target=dg.AssetSelection.all(),
            description="Materializes stale partitions in data-flow order, a run for each range of "
            "a step. Off by default: on a full registry it renders for hours.",
            run_tags=RUN_TAGS,
            default_status=status,
            minimum_interval_seconds=30,
            emit_backfills=False,
            use_user_code_server=True,
        )


class _InRanges(dg.AutomationConditionSensorDefinition):
    """Requests one run for each range of partitions, where Dagster requests one for each partition.

    Dagster's backfills would do so, too, but start their runs some ticks later. Until then the
    condition would take their partitions for tried ones.
    """

    def resolve_run_requests(
        self, run_requests: Any, context: dg.SensorEvaluationContext, *others: Any
    ) -> Any:
        """Resolve requests as Dagster does, for the ranges of :func:`in_ranges`."""
        definitions: Any = context.repository_def
        found: list[dg.RunRequest] = []
        alike: dict[tuple[dg.AssetKey, ...], list[dg.RunRequest]] = {}
        for request in run_requests:
            alike.setdefault(tuple(sorted(request.asset_selection or ())), []).append(request)
        for keys, requests in alike.items():
            steps = {STEP_OF[key.to_user_string()].name for key in keys}
            definition = definitions.asset_graph.get(keys[0]).partitions_def
            named = {Partition.of_key(request.partition_key): request for request in requests}
            most = 1 if any(shard_at(partition) is not None for partition in named) else None
            for of in in_ranges(definition, named, context.instance, most):
                request = named[of[0]]
                if len(of) > 1:
                    # Dagster's tags are those of the first partition only.
                    tags = {k: v for k, v in request.tags.items() if PARTITION_TAG not in k}
                    tags |= range_tags(of)
                    request = request.with_replaced_attrs(partition_key=None, tags=tags)
                elif config := _members_due(steps, of[0]):
                    with warnings.catch_warnings():
                        # Dagster warns about tags that it has written itself.
                        warnings.simplefilter("ignore", DeprecationWarning)
                        request = request.with_replaced_attrs(run_config=config)
                found.append(request)
        return super().resolve_run_requests(found, context, *others)


def _members_due(steps: set[str], shard: Partition) -> dict[str, Any]:
    """Run configuration with the due members of a shard: others may wait for a budget, or for
    inputs.
    """
    at = shard_at(shard)
    if at is None:
        return {}
    due = {step: [partition[at] for partition in _last[0].found[step][1][shard]] for step in steps}
    return run_config(due, only_stale=True)


Runs = dict[Partition, list[Partition]]
"""Partition in Dagster -> partitions that its run makes: itself, or members of the shard."""


@dataclass
class _Tick:
    """Verdicts of one tick, shared by all assets; ``steps`` is None if nothing was checked."""

    key: tuple[object, ...]
    seen: str
    at: float
    steps: DueSteps | None
    n_free: int
    found: dict[str, tuple[Due, Runs]] = field(default_factory=dict)


_last: list[_Tick] = []
"""The last tick in this process, and the last tick at which it checked all partitions, if any."""


def _tick(context: dg.AutomationContext[dg.AssetKey]) -> _Tick:
    key = (context.evaluation_id, context.evaluation_time)
    if _last and _last[0].key == key:
        return _last[0]
    instance = context.asset_graph_view.instance
    data = DataResource()
    registry = loaded_registry(scoped_registry(Path(data.root)), context.asset_graph)
    at = context.evaluation_time.timestamp()
    # New names and new settings cause no event, so check these, too.
    names = dict(current_names(instance, registry).of)
    seen = content_sha([data.root, last_event_id(instance), settings_sha(registry), names])
    looked = next((last for last in reversed(_last) if last.steps is not None), None)
    runs = unfinished_runs(instance)
    steps = None
    n_free = max(0, MAX_QUEUED - len(runs))
    is_same = looked is not None and looked.seen == seen and at - looked.at < LOOK_AGAIN_S
    driver = driver_at_work(Path(data.root))
    if driver is not None:
        context.log.info(f"skipped: a driver is at work and makes it ({driver})")
    elif not n_free:
        context.log.info(f"skipped: {len(runs)} runs are queued or running")
    elif not is_same:
        withheld = bought_by_persons(Path(data.root))
        lineage = read_lineage(instance, data, registry)
        report_landed(instance, data, lineage, loaded_shards(context.asset_graph))
        steps = DueSteps(lineage, running(instance, runs, lineage.names), withheld)
    tick = _Tick(key, seen, at, steps, n_free)
    _last[:] = [tick] if steps is not None or looked is None else [tick, looked]
    return tick


def loaded_registry(registry: Registry, graph: Any) -> Registry:
    """``registry`` without names that were added after Dagster's asset ``graph`` was loaded.

    Names of the registry and shards are static partitions; Dagster refuses runs of new ones.
    """

    def names(root: str) -> set[str]:
        partitions = graph.get(dg.AssetKey(root)).partitions_def
        return set(partitions.get_partition_keys()) if partitions is not None else set()

    gatings, sets = names("gating_config"), names("question_set_config")
    sets = {n for n, s in registry.question_sets.items() if n in sets and s.gating in gatings}
    variants = names("variant_config")
    worlds = {source for name in variants if (source := world_source_of(name)) is not None}
    return replace(
        registry,
        loaded_worlds=tuple(sorted(worlds)),
        gatings={name: g for name, g in registry.gatings.items() if name in gatings},
        question_sets={name: s for name, s in registry.question_sets.items() if name in sets},
        variants={
            name: v
            for name, v in registry.variants.items()
            if name in variants and v.question_set in sets
        },
    )


def loaded_shards(graph: Any) -> Shards | None:
    """The shards of Dagster's asset ``graph``; None if each demonstration is a partition."""
    firsts = (step.assets[0] for step in GRAPH.steps)
    asset = next(first for first in firsts if dimensions(first) == (SHARDED,))
    found = graph.get(dg.AssetKey(asset)).partitions_def
    is_static = isinstance(found, dg.StaticPartitionsDefinition)
    return Shards(SHARDED, len(found.get_partition_keys())) if is_static else None


def _runs(
    context: dg.AutomationContext[dg.AssetKey],
    step: StepSpec,
    due: Due,
    limit: int,
    shards: Shards | None,
) -> Runs:
    """At most ``limit`` runs of due partitions; other partitions are removed from ``due``, and
    found again later.
    """
    runs: Runs = {}
    for partition in sorted(due.causes):
        key = partition
        if shards is not None:
            key = shards.partition(dimensions(step.assets[0]), partition)
        if key in runs or len(runs) < limit:
            runs.setdefault(key, []).append(partition)
        else:
            del due.causes[partition], due.attempts[partition]
    for key, partitions in runs.items():
        first = partitions[0]
        why = "; ".join(str(cause) for cause in due.causes[first])
        if first != key:
            why = f"{counted(len(partitions), 'partition')}, first {first.key}: {why}"
        context.log.info(f"{step.name} {key.key}: {why}")
    return runs


def _subset(context: dg.AutomationContext[dg.AssetKey], keys: set[str]) -> Any:
    """``keys`` of the evaluated asset, as an object of Dagster."""
    view, partitions = context.asset_graph_view, context.partitions_def
    if not keys:
        return context.get_empty_subset()
    if partitions is None:
        return view.get_full_subset(key=context.key)
    named = {key for key in keys if key}
    return view.get_subset_from_partition_keys(context.key, partitions, named)


def _tried(cursor: str | None, now: float) -> dict[Partition, tuple[str, float]]:
    """Attempts at partitions of one step and their times, from a cursor, without old ones."""
    found = json.loads(cursor) if cursor else {}
    return {
        Partition.of_key(key): (attempt, at)
        for key, (attempt, at) in found.items()
        if now - at < TRY_AGAIN_S
    }


def _cursor(
    tried: Mapping[Partition, tuple[str, float]], attempts: Mapping[Partition, str], now: float
) -> str:
    """The cursor after this tick; an unchanged attempt keeps its time."""
    kept = {
        p.key: tried[p] if p in tried and tried[p][0] == attempt else (attempt, now)
        for p, attempt in sorted(attempts.items())
    }
    return json.dumps(kept)
