"""Dagster's storage in PostgreSQL, for any URL that PostgreSQL itself takes, over kept connections.

Without a driver in the URL, SQLAlchemy 2.1 takes one that dagster-postgres cannot work with; and
outside its web server, Dagster opens a connection for every statement. Named in ``dagster.yaml``.
"""

from collections.abc import Mapping
from typing import Any, Self

from dagster._serdes import ConfigurableClassData
from dagster_postgres import (  # noqa: TID253 - loaded only where dagster.yaml names this module
    DagsterPostgresStorage,
)

from enact_assets.runs.driver_lock import plain_url
from enact_assets.runs.idle_connections import ask_idle_connections

DRIVER = "postgresql+psycopg2"
STATEMENT_S = 300
"""PostgreSQL gives up a statement after this."""
RECYCLE_S = 3600
MOST_CONNECTIONS = 20


class KeptPostgresStorage(DagsterPostgresStorage):
    """Runs, events and schedules in one database."""

    @classmethod
    def from_config_value(
        cls, inst_data: ConfigurableClassData | None, config_value: Mapping[str, Any]
    ) -> Self:
        """Made by Dagster from the ``config`` of ``dagster.yaml``: ``postgres_url``."""
        url = plain_url(config_value["postgres_url"]).replace("postgresql", DRIVER, 1)
        kept = cls(url, should_autocreate_tables=True, inst_data=inst_data)
        kept.optimize_for_webserver(1000 * STATEMENT_S, RECYCLE_S, MOST_CONNECTIONS)
        return kept

    def optimize_for_webserver(
        self, statement_timeout: int, pool_recycle: int, max_overflow: int
    ) -> None:
        """Keep connections; limits in milliseconds, seconds, and number beyond the one kept."""
        for part in (self.run_storage, self.event_log_storage, self.schedule_storage):
            part.optimize_for_webserver(
                statement_timeout=statement_timeout,
                pool_recycle=pool_recycle,
                max_overflow=max_overflow,
            )
            # Dagster passes on no pool_pre_ping.
            ask_idle_connections(getattr(part, "_engine"))  # noqa: B009 - it declares none
