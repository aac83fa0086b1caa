"""Selects the files of the lake to publish: current, verified and unchanged.

Names can be removed: a variant leaves the registry, a demonstration is forgotten. Files of removed
names stay in the lake and are not published. Tables that combine several names keep rows of a
removed name until they are made again, so these rows are left out, too. Otherwise checks would
report references to missing rows, or count removed rows as current ones. ``probes`` keeps removed
names in its statistics until it is made again.

A stale partition may refer to rows that no longer exist, for example answers to questions that were
since written again. Its rows about ids that are not current are left out, too.
"""

import shutil
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from itertools import filterfalse
from pathlib import Path

from duckdb import DuckDBPyConnection

from enact_assets.engine.errors import (
    DamagedFile,
    DamagedFileError,
    UnknownNameError,
    WarehouseError,
)
from enact_assets.engine.lake.file_errors import VERIFY
from enact_assets.engine.lake.file_verification import Refused, Verified, verify_files
from enact_assets.engine.lake.lake import Lake
from enact_assets.engine.lake.parquet_files import held_dimensions
from enact_assets.engine.publishing.relations import is_one_of, lake_rows, within_partition
from enact_assets.engine.system.local_places import LocalPlace
from enact_assets.engine.system.many_files import File, Workers
from enact_assets.engine.system.places import Entry
from enact_assets.engine.tables import TABLES, Reference, Table, dimensions

Names = Mapping[str, Collection[str]]
"""Dimension -> current names. In a dimension that is not listed, all names are current."""
LeftOut = dict[str, dict[str, list[str]]]
"""Table -> column, or other SQL of a row -> values whose rows are not published."""

MAX_NAMED = 5


@dataclass(frozen=True)
class Source:
    """A file of the lake.

    ``held`` as in :class:`Verified`. ``is_verified`` is false if only the former publication
    verified this file; it need not be read again.
    """

    table: str
    entry: Entry
    content_sha: str
    held: Mapping[str, Sequence[str]]
    n_rows: int
    is_verified: bool = True


Remembered = Mapping[Entry, Verified]
"""Files of the former publication, and the results of verifying them."""


