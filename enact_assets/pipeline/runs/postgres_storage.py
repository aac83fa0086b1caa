"""Dagster's storage in PostgreSQL, for any URL that PostgreSQL accepts, with reused connections.

Without a driver in the URL, SQLAlchemy 2.1 uses one that dagster-postgres does not support. Outside
its web server, Dagster opens a connection for every statement. Connections that a restart of the
database broke are replaced before use. ``dagster.yaml`` names this storage.
"""

import time
from collections.abc import Mapping
from typing import Any, Self

from dagster._serdes import ConfigurableClassData
from dagster_postgres import (  # noqa: TID253 - loaded only where dagster.yaml names this module
    DagsterPostgresStorage,
)
from sqlalchemy import event
from sqlalchemy.engine import Engine
from sqlalchemy.exc import DisconnectionError

from enact_assets.pipeline.runs import backfill_requests  # noqa: F401 - the daemon loads it here
from enact_assets.pipeline.runs.driver_lock import plain_url

DRIVER = "postgresql+psycopg2"
STATEMENT_S = 300
"""PostgreSQL aborts a statement after this time."""
RECYCLE_S = 3600
MOST_CONNECTIONS = 20

IDLE_S = 1.0
"""Connections that were idle for longer are tested before use; a restart of the database takes
longer. Dagster takes a connection for every statement, so testing each time would double the round
trips."""
_LEFT = "enact_left"


def ask_idle_connections(engine: Engine) -> None:
    """Test idle connections of ``engine`` before they are used again.

    A connection that does not answer is replaced by a new one.
    """

    def note(_connection: Any, record: Any) -> None:
        record.info[_LEFT] = time.monotonic()

    def ask(connection: Any, record: Any, _proxy: Any) -> None:
        left = record.info.get(_LEFT)
        if left is None or time.monotonic() - left < IDLE_S:
            return
        try:
            cursor = connection.cursor()
            cursor.execute("select 1")
            cursor.close()
        except Exception as error:  # each database driver has its own errors
            raise DisconnectionError from error

    event.listen(engine, "checkin", note)
    event.listen(engine, "checkout", ask)


class KeptPostgresStorage(DagsterPostgresStorage):
    """Runs, events and schedules in one database."""

    @classmethod
    def from_config_value(
        cls, inst_data: ConfigurableClassData | None, config_value: Mapping[str, Any]
    ) -> Self:
        """Called by Dagster with the ``config`` of ``dagster.yaml``: ``postgres_url``."""
        url = plain_url(config_value["postgres_url"]).replace("postgresql", DRIVER, 1)
        kept = cls(url, should_autocreate_tables=True, inst_data=inst_data)
        kept.optimize_for_webserver(1000 * STATEMENT_S, RECYCLE_S, MOST_CONNECTIONS)
        return kept

    def optimize_for_webserver(
        self, statement_timeout: int, pool_recycle: int, max_overflow: int
    ) -> None:
        """Keep connections; limits in milliseconds, seconds, and number of additional
        connections.
        """
        for part in (self.run_storage, self.event_log_storage, self.schedule_storage):
            part.optimize_for_webserver(
                statement_timeout=statement_timeout,
                pool_recycle=pool_recycle,
                max_overflow=max_overflow,
            )
            # Dagster passes on no pool_pre_ping.
            ask_idle_connections(getattr(part, "_engine"))  # noqa: B009 - it declares none
