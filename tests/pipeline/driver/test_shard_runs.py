"""Runs of shards: the same rows as without, and each demonstration is made for itself."""

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import dagster as dg
import pytest
from small_sites import outcomes

from benchmarks.crashes import Moment, Setting, fingerprint, materialize
from benchmarks.tiny_root import write_small_registry, write_tiny_recording
from enact_assets.engine.grids import Partition
from enact_assets.pipeline.driver.contract import Site
from enact_assets.pipeline.driver.materialize import Driver
from enact_assets.pipeline.driver.step_runs import InProcessRunner, leave, workplace
from enact_assets.pipeline.driver.walk import Report
from enact_assets.pipeline.lineage.graph import STEP_NAMED
from enact_assets.pipeline.root.partitions_file import read_shards
from enact_assets.pipeline.runs.reported import reported_versions
from enact_assets.pipeline.runs.run import Outcome, Run
from enact_assets.settings.paths import PARTITIONS_FILE
from enact_assets.settings.registry import load_registry

from reference.servers import dask_cluster

N = 5
NAMES = tuple(f"moving_cups-{k}" for k in range(N))
SHARD = "shard_001/2"
MEMBERS = ("moving_cups-0", "moving_cups-2", "moving_cups-3")
MADE = "partitions made"
RUN, OF_STATE = (
    Run("replays", (Partition.of(SHARD),)),
    Run("segmentation", (Partition.of(SHARD, "state"),)),
)
MADE_OF = Run("replays", tuple(map(Partition.of, MEMBERS)))


class Root:
    """A data root of recordings without pictures, made as far as the scene graphs."""

    def __init__(self, root: Path, registry: Path, n_shards: int | None) -> None:
        self.root, self.registry = root, registry
        self.root.mkdir(exist_ok=True)
        self.cut(n_shards)

    def cut(self, n_shards: int | None) -> None:
        """Let Dagster's partitions be so many shards, or single demonstrations."""
        (self.root / PARTITIONS_FILE).unlink(missing_ok=True)
        if n_shards is not None:
            (self.root / PARTITIONS_FILE).write_text(f"demonstration_shards: {n_shards}\n")

    def walk(self, *, workers: int = 1, dask: str | None = None) -> Report:
        registry = load_registry(self.registry)
        driver = Driver(self.root, registry=registry, workers=workers, dask=dask)
        return driver.run(assets=["segmentation"])

    def record(self, name: str, n_moves: int = 2) -> None:
        shutil.rmtree(self.root / "recordings" / name, ignore_errors=True)
        write_tiny_recording(self.root / "recordings", name, n_moves, has_pictures=False)

    def damage(self, name: str) -> None:
        (self.root / "recordings" / name / "scene_graph_0.json").write_text('{"0": 1}')

    @property
    def site(self) -> Site:
        text = self.registry.read_text("utf-8")
        return Site(self.root.resolve(), None, text, shards=read_shards(self.root))

    @property
    def instance(self) -> dg.DagsterInstance:
        return workplace(self.site).instance

    def run(self, run: Run) -> Outcome:
        """As it is, whatever is stale: the UI and the daemon start such runs."""
        (outcome,) = outcomes(InProcessRunner(self.site), run)
        return outcome

    def told(self, outcome: Outcome) -> dict[str, dict[str, Any]]:
        """What a run materialized: asset -> metadata."""
        events = self.instance.all_logs(
            str(outcome.run_id), of_type=dg.DagsterEventType.ASSET_MATERIALIZATION
        )
        found = [e.asset_materialization for e in events]
        assert len({m.asset_key for m in found if m is not None}) == len(found)
        return {
            m.asset_key.to_user_string(): {k: v.value for k, v in m.metadata.items()}
            for m in found
            if m is not None
        }

    def copy(self, to: Path) -> "Root":
        shutil.copytree(self.root, to / "data", symlinks=True)
        return Root(to / "data", self.registry, 2)


