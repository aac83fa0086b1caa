"""The schedule that keeps the up_to_date checks current, every quarter of an hour."""

from pathlib import Path

import dagster as dg

from enact_assets.pipeline.dagster.up_to_date import changed_answers
from enact_assets.pipeline.root.partitions_file import read_shards
from enact_assets.pipeline.root.scope import scoped_registry
from enact_assets.pipeline.runs.reported import read_lineage, unreported
from enact_assets.pipeline.runs.resources import DataResource
from enact_assets.pipeline.runs.running import CHECK_JOB, TRIGGER_TAG, WHY_TAG

QUARTERLY = "*/15 * * * *"


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
