"""The Dagster instance of thousands of demonstrations, from the rows of a few real runs.

Every run of a small data root that was really materialized is copied, under other run ids, for
each further demonstration, shard or model: rows as Dagster wrote them, but for ids and names.
"""

import shutil
import sqlite3
import uuid
from collections.abc import Collection, Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from enact_assets.engine.planning.shards import Shards
from enact_assets.pipeline.lineage.graph import STEPS, dimensions
from enact_assets.pipeline.runs.instance import INSTANCE_FOLDER, open_instance
from enact_assets.pipeline.runs.running import job_of

Rows = list[dict[str, Any]]
EVENTS, RUNS = "event_log.db", "runs.db"


@dataclass(frozen=True)
class RealRuns:
    """Rows that Dagster wrote about some runs."""

    events: Rows
    tags: Rows
    checks: Rows
    runs: Rows
    run_tags: Rows


def copy_instance(
    real: Path,
    root: Path,
    demonstrations: Collection[str],
    models: Iterable[str],
    shards: Shards | None,
) -> None:
    """Make ``root`` with the instance of ``real``, as if all ``demonstrations`` had been made.

    ``real`` has one demonstration, or one shard, and model ``oracle``; ``models`` come besides.
    """
    shutil.copytree(real / INSTANCE_FOLDER, root / INSTANCE_FOLDER)
    instance = open_instance(root)
    (one,) = instance.get_dynamic_partitions("demonstration")
    instance.delete_dynamic_partition("demonstration", one)
    instance.add_dynamic_partitions("demonstration", list(demonstrations))
    instance.add_dynamic_partitions("model", list(models))
    instance.dispose()
    before = one if shards is None else Shards(shards.dimension, 1).names[0]
    names = demonstrations if shards is None else shards.names
    with closing(_Database(root)) as database:
        first = database.runs_of("demonstration", before)
        database.add(first, before, names)
        database.drop(first)
        database.add(database.runs_of("model", "oracle"), "oracle", models)


class _Database:
    """Both files of an instance that nobody has open."""

    def __init__(self, root: Path) -> None:
        folder = root / INSTANCE_FOLDER
        self._events = sqlite3.connect(folder / EVENTS)
        self._runs = sqlite3.connect(folder / RUNS)
        for connection in (self._events, self._runs):
            connection.row_factory = sqlite3.Row
            connection.execute("pragma synchronous = off")

    def close(self) -> None:
        for connection in (self._events, self._runs):
            connection.commit()
            connection.execute("pragma wal_checkpoint(truncate)")
            connection.close()

    def runs_of(self, dimension: str, name: str) -> RealRuns:
        """Rows about runs that made a partition with ``name`` in ``dimension``."""
        jobs = {job_of(s.name) for s in STEPS if dimension in dimensions(s.assets[0])}
        like = [name, f"{name}|%"]
        runs = _rows(self._runs, "runs", "partition = ? or partition like ?", like)
        runs = [run for run in runs if run["pipeline_name"] in jobs]
        ids = [run["run_id"] for run in runs]
        events = _rows(self._events, "event_logs", _within("run_id", ids), ids)
        numbers = [event["id"] for event in events]
        return RealRuns(
            events,
            _rows(self._events, "asset_event_tags", _within("event_id", numbers), numbers),
            _rows(self._events, "asset_check_executions", _within("run_id", ids), ids),
            runs,
            _rows(self._runs, "run_tags", _within("run_id", ids), ids),
        )

    def add(self, real: RealRuns, before: str, names: Iterable[str]) -> None:
        """Copies of ``real`` for ``names`` in place of the name ``before``."""
        for name in names:
            ids = {run["run_id"]: str(uuid.uuid4()) for run in real.runs}
            first = self._events.execute("select max(id) from event_logs").fetchone()[0] + 1
            numbers = {event["id"]: first + k for k, event in enumerate(real.events)}
            copied = _Copied(before, name, ids, numbers)
            copied.insert(self._events, "event_logs", real.events)
            copied.insert(self._events, "asset_event_tags", real.tags)
            copied.insert(self._events, "asset_check_executions", real.checks)
            copied.insert(self._runs, "runs", real.runs)
            copied.insert(self._runs, "run_tags", real.run_tags)

    def drop(self, real: RealRuns) -> None:
        """Remove the rows that were copied."""
        ids = [run["run_id"] for run in real.runs]
        numbers = [event["id"] for event in real.events]
        for table, column, values in (
            ("event_logs", "run_id", ids),
            ("asset_event_tags", "event_id", numbers),
            ("asset_check_executions", "run_id", ids),
        ):
            where = _within(column, values)
            self._events.execute(f"delete from {table} where {where}", values)  # noqa: S608 - constants
        for table in ("run_tags", "runs"):
            self._runs.execute(f"delete from {table} where {_within('run_id', ids)}", ids)  # noqa: S608 - constants


def _within(column: str, values: Collection[object]) -> str:
    return f"{column} in ({', '.join('?' * len(values))})"


def _rows(connection: sqlite3.Connection, table: str, where: str, values: list[Any]) -> Rows:
    found = connection.execute(f"select * from {table} where {where} order by id", values)  # noqa: S608 - constants
    return [dict(row) for row in found]


@dataclass(frozen=True)
class _Copied:
    """Rows for one further name: ``ids`` of runs and ``numbers`` of events, old -> new."""

    before: str
    name: str
    ids: Mapping[str, str]
    numbers: Mapping[int, int]

    def insert(self, connection: sqlite3.Connection, table: str, rows: Rows) -> None:
        if not rows:
            return
        columns = [c for c in rows[0] if c != "id" or table == "event_logs"]
        named = ", ".join(f'"{column}"' for column in columns)
        values = ([self._value(row, column) for column in columns] for row in rows)
        connection.executemany(
            f"insert into {table} ({named}) values ({', '.join('?' * len(columns))})",  # noqa: S608 - constants
            values,
        )

    def _value(self, row: Mapping[str, Any], column: str) -> Any:
        value = row[column]
        if column in {"id", "event_id"}:
            return self.numbers[value]
        if not isinstance(value, str):
            return value
        run_id = row.get("run_id")
        if run_id is not None:
            value = value.replace(run_id, self.ids[run_id])
        return value.replace(self.before, self.name)


@dataclass(frozen=True)
class Size:
    """How much an instance holds; bytes are those of its runs and events."""

    n_runs: int
    n_events: int
    n_bytes: int


def size_of(root: Path) -> Size:
    """The instance of a data root that nobody has open."""
    folder, counts = root / INSTANCE_FOLDER, []
    for file, table in ((RUNS, "runs"), (EVENTS, "event_logs")):
        with closing(sqlite3.connect(folder / file)) as connection:
            connection.execute("pragma wal_checkpoint(truncate)")
            counts.append(connection.execute(f"select count(*) from {table}").fetchone()[0])  # noqa: S608 - constants
    return Size(
        counts[0], counts[1], sum((folder / file).stat().st_size for file in (RUNS, EVENTS))
    )
