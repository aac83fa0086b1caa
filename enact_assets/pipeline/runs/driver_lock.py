"""The lock of a data root against a second driver. It also names the driver that holds it.

The operating system holds the lock for the process, and PostgreSQL for the connection; both release
it when the holder dies. Clocks and process numbers are only shown in messages, never used for
decisions.
"""

import errno
import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from filelock import FileLock, Timeout

from enact_assets.engine.errors import MaterializationError, SettingsError
from enact_assets.engine.given_files import open_given
from enact_assets.engine.system.process_identity import ProcessIdentity

if TYPE_CHECKING:
    import psycopg2.extensions

LOCK_FILE = "materialize.lock"
POSTGRES_VARIABLE = "ENACT_POSTGRES_URL"
ADVISORY_KEY = 0x656E616374  # "enact"
NO_LOCKS_HERE = {errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS}
REACHED_S = 10
WAIT_S = 0.2
"""Time to wait for the lock: longer than :func:`driver_at_work` holds it."""
KEEPALIVE = "-c tcp_keepalives_idle=60 -c tcp_keepalives_interval=10 -c tcp_keepalives_count=6"
"""With this, a vanished machine of a holder is noticed within two minutes, not two hours."""


def postgres_url() -> str | None:
    """The PostgreSQL database of Dagster's storage; None means SQLite below the data root."""
    return os.environ.get(POSTGRES_VARIABLE) or None


def plain_url(url: str) -> str:
    """``url`` in the form of PostgreSQL's own library, without the name of a Python driver."""
    scheme, colon, rest = url.partition(":")
    scheme = scheme.partition("+")[0]
    return f"{'postgresql' if scheme == 'postgres' else scheme}{colon}{rest}"


def shown(url: str) -> str:
    """Database and machine of ``url``, without secrets.

    Errors: :class:`SettingsError` if it is not a URL. The error quotes nothing: parts of a password
    with an unescaped ``/`` or ``@`` would appear as name or port.
    """
    import psycopg2
    from psycopg2.extensions import parse_dsn

    try:
        parts = parse_dsn(plain_url(url)) if url.startswith("postgres") else {}
    except (psycopg2.Error, UnicodeError):
        parts = {}
    host = parts.get("host") or parts.get("hostaddr") or "this machine"
    name, port = parts.get("dbname") or "of the user's name", parts.get("port", "5432")
    if not parts or "@" in host + name or not port.replace(",", "").isdecimal():
        raise SettingsError(
            f"{POSTGRES_VARIABLE}: not a URL of the form postgresql://user:password@host/database. "
            "Characters such as @ and / in the password must be written as %40 and %2F."
        )
    return f"database {name} on {host}{f':{port}' if 'port' in parts else ''}"


def make_folder(folder: Path) -> None:
    """Make ``folder``; raises :class:`SettingsError` if it cannot be made or written to."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _not_writable(folder, error) from error
    if not os.access(folder, os.W_OK | os.X_OK):
        is_disk = os.statvfs(folder).f_flag & os.ST_RDONLY
        number = errno.EROFS if is_disk else errno.EACCES
        raise _not_writable(folder, OSError(number, os.strerror(number)))


@contextmanager
def only_driver(data_root: Path) -> Iterator[None]:
    """Hold the lock of the data root, and the lock of its database if it has one.

    Errors: :class:`MaterializationError` names the driver that holds it: process, machine, start
    time; :class:`SettingsError` if the folder cannot be written or the database cannot be reached.
    """
    make_folder(data_root)
    with _file_lock(data_root), _database_lock():
        yield


@contextmanager
def _file_lock(data_root: Path) -> Iterator[None]:
    path = data_root / LOCK_FILE
    # With `preserve_lock_file` an error is raised if the file system has no locks. Without it, the
    # existence of the file would be the lock, even after the driver died.
    lock = FileLock(path, WAIT_S, preserve_lock_file=True, on_acquired=_write_holder)
    try:
        lock.acquire()
    except Timeout:
        raise _taken(data_root, _holder_in(path), "another --data folder") from None
    except OSError as error:
        if error.errno not in NO_LOCKS_HERE:
            raise _not_writable(path, error) from error
        if postgres_url() is None:
            raise SettingsError(
                f"{path}: this file system has no locks ({error.strerror}), so a second driver "
                f"could start. Set {POSTGRES_VARIABLE}, or give another --data folder."
            ) from error
    try:
        yield
    finally:
        lock.release()


def _write_holder(lock: int) -> None:
    since = datetime.now(UTC).isoformat(timespec="seconds")
    holder = {"process": ProcessIdentity.here().encoded(), "since": since}
    os.truncate(lock, 0)
    os.write(lock, json.dumps(holder).encode())


def _holder_in(path: Path) -> str:
    """The driver that a lock file names, unless it has ended and another driver is about to
    write.
    """
    with suppress(OSError, ValueError, TypeError, KeyError):
        found = json.loads(path.read_bytes())
        process = ProcessIdentity.decoded(found["process"])
        if process is not None and not process.is_gone():
            return f"{process}, since {found['since']}"
    return "it has just started"


class _DatabaseLock:
    """The lock in the database, held by one connection."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._connection = self._locked()

    def check(self) -> None:
        """Take the lock again if the connection was lost, as by a restart of the database."""
        import psycopg2

        try:
            with self._connection.cursor() as cursor:
                cursor.execute("select 1")
        except psycopg2.Error:
            self.close()
            self._connection = self._locked()

    def close(self) -> None:
        self._connection.close()

    def _locked(self) -> "psycopg2.extensions.connection":
        connection = connected(self._url)
        with connection.cursor() as cursor:
            cursor.execute("select pg_try_advisory_lock(%s)", (ADVISORY_KEY,))
            if cursor.fetchone() == (True,):
                return connection
        holder = _database_holder(connection) or "it has just ended; try again"
        connection.close()
        raise _taken(
            shown(self._url), holder, f"another database ({POSTGRES_VARIABLE}): one per data root"
        )


