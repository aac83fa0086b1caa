"""Materializing in a process of its own that is killed, and what is looked at afterwards.

Every process of a run carries a mark in its environment, so that what survives a kill is found
whatever group or session it put itself into.
"""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import duckdb
import psutil

from enact_assets.demonstrations.recordings.folders import Recordings
from enact_assets.engine.errors import EnactError, LakeError
from enact_assets.engine.ids import table_sha
from enact_assets.engine.lake.image_store import RENDERS_FOLDER, ImageStore
from enact_assets.engine.lake.lake import Lake
from enact_assets.engine.publishing.sql_files import CHECKS, packaged_sql
from enact_assets.engine.publishing.warehouse_checks import run_check
from enact_assets.engine.system.atomic import is_temporary
from enact_assets.engine.tables import TABLES
from enact_assets.pipeline.root.collect import Collected, collect
from enact_assets.settings.paths import DataRoot
from enact_assets.settings.registry import load_registry

MARK = "ENACT_CRASH_MARK"
ENDS_WITHIN_S = 15.0
"""Workers whose parent was killed alone have to be gone by then."""
POLL_S = 0.01
RUNNING = ("NOT_STARTED", "STARTING", "STARTED")


@dataclass(frozen=True)
class Setting:
    """What every process of a campaign is given."""

    registry: Path
    workers: int = 1
    options: tuple[str, ...] = ()


@dataclass(frozen=True)
class Moment:
    """When to kill: ``after_s`` seconds after the first run of ``step`` began.

    Without a step they count from the start of the process. Unless ``is_whole_group``, only the
    process that was started is killed, as a machine short of memory does, and its workers are left
    to themselves.
    """

    step: str | None
    after_s: float
    is_whole_group: bool = True


@dataclass(frozen=True)
class StepRun:
    """One run in the Dagster instance of a data root; times in seconds since 1970."""

    step: str
    partition: str | None
    status: str
    began: float | None
    ended: float | None


@dataclass(frozen=True)
class Outcome:
    """How a process ended: by itself if it has an exit code, and otherwise what was running.

    ``orphans`` are processes that still lived ``ENDS_WITHIN_S`` after the kill; they were ended.
    """

    exit_code: int | None
    hit: tuple[StepRun, ...]
    done: tuple[StepRun, ...]
    orphans: int
    printed: str


def runs_of(root: Path) -> dict[str, StepRun]:
    """Every run that the data root's instance knows, by its id, in the order they were made."""
    place = root / "dagster" / "runs.db"
    if not place.exists():
        return {}
    columns = "run_id, run_body, partition, status, start_time, end_time"
    with sqlite3.connect(f"file:{place}?mode=ro", uri=True, timeout=10) as connection:
        try:
            rows = connection.execute(f"select {columns} from runs order by id").fetchall()  # noqa: S608 - constant
        except sqlite3.OperationalError:  # the table is about to be made
            rows = []
    connection.close()
    return {run_id: StepRun(_step_of(body), *rest) for run_id, body, *rest in rows}


def _step_of(body: str) -> str:
    run = json.loads(body)
    keys = run.get("step_keys_to_execute") or [run["pipeline_name"]]
    return str(keys[0])


def start(root: Path, setting: Setting, mark: str, log: Path) -> subprocess.Popen[bytes]:
    """``enact-assets materialize`` in a session of its own; what it prints goes to ``log``."""
    environment = os.environ | {"ENACT_REGISTRY": str(setting.registry), MARK: mark}
    command = [sys.executable, "-m", "enact_assets.cli", "materialize", "--data", str(root)]
    command += ["--workers", str(setting.workers), *setting.options]
    with log.open("wb") as out:
        return subprocess.Popen(  # noqa: S603 - our own interpreter, our own code
            command, env=environment, stdout=out, stderr=out, start_new_session=True
        )


