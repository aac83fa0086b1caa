"""The warehouse: one DuckDB file with every published table, stale partitions and marts.

It is built as a fresh file and swapped in when it is complete and passes all checks. Whoever holds
the old file open keeps it, whole and unchanging, and never blocks publishing. Staging relations are
copies, not views over the lake: a view would show an open reader half of a rebuild.
"""

import os
import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import duckdb
import polars as pl

from enact_assets.contracts.errors import WarehouseError
from enact_assets.contracts.ids import content_sha, sha256_bytes
from enact_assets.contracts.provenance import Provenance
from enact_assets.engine.lake.lake import Lake
from enact_assets.engine.publishing.publishable import (
    LeftOut,
    Names,
    Sources,
    find_sources,
    refuse_changed,
)
from enact_assets.engine.publishing.relations import (
    CONFIG,
    CONTENT_SHA,
    PROVENANCE,
    PUBLISHED,
    StalePartitions,
    literal,
)
from enact_assets.engine.publishing.sql_files import SqlFile, read_sql_files, sql_folder
from enact_assets.engine.publishing.warehouse_build import build
from enact_assets.engine.publishing.warehouse_checks import (
    CheckResult,
    refuse_offending,
)
from enact_assets.system.atomic import cannot_write, replacing, temporary_name

_BUILD_CONFIG = {**CONFIG, "storage_compatibility_version": "v1.2.0"}
"""Clients older than ours must be able to open the file."""
SHARE_OF_BUILDING = 0.95
_COMPRESSION = (
    "set disabled_compression_methods = 'fsst,dict_fsst'; set zstd_min_string_length = 30;"
)
"""Prompts take nearly all of the space: like this it is a third, and written in less time."""
_LOGS = (".wal.checkpoint", ".wal.recovery")
"""What DuckDB may leave beside a file, besides its log, when it is killed while writing one."""
_NOT_WRITTEN = {os.strerror(code): code for code in (28, 122, 30, 13, 5)}
"""How the disk says no, as DuckDB quotes it: full, over quota, read-only, not allowed, broken."""


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
    said: Mapping[str, str] | None = None,
) -> PublishReport:
    """Build the warehouse from the lake and the ``sql`` folder and swap it in.

    ``names`` maps a dimension to the names that are current: partitions and rows of any other are
    left out (None: all are current). ``stale`` becomes the relation ``stale_partitions``: asset,
    partition (null if it has none), state (stale or missing) and why, in the order given (None:
    nothing is stale or missing).
    ``provenance`` is kept in the file, for :func:`published_provenance`, and so are the keys and
    values of ``said``, which are no part of the content hash. ``progress`` gets the
    share done, 0 to 1.

    Errors, all of which leave the old file as it was: :class:`DamagedFileError` names the files of
    the lake that cannot be used; :class:`WarehouseError` names the SQL file that failed;
    :class:`CheckError` the checks that did, each with its number of offending rows and the first of
    them; :class:`OutputError` if the file cannot be written; :class:`TableContractError` for
    ``stale`` with other columns; :class:`UnknownNameError` for a dimension that no table has.
    """
    started = time.monotonic()
    if "?" in str(warehouse_path):
        raise WarehouseError(f"{warehouse_path}: DuckDB cannot write below a path with '?' in it")
    files = read_sql_files(sql_root or sql_folder())
    report = progress or (lambda _: None)
    stale = StalePartitions.empty() if stale is None else stale
    with (
        replacing(warehouse_path) as temporary,
        _naming_full_disks(warehouse_path),
        find_sources(lake, names or {}, temporary) as sources,
    ):
        with _new_database(temporary) as connection:
            built = build(
                connection,
                files,
                sources,
                stale=stale,
                on_progress=lambda share: report(SHARE_OF_BUILDING * share),
            )
            sha = _content_sha(sources, files, built.left_out, stale)
            _write_said(connection, {CONTENT_SHA: sha, **(said or {})}, provenance)
            connection.execute("checkpoint")
        refuse_offending(warehouse_path, built.checks)
        refuse_changed(sources)
        _shut_log(warehouse_path)
    report(1.0)
    seconds = time.monotonic() - started
    return PublishReport(warehouse_path, built.rows, built.checks, seconds, sha)


