"""The published warehouse: queries, its names, its provenance."""

import re
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from pathlib import Path
from typing import Protocol

import duckdb
import polars as pl

from enact_assets.engine.errors import WarehouseError
from enact_assets.engine.provenance import Provenance
from enact_assets.engine.publishing.relations import (
    CONFIG,
    CONTENT_SHA,
    PROVENANCE,
    PUBLISHED,
    StalePartitions,
)
from enact_assets.settings.paths import HOME_VARIABLE, DataRoot
from enact_assets.settings.registry import BASELINE

STOP_S = 0.5
"""How long to wait for an interrupted query, as DuckDB checks for interrupts every few
milliseconds; then its thread is abandoned.
"""

_LOCKED = """
set enable_external_access = false; set python_enable_replacements = false;
set lock_configuration = true
"""
"""SQL that limits a query to the warehouse file, without extensions and environment variables."""
_READS = frozenset({"SELECT", "PRAGMA", "MULTI"})
"""Types of statements that only read. PIVOT has type MULTI, as it first lists its columns."""
_EXPLAIN = re.compile(r"\s*explain\b\s*(?:analyze\b|\([^)]*\))?", re.IGNORECASE)

VARIANT_ORDER = f"variant <> '{BASELINE}', variant"
"""SQL: the order of the leaderboard's variants."""

_NAMED_IN = {
    "demonstration": "demonstrations",
    "gating": "segmented_frames",
    "variant": "asked_questions",
    "model": "predictions",
}
"""Dimension -> staging relation that holds every published name of it."""


class Ask(Protocol):
    """A function that executes statements, such as an :class:`OpenWarehouse`."""

    def __call__(self, sql: str, values: Mapping[str, object] | None = None, /) -> pl.DataFrame:
        """Rows of one statement. Errors: :class:`WarehouseError`."""
        ...


def query(
    warehouse_path: Path,
    sql: str,
    values: Mapping[str, object] | None = None,
    *,
    is_trusted: bool = False,
) -> pl.DataFrame:
    """Rows of one statement on the published warehouse, read only; ``values`` are its ``$names``.

    The current file is read, even in a process that has an older one open. Ctrl-C and SIGTERM stop
    a long query immediately (KeyboardInterrupt). Only if ``is_trusted`` may the statement reach
    other files and databases, write files and load extensions.
    Errors: :class:`WarehouseError` if there is no warehouse, if ``sql`` is not one statement that
    only reads, or with DuckDB's message.
    """
    return OpenWarehouse(warehouse_path, is_trusted=is_trusted)(sql, values)


class OpenWarehouse:
    """The same for many statements, from any thread: the file is opened once, and again after a
    publication.
    """

    def __init__(self, warehouse_path: Path, *, is_trusted: bool = False) -> None:
        self._path, self._is_trusted = warehouse_path, is_trusted
        self._opened: tuple[tuple[int, int], duckdb.DuckDBPyConnection] | None = None
        self._opening = threading.Lock()

    def __call__(self, sql: str, values: Mapping[str, object] | None = None) -> pl.DataFrame:
        """As :func:`query`."""
        try:
            with self._connection().cursor() as connection:
                statements = connection.extract_statements(sql)
                _refuse_all_but_one(len(statements))
                if not self._is_trusted and not _only_reads(connection, statements[0]):
                    raise WarehouseError(
                        "this statement does more than read the warehouse. --csv and --json print "
                        "rows for other programs; `enact-assets sql --files` lets a query read and "
                        "write other files."
                    )
                connection.execute("use warehouse")
                return _interruptible(connection, lambda: _rows(connection, sql, values))
        except duckdb.PermissionException as error:
            raise WarehouseError(
                f"{self._path}: {error}. A query may read the warehouse only; "
                "`enact-assets sql --files` lets it read and write other files."
            ) from error
        except duckdb.Error as error:
            raise WarehouseError(f"{self._path}: {error}") from error

    def _connection(self) -> duckdb.DuckDBPyConnection:
        if not self._path.is_file():
            raise WarehouseError(f"{self._path}: no warehouse yet. {_advice(self._path.parent)}")
        with self._opening:
            while self._opened is None or self._opened[0] != self._version():
                # DuckDB reads the header, closes the file and opens it again for the rest. If the
                # file was swapped in between, header and rest belong to different files.
                version, connection = self._version(), duckdb.connect(config=CONFIG)
                try:
                    self._attach(connection)
                except WarehouseError:
                    if self._version() == version:
                        raise
                    continue
                self._opened = version, connection
            return self._opened[1]

    def _version(self) -> tuple[int, int]:
        file = self._path.stat()
        return file.st_ino, file.st_mtime_ns

    def _attach(self, connection: duckdb.DuckDBPyConnection) -> None:
        """The file is attached, because connecting to a path twice in one process gives the first
        file again.

        Queries on an older file keep it open until they end.
        """
        location = str(self._path).replace("'", "''")
        try:
            connection.execute(f"attach '{location}' as warehouse (read_only)")
        except duckdb.Error as error:
            raise WarehouseError(
                f"{self._path}: cannot be opened ({error}). {_advice_on(self._path, error)}"
            ) from error
        if not self._is_trusted:
            connection.execute(_LOCKED)


