"""What happens to a data root in months: servers of models, recordings, other programs, moves."""

import ctypes
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from campaign.forks import Walk
from campaign.ground import Ground
from campaign.services import away_s, check_installed, database
from campaign.small_inputs import BEHAVES, IN_FLIGHT, RECORDED, write_models
from campaign.small_roots import AskedServer, asked_server, counts, pace
from enact_assets.engine.grids import Partition
from enact_assets.engine.lake.lake import Lake
from enact_assets.pipeline.driver.contract import Site
from enact_assets.pipeline.driver.step_runs import execute, leave
from enact_assets.pipeline.lineage.graph import STEP_OF
from enact_assets.pipeline.runs.run import Run
from enact_assets.settings.paths import DataRoot

TIMEOUT_S = 2.0
"""So long a slow server is waited for."""
PASSING = ("s429n2-ra0", "s503n2", "s500n1", "resetn1", "s408n1", "rps4")
"""Errors after which the same request is answered."""
PAID = ("cutn1", "htmln1", "emptyn1")
"""Replies that were charged and cannot be read."""
CAPABILITIES = (1, 2)
"""``CAP_DAC_OVERRIDE`` and ``CAP_DAC_READ_SEARCH``, with which root reads what it may not."""
BESIDE = ("segmented_frames", "qa", "frame_images", "evaluation", "probes")
"""Tables that are made there, each once at least in the order data flow."""
N_RUNS_BESIDE = 15
MADE = "made beside the driver"
HELD = {
    "catalogue.db": "import sqlite3; c = sqlite3.connect(P); c.execute('begin exclusive')",
    "enact.duckdb to read": "import duckdb; c = duckdb.connect(P, read_only=True)",
    "enact.duckdb to write": "import duckdb; c = duckdb.connect(P)",
}