@contextmanager
def _new_database(path: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection to a new file, beside which nothing is left behind."""
    try:
        with duckdb.connect(str(path), config=_BUILD_CONFIG) as connection:
            connection.execute(_COMPRESSION)
            yield connection
    finally:
        for log in (".wal", *_LOGS):
            Path(f"{path}{log}").unlink(missing_ok=True)
        shutil.rmtree(f"{path}.tmp", ignore_errors=True)


@contextmanager
def _naming_full_disks(warehouse_path: Path) -> Iterator[None]:
    """What DuckDB could not write as an error about the warehouse, not about its temporary name."""
    try:
        yield
    except (duckdb.Error, WarehouseError) as error:
        text = str(error)
        for reason, code in _NOT_WRITTEN.items():
            if "Could not read" not in text and text.rstrip().endswith(reason):
                raise cannot_write(warehouse_path, OSError(code, reason)) from error
        if isinstance(error, WarehouseError):
            raise
        raise WarehouseError(f"{warehouse_path}: {error}") from error


def _shut_log(warehouse_path: Path) -> None:
    """Keep writers of the old file from spoiling the new one.

    DuckDB logs to a file of the database's name with ``.wal`` behind, and refuses to open a
    database whose log belongs to another. Whoever holds the old file open for writing can leave
    such a log at any time, also after the swap: killed, or alive and merely committing. So the log
    becomes a link to nowhere. Readers, also of older versions, find an empty log; a commit is
    refused (tried with DuckDB 2.0: it cannot flush the log), as it must be in a published file.
    """
    log = Path(f"{warehouse_path}.wal")
    for left in _LOGS:
        Path(f"{warehouse_path}{left}").unlink(missing_ok=True)
    link = temporary_name(log)
    try:
        link.symlink_to(os.devnull)
        link.replace(log)
    except OSError:
        # A file system without links: at least the log that is there now must go.
        link.unlink(missing_ok=True)
        log.unlink(missing_ok=True)


def _content_sha(
    sources: Sources,
    files: Sequence[SqlFile],
    left_out: LeftOut,
    stale: pl.DataFrame,
) -> str:
    """Hash of everything that the warehouse is made from."""
    inputs = (
        [[s.table, s.content_sha] for s in sources.current],
        [sha256_bytes(f.text.encode()) for f in files],
        left_out,
        stale.select(list(StalePartitions.schema())).rows(),
    )
    return content_sha(inputs)


def _write_said(
    connection: duckdb.DuckDBPyConnection,
    said: Mapping[str, str],
    provenance: Provenance | None,
) -> None:
    """Keep in the file what it was made from, as tables of the lake do."""
    schema = PUBLISHED.partition(".")[0]
    values = dict(said)
    if provenance is not None:
        values[PROVENANCE] = provenance.encoded()
    rows = ", ".join(f"({literal(key)}, {literal(value)})" for key, value in values.items())
    connection.begin()
    connection.execute(f"create schema {schema}")
    connection.execute(
        f"create table {PUBLISHED} as select * from (values {rows}) as said (key, value)"  # noqa: S608 - our own names
    )
    comments = {
        f"table {PUBLISHED}": "what this file was made from, as the tables of the lake say it",
        f"column {PUBLISHED}.key": f"{CONTENT_SHA}: hash of all that went in; {PROVENANCE}: of "
        "what code and of which inputs; publication: when, and under which settings",
        f"column {PUBLISHED}.value": "a hash, or JSON",
    }
    for what, meaning in comments.items():
        connection.execute(f"comment on {what} is {literal(meaning)}")
    connection.commit()
