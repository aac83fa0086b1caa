"""The warehouse: one DuckDB file with every published table, stale partitions and marts.

It is built as a new file and swapped in when it is complete and passes all checks. A reader that
has the old file open keeps it unchanged and never blocks publishing. Staging relations are copies,
not views over the lake: through a view, an open reader would see half of a rebuild.
"""

import logging
import os
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import duckdb
import polars as pl

from enact_assets.engine.errors import EnactError, WarehouseError
from enact_assets.engine.ids import content_sha, sha256_bytes
from enact_assets.engine.lake.lake import Lake
from enact_assets.engine.progress import OnProgress, Progress, unheard
from enact_assets.engine.provenance import Provenance
from enact_assets.engine.publishing.former_file import (
    BUILDER,
    MADE_WHOLE,
    NOTHING,
    Memory,
    builder_of,
    recall,
    remember,
)
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
from enact_assets.engine.publishing.sql_files import SqlFile, packaged_sql, read_sql_files
from enact_assets.engine.publishing.warehouse_build import Built, build
from enact_assets.engine.publishing.warehouse_checks import (
    CheckResult,
    refuse_offending,
)
from enact_assets.engine.publishing.warehouse_seal import LOG, LOGS, seal, settle, why_altered
from enact_assets.engine.system.atomic import cannot_write, replacing, temporary_name

_BUILD_CONFIG = {**CONFIG, "storage_compatibility_version": "v1.2.0", "fsync_mode": "NONE"}
"""Older clients must be able to open the file. It is flushed to disk once, when it is complete, not
at each of a hundred commits."""
_ROW_GROUP = 20480
"""Rows are compressed and leave memory as soon as there are so many. DuckDB's default is 122,880,
more than a part has: all rows would be in memory and in the log until the checkpoint."""
SHARE_OF_BUILDING = 0.95
_COMPRESSION = """
set disabled_compression_methods = 'fsst,dict_fsst'; set zstd_min_string_length = 30;
set write_buffer_row_group_count = 1;
"""
"""Prompts take nearly all of the space. With these settings they take a third of it, and are
written in less time. One row group waits in memory to be compressed, not five."""
_NOT_WRITTEN = {os.strerror(code): code for code in (28, 122, 30, 13, 5)}
"""Reasons why the system refuses to write, as DuckDB quotes them: disk full, over quota, read-only,
permission denied, I/O error.
"""


_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class PublishReport:
    """A published warehouse: rows per relation, checks, seconds, and a hash of all inputs.

    ``ran`` names relations, parts of relations and checks that were made or run now.
    """

    path: Path
    rows: dict[str, int]
    checks: tuple[CheckResult, ...]
    seconds: float
    content_sha: str
    ran: frozenset[str]


def publish(
    lake: Lake,
    warehouse_path: Path,
    sql_root: Path | None = None,
    on_progress: OnProgress = unheard,
    *,
    names: Names | None = None,
    stale: pl.DataFrame | None = None,
    provenance: Provenance | None = None,
    said: Mapping[str, str] | None = None,
    is_whole: bool = False,
) -> PublishReport:
    """Build the warehouse from the lake and the ``sql`` folder and swap it in.

    Unchanged relations of the former file are kept, unless ``is_whole``; the rows are the same.

    ``names`` maps dimension -> current names: partitions and rows of other names are left out
    (None: all names are current). ``stale`` becomes the relation ``stale_partitions``: asset,
    partition (null if it has none), state (stale or missing) and why, in the order given (None:
    nothing is stale or missing). Rows of stale partitions about ids that are no longer current are
    left out (:class:`~enact_assets.engine.tables.Reference`).
    ``provenance`` is written to the file, for :func:`published_provenance`, and so are the keys and
    values of ``said``, which are not part of the content hash. ``on_progress`` gets percent.

    Errors, all of which leave the old file as it was: :class:`DamagedFileError` names the files of
    the lake that cannot be used; :class:`WarehouseError` names the SQL file that failed;
    :class:`CheckError` names the failed checks, each with its number of offending rows and the
    first of them; :class:`OutputError` if the file cannot be written; :class:`TableContractError`
    for ``stale`` with other columns; :class:`UnknownNameError` for a dimension that no table has.
    """
    started = time.monotonic()
    if "?" in str(warehouse_path):
        raise WarehouseError(f"{warehouse_path}: DuckDB cannot write below a path with '?' in it")
    making = _Making(
        lake,
        packaged_sql() if sql_root is None else read_sql_files(sql_root),
        names or {},
        StalePartitions.empty() if stale is None else stale,
        provenance,
        said or {},
        _Rising(on_progress),
    )
    with replacing(warehouse_path) as temporary, _naming_full_disks(warehouse_path):
        made = None if is_whole else making.again(warehouse_path, temporary)
        built, sha = made or making.anew(temporary)
        refuse_offending(warehouse_path, built.checks)
        file_sha = seal(warehouse_path, temporary)
        _shut_log(warehouse_path)
        as_built = temporary.stat()
    settle(warehouse_path, file_sha, as_built)
    making.progress(1.0)
    seconds = time.monotonic() - started
    return PublishReport(warehouse_path, built.rows, built.checks, seconds, sha, built.ran)


class _Rising:
    """Reports the share done, which never falls: after a restart it covers only the rest."""

    def __init__(self, on_progress: OnProgress) -> None:
        self._on_progress, self._from, self._at = on_progress, 0.0, 0.0

    def start(self) -> None:
        self._from = self._at

    def __call__(self, share: float) -> None:
        self._at = self._from + (1.0 - self._from) * share
        self._on_progress(Progress(100 * self._at, 100, "%"))


