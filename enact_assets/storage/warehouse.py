"""The warehouse: one DuckDB file with every table but ``states``, the marts and nothing else.

It is built as a fresh file and swapped in when it is complete and passes all checks. Whoever holds
the old file open keeps it, whole and unchanging, and never stands in the way. Staging relations are
copies, not views over the lake: a view would show an open reader half of a rebuild.
"""

import shutil
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import polars as pl

from enact_assets.contracts.errors import DamagedFileError, WarehouseError
from enact_assets.contracts.ids import content_sha, sha256_bytes
from enact_assets.contracts.tables import TABLES
from enact_assets.storage.atomic import replacing
from enact_assets.storage.lake import Lake
from enact_assets.storage.relations import comment_columns, comment_relation, create_lake_view
from enact_assets.storage.sql_files import SqlFile, read_sql_files, sql_folder

NOT_PUBLISHED = frozenset({"states"})
"""Tables that stay in the lake: heavy, and of no use in SQL."""

MAX_NAMED = 5
_CONFIG: dict[str, str | bool | int | float | list[str]] = {"autoinstall_known_extensions": False}
"""DuckDB must not download anything on its own."""


@dataclass(frozen=True)
class CheckResult:
    """What a check found: how many offending rows, the first of them, and what to do about it."""

    name: str
    n_offending: int
    first: dict[str, Any] | None
    advice: str

    @property
    def is_passed(self) -> bool:
        """Whether there was no offending row."""
        return self.n_offending == 0

    def __str__(self) -> str:
        if self.is_passed:
            return f"check {self.name}: passed"
        found = f"check {self.name}: {self.n_offending} offending rows, first {self.first}."
        return f"{found} What to do: {self.advice}"


@dataclass(frozen=True)
class PublishReport:
    """A published warehouse: rows per relation, checks, seconds, and a hash of what went in."""

    path: Path
    rows: dict[str, int]
    checks: tuple[CheckResult, ...]
    seconds: float
    content_sha: str


@dataclass(frozen=True)
class _Source:
    """A verified file of the lake, and how to recognize that it is still the same."""

    table: str
    path: Path
    content_sha: str
    identity: tuple[int, int, int]


def publish(
    lake: Lake,
    warehouse_path: Path,
    sql_root: Path | None = None,
    progress: Callable[[float], None] | None = None,
) -> PublishReport:
    """Build the warehouse from the lake and the ``sql`` folder and swap it in.

    ``progress`` is told the share done, 0 to 1. Errors, all of which leave the old file as it was:
    :class:`DamagedFileError` names the files of the lake that cannot be used;
    :class:`WarehouseError` names the SQL file that failed, or the check, its number of offending
    rows and the first of them.
    """
    started = time.monotonic()
    if "?" in str(warehouse_path):
        raise WarehouseError(f"{warehouse_path}: DuckDB cannot write below a path with '?' in it")
    files = read_sql_files(sql_root or sql_folder())
    told = progress or (lambda _: None)
    sources = _verified_sources(lake, lambda share: told(0.4 * share))
    with replacing(warehouse_path) as temporary:
        try:
            with duckdb.connect(str(temporary), config=_CONFIG) as connection:
                # One transaction: each of the hundreds of comments would be flushed to disk alone.
                connection.begin()
                _create_lake_views(connection, sources)
                rows = _run(connection, files, sources, lambda share: told(0.4 + 0.5 * share))
                connection.commit()
                checks = run_checks(connection, sql_root)
                connection.execute("checkpoint")
        finally:
            Path(f"{temporary}.wal").unlink(missing_ok=True)
            shutil.rmtree(f"{temporary}.tmp", ignore_errors=True)
        _refuse_offending(warehouse_path, checks)
        _refuse_changed(sources)
        # The log of someone who was killed while changing the old file: DuckDB would refuse to
        # open the new file beside it.
        Path(f"{warehouse_path}.wal").unlink(missing_ok=True)
    told(1.0)
    inputs = (
        [[s.table, s.content_sha] for s in sources],
        [sha256_bytes(f.text.encode()) for f in files],
    )
    return PublishReport(
        warehouse_path, rows, checks, time.monotonic() - started, content_sha(inputs)
    )


def run_checks(
    connection: duckdb.DuckDBPyConnection, sql_root: Path | None = None
) -> tuple[CheckResult, ...]:
    """Run ``checks/*.sql`` on an open warehouse; offending rows are results, not errors."""
    files = read_sql_files(sql_root or sql_folder())
    return tuple(_check(connection, file) for file in files if file.stage == "checks")


