"""The Dagster instance of a data root: SQLite below it, or PostgreSQL if ``ENACT_POSTGRES_URL``."""

import importlib.util
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import dagster as dg
import yaml

from enact_assets.engine.errors import SettingsError
from enact_assets.pipeline.root.new_root import make_root
from enact_assets.pipeline.runs.captured_output import FOLDER
from enact_assets.pipeline.runs.driver_lock import (
    POSTGRES_VARIABLE,
    connected,
    make_folder,
    only_driver,
    postgres_url,
    shown,
)
from enact_assets.pipeline.runs.pools import set_limits
from enact_assets.settings.paths import check_path

__all__ = ["INSTANCE_FOLDER", "check_root", "instance_config", "only_driver", "open_instance"]

INSTANCE_FOLDER = "dagster"
POLICY: Mapping[str, Any] = {
    "run_launcher": {
        "module": "enact_assets.pipeline.runs.code_location",
        "class": "ByModuleOrName",
    },
    # Only one run that renders works at a time; others mostly start a process. By run, not
    # by op: a run that waits inside its process occupies a slot meanwhile.
    "concurrency": {
        "runs": {"max_concurrent_runs": 4},
        "pools": {"granularity": "run", "default_limit": 1},
    },
    # Retries of runs whose process died or never started, except those of drivers,
    # which the next driver makes. A step that failed would fail again.
    "run_retries": {"enabled": True, "max_retries": 3, "retry_on_asset_or_op_failure": False},
    # A run without a process counts as failed, not as running.
    "run_monitoring": {"enabled": True, "start_timeout_seconds": 300},
    # A busy machine needs more than the three minutes after which Dagster's UI gives up.
    "code_servers": {"local_startup_timeout": 900},
    # Days for which ticks of sensors and schedules are kept: there are thousands a day.
    "retention": {
        name: {"purge_after_days": {"skipped": 2, "success": 30, "failure": 30}}
        for name in ("schedule", "sensor", "auto_materialize")
    },
    "telemetry": {"enabled": False},
    "nux": {"enabled": False},
}
"""Settings of every instance, with any storage; a test compares them with the YAML files."""


def check_root(data_root: Path) -> None:
    """Raise :class:`SettingsError` if there is no such folder: commands that only read do not
    create it.
    """
    if not data_root.is_dir():
        raise SettingsError(
            f"{data_root}: no such folder; nothing was made there yet. Check --data and "
            "ENACT_HOME. `enact-assets materialize` creates the folder."
        )


def open_instance(data_root: Path) -> dg.DagsterInstance:
    """The Dagster instance of a data root; its settings are in ``<data root>/dagster``.

    Runs and events are stored beside them, or in the PostgreSQL database of ``ENACT_POSTGRES_URL``.
    Every process that opens the instance must have this variable, as the file never contains it.

    Errors: :class:`SettingsError` if the folder cannot be written, if the database cannot be used,
    or as :func:`check_path`.
    """
    check_path(data_root)
    home = data_root / INSTANCE_FOLDER
    make_root(data_root)
    make_folder(home)
    url = postgres_url()
    if url is not None and importlib.util.find_spec("dagster_postgres") is None:
        raise SettingsError(
            f"{POSTGRES_VARIABLE} is set, but dagster-postgres is not installed. Install the "
            "extra (pip install 'enact_assets[distributed]') or unset the variable."
        )
    _write_instance_file(home, instance_config(home))
    if url is None:
        instance = dg.DagsterInstance.from_config(str(home))
        set_limits(instance)
        return instance
    # Checked here, as Dagster would retry for ten seconds and print a long traceback.
    connected(url).close()
    try:
        instance = dg.DagsterInstance.from_config(str(home))
    except Exception as error:
        # The error may be of SQLAlchemy, psycopg2 or dagster-postgres.
        raise SettingsError(
            f"{POSTGRES_VARIABLE} ({shown(url)}): the database cannot be used: {_innermost(error)}"
        ) from error
    set_limits(instance)
    return instance


def instance_config(home: Path) -> dict[str, Any]:
    """Content of ``dagster.yaml`` of an instance in ``home``."""
    base = {"base_dir": str(home.resolve())}
    if postgres_url() is not None:
        storage: dict[str, Any] = {
            "storage": {
                "custom": _class(
                    "enact_assets.pipeline.runs.postgres_storage",
                    "KeptPostgresStorage",
                    {"postgres_url": {"env": POSTGRES_VARIABLE}},
                )
            }
        }
    else:
        kept = "enact_assets.pipeline.runs.sqlite_storage"
        storage = {
            "run_storage": _class(kept, "KeptSqliteRunStorage", base),
            "event_log_storage": _class(kept, "KeptSqliteEventLogStorage", base),
            "schedule_storage": _class(kept, "KeptSqliteScheduleStorage", base),
        }
    return storage | {
        "local_artifact_storage": _class(
            "dagster._core.storage.root", "LocalArtifactStorage", base
        ),
        "compute_logs": _class(
            "enact_assets.pipeline.runs.captured_output",
            "BoundedComputeLogManager",
            {"base_dir": str(home.resolve() / FOLDER)},
        ),
        **POLICY,
    }


def _class(module: str, name: str, config: Mapping[str, Any]) -> dict[str, Any]:
    return {"module": module, "class": name, "config": dict(config)}


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


def _innermost(error: BaseException) -> str:
    """Message of the first cause, in one line; messages of database drivers contain no password."""
    while (cause := error.__cause__ or error.__context__) is not None:
        error = cause
    return " ".join(str(error).split())