def _only_reads(connection: duckdb.DuckDBPyConnection, statement: duckdb.Statement) -> bool:
    """Whether ``statement`` neither writes files nor attaches or loads anything.

    The configuration forbids that, too, but would allow writing to the warehouse file.
    """
    if statement.type.name != "EXPLAIN":
        return statement.type.name in _READS
    # EXPLAIN ANALYZE executes the statement.
    explained = connection.extract_statements(_EXPLAIN.sub("", statement.query, count=1))
    return len(explained) == 1 and explained[0].type.name == "SELECT"


_NOT_OF_POLARS = re.compile(r"\b(UHUGEINT|INTERVAL|UNION|TIME WITH TIME ZONE|BIT)\b")
"""Types that become text: Polars has none like them, or other values."""


def _rows(
    connection: duckdb.DuckDBPyConnection, sql: str, values: Mapping[str, object] | None
) -> pl.DataFrame:
    relation = connection.sql(sql, params=dict(values)) if values else connection.sql(sql)
    return pl.DataFrame() if relation is None else _as_polars(relation)


def _as_polars(relation: duckdb.DuckDBPyRelation) -> pl.DataFrame:
    kinds = [_NOT_OF_POLARS.search(str(kind)) for kind in relation.types]
    if any(kinds):
        names = ['"' + name.replace('"', '""') + '"' for name in relation.columns]
        cast = (
            f"cast({n} as varchar) as {n}" if k else n for n, k in zip(names, kinds, strict=True)
        )
        relation = relation.project(", ".join(cast))
    rows: pl.DataFrame = relation.pl()
    return rows


def _interruptible(
    connection: duckdb.DuckDBPyConnection, work: Callable[[], pl.DataFrame]
) -> pl.DataFrame:
    """The result of ``work``. A signal that arrives meanwhile stops the query of ``connection``.

    Python runs signal handlers only in the main thread, between two bytecode instructions, and a
    query is a single one. So the query runs in another thread, while this one waits for the query
    and for signals.
    """
    done: Future[pl.DataFrame] = Future()

    def run() -> None:
        try:
            done.set_result(work())
        except BaseException as error:  # noqa: BLE001 - raised where the result is asked for
            done.set_exception(error)

    thread = threading.Thread(target=run, name="query", daemon=True)
    thread.start()
    try:
        return done.result()
    except KeyboardInterrupt as stopped:
        connection.interrupt()
        thread.join(STOP_S)
        raise KeyboardInterrupt("Stopped: the query was interrupted.") from stopped


