"""The lock that keeps a second driver out of a data root, and says who holds it.

The operating system holds it for the process, and PostgreSQL for the connection: both let go the
moment the holder dies. No clock and no process number decides anything; they are only told.
"""

import errno
import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from enact_assets.contracts.errors import MaterializationError, SettingsError
from enact_assets.process_identity import ProcessIdentity

if TYPE_CHECKING:
    import psycopg2.extensions

LOCK_FILE = "materialize.lock"
POSTGRES_VARIABLE = "ENACT_POSTGRES_URL"
ADVISORY_KEY = 0x656E616374  # "enact"
NO_LOCKS_HERE = {errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS}
REACHED_S = 10
KEEPALIVE = "-c tcp_keepalives_idle=60 -c tcp_keepalives_interval=10 -c tcp_keepalives_count=6"
"""A holder whose machine vanished is noticed within two minutes, not two hours."""


def postgres_url() -> str | None:
    """The PostgreSQL database that Dagster stores in; None means SQLite below the data root."""
    return os.environ.get(POSTGRES_VARIABLE) or None


def plain_url(url: str) -> str:
    """``url`` as PostgreSQL's own library takes it, without the name of a Python driver."""
    scheme, colon, rest = url.partition(":")
    scheme = scheme.partition("+")[0]
    return f"{'postgresql' if scheme == 'postgres' else scheme}{colon}{rest}"


def without_password(url: str) -> str:
    """``url`` as it may be shown."""
    parts = urlsplit(url)
    place = parts.netloc.rpartition("@")[2]
    user = f"{parts.username}@" if parts.username else ""
    return f"{parts.scheme}://{user}{place}{parts.path}"


def make_folder(folder: Path) -> None:
    """Make ``folder``; raises :class:`SettingsError` if it cannot be made, or written into."""
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
    """Hold the data root's lock, and its database's if it has one.

    Errors: :class:`MaterializationError` names the driver that holds it: process, machine, since
    when; :class:`SettingsError` if the folder cannot be written or the database not be reached.
    """
    make_folder(data_root)
    with _file_lock(data_root), _database_lock(data_root):
        yield


@contextmanager
def _file_lock(data_root: Path) -> Iterator[None]:
    path = data_root / LOCK_FILE
    try:
        lock = path.open("a+", encoding="utf-8")
    except OSError as error:
        raise _not_writable(path, error) from error
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.seek(0)
            raise _taken(data_root, _told(lock.read(1000))) from None
        except OSError as error:
            if error.errno not in NO_LOCKS_HERE or postgres_url() is None:
                raise SettingsError(
                    f"{path}: this file system has no locks ({error.strerror}), so nothing would "
                    f"keep a second driver out. Set {POSTGRES_VARIABLE}, or give another --data "
                    "folder."
                ) from error
        try:
            lock.truncate(0)
            lock.write(json.dumps(_holder()))
            lock.flush()
        except OSError as error:
            raise _not_writable(path, error) from error
        yield


def _holder() -> dict[str, str]:
    return {
        "process": ProcessIdentity.here().encoded(),
        "since": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def _told(text: str) -> str:
    """Who holds the lock, by what it wrote; empty or half written if it is just about to."""
    try:
        found = json.loads(text)
        process = ProcessIdentity.decoded(found["process"])
        return f"{process or 'unknown'}, since {found['since']}"
    except (ValueError, TypeError, KeyError):
        return "it has only just begun"


@contextmanager
def _database_lock(data_root: Path) -> Iterator[None]:
    url = postgres_url()
    if url is None:
        yield
        return
    connection = connected(url)
    try:
        connection.autocommit = True
        with connection.cursor() as cursor:
            cursor.execute("select pg_try_advisory_lock(%s)", (ADVISORY_KEY,))
            if cursor.fetchone() != (True,):
                raise _taken(data_root, _database_holder(connection))
        yield
    finally:
        connection.close()


def connected(url: str) -> "psycopg2.extensions.connection":
    """A connection to the database. Errors: :class:`SettingsError` if it cannot be reached."""
    import psycopg2

    here = ProcessIdentity.here()
    try:
        return psycopg2.connect(
            plain_url(url),
            connect_timeout=REACHED_S,
            # PostgreSQL keeps 63 bytes of it, the machine's name last.
            application_name=f"enact-assets {here.pid} {here.host}",
            options=KEEPALIVE,
        )
    except psycopg2.Error as error:
        raise SettingsError(
            f"{POSTGRES_VARIABLE} ({without_password(url)}): cannot be reached: "
            f"{' '.join(str(error).split())}"
        ) from error


def _database_holder(connection: "psycopg2.extensions.connection") -> str:
    with connection.cursor() as cursor:
        cursor.execute(
            "select a.application_name, coalesce(host(a.client_addr), 'the database machine'), "
            "to_char(a.backend_start at time zone 'utc', 'YYYY-MM-DD\"T\"HH24:MI:SS\"+00:00\"') "
            "from pg_locks l join pg_stat_activity a using (pid) "
            "where l.locktype = 'advisory' and l.granted and l.classid = %s and l.objid = %s",
            (ADVISORY_KEY >> 32, ADVISORY_KEY & 0xFFFFFFFF),
        )
        row: tuple[Any, ...] | None = cursor.fetchone()
    if row is None:
        return "it has just ended: try again"
    name, address, since = row
    words = str(name).split(" ")
    if len(words) == 3 and words[0] == "enact-assets":
        return f"process {words[1]} on {words[2]}, connected from {address}, since {since}"
    return f"{name or 'unknown'}, connected from {address}, since {since}"


def _taken(data_root: Path, holder: str) -> MaterializationError:
    return MaterializationError(
        f"{data_root}: another driver is at work here ({holder}). Wait for it, or give this one "
        "another --data folder."
    )


def _not_writable(path: Path, error: OSError) -> SettingsError:
    return SettingsError(
        f"{path}: cannot be made or written ({error.strerror}). Materializing writes there: give "
        "another --data folder, or make this one writable."
    )
