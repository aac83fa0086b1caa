"""A database of answers: a SQLite file in WAL mode, or PostgreSQL. One connection per thread."""

import re
import sqlite3
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from enact_assets.engine.errors import PeopleError

Row = Mapping[str, Any]
Run = Callable[..., list[dict[str, Any]]]
"""``run(sql, name=value)``: one statement; its values are ``:name``. Returns rows."""

T = TypeVar("T")

POSTGRES = "postgresql://"
BUSY_S = 20.0
"""How long a writer of a SQLite file waits for another one."""
_LOCK = 0x656E6163
"""Of PostgreSQL: held by a transaction that plans or draws questions."""
_NAMED = re.compile(r"(?<!:):(\w+)")


class Database:
    """The database at ``url``: a path, or ``postgresql://...``. Nothing is opened at first."""

    def __init__(self, url: str) -> None:
        self.is_postgres = url.startswith(POSTGRES)
        self.url = url
        self._local = threading.local()

    @property
    def name(self) -> str:
        """Address for messages: without a password."""
        return re.sub(r"//[^@/]*@", "//", self.url)

    def exists(self) -> bool:
        """Whether the database exists: for SQLite, whether the file does."""
        return self.is_postgres or Path(self.url).exists()

    def write(self, work: Callable[[Run], T], *, is_alone: bool = False) -> T:
        """The result of ``work``; everything that it writes is durable then, or nothing is.

        A broken connection is opened again once, and ``work`` runs again, so running it twice must
        do no harm. ``is_alone``: no other such work runs meanwhile. SQLite has one writer at a time
        in any case. Errors: :class:`PeopleError`.
        """

        def whole(run: Run) -> T:
            if is_alone and self.is_postgres:
                run("select pg_advisory_xact_lock(:lock)", lock=_LOCK)
            return work(run)

        return self._transaction(whole, "begin immediate")

    def read(self, sql: str, **values: Any) -> list[dict[str, Any]]:
        """Rows. Errors: :class:`PeopleError`."""
        return self._transaction(lambda run: run(sql, **values), "begin")

    def close(self) -> None:
        """Close the connection of this thread."""
        connection = self._local.__dict__.pop("connection", None)
        if connection is not None:
            connection.close()

    def _transaction(self, work: Callable[[Run], T], begin: str) -> T:
        try:
            return self._once(work, begin)
        except self._errors as error:
            if not self._is_broken():
                raise PeopleError(self._said(error)) from error
        self.close()
        try:
            return self._once(work, begin)
        except self._errors as error:
            self.close()
            raise PeopleError(self._said(error)) from error

    def _once(self, work: Callable[[Run], T], begin: str) -> T:
        connection = self._connection()
        cursor = connection.cursor()

        def run(sql: str, **values: Any) -> list[dict[str, Any]]:
            # A colon before a word is a value in SQLite; PostgreSQL's driver writes %(word)s.
            cursor.execute(_NAMED.sub(r"%(\1)s", sql) if self.is_postgres else sql, values)
            if cursor.description is None:
                return []
            names = [column[0] for column in cursor.description]
            return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]

        if not self.is_postgres:
            cursor.execute(begin)
        try:
            found = work(run)
            connection.commit()
        except BaseException:
            if not self._is_broken():
                connection.rollback()
            raise
        finally:
            cursor.close()
        return found

    def _connection(self) -> Any:
        if "connection" not in self._local.__dict__:
            self._local.connection = self._postgres() if self.is_postgres else self._sqlite()
        return self._local.connection

    def _sqlite(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self.url, timeout=BUSY_S, isolation_level=None)
        for pragma in ("journal_mode = wal", "synchronous = full", "foreign_keys = on"):
            connection.execute(f"pragma {pragma}")
        return connection

    def _postgres(self) -> Any:
        try:
            import psycopg2
        except ImportError as error:
            raise PeopleError(
                f"{self.name}: psycopg2 is not installed: pip install 'enact_assets[distributed]'"
            ) from error
        return psycopg2.connect(self.url, connect_timeout=10)

    def _is_broken(self) -> bool:
        """Whether the connection is gone, or was never made."""
        connection = self._local.__dict__.get("connection")
        return self.is_postgres and (connection is None or connection.closed != 0)

    @property
    def _errors(self) -> tuple[type[Exception], ...]:
        if not self.is_postgres:
            return (sqlite3.Error,)
        import psycopg2

        return (psycopg2.Error,)

    def _said(self, error: Exception) -> str:
        advice = "Free some space on its disk." if "full" in str(error) else ""
        return f"{self.name}: {str(error).strip()}. {advice}".strip()
