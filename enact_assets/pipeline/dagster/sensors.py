"""Sensors: notice names, imports and changes that happen outside Dagster."""

import json
import time
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

import dagster as dg

from enact_assets.demonstrations.recordings.watched_folders import look_at, watched_folders
from enact_assets.engine.errors import SettingsError
from enact_assets.engine.graph import StepSpec
from enact_assets.engine.grids import Partition
from enact_assets.engine.ids import content_sha
from enact_assets.engine.planning.lineage import entry_changed
from enact_assets.engine.planning.marks import Marks
from enact_assets.engine.plurals import counted, named
from enact_assets.engine.tables import TABLES
from enact_assets.pipeline.dagster.automation import (
    RUN_TAGS,
    TRY_AGAIN_S,
    is_automated,
    loaded_shards,
)
from enact_assets.pipeline.dagster.partitions import (
    demonstration_partitions,
    model_partitions,
    question_file_partitions,
    world_source_partitions,
)
from enact_assets.pipeline.lineage.graph import EXTERNAL, ROOTS, STEP_NAMED, STEPS, dimensions
from enact_assets.pipeline.lineage.versions import root_version
from enact_assets.pipeline.root.forgotten import Forgotten
from enact_assets.pipeline.root.scope import read_scope, scoped_registry
from enact_assets.pipeline.runs.driver_lock import driver_at_work
from enact_assets.pipeline.runs.lost_runs import mark_all_lost
from enact_assets.pipeline.runs.names import (
    MADE_IN,
    current_names,
    names_found,
    names_of,
    undefined,
)
from enact_assets.pipeline.runs.pools import set_limits
from enact_assets.pipeline.runs.range_making import run_config
from enact_assets.pipeline.runs.reported import (
    entry_change,
    last_materialization,
    reported_versions,
)
from enact_assets.pipeline.runs.resources import DataResource
from enact_assets.pipeline.runs.running import (
    TRIGGER_TAG,
    WHY_TAG,
    last_failed_run,
    running,
    unfinished_runs,
)
from enact_assets.settings.registry import Registry, load_registry

IMPORTING = tuple(s for s in STEPS if s.inputs and all(i.asset in EXTERNAL for i in s.inputs))
"""Steps that read external files only."""
TRIGGER = "changed_sources"
MOST_NAMES = 3
"""Most names of a dimension in a message."""
DYNAMIC = {
    d.name: d
    for d in (
        demonstration_partitions,
        model_partitions,
        question_file_partitions,
        world_source_partitions,
    )
}


@dg.sensor(
    minimum_interval_seconds=30,
    default_status=dg.DefaultSensorStatus.RUNNING,
    target=None,
    description="Makes partitions of new names, removes undefined ones, and says what "
    "of the registry is outside the scope of this data root. Starts no run.",
)
def registered_partitions(
    context: dg.SensorEvaluationContext, data: DataResource
) -> dg.SensorResult:
    """Makes partitions of new names: of the registry within the scope of the data root, of
    demonstrations.txt and models.txt there, of imported recordings and question files, and of
    recordings that appear in the folders that ENACT_WATCH names. Removes names that were typed into
    the UI and are not defined anywhere. Starts no run. Unusable names are logged once.
    """
    set_limits(context.instance)  # as perhaps no driver ever does so here
    before = json.loads(context.cursor) if context.cursor else {}
    problems: list[str] = []
    registry = _registry(Path(data.root), problems)
    look = look_at(
        watched_folders(),
        data.recordings,
        before.get("growing", {}),
        Forgotten(data.data_root.root).of("demonstration"),
    )
    names, bad_names = names_found(data, registry)
    problems += [*look.problems, *bad_names]
    gists = [_gist(problem) for problem in problems]
    for problem, gist in zip(problems, gists, strict=True):
        if gist not in before.get("told", ()):
            context.log.warning(problem)
    requests: list[Any] = []
    said = [f"{len(problems)} problems, the first: {problems[0]}"] if problems else []
    for dimension, definition in DYNAMIC.items():
        known = context.instance.get_dynamic_partitions(str(dimension))
        new = [name for name in names[str(dimension)] if name not in set(known)]
        if new:
            requests.append(definition.build_add_request(new))
            said.append(f"added {dimension} {named(new, MOST_NAMES)}")
        others = [name for name in known if name not in set(names[str(dimension)])]
        gone = _undefined(context.instance, str(dimension), others, data) if registry else {}
        if gone:
            requests.append(definition.build_delete_request(list(gone)))
            said.append(
                f"removed {dimension} {named(list(gone), MOST_NAMES)}: it is not defined anywhere"
            )
            for name, why in gone.items():
                context.log.warning(
                    f"{dimension} {name!r} is removed, as it is not defined anywhere: {why}"
                )
    return dg.SensorResult(
        dynamic_partitions_requests=requests,
        skip_reason=". ".join([*(said or ["nothing new"]), *_outside(Path(data.root), registry)]),
        cursor=json.dumps({"growing": look.growing, "told": gists}),
    )


