"""Headless driver: materializes every missing or stale partition, without UI or daemon.

It processes the asset graph step by step, with one Dagster run per partition, or per shard of
demonstrations if the data root has shards, in this process, in worker processes, or on a cluster.
Runs are recorded in the instance for the UI.
"""

import os
import time
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import MappingProxyType

from enact_assets.answers.imported.answer_files import has_answers
from enact_assets.answers.models.subsets import declare_subsets
from enact_assets.engine.errors import EnactError, UnknownNameError
from enact_assets.engine.planning.freshness import not_current
from enact_assets.engine.planning.lineage import Lineage
from enact_assets.engine.planning.verdicts import Verdicts
from enact_assets.engine.system.collector import without_collector
from enact_assets.pipeline.costs.spending import run_tags
from enact_assets.pipeline.dagster.up_to_date import report_up_to_date
from enact_assets.pipeline.driver.choice import Runners
from enact_assets.pipeline.driver.chosen import Chosen, asking_nothing, check_assets, choose
from enact_assets.pipeline.driver.contract import Site
from enact_assets.pipeline.driver.walk import Limits, Observer, Report, Walk, Withheld, planned
from enact_assets.pipeline.lineage.graph import WAREHOUSE
from enact_assets.pipeline.root.forgotten import Forgotten
from enact_assets.pipeline.root.partitions_file import read_shards
from enact_assets.pipeline.root.scope import (
    REGISTERED,
    Scope,
    read_scope,
    scoped_registry,
    write_scope,
)
from enact_assets.pipeline.runs.driver_lock import only_driver
from enact_assets.pipeline.runs.instance import open_instance
from enact_assets.pipeline.runs.lost_runs import mark_all_lost
from enact_assets.pipeline.runs.names import (
    add_worlds,
    checked_name,
    gone_with_environments,
    keep_scope,
    left_over,
    names_found,
    names_in_lake,
    of_one_purpose,
    scope_with,
    without_twins,
)
from enact_assets.pipeline.runs.reported import read_lineage, report_landed, tried_partitions
from enact_assets.pipeline.runs.resources import DataResource
from enact_assets.pipeline.runs.running import FROM_NOTHING_TAG
from enact_assets.pipeline.runs.step_times import keep_times
from enact_assets.results.published import published_stale
from enact_assets.settings.registry import Registry, load_registry, registry_path


