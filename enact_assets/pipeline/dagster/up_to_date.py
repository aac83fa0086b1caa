"""``up_to_date``: a check of every asset that warns about stale partitions.

Dagster shows a partitioned asset as fresh although some of its partitions are stale, and compares
at most a hundred partitions of an input. This check agrees with ``enact-assets plan``. A schedule
keeps it current, every quarter of an hour.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

import dagster as dg

from enact_assets.engine.planning.freshness import Answer, answers, answers_of_parts
from enact_assets.engine.planning.lineage import Lineage
from enact_assets.pipeline.dagster.asset_runs import left_out_of_asset_runs
from enact_assets.pipeline.lineage.graph import STEP_NAMED, STEP_OF, STEPS, WAREHOUSE
from enact_assets.pipeline.root.partitions_file import read_shards
from enact_assets.pipeline.root.scope import scoped_registry
from enact_assets.pipeline.runs.marts import mart_files, tables_of
from enact_assets.pipeline.runs.reported import (
    last_check_texts,
    read_lineage,
    report_landed,
    unreported,
)
from enact_assets.pipeline.runs.resources import DataResource
from enact_assets.pipeline.runs.running import CHECK_JOB, TRIGGER_TAG, WHY_TAG, assets_made_with
from enact_assets.pipeline.steps.previews import literal

CHECK = "up_to_date"
QUARTERLY = "*/15 * * * *"
MOST_CHARACTERS = 300


class OnItsOwnSchedule(dg.AutomationCondition[dg.AssetCheckKey]):
    """Never true. A check without a condition would run with every automatic materialization."""

    @property
    def description(self) -> str:
        """Description in the UI."""
        return "Evaluated by its own schedule, and by a driver at its end"

    def get_label(self) -> str:
        """Name in the UI."""
        return "on_its_own_schedule"

    def evaluate(
        self, context: dg.AutomationContext[dg.AssetCheckKey]
    ) -> dg.AutomationResult[dg.AssetCheckKey]:
        """No partitions."""
        return dg.AutomationResult(context, context.get_empty_subset())


CHECKED = tuple(dict.fromkeys(asset for step in STEPS for asset in assets_made_with(step.name)))
"""Every asset and mart, in the order in which data flow."""


@left_out_of_asset_runs
@dg.multi_asset_check(
    name=CHECK,
    specs=[
        dg.AssetCheckSpec(
            CHECK,
            asset=asset,
            description="Every existing partition was made from the current data, settings and "
            "code. `enact-assets plan` lists exceptions; `enact-assets materialize` makes them.",
            automation_condition=OnItsOwnSchedule(),
        )
        for asset in CHECKED
    ],
    can_subset=True,
)
def up_to_date(
    context: dg.AssetCheckExecutionContext, data: DataResource
) -> Iterator[dg.AssetCheckResult]:
    """Evaluate the plan of the selected assets and everything upstream; nothing is written.

    If all assets are selected, partitions of the lake that Dagster does not know are reported, too.
    """
    chosen = {key.asset_key.to_user_string() for key in context.selected_asset_check_keys}
    is_all = chosen >= set(CHECKED)
    steps = {STEP_OF[asset].name if asset in STEP_OF else WAREHOUSE for asset in chosen}
    root = Path(data.root)
    registry = scoped_registry(root)
    lineage = read_lineage(context.instance, data, registry, only=None if is_all else steps)
    if is_all:
        report_landed(context.instance, data, lineage, read_shards(root))
    found = _answers(lineage)
    for asset in sorted(chosen):
        answer = found[asset]
        yield dg.AssetCheckResult(
            passed=answer.is_up_to_date,
            asset_key=asset,
            check_name=CHECK,
            severity=dg.AssetCheckSeverity.WARN,
            description=answer.text,
            metadata=_metadata(answer),
        )


def changed_answers(instance: dg.DagsterInstance, lineage: Lineage) -> list[Answer]:
    """Answers that differ from the last check result of their asset."""
    last = last_check_texts(instance, CHECK, CHECKED)
    return [a for a in _answers(lineage).values() if last.get(a.asset) != a.text]


def report_up_to_date(instance: dg.DagsterInstance, lineage: Lineage) -> int:
    """Report every changed answer to Dagster, without a run; returns how many changed."""
    changed = changed_answers(instance, lineage)
    for answer in changed:
        instance.report_runless_asset_event(
            dg.AssetCheckEvaluation(
                asset_key=dg.AssetKey(answer.asset),
                check_name=CHECK,
                passed=answer.is_up_to_date,
                metadata=_metadata(answer),
                severity=dg.AssetCheckSeverity.WARN,
                description=answer.text,
            )
        )
    return len(changed)


def _answers(lineage: Lineage) -> dict[str, Answer]:
    """Asset -> its answer; includes marts if publishing is one of the steps."""
    found = dict(answers(lineage))
    if WAREHOUSE in found:
        marts = {file.name: tables_of(file.name) for file in mart_files()}
        found |= answers_of_parts(lineage, found, STEP_NAMED[WAREHOUSE], marts)
    return found


def _metadata(answer: Answer) -> Mapping[str, dg.MetadataValue]:
    if answer.is_up_to_date:
        return {}
    lines = ["| partition | why |", "|---|---|"]
    lines += [
        f"| {literal(p, MOST_CHARACTERS) or 'all'} | {literal(why, MOST_CHARACTERS)} |"
        for p, why in answer.first
    ]
    return {
        "stale": dg.MetadataValue.int(answer.n_stale),
        "made from a stale input": dg.MetadataValue.int(answer.n_following),
        "first": dg.MetadataValue.md("\n".join(lines)),
    }


@dg.schedule(
    cron_schedule=QUARTERLY,
    job_name=CHECK_JOB,
    default_status=dg.DefaultScheduleStatus.RUNNING,
    description="Evaluates the check up_to_date of every asset, in a run only if a result changed.",
)
def every_quarter(
    context: dg.ScheduleEvaluationContext, data: DataResource
) -> dg.RunRequest | dg.SkipReason:
    """Evaluates up_to_date of every asset, and reports fresh partitions that Dagster does not know
    or shows as failed. It starts a run only if there are such partitions, or if a result changed.
    """
    root = Path(data.root)
    lineage = read_lineage(context.instance, data, scoped_registry(root))
    changed = [f"{a.asset}: {a.text}" for a in changed_answers(context.instance, lineage)]
    fresh = unreported(context.instance, data, lineage, read_shards(root))
    if (first := next(fresh, None)) is not None:
        partition = f" {first.partition}" if first.partition else ""
        changed.append(f"{first.asset_key.to_user_string()}{partition} is fresh, unlike reported")
    if not changed:
        return dg.SkipReason("every up_to_date check is current, and what is fresh is reported")
    why = "; ".join(changed)
    return dg.RunRequest(tags={TRIGGER_TAG: "every_quarter", WHY_TAG: why[:1000]})
