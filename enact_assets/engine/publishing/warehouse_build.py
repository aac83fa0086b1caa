"""Makes staging relations and marts in a database and checks them, part by part.

The database is empty, or a copy of the former one, of which unchanged relations are kept. Each
piece of work is a job that waits only for the jobs it needs: some tables of the lake are verified
while others, already verified, are read into the database.

A mart whose header says ``By: demonstration.`` is made in ranges of some dozen demonstrations, each
range a separate table. The relation is a view of these parts. Only parts of changed demonstrations
are made again, and only rows of one range at a time are in memory.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

import duckdb
import polars as pl

from enact_assets.engine.errors import DamagedFileError, WarehouseError
from enact_assets.engine.ids import content_sha
from enact_assets.engine.lake.file_metadata import contract_sha
from enact_assets.engine.progress import OnProgress
from enact_assets.engine.publishing.former_file import (
    PARTS,
    Kept,
    Part,
    part_from,
    parts_of,
    ranges_of,
)
from enact_assets.engine.publishing.publishable import (
    LeftOut,
    Sources,
    left_out_of,
    refuse_changed,
    verified_before,
)
from enact_assets.engine.publishing.relations import (
    GIVEN,
    StalePartitions,
    comment_columns,
    comment_old_columns,
    create_given_view,
    create_lake_view,
    kinds_of,
    literal,
    n_rows_of,
)
from enact_assets.engine.publishing.sql_files import CHECKS, MARTS, STAGING, SqlFile
from enact_assets.engine.publishing.sql_runs import Job, SideBySide
from enact_assets.engine.publishing.warehouse_checks import (
    ALL,
    SPLIT_BY,
    CheckResult,
    Within,
    instead_of,
    is_split,
    merged,
    passed,
    run_check,
)
from enact_assets.engine.tables import TABLES, Table


@dataclass(frozen=True)
class SplitMart:
    """The file of a mart, and the ranges of demonstrations that it is split into."""

    file: SqlFile
    ranges: Sequence[Within]

    @property
    def parts(self) -> list[str]:
        """Names of the relations of all ranges, in order."""
        return [self.part(within) for within in self.ranges]

    def part(self, within: Within) -> str:
        """Name of the relation of one range."""
        return part_from(self.file.name, within.first)

    def rows_of(self, within: Within) -> str:
        """SQL: its rows about some demonstrations."""
        name = self.file.name
        if within not in self.ranges:
            return within.rows_of(name)
        return f"select * from {self.part(within)}"  # noqa: S608 - our own names

    def making(self, within: Within, rows: Mapping[str, str]) -> SqlFile:
        """SQL file that makes one part from ``rows`` (relation -> SQL) about its demonstrations.

        Errors: :class:`WarehouseError` if the file does not begin with ``create table``.
        """
        name = self.file.name
        first, *_ = self._statements
        _, found, query = first.partition(f"create table {name} as")
        if not found:
            raise WarehouseError(
                f"{self.file.place}: says 'By: demonstration.', so its first statement must be "
                f"'create table {name} as'"
            )
        query = query.rstrip().removesuffix(";")
        name = self.part(within)
        sql = f"create table {name} as {instead_of(rows)}select * from (\n{query}\n)"  # noqa: S608 - our own names
        return replace(self.file, name=name, header={}, text=sql)

    def gathering(self) -> SqlFile:
        """SQL file that makes the relation of all parts and runs the rest of the file: comments."""
        _, *more = self._statements
        sql = ";\n".join([view_of(self.file.name, self.parts), *more])
        return replace(self.file, text=sql)

    @cached_property
    def _statements(self) -> list[str]:
        return [statement.query for statement in duckdb.extract_statements(self.file.text)]


def view_of(relation: str, parts: Sequence[str]) -> str:
    """SQL that makes a relation from its parts, one after the other."""
    rows = " union all ".join(f"select * from {part}" for part in parts)  # noqa: S608 - our own
    return f"create view {relation} as {rows}"


_COMMENT = re.compile(r"--[^\n]*")
_WORD = re.compile(r"\w+")
_LAKE = "lake_"
UNKNOWN = "table or view"
"""Kind of a relation until the database is asked."""

BuildJob = Job[CheckResult | None]


class Building:
    """The jobs that make all relations and checks, and their results so far."""

    def __init__(
        self,
        files: Sequence[SqlFile],
        sources: Sources,
        former: Mapping[str, Kept],
        sha_of_given: str,
    ) -> None:
        self.left_out: LeftOut = {}
        self.made: dict[str, Kept] = {}
        self._files = files
        self._sources = sources
        self._former = former
        self._sha_of_given = sha_of_given
        self._shas: dict[str, str] = {}
        self._split: dict[str, SplitMart] = {}
        self._parts = {
            table: parts_of(TABLES[table], sources.files(table)) for table in sources.sizes
        }

    def jobs(self) -> Iterator[BuildJob]:
        """All jobs; each waits for the jobs whose results it reads."""
        yield from self._jobs_of_tables()
        yield from self._jobs_of_files()

    def _jobs_of_tables(self) -> Iterator[BuildJob]:
        """For each table: one job that verifies it, one that finds the rows to leave out, and one
        for each part.
        """
        sources = self._sources
        leavers = "verify leavers"
        yield Job(leavers, lambda _: sources.verify_leavers(), is_due_anyway=True)
        for table, size in sources.sizes.items():
            verify = partial(self._verify, table)
            yield Job(_verify(table), verify, weight=size, is_due_anyway=True)
            before = verified_before(table)
            needs = {_verify(table), *map(_left_out, before), *([leavers] if before else [])}
            find = partial(self._find_left_out, table)
            yield Job(_left_out(table), find, frozenset(needs), size)
            parts = self._parts[table]
            for part in parts if len(parts) > 1 else []:
                make = partial(self._make_part, table, part)
                yield Job(part.name, make, frozenset({_left_out(table)}), size // len(parts))

    def _jobs_of_files(self) -> Iterator[BuildJob]:
        """One job for each SQL file, or one for each range of demonstrations for some marts and
        checks. Each waits for the earlier files and for the tables that its text names.
        """
        sizes = self._sources.sizes
        before: dict[str, str] = {}
        for file in self._files:
            words = set(_WORD.findall(_COMMENT.sub("", file.text)))
            tables = sorted(table for table in sizes if _LAKE + table in words)
            # Some columns have names of relations, so for files with By the header says what is
            # read.
            told = set(file.reads) if file.is_by_demonstration else words
            read = sorted(told & before.keys())
            parts = self._parts[file.name] if file.stage == STAGING and file.name in sizes else []
            named = [part.name for part in parts] if len(parts) > 1 else []
            needs = {*(before[name] for name in read), *map(_left_out, tables), *named}
            weight = sum(sizes.get(word, 0) for word in words)
            ranges = self._ranges(file, read)
            if file.stage == MARTS and ranges != [ALL]:
                mart = self._split[file.name] = SplitMart(file, ranges)
                for within in ranges:
                    make = partial(self._make_part_of_mart, mart, read, within)
                    yield Job(mart.part(within), make, frozenset(needs), weight // len(ranges))
                gather = partial(self._gather, mart)
                yield Job(file.place, gather, frozenset(mart.parts), weight)
                before[file.name] = file.place
                continue
            if file.stage == CHECKS:
                for within in ranges:
                    check = partial(self._check, file, read, within)
                    name = _name_of_check(file, within)
                    yield Job(name, check, frozenset(needs), weight // len(ranges))
                continue
            yield Job(file.place, partial(self._run, file, tables, read), frozenset(needs), weight)
            before[file.name] = file.place

    def _ranges(self, file: SqlFile, read: Sequence[str]) -> list[Within]:
        """The ranges of demonstrations into which a file is split: those of its largest table."""
        split = [table for table in read if len(self._parts.get(table, ())) > 1]
        if not file.is_by_demonstration or not split:
            return [ALL]
        largest = max(split, key=lambda table: self._sources.sizes[table])
        return ranges_of(self._parts[largest], self._sources.files(largest))

    def _verify(self, table: str, _: duckdb.DuckDBPyConnection) -> None:
        self._sources.verify(table)

    def _find_left_out(self, table: str, connection: duckdb.DuckDBPyConnection) -> None:
        try:
            self.left_out[table] = left_out_of(connection, self._sources, table, self.left_out)
        except duckdb.Error as error:
            raise WarehouseError(f"the files of the lake cannot be read: {error}") from error

    def _make_part(self, table: str, part: Part, connection: duckdb.DuckDBPyConnection) -> None:
        sql = f"create table {part.name} as select * from {_LAKE}{table}"  # noqa: S608 - our own
        made_of = self._sha_of_rows(table, part)
        making = SqlFile(STAGING, part.name, {}, sql)
        self._make(connection, making, made_of, reads=[(table, part)])

    def _run(
        self,
        file: SqlFile,
        tables: Sequence[str],
        read: Sequence[str],
        connection: duckdb.DuckDBPyConnection,
    ) -> None:
        rows = {table: self._sha_of_table(table) for table in tables}
        given = self._sha_of_given if file.name == StalePartitions.table_name() else None
        below = {name: self.made[name].made_of for name in read}
        made_of = content_sha((file.text, rows, below, given))
        parts = self._parts.get(file.name, []) if file.stage == STAGING else []
        if len(parts) > 1:
            names = [part.name for part in parts]
            viewing = replace(file, text=view_of(file.name, names))
            self._make(connection, viewing, made_of, gathers=names)
        else:
            whole = [(t, Part(t, range(len(self._sources.files(t))))) for t in tables]
            self._make(connection, file, made_of, reads=whole)

    def _make_part_of_mart(
        self,
        mart: SplitMart,
        read: Sequence[str],
        within: Within,
        connection: duckdb.DuckDBPyConnection,
    ) -> None:
        below = {name: self._sha_within(name, within) for name in read}
        made_of = content_sha((mart.file.text, below, within))
        making = mart.making(within, self._rows_within(read, within))
        self._make(connection, making, made_of, place=mart.file.place)

    def _gather(self, mart: SplitMart, connection: duckdb.DuckDBPyConnection) -> None:
        made_of = content_sha([(name, self.made[name].made_of) for name in mart.parts])
        self._make(connection, mart.gathering(), made_of, gathers=mart.parts)

    def _check(
        self,
        file: SqlFile,
        read: Sequence[str],
        within: Within,
        connection: duckdb.DuckDBPyConnection,
    ) -> CheckResult:
        below = {name: self._sha_within(name, within) for name in read}
        name = _name_of_check(file, within)
        self.made[name] = Kept(CHECKS, content_sha((file.text, below, within)), 0)
        # A warehouse is published only if all its checks passed.
        if self._former.get(name) == self.made[name]:
            return passed(file)
        return run_check(connection, file, self._rows_within(read, within))

    def _rows_within(self, read: Sequence[str], within: Within) -> dict[str, str]:
        """Relation -> SQL of its rows about the demonstrations of a range."""
        rows = {}
        for name in read if within != ALL else []:
            table = TABLES.get(name)
            if name in self._split:
                rows[name] = self._split[name].rows_of(within)
            elif table is not None and SPLIT_BY in table.schema():
                part = self._part_within(name, within)
                rows[name] = f"select * from {part}" if part else within.rows_of(name)  # noqa: S608
        return rows

    def _part_within(self, table: str, within: Within) -> str | None:
        """The part of a table that has exactly its rows about the demonstrations of a range."""
        parts = self._parts[table]
        if len(parts) == 1:
            return None
        ranges = ranges_of(parts, self._sources.files(table))
        return parts[ranges.index(within)].name if within in ranges else None

    def _sha_within(self, relation: str, within: Within) -> str:
        """Hash of everything that decides a relation's rows about the demonstrations of a range."""
        mart = self._split.get(relation)
        if mart is not None and within in mart.ranges:
            return self.made[mart.part(within)].made_of
        if within == ALL or not is_split(TABLES.get(relation)):
            return self.made[relation].made_of
        files = self._sources.files(relation)
        return self._sha_of_files(
            relation, [n for n, (values, _) in enumerate(files) if within.holds(values[0])]
        )

    def _make(
        self,
        connection: duckdb.DuckDBPyConnection,
        file: SqlFile,
        made_of: str,
        *,
        reads: Sequence[tuple[str, Part]] = (),
        gathers: Sequence[str] = (),
        place: str | None = None,
    ) -> None:
        """Run ``file`` on the rows that it ``reads``, unless the former file has its result.

        If it ``gathers`` parts, it has their rows. Errors name ``place`` instead of the file's own
        path, if it is given.
        """
        name = file.name
        before = self._former.get(name)
        if before is not None and before.made_of == made_of:
            self.made[name] = before
            return
        try:
            for table, part in reads:
                paths = self._sources.paths(table, part.numbers)
                create_lake_view(connection, TABLES[table], paths, self.left_out[table])
            connection.begin()
            if before is not None:
                drop(connection, name, before)
            connection.execute(file.text)
            connection.commit()
            counts = [self.made[part].n_rows for part in gathers]
            n_rows = sum(counts) if counts else _rows_of(connection, file)
        except duckdb.Error as error:
            raise WarehouseError(f"{place or file.place}: {error}") from error
        self.made[name] = Kept(UNKNOWN, made_of, n_rows)

    def _sha_of_table(self, table: str) -> str:
        """Hash of everything that decides the rows of a table, part by part."""
        return content_sha([self._sha_of_rows(table, part) for part in self._parts[table]])

    def _sha_of_rows(self, table: str, part: Part) -> str:
        if part.name not in self._shas:
            self._shas[part.name] = self._sha_of_files(table, part.numbers)
        return self._shas[part.name]

    def _sha_of_files(self, table: str, numbers: Sequence[int]) -> str:
        files = self._sources.of(table)
        rows = [(files[n].entry.name, files[n].content_sha) for n in numbers]
        return content_sha((contract_sha(TABLES[table]), self.left_out[table], rows))