def _undefined(
    instance: dg.DagsterInstance, dimension: str, names: Collection[str], data: DataResource
) -> dict[str, str]:
    """Those of ``names`` that are not defined anywhere, and why. Names with materializations in
    Dagster are left out, as their files may be on a disk that is not mounted.
    """
    if not names:
        return {}
    asset = MADE_IN[dimension]
    axes = dimensions(asset)
    seen = map(Partition.of_key, instance.get_materialized_partitions(dg.AssetKey(asset)))
    made = names_of(
        dimension, (dict(zip(axes, p, strict=True)) for p in seen if len(p) == len(axes))
    )
    return undefined(dimension, [n for n in names if n not in made], load_registry(), data)


def _outside(root: Path, registry: Registry | None) -> list[str]:
    """A message about names of the registry that are outside the scope of this data root and
    therefore not in the UI.
    """
    scope = read_scope(root) if registry is not None else None
    outside = scope.outside(load_registry()) if scope is not None else {}
    parts = [f"{counted(len(n), d)} ({named(n, MOST_NAMES)})" for d, n in outside.items()]
    text = (
        f"In the registry, but outside the scope of this data root: {', '.join(parts)}. "
        "`enact-assets materialize --variant NAME` (or --demonstration, --model, --all) takes "
        "them in"
    )
    return [text] if parts else []


@dg.sensor(
    minimum_interval_seconds=30,
    default_status=dg.DefaultSensorStatus.RUNNING
    if is_automated()
    else dg.DefaultSensorStatus.STOPPED,
    asset_selection=dg.AssetSelection.assets(
        *ROOTS, *(a for step in IMPORTING for a in step.assets)
    ),
    description="Runs partitions whose source changed: settings of the registry, recordings and "
    "question files that were imported again. Off by default.",
)
def changed_sources(context: dg.SensorEvaluationContext, data: DataResource) -> dg.SensorResult:
    """Runs exactly those partitions whose source changed: settings of the registry, and recordings
    and question files that were imported again and look complete. Off by default.
    """
    driver = driver_at_work(Path(data.root))
    if driver is not None:
        why = f"skipped: a driver is at work and does it ({driver})"
        return dg.SensorResult(skip_reason=why, cursor=context.cursor)
    registry = scoped_registry(Path(data.root))
    names = current_names(context.instance, registry)
    busy = running(context.instance, unfinished_runs(context.instance), names)
    before = json.loads(context.cursor) if context.cursor else {}
    requests = list(_changed_settings(context, registry, busy))
    changed: dict[str, str] = {}
    shards = loaded_shards(context.repository_def.asset_graph) if context.repository_def else None
    of_shard: dict[tuple[str, Partition], list[tuple[Partition, str, str]]] = {}
    for step, partition, was, now, landed_ns in _imported_again(context, data, registry, busy):
        place = f"{step.name} {partition.key}"
        changed[place] = now
        if before.get(place) != now:  # it may still be written to
            continue
        why = f"{step.inputs[0].asset} changed ({was[:8]} -> {now[:8]})"
        content, named = f"{now} {landed_ns}", dimensions(step.assets[0])
        if shards is None or shards.dimension not in named:
            requests.append(_request(context, step, partition, content, why))
        else:
            key = step.name, shards.partition(named, partition)
            of_shard.setdefault(key, []).append((partition, content, why))
    for (name, shard), found in of_shard.items():
        first, _, why = found[0]
        content = content_sha(sorted(f"{p.key} {content}" for p, content, _ in found))
        why = f"{counted(len(found), 'partition')}, first {first.key}: {why}"
        only = [partition[0] for partition, _, _ in found]
        requests.append(_request(context, STEP_NAMED[name], shard, content, why, only))
    return dg.SensorResult(
        run_requests=requests,
        skip_reason=None if requests else "nothing changed",
        cursor=json.dumps(changed),
    )


