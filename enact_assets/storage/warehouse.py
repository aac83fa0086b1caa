"""The warehouse: one DuckDB file with every table but ``states``, what is stale, and the marts.

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

from enact_assets.contracts.errors import WarehouseError
from enact_assets.contracts.ids import content_sha, sha256_bytes
from enact_assets.contracts.provenance import Provenance
from enact_assets.contracts.tables import TABLES
from enact_assets.storage.atomic import replacing
from enact_assets.storage.lake import Lake
from enact_assets.storage.relations import (
    STALE_PARTITIONS,
    comment_columns,
    comment_relation,
    create_given_view,
)
from enact_assets.storage.sources import (
    Names,
    Sources,
    create_lake_views,
    find_sources,
    refuse_changed,
)
from enact_assets.storage.sql_files import SqlFile, read_sql_files, sql_folder

_CONFIG: dict[str, str | bool | int | float | list[str]] = {"autoinstall_known_extensions": False}
"""DuckDB must not download anything on its own."""
_BUILD_CONFIG = {**_CONFIG, "storage_compatibility_version": "v1.2.0"}
"""Clients older than ours must be able to open the file."""

_CONTRACTS = {**TABLES, STALE_PARTITIONS.name: STALE_PARTITIONS}
_NAMED_IN = {
    "demonstration": "demonstrations",
    "gating": "segmented_frames",
    "variant": "asked_questions",
    "model": "predictions",
}
"""Dimension -> staging relation that holds every published name of it."""


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


def publish(
    lake: Lake,
    warehouse_path: Path,
    sql_root: Path | None = None,
    progress: Callable[[float], None] | None = None,
    *,
    names: Names | None = None,
    stale: pl.DataFrame | None = None,
    provenance: Provenance | None = None,
) -> PublishReport:
    """Build the warehouse from the lake and the ``sql`` folder and swap it in.

    ``names`` maps a dimension to the names that are current: partitions and rows of any other are
    left out (None: all are current). ``stale`` becomes the relation ``stale_partitions``: asset,
    partition (null if it has none) and why, in the order given (None: nothing is stale).
    ``progress`` is told the share done, 0 to 1.

    Errors, all of which leave the old file as it was: :class:`DamagedFileError` names the files of
    the lake that cannot be used; :class:`WarehouseError` names the SQL file that failed, or the
    check, its number of offending rows and the first of them; :class:`TableContractError` for
    ``stale`` with other columns; :class:`UnknownNameError` for a dimension that no table has.
    """
    started = time.monotonic()
    if "?" in str(warehouse_path):
        raise WarehouseError(f"{warehouse_path}: DuckDB cannot write below a path with '?' in it")
    files = read_sql_files(sql_root or sql_folder())
    told = progress or (lambda _: None)
    names = names or {}
    stale = STALE_PARTITIONS.empty() if stale is None else stale
    sources = find_sources(lake, names, lambda share: told(0.4 * share))
    with replacing(warehouse_path) as temporary:
        try:
            with duckdb.connect(str(temporary), config=_BUILD_CONFIG) as connection:
                # One transaction: each of the hundreds of comments would be flushed to disk alone.
                connection.begin()
                left_out = _create_inputs(connection, sources, names, stale)
                rows = _run(connection, files, sources, lambda share: told(0.4 + 0.5 * share))
                _write_meta(connection, sources, files, left_out, stale, provenance)
                connection.commit()
                checks = run_checks(connection, sql_root)
                connection.execute("checkpoint")
        finally:
            Path(f"{temporary}.wal").unlink(missing_ok=True)
            shutil.rmtree(f"{temporary}.tmp", ignore_errors=True)
        _refuse_offending(warehouse_path, checks)
        refuse_changed(sources)
        # The log of someone who was killed while changing the old file: DuckDB would refuse to
        # open the new file beside it.
        Path(f"{warehouse_path}.wal").unlink(missing_ok=True)
    told(1.0)
    return PublishReport(
        warehouse_path,
        rows,
        checks,
        time.monotonic() - started,
        _content_sha(sources, files, left_out, stale),
    )


def _content_sha(
    sources: Sources, files: Sequence[SqlFile], left_out: Any, stale: pl.DataFrame
) -> str:
    """Hash of all that the warehouse is made from."""
    inputs = (
        [[s.table, s.content_sha] for s in sources.current],
        [sha256_bytes(f.text.encode()) for f in files],
        left_out,
        stale.select(list(STALE_PARTITIONS.columns)).rows(),
    )
    return content_sha(inputs)


def _write_meta(
    connection: duckdb.DuckDBPyConnection,
    sources: Sources,
    files: Sequence[SqlFile],
    left_out: Any,
    stale: pl.DataFrame,
    provenance: Provenance | None,
) -> None:
    """Keep in the file what it was made from, as tables of the lake do."""
    connection.execute("create schema meta")
    connection.execute("create table meta.published (key varchar, value varchar)")
    values = {"content_sha": _content_sha(sources, files, left_out, stale)}
    if provenance is not None:
        values["provenance"] = provenance.encoded()
    for key, value in values.items():
        connection.execute("insert into meta.published values (?, ?)", [key, value])


def published_provenance(warehouse_path: Path) -> tuple[str | None, Provenance | None]:
    """Content hash of the published file, and what it was made from; None where unknown."""
    try:
        rows = dict(query(warehouse_path, "select key, value from meta.published").iter_rows())
    except WarehouseError:
        return None, None
    return rows.get("content_sha"), Provenance.decoded(rows.get("provenance", ""))


def run_checks(
    connection: duckdb.DuckDBPyConnection, sql_root: Path | None = None
) -> tuple[CheckResult, ...]:
    """Run ``checks/*.sql`` on an open warehouse; offending rows are results, not errors."""
    files = read_sql_files(sql_root or sql_folder())
    return tuple(_check(connection, file) for file in files if file.stage == "checks")


def query(warehouse_path: Path, sql: str) -> pl.DataFrame:
    """Rows of one statement on the published warehouse, read only.

    Sees the file as it is now, also in a process that holds an older one open.
    Errors: :class:`WarehouseError` if there is no warehouse, if ``sql`` is not one statement, or
    with DuckDB's message.
    """
    if not warehouse_path.is_file():
        raise WarehouseError(
            f"{warehouse_path}: no warehouse yet. Run `make demo` or `enact-assets materialize`."
        )
    try:
        # Attached, because connecting to a path twice in one process gives the first file again.
        with duckdb.connect(config=_CONFIG) as connection:
            _refuse_all_but_one(len(connection.extract_statements(sql)))
            location = str(warehouse_path).replace("'", "''")
            connection.execute(f"attach '{location}' as warehouse (read_only)")
            connection.execute("use warehouse")
            relation = connection.sql(sql)
            rows: pl.DataFrame = pl.DataFrame() if relation is None else relation.pl()
            return rows
    except duckdb.Error as error:
        raise WarehouseError(f"{warehouse_path}: {error}") from error


def published_names(warehouse_path: Path) -> dict[str, set[str]]:
    """Names that the published warehouse holds, for demonstration, gating, variant and model.

    A set may be empty. The dictionary is empty if there is no warehouse, or none that can be read:
    either way the remedy is to publish.
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


def _refuse_all_but_one(n_statements: int) -> None:
    """Of several statements only the last one's rows would show, of none an empty box."""
    if n_statements == 0:
        raise WarehouseError("nothing to run: the query is empty. Give one SQL statement.")
    if n_statements > 1:
        raise WarehouseError(
            f"{n_statements} SQL statements in one query, and only the last one's rows would show. "
            "Give one at a time."
        )


def _create_inputs(
    connection: duckdb.DuckDBPyConnection, sources: Sources, names: Names, stale: pl.DataFrame
) -> dict[str, dict[str, list[str]]]:
    """Make what staging files read; returns which rows of current files were left out."""
    try:
        create_given_view(connection, STALE_PARTITIONS, stale)
        return create_lake_views(connection, sources, names)
    except duckdb.Error as error:
        refuse_changed(sources)
        raise WarehouseError(f"the files of the lake cannot be read: {error}") from error


def _run(
    connection: duckdb.DuckDBPyConnection,
    files: Sequence[SqlFile],
    sources: Sources,
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
            if file.name in _CONTRACTS:
                comment_columns(connection, _CONTRACTS[file.name])
            rows[file.name] = _count(connection, f"from {file.name}")
        except duckdb.Error as error:
            refuse_changed(sources)
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