def _name_of_check(file: SqlFile, within: Within) -> str:
    return file.place if within.first is None else f"{file.place} from {within.first}"


def _verify(table: str) -> str:
    return f"verify {table}"


def _left_out(table: str) -> str:
    return f"left out of {table}"


def _rows_of(connection: duckdb.DuckDBPyConnection, file: SqlFile) -> int:
    """Number of rows of the relation that the file made. Errors: :class:`WarehouseError` if it made
    none.
    """
    try:
        return n_rows_of(connection, file.name)
    except duckdb.CatalogException as error:
        if file.name in kinds_of(connection):
            raise
        missing = f"{file.place}: the file ran but created no relation {file.name!r}"
        raise WarehouseError(missing) from error


def drop(connection: duckdb.DuckDBPyConnection, name: str, kept: Kept) -> None:
    """Remove a relation of the former file."""
    if kept.kind != CHECKS:
        connection.execute(f"drop {kept.kind} if exists {name}")


@dataclass(frozen=True)
class Built:
    """Number of rows of each relation, rows of published files that were left out, and all checks.

    ``made`` maps the name of each relation, part and check to the record for the next publication.
    ``ran`` names those that were made or run now.
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
    on_progress: OnProgress,
) -> Built:
    """Verify ``sources``, make the relations of ``files`` with comments, and run the checks.

    ``former`` are the relations that the database has already. ``on_progress`` gets the number of
    files. Errors: :class:`DamagedFileError` names files of the lake that cannot be used;
    :class:`WarehouseError` the SQL file that failed, or files of the lake that changed meanwhile;
    :class:`TableContractError` for ``stale`` with other columns. Offending rows are not an error.
    """
    connection.execute(f"create schema if not exists {PARTS}")
    building = Building(files, sources, former, content_sha(stale.rows()))
    jobs = list(building.jobs())
    try:
        with SideBySide(connection) as side_by_side:
            for other in side_by_side.connections:
                create_given_view(other, StalePartitions, stale)
            results = side_by_side.run(jobs, on_progress)
    except WarehouseError:
        refuse_changed(sources)
        raise
    except DamagedFileError:
        sources.refuse_damaged()  # by now all files were read
        raise
    sources.refuse_damaged()
    kinds, left_out = kinds_of(connection), building.left_out
    made = {
        name: kept._replace(kind=kinds[name]) if kept.kind == UNKNOWN else kept
        for name, kept in building.made.items()
    }
    # One transaction, as otherwise each of hundreds of comments would be flushed to disk.
    connection.begin()
    for name in former.keys() - made.keys():
        drop(connection, name, former[name])
    for file in files:
        if file.stage == CHECKS or former.get(file.name) == made[file.name]:
            continue
        kind, contract = made[file.name].kind, _contract(file.name)
        connection.execute(f"comment on {kind} {file.name} is {literal(file.meaning)}")
        if contract is not None:
            comment_columns(connection, contract)
        elif file.successor:
            comment_old_columns(connection, file.name, file.successor)
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
    return GIVEN.get(relation) or TABLES.get(relation)
