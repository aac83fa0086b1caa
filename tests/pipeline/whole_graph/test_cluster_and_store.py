"""PostgreSQL, a Dask cluster and an object store together, each of them killed once: the same rows
as on one disk.
"""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import fsspec
import pytest
from dagster import DagsterError
from sqlalchemy.exc import SQLAlchemyError

from benchmarks.crashes import differences, fingerprint
from benchmarks.tiny_root import write_small_registry, write_tiny_recording
from enact_assets.pipeline.runs.instance import open_instance
from enact_assets.settings.paths import LAKE_VARIABLE

from reference.object_store import object_store
from reference.servers import dask_cluster, free_port, postgres
from reference.undrawn import ASSETS_BUT_REPORT

pytestmark = pytest.mark.slow

WALKS = 4
"""A walk in which a service went away may end with a failure; the next goes on."""
LONG_S = 600


def materialize(root: Path, environment: dict[str, str], *words: str) -> tuple[int, str]:
    """``enact-assets materialize`` as people run it: exit code, what it printed."""
    done = subprocess.run(  # noqa: S603 - our own interpreter, our own code
        [sys.executable, "-m", "enact_assets.cli", "materialize", "--data", str(root), *words],
        env=os.environ | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=LONG_S,
    )
    return done.returncode, done.stdout


def once_begun(root: Path, events: dict[str, Callable[[], None]], stop: threading.Event) -> None:
    """Do each of ``events`` when the step of that name has its first run."""
    instance = open_instance(root)
    while events and not stop.wait(0.05):
        try:
            runs = instance.get_runs()
        except (DagsterError, SQLAlchemyError):
            continue  # its connection was cut, too
        begun = {str(key.path[-1]) for run in runs for key in run.asset_selection or ()}
        for step in begun & events.keys():
            events.pop(step)()
    instance.dispose()


def cut(url: str) -> None:
    """End every connection to the database, as a restart does."""
    import psycopg2

    connection = psycopg2.connect(url)
    with connection, connection.cursor() as cursor:
        cursor.execute(
            "select count(pg_terminate_backend(pid)) from pg_stat_activity "
            "where pid <> pg_backend_pid() and datname = current_database()"
        )
    connection.close()


def test_all_three_go_away_once_and_the_rows_are_those_of_one_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The store is killed while a recording is segmented, the database's connections are cut while
    questions are written, a worker is killed at the answers.
    """
    pytest.importorskip("s3fs", reason="a client of S3 is not installed")
    registry = write_small_registry(
        tmp_path / "registry.yaml", variants=["baseline"], models=["oracle", "pixel_continuity"]
    )
    here, there = tmp_path / "here", tmp_path / "there"
    for root in (here, there):
        for name in ("cups-0", "cups-1"):
            write_tiny_recording(root / "recordings", name, 4, has_contacts=True)
    monkeypatch.setenv("ENACT_REGISTRY", str(registry))
    code, printed = materialize(here, {}, "--workers", "1", *ASSETS_BUT_REPORT)
    assert code == 0, printed
    wanted = fingerprint(here)
    with postgres() as url, object_store(tmp_path / "store", free_port()) as store:
        more = {"ENACT_POSTGRES_URL": url, LAKE_VARIABLE: "s3://bucket/base"} | store.environment
        with dask_cluster(2, more) as cluster:

            def end_the_store() -> None:
                store.kill()
                time.sleep(2)
                store.start()

            def end_a_worker() -> None:
                os.kill(cluster.workers[0].pid, signal.SIGKILL)
                cluster.add_worker()

            events = {
                "segmented_frames": end_the_store,
                "qa": lambda: cut(url),
                "predictions": end_a_worker,
            }
            for name, value in more.items():
                monkeypatch.setenv(name, value)
            # Which it reads from the environment once, when it is imported.
            endpoint = store.environment["FSSPEC_S3_ENDPOINT_URL"]
            monkeypatch.setitem(fsspec.config.conf, "s3", {"endpoint_url": endpoint})
            stop = threading.Event()
            watcher = threading.Thread(target=once_begun, args=(there, events, stop))
            watcher.start()
            try:
                for _ in range(WALKS):
                    code, printed = materialize(
                        there, more, "--dask", cluster.address, *ASSETS_BUT_REPORT
                    )
                    assert "Traceback" not in printed, printed
                    if code == 0:
                        break
            finally:
                stop.set()
                watcher.join()
            assert code == 0, printed
            assert "Nothing to do" in materialize(there, more, *ASSETS_BUT_REPORT)[1]
        assert not events, "something never went away"
        assert differences(wanted, fingerprint(there)) == []
        assert not (there / "lake").exists()
        # Dagster's are in PostgreSQL; what files of the store say is remembered here.
        assert [path.name for path in there.rglob("*.db")] == ["catalogue.db"]
