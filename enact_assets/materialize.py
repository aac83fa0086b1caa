"""Headless driver: bring every missing or stale partition up to date, without UI or daemon.

Walks the asset graph in order, one Dagster run per partition in this process (one run for many
partitions would give them all one data version). Runs are kept in the instance for the UI.
"""

import fcntl
import os
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import dagster as dg

from enact_assets.contracts.errors import LakeError, MaterializationError, UnknownNameError
from enact_assets.contracts.registry import Registry, load_registry
from enact_assets.contracts.tables import TABLES, table
from enact_assets.definitions import build_definitions
from enact_assets.defs.assets.config import ROOTS, current_sha
from enact_assets.defs.progress import Progress, listening
from enact_assets.defs.resources import DataResource
from enact_assets.defs.staleness import Node, Staleness

CONFIG_DIMENSIONS = {"gating_config": "gating", "variant_config": "variant"}


@dataclass(frozen=True)
class Step:
    """One partition of one asset (or of the assets that one step lands together)."""

    name: str
    keys: tuple[str, ...]
    partition: str | None
    why: str

    @property
    def nodes(self) -> list[Node]:
        """Every asset partition the step makes."""
        return [(key, self.partition) for key in self.keys]


@dataclass(frozen=True)
class Failure:
    """A step that failed: what the error said, and the run in which the UI shows it."""

    step: Step
    message: str
    run_id: str


@dataclass
class Report:
    """What a walk did."""

    made: list[Step] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    blocked: list[Step] = field(default_factory=list)
    n_fresh: int = 0
    seconds: float = 0.0

    @property
    def is_success(self) -> bool:
        """Whether everything wanted is up to date now."""
        return not self.failures and not self.blocked


class Observer:
    """Told what happens. The terminal subclasses it; the base says nothing."""

    def stage_starts(self, name: str, n_steps: int) -> None:
        """An asset has ``n_steps`` partitions to make."""

    def step_starts(self, step: Step) -> None:
        """A partition is being made."""

    def progress(self, progress: Progress) -> None:
        """The running step got further."""

    def step_ends(self, step: Step, failure: Failure | None) -> None:
        """A partition was made, or failed."""


def open_instance(data_root: Path) -> dg.DagsterInstance:
    """The Dagster instance of a data root: runs and events below ``<data root>/dagster``.

    All runs share one event log: a SQLite file per run, the default, triples the cost of a step.
    """
    home = data_root / "dagster"
    home.mkdir(parents=True, exist_ok=True)
    storage = {"base_dir": str(home.resolve())}
    parts = {
        "run_storage": ("storage.runs", "SqliteRunStorage"),
        "event_log_storage": ("storage.event_log", "ConsolidatedSqliteEventLogStorage"),
        "schedule_storage": ("storage.schedules", "SqliteScheduleStorage"),
        "local_artifact_storage": ("storage.root", "LocalArtifactStorage"),
    }
    config: dict[str, Any] = {
        name: {"module": f"dagster._core.{module}", "class": kind, "config": storage}
        for name, (module, kind) in parts.items()
    }
    config["compute_logs"] = {
        "module": "dagster._core.storage.noop_compute_log_manager",
        "class": "NoOpComputeLogManager",
    }
    config |= {"telemetry": {"enabled": False}, "nux": {"enabled": False}}
    return dg.DagsterInstance.from_config(str(_write_instance_file(home, config)))


def _write_instance_file(home: Path, config: Mapping[str, Any]) -> Path:
    import yaml

    text = "# Written by enact-assets: DAGSTER_HOME of this data root.\n" + yaml.safe_dump(config)
    path = home / "dagster.yaml"
    if not path.exists() or path.read_text() != text:
        temporary = home / f".dagster.yaml.{os.getpid()}"
        temporary.write_text(text)
        temporary.replace(path)
    return home


@contextmanager
def only_driver(data_root: Path) -> Iterator[None]:
    """Hold the data root's lock; raises :class:`MaterializationError` if another driver has it."""
    data_root.mkdir(parents=True, exist_ok=True)
    path = data_root / "materialize.lock"
    with path.open("a+") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.seek(0)
            holder = lock.read().strip() or "unknown"
            raise MaterializationError(
                f"{data_root}: another materialize (process {holder}) is at work here. Wait for "
                "it, or give this one another --data folder."
            ) from None
        lock.truncate(0)
        lock.write(str(os.getpid()))
        lock.flush()
        yield


QUIET = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}
"""Run config: nothing on the terminal. All of it is in the instance, for the UI."""


