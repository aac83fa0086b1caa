"""Headless driver: bring every missing or stale partition up to date, without UI or daemon.

Walks the asset graph in order, one Dagster run per partition in this process (one run for many
partitions would give them all one data version). Runs are kept in the instance for the UI.
"""

import os
import time
from collections.abc import Iterable, Mapping
from pathlib import Path

import dagster as dg

from enact_assets.contracts import errors
from enact_assets.contracts.errors import EnactError, UnknownNameError
from enact_assets.contracts.registry import BASELINE, Registry, load_registry
from enact_assets.contracts.tables import TABLES, table
from enact_assets.definitions import build_definitions
from enact_assets.defs.freshness import Freshness
from enact_assets.defs.instance import only_driver, open_instance
from enact_assets.defs.progress import listening
from enact_assets.defs.resources import DataResource
from enact_assets.defs.staleness import NEVER, NEW_CODE, Node
from enact_assets.predictions.baselines import find_model
from enact_assets.replay.sources import check_demonstration
from enact_assets.storage.question_files import question_file_names
from enact_assets.storage.recordings import Recordings
from enact_assets.walk import Failure, Observer, Report, Step

CONFIG_DIMENSIONS = {"gating_config": "gating", "variant_config": "variant"}
ROLLED_UP = {
    "question_set": {"qa", "scene_graphs", "visibility", "objects", "demonstrations"},
    "asked_questions": {"demonstrations"},
    "predictions": {"frame_images"},
}
"""Inputs of which an asset takes what there is: one failed demonstration does not stop it."""
FOLLOWING = {"wanted_frames", "frame_images"}
"""Steps per demonstration that hang on what is asked of all: a demonstration more shifts that."""
INTERRUPTIONS = {"DagsterExecutionInterruptedError", "KeyboardInterrupt"}
"""How Dagster names a Ctrl-C or a terminated process in a failed step."""
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
        self.instance = open_instance(data_root)
        self._registry = registry or load_registry()
        root = str(data_root.resolve())
        self._data = DataResource(root=root, workers=workers or os.cpu_count() or 1)
        self._definitions = build_definitions(self._registry, self._data)
        self._graph = self._definitions.resolve_asset_graph()
        self._root = data_root
        self._observer = observer or Observer()

    def run(
        self,
        *,
        demonstrations: Iterable[str] = (),
        models: Iterable[str] = (),
        assets: Iterable[str] | None = None,
        only: Mapping[str, Iterable[str]] | None = None,
        force: bool = False,
    ) -> Report:
        """Materialize what is missing or stale.

        ``demonstrations`` and ``models``, those of the registry and the imported recordings become
        partitions if they are none yet. ``assets`` limits the walk to some assets or steps,
        ``only`` to some names of a dimension (demonstration, variant, model; the baseline always
        comes along, and pictures of other demonstrations that were made before follow what is asked
        now), ``force`` makes fresh partitions too. A failed partition blocks what is made from it;
        everything else goes on.

        Errors: :class:`UnknownNameError` for an asset nobody defined,
        :class:`MaterializationError` if another driver is at work; KeyboardInterrupt passes
        through, and what is done by then is kept.
        """
        began = time.monotonic()
        report = Report()
        wanted = self._known_assets(assets)
        filters = {d: set(names) for d, names in (only or {}).items()}
        if "variant" in filters:
            filters["variant"].add(BASELINE)
        with only_driver(self._root):
            recorded = self._data.recordings.names()
            self._register([*self._registry.demonstrations, *recorded, *demonstrations],
                           "demonstration", report)  # fmt: skip
            self._register([*self._registry.models, *models], "model", report)
            files = question_file_names(self._data.question_files)
            self._register(files, "question_file", report)
            self._walk(wanted, filters, report, force=force)
        report.seconds = time.monotonic() - began
        return report

    def forget(self, dimension: str, name: str) -> None:
        """Make ``name`` no partition any more; its files stay, nothing reads them again.

        Errors: :class:`UnknownNameError` if it is none.
        """
        known = self.instance.get_dynamic_partitions(dimension)
        if name not in known:
            raise UnknownNameError.of(dimension, name, known)
        with only_driver(self._root):
            self.instance.delete_dynamic_partition(dimension, name)

    def _register(self, names: Iterable[str], dimension: str, report: Report) -> None:
        """Make partitions of ``names``; one that nobody defined is told, not registered."""
        known = set(self.instance.get_dynamic_partitions(dimension))
        new = []
        for name in dict.fromkeys(names):
            if name in known:
                continue
            try:
                check_name(dimension, name, self._registry, self._data.recordings)
            except EnactError as error:
                report.rejected.append(str(error))
            else:
                new.append(name)
        if new:
            self.instance.add_dynamic_partitions(dimension, new)

    def _walk(
        self, wanted: set[str] | None, filters: Mapping[str, set[str]], report: Report, *,
        force: bool,
    ) -> None:  # fmt: skip
        failed: set[Node] = set()
        made: set[Node] = set()
        for definition in self._in_order():
            keys = tuple(sorted(k.to_user_string() for k in definition.keys))
            if wanted is not None and wanted.isdisjoint((*keys, definition.op.name)):
                continue
            freshness = Freshness(self.instance, self._graph, self._data)
            steps = []
            for partition, is_chosen in self._partitions(definition, keys[0], filters):
                reasons = (freshness.why_not((key, partition), made) for key in keys)
                why = next((r for r in reasons if r is not None), "forced" if force else "")
                step = Step(definition.op.name, keys, partition, why)
                if not is_chosen and not _follows(step, freshness, made):
                    continue
                if _is_blocked(step, freshness, failed):
                    failed.update(step.nodes)
                    (report.blocked if why else report.kept).append(step)
                elif why:
                    steps.append(step)
                else:
                    report.n_fresh += 1
            if steps:
                self._observer.stage_starts(steps[0].name, len(steps))
            for step in steps:
                failure = self._make(definition, step)
                if failure is None:
                    report.made.append(step)
                    made.update(step.nodes)
                else:
                    report.failures.append(failure)
                    failed.update(step.nodes)

    def _known_assets(self, assets: Iterable[str] | None) -> set[str] | None:
        """Names of assets, or of steps that land several."""
        if assets is None:
            return None
        known = {k.to_user_string() for k in self._graph.materializable_asset_keys}
        known |= {definition.op.name for definition in self._in_order()}
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

    def _partitions(
        self, definition: dg.AssetsDefinition, key: str, filters: Mapping[str, set[str]]
    ) -> list[tuple[str | None, bool]]:
        """Partitions that may be made, and whether ``filters`` choose them."""
        if definition.partitions_def is None:
            return [(None, True)]
        found = definition.partitions_def.get_partition_keys(dynamic_partitions_store=self.instance)
        of_others = filters
        if definition.op.name in FOLLOWING:
            of_others = {d: names for d, names in filters.items() if d != "demonstration"}
        return [(p, _matches(key, p, filters)) for p in found if _matches(key, p, of_others)]

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
            failure = Failure(step, _message(result), result.run_id)
        self._observer.step_ends(step, failure)
        return failure


