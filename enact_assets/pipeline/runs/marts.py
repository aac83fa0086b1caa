"""Versions of marts in Dagster, which publishing reports."""

from collections.abc import Collection, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

import dagster as dg

from enact_assets.engine.ids import content_sha
from enact_assets.engine.publishing.relations import StalePartitions
from enact_assets.engine.publishing.sql_files import MARTS, SqlFile, packaged_sql
from enact_assets.engine.tables import TABLES
from enact_assets.results.published import Ask, OpenWarehouse

MADE_OF = "made of"
"""Metadata key: hash of the SQL of a mart and of everything it reads, from the published file."""
VERSION_TAG = "dagster/data_version"


@cache
def mart_files() -> tuple[SqlFile, ...]:
    """Files of all relations that publishing computes, each after the files it reads."""
    own = StalePartitions.table_name()
    return tuple(f for f in packaged_sql() if f.stage == MARTS or f.name == own)


@cache
def tables_of(mart: str) -> frozenset[str]:
    """Tables of the lake that a mart is made from, directly or through other marts."""
    named = {file.name: file for file in mart_files()}
    found = set[str]()
    for name in named[mart].reads:
        found |= {name} if name in TABLES else tables_of(name) if name in named else set()
    return frozenset(found)


class Content(NamedTuple):
    """Hash of the inputs of a mart, and the version of its rows: equal rows have equal versions."""

    made_of: str
    version: str


def reported_contents(instance: dg.DagsterInstance) -> dict[str, Content]:
    """Mart -> its content as last reported to Dagster; marts without a reported version are left
    out.
    """
    found = {}
    keys = [dg.AssetKey(file.name) for file in mart_files()]
    for record in instance.get_asset_records(keys):
        last = record.asset_entry.last_materialization
        event = None if last is None else last.asset_materialization
        if event is not None and event.tags and MADE_OF in event.metadata:
            content = Content(str(event.metadata[MADE_OF].value), event.tags[VERSION_TAG])
            found[event.asset_key.to_user_string()] = content
    return found


def contents(
    warehouse: Path, reported: Mapping[str, Content], ran: Collection[str] = ()
) -> Iterator[tuple[SqlFile, Content]]:
    """Each mart of the published file with its content, in the order of making.

    Rows are hashed, unless the mart has the same inputs as in ``reported`` and is not in ``ran``,
    the marts made now: another version of the code may make other rows from the same inputs.

    Errors: :class:`WarehouseError` if there is no published file, or not one of ours.
    """
    ask = OpenWarehouse(warehouse)
    made_of = dict(ask("select name, made_of from meta.made").iter_rows())
    for file in mart_files():
        before, now = reported.get(file.name), made_of[file.name]
        is_kept = before is not None and before.made_of == now and file.name not in ran
        version = before.version if before and is_kept else _rows_sha(ask, file.name)
        yield file, Content(now, version)


def _rows_sha(ask: Ask, relation: str) -> str:
    """Hash of columns and rows, in any order."""
    columns = ask(f"select column_name, column_type from (describe {relation})").rows()  # noqa: S608 - our own names
    rows = f"select count(*), sum(hash({relation}))::varchar from {relation}"  # noqa: S608
    return content_sha((columns, ask(rows).rows()))