def query(warehouse_path: Path, sql: str) -> pl.DataFrame:
    """Rows of one query on the published warehouse, read only.

    Sees the file as it is now, also in a process that holds an older one open.
    Errors: :class:`WarehouseError` if there is no warehouse, or DuckDB's message.
    """
    if not warehouse_path.is_file():
        raise WarehouseError(f"{warehouse_path}: no warehouse yet. Materialize asset 'warehouse'.")
    try:
        # Attached, because connecting to a path twice in one process gives the first file again.
        with duckdb.connect(config=_CONFIG) as connection:
            location = str(warehouse_path).replace("'", "''")
            connection.execute(f"attach '{location}' as warehouse (read_only)")
            connection.execute("use warehouse")
            relation = connection.sql(sql)
            rows: pl.DataFrame = pl.DataFrame() if relation is None else relation.pl()
            return rows
    except duckdb.Error as error:
        raise WarehouseError(f"{warehouse_path}: {error}") from error


def _verified_sources(lake: Lake, told: Callable[[float], None]) -> list[_Source]:
    """Every file that goes in, each page compared with its checksum."""
    wanted = [
        (name, partition)
        for name in TABLES
        if name not in NOT_PUBLISHED
        for partition in lake.partitions(name)
    ]
    sources, damaged = [], []
    for done, (name, partition) in enumerate(wanted, start=1):
        path = lake.path(name, partition)
        try:
            identity = _identity(path)
            sources.append(_Source(name, path, lake.verify(name, partition), identity))
        except DamagedFileError as error:
            damaged.append(str(error))
        told(done / len(wanted))
    if damaged:
        more = len(damaged) - MAX_NAMED
        raise DamagedFileError(
            f"{len(damaged)} of {len(wanted)} files of the lake cannot be published; the warehouse "
            "stays as it was.\n"
            + "\n".join(damaged[:MAX_NAMED])
            + (f"\nand {more} more" if more > 0 else "")
        )
    return sources


def _create_lake_views(connection: duckdb.DuckDBPyConnection, sources: Sequence[_Source]) -> None:
    for name, contract in TABLES.items():
        if name not in NOT_PUBLISHED:
            create_lake_view(connection, contract, [s.path for s in sources if s.table == name])


def _run(
    connection: duckdb.DuckDBPyConnection,
    files: Sequence[SqlFile],
    sources: Sequence[_Source],
    told: Callable[[float], None],
) -> dict[str, int]:
    """Run staging and marts; returns the number of rows of each relation."""
    relations = [file for file in files if file.stage != "checks"]
    rows = {}
    for done, file in enumerate(relations, start=1):
        if file.stage == "marts":
            # A sum of floats depends on its order: one thread, so that equal inputs give equal
            # marts on any machine.
            connection.execute("set threads = 1")
        try:
            connection.execute(file.text)
            kind = _kind(connection, file)
            comment_relation(connection, file.name, kind, file.meaning)
            if file.name in TABLES:
                comment_columns(connection, TABLES[file.name])
            rows[file.name] = _count(connection, f"from {file.name}")
        except duckdb.Error as error:
            _refuse_changed(sources)
            raise WarehouseError(f"{file.place}: {error}") from error
        told(done / len(relations))
    connection.execute("reset threads")
    return rows


def _kind(connection: duckdb.DuckDBPyConnection, file: SqlFile) -> str:
    """Whether the file made a table or a view of its own name."""
    for kind in ("table", "view"):
        made = f"from duckdb_{kind}s() where not temporary and {kind}_name = '{file.name}'"
        if _count(connection, made):
            return kind
    raise WarehouseError(f"{file.place}: ran, but made no relation {file.name!r}")


def _check(connection: duckdb.DuckDBPyConnection, file: SqlFile) -> CheckResult:
    try:
        n_offending = _count(connection, f"from (\n{file.query}\n)")
        first = None
        if n_offending:
            found = connection.execute(file.query)
            names = [column[0] for column in found.description or []]
            first = dict(zip(names, found.fetchone() or (), strict=True))
    except duckdb.Error as error:
        raise WarehouseError(f"{file.place}: {error}") from error
    return CheckResult(file.name, n_offending, first, file.header.get("Fix", ""))


def _count(connection: duckdb.DuckDBPyConnection, source: str) -> int:
    found = connection.execute(f"select count(*) {source}").fetchone()
    return int(found[0]) if found else 0


def _refuse_offending(warehouse_path: Path, checks: Sequence[CheckResult]) -> None:
    failed = [str(check) for check in checks if not check.is_passed]
    if failed:
        raise WarehouseError(
            f"{warehouse_path}: not replaced, {len(failed)} of {len(checks)} checks failed.\n"
            + "\n".join(failed)
        )


def _refuse_changed(sources: Sequence[_Source]) -> None:
    """A file replaced while it was read is neither verified nor what the content hash says."""
    changed = [s for s in sources if _identity(s.path) != s.identity]
    if changed:
        raise WarehouseError(
            f"{len(changed)} of {len(sources)} files of the lake were written again while they "
            f"were published, first {changed[0].path}. Publish again."
        )


def _identity(path: Path) -> tuple[int, int, int]:
    try:
        found = path.stat()
    except FileNotFoundError:
        return (0, 0, 0)
    return (found.st_ino, found.st_mtime_ns, found.st_size)