class Sources:
    """All files of a lake to publish. Tables are verified one by one, in any order.

    Files that are ``remembered`` are verified only if their rows are read. Files of a lake at a URL
    are copied below ``copies`` when they are verified. ``stale`` are tables and keys of stale
    partitions.
    """

    def __init__(
        self,
        lake: Lake,
        names: Names,
        copies: Path | None,
        remembered: Remembered,
        stale: Collection[tuple[str, str | None]] = (),
    ) -> None:
        self.lake = lake
        self.names = names
        self._stale = frozenset(stale)
        self._copies = copies
        self._remembered = remembered
        self._reading = threading.Lock()
        self.listed_ns = time.time_ns()
        files = {n: sorted(lake.entries(n)) for n, t in TABLES.items() if t.is_published}
        self._files = {t: list(filter(_is_current(t, names), of)) for t, of in files.items()}
        self.sizes = {t: sum(entry.size for _, entry in of) for t, of in self._files.items()}
        """Bytes of the files of each published table."""
        referred = {t.refers_to.of for t in TABLES.values() if t.refers_to is not None}
        self._leavers = {
            t: list(filterfalse(_is_current(t, names), files[t])) for t in sorted(referred)
        }
        self._verified: dict[str, list[Source]] = {}
        self._damaged: dict[str, list[DamagedFile]] = {}
        self._of_leavers: dict[str, list[Path]] = {}

    def files(self, table: str) -> list[File]:
        """Files of ``table`` that are published, in the order of their partitions."""
        return self._files[table]

    @property
    def current(self) -> list[Source]:
        """Verified files that are published, table by table, in the order of their partitions."""
        return [source for table in self._files for source in self._verified.get(table, [])]

    def stale(self, table: str) -> list[int]:
        """Indices in :meth:`files` of stale partitions."""
        keys = ["|".join(values) or None for values, _ in self._files[table]]
        return [number for number, key in enumerate(keys) if (table, key) in self._stale]

    def of_leavers(self, table: str) -> list[Path]:
        """Files of ``table`` of removed names: not published, but other tables may refer to their
        rows.
        """
        return self._of_leavers[table]

    def of(self, table: str) -> list[Source]:
        """Files of ``table``, verified or remembered.

        Errors: :class:`DamagedFileError` if a file is damaged.
        """
        if self._damaged[table]:
            self.refuse_damaged()
        return self._verified[table]

    def paths(self, table: str, numbers: Sequence[int] | None = None) -> list[Path]:
        """Paths of the files with rows, for DuckDB; files that were only remembered are verified
        now.

        ``numbers`` are indices in :meth:`of` (None: all). Errors: as :meth:`of`;
        :class:`WarehouseError` for a file that changed since it was remembered.
        """
        with self._reading:
            known = self.of(table)
            files = self._files[table]
            wanted = range(len(known)) if numbers is None else numbers
            unread = [n for n in wanted if not known[n].is_verified]
            found = self._read(table, [files[n] for n in unread])
            for number, verified in zip(unread, found, strict=True):
                if verified != self._remembered[known[number].entry]:
                    where = self.lake.place.where(known[number].entry.name)
                    raise WarehouseError(f"{where}: not as it was when it was published last")
                known[number] = replace(known[number], is_verified=True)
        return [self._path(known[n].entry) for n in wanted if known[n].n_rows]

    def verify(self, table: str) -> None:
        """Read all files of ``table`` that are not remembered.

        :meth:`refuse_damaged` reports damage.
        """
        files = self._files[table]
        read = self._read(table, [file for file in files if file[1] not in self._remembered])
        verified, damaged = [], []
        for _, entry in files:
            known = self._remembered.get(entry)
            found = next(read) if known is None else known
            if isinstance(found, Refused):
                damaged.append(found.file)
                continue
            said = (found.content_sha, found.held, found.n_rows)
            verified.append(Source(table, entry, *said, is_verified=known is None))
        self._verified[table], self._damaged[table] = verified, damaged

    def verify_leavers(self) -> None:
        """Read unpublished files; damage there does not stop publishing."""
        for table, files in self._leavers.items():
            self._of_leavers[table] = [
                self._path(entry)
                for (_, entry), verified in zip(files, self._read(table, files), strict=True)
                if isinstance(verified, Verified) and verified.n_rows
            ]

    def refuse_damaged(self) -> None:
        """Errors: :class:`DamagedFileError` names the damaged files."""
        damaged = [file for files in self._damaged.values() for file in files]
        if damaged:
            n_files, more = sum(map(len, self._files.values())), len(damaged) - MAX_NAMED
            raise DamagedFileError(
                f"{len(damaged)} of {n_files} files of the lake cannot be published; the warehouse "
                "stays as it was.\n"
                + "".join(f"{file.reason}\n" for file in damaged[:MAX_NAMED])
                + (f"and {more} more\n" if more > 0 else "")
                + VERIFY,
                tuple(damaged),
            )

    def _read(self, table: str, files: Sequence[File]) -> Iterator[Verified | Refused]:
        with Workers(self.lake.place, len(files)) as workers:
            work = partial(verify_files, copies=self._copies)
            yield from workers.run(work, table, files, lambda _n_more: None)

    def _path(self, entry: Entry) -> Path:
        return (self.lake.root if self._copies is None else self._copies) / entry.name


@contextmanager
def find_sources(
    lake: Lake,
    names: Names,
    near: Path,
    remembered: Remembered,
    stale: Collection[tuple[str, str | None]] = (),
) -> Iterator[Sources]:
    """All files to publish, not verified yet; valid within the block.

    Copies, if needed, go to a temporary folder beside ``near``; ``stale`` as in :class:`Sources`.
    Errors:
    :class:`UnknownNameError` for a dimension in ``names`` that no table has.
    """
    for dimension in names:
        if dimension not in dimensions():
            raise UnknownNameError.of("dimension", dimension, dimensions())
    copies = None if isinstance(lake.place, LocalPlace) else near.with_name(f"{near.name}.lake")
    try:
        yield Sources(lake, names, copies, remembered, stale)
    finally:
        if copies is not None:
            shutil.rmtree(copies, ignore_errors=True)


def verified_before(table: str) -> tuple[str, ...]:
    """Tables that must be verified, with their rows of removed names found, before ``table`` is
    read.
    """
    refers_to = TABLES[table].refers_to
    if refers_to is None:
        return ()
    return tuple(dict.fromkeys((*refers_to.also_in, refers_to.of, refers_to.current_in)))


def left_out_of(
    connection: DuckDBPyConnection, sources: Sources, table: str, left_out: LeftOut
) -> dict[str, list[str]]:
    """Rows to leave out of published files of ``table``: rows of removed names, and rows of stale
    partitions about ids that vanished. Column, or other SQL of a row -> values.

    ``left_out`` has the rows to leave out of the tables in :func:`verified_before`.
    """
    found = _leavers(connection, TABLES[table], sources)
    refers_to = TABLES[table].refers_to
    if refers_to is not None:
        gone = _ids_of_leavers(connection, sources, TABLES[table], refers_to, left_out)
        if gone:
            found[refers_to.column] = gone
        found |= _vanished(connection, sources, TABLES[table], refers_to)
    return found


