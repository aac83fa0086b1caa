"""A data root as the daemon sees it, and what it would do there."""

from pathlib import Path

import dagster as dg
import yaml

from enact_assets.engine.grids import Partition
from enact_assets.engine.planning.shards import shard_at
from enact_assets.pipeline.dagster import automation
from enact_assets.pipeline.dagster.definitions import build_definitions
from enact_assets.pipeline.driver import step_runs
from enact_assets.pipeline.driver.contract import Site
from enact_assets.pipeline.lineage.graph import STEP_NAMED
from enact_assets.pipeline.root.partitions_file import read_shards
from enact_assets.pipeline.runs.instance import open_instance
from enact_assets.pipeline.runs.resources import DataResource
from enact_assets.pipeline.runs.run import Run


class Place:
    """A data root of its own, its instance and definitions, as the daemon has them."""

    def __init__(self, root: Path, registry_file: Path) -> None:
        self.root, self.registry_file = root, registry_file
        self.instance = open_instance(root)
        self.definitions = build_definitions()
        self.repository = self.definitions.get_repository_def()
        self.data = DataResource()
        self._cursor: object = None

    def leave(self) -> None:
        step_runs.leave()
        self.instance.dispose()

    def change_camera(self, aperture_mm: float = 70.0) -> None:
        entries = yaml.safe_load(self.registry_file.read_text())
        entries["variants"]["aperture_80"]["camera"]["aperture_mm"] = aperture_mm
        self.registry_file.write_text(yaml.safe_dump(entries))

    def automated(self) -> set[tuple[str, str | None]]:
        """Steps and partitions that the automation sensor asks for at its next look."""
        result = dg.evaluate_automation_conditions(
            self.definitions,
            self.instance,
            asset_selection=dg.AssetSelection.all(),
            cursor=self._cursor,
        )
        self._cursor = result.cursor
        found = set()
        for step in STEP_NAMED.values():
            asked = [
                result.get_requested_partitions(dg.AssetKey(asset))
                if result.get_num_requested(dg.AssetKey(asset))
                else set()
                for asset in step.assets
            ]
            assert all(partitions == asked[0] for partitions in asked), step.name
            found |= {(step.name, partition) for partition in asked[0]}
        return found

    def sensor(self, sensor: dg.SensorDefinition, cursor: str | None = None) -> dg.SensorResult:
        context = dg.build_sensor_context(
            instance=self.instance,
            repository_def=self.repository,
            cursor=cursor,
            resources={"data": self.data},
        )
        found = sensor(context)
        assert isinstance(found, dg.SensorResult)
        return found

    def requested(self) -> list[dg.RunRequest]:
        """Runs that the automation sensor requests if nothing was tried yet."""
        automation._last.clear()  # what this process looked at, which may have been just now
        context = dg.build_sensor_context(instance=self.instance, repository_def=self.repository)
        found = self.repository.get_sensor_def("automation").evaluate_tick(context)
        return list(found.run_requests or [])

    def make(
        self,
        step: str,
        partition: str | None,
        *,
        fails: bool = False,
        only: tuple[str, ...] = (),
        **tags: str,
    ) -> str:
        text = self.registry_file.read_text()
        site = Site(self.root, None, text, shards=read_shards(self.root))
        key = Partition.of_key(partition)
        at = shard_at(key) or 0
        made = tuple(Partition.of(*key[:at], name, *key[at + 1 :]) for name in only) or (key,)
        outcome = step_runs.execute(site, Run(step, made, tags=tags), lambda _: None)
        assert (outcome.error is not None) == fails, outcome.error
        return outcome.error or ""

    def queue(self, assets: tuple[str, ...], partition: str, **tags: str) -> str:
        """A run that waits, or works, as far as anybody can tell."""
        keys = frozenset(dg.AssetKey(asset) for asset in assets)
        job = self.definitions.resolve_implicit_global_asset_job_def()
        run = self.instance.create_run_for_job(
            job.get_subset(asset_selection=keys),
            asset_selection=keys,
            tags={"dagster/partition": partition, **tags},
        )
        return run.run_id


def demonstrations(place: Place) -> list[str]:
    return sorted(place.instance.get_dynamic_partitions("demonstration"))


def added(result: dg.SensorResult) -> dict[str, list[str]]:
    requests = result.dynamic_partitions_requests or []
    return {r.partitions_def_name: list(r.partition_keys) for r in requests}