def _advice_on(path: Path, error: duckdb.Error) -> str:
    """Advice about a file that DuckDB cannot open: it counts as damaged only if it can be read."""
    if "lock on file" in str(error):
        return (
            "Nothing is damaged: another program has the file open for writing. Close it there, or "
            "open it there with read_only."
        )
    try:
        with path.open("rb") as file:
            file.read(1)
    except OSError as reason:
        return f"The file cannot be read ({reason.strerror}), which is no damage."
    return (
        "If it is damaged, delete it: `enact-assets materialize --asset warehouse` publishes it "
        "again."
    )


def _advice(folder: Path) -> str:
    """Advice about a data root without a warehouse: usually it is the wrong folder."""
    lake = DataRoot(folder).lake
    if isinstance(lake, Path) and lake.is_dir():
        return "The lake exists: `enact-assets materialize --asset warehouse` publishes it."
    return (
        f"Looked in {folder.absolute()}: if that is the wrong folder, set --data or "
        f"{HOME_VARIABLE}. If nothing was made yet, run `make demo` or `enact-assets materialize`."
    )


def published_names(warehouse_path: Path) -> dict[str, set[str]]:
    """Names in the published warehouse, for demonstration, gating, variant and model.

    A set may be empty. The dictionary is empty if there is no readable warehouse; the remedy is to
    publish.
    """
    held = " union ".join(
        f"select '{dimension}', {dimension} from {relation}"  # noqa: S608 - our own names
        for dimension, relation in _NAMED_IN.items()
    )
    try:
        found = query(warehouse_path, held)
    except WarehouseError:
        return {}
    names: dict[str, set[str]] = {dimension: set() for dimension in _NAMED_IN}
    for dimension, name in found.iter_rows():
        names[dimension].add(name)
    return names


def is_relation(ask: Ask, name: str) -> bool:
    """Whether the warehouse has a table or view of this name. Errors: :class:`WarehouseError`."""
    sql = (
        "select count(*) > 0 from information_schema.tables where table_catalog = "
        "current_catalog() and table_schema = current_schema() and table_name = $name"
    )
    return bool(ask(sql, {"name": name}).item())


def default_variant(ask: Callable[[str], pl.DataFrame]) -> str:
    """The variant that comes first on the leaderboard, which is the baseline where it has answers.

    Without answers it is the first variant with questions; without questions the baseline. ``ask``
    queries the warehouse. Errors: :class:`WarehouseError` if there is none.
    """
    rows = ask(
        f"""
        select variant from (
            select variant, variant not in (select variant from leaderboard) as is_unscored
            from asked_questions
        )
        order by is_unscored, {VARIANT_ORDER} limit 1
        """  # noqa: S608 - our own words
    )
    return BASELINE if rows.is_empty() else str(rows.item())


def published_stale(warehouse_path: Path) -> set[tuple[str, str | None]]:
    """Asset and partition of all stale and missing partitions listed in the warehouse.

    Empty if there is no readable warehouse.
    """
    try:
        rows = query(warehouse_path, f"select asset, partition from {StalePartitions.table_name()}")  # noqa: S608 - our own
    except WarehouseError:
        return set()
    return set(rows.iter_rows())


def published_provenance(warehouse_path: Path) -> tuple[str | None, Provenance | None]:
    """Content hash and provenance of the published warehouse; None if unknown.

    Both are None if there is no readable warehouse; the remedy is to publish.
    """
    try:
        rows = query(warehouse_path, f"select key, value from {PUBLISHED}")  # noqa: S608 - our own
    except WarehouseError:
        return None, None
    said = dict(rows.iter_rows())
    return said.get(CONTENT_SHA), Provenance.decoded(said.get(PROVENANCE, ""))


def _refuse_all_but_one(n_statements: int) -> None:
    """Of several statements only the last one's rows would be shown; without a statement an empty
    box.
    """
    if n_statements == 0:
        raise WarehouseError("the query is empty. Give one SQL statement.")
    if n_statements > 1:
        raise WarehouseError(f"{n_statements} SQL statements in one query. Give one at a time.")
