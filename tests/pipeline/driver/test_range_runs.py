"""Runs of a range of partitions, as backfills of the UI and automation start them."""

import logging
import os
import shutil
import signal
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import dagster as dg
import pytest
from dagster._core.definitions.partitions.subset import PartitionsSubset
from dagster._core.execution.backfill import BulkActionStatus, PartitionBackfill
from dagster._core.storage.partition_status_cache import get_and_update_asset_status_cache_value
from dagster._core.test_utils import create_test_daemon_workspace_context
from dagster._core.workspace.load_target import ModuleTarget
from dagster._daemon.backfill import execute_backfill_iteration

from benchmarks.tiny_root import write_small_registry, write_tiny_recording
from enact_assets.engine.grids import Partition
from enact_assets.pipeline.dagster.automation import RUN_TAGS
from enact_assets.pipeline.dagster.definitions import build_definitions
from enact_assets.pipeline.driver import step_runs
from enact_assets.pipeline.driver.contract import Site
from enact_assets.pipeline.driver.materialize import Driver
from enact_assets.pipeline.driver.step_runs import asset_keys, execute, leave
from enact_assets.pipeline.runs import range_making
from enact_assets.pipeline.runs.code_location import LOCATION, MODULE
from enact_assets.pipeline.runs.instance import open_instance
from enact_assets.pipeline.runs.ranges import range_tags
from enact_assets.pipeline.runs.reported import reported_versions
from enact_assets.pipeline.runs.resources import DataResource
from enact_assets.pipeline.runs.run import Run
from enact_assets.settings.registry import load_registry

pytestmark = pytest.mark.slow

NAMES = tuple(f"moving_cups-{k}" for k in range(5))
STATE = [Partition.of(name, "state") for name in NAMES]
CHAIN = ("visible_changes", "path_counts", "trajectories")
"""Steps of the same partitions, each of which reads the ones before."""
AUTOMATED = {"enact/trigger": "automation"}


