"""The Dagster instance of a data root: SQLite below it, or PostgreSQL if ``ENACT_POSTGRES_URL``."""

import importlib.util
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import dagster as dg
import yaml

from enact_assets.engine.errors import SettingsError
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
    # Of runs that render one at a time works; others are mostly a process that starts. By run, not
    # by op: a run that waits inside its process occupies a slot meanwhile.
    "concurrency": {
        "runs": {"max_concurrent_runs": 4},
        "pools": {"granularity": "run", "default_limit": 1},
    },
    # Of runs whose process died or never started, whoever asked for them, except those of drivers,
    # which are made by the next driver. A step that failed would fail again.
    "run_retries": {"enabled": True, "max_retries": 3, "retry_on_asset_or_op_failure": False},
    # A run that never got its process counts as failed, not as running.
    "run_monitoring": {"enabled": True, "start_timeout_seconds": 300},
    # A busy machine takes longer than the three minutes after which Dagster's UI gives up.
    "code_servers": {"local_startup_timeout": 900},
    # Days that looks of sensors and schedules are kept: there are thousands a day.
    "retention": {
        name: {"purge_after_days": {"skipped": 2, "success": 30, "failure": 30}}
        for name in ("schedule", "sensor", "auto_materialize")
    },
    "telemetry": {"enabled": False},
    "nux": {"enabled": False},
}
"""What holds for every instance, wherever it stores; a test compares it with the YAML files."""


def check_root(data_root: Path) -> None:
    """Raise :class:`SettingsError` if there is no such folder: reading commands create none."""
    if not data_root.is_dir():
        raise SettingsError(
            f"{data_root}: no such folder; nothing was made there yet. Check --data and "
            "ENACT_HOME. `enact-assets materialize` creates the folder."
        )


def open_instance(data_root: Path) -> dg.DagsterInstance:
    """The Dagster instance of a data root; its settings are in ``<data root>/dagster``.

    Runs and events are kept beside them, or in the PostgreSQL database that ``ENACT_POSTGRES_URL``
    names, which every process that opens the instance must have set: the file never holds it.

    Errors: :class:`SettingsError` if nothing can be written there, if the database cannot be used,
    or as :func:`check_path`.
    """
    check_path(data_root)
    home = data_root / INSTANCE_FOLDER
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
    # Dagster would try for ten seconds, and write a page about it.
    connected(url).close()
    try:
        instance = dg.DagsterInstance.from_config(str(home))
    except Exception as error:
        # Of SQLAlchemy, psycopg2 or dagster-postgres, by what is wrong.
        raise SettingsError(
            f"{POSTGRES_VARIABLE} ({shown(url)}): the database cannot be used: {_innermost(error)}"
        ) from error
    set_limits(instance)
    return instance


def instance_config(home: Path) -> dict[str, Any]:
    """What ``dagster.yaml`` of an instance in ``home`` says."""
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


def _class(module: str, name: str, config: Mapping[str, Any] | None = None) -> dict[str, Any]:
    found: dict[str, Any] = {"module": module, "class": name}
    return found | {"config": dict(config)} if config else found


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
    """What the first cause says, in one line; a database driver names no password."""
    while (cause := error.__cause__ or error.__context__) is not None:
        error = cause
    return " ".join(str(error).split())
