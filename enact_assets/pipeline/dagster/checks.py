"""Checks of the warehouse in Dagster: each file of sql/checks blocks publishing."""

from collections.abc import Iterator, Sequence
from typing import Any

import dagster as dg

from enact_assets.engine.publishing.sql_files import SqlFile, packaged_sql
from enact_assets.engine.publishing.warehouse_checks import CheckResult
from enact_assets.pipeline.dagster.table_assets import markdown_table
from enact_assets.pipeline.lineage.graph import WAREHOUSE

CELL_CHARACTERS = 60
Landed = dg.MaterializeResult[Any] | dg.AssetCheckResult


def sql_check_specs() -> list[dg.AssetCheckSpec]:
    """One blocking check per file of ``sql/checks``."""
    return [
        dg.AssetCheckSpec(
            file.name,
            asset=WAREHOUSE,
            blocking=True,
            description=_about(file),
            metadata={"file": file.place},
        )
        for file in packaged_sql()
        if file.stage == "checks"
    ]


def check_keys_of(assets: Sequence[str]) -> list[dg.AssetCheckKey]:
    """Checks that are part of landing ``assets``, for runs that request only these."""
    return [spec.key for spec in sql_check_specs()] if WAREHOUSE in assets else []


def sql_check_results(checks: Sequence[CheckResult]) -> Iterator[dg.AssetCheckResult]:
    """What each check found: how many offending rows, the first of them, and what to do."""
    for check in checks:
        found: dict[str, Any] = {"offending rows": check.n_offending}
        if not check.is_passed:
            rows = markdown_table(check.rows, CELL_CHARACTERS)
            found["first offending rows"] = dg.MetadataValue.md(rows)
            found["what to do"] = check.advice
        yield dg.AssetCheckResult(
            passed=check.is_passed,
            asset_key=WAREHOUSE,
            check_name=check.name,
            severity=dg.AssetCheckSeverity.ERROR,
            description=None if check.is_passed else str(check),
            metadata=found,
        )


def _about(file: SqlFile) -> str:
    parts = [f"Fails with {file.meaning}"]
    parts += [f"{name}: {file.header[name]}" for name in ("Rule", "Fix") if name in file.header]
    return "\n\n".join(parts)
