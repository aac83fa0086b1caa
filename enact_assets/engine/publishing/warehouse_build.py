"""Makes staging relations and marts in a database and checks them.

The database is empty, or a copy of the former one: what would be made of the same is kept.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import duckdb
import polars as pl

from enact_assets.contracts.errors import DamagedFileError, WarehouseError
from enact_assets.contracts.ids import content_sha
from enact_assets.engine.publishing.building_jobs import UNKNOWN, Building, drop
from enact_assets.engine.publishing.former_file import PARTS, Kept
from enact_assets.engine.publishing.publishable import LeftOut, Sources, refuse_changed
from enact_assets.engine.publishing.relations import (
    StalePartitions,
    comment_columns,
    comment_relation,
    create_given_view,
    kinds_of,
)
from enact_assets.engine.publishing.sql_files import CHECKS, SqlFile
from enact_assets.engine.publishing.sql_runs import SideBySide
from enact_assets.engine.publishing.warehouse_checks import CheckResult, merged
from enact_assets.engine.tables import TABLES, Table


@dataclass(frozen=True)
class Built:
    """Rows of each relation, what rows of published files were left out, and all checks.

    ``made`` is what the next publication may keep: the name of each relation, part and check.
    ``ran`` names those of them that were made or run now.
    """

    rows: dict[str, int]
    left_out: LeftOut
    checks: tuple[CheckResult, ...]
    made: dict[str, Kept]
    ran: frozenset[str]


def build(
    connection: duckdb.DuckDBPyConnection,
    files: Sequence[SqlFile],
    sources: Sources,
    *,
    former: Mapping[str, Kept],
    stale: pl.DataFrame,
    on_progress: Callable[[float], None],
) -> Built:
    """Verify ``sources``, make the relations of ``files`` with comments, and run the checks.

    ``former`` is what the database holds already. ``on_progress`` gets the share done. Errors:
    :class:`DamagedFileError` names files of the lake that cannot be used; :class:`WarehouseError`
    the SQL file that failed, or files of the lake that changed meanwhile;
    :class:`TableContractError` for ``stale`` with other columns. Offending rows are no error.
    """
    connection.execute(f"create schema if not exists {PARTS}")
    building = Building(files, sources, former, content_sha(stale.rows()))
    jobs = list(building.jobs())
    try:
        with SideBySide(connection) as side_by_side:
            for other in side_by_side.connections:
                create_given_view(other, StalePartitions, stale)
            results = side_by_side.run(jobs, lambda n_done: on_progress(n_done / len(jobs)))
    except WarehouseError:
        refuse_changed(sources)
        raise
    except DamagedFileError:
        sources.refuse_damaged()  # by now all of them
        raise
    sources.refuse_damaged()
    kinds, left_out = kinds_of(connection), building.left_out
    made = {
        name: kept._replace(kind=kinds[name]) if kept.kind == UNKNOWN else kept
        for name, kept in building.made.items()
    }
    # One transaction: each of the hundreds of comments would be flushed to disk alone.
    connection.begin()
    for name in former.keys() - made.keys():
        drop(connection, name, former[name])
    for file in files:
        if file.stage == CHECKS or former.get(file.name) == made[file.name]:
            continue
        kind = made[file.name].kind
        comment_relation(connection, file.name, kind, file.meaning)
        contract = _contract(file.name)
        if contract is not None:
            comment_columns(connection, contract)
    connection.commit()
    return Built(
        {file.name: made[file.name].n_rows for file in files if file.stage != CHECKS},
        {table: left_out[table] for table in sources.sizes if left_out.get(table)},
        merged([result for result in results if result is not None]),
        made,
        frozenset(name for name, kept in made.items() if former.get(name) != kept),
    )


def _contract(relation: str) -> type[Table] | None:
    """The table that a staging relation holds; None of a mart."""
    return StalePartitions if relation == StalePartitions.table_name() else TABLES.get(relation)
