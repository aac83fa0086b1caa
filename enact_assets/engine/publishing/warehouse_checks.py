"""Checks of the warehouse: each file of ``sql/checks`` returns offending rows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import polars as pl

from enact_assets.engine.errors import CheckError, WarehouseError
from enact_assets.engine.publishing.relations import literal
from enact_assets.engine.publishing.sql_files import SqlFile
from enact_assets.engine.tables import Table

SHOWN_ROWS = 5
SPLIT_BY = "demonstration"


@dataclass(frozen=True)
class CheckResult:
    """Result of a check: how many offending rows, the first of them, and what to do about it.

    ``rows`` has at most five rows; without offending rows it has no columns.
    """

    name: str
    n_offending: int
    rows: pl.DataFrame = field(compare=False)
    advice: str

    @property
    def is_passed(self) -> bool:
        """Whether there was no offending row."""
        return self.n_offending == 0

    @property
    def first(self) -> dict[str, Any] | None:
        """The first offending row; None if there is none."""
        return None if self.rows.is_empty() else self.rows.row(0, named=True)

    def __str__(self) -> str:
        if self.is_passed:
            return f"check {self.name}: passed"
        found = f"check {self.name}: {self.n_offending} offending rows, first {self.first}."
        return f"{found} What to do: {self.advice}"


def refuse_offending(warehouse_path: Path, checks: Sequence[CheckResult]) -> None:
    """Errors: :class:`CheckError` with all results if one of them has offending rows."""
    failed = [str(check) for check in checks if not check.is_passed]
    if failed:
        raise CheckError(
            f"{warehouse_path}: not replaced, {len(failed)} of {len(checks)} checks failed.\n"
            + "\n".join(failed),
            tuple(checks),
        )


class Within(NamedTuple):
    """A range of demonstrations, by their names: from ``first`` to before ``end`` (None:
    unlimited).
    """

    first: str | None = None
    end: str | None = None

    def holds(self, demonstration: str) -> bool:
        """Whether a demonstration is in the range."""
        return (self.first is None or self.first <= demonstration) and (
            self.end is None or demonstration < self.end
        )

    def rows_of(self, relation: str) -> str:
        """SQL: a relation's rows about demonstrations in the range."""
        bounds = ((">=", self.first), ("<", self.end))
        told = [f"{SPLIT_BY} {sign} {literal(name)}" for sign, name in bounds if name is not None]
        where = f" where {' and '.join(told)}" if told else ""
        return f"select * from main.{relation}{where}"  # noqa: S608 - our own names


ALL = Within()


def is_split(table: type[Table] | None) -> bool:
    """Whether each file of a table is about one demonstration."""
    return table is not None and table.by[:1] == (SPLIT_BY,)


def instead_of(rows: Mapping[str, str]) -> str:
    """SQL before a query that replaces some relations in it by ``rows`` (relation -> SQL)."""
    each = [f"{name} as not materialized ({sql})" for name, sql in rows.items()]
    return f"with {', '.join(each)} " if each else ""


def passed(file: SqlFile) -> CheckResult:
    """The result of a check without offending rows."""
    return CheckResult(file.name, 0, pl.DataFrame(), file.header.get("Fix", ""))


def run_check(
    connection: duckdb.DuckDBPyConnection, file: SqlFile, rows: Mapping[str, str] | None = None
) -> CheckResult:
    """Run one check, with some relations replaced by ``rows`` (relation -> SQL).

    Errors: :class:`WarehouseError` with DuckDB's message.
    """
    given = instead_of(rows or {})
    try:
        [(n_offending,)] = connection.execute(
            f"{given}select count(*) from (\n{file.query}\n)"  # noqa: S608 - the user's own SQL files
        ).fetchall()
        if not n_offending:
            return passed(file)
        first = connection.sql(f"{given}from (\n{file.query}\n) limit {SHOWN_ROWS}").pl()
        return CheckResult(file.name, n_offending, first, file.header.get("Fix", ""))
    except duckdb.Error as error:
        raise WarehouseError(f"{file.place}: {error}") from error


def merged(results: Sequence[CheckResult]) -> tuple[CheckResult, ...]:
    """Merge the results of ranges of demonstrations: one result for each check, in order."""
    checks = []
    for _, group in groupby(results, attrgetter("name")):
        of_check = list(group)
        found = [result for result in of_check if not result.is_passed]
        rows = pl.concat([r.rows for r in found]).head(SHOWN_ROWS) if found else pl.DataFrame()
        n_offending = sum(result.n_offending for result in found)
        checks.append(CheckResult(of_check[0].name, n_offending, rows, of_check[0].advice))
    return tuple(checks)
