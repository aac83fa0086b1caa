"""Checks of the warehouse: each file of ``sql/checks`` returns offending rows."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb
import polars as pl

from enact_assets.contracts.errors import CheckError, WarehouseError
from enact_assets.engine.publishing.sql_files import CHECKS, SqlFile, read_sql_files, sql_folder

SHOWN_ROWS = 5


@dataclass(frozen=True)
class CheckResult:
    """What a check found: how many offending rows, the first of them, and what to do about it.

    ``rows`` are five at most; without any it has no columns.
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


def run_checks(
    connection: duckdb.DuckDBPyConnection, sql_root: Path | None = None
) -> tuple[CheckResult, ...]:
    """Run ``checks/*.sql`` on an open warehouse; offending rows are results, not errors."""
    files = read_sql_files(sql_root or sql_folder())
    return tuple(run_check(connection, file) for file in files if file.stage == CHECKS)


def refuse_offending(warehouse_path: Path, checks: Sequence[CheckResult]) -> None:
    """Errors: :class:`CheckError` with all results if one of them has offending rows."""
    failed = [str(check) for check in checks if not check.is_passed]
    if failed:
        raise CheckError(
            f"{warehouse_path}: not replaced, {len(failed)} of {len(checks)} checks failed.\n"
            + "\n".join(failed),
            tuple(checks),
        )


def passed(file: SqlFile) -> CheckResult:
    """The result of a check that found nothing."""
    return CheckResult(file.name, 0, pl.DataFrame(), file.header.get("Fix", ""))


def run_check(connection: duckdb.DuckDBPyConnection, file: SqlFile) -> CheckResult:
    """Run one check. Errors: :class:`WarehouseError` with DuckDB's message."""
    try:
        [(n_offending,)] = connection.execute(
            f"select count(*) from (\n{file.query}\n)"  # noqa: S608 - the user's own SQL files
        ).fetchall()
        if not n_offending:
            return passed(file)
        first = connection.sql(f"from (\n{file.query}\n) limit {SHOWN_ROWS}").pl()
        return CheckResult(file.name, n_offending, first, file.header.get("Fix", ""))
    except duckdb.Error as error:
        raise WarehouseError(f"{file.place}: {error}") from error
