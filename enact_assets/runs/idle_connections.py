"""Connections that a restart of the database broke are replaced before they are used."""

import time
from typing import Any

from sqlalchemy import event
from sqlalchemy.engine import Engine
from sqlalchemy.exc import DisconnectionError

IDLE_S = 1.0
"""A restart takes longer. Dagster takes a connection for every statement: asking each time would
double the round trips."""
_LEFT = "enact_left"


def ask_idle_connections(engine: Engine) -> None:
    """Ask kept connections of ``engine`` that were idle before they are used again.

    One that does not answer is dropped, and another one opened in its place.
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
        except Exception as error:  # each driver has errors of its own
            raise DisconnectionError from error

    event.listen(engine, "checkin", note)
    event.listen(engine, "checkout", ask)