def check_name(dimension: str, name: str, registry: Registry, recordings: Recordings) -> None:
    """Raise :class:`UnknownNameError` if ``name`` of ``dimension`` is not defined anywhere."""
    if dimension == "model":
        find_model(name)
    elif dimension == "variant":
        registry.variant(name)
    elif dimension == "demonstration":
        check_demonstration(name, recordings)


def _matches(key: str, partition: str, filters: Mapping[str, set[str]]) -> bool:
    dimensions = table(key).partitions if key in TABLES else (CONFIG_DIMENSIONS[key],)
    values = dict(zip(dimensions, partition.split("|"), strict=True))
    return all(values[d] in names for d, names in filters.items() if d in values)


def _follows(step: Step, freshness: Freshness, made: set[Node]) -> bool:
    """Whether the step was up to date until this walk made what it is made from."""
    if step.why in ("", "forced", NEVER) or NEW_CODE in step.why:
        return False
    return any(not made.isdisjoint(freshness.staleness.upstream(node)) for node in step.nodes)


def _is_blocked(step: Step, freshness: Freshness, failed: set[Node]) -> bool:
    """Whether something the step is made from failed; of rolled up inputs, all of them.

    The warehouse is never blocked: it publishes what there is and lists what is stale.
    """
    if not failed or step.name == "warehouse":
        return False
    by_asset: dict[str, list[Node]] = {}
    for key in step.keys:
        for node in freshness.staleness.upstream((key, step.partition)):
            by_asset.setdefault(node[0], []).append(node)
    rolled_up = ROLLED_UP.get(step.name, set())
    return any(
        all(n in failed for n in nodes) if asset in rolled_up else any(n in failed for n in nodes)
        for asset, nodes in by_asset.items()
    )


def _message(result: dg.ExecuteInProcessResult) -> str:
    """What the outermost of our errors says; for a foreign error its class and message.

    Dagster turns Ctrl-C into a failed step: that is passed on as what it is.
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
    return "the run failed outside its step; see the run in the UI"
