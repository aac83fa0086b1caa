"""What goes into the warehouse: the files of the lake that are current, verified and unchanged.

Names leave: a variant is taken out of the registry, a demonstration is forgotten. Their files stay
in the lake and are not published. Tables that roll up several names keep rows of a leaver until
they are made again, so these rows are left out as well. Otherwise checks would blame them for
naming what is not there, or take them for what is. ``probes`` cannot be freed of a leaver: its
statistics count it until they are made again.
"""

import shutil
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path

from duckdb import DuckDBPyConnection

from enact_assets.contracts.errors import DamagedFileError, UnknownNameError, WarehouseError
from enact_assets.contracts.lineage import NOT_PUBLISHED
from enact_assets.contracts.tables import TABLES, Table
from enact_assets.storage.lake import Lake
from enact_assets.storage.many_files import File, Workers
from enact_assets.storage.parquet_files import Verified, held_dimensions
from enact_assets.storage.places import Entry, LocalPlace
from enact_assets.storage.relations import create_lake_view, is_one_of, lake_rows
from enact_assets.storage.verification import verify_files

Names = Mapping[str, Collection[str]]
"""Dimension -> names that are current; of a dimension that is not in it, all are."""
LeftOut = dict[str, dict[str, list[str]]]
"""Table -> column -> values whose rows are not published."""

MAX_NAMED = 5
_DIMENSIONS = {dimension for contract in TABLES.values() for dimension in contract.partitions}
_ROLL_UPS_OF_QUESTIONS = ("question_set", "asked_questions", "evaluation")
"""Tables that say, like ``qa``, which demonstration and gating a question is about."""


@dataclass(frozen=True)
class Source:
    """A verified file of the lake; ``path`` is where DuckDB reads it, None if it has no rows.

    ``held`` as in :class:`Verified`.
    """

    table: str
    entry: Entry
    content_sha: str
    path: Path | None
    held: Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class Sources:
    """``current`` is published; ``qa_of_leavers`` tells which questions belong to leavers."""

    lake: Lake
    current: tuple[Source, ...]
    qa_of_leavers: tuple[Path, ...]

    @cached_property
    def sizes(self) -> dict[str, int]:
        """Bytes of the files of each table."""
        sizes: dict[str, int] = {}
        for source in self.current:
            sizes[source.table] = sizes.get(source.table, 0) + source.entry.size
        return sizes

    def paths(self, table: str) -> list[Path]:
        """Files of ``table`` that have rows, in the order of their partitions."""
        return [s.path for s in self.current if s.table == table and s.path is not None]


@contextmanager
def find_sources(
    lake: Lake, names: Names, near: Path, told: Callable[[float], None]
) -> Iterator[Sources]:
    """Every file that goes in, each page compared with its checksum; valid within the block.

    Files of a lake that is not in a folder are copied to a temporary one beside ``near``. ``told``
    is given the share done, 0 to 1. Errors: :class:`UnknownNameError` for a dimension in ``names``
    that no table has; :class:`DamagedFileError` names the files that cannot be used.
    """
    for dimension in names:
        if dimension not in _DIMENSIONS:
            raise UnknownNameError.of("dimension", dimension, _DIMENSIONS)
    copies = None if isinstance(lake.place, LocalPlace) else near.with_name(f"{near.name}.lake")
    try:
        yield _find(lake, names, copies, told)
    finally:
        if copies is not None:
            shutil.rmtree(copies, ignore_errors=True)


def _find(lake: Lake, names: Names, copies: Path | None, told: Callable[[float], None]) -> Sources:
    files = {t: sorted(lake.entries(t)) for t in TABLES if t not in NOT_PUBLISHED}
    wanted = {t: [f for f in of if _is_current(t, f, names)] for t, of in files.items()}
    leavers = [f for f in files["qa"] if not _is_current("qa", f, names)]
    n_wanted = sum(map(len, wanted.values()))
    n_done = 0

    def verified(n_more: int) -> None:
        nonlocal n_done
        n_done += n_more
        told(n_done / n_wanted)

    sources: list[Source] = []
    damaged: list[str] = []
    with Workers(lake.place, n_wanted) as workers:

        def verify(
            name: str, of: Sequence[File], tell: Callable[[int], None]
        ) -> Iterator[Verified | str]:
            return workers.run(partial(verify_files, copies=copies), name, of, tell)

        for name, of in wanted.items():
            for (_, entry), found in zip(of, verify(name, of, verified), strict=True):
                if isinstance(found, str):
                    damaged.append(found)
                    continue
                path = _path(lake, copies, entry) if found.n_rows else None
                sources.append(Source(name, entry, found.content_sha, path, found.held))
        # Damage to what is not published stops nobody.
        usable = [
            _path(lake, copies, entry)
            for (_, entry), found in zip(leavers, verify("qa", leavers, _untold), strict=True)
            if not isinstance(found, str) and found.n_rows
        ]
    if damaged:
        more = len(damaged) - MAX_NAMED
        raise DamagedFileError(
            f"{len(damaged)} of {n_wanted} files of the lake cannot be published; the warehouse "
            "stays as it was.\n"
            + "\n".join(damaged[:MAX_NAMED])
            + (f"\nand {more} more" if more > 0 else "")
        )
    return Sources(lake, tuple(sources), tuple(usable))