@dg.sensor(
    minimum_interval_seconds=60,
    default_status=dg.DefaultSensorStatus.RUNNING,
    target=None,
    description="Marks runs as failed whose process is gone, for example after a restart of the "
    "machine. The daemon tries them again, unless a driver started them.",
)
def lost_runs(context: dg.SensorEvaluationContext) -> dg.SkipReason:
    """Marks runs as failed whose process is gone, as after a restart of the machine; they would
    count as running forever. The daemon then tries those again that no driver started.
    """
    lost = mark_all_lost(context.instance)
    return dg.SkipReason(f"{len(lost)} runs were lost{': ' if lost else ''}{', '.join(lost)}")


def _gist(problem: str) -> str:
    """Position and kind of a problem, without details that change all the time."""
    return ": ".join(problem.split(": ", 2)[:2])


def _registry(root: Path, problems: list[str]) -> Registry | None:
    try:
        return scoped_registry(root)
    except SettingsError as error:
        problems.append(str(error))
        return None


def _changed_settings(
    context: dg.SensorEvaluationContext, registry: Registry, busy: Marks
) -> Iterator[dg.RunRequest]:
    """Requests for config roots whose version differs from Dagster's; none in an unused data
    root.
    """
    names = current_names(context.instance, registry)
    reported = {root: reported_versions(context.instance, root) for root in ROOTS}
    if not any(reported.values()):
        return
    steps = {step.name: step for step in STEPS if step.name in ROOTS}
    for root, versions in reported.items():
        partitions = _loaded_partitions(context, root)
        for partition in names.partitions(root):
            now, was = root_version(registry, root, partition), versions.get(partition)
            is_busy = partition in busy.of.get(root, ())
            if now == was or is_busy or not _is_loaded(context, root, partition, partitions):
                continue
            last = last_materialization(context.instance, root, partition)
            why = entry_changed(was, now, entry_change(last, registry, root, partition))
            number = last.storage_id if last else None
            yield _request(context, steps[root], partition, f"{now} {number}", why)


def _loaded_partitions(context: dg.SensorEvaluationContext, root: str) -> set[str] | None:
    graph = context.repository_def.asset_graph if context.repository_def else None
    partitions = graph.get(dg.AssetKey(root)).partitions_def if graph else None
    return set(partitions.get_partition_keys()) if partitions else None


def _is_loaded(
    context: dg.SensorEvaluationContext, root: str, partition: Partition, known: set[str] | None
) -> bool:
    """Whether ``partition`` is in the definitions, which were loaded some time ago."""
    name = partition.key or None
    if name is None or known is None or name in known:
        return True
    context.log.info(f"{root} {name} is new: reload the code location to materialize it")
    return False


def _imported_again(
    context: dg.SensorEvaluationContext, data: DataResource, registry: Registry, busy: Marks
) -> Iterator[tuple[StepSpec, Partition, str, str, int]]:
    """Imports whose file changed since they were read: its former and its current version."""
    names = current_names(context.instance, registry)
    states = data.states(registry)
    tables = [step.assets[0] for step in IMPORTING]
    scanned = states.index.scan([t for t in tables if t in TABLES])
    for step in IMPORTING:
        source = step.inputs[0].asset
        for values, record in scanned[step.assets[0]].items():
            partition = Partition(values)
            if not names.has(step.assets[0], partition) or record.provenance is None:
                continue
            was = record.provenance.inputs.get(source)
            now = states.arrived.version(source, partition)
            if was is None or was.version == now or partition in busy.of.get(step.assets[0], ()):
                continue
            yield step, partition, was.version, now, record.mtime_ns


def _request(  # noqa: PLR0917 - what a request consists of
    context: dg.SensorEvaluationContext,
    step: StepSpec,
    partition: Partition,
    content: str,
    why: str,
    only: Collection[str] = (),
) -> dg.RunRequest:
    """A run of one partition, or of the members ``only`` of a shard.

    A run for the same content is requested once, and again a day after a failure.
    """
    tags: Mapping[str, Any] = RUN_TAGS | {TRIGGER_TAG: TRIGGER, WHY_TAG: why}
    failed = last_failed_run(context.instance, TRIGGER, step.assets[0], partition)
    if failed is not None and time.time() - failed[1] >= TRY_AGAIN_S:
        content = f"{content} after {failed[0]}"
    return dg.RunRequest(
        run_key=f"{step.name} {partition.key} {content}",
        partition_key=partition.key or None,
        asset_selection=[dg.AssetKey(asset) for asset in step.assets],
        tags=tags,
        run_config=run_config({step.name: only}, only_stale=False) if only else None,
    )
