"""The schedule that keeps the up_to_date checks current, every quarter of an hour."""

from pathlib import Path

import dagster as dg

from enact_assets.pipeline.dagster.up_to_date import changed_answers
from enact_assets.pipeline.root.scope import scoped_registry
from enact_assets.pipeline.runs.reported import read_lineage
from enact_assets.pipeline.runs.resources import DataResource
from enact_assets.pipeline.runs.running import CHECK_JOB, TRIGGER_TAG, WHY_TAG

QUARTERLY = "*/15 * * * *"


@dg.schedule(
    cron_schedule=QUARTERLY,
    job_name=CHECK_JOB,
    default_status=dg.DefaultScheduleStatus.RUNNING,
)
def every_quarter(
    context: dg.ScheduleEvaluationContext, data: DataResource
) -> dg.RunRequest | dg.SkipReason:
    """Evaluates up_to_date of every asset, in a run only if an answer changed."""
    lineage = read_lineage(context.instance, data, scoped_registry(Path(data.root)))
    changed = changed_answers(context.instance, lineage)
    if not changed:
        return dg.SkipReason("every up_to_date check is current")
    why = "; ".join(f"{answer.asset}: {answer.text}" for answer in changed)
    return dg.RunRequest(tags={TRIGGER_TAG: "every_quarter", WHY_TAG: why[:1000]})