@pytest.fixture(scope="module")
def registry(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("registry") / "registry.yaml"
    return write_small_registry(path, variants=["baseline"], models=["oracle"])


@pytest.fixture(autouse=True)
def use_small_registry(registry: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENACT_REGISTRY", str(registry))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, registry: Path) -> Iterator[Root]:
    """Five recordings in two shards, three of them in one."""
    root = Root(tmp_path_factory.mktemp("shards"), registry, 2)
    for name in NAMES:
        root.record(name)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ENACT_REGISTRY", str(registry))
        assert root.walk().is_success
    yield root
    leave()


@pytest.fixture
def root(made: Root, tmp_path: Path) -> Root:
    return made.copy(tmp_path)


def steps(report: Report) -> list[str]:
    return sorted(map(str, report.made))


@pytest.mark.slow
def test_a_run_makes_a_shard_and_says_what_there_is_now(root: Root) -> None:
    """Started by hand while all is fresh, everything is made again, as of one demonstration."""
    before = fingerprint(root.root)
    outcome = root.run(OF_STATE)
    assert outcome.error is None
    told = root.told(outcome)
    assert set(told) == {"segmented_frames", "scene_graphs"}
    about = told["segmented_frames"]
    assert about[MADE] == about["partitions there"] == about["partitions in the shard"] == 3
    assert about["rows made"] > 3
    assert fingerprint(root.root) == before
    run = root.instance.get_run_by_id(str(outcome.run_id))
    assert run is not None
    first = f"{MEMBERS[0]}|state: it was fresh; requested by hand"
    assert run.tags["enact/why"] == f"3 partitions, first {first}"


@pytest.mark.slow
def test_of_one_changed_demonstration_a_walk_makes_that_one(root: Root) -> None:
    root.record("moving_cups-2", 3)
    before = reported_versions(root.instance, "scene_graphs")
    report = root.walk()
    assert steps(report) == ["replays moving_cups-2", "segmentation moving_cups-2|state"]
    assert report.n_reported == 0
    after = reported_versions(root.instance, "scene_graphs")
    assert {key for key in after if after[key] != before[key]} == {(SHARD, "state")}
    assert root.walk().made == []


@pytest.mark.slow
def test_a_run_started_by_hand_makes_what_is_stale(root: Root) -> None:
    root.record("moving_cups-3", 3)
    told = root.told(root.run(RUN))
    assert told["facts"][MADE] == 1
    assert root.told(root.run(MADE_OF.of(MADE_OF.partitions[:2])))["facts"][MADE] == 2
    unknown = root.run(Run("replays", (Partition.of("nobody"),)))
    assert "1 name of `only` cannot be made in this shard, first 'nobody'" in str(unknown.error)


@pytest.mark.slow
def test_a_demonstration_that_fails_stops_no_other_one(root: Root) -> None:
    root.record("moving_cups-0", 3)
    root.damage("moving_cups-2")
    report = root.walk()
    assert steps(report) == ["replays moving_cups-0", "segmentation moving_cups-0|state"]
    (failure,) = report.failures
    assert str(failure.run) == "replays moving_cups-2"
    assert "moving_cups-2/scene_graph_0.json" in failure.message
    assert [str(run) for run in report.kept] == ["segmentation moving_cups-2|state"]
    run = root.instance.get_run_by_id(failure.run_id)
    assert run is not None
    assert run.status == dg.DagsterRunStatus.FAILURE
    outcome = root.run(RUN)
    assert str(outcome.error).startswith(
        f"replays {SHARD}: 1 of 1 partition failed, first moving_cups-2: "
    )
    assert list(outcome.failures) == ["moving_cups-2"]
    assert root.told(outcome) == {}, "nothing was made"
    root.record("moving_cups-2", 2)
    assert root.walk().is_success


@pytest.mark.slow
def test_automation_makes_what_it_asked_for_and_nothing_beyond(root: Root) -> None:
    """Others of the shard may wait for money, or for pictures that are about to change."""
    for name in MEMBERS:
        root.record(name, 3)
    automated = replace(MADE_OF.of(MADE_OF.partitions[:2]), tags={"enact/trigger": "automation"})
    assert root.told(root.run(automated))["facts"][MADE] == 2
    assert root.told(root.run(automated))["facts"][MADE] == 0
    assert steps(root.walk())[0] == "replays moving_cups-3"


@pytest.mark.slow
def test_other_shards_or_none_make_nothing_again(root: Root) -> None:
    """Files and freshness know demonstrations only; Dagster is told of its new partitions."""
    before = fingerprint(root.root)
    n_assets = 9  # of replays and segmentation
    for n_shards, n_new in ((None, N), (3, 2), (2, 0)):
        root.cut(n_shards)
        report = root.walk()
        assert (report.made, report.n_reported) == ([], n_new * n_assets), n_shards
    assert fingerprint(root.root) == before


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n_shards", "worked"), [(None, "here"), (3, "two processes"), (3, "Dask")]
)
def test_rows_are_the_same_however_partitions_are_cut_and_wherever_they_are_made(
    made: Root, registry: Path, tmp_path: Path, n_shards: int | None, worked: str
) -> None:
    other = Root(tmp_path / "data", registry, n_shards)
    shutil.copytree(made.root / "recordings", other.root / "recordings")
    if worked == "Dask":
        pytest.importorskip("distributed")
        with dask_cluster(2) as cluster:
            report = other.walk(dask=cluster.address)
    else:
        report = other.walk(workers=2 if worked == "two processes" else 1)
    assert report.is_success
    assert fingerprint(other.root) == fingerprint(made.root)


@pytest.mark.slow
@pytest.mark.parametrize(("step", "after_s"), [("replays", 0.3), ("segmentation", 0.05)])
def test_after_a_kill_only_what_is_not_there_is_made(
    made: Root, registry: Path, tmp_path: Path, step: str, after_s: float
) -> None:
    """In the middle of a shard: what it made by then stays, the rest follows."""
    other = Root(tmp_path / "data", registry, 1)
    shutil.copytree(made.root / "recordings", other.root / "recordings")
    setting = Setting(registry, 1, ("--asset", "segmentation"))
    killed = materialize(other.root, setting, Moment(step, after_s))
    assert killed.exit_code is None, killed.printed
    there = fingerprint(other.root)
    report = other.walk()
    assert report.is_success
    for one in report.made:
        assets = STEP_NAMED[one.step].assets
        whole = {f"{asset} {'|'.join(one.partition)}".strip() for asset in assets}
        assert not whole <= there.keys(), one
    assert fingerprint(other.root) == fingerprint(made.root)
