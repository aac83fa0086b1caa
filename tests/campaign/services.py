"""Servers that a walk works with, and how each goes away and comes back."""

import os
import random
import signal
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from campaign.forks import call
from enact_assets.pipeline.runs.driver_lock import POSTGRES_VARIABLE
from enact_assets.settings.paths import LAKE_VARIABLE

from reference.object_store import object_store
from reference.servers import DaskCluster, free_port, postgres_server

N_WORKERS = 2
AWAY_S = 8.0
"""A server stays away for so long at most, but for a share that stays away longer."""
LONG_AWAY_S = 30.0
SHARE_LONG = 0.2
NEEDED = ("dagster_postgres", "distributed", "s3fs")


class SkippedError(Exception):
    """This machine lacks what a fault needs; the message says what."""


@dataclass(frozen=True)
class Service:
    """A server at work: what a walk is given to use it, and its going away and coming back."""

    environment: Mapping[str, str]
    words: tuple[str, ...]
    goes_away: Callable[[random.Random], None]
    lake: Path
    """Folder in which tables appear while a walk makes them."""

    def n_tables(self) -> int:
        """Table files so far, which say how far a walk has got."""
        # The store has one folder for all: there a key has its slashes quoted.
        return sum(1 for _ in self.lake.rglob("*.parquet"))


Opened = Callable[[Path, Mapping[str, str]], AbstractContextManager[Service]]
"""A service for the data root ``root``, whose walks have this environment otherwise."""


@contextmanager
def database(root: Path, environment: Mapping[str, str]) -> Iterator[Service]:
    """PostgreSQL, which ends every connection at once and refuses others until it is back."""
    del environment
    with postgres_server() as server:

        def goes_away(drawn: random.Random) -> None:
            server.stop()
            time.sleep(away_s(drawn))
            server.start()

        yield Service({POSTGRES_VARIABLE: server.url}, (), goes_away, root / "lake")


@contextmanager
def store(root: Path, environment: Mapping[str, str]) -> Iterator[Service]:
    """An object store with tables and pictures."""
    del environment
    folder = root.with_name(f"{root.name}_store")
    with object_store(folder, free_port()) as server:

        def goes_away(drawn: random.Random) -> None:
            server.kill()
            time.sleep(away_s(drawn))
            server.start()

        told = {LAKE_VARIABLE: "s3://bucket/base", **server.environment}
        yield Service(told, (), goes_away, folder)


@contextmanager
def dask_worker(root: Path, environment: Mapping[str, str]) -> Iterator[Service]:
    """A cluster of which a worker is killed, and another one comes."""
    with _cluster(environment) as cluster:

        def goes_away(drawn: random.Random) -> None:
            alive = [worker for worker in cluster.workers if worker.poll() is None]
            os.kill(drawn.choice(alive).pid, signal.SIGKILL)
            time.sleep(away_s(drawn))
            cluster.add_worker()

        yield Service({}, ("--dask", cluster.address), goes_away, root / "lake")


@contextmanager
def dask_scheduler(root: Path, environment: Mapping[str, str]) -> Iterator[Service]:
    """A cluster of which the scheduler is killed; one comes back with new workers."""
    with _cluster(environment) as cluster:

        def goes_away(drawn: random.Random) -> None:
            cluster.kill_scheduler()
            time.sleep(away_s(drawn))
            cluster.start_scheduler()
            for _ in range(N_WORKERS):
                cluster.add_worker()
            call(cluster.wait_for_workers, N_WORKERS)

        yield Service({}, ("--dask", cluster.address), goes_away, root / "lake")


SERVICES: dict[str, Opened] = {
    "PostgreSQL goes away": database,
    "Dask worker killed": dask_worker,
    "Dask scheduler killed": dask_scheduler,
    "object store goes away": store,
}


def check_installed() -> None:
    """Errors: :class:`SkippedError` naming what is not installed."""
    missing = [package for package in NEEDED if find_spec(package) is None]
    if missing:
        raise SkippedError(f"not installed: {', '.join(missing)} (they are in .venv-all)")


@contextmanager
def _cluster(environment: Mapping[str, str]) -> Iterator[DaskCluster]:
    # Its client starts threads: it is asked in forks alone.
    with tempfile.TemporaryDirectory(prefix="enact-dask-") as folder:
        cluster = DaskCluster(Path(folder), environment, "tcp")
        try:
            for _ in range(N_WORKERS):
                cluster.add_worker()
            call(cluster.wait_for_workers, N_WORKERS)
            yield cluster
        finally:
            cluster.close()


def away_s(drawn: random.Random) -> float:
    """How long a server stays away."""
    return drawn.uniform(0.0, LONG_AWAY_S if drawn.random() < SHARE_LONG else AWAY_S)
