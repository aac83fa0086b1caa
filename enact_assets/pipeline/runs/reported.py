"""Reads data versions that were reported to Dagster, and reports new ones, in bulk.

The lake decides which partitions exist and are fresh; Dagster's events report that to the UI and to
automation. This is the only module that uses parts of Dagster's storage that are not public.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path

import dagster as dg
from dagster._core.definitions.data_version import DATA_VERSION_TAG

from enact_assets.engine.graph import Names
from enact_assets.engine.grids import Partition
from enact_assets.engine.planning.lineage import Lineage
from enact_assets.engine.planning.shards import Shards, members, version_of
from enact_assets.engine.planning.states import State
from enact_assets.pipeline.lineage.code import code_version
from enact_assets.pipeline.lineage.graph import GRAPH, ROOTS, WAREHOUSE, dimensions
from enact_assets.pipeline.lineage.versions import reported_settings, setting_changes
from enact_assets.pipeline.runs.marts import MADE_OF, contents, reported_contents
from enact_assets.pipeline.runs.names import current_names
from enact_assets.pipeline.runs.resources import DataResource
from enact_assets.pipeline.runs.running import FAILED
from enact_assets.settings.registry import Registry

SETTINGS = "settings"
"""Metadata key under which a config root stores its settings."""


def read_lineage(
    instance: dg.DagsterInstance,
    data: DataResource,
    registry: Registry,
    on_progress: Callable[[float], None] = lambda _share: None,
    added: Mapping[str, Collection[str]] | None = None,
    *,
    left_out: Collection[str] = (),
    only: Collection[str] | None = None,
) -> Lineage:
    """Current names, versions and provenance of a data root.

    ``added`` are names (dimension -> names) that count as partitions although they are not yet,
    ``left_out`` are demonstrations that do not count as partitions. ``only`` limits the result to
    some steps and everything upstream of them.
    """
    names = current_names(instance, registry, added or {}, left_out)
    kept = (
        GRAPH.steps if only is None else [s for s in GRAPH.steps if s.name in GRAPH.upstream(only)]
    )
    assets = {a for step in kept for a in (*step.assets, *(given.asset for given in step.inputs))}
    states = data.states(registry).current(names, on_progress, assets)
    reported = {root: reported_versions(instance, root) for root in ROOTS if root in assets}

    def change(root: str, partition: Partition) -> str:
        last = last_materialization(instance, root, partition)
        return entry_change(last, registry, root, partition)

    return Lineage(names, states, code_version, reported, kept, entry_change=change)


def reported_versions(instance: dg.DagsterInstance, asset: str) -> dict[Partition, str]:
    """Partition -> data version of its last materialization in Dagster."""
    key = dg.AssetKey(asset)
    if dimensions(asset):
        found = instance.event_log_storage.get_latest_tags_by_partition(
            key, dg.DagsterEventType.ASSET_MATERIALIZATION, [DATA_VERSION_TAG]
        )
        return {Partition.of_key(p): tags[DATA_VERSION_TAG] for p, tags in found.items()}
    event = instance.get_latest_materialization_event(key)
    materialization = event.asset_materialization if event is not None else None
    tags = (materialization.tags if materialization is not None else None) or {}
    return {Partition(): tags[DATA_VERSION_TAG]} if DATA_VERSION_TAG in tags else {}


def tried_partitions(instance: dg.DagsterInstance, names: Names, asset: str) -> set[Partition]:
    """Partitions of ``asset`` for which a run was started at any time, whatever its result.

    A shard counts with all of its members.
    """
    key, planned = dg.AssetKey(asset), dg.DagsterEventType.ASSET_MATERIALIZATION_PLANNED
    storage = instance.event_log_storage
    if dimensions(asset):
        found = storage.get_latest_storage_id_by_partition(key, planned)
        return {p for key in found for p in members(names, asset, Partition.of_key(key))}
    return set() if storage.get_latest_planned_materialization_info(key) is None else {Partition()}


def report_landed(
    instance: dg.DagsterInstance,
    data: DataResource,
    lineage: Lineage,
    shards: Shards | None = None,
) -> int:
    """Report all events of :func:`unreported` to Dagster; returns their number."""
    n_events = 0
    for event in unreported(instance, data, lineage, shards):
        instance.report_runless_asset_event(event)
        n_events += 1
    return n_events


def unreported(
    instance: dg.DagsterInstance,
    data: DataResource,
    lineage: Lineage,
    shards: Shards | None = None,
) -> Iterator[dg.AssetMaterialization]:
    """Events for fresh partitions of which Dagster has no event, another version, or a later failed
    attempt.

    Such partitions come from runs that were killed after writing, from copied lakes, and from
    failed runs whose partitions turned out fresh. Shards are reported if all their existing members
    are fresh. All marts are reported together with the warehouse.
    """
    is_any_failed = bool(instance.get_runs_count(dg.RunsFilter(statuses=FAILED)))
    for step in lineage.steps:
        for asset in step.assets:
            known = reported_versions(instance, asset)
            failed = failed_partitions(instance, asset) if is_any_failed else set()
            for partition, there in _by_partition(lineage, asset, shards):
                version = version_of(there) if there[0][0] != partition else there[0][1].version
                is_known = known.get(partition) == version
                if not version or (is_known and partition not in failed):
                    continue
                if any(lineage.causes(step, one) for one, _ in there):
                    continue  # its run will report it
                yield (
                    _again(instance, asset, partition)
                    if is_known
                    else _found(asset, partition, version)
                )
                if asset == WAREHOUSE:
                    yield from _marts(instance, data.warehouse_path)


def _found(asset: str, partition: Partition, version: str) -> dg.AssetMaterialization:
    return dg.AssetMaterialization(
        asset,
        description="Found in the data root; its run ended before reporting it.",
        partition=partition.key or None,
        tags={DATA_VERSION_TAG: version},
    )


def _again(
    instance: dg.DagsterInstance, asset: str, partition: Partition
) -> dg.AssetMaterialization:
    """A copy of the last event of a partition, so that an event is later than the failed
    attempt.
    """
    last = last_materialization(instance, asset, partition)
    if last is None or last.asset_materialization is None:
        raise LookupError(f"{asset} {partition.key}: Dagster knows of no such event")
    return last.asset_materialization


def _marts(instance: dg.DagsterInstance, warehouse: Path) -> Iterator[dg.AssetMaterialization]:
    """Events of all marts of the published file."""
    reported = reported_contents(instance)
    for file, content in contents(warehouse, reported):
        if reported.get(file.name) == content:
            yield _again(instance, file.name, Partition())
        else:
            found = _found(file.name, Partition(), content.version)
            yield found.with_metadata({MADE_OF: content.made_of})


def failed_partitions(instance: dg.DagsterInstance, asset: str) -> set[Partition]:
    """Partitions whose last attempt failed or was stopped, without a later event."""
    key, storage = dg.AssetKey(asset), instance.event_log_storage
    tried: dict[Partition, str] = {}
    if dimensions(asset):
        attempts = (
            storage.get_latest_asset_partition_materialization_attempts_without_materializations
        )
        tried = {Partition.of_key(name): run_id for name, (run_id, _) in attempts(key).items()}
    elif (planned := storage.get_latest_planned_materialization_info(key)) is not None:
        last = last_materialization(instance, asset, Partition())
        if last is None or last.storage_id < planned.storage_id:
            tried = {Partition(): planned.run_id}
    if not tried:
        return set()
    of_runs = dg.RunsFilter(run_ids=list(set(tried.values())), statuses=FAILED)
    ended = {run.run_id for run in instance.get_runs(of_runs)}
    return {partition for partition, run_id in tried.items() if run_id in ended}


def _by_partition(
    lineage: Lineage, asset: str, shards: Shards | None
) -> list[tuple[Partition, list[tuple[Partition, State]]]]:
    """Partition in Dagster -> states of the partitions that it contains, in order."""
    named, found = dimensions(asset), dict[Partition, list[tuple[Partition, State]]]()
    for partition, state in sorted(lineage.states.of[asset].items()):
        key = partition if shards is None else shards.partition(named, partition)
        found.setdefault(key, []).append((partition, state))
    return sorted(found.items())


def last_event_id(instance: dg.DagsterInstance) -> int:
    """Number of Dagster's last event; if it is the same, nothing happened."""
    return instance.event_log_storage.get_maximum_record_id() or 0