class Driver:
    """Walks the graph of one data root."""

    def __init__(
        self,
        data_root: Path,
        *,
        registry: Registry | None = None,
        workers: int | None = None,
        observer: Observer | None = None,
    ) -> None:
        self._registry = registry or load_registry()
        root = str(data_root.resolve())
        data = DataResource(root=root, workers=workers or os.cpu_count() or 1)
        self._lake = data.lake
        self._definitions = build_definitions(self._registry, data)
        self._graph = self._definitions.resolve_asset_graph()
        self._root = data_root
        self._observer = observer or Observer()
        self.instance = open_instance(data_root)

    def register(self, demonstrations: Iterable[str], models: Iterable[str]) -> None:
        """Make partitions of names that are none yet."""
        for dimension, names in (("demonstration", demonstrations), ("model", models)):
            known = set(self.instance.get_dynamic_partitions(dimension))
            new = [n for n in names if n not in known]
            if new:
                self.instance.add_dynamic_partitions(dimension, new)

    def run(
        self,
        *,
        assets: Iterable[str] | None = None,
        only: Mapping[str, Iterable[str]] | None = None,
        force: bool = False,
    ) -> Report:
        """Materialize what is missing or stale.

        ``assets`` limits the walk to some assets, ``only`` to some names of a dimension
        (demonstration, gating, variant, model), ``force`` makes fresh partitions too. A failed
        partition blocks what can only be made from it; everything else goes on.
        """
        began = time.monotonic()
        report = Report()
        failed: set[Node] = set()
        wanted = self._known_assets(assets)
        filters = {d: set(names) for d, names in (only or {}).items()}
        with only_driver(self._root):
            for definition in self._in_order():
                keys = tuple(sorted(k.to_user_string() for k in definition.keys))
                if wanted is not None and not wanted & set(keys):
                    continue
                staleness = Staleness(self.instance, self._graph)
                steps = self._steps(definition, keys, staleness, filters, report, force=force)
                if steps:
                    self._observer.stage_starts(steps[0].name, len(steps))
                for step in steps:
                    if self._is_blocked(step, staleness, failed):
                        report.blocked.append(step)
                        failed.update(step.nodes)
                        continue
                    failure = self._make(definition, step)
                    if failure is None:
                        report.made.append(step)
                    else:
                        report.failures.append(failure)
                        failed.update(step.nodes)
        report.seconds = time.monotonic() - began
        return report

    def _known_assets(self, assets: Iterable[str] | None) -> set[str] | None:
        if assets is None:
            return None
        known = {k.to_user_string() for k in self._graph.materializable_asset_keys}
        for name in assets:
            if name not in known:
                raise UnknownNameError.of("asset", name, known)
        return set(assets)

    def _in_order(self) -> list[dg.AssetsDefinition]:
        """Steps in topological order; within a level by the order they are defined in."""
        level = {
            key: n
            for n, keys in enumerate(self._graph.toposorted_asset_keys_by_level)
            for key in keys
        }
        definitions = [
            a for a in self._definitions.assets or () if isinstance(a, dg.AssetsDefinition)
        ]
        return sorted(definitions, key=lambda a: max(level[k] for k in a.keys))

    def _steps(
        self,
        definition: dg.AssetsDefinition,
        keys: tuple[str, ...],
        staleness: Staleness,
        filters: Mapping[str, set[str]],
        report: Report,
        *,
        force: bool,
    ) -> list[Step]:
        partitions_def = definition.partitions_def
        partitions: list[str | None] = [None]
        if partitions_def is not None:
            found = partitions_def.get_partition_keys(dynamic_partitions_store=self.instance)
            partitions = [p for p in found if _matches(keys[0], p, filters)]
        steps = []
        for partition in partitions:
            reasons = (self._why(staleness, (key, partition)) for key in keys)
            why = next((r for r in reasons if r is not None), "forced" if force else None)
            if why is None:
                report.n_fresh += 1
            else:
                steps.append(Step(definition.op.name, keys, partition, why))
        return steps

    def _why(self, staleness: Staleness, node: Node) -> str | None:
        why = staleness.why_not_fresh(node)
        if why is None and node[0] in ROOTS and staleness.data_version(node) != current_sha(*node):
            return "the registry entry changed"
        if why is None and node[0] in TABLES and not self._is_landed(node):
            return "its file is gone or damaged"
        return why

    def _is_landed(self, node: Node) -> bool:
        """Whether the lake still holds the partition: files can be deleted or cut short."""
        name, partition = node
        dimensions = table(name).partitions
        values = partition.split("|") if partition is not None else []
        try:
            self._lake.content_sha(name, dict(zip(dimensions, values, strict=True)))
        except LakeError:
            return False
        return True

    def _is_blocked(self, step: Step, staleness: Staleness, failed: set[Node]) -> bool:
        """A step is blocked if some asset it reads has not one partition left to read.

        Roll-ups over many demonstrations go on with those that did not fail.
        """
        if not failed:
            return False
        by_asset: dict[str, list[Node]] = {}
        for key in step.keys:
            for node in staleness.upstream((key, step.partition)):
                by_asset.setdefault(node[0], []).append(node)
        return any(all(n in failed for n in nodes) for nodes in by_asset.values())

    def _make(self, definition: dg.AssetsDefinition, step: Step) -> Failure | None:
        self._observer.step_starts(step)
        with listening(self._observer.progress):
            result = dg.materialize(
                list(self._definitions.assets or ()),  # type: ignore[arg-type]
                selection=[definition],
                partition_key=step.partition,
                instance=self.instance,
                resources=dict(self._definitions.resources or {}),
                run_config=QUIET,
                raise_on_error=False,
                tags={"enact/trigger": "materialize", "enact/why": step.why[:250]},
            )
        failure = None
        if not result.success:
            failure = Failure(step, _first_error(result), result.run_id)
        self._observer.step_ends(step, failure)
        return failure


def _matches(key: str, partition: str, filters: Mapping[str, set[str]]) -> bool:
    dimensions = table(key).partitions if key in TABLES else (CONFIG_DIMENSIONS[key],)
    values = dict(zip(dimensions, partition.split("|"), strict=True))
    return all(values[d] in names for d, names in filters.items() if d in values)


def _first_error(result: dg.ExecuteInProcessResult) -> str:
    for event in result.all_events:
        if event.is_step_failure:
            error = event.step_failure_data.error
            while error is not None and error.cause is not None:
                error = error.cause
            if error is not None:
                return error.message.strip()
    return "the run failed outside its step; see the run in the UI"