def refuse_changed(sources: Sources) -> None:
    """Errors: :class:`WarehouseError` if a file was replaced since it was verified.

    The rows that were read may then be unverified and differ from the content hash. Copied files
    need no check.
    """
    place = sources.lake.place
    if not isinstance(place, LocalPlace):
        return
    entries = [source.entry for source in sources.current]
    changed = [entries[number] for number, _ in place.changed(entries)]
    if changed:
        raise WarehouseError(
            f"{len(changed)} of {len(entries)} files of the lake changed during "
            f"publishing, first {place.where(changed[0].name)}. Publish again."
        )


def _is_current(table_name: str, names: Names) -> Callable[[File], bool]:
    """Whether all names of a file of a table are current."""
    told = [names.get(dimension) for dimension in TABLES[table_name].by]
    checked = [(place, current) for place, current in enumerate(told) if current is not None]
    return lambda file: all(file[0][place] in current for place, current in checked)


def _leavers(
    connection: DuckDBPyConnection, contract: type[Table], sources: Sources
) -> dict[str, list[str]]:
    """Removed names that rows of published files still have."""
    name = contract.table_name()
    found = {}
    for column in held_dimensions(contract):
        if column not in sources.names:
            continue
        held = [source.held.get(column) for source in sources.of(name)]
        values = {value for of in held if of is not None for value in of}
        unsaid = [number for number, of in enumerate(held) if of is None]
        rows = lake_rows(contract, sources.paths(name, unsaid))
        said = connection.execute(f"from ({rows}) select distinct {column}").fetchall()
        values.update(value for (value,) in said)
        if gone := sorted(values - set(sources.names[column])):
            found[column] = gone
    return found


def _vanished(
    connection: DuckDBPyConnection, sources: Sources, contract: type[Table], refers_to: Reference
) -> dict[str, list[str]]:
    """Ids in stale partitions of ``contract`` that are no longer current.

    In a fresh partition such an id is an error, which checks find.
    """
    name, column = contract.table_name(), refers_to.column
    listing = TABLES[refers_to.current_in]
    found = {}
    for number in sources.stale(name):
        partition = sources.files(name)[number][0]
        names = dict(zip(contract.by, partition, strict=True))
        listed = [
            place
            for place, (values, _) in enumerate(sources.files(refers_to.current_in))
            if all(names[d] == value for d, value in zip(listing.by, values, strict=True))
        ]
        rows = lake_rows(contract, sources.paths(name, [number]))
        current = lake_rows(listing, sources.paths(refers_to.current_in, listed))
        gone = connection.execute(
            f"select distinct {column} from ({rows}) "  # noqa: S608 - names from the contracts
            f"where {column} not in (select {column} from ({current}))"
        ).fetchall()
        if gone:
            ids = sorted(value for (value,) in gone)
            found[within_partition(contract, partition, column)] = ids
    return found


def _ids_of_leavers(
    connection: DuckDBPyConnection,
    sources: Sources,
    contract: type[Table],
    refers_to: Reference,
    left_out: LeftOut,
) -> list[str]:
    """Ids of removed names in ``contract``, a table that has only ids.

    Only ids found in files of removed names count: an id that no row has is an error.
    """
    known = []
    if paths := sources.of_leavers(refers_to.of):
        known.append(f"from ({lake_rows(TABLES[refers_to.of], paths)})")
    for name in refers_to.also_in:
        # Other rows belong to stale partitions, not to removed names.
        columns = TABLES[name].columns()
        if of_table := {c: v for c, v in left_out.get(name, {}).items() if c in columns}:
            is_gone = " or ".join(is_one_of(column, v) for column, v in of_table.items())
            rows = lake_rows(TABLES[name], sources.paths(name))
            known.append(f"from ({rows}) where {is_gone}")
    if not known:
        return []
    column = refers_to.column
    gone = " union all ".join(f"select {column} {rows}" for rows in known)
    referring = lake_rows(contract, sources.paths(contract.table_name()))
    current = lake_rows(TABLES[refers_to.of], sources.paths(refers_to.of))
    found = connection.execute(
        f"select distinct {column} from ({referring}) "  # noqa: S608 - names from the contracts
        f"where {column} in (select {column} from ({gone})) "
        f"and {column} not in (select {column} from ({current}))"
    ).fetchall()
    return sorted(value for (value,) in found)
