"""Checks of the warehouse in Dagster: each file of sql/checks is a check of the relation it is
about.

Publishing runs them on the new file, which replaces the old one only if all pass. Run alone, they
check the published file. Runs that make a table do not run them, as they check the warehouse file.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

import dagster as dg

from enact_assets.engine.publishing.sql_files import CHECKS, SqlFile, packaged_sql
from enact_assets.engine.publishing.warehouse_checks import SHOWN_ROWS, CheckResult
from enact_assets.pipeline.dagster.asset_runs import left_out_of_asset_runs
from enact_assets.pipeline.dagster.table_assets import markdown_table
from enact_assets.pipeline.runs.resources import DataResource
from enact_assets.results.published import OpenWarehouse

CELL_CHARACTERS = 60


@cache
def _files() -> dict[str, SqlFile]:
    return {file.name: file for file in packaged_sql() if file.stage == CHECKS}


def relation_of(check: str) -> str:
    """The relation that a check is about: of the relations it reads, the one in its name, else the
    first.
    """
    reads = _files()[check].reads
    return max((name for name in reads if check.startswith(name)), key=len, default=reads[0])


def _about(file: SqlFile) -> Iterator[str]:
    yield f"Fails with {file.meaning} A failure keeps the published file as it was."
    yield from (f"{name}: {file.header[name]}" for name in ("Rule", "Fix") if name in file.header)


def sql_check_specs() -> list[dg.AssetCheckSpec]:
    """One check per file of ``sql/checks``. In Dagster they block nothing, as partitions downstream
    of a table are made before the file is published.
    """
    return [
        dg.AssetCheckSpec(
            name,
            asset=relation_of(name),
            description="\n\n".join(_about(file)),
            metadata={"file": file.place},
        )
        for name, file in _files().items()
    ]


@left_out_of_asset_runs
@dg.multi_asset_check(name="sql_checks", specs=sql_check_specs(), can_subset=True)
def sql_checks(
    context: dg.AssetCheckExecutionContext, data: DataResource
) -> Iterator[dg.AssetCheckResult]:
    """Run the checks on the published file, without changing it."""
    ask = OpenWarehouse(data.warehouse_path)
    for key in sorted(context.selected_asset_check_keys):
        file = _files()[key.name]
        rows = ask(f"from (\n{file.query}\n)")
        advice = file.header.get("Fix", "")
        yield dg.AssetCheckResult(
            **_result(CheckResult(key.name, rows.height, rows.head(SHOWN_ROWS), advice))
        )


def report_sql_checks(context: dg.AssetExecutionContext, checks: Sequence[CheckResult]) -> None:
    """Report to Dagster the result of each check on the file that this run publishes or refuses."""
    kind = dg.DagsterEventType.ASSET_CHECK_EVALUATION
    for check in checks:
        found = dg.AssetCheckEvaluation(blocking=True, **_result(check))
        event = dg.DagsterEvent(kind.value, context.run.job_name, event_specific_data=found)
        context.instance.report_dagster_event(event, context.run.run_id)


def _result(check: CheckResult) -> dict[str, Any]:
    """Result and metadata: number of offending rows, the first of them, and what to do."""
    found: dict[str, Any] = {"offending rows": dg.MetadataValue.int(check.n_offending)}
    if not check.is_passed:
        rows = markdown_table(check.rows, CELL_CHARACTERS)
        found["first offending rows"] = dg.MetadataValue.md(rows)
        found["what to do"] = dg.MetadataValue.text(check.advice)
    return {
        "passed": check.is_passed,
        "asset_key": dg.AssetKey(relation_of(check.name)),
        "check_name": check.name,
        "severity": dg.AssetCheckSeverity.ERROR,
        "description": None if check.is_passed else str(check),
        "metadata": found,
    }