_held: list[_DatabaseLock] = []
"""Database locks that this process holds."""


def check_only_driver() -> None:
    """Check that no other driver has started since this one took its locks.

    Errors: :class:`MaterializationError` if another driver has started, after the database dropped
    the connection and with it the lock; :class:`SettingsError` if the database can no longer be
    reached.
    """
    for lock in _held:
        lock.check()


@contextmanager
def _database_lock() -> Iterator[None]:
    url = postgres_url()
    if url is None:
        yield
        return
    lock = _DatabaseLock(url)
    _held.append(lock)
    try:
        yield
    finally:
        _held.remove(lock)
        lock.close()


def driver_at_work(data_root: Path) -> str | None:
    """The driver of ``data_root`` or of another root on its database; None if there is none.

    The locks themselves are tested, so the answer is right even between two steps of a driver, and
    after a driver died. Errors: :class:`SettingsError` if the database cannot be reached.
    """
    holder = _file_holder(data_root / LOCK_FILE)
    url = postgres_url()
    if holder is not None or url is None:
        return holder
    connection = connected(url)
    try:
        return _database_holder(connection)
    finally:
        connection.close()


def _file_holder(path: Path) -> str | None:
    # No file yet, or a file system without locks: then the database has a lock.
    with suppress(OSError), open_given(path) as lock:
        try:
            # A shared lock, which FileLock does not offer, so that two checks at the same time do
            # not collide.
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return _holder_in(path)
    return None


def connected(url: str) -> "psycopg2.extensions.connection":
    """A connection to the database. Errors: :class:`SettingsError` if it cannot be reached."""
    import psycopg2

    here, place = ProcessIdentity.here(), shown(url)
    try:
        connection = psycopg2.connect(
            plain_url(url),
            connect_timeout=REACHED_S,
            # PostgreSQL keeps 63 bytes of it, so the machine's name comes last.
            application_name=f"enact-assets {here.pid} {here.host}",
            options=KEEPALIVE,
        )
    except psycopg2.Error as error:
        raise SettingsError(
            f"{POSTGRES_VARIABLE} ({place}): cannot be reached: {' '.join(str(error).split())}"
        ) from error
    connection.autocommit = True
    return connection


def _database_holder(connection: "psycopg2.extensions.connection") -> str | None:
    with connection.cursor() as cursor:
        cursor.execute(
            "select a.application_name, coalesce(host(a.client_addr), 'the database machine'), "
            "to_char(a.backend_start at time zone 'utc', 'YYYY-MM-DD\"T\"HH24:MI:SS\"+00:00\"') "
            "from pg_locks l join pg_stat_activity a using (pid) "
            "where l.locktype = 'advisory' and l.granted and l.classid = %s and l.objid = %s "
            "and l.database = (select oid from pg_database where datname = current_database())",
            (ADVISORY_KEY >> 32, ADVISORY_KEY & 0xFFFFFFFF),
        )
        row: tuple[Any, ...] | None = cursor.fetchone()
    if row is None:
        return None
    name, address, since = row
    words = str(name).split(" ")
    if len(words) == 3 and words[0] == "enact-assets":
        return f"process {words[1]} on {words[2]}, connected from {address}, since {since}"
    return f"{name or 'unknown'}, connected from {address}, since {since}"


def _taken(place: Path | str, holder: str, other: str) -> MaterializationError:
    return MaterializationError(
        f"{place}: another driver is at work here ({holder}). Wait for it, or give this driver "
        f"{other}."
    )


def _not_writable(path: Path, error: OSError) -> SettingsError:
    return SettingsError(
        f"{path}: cannot be made or written ({error.strerror}). The driver lock and Dagster's "
        "runs are stored there. Make the folder writable, or give another --data folder."
    )