class Driver:
    """Materializes partitions of one data root.

    ``workers`` is the number of worker processes; ``dask`` is the address of a Dask cluster to use
    instead.
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
        self._whole = registry or load_registry()
        self._workers = workers or os.cpu_count() or 1
        self._data = DataResource(root=str(data_root.resolve()), workers=self._workers)
        self._root = data_root
        self._dask = dask
        self._observer = observer or Observer()
        self.report = Report()
        """Report of the last :meth:`run`, even if it was interrupted."""

    def run(
        self,
        *,
        demonstrations: Iterable[str] = (),
        models: Iterable[str] = (),
        assets: Iterable[str] | None = None,
        only: Mapping[str, Iterable[str]] | None = None,
        part: Mapping[str, Iterable[str]] | None = None,
        everything: bool = False,
        force: bool = False,
        from_nothing: bool = False,
        max_usd: float | None = None,
        limits: Limits | None = None,
        parts: Mapping[str, int | None] = MappingProxyType({}),
    ) -> Report:
        """Materialize missing and stale partitions.

        ``demonstrations`` and ``models``, names in scope and imported names become partitions if
        they are not partitions yet. ``assets`` limits the run to some assets or steps and
        everything upstream of them, ``only`` to some names of a dimension (demonstration, variant,
        model). If only variants are given, the demonstrations that they have questions about are
        selected; the baseline is included if they are compared with it, and existing pictures of
        other demonstrations are updated for the new questions. Names added to the scope of the data
        root stay in it; ``part`` adds a part of the registry, ``everything`` adds all of it.
        ``force`` makes fresh partitions, too; ``from_nothing`` publishes without keeping anything
        of the former file. ``max_usd`` is the most that models may cost in this run, besides the
        limit in ``models.yaml``; without either, only free models are asked. ``limits`` leave some
        partitions to a later run. ``parts`` (model -> how many questions of each variant; None:
        all) are kept from now on (:mod:`enact_assets.answers.models.subsets`). A failed partition
        blocks partitions downstream of it; everything else continues. Files that steps find damaged
        are made again, then these steps, once.

        Errors: :class:`UnknownNameError` for an unknown asset or variant,
        :class:`MaterializationError` if another driver is running. KeyboardInterrupt passes
        through; finished partitions are kept.
        """
        began = time.monotonic()
        report = self.report = Report()
        check_assets(assets or ())
        named = _named(demonstrations, models, only)
        with only_driver(self._root):
            declare_subsets(self._root, parts)
            mark_all_lost(self.instance)
            scope = scope_with(self._data, self._whole, named, part, is_whole=everything)
            change = keep_scope(self.instance, self._data, self._whole, scope)
            registry = scope.of_registry(self._whole)
            self._register_all(registry, demonstrations, models, report)
            lineage = self._read(registry)
            self._observer.notes(change.words(lineage.names, self._whole, tuple(assets or ())))
            of_runs = run_tags(self._root, max_usd, None if limits is None else limits.tags)
            shards = read_shards(self._root)

            def tags(step: str) -> dict[str, str]:
                is_anew = from_nothing and step == WAREHOUSE
                return of_runs(step) | ({FROM_NOTHING_TAG: "yes"} if is_anew else {})

            def make(lineage: Lineage, chosen: Chosen, is_forced: Callable[[str], bool]) -> None:
                Walk(
                    lineage,
                    runners,
                    chosen,
                    report,
                    states=self._data.states(registry),
                    observer=self._observer,
                    is_list_outdated=self._is_list_outdated,
                    tags=tags,
                    is_forced=is_forced,
                    limits=limits,
                ).go()

            chosen = self._chosen(lineage, registry, assets, only)
            self._observer.notes(asking_nothing(chosen, only, lineage.names, registry))
            if limits is not None:
                report.plan = self._planned(lineage, chosen, limits.withheld)
                self._observer.planned(report.plan)
            with ExitStack() as stack:
                site = replace(self._site(), shards=shards)
                runners = stack.enter_context(Runners(site, self._workers, self._dask))
                make(lineage, chosen, lambda step: force or (from_nothing and step == WAREHOUSE))
                if report.failures:
                    before, lineage = lineage, self._read(registry)
                    if report.begins_again(before, lineage, chosen.is_chosen):
                        chosen = self._chosen(lineage, registry, assets, only)
                        make(lineage, chosen, lambda _: False)
            report.n_reported = report_landed(self.instance, self._data, lineage, shards)
            report_up_to_date(self.instance, lineage)
            keep_times(self.instance, (run.step for run in report.made))
        report.seconds = time.monotonic() - began
        return report

    def plan(
        self,
        *,
        demonstrations: Iterable[str] = (),
        models: Iterable[str] = (),
        assets: Iterable[str] | None = None,
        only: Mapping[str, Iterable[str]] | None = None,
        part: Mapping[str, Iterable[str]] | None = None,
        everything: bool = False,
        withheld: Withheld = lambda _step, _partition: False,
    ) -> tuple[Verdicts, list[str]]:
        """The partitions that :meth:`run` would make with the same arguments, and messages about
        unknown names.

        Nothing is changed: names that are not partitions yet, or not in scope, are treated as if
        they were. Partitions that are ``withheld``, and partitions downstream of them, are left
        out. Errors: :class:`UnknownNameError` for an unknown asset or variant.
        """
        check_assets(assets or ())
        report = Report()
        named = _named(demonstrations, models, only)
        scope = scope_with(self._data, self._whole, named, part, is_whole=everything)
        registry = scope.of_registry(self._whole)
        added = self._new_names(registry, demonstrations, models, report)
        left_out = left_over(self.instance, self._data, self._whole, scope)
        lineage = self._read(registry, added, left_out)
        chosen = self._chosen(lineage, registry, assets, only)
        self._observer.notes(asking_nothing(chosen, only, lineage.names, registry))
        with without_collector():
            plan = self._planned(lineage, chosen, withheld)
        return plan, report.rejected

    def forget(self, dimension: str, name: str) -> str:
        """Remove the partition ``name``; its files stay, but are no longer read. A model may be
        given by its id. Returns the name of the partition.

        The link to a recording is removed, too, as it would be added again, and how many questions
        a model is asked. Imported answers stay on disk, and are used again when more are imported
        under the name. With the last environment of WorldPrediction its embedded questions are
        forgotten as well, with the models that answer nothing else. Errors:
        :class:`UnknownNameError` if the name is not a partition, and neither lake nor imported
        answers have it; :class:`SettingsError` if the file of declared parts is damaged.
        """
        if dimension == "model":
            name = self._data.models.called(name)
        with only_driver(self._root):
            kept = read_scope(self._root) or Scope()
            was_linked = dimension == "demonstration" and self._data.recordings.unlink(name)
            was_answered = dimension == "model" and (
                has_answers(self._data.data_root, name) or self._data.models.answered.has(name)
            )
            known = self.instance.get_dynamic_partitions(dimension)
            is_held = name in names_in_lake(self._data).get(dimension, ())
            if not (name in known or was_linked or was_answered or is_held):
                raise UnknownNameError.of(dimension, name, known)
            if dimension == "model":
                declare_subsets(self._root, {name: None})
            left = kept.without(dimension, name, self._whole) if dimension in REGISTERED else kept
            if left != kept:
                write_scope(self._root, left)
            self._take_out(dimension, [name])
            if dimension == "demonstration":
                for other, names in gone_with_environments(self.registry, self._data).items():
                    self._take_out(other, names)
        return name

    def _take_out(self, dimension: str, names: Iterable[str]) -> None:
        known = set(self.instance.get_dynamic_partitions(dimension))
        for name in names:
            Forgotten(self._root).add(dimension, name)
            if name in known:
                self.instance.delete_dynamic_partition(dimension, name)

    @property
    def data(self) -> DataResource:
        """The resource with the lake and the pictures."""
        return self._data

    @property
    def registry(self) -> Registry:
        """The registry in force, within the scope of the data root."""
        return scoped_registry(self._root, self._whole)

    def _site(self) -> Site:
        registry = registry_path()
        text = registry.read_text("utf-8")
        base = Path(os.path.normpath(registry.parent))
        beside = [
            (str(path.relative_to(base)), words)
            for path, words in self._whole.prompt_files.items()
            if path.is_relative_to(base)
        ]
        place = self._root.resolve(), self._data.lake_url
        return Site(*place, text, registry.name, tuple(sorted(beside)))

    def _read(
        self,
        registry: Registry,
        added: Mapping[str, Collection[str]] | None = None,
        left_out: Collection[str] = (),
    ) -> Lineage:
        on_progress = self._observer.reading
        return read_lineage(
            self.instance, self._data, registry, on_progress, added, left_out=left_out
        )

    def _chosen(
        self,
        lineage: Lineage,
        registry: Registry,
        assets: Iterable[str] | None,
        only: Mapping[str, Iterable[str]] | None,
    ) -> Chosen:
        """The selection of partitions to list or make."""
        chosen = choose(assets, only, lineage.names, registry, self._data.sources)
        return chosen.complete(lineage)

    def _planned(self, lineage: Lineage, chosen: Chosen, withheld: Withheld) -> Verdicts:
        return planned(lineage, chosen, partial(self._is_list_outdated, lineage), withheld)

    def _is_list_outdated(self, lineage: Lineage) -> bool:
        """Whether the list of stale and missing partitions in the warehouse is outdated.

        A partition that was made again with the same rows is no longer stale, and one that failed
        for the first time becomes missing. Neither changes an input of the warehouse.
        """
        found = not_current(lineage, partial(tried_partitions, self.instance, lineage.names))
        rows = found.select("asset", "partition").iter_rows()
        return set(rows) != published_stale(self._data.warehouse_path)

    def _register_all(
        self,
        registry: Registry,
        demonstrations: Iterable[str],
        models: Iterable[str],
        report: Report,
    ) -> None:
        for dimension, new in self._new_names(registry, demonstrations, models, report).items():
            if new:
                Forgotten(self._root).remove(dimension, new)
                self.instance.add_dynamic_partitions(dimension, new)

    def _new_names(
        self,
        registry: Registry,
        demonstrations: Iterable[str],
        models: Iterable[str],
        report: Report,
    ) -> dict[str, list[str]]:
        """Names that become partitions; unknown ones are reported and ignored."""
        found, problems = names_found(self._data, registry)
        report.rejected += problems
        for dimension, names in (("demonstration", demonstrations), ("model", models)):
            for name in names:
                try:
                    key = checked_name(dimension, name, registry, self._data)
                except EnactError as error:
                    report.rejected.append(str(error))
                else:
                    found[dimension].append(key)
        known = {d: set(self.instance.get_dynamic_partitions(d)) for d in found}
        for dimension, named in found.items():
            found[dimension], said = without_twins(dimension, named, known[dimension])
            report.rejected += said
        of_root = found["demonstration"], known["demonstration"], self._data
        found["demonstration"], said = of_one_purpose(*of_root)
        report.rejected += said
        report.rejected += add_worlds(found, registry, self._data)
        return {d: [n for n in dict.fromkeys(found[d]) if n not in known[d]] for d in found}


def _named(
    demonstrations: Iterable[str],
    models: Iterable[str],
    only: Mapping[str, Iterable[str]] | None,
) -> dict[str, list[str]]:
    """Dimension -> every name that a call names."""
    named = {dimension: list(names) for dimension, names in (only or {}).items()}
    for dimension, names in (("demonstration", demonstrations), ("model", models)):
        if added := list(names):
            named[dimension] = [*named.get(dimension, ()), *added]
    return named
