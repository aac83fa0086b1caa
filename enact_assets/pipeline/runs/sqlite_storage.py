"""Dagster's run and event storage in SQLite files, with reused connections.

Dagster opens a connection for every statement, some thirty in a step of milliseconds, and closing
the last one writes the whole log back each time. That is most of the time of a short step. Dagster
also loads all its migrations to check whether a file has tables. ``dagster.yaml`` names these
storages; the files have Dagster's format, and its own classes can read them.
"""

import atexit
import os
import shutil
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, Self, cast
from weakref import WeakSet

import sqlalchemy as db
from dagster._core.storage.event_log import ConsolidatedSqliteEventLogStorage
from dagster._core.storage.runs import SqliteRunStorage
from dagster._core.storage.schedules import SqliteScheduleStorage
from dagster._core.storage.sqlite import create_db_conn_string
from dagster._serdes import ConfigurableClassData
from sqlalchemy.engine import Connection, Engine, make_url

from enact_assets.engine.system.atomic import temporary_name
from enact_assets.pipeline.runs import backfill_requests  # noqa: F401 - the daemon loads it here

EVENT_LOG_FILE = "event_log.db"
LOCKED_S = 120
"""Seconds that a writer waits for others; Dagster's run storage gives up after five."""

_engines: WeakSet[Engine] = WeakSet()


class KeptSqliteRunStorage(SqliteRunStorage):
    """Runs in ``<base_dir>/runs.db``."""

    def __init__(self, conn_string: str, inst_data: ConfigurableClassData | None = None) -> None:
        self._engine = _keeping_engine(conn_string)
        super().__init__(conn_string, inst_data)

    @classmethod
    def from_config_value(
        cls, inst_data: ConfigurableClassData | None, config_value: Mapping[str, Any]
    ) -> Self:
        """Made by Dagster from the ``config`` of ``dagster.yaml``."""
        folder = str(config_value["base_dir"])
        if _is_whole(Path(folder, "runs.db"), last_table="instance_info"):
            return cls(create_db_conn_string(folder, "runs"), inst_data)
        return cls.from_local(folder, inst_data)

    @contextmanager
    def connect(self) -> Iterator[Connection]:
        """A connection in a transaction, which is committed unless there is an error."""
        with self._engine.connect() as connection, connection.begin():
            yield connection

    def dispose(self) -> None:
        """Close what is kept."""
        super().dispose()
        self._engine.dispose()


class KeptSqliteScheduleStorage(SqliteScheduleStorage):
    """State of sensors and schedules in ``<base_dir>/schedules.db``; connections are not reused."""

    @classmethod
    def from_config_value(
        cls, inst_data: ConfigurableClassData | None, config_value: Mapping[str, Any]
    ) -> Self:
        """Made by Dagster from the ``config`` of ``dagster.yaml``."""
        folder = str(config_value["base_dir"])
        if _is_whole(Path(folder, "schedules.db")):
            return cls(create_db_conn_string(folder, "schedules"), inst_data)
        return cast("Self", cls.from_local(folder, inst_data))


class KeptSqliteEventLogStorage(ConsolidatedSqliteEventLogStorage):
    """Events of all runs in ``<base_dir>/event_log.db``."""

    def __init__(self, base_dir: str, inst_data: ConfigurableClassData | None = None) -> None:
        self._engine: Engine | None = None
        self._known_tables: set[str] = set()
        _drop_half_made(Path(base_dir, EVENT_LOG_FILE))
        super().__init__(base_dir, inst_data)

    def _init_db(self) -> None:
        """Create the file under another name and link it: Dagster takes any existing file for a
        complete one.
        """
        folder = Path(self._base_dir)
        folder.mkdir(parents=True, exist_ok=True)
        aside = temporary_name(folder / EVENT_LOG_FILE)
        try:
            ConsolidatedSqliteEventLogStorage(str(aside)).dispose()  # type: ignore[no-untyped-call]
            made, path = aside / EVENT_LOG_FILE, folder / EVENT_LOG_FILE
            try:
                path.hardlink_to(made)
            except FileExistsError:
                return  # another process was faster, and may have written to its file already
            except OSError:
                made.replace(path)  # the file system has no links
        finally:
            shutil.rmtree(aside, ignore_errors=True)

    def has_table(self, table_name: str) -> bool:
        """Whether a table exists. Cached, as it is called fifteen times per step and tables are
        never dropped.
        """
        if table_name not in self._known_tables:
            with self._connect() as connection:
                if not db.inspect(connection).has_table(table_name):
                    return False
            self._known_tables.add(table_name)
        return True

    @contextmanager
    def _connect(self) -> Iterator[Connection]:
        if self._engine is None:
            self._engine = _keeping_engine(self._conn_string)
        with self._engine.connect() as connection, connection.begin():
            yield connection

    def dispose(self) -> None:
        """Close what is kept."""
        super().dispose()  # type: ignore[no-untyped-call]
        if self._engine is not None:
            self._engine.dispose()


def _keeping_engine(url: str) -> Engine:
    engine = db.create_engine(
        url,
        poolclass=db.QueuePool,
        # Any number at the same time, as without a pool; five are kept.
        pool_size=5,
        max_overflow=-1,
        connect_args={"timeout": LOCKED_S, "check_same_thread": False},
    )
    path = Path(str(make_url(url).database))

    @db.event.listens_for(engine, "connect")
    def _connected(connection: Any, record: Any) -> None:
        # A power cut may lose the last events, which only report; it damages nothing.
        connection.execute("PRAGMA synchronous=NORMAL")
        record.info["file"] = _file(path)

    @db.event.listens_for(engine, "checkout")
    def _taken(_connection: Any, record: Any, _proxy: Any) -> None:
        if record.info["file"] != _file(path):
            # The data root was removed or restored: an open connection refers to the old file.
            raise db.exc.DisconnectionError(f"{path} was replaced by another file")

    _engines.add(engine)
    return engine


def _drop_half_made(path: Path) -> None:
    """Remove an event log if its process was killed before Dagster marked it as complete."""
    if path.exists() and "alembic_version" not in _tables(path):
        path.unlink(missing_ok=True)


def _is_whole(path: Path, last_table: str = "alembic_version") -> bool:
    """Whether Dagster has made all tables of a file and recorded their version; ``last_table`` is
    the table that it makes last. In that case Dagster's ``from_local``, which takes a tenth of a
    second, would change nothing.
    """
    with suppress(sqlite3.Error):  # a damaged file, for which Dagster raises its own error
        if path.exists() and {"alembic_version", last_table} <= _tables(path):
            with closing(sqlite3.connect(path, timeout=LOCKED_S)) as connection:
                return bool(connection.execute("select * from alembic_version").fetchall())
    return False


def _tables(path: Path) -> set[str]:
    with closing(sqlite3.connect(path, timeout=LOCKED_S)) as connection:
        return {name for (name,) in connection.execute("select name from sqlite_master")}


def _file(path: Path) -> tuple[int, int] | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _forget_connections() -> None:
    """A SQLite connection must not be used, not even closed, in the child of a fork."""
    for engine in _engines:
        engine.dispose(close=False)


def _close_connections() -> None:
    """Write logs back into their files, as when a process closes its connections."""
    for engine in _engines:
        engine.dispose()


os.register_at_fork(after_in_child=_forget_connections)
atexit.register(_close_connections)