@dataclass(frozen=True)
class _Making:
    """Inputs of a file, and the two ways to make it: from nothing or from the former file."""

    lake: Lake
    files: Sequence[SqlFile]
    names: Names
    stale: pl.DataFrame
    provenance: Provenance | None
    said: Mapping[str, str]
    progress: _Rising

    def anew(self, temporary: Path) -> tuple[Built, str]:
        """Make the file from nothing."""
        self.progress.start()
        with _new_database(temporary) as connection:
            return self._make(temporary, connection, NOTHING)

    def again(self, former: Path, temporary: Path) -> tuple[Built, str] | None:
        """Make the file from a copy of the former one; None if that is impossible.

        It is impossible if there is no former file of ours, if another program wrote to it, or if
        it or a file of the lake is damaged. The file is then made from nothing, which reads every
        file and finds all damage.
        """
        try:
            shutil.copyfile(former, temporary)
            # Checked after copying, so that writes during the copy are noticed, too.
            if (why := why_altered(former)) is not None:
                raise WarehouseError(f"{why}. Nothing in it is kept.")
            with _new_database(temporary) as connection:
                memory = recall(connection, self._builder)
                if memory != NOTHING:
                    return self._make(temporary, connection, memory)
        except (OSError, ValueError, LookupError, duckdb.Error, EnactError) as error:
            if former.exists():
                _log.info("%s: made from nothing, not from the former file: %s", former, error)
        temporary.unlink(missing_ok=True)
        return None

    @property
    def _builder(self) -> str:
        return builder_of(None if self.provenance is None else self.provenance.code_version)

    def _make(
        self, temporary: Path, connection: duckdb.DuckDBPyConnection, memory: Memory
    ) -> tuple[Built, str]:
        stale = self.stale.select("asset", "partition").rows()
        with find_sources(self.lake, self.names, temporary, memory.files, stale) as sources:
            built = build(
                connection,
                self.files,
                sources,
                former=memory.made,
                stale=self.stale,
                on_progress=lambda files: self.progress(SHARE_OF_BUILDING * files.share),
            )
            sha = _content_sha(sources, self.files, built.left_out, self.stale)
            made_whole = memory.made_whole or datetime.now(UTC).isoformat(timespec="seconds")
            own = {CONTENT_SHA: sha, BUILDER: self._builder, MADE_WHOLE: made_whole}
            said = {**own, **self.said}
            _write_said(connection, said, self.provenance)
            remember(connection, sources.current, sources.listed_ns, built.made)
            connection.execute("checkpoint")
            refuse_changed(sources)
        return built, sha


@contextmanager
def _new_database(path: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection to a temporary file; its log and other files beside it are removed at the
    end.
    """
    try:
        config = {**_BUILD_CONFIG, "temp_directory": f"{path}.tmp"}
        with duckdb.connect(config=config) as connection:
            connection.execute(_COMPRESSION)
            file = literal(str(path))
            connection.execute(f"attach {file} as warehouse (row_group_size {_ROW_GROUP})")
            connection.execute("use warehouse")
            yield connection
            # DuckDB must not write to the file after it is swapped in, not even when closing it.
            connection.execute("use memory")
            connection.execute("detach warehouse")
    finally:
        for log in LOGS:
            Path(f"{path}{log}").unlink(missing_ok=True)
        shutil.rmtree(f"{path}.tmp", ignore_errors=True)


@contextmanager
def _naming_full_disks(warehouse_path: Path) -> Iterator[None]:
    """Raise DuckDB's errors of writing as errors about the warehouse, not about its temporary
    name.
    """
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

    DuckDB logs to a file with the database's name and the suffix ``.wal``, and refuses to open a
    database whose log belongs to another one. A process that has the old file open for writing can
    leave such a log at any time, even after the swap: when it is killed, or when it commits. So the
    log is replaced by a broken link. Readers of any version find an empty log. From DuckDB 1.5 on a
    commit fails, as the log cannot be flushed. Clients of 1.2 to 1.4 remove the link and write; the
    seal of the file reveals that.
    """
    log = Path(f"{warehouse_path}{LOG}")
    for left in LOGS:
        if left != LOG:
            Path(f"{warehouse_path}{left}").unlink(missing_ok=True)
    link = temporary_name(log)
    try:
        link.symlink_to(os.devnull)
        link.replace(log)
    except OSError:
        # The file system has no links: at least remove the current log.
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
    """Write the inputs of the file into it, as for tables of the lake."""
    schema = PUBLISHED.partition(".")[0]
    values = dict(said)
    if provenance is not None:
        values[PROVENANCE] = provenance.encoded()
    rows = ", ".join(f"({literal(key)}, {literal(value)})" for key, value in values.items())
    connection.begin()
    connection.execute(f"create schema if not exists {schema}")
    connection.execute(
        f"create or replace table {PUBLISHED} as select * from (values {rows}) as said (key, value)"  # noqa: S608 - our own names
    )
    comments = {
        f"table {PUBLISHED}": "what this file was made from, as the tables of the lake say it",
        f"column {PUBLISHED}.key": f"{CONTENT_SHA}: hash of all that went in; {PROVENANCE}: of "
        f"what code and of which inputs; {BUILDER}: hash of that code's version and DuckDB's; "
        f"{MADE_WHOLE}: when it was last made from nothing, not from a copy of the former file; "
        "publication: when, and under which settings",
        f"column {PUBLISHED}.value": "a hash, or JSON",
    }
    for what, meaning in comments.items():
        connection.execute(f"comment on {what} is {literal(meaning)}")
    connection.commit()