class Place:
    """Recordings without pictures, made as far as their scene graphs."""

    def __init__(self, root: Path, registry: Path) -> None:
        self.root = root
        self.instance = open_instance(root)
        self.data = DataResource(root=str(root))
        self.definitions = build_definitions(load_registry(registry), self.data)

    def run(self, *steps: str, over: list[tuple[str, ...]], **tags: str) -> dg.DagsterRun:
        keys = [key for step in steps for key in asset_keys(step)]
        found = self.definitions.resolve_implicit_global_asset_job_def().execute_in_process(
            asset_selection=keys,
            instance=self.instance,
            raise_on_error=False,
            tags={**range_tags(over), **tags},
            run_config={"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}},
        )
        run = self.instance.get_run_by_id(found.run_id)
        assert run is not None
        return run

    def events(self, run: dg.DagsterRun, asset: str) -> dict[str, dg.AssetMaterialization]:
        """What ``run`` told of each partition of ``asset``."""
        kind = dg.DagsterEventType.ASSET_MATERIALIZATION
        told = [e.asset_materialization for e in self.instance.all_logs(run.run_id, of_type=kind)]
        mine = [m for m in told if m is not None and m.asset_key == dg.AssetKey(asset)]
        assert len({m.partition for m in mine}) == len(mine), "two events of one partition"
        return {str(m.partition): m for m in mine}

    def shown(self, asset: str) -> Mapping[str, set[str]]:
        """Partitions that the page of ``asset`` shows as failed, and as made."""
        definition = self.definitions.resolve_asset_graph().get(dg.AssetKey(asset)).partitions_def
        assert definition is not None
        found = get_and_update_asset_status_cache_value(
            self.instance, dg.AssetKey(asset), definition, self.instance
        )
        assert found is not None

        def keys(subset: PartitionsSubset) -> set[str]:
            return {str(key) for key in subset.get_partition_keys()}

        failed = keys(found.deserialize_failed_partition_subsets(definition))
        made = keys(found.deserialize_materialized_partition_subsets(definition))
        return {"failed": failed, "made": made - failed}

    def failures(self, run: dg.DagsterRun) -> dict[str, str]:
        """What the failed steps of ``run`` name."""
        found: dict[str, str] = {}
        for event in self.instance.all_logs(run.run_id, of_type=dg.DagsterEventType.STEP_FAILURE):
            about = event.get_dagster_event().step_failure_data.user_failure_data
            assert about is not None
            named = about.metadata["failed partitions"].value
            assert isinstance(named, dict)
            found |= named
        return found

    def damage(self, name: str) -> Path:
        """Make a file of a partition's input one that cannot be read."""
        path = self.root / "lake" / "scene_graphs" / name / "state.parquet"
        path.write_bytes(path.read_bytes()[:-1] + b"?")
        return path


@pytest.fixture(scope="module")
def registry(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("registry") / "registry.yaml"
    return write_small_registry(path, variants=["baseline"], models=["oracle"])


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, registry: Path) -> Path:
    root = tmp_path_factory.mktemp("ranges")
    for name in NAMES:
        write_tiny_recording(root / "recordings", name, 2, has_pictures=False)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ENACT_REGISTRY", str(registry))
        report = Driver(root, registry=load_registry(registry), workers=1).run(assets=CHAIN)
        assert report.is_success, report.failures
    leave()
    return root


@pytest.fixture
def place(
    made: Path, registry: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Place]:
    shutil.copytree(made, tmp_path / "data", symlinks=True)
    monkeypatch.setenv("ENACT_REGISTRY", str(registry))
    monkeypatch.setenv("ENACT_HOME", str(tmp_path / "data"))
    found = Place(tmp_path / "data", registry)
    yield found
    found.instance.dispose()


def test_each_partition_has_its_own_event_version_and_provenance(place: Place) -> None:
    """As a run of one of them has: rows, preview, data version, and what it was made from."""
    before = reported_versions(place.instance, "scene_graphs")
    run = place.run("segmentation", over=STATE)
    assert run.is_success
    first = f"{NAMES[0]}|state: it was fresh; requested by hand"
    assert run.tags["enact/why"] == f"5 partitions, first {first}"
    told = place.events(run, "scene_graphs")
    assert [tuple(key.split("|")) for key in told] == STATE
    versions = {k: (m.tags or {})["dagster/data_version"] for k, m in told.items()}
    assert len(set(versions.values())) == len(NAMES)
    assert versions == {"|".join(p): version for p, version in before.items()}
    alone = place.run("segmentation", over=STATE[:1])
    (one,) = place.events(alone, "scene_graphs").values()
    other = told["|".join(STATE[0])]
    assert one.metadata.keys() | {"enact/why"} == other.metadata.keys()
    assert other.metadata["enact/why"].value == "it was fresh; requested by hand"
    changing = ("dagster/input_event_pointer/", "dagster/partition/")
    ours, theirs = (
        {k: v for k, v in (m.tags or {}).items() if not k.startswith(changing)}
        for m in (other, one)
    )
    assert ours.keys() == theirs.keys()
    plan, _ = Driver(place.root, workers=1).plan(assets=CHAIN)
    assert plan.stale == ()


def test_one_that_fails_is_shown_as_failed_and_stops_no_other_one(place: Place) -> None:
    """Neither of its own step nor of the later ones in the run; started again, the rest is made."""
    place.damage(NAMES[1])
    run = place.run(*CHAIN, over=STATE)
    assert run.status == dg.DagsterRunStatus.FAILURE
    bad = f"{NAMES[1]}|state"
    assert list(place.failures(run)) == [bad]
    assert place.failures(run)[bad].startswith("visible_changes: ")
    for asset in ("transition_graph", "trajectories"):
        assert set(place.events(run, asset)) == {"|".join(p) for p in STATE} - {bad}, asset
        assert place.shown(asset)["failed"] == {bad}, asset
        assert len(place.shown(asset)["made"]) == len(NAMES) - 1
    assert place.run("segmentation", over=STATE[1:2]).is_success
    repeated = place.run(
        *CHAIN,
        over=STATE,
        **{"dagster/parent_run_id": run.run_id, "dagster/root_run_id": run.run_id},
        **{"enact/only_stale": "yes"},
    )
    assert repeated.is_success
    assert place.shown("path_counts") == {"failed": set(), "made": {"|".join(p) for p in STATE}}
    told = place.events(repeated, "path_counts")
    assert {k for k, m in told.items() if "found fresh" in m.metadata} <= {
        "|".join(p) for p in STATE
    } - {bad}


def test_what_landed_before_a_stop_stays_and_is_told(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C in the middle of a range; the run that the daemon starts again makes the rest."""
    place.run("segmentation", over=STATE)
    tell, n_told = range_making.tell, iter(range(100))

    def told_and_stopped(*told: Any) -> None:
        tell(*told)
        if next(n_told) == 2:
            os.kill(os.getpid(), signal.SIGINT)

    with monkeypatch.context() as patch:
        patch.setattr(range_making, "tell", told_and_stopped)
        run = place.run("path_counts", over=STATE)
    assert not run.is_success
    assert len(place.events(run, "path_counts")) == 3
    again = place.run("path_counts", over=STATE, **{"enact/only_stale": "yes"}, **AUTOMATED)
    assert again.is_success
    assert all("found fresh" in m.metadata for m in place.events(again, "path_counts").values())


def test_the_daemon_asks_for_one_run_of_a_backfill(place: Place) -> None:
    """As for *Materialize* on several partitions. Dagster names all checks of the assets in it, and
    gives up where the code server leaves some out."""
    keys = list(asset_keys("segmentation"))
    target = ModuleTarget(MODULE, None, str(Path.cwd()), LOCATION)
    with create_test_daemon_workspace_context(target, place.instance) as workspace:
        graph = workspace.create_request_context().asset_graph
        assert graph.get_check_keys_for_assets(set(keys)), "checks that runs leave out"
        backfill = PartitionBackfill.from_asset_partitions(
            backfill_id="five",
            asset_graph=graph,
            partition_names=["|".join(partition) for partition in STATE],
            asset_selection=keys,
            backfill_timestamp=time.time(),
            tags={},
            dynamic_partitions_store=place.instance,
            all_partitions=False,
            title=None,
            description=None,
            run_config=None,
        )
        place.instance.add_backfill(backfill)
        errors = list(execute_backfill_iteration(workspace, logging.getLogger("backfill")))
    assert not [error for error in errors if error is not None]
    found = place.instance.get_backfill("five")
    assert found is not None
    assert found.status == BulkActionStatus.REQUESTED
    (run,) = place.instance.get_runs(dg.RunsFilter(tags={"dagster/backfill": "five"}))
    assert run.status == dg.DagsterRunStatus.QUEUED
    assert {k: run.tags[k] for k in range_tags(STATE)} == range_tags(STATE)
    assert run.asset_selection == set(keys)


def test_automation_asks_for_a_range_at_once(place: Place) -> None:
    """Of what is due at one look, and of nothing between; while it runs, for none of it again."""
    for name in (*NAMES[:3], NAMES[4]):
        (place.root / "lake" / "path_counts" / name / "state.parquet").unlink()
    repository = place.definitions.get_repository_def()

    def asked(cursor: str | None) -> tuple[list[dg.RunRequest], str | None]:
        context = dg.build_sensor_context(
            instance=place.instance, repository_def=repository, cursor=cursor
        )
        found = repository.get_sensor_def("automation").evaluate_tick(context)
        ours = dg.AssetKey("path_counts")
        return [
            r for r in found.run_requests or [] if ours in (r.asset_selection or ())
        ], found.cursor

    requests, cursor = asked(None)
    over, alone = sorted(requests, key=lambda request: request.partition_key or "")
    assert alone.partition_key == "|".join(STATE[4])
    assert {k: over.tags[k] for k in range_tags(STATE[:3])} == range_tags(STATE[:3])
    assert RUN_TAGS.items() <= over.tags.items(), "of automation"
    assert asked(cursor)[0] == []
    assert "dagster/partition" not in over.tags, "a run has one or the other"
    run = place.run("path_counts", over=STATE[:3], **over.tags)
    assert run.is_success
    assert len(place.events(run, "path_counts")) == 3
    assert run.tags["enact/why"].startswith(f"3 partitions, first {NAMES[0]}|state: ")


def test_a_driver_makes_a_list_in_one_run_and_hears_of_each_partition(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its reasons, what failed, and what was not begun in time, as of a run for each."""
    place.damage(NAMES[1])
    site = Site(place.root.resolve(), None, Path(os.environ["ENACT_REGISTRY"]).read_text("utf-8"))
    clock = iter([0.0, 0.0, 0.0, 0.0, 2.0, 2.0])  # asked once before the run, then for each
    now = SimpleNamespace(time=lambda: next(clock), monotonic=time.monotonic)
    for module in (step_runs, range_making):
        monkeypatch.setattr(module, "time", now)
    whys = tuple(f"reason {k}" for k in range(5))
    told: list[str] = []
    run = Run("visible_changes", tuple(STATE), whys, until=1.0)
    outcome = execute(site, run, lambda progress: told.append(progress.count))
    bad = f"{NAMES[1]}|state"
    assert list(outcome.failures) == [bad]
    assert "1 of 3 partitions failed" in str(outcome.error)
    assert outcome.left == STATE[3:]
    assert [text for text in told if text[1:2] == "/"] == [f"{k}/5 partitions" for k in (1, 2, 3)]
    found = place.instance.get_run_by_id(str(outcome.run_id))
    assert found is not None
    why = f"visible_changes: 5 partitions, first {NAMES[0]}|state: reason 0"
    assert found.tags["enact/why"] == why
    events = place.events(found, "transition_graph")
    made = {key: event.metadata["enact/why"].value for key, event in events.items()}
    assert made == {f"{NAMES[k]}|state": f"reason {k}" for k in (0, 2)}


def test_a_walk_makes_a_list_and_one_that_fails_fails_alone(place: Place) -> None:
    (place.root / "recordings" / NAMES[1] / "scene_graph_0.json").write_text('{"0": 1}')
    before = place.instance.get_runs_count()
    report = Driver(place.root, registry=load_registry(), workers=1).run(
        assets=["replays"], force=True
    )
    assert [run.partition[0] for run in report.made] == [*NAMES[:1], *NAMES[2:]]
    (failure,) = report.failures
    assert str(failure.run) == f"replays {NAMES[1]}"
    assert f"{NAMES[1]}/scene_graph_0.json" in failure.message
    assert place.instance.get_runs_count() == before + 1
    assert place.shown("facts")["failed"] == {NAMES[1]}
