"""The whole small graph on PostgreSQL and a Dask cluster: the same rows as on one machine."""

import os
import signal
import threading
from pathlib import Path

import dagster as dg
import pytest
from made_roots import Materialized

from enact_assets.engine.lake.lake import Lake
from enact_assets.engine.tables import TABLES
from enact_assets.pipeline.driver.materialize import Driver
from enact_assets.pipeline.driver.step_runs import leave
from enact_assets.pipeline.runs.instance import open_instance
from enact_assets.pipeline.runs.lost_runs import process_of
from enact_assets.settings.paths import DataRoot

from reference.servers import DaskCluster, dask_cluster, postgres


def content(root: Path) -> dict[str, str]:
    """Table and partition -> hash of its rows."""
    lake = Lake(DataRoot(root).lake)
    return {
        f"{table} {'|'.join(partition.values())}": lake.content_sha(table, partition)
        for table in TABLES
        for partition in lake.partitions(table)
    }


def kill_a_worker_at(
    step: str, instance: dg.DagsterInstance, cluster: DaskCluster, stop: threading.Event
) -> list[str]:
    """Kill the worker that is at ``step``; returns the run that it was at."""
    runs = dg.RunsFilter(statuses=[dg.DagsterRunStatus.STARTED])
    while not stop.wait(0.02):
        for run in instance.get_runs(runs):
            process = process_of(run)
            if process is not None and dg.AssetKey(step) in (run.asset_selection or ()):
                assert process.pid in [w.pid for w in cluster.workers], "not on the cluster"
                os.kill(process.pid, signal.SIGKILL)
                return [run.run_id]
    return []


@pytest.mark.slow
def test_postgres_and_dask_make_the_rows_that_one_machine_makes(
    simulated: Materialized, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One of the two workers is killed while it renders: nothing is lost, nothing is different."""
    root = tmp_path / "data"
    monkeypatch.setenv("ENACT_REGISTRY", str(simulated.registry_file))
    with postgres() as url:
        monkeypatch.setenv("ENACT_POSTGRES_URL", url)
        with dask_cluster(2, {"ENACT_POSTGRES_URL": url}) as cluster:
            instance = open_instance(root)
            killed: list[str] = []
            stop = threading.Event()
            killer = threading.Thread(
                target=lambda: killed.extend(
                    kill_a_worker_at("frame_images", instance, cluster, stop)
                )
            )
            killer.start()
            driver = Driver(root, registry=simulated.registry, dask=cluster.address)
            report = driver.run()
            stop.set()
            killer.join()
            assert report.is_success, [f.message for f in report.failures]
            assert len(killed) == 1
            lost = instance.get_run_by_id(killed[0])
            assert lost is not None
            assert lost.status == dg.DagsterRunStatus.FAILURE
            unfinished = dg.RunsFilter(statuses=[dg.DagsterRunStatus.STARTED])
            assert not instance.get_runs(unfinished)
            assert Driver(root, registry=simulated.registry).run().made == []
            instance.dispose()
        leave()
    assert content(root) == content(simulated.root)
    # Dagster's databases are in PostgreSQL; the catalogue of the root's files is a file of its own.
    assert [path.name for path in root.rglob("*.db")] == ["catalogue.db"]
