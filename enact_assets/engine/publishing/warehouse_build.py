"""Makes staging relations and marts in a database and checks them.

The database is empty, or a copy of the former one: what would be made of the same is kept.
Everything is a job that waits for what it needs and for nothing else: tables of the lake are
verified while others, verified already, are read into the database.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import duckdb
import polars as pl

from enact_assets.contracts.errors import DamagedFileError, WarehouseError
from enact_assets.contracts.ids import content_sha
from enact_assets.engine.lake.file_metadata import contract_sha
from enact_assets.engine.publishing.former_file import PARTS, Kept, Part, parts_of, ranges_of
from enact_assets.engine.publishing.publishable import (
    LeftOut,
    Sources,
    left_out_of,
    refuse_changed,
    verified_before,
)
from enact_assets.engine.publishing.relations import (
    StalePartitions,
    comment_columns,
    comment_relation,
    create_given_view,
    create_lake_view,
    kinds_of,
    n_rows_of,
)
from enact_assets.engine.publishing.sql_files import CHECKS, STAGING, SqlFile
from enact_assets.engine.publishing.sql_runs import Job, SideBySide
from enact_assets.engine.publishing.warehouse_checks import (
    ALL,
    CheckResult,
    Within,
    is_split,
    merged,
    passed,
    run_check,
)
from enact_assets.engine.tables import TABLES, Table

_COMMENT = re.compile(r"--[^\n]*")
_WORD = re.compile(r"\w+")
_LAKE = "lake_"
_UNKNOWN = "table or view"


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
    building = _Building(files, sources, former, content_sha(stale.rows()))
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
        name: kept._replace(kind=kinds[name]) if kept.kind == _UNKNOWN else kept
        for name, kept in building.made.items()
    }
    # One transaction: each of the hundreds of comments would be flushed to disk alone.
    connection.begin()
    for name in former.keys() - made.keys():
        _drop(connection, name, former[name])
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


_Job = Job[CheckResult | None]


class _Building:
    """Jobs that make everything, and what they have made so far."""

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
        self._parts = {
            table: parts_of(TABLES[table], sources.files(table)) for table in sources.sizes
        }

    def jobs(self) -> Iterator[_Job]:
        """Each waits for what it reads."""
        yield from self._jobs_of_tables()
        yield from self._jobs_of_files()

    def _jobs_of_tables(self) -> Iterator[_Job]:
        """Per table, one that verifies it, one that finds whose rows of it are left out, and one
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

    def _jobs_of_files(self) -> Iterator[_Job]:
        """One per file, of some checks one per range of demonstrations; each waits for the files
        before it, and for the tables, that its text names.
        """
        sizes = self._sources.sizes
        before: dict[str, str] = {}
        for file in self._files:
            words = set(_WORD.findall(_COMMENT.sub("", file.text)))
            tables = sorted(table for table in sizes if _LAKE + table in words)
            # Columns have names of relations, too: a header that says By says what is read.
            told = set(file.reads) if file.is_by_demonstration else words
            read = sorted(told & before.keys())
            parts = self._parts[file.name] if file.stage == STAGING and file.name in sizes else []
            named = [part.name for part in parts] if len(parts) > 1 else []
            needs = {*(before[name] for name in read), *map(_left_out, tables), *named}
            weight = sum(sizes.get(word, 0) for word in words)
            if file.stage == CHECKS:
                ranges = self._ranges(file, read)
                for within in ranges:
                    check = partial(self._check, file, read, within)
                    name = _name_of_check(file, within)
                    yield Job(name, check, frozenset(needs), weight // len(ranges))
                continue
            yield Job(file.place, partial(self._run, file, tables, read), frozenset(needs), weight)
            before[file.name] = file.place

    def _ranges(self, file: SqlFile, read: Sequence[str]) -> list[Within]:
        """Of demonstrations that a check looks at one after another: those of its largest table."""
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
        self._make(connection, SqlFile(STAGING, part.name, {}, sql), made_of, [(table, part)])

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
            rows_of = " union all ".join(f"select * from {part.name}" for part in parts)  # noqa: S608
            sql = f"create view {file.name} as {rows_of}"
            self._make(connection, replace(file, text=sql), made_of, [])
        else:
            whole = [(t, Part(t, range(len(self._sources.files(t))))) for t in tables]
            self._make(connection, file, made_of, whole)

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
        # A file is published only if all its checks passed.
        if self._former.get(name) == self.made[name]:
            return passed(file)
        return run_check(connection, file, within, read)

    def _sha_within(self, relation: str, within: Within) -> str:
        """Hash of all that decides those of its rows that are about some demonstrations."""
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
        reads: Sequence[tuple[str, Part]],
    ) -> None:
        """Run ``file`` on the rows that it ``reads``, unless the former file has what it makes."""
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
                _drop(connection, name, before)
            connection.execute(file.text)
            connection.commit()
            n_rows = _rows_of(connection, file)
        except duckdb.Error as error:
            raise WarehouseError(f"{file.place}: {error}") from error
        self.made[name] = Kept(_UNKNOWN, made_of, n_rows)

    def _sha_of_table(self, table: str) -> str:
        """Hash of all that decides the rows of a table, part by part."""
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
    """Rows of what the file made. Errors: :class:`WarehouseError` if it made nothing."""
    try:
        return n_rows_of(connection, file.name)
    except duckdb.CatalogException as error:
        if file.name in kinds_of(connection):
            raise
        missing = f"{file.place}: the file ran but created no relation {file.name!r}"
        raise WarehouseError(missing) from error


def _drop(connection: duckdb.DuckDBPyConnection, name: str, kept: Kept) -> None:
    if kept.kind != CHECKS:
        connection.execute(f"drop {kept.kind} if exists {name}")
