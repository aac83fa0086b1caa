"""What goes into the warehouse: the files of the lake that are current, verified and unchanged.

Names leave: a variant is taken out of the registry, a demonstration is forgotten. Their files stay
in the lake and are not published. Tables that roll up several names keep rows of a leaver until
they are made again, so these rows are left out as well. Otherwise checks would blame them for
naming what is not there, or take them for what is. ``probes`` cannot be freed of a leaver: its
statistics count it until they are made again.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from duckdb import DuckDBPyConnection

from enact_assets.contracts.errors import (
    DamagedFileError,
    LakeError,
    UnknownNameError,
    WarehouseError,
)
from enact_assets.contracts.tables import TABLES, Table
from enact_assets.storage.lake import Lake, Partition
from enact_assets.storage.relations import create_lake_view, is_one_of, lake_rows

Names = Mapping[str, Collection[str]]
"""Dimension -> names that are current; of a dimension that is not in it, all are."""

NOT_PUBLISHED = frozenset({"states", "observability"})
"""Tables that stay in the lake: heavy, and of no use in SQL."""

MAX_NAMED = 5
_DIMENSIONS = {dimension for contract in TABLES.values() for dimension in contract.partitions}
_ROLL_UPS_OF_QUESTIONS = ("question_set", "asked_questions", "evaluation")
"""Tables that say, like ``qa``, which demonstration and gating a question is about."""


@dataclass(frozen=True)
class Source:
    """A verified file of the lake, and how to recognize that it is still the same."""

    table: str
    path: Path
    content_sha: str
    identity: tuple[int, int, int]


@dataclass(frozen=True)
class Sources:
    """``current`` is published; ``qa_of_leavers`` tells which questions belong to leavers."""

    current: tuple[Source, ...]
    qa_of_leavers: tuple[Path, ...]

    def paths(self, table: str) -> list[Path]:
        """Files of ``table`` that are published, in the order of their partitions."""
        return [source.path for source in self.current if source.table == table]


def find_sources(lake: Lake, names: Names, told: Callable[[float], None]) -> Sources:
    """Every file that goes in, each page compared with its checksum.

    ``told`` is given the share done, 0 to 1. Errors: :class:`UnknownNameError` for a dimension in
    ``names`` that no table has; :class:`DamagedFileError` names the files that cannot be used.
    """
    for dimension in names:
        if dimension not in _DIMENSIONS:
            raise UnknownNameError.of("dimension", dimension, _DIMENSIONS)
    partitions = [
        (name, partition)
        for name in TABLES
        if name not in NOT_PUBLISHED
        for partition in lake.partitions(name)
    ]
    wanted = [(name, partition) for name, partition in partitions if _is_current(partition, names)]
    sources, damaged = [], []
    for done, (name, partition) in enumerate(wanted, start=1):
        path = lake.path(name, partition)
        try:
            identity = _identity(path)
            sources.append(Source(name, path, lake.verify(name, partition), identity))
        except DamagedFileError as error:
            damaged.append(str(error))
        told(done / len(wanted))
    if damaged:
        more = len(damaged) - MAX_NAMED
        raise DamagedFileError(
            f"{len(damaged)} of {len(wanted)} files of the lake cannot be published; the warehouse "
            "stays as it was.\n"
            + "\n".join(damaged[:MAX_NAMED])
            + (f"\nand {more} more" if more > 0 else "")
        )
    left = [p for name, p in partitions if name == "qa" and not _is_current(p, names)]
    return Sources(tuple(sources), tuple(lake.path("qa", p) for p in left if _is_usable(lake, p)))


def create_lake_views(
    connection: DuckDBPyConnection, sources: Sources, names: Names
) -> dict[str, dict[str, list[str]]]:
    """Make ``lake_<table>`` for every published table, without the rows of leavers.

    Returns what rows were left out by: table -> column -> values, empty if none were.
    """
    without = {
        name: _leavers(connection, contract, sources.paths(name), names)
        for name, contract in TABLES.items()
        if name not in NOT_PUBLISHED
    }
    if questions := _questions_of_leavers(connection, sources, without):
        without["predictions"]["question_id"] = questions
    for name, values in without.items():
        create_lake_view(connection, TABLES[name], sources.paths(name), values)
    return {name: values for name, values in without.items() if values}


def refuse_changed(sources: Sources) -> None:
    """Errors: :class:`WarehouseError` if a file was replaced since it was verified.

    What was read then is neither verified nor what the content hash says.
    """
    changed = [s for s in sources.current if _identity(s.path) != s.identity]
    if changed:
        raise WarehouseError(
            f"{len(changed)} of {len(sources.current)} files of the lake were written again while "
            f"they were published, first {changed[0].path}. Publish again."
        )


def _is_current(partition: Partition, names: Names) -> bool:
    return all(value in names[d] for d, value in partition.items() if d in names)


def _is_usable(lake: Lake, partition: Partition) -> bool:
    """Whether a ``qa`` file that is not published can be read; damage to it stops nobody."""
    try:
        lake.verify("qa", partition)
    except LakeError:
        return False
    return True


def _leavers(
    connection: DuckDBPyConnection, contract: Table, files: Sequence[Path], names: Names
) -> dict[str, list[str]]:
    """Names that rows of published ``files`` still hold though they are current no more."""
    found = {}
    for column in sorted(set(names) & set(contract.columns) - set(contract.partitions)):
        rows = lake_rows(contract, files)
        held = connection.execute(f"from ({rows}) select distinct {column}").fetchall()
        values = {value for (value,) in held}
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


def _identity(path: Path) -> tuple[int, int, int]:
    try:
        found = path.stat()
    except FileNotFoundError:
        return (0, 0, 0)
    return (found.st_ino, found.st_mtime_ns, found.st_size)