def materialize(root: Path, setting: Setting, moment: Moment | None = None) -> Outcome:
    """Run ``enact-assets materialize`` until it ends or ``moment`` comes."""
    mark = uuid.uuid4().hex
    log = root.parent / f"{mark}.log"
    root.mkdir(parents=True, exist_ok=True)
    before = set(runs_of(root))
    process = start(root, setting, mark, log)
    try:
        if moment is None:
            process.wait()
        else:
            _wait_for(moment, process, root, before)
    finally:
        exit_code = process.poll()
        orphans = _kill(process, mark, is_whole_group=moment is None or moment.is_whole_group)
    new = [run for run_id, run in runs_of(root).items() if run_id not in before]
    printed = log.read_text(encoding="utf-8", errors="replace")
    log.unlink()
    return Outcome(
        exit_code,
        tuple(run for run in new if run.status in RUNNING) if exit_code is None else (),
        tuple(run for run in new if run.status == "SUCCESS"),
        orphans,
        printed,
    )


def _wait_for(
    moment: Moment, process: subprocess.Popen[bytes], root: Path, before: set[str]
) -> None:
    """Return when ``moment`` has come, or when the process has ended."""
    while moment.step is not None and process.poll() is None:
        new = [run.step for run_id, run in runs_of(root).items() if run_id not in before]
        if moment.step in new:
            break
        time.sleep(POLL_S)
    until = time.monotonic() + moment.after_s
    while process.poll() is None and (left := until - time.monotonic()) > 0:
        time.sleep(min(left, POLL_S))


def _kill(process: subprocess.Popen[bytes], mark: str, *, is_whole_group: bool) -> int:
    """End the run with SIGKILL; returns how many of its processes had to be ended afterwards."""
    if process.poll() is None:
        if is_whole_group:
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    process.wait()
    until = time.monotonic() + ENDS_WITHIN_S
    while (alive := processes_with(mark)) and time.monotonic() < until:
        time.sleep(POLL_S)
    for pid in alive:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue
    return len(alive)


def processes_with(mark: str) -> list[int]:
    """Ids of living processes that were started with ``mark`` in their environment."""
    # Without one: zombies, and processes of other users.
    environments = ((p.pid, p.info["environ"] or {}) for p in psutil.process_iter(["environ"]))
    return [pid for pid, environment in environments if environment.get(MARK) == mark]


def find_damage(root: Path) -> list[str]:
    """What is not whole in a data root, one line each; temporary files are no damage."""
    return [*_damaged_tables(root), *_damaged_pictures(root), *_damaged_databases(root)]


def _damaged_tables(root: Path) -> Iterator[str]:
    lake, images = Lake(DataRoot(root).lake), ImageStore(DataRoot(root).images)
    for name, contract in TABLES.items():
        for partition in lake.partitions(name):
            try:
                promised = lake.verify(name, partition)
                rows = lake.read(name, partition)
            except EnactError as error:
                yield str(error)
                continue
            if table_sha(rows, contract.key()) != promised:
                yield f"{name} {partition}: its rows are not those its hash was made of"
            if name == "frame_images":
                gone = [sha for sha in rows.get_column("image_sha") if not images.exists(sha)]
                if gone:
                    where = f"{name} {'|'.join(partition.values())}"
                    yield f"{where}: {len(gone)} pictures are not stored, first {gone[0]}"
    yield from (f"{path}: foreign file" for path in lake.foreign_files())


def _damaged_pictures(root: Path) -> Iterator[str]:
    images = ImageStore(DataRoot(root).images)
    try:
        folder = images.root
    except LakeError:  # it is an object store
        yield from _damaged_objects(images)
        return
    for path in sorted(folder.rglob("*")):
        if path.is_dir() or is_temporary(path):
            continue
        try:
            if RENDERS_FOLDER in path.relative_to(folder).parts:
                if images.find(path.name) is None:
                    yield f"{path}: a render that leads to no picture"
            else:
                images.read(path.stem)
        except EnactError as error:
            yield str(error)