def find_left_out(connection: DuckDBPyConnection, sources: Sources, names: Names) -> LeftOut:
    """Rows of leavers in published files: table -> column -> values, empty if there are none."""
    without = {
        name: _leavers(connection, contract, sources, names)
        for name, contract in TABLES.items()
        if name not in NOT_PUBLISHED
    }
    if questions := _questions_of_leavers(connection, sources, without):
        without["predictions"]["question_id"] = questions
    return {name: values for name, values in without.items() if values}


def create_lake_views(connection: DuckDBPyConnection, sources: Sources, left_out: LeftOut) -> None:
    """Make ``lake_<table>`` for every published table, without the rows that are left out."""
    for name, contract in TABLES.items():
        if name not in NOT_PUBLISHED:
            create_lake_view(connection, contract, sources.paths(name), left_out.get(name, {}))


def refuse_changed(sources: Sources) -> None:
    """Errors: :class:`WarehouseError` if a file was replaced since it was verified.

    What was read then is neither verified nor what the content hash says. Of copies all is.
    """
    if not isinstance(sources.lake.place, LocalPlace):
        return
    tables = dict.fromkeys(source.table for source in sources.current)
    now = {entry for name in tables for entry in sources.lake.files(name)}
    changed = [source for source in sources.current if source.entry not in now]
    if changed:
        raise WarehouseError(
            f"{len(changed)} of {len(sources.current)} files of the lake were written again while "
            f"they were published, first {sources.lake.place.where(changed[0].entry.name)}. "
            "Publish again."
        )


def _is_current(table_name: str, file: File, names: Names) -> bool:
    dimensions = TABLES[table_name].partitions
    return all(v in names[d] for d, v in zip(dimensions, file[0], strict=True) if d in names)


def _path(lake: Lake, copies: Path | None, entry: Entry) -> Path:
    return (lake.root if copies is None else copies) / entry.name


def _untold(_: int) -> None:
    """Nobody waits to hear of it."""


def _leavers(
    connection: DuckDBPyConnection, contract: Table, sources: Sources, names: Names
) -> dict[str, list[str]]:
    """Names that rows of published files still hold though they are current no more."""
    of_table = [s for s in sources.current if s.table == contract.name and s.path is not None]
    found = {}
    for column in held_dimensions(contract):
        if column not in names:
            continue
        values = {value for source in of_table for value in source.held.get(column, ())}
        unsaid = [s.path for s in of_table if column not in s.held and s.path is not None]
        rows = lake_rows(contract, unsaid)
        held = connection.execute(f"from ({rows}) select distinct {column}").fetchall()
        values.update(value for (value,) in held)
        if gone := sorted(values - set(names[column])):
            found[column] = gone
    return found


def _questions_of_leavers(
    connection: DuckDBPyConnection,
    sources: Sources,
    without: Mapping[str, Mapping[str, Collection[str]]],
) -> list[str]:
    """Questions in ``predictions``, which holds ids only, that are known to be about leavers.

    Known, not merely absent from ``qa``: a prediction for a question that nobody wrote is an error.
    """
    known = []
    if sources.qa_of_leavers:
        known.append(f"from ({lake_rows(TABLES['qa'], sources.qa_of_leavers)})")
    for name in _ROLL_UPS_OF_QUESTIONS:
        if without[name]:
            is_gone = " or ".join(is_one_of(column, v) for column, v in without[name].items())
            rows = lake_rows(TABLES[name], sources.paths(name))
            known.append(f"from ({rows}) where {is_gone}")
    if not known:
        return []
    gone = " union all ".join(f"select question_id {rows}" for rows in known)
    predicted = lake_rows(TABLES["predictions"], sources.paths("predictions"))
    written = lake_rows(TABLES["qa"], sources.paths("qa"))
    found = connection.execute(
        f"select distinct question_id from ({predicted}) "  # noqa: S608 - names from the contracts
        f"where question_id in (select question_id from ({gone})) "
        f"and question_id not in (select question_id from ({written}))"
    ).fetchall()
    return sorted(question for (question,) in found)