class Events(Ground):
    """One kind of event per method; :meth:`events` names them."""

    def events(self) -> dict[str, Callable[[Path], None]]:
        """Kind -> what does it to a new root at a path."""
        return {
            "model server goes away": self._model_server_away,
            "model server errs": self._model_server_errs,
            "model server is slow": self._model_server_slow,
            "recording gone or broken": self._recording_gone,
            "catalogue.db locked": self._catalogue_locked,
            "enact.duckdb held open": self._warehouse_held,
            "data root moved or copied": self._moved,
            "Dagster's database lost": self._database_lost,
            "lake files that may not be read": self._without_rights,
            "a run of Dagster beside the driver": self._run_beside,
            "two drivers on one database": self._one_database,
        }

    def _model_server_away(self, root: Path) -> None:
        """Killed while it is asked, and back after a while: answers in flight are lost."""
        with self._own_server(root) as server:
            pace(server.url, self._random.uniform(50, 500))
            walk, n_sold = self._made().walk(root), 0
            for _ in range(self._random.randrange(1, 4)):
                while walk.is_alive() and not counts(server.url).in_flight:
                    time.sleep(0.01)
                time.sleep(self._random.uniform(0.0, 1.0))
                if not walk.is_alive():
                    break
                n_sold += counts(server.url).sold
                server.kill()
                self._may_buy += IN_FLIGHT
                time.sleep(away_s(self._random))
                server.start()
            if not n_sold:
                self._lines.append("the walk ended before the server went away")
            self._told_well(walk, 0, 1)
            self._goes_on(root)
            self._check_sold(n_sold + counts(server.url).sold)

    def _model_server_errs(self, root: Path) -> None:
        errors = self._random.choice([*PASSING, *PAID])
        with self._own_server(root, f"-{errors}") as server:
            self._told_well(self._made().walk(root), 0, 1)
            write_models(root, f"{server.url}/x-{BEHAVES}")
            # Each question may be paid for once more, whose first reply nobody could read.
            self._may_buy += self._made().n_sold * (errors in PAID)
            self._goes_on(root)
            self._check_sold(counts(server.url).sold)

    def _model_server_slow(self, root: Path) -> None:
        """Slower than it is waited for, now and then: whether an answer was paid is not known."""
        with self._own_server(root, timeout_s=TIMEOUT_S) as server:
            walk = self._made().walk(root)
            while walk.is_alive() and not counts(server.url).in_flight:
                time.sleep(0.01)
            for _ in range(self._random.randrange(1, 4)):
                pace(server.url, 1000 * self._random.uniform(0.2, 3.0) * TIMEOUT_S)
                time.sleep(self._random.uniform(1.0, 2 * TIMEOUT_S))
                pace(server.url, 0)
                self._may_buy += IN_FLIGHT * 2
                time.sleep(self._random.uniform(0.0, 1.0))
            self._told_well(walk, 0, 1)
            self._goes_on(root)
            self._check_sold(counts(server.url).sold)

    @contextmanager
    def _own_server(self, root: Path, errors: str = "", **options: object) -> Iterator[AskedServer]:
        self._fresh(root)
        with asked_server() as server:
            write_models(root, f"{server.url}/x-{BEHAVES}{errors}", **options)
            yield server

    def _check_sold(self, n_sold: int) -> None:
        """What a server of its own sold; the common one's is looked at for every fault."""
        if n_sold > self._may_buy:
            self._lines.append(f"{n_sold} answers were bought, {self._may_buy} may have been")

    def _recording_gone(self, root: Path) -> None:
        """Its disk is not mounted, or has another file in its place, while a walk needs it."""
        self._fresh(root)
        recording = root / "recordings" / RECORDED
        aside = root.with_name(f"{root.name}_aside")
        is_gone = self._random.random() < 0.5
        if is_gone:
            recording.rename(aside)
        else:
            shutil.copytree(recording, aside)
            for path in recording.glob("*.json"):
                self._damage(path)
        self._told_well(self._made().walk(root), 0, 1)
        shutil.rmtree(recording, ignore_errors=True)
        shutil.copytree(aside, recording)
        self._goes_on(root)

    def _catalogue_locked(self, root: Path) -> None:
        self._copied(root)
        self._lose_tables(root)
        with _holding("catalogue.db", root / "catalogue.db"):
            walk = self._made().walk(root)
            time.sleep(self._random.uniform(0.0, 12.0))
        self._told_well(walk, 0, 1)
        self._goes_on(root)

    def _warehouse_held(self, root: Path) -> None:
        """Another program keeps the published file open while it is published anew."""
        self._copied(root)
        self._lose_tables(root)
        how = self._random.choice([name for name in HELD if name.startswith("enact.duckdb")])
        with _holding(how, root / "enact.duckdb"):
            self._told_well(self._made().walk(root), 0, 1)
        self._goes_on(root)

    def _moved(self, root: Path) -> None:
        self._copied(root)
        elsewhere = root.with_name(f"{root.name}_elsewhere")
        match self._random.choice(["renamed", "copied", "linked", "copied without times"]):
            case "renamed":
                root.rename(elsewhere)
            case "copied":
                shutil.copytree(root, elsewhere, symlinks=True)
            case "linked":
                shutil.copytree(root, elsewhere, symlinks=True, copy_function=os.link)
            case _:
                shutil.copytree(root, elsewhere, symlinks=True, copy_function=shutil.copyfile)
        self._goes_on(elsewhere)

    def _database_lost(self, root: Path) -> None:
        self._copied(root)
        shutil.rmtree(root / "dagster")
        if self._random.random() < 0.5:
            self._lose_tables(root)
        self._goes_on(root)

    def _without_rights(self, root: Path) -> None:
        """They do not count as damaged: once they may be read, nothing is made again."""
        self._copied(root)
        paths = self._some_files(root, "lake", self._random.randrange(1, 4))
        self._lose_tables(root)
        paths = [path for path in paths if path.exists()]
        for path in paths:
            path.chmod(0)
        self._told_well(self._made().walk(root, entered=_without_capabilities), 0, 1, 2)
        for path in paths:
            if not path.exists():
                self._lines.append(f"{path}: set aside, though nobody could read it")
            else:
                path.chmod(0o644)
        self._goes_on(root)

    def _run_beside(self, root: Path) -> None:
        """What the UI does with *Materialize*, while a driver makes the same and what follows."""
        self._copied(root)
        lake = Lake(DataRoot(root).lake)
        partitions = {t: ["|".join(p.values()) for p in lake.partitions(t)] for t in BESIDE}
        for table in BESIDE:
            shutil.rmtree(root / "lake" / table)
        tables = [*BESIDE, *self._random.choices(BESIDE, k=N_RUNS_BESIDE - len(BESIDE))]
        runs = [(STEP_OF[t].name, self._random.choice(partitions[t])) for t in tables]
        log = root.with_name(f"{root.name}_beside.log")
        told = partial(_runs_of_dagster, root, self._made().registry, runs)
        beside = Walk(["plan", "--data", str(root)], self._made().environment, log, entered=told)
        time.sleep(self._random.uniform(0.0, 3.0))
        self._told_well(self._made().walk(root), 0, 1)
        self._told_well(beside, 0)
        if MADE not in beside.printed():
            self._lines.append(f"no run beside the driver made anything: {beside.printed()[:500]}")
        self._goes_on(root)

    def _one_database(self, root: Path) -> None:
        """Two data roots, whose drivers name one PostgreSQL: the second stops."""
        check_installed()
        self._fresh(root)
        other = root.with_name(f"{root.name}_other")
        shutil.copytree(root, other)
        with database(root, {}) as service:
            made = self._with(service.environment)
            first = made.walk(root)
            time.sleep(self._random.uniform(0.0, 3.0))
            second = made.walk(other)
            codes = [self._told_well(walk, 0, 2) for walk in (first, second)]
            if 0 not in codes:
                self._lines.append("none of two drivers finished")
            self._may_buy += made.n_sold * (codes == [0, 0])
            self._goes_on(root if codes[0] == 0 else other, made)

    def _lose_tables(self, root: Path) -> None:
        """Something is due afterwards, so that it is published anew."""
        for path in self._some_files(root, "lake", self._random.randrange(1, 4)):
            path.unlink()


