"""The catalogue: metadata of every file of a lake, in one SQLite file of the data root.

It also holds results of reading external files (pipeline/lineage/known_contents.py).

A file's footer is the truth; the catalogue is only a cache of footers. Like git's index, an entry
is valid while the file's size, time of change and inode are the same. Without the catalogue, or
with a damaged one, every answer is the same but takes longer. Any number of processes may read and
write it.
"""

import logging
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from enact_assets import __version__
from enact_assets.engine.fingerprints import Number, Numbers, input_number, version_numbers
from enact_assets.engine.ids import ID_CHARACTERS, content_sha, sha256_bytes
from enact_assets.engine.lake.file_metadata import FileRecord, Heads, contract_sha
from enact_assets.engine.system.places import Entry
from enact_assets.engine.tables import Table

Objects = NDArray[np.object_]
ROWS = "partition, version, problem, numbers"
_N_NUMBERS = 6
_UNSIGNED = (1 << 64) - 1
FORMAT = 3
"""Increase this when columns change, or the code that computes their values."""
KNOWN = "known"
"""The table of contents of recordings. It cannot be read again from footers, so a new format keeps
it.
"""
BUSY_S = 10.0
"""How long to wait for another writer, which notes one step's files or a first scan of the lake."""
NOT_AGAIN_S = 60.0
"""After waiting ``BUSY_S`` for a locked file in vain, do not wait for it again within this time."""
_TABLES = """
create table catalogued (asset text primary key, fingerprint text not null) without rowid;
create table files (
    asset text, partition text, version text, problem text, numbers blob,
    primary key (asset, partition)
) without rowid;
create table provenances (
    asset text, partition text, made_from text, pictures blob, primary key (asset, partition)
) without rowid;
create table folders (asset text primary key, looks blob, seal text) without rowid;
create table known (name text primary key, mark text, found text, seal text) without rowid;
"""
"""``partition`` is the partition's key in Dagster; ``numbers`` are size, time of change, mark,
numbers of code and inputs (engine/fingerprints.py), and a seal of the row, as SQLite does not
detect flipped bits: 64 bits each, in one value, since a plan reads half a million rows. ``looks``
are the :class:`Look` of all folders of a table, in one row, as they are read and written together.
"""

_log = logging.getLogger(__name__)
_locked_until: dict[Path, float] = {}
"""File -> monotonic time until which this process does not wait for it."""
Answer = TypeVar("Answer")


class Look(NamedTuple):
    """State of a folder below the root of a lake when it was listed, with ``n_files`` files in it.

    ``changed_ns`` and ``mark`` are those of :class:`Folder`.
    """

    folder: str
    changed_ns: int
    mark: int
    n_files: int


class Known(NamedTuple):
    """A result of reading the external file ``name``, valid while the file has this ``mark``."""

    name: str
    mark: str
    found: str

    @property
    def seal(self) -> str:
        """Hash of the row, which reveals damage."""
        return content_sha(self)[:ID_CHARACTERS]


class CataloguedFiles(NamedTuple):
    """Files of a table as catalogued: one entry each, shape (n_files,).

    ``partition`` are keys; ``size``, ``mtime_ns`` and ``mark`` are those of the listing, 64 bits
    each; ``version`` is the content hash of the rows, empty if there is a ``problem``; ``number``
    is the version as a number.
    """

    partition: list[str]
    size: Numbers
    mtime_ns: Numbers
    mark: Numbers
    version: Objects
    code: Numbers
    made_of: Numbers
    problem: Objects
    number: Numbers

    def at(self, which: NDArray[np.int64]) -> "CataloguedFiles":
        """The files at these indices, in that order."""
        columns: list[Any] = [column[which] for column in self[1:]]
        return CataloguedFiles([self.partition[k] for k in which.tolist()], *columns)


