"""The Dagster instance of a data root, and the lock that keeps a second driver out."""

import fcntl
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import dagster as dg
import yaml

from enact_assets.contracts.errors import MaterializationError, SettingsError

LOCK_FILE = "materialize.lock"
INSTANCE_FOLDER = "dagster"


def open_instance(data_root: Path) -> dg.DagsterInstance:
    """The Dagster instance of a data root: runs and events below ``<data root>/dagster``.

    All runs share one event log: a SQLite file per run, the default, triples the cost of a step.
    Errors: :class:`SettingsError` if nothing can be written there.
    """
    home = data_root / INSTANCE_FOLDER
    _make_folder(home)
    storage = {"base_dir": str(home.resolve())}
    parts = {
        "run_storage": ("storage.runs", "SqliteRunStorage"),
        "event_log_storage": ("storage.event_log", "ConsolidatedSqliteEventLogStorage"),
        "schedule_storage": ("storage.schedules", "SqliteScheduleStorage"),
        "local_artifact_storage": ("storage.root", "LocalArtifactStorage"),
    }
    config: dict[str, Any] = {
        name: {"module": f"dagster._core.{module}", "class": kind, "config": storage}
        for name, (module, kind) in parts.items()
    }
    config["compute_logs"] = {
        "module": "dagster._core.storage.noop_compute_log_manager",
        "class": "NoOpComputeLogManager",
    }
    config |= {
        "concurrency": {"runs": {"max_concurrent_runs": 1}},
        "telemetry": {"enabled": False},
        "nux": {"enabled": False},
    }
    _write_instance_file(home, config)
    return dg.DagsterInstance.from_config(str(home))


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SettingsError(
            f"{folder}: cannot be made or written ({error.strerror}). Give another --data folder."
        ) from error


def _write_instance_file(home: Path, config: Mapping[str, Any]) -> None:
    text = "# Written by enact-assets: DAGSTER_HOME of this data root.\n" + yaml.safe_dump(config)
    path = home / "dagster.yaml"
    if path.exists() and path.read_text() == text:
        return
    temporary = home / f".dagster.yaml.{os.getpid()}"
    try:
        temporary.write_text(text)
        temporary.replace(path)
    except OSError as error:
        raise SettingsError(f"{path}: cannot be written ({error.strerror})") from error


@contextmanager
def only_driver(data_root: Path) -> Iterator[None]:
    """Hold the data root's lock; raises :class:`MaterializationError` if another driver has it."""
    _make_folder(data_root)
    with (data_root / LOCK_FILE).open("a+") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.seek(0)
            holder = lock.read().strip() or "unknown"
            raise MaterializationError(
                f"{data_root}: another materialize (process {holder}) is at work here. Wait for "
                "it, or give this one another --data folder."
            ) from None
        lock.truncate(0)
        lock.write(str(os.getpid()))
        lock.flush()
        yield