def _damaged_objects(images: ImageStore) -> Iterator[str]:
    for sha, _ in images.entries():
        try:
            images.read(sha)
        except EnactError as error:
            yield str(error)
    for render, _, entry in images.renders():
        if images.find(render) is None:
            yield f"{images.place.where(entry.name)}: a render that leads to no picture"
    yield from (f"{name}: foreign file" for name in images.foreign_files())


def _damaged_databases(root: Path) -> Iterator[str]:
    warehouse = DataRoot(root).warehouse
    if warehouse.exists():
        try:
            with duckdb.connect(str(warehouse), read_only=True) as connection:
                checks = (file for file in packaged_sql() if file.stage == CHECKS)
                found = (run_check(connection, check) for check in checks)
                yield from (str(check) for check in found if not check.is_passed)
        except (duckdb.Error, EnactError) as error:
            yield f"{warehouse}: {error}"
    for place in sorted((root / "dagster").glob("*.db")):
        # Not read-only: what a killed writer had begun is undone by whoever opens the file next.
        connection_to = sqlite3.connect(place, timeout=10)
        try:
            verdict = connection_to.execute("pragma quick_check").fetchone()[0]
        except sqlite3.Error as error:
            verdict = str(error)
        connection_to.close()
        if verdict != "ok":
            yield f"{place}: {verdict}"


def fingerprint(root: Path) -> dict[str, str]:
    """Content of a data root: a hash per partition, per picture and per warehouse relation."""
    lake = Lake(DataRoot(root).lake)
    found = {
        f"{name} {'|'.join(partition.values())}".strip(): lake.content_sha(name, partition)
        for name in TABLES
        for partition in lake.partitions(name)
    }
    pictures = ImageStore(DataRoot(root).images).entries()
    found |= {f"picture {sha}": sha for sha, _ in pictures}
    return found | warehouse_fingerprint(DataRoot(root).warehouse)


def warehouse_fingerprint(path: Path) -> dict[str, str]:
    """Number of rows of each relation and a hash of them that does not hang on their order."""
    if not path.exists():
        return {}
    with duckdb.connect(str(path), read_only=True) as connection:
        names = connection.execute(
            "select table_name from information_schema.tables "
            "where table_schema = 'main' order by table_name"
        ).fetchall()
        found = {}
        for (name,) in names:
            count, total = connection.execute(  # type: ignore[misc]
                f'select count(*), sum(hash(r)::hugeint) from "{name}" r'  # noqa: S608 - its own name
            ).fetchone()
            found[f"warehouse {name}"] = f"{count} rows, {total}"
    return found


def differences(wanted: Mapping[str, str], found: Mapping[str, str]) -> list[str]:
    """What is missing, what is there beyond, and what has another content: one line each."""
    missing = [f"{name}: missing" for name in wanted if name not in found]
    extra = [f"{name}: not in the undisturbed root" for name in found if name not in wanted]
    other = [
        f"{name}: {found[name]}, undisturbed {wanted[name]}"
        for name in wanted
        if name in found and found[name] != wanted[name]
    ]
    return [*missing, *extra, *other]


def leftovers(root: Path) -> list[Path]:
    """Temporary files and folders that killed writers left anywhere in a data root."""
    return sorted(path for path in root.rglob("*") if is_temporary(path))


def collect_all(root: Path, registry_file: Path) -> Collected:
    """What ``enact-assets gc --delete --grace 0`` does: no run is at work any more."""
    place, registry = DataRoot(root), load_registry(registry_file)
    names = {
        **registry.named,
        "demonstration": [*registry.demonstrations, *Recordings(place.recordings).names()],
        "model": registry.models,
        "question_file": (),
    }
    lake, images = Lake(place.lake), ImageStore(place.images)
    return collect(place, lake, images, lambda: names, grace_s=0.0, delete=True)