class Catalogue:
    """The SQLite file ``path`` for the lake at ``address``; it is created by the first write.

    Rows of other code or of another lake are ignored. If the file cannot be read or written,
    answers take longer; it is not an error.
    """

    def __init__(self, path: Path, address: str) -> None:
        self._path, self._address = path, address
        self._held: sqlite3.Connection | None = None

    @contextmanager
    def held(self) -> Iterator[None]:
        """Use one connection for all calls of this thread: opening one takes as long as reading a
        small table.
        """
        try:
            connection = self._connected() if self._path.exists() else None
        except sqlite3.Error as error:
            self._note_lock(error)
            connection = None
        self._held = connection
        try:
            yield
        finally:
            self._held = None
            if connection is not None:
                connection.close()

    def files(self, table: type[Table]) -> CataloguedFiles:
        """Every catalogued file of a table, by partition; damaged rows are left out."""
        sql = f"select {ROWS} from files where asset = ?"  # noqa: S608 - our own words
        name = table.table_name()

        def read(connection: sqlite3.Connection) -> CataloguedFiles:
            is_ours = self._is_ours(connection, table)
            return in_columns(connection.execute(sql, (name,)).fetchall() if is_ours else [])

        return self._reading(read, in_columns([]))

    def made_from(self, table: type[Table], partition: str) -> str | None:
        """Provenance of one file as text; None if it is unknown."""
        sql = "select made_from from provenances where asset = ? and partition = ?"
        key = (table.table_name(), partition)
        found = self._reading(lambda c: c.execute(sql, key).fetchone(), None)
        return None if found is None else found[0]

    def provenances(self, table: type[Table]) -> dict[str, str | None]:
        """:meth:`made_from` of all files of a table."""
        sql, name = (
            "select partition, made_from from provenances where asset = ?",
            table.table_name(),
        )
        return dict(self._reading(lambda c: c.execute(sql, (name,)).fetchall(), []))

    def pictures(self, table: type[Table]) -> dict[str, Heads]:
        """The pictures that each file of a table names."""
        sql = "select partition, pictures from provenances where asset = ? and pictures is not null"
        name = (table.table_name(),)
        found: list[Any] = self._reading(lambda c: c.execute(sql, name).fetchall(), [])
        return {key: np.frombuffer(of, "<u8") for key, of in found}

    def looks(self, table: type[Table]) -> list[Look]:
        """The noted states of the folders of a table; empty if the row is damaged."""
        sql, name = "select looks, seal from folders where asset = ?", (table.table_name(),)
        found: Any = self._reading(lambda c: c.execute(sql, name).fetchone(), None)
        if found is None or sha256_bytes(found[0]) != found[1]:
            return []
        return list(map(Look._make, msgspec.msgpack.decode(found[0])))

    def note_looks(self, table: type[Table], looks: Sequence[Look]) -> None:
        """Replace the noted states of the folders of a table."""
        content = msgspec.msgpack.encode([tuple(look) for look in looks])
        row = (table.table_name(), content, sha256_bytes(content))

        def write(connection: sqlite3.Connection) -> None:
            connection.execute("insert or replace into folders values (?, ?, ?)", row)

        self._writing(write)

    def known(self, name: str | None = None) -> list[Known]:
        """Results for the external file ``name``, or for all; damaged rows are left out."""
        sql = "select name, mark, found, seal from known"
        where, values = ("", ()) if name is None else (" where name = ?", (name,))
        rows: list[Any] = self._reading(lambda c: c.execute(sql + where, values).fetchall(), [])
        return [known for *row, seal in rows if (known := Known(*row)).seal == seal]

    def note_known(self, found: Sequence[Known]) -> None:
        """Store results; a later result for the same name replaces the earlier one."""
        rows = [(*known, known.seal) for known in found]
        sql = "insert or replace into known values (?, ?, ?, ?)"
        self._writing(lambda c: c.executemany(sql, rows))

    def note(self, table: type[Table], files: Sequence[tuple[str, Entry, FileRecord]]) -> None:
        """Add files of a table in one transaction: key of the partition, file, its metadata."""
        if not files:
            return
        name = table.table_name()
        rows = [(name, *row) for row in rows_to_note(files)]
        said = [
            (name, key, record.made_from, None if record.images is None else blob(record.images))
            for key, _, record in files
        ]

        def write(connection: sqlite3.Connection) -> None:
            if not self._is_ours(connection, table):
                for where in ("files", "provenances"):
                    connection.execute(f"delete from {where} where asset = ?", (name,))  # noqa: S608
                ours = (name, self._fingerprint(table))
                connection.execute("insert or replace into catalogued values (?, ?)", ours)
            sql = "insert or replace into files values (?, ?, ?, ?, ?)"
            connection.executemany(sql, rows)
            connection.executemany("insert or replace into provenances values (?, ?, ?, ?)", said)

        self._writing(write)

    def forget(self, table: type[Table], partitions: Iterable[str]) -> None:
        """Remove files of a table that no longer exist."""
        keys = [(table.table_name(), partition) for partition in partitions]
        if not keys:
            return

        def write(connection: sqlite3.Connection) -> None:
            for where in ("files", "provenances"):
                sql = f"delete from {where} where asset = ? and partition = ?"  # noqa: S608
                connection.executemany(sql, keys)

        self._writing(write)

    def remove(self) -> None:
        """Delete the file: the next scan of the lake creates it again. Errors: ``OSError``."""
        for suffix in ("-wal", "-shm", ""):
            self._path.with_name(self._path.name + suffix).unlink(missing_ok=True)

    def _is_ours(self, connection: sqlite3.Connection, table: type[Table]) -> bool:
        sql, name = "select fingerprint from catalogued where asset = ?", table.table_name()
        return bool(connection.execute(sql, (name,)).fetchone() == (self._fingerprint(table),))

    def _fingerprint(self, table: type[Table]) -> str:
        return "\n".join((__version__, contract_sha(table), self._address))

    def _reading(self, read: Callable[[sqlite3.Connection], Answer], nothing: Answer) -> Answer:
        if not self._path.exists():
            return nothing
        try:
            with self._opened() as connection:
                if not _is_format(connection):
                    return nothing
                return read(connection)
        except sqlite3.OperationalError as error:
            self._note_lock(error)
            return self._reading_only(read, nothing)
        except (sqlite3.DatabaseError, ValueError) as error:
            self._make_anew(error)
            return nothing

    def _reading_only(
        self, read: Callable[[sqlite3.Connection], Answer], nothing: Answer
    ) -> Answer:
        """Read the main file only, without its log: for a disk that is mounted read-only."""
        url = f"{self._path.absolute().as_uri()}?immutable=1"
        try:
            with closing(sqlite3.connect(url, uri=True)) as connection:
                return read(connection) if _is_format(connection) else nothing
        except (sqlite3.DatabaseError, ValueError) as error:
            _log.info("%s is not used, so the next scan takes longer: %s", self._path, error)
            return nothing

    def _writing(self, write: Callable[[sqlite3.Connection], object]) -> None:
        for _ in range(2):
            try:
                with closing(self._connected()) as connection:
                    connection.execute("begin immediate")
                    if not _is_format(connection):
                        _lay_out(connection)
                    write(connection)
                    connection.execute("commit")
                    return
            except (sqlite3.OperationalError, OSError) as error:
                self._note_lock(error)
                _log.info("%s was not written: %s", self._path, error)
                return
            except sqlite3.DatabaseError as error:
                self._make_anew(error)

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        if self._held is not None:
            yield self._held
            return
        with closing(self._connected()) as connection:
            yield connection

    def _connected(self) -> sqlite3.Connection:
        is_waited_for = time.monotonic() >= _locked_until.get(self._path, 0.0)
        wait_s = BUSY_S if is_waited_for else 0.0
        connection = sqlite3.connect(self._path, timeout=wait_s, isolation_level=None)
        try:
            connection.execute("pragma journal_mode = wal")
            # If a power cut loses a commit, the footers of the files still have the data.
            connection.execute("pragma synchronous = normal")
        except sqlite3.Error:
            connection.close()
            raise
        return connection

    def _note_lock(self, error: Exception) -> None:
        if getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_BUSY:
            _locked_until[self._path] = time.monotonic() + NOT_AGAIN_S

    def _make_anew(self, error: Exception) -> None:
        _log.warning(
            "%s: damaged (%s). It is made anew from the files of the lake; nothing is lost.",
            *(self._path, error),
        )
        self._held = None
        with suppress(OSError):
            self.remove()