def last_materialization(
    instance: dg.DagsterInstance, asset: str, partition: Partition
) -> dg.EventLogRecord | None:
    """The last event of a partition; None if it has no event."""
    key, name = dg.AssetKey(asset), partition.key
    records = dg.AssetRecordsFilter(asset_key=key, asset_partitions=[name] if name else None)
    found = instance.fetch_materializations(records, limit=1).records
    return found[0] if found else None


def entry_change(
    event: dg.EventLogRecord | None, registry: Registry, root: str, partition: Partition
) -> str:
    """Settings of a config root that differ from those of ``event``; empty if the event has no
    settings.
    """
    materialization = event.asset_materialization if event else None
    was = materialization.metadata.get(SETTINGS) if materialization else None
    if not isinstance(was, dg.JsonMetadataValue) or not isinstance(was.value, dict):
        return ""
    return setting_changes(was.value, reported_settings(registry, root, partition))


def last_check_texts(
    instance: dg.DagsterInstance, check: str, assets: Collection[str]
) -> dict[str, str | None]:
    """Asset -> description of the last result of ``check``; those without a result are left out."""
    keys = [dg.AssetCheckKey(dg.AssetKey(asset), check) for asset in assets]
    found = instance.event_log_storage.get_latest_asset_check_execution_by_key(keys)
    results = {
        key.asset_key.to_user_string(): record.event.dagster_event.event_specific_data
        for key, record in found.items()
        if record.event is not None and record.event.dagster_event is not None
    }
    return {
        asset: result.description
        for asset, result in results.items()
        if isinstance(result, dg.AssetCheckEvaluation)
    }