@contextmanager
def _holding(what: str, path: Path) -> Iterator[None]:
    """Another process has ``path`` open, or locked, until the block ends."""
    code = (
        f"import time; P = {str(path)!r}; {HELD[what]}; print('held', flush=True); time.sleep(999)"
    )
    command = [sys.executable, "-c", code]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:  # noqa: S603
        assert process.stdout is not None
        process.stdout.readline()
        try:
            yield
        finally:
            process.send_signal(signal.SIGKILL)


def _runs_of_dagster(root: Path, registry: Path, runs: Sequence[tuple[str, str]]) -> None:
    """In this process, as a run of the UI makes them: without the driver's lock."""
    site = Site(root, None, registry.read_text())
    for step, partition in runs:
        outcome = execute(site, Run(step, (Partition.of_key(partition),)), lambda _: None)
        print(step, partition, outcome.error or MADE)
    leave()


def _without_capabilities() -> None:
    """Of this process, which root has and others have not: then rights of files hold."""
    if os.geteuid():
        return
    version, pid = 0x20080522, 0
    header = (ctypes.c_uint32 * 2)(version, pid)
    data = (ctypes.c_uint32 * 6)()
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.capget(header, data):
        raise OSError(ctypes.get_errno(), "capget")
    for kind in (0, 1, 2):  # effective, permitted, inheritable; the second three are others
        for capability in CAPABILITIES:
            data[kind] &= ~(1 << capability) & 0xFFFFFFFF
    if libc.capset(header, data):
        raise OSError(ctypes.get_errno(), "capset")