def _is_format(connection: sqlite3.Connection) -> bool:
    return bool(connection.execute("pragma user_version").fetchone() == (FORMAT,))


def _lay_out(connection: sqlite3.Connection) -> None:
    statements = [text.strip() for text in _TABLES.split(";") if text.strip()]
    former = connection.execute("select name, sql from sqlite_master where type = 'table'")
    for name, sql in former.fetchall():
        if name == KNOWN and sql.casefold() in map(str.casefold, statements):
            statements.remove(next(s for s in statements if s.casefold() == sql.casefold()))
        else:
            connection.execute(f"drop table {name}")
    for statement in statements:
        connection.execute(statement)
    connection.execute(f"pragma user_version = {FORMAT}")


def row_seals(stat: Sequence[Number], version: Number, code: Number, made_of: Number) -> Number:
    """Seal of each row, which reveals damage: 64-bit numbers.

    ``stat`` are size, time of change and mark.
    """
    found = input_number("files", stat[0], stat[1])
    for number in (stat[2], version, code, made_of):
        found = input_number("files", found, number)
    return found


def rows_to_note(files: Sequence[tuple[str, Entry, FileRecord]]) -> Iterator[tuple[object, ...]]:
    """Rows of the table ``files`` without the asset, from partition key, file and its metadata."""
    made = [record.provenance for _, _, record in files]
    versions = [record.content_sha or "" for _, _, record in files]
    columns = [
        numbers(column) for column in zip(*(entry[1:] for _, entry, _ in files), strict=True)
    ]
    code = version_numbers("" if of is None else of.code_version for of in made)
    made_of = np.array([0 if of is None else of.inputs_number for of in made], np.uint64)
    seal = row_seals(columns, version_numbers(versions), code, made_of)
    table = np.stack([*columns, code, made_of, seal], axis=1)
    for (key, _, record), version, row in zip(files, versions, table, strict=True):
        yield key, version, record.problem, blob(row)


def in_columns(rows: Sequence[tuple[Any, ...]]) -> CataloguedFiles:
    """Columns from rows that were read (:data:`ROWS`); damaged rows are left out."""
    keys, version, problem, blobs = zip(*rows, strict=True) if rows else ((), (), (), ())
    table = np.frombuffer(b"".join(blobs), "<u8").astype(np.uint64).reshape(len(rows), _N_NUMBERS)
    *stat, code, made_of, seal = np.ascontiguousarray(table.T)
    number = version_numbers(version)
    is_whole = row_seals(stat, number, code, made_of) == seal
    columns: list[Any] = [*stat, texts(version), code, made_of, texts(problem), number]
    found = CataloguedFiles(list(keys), *columns)
    return found if is_whole.all() else found.at(np.flatnonzero(is_whole))


def numbers(values: Sequence[int]) -> Numbers:
    """Integers as 64 bits each, signed or unsigned."""
    try:
        return np.array(values, np.int64).view(np.uint64)
    except OverflowError:  # for example inodes of some file servers
        return np.array([value & _UNSIGNED for value in values], np.uint64)


def texts(values: Sequence[str | None]) -> Objects:
    """Texts as an array of objects."""
    found = np.empty(len(values), np.object_)
    found[:] = values
    return found


def blob(named: Numbers) -> bytes:
    """Numbers of 64 bits each, or a file's pictures, as one value."""
    return named.astype("<u8").tobytes()
