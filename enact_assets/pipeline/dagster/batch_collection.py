"""Batches of answers: a job that collects them, and its schedule, which runs while any batch is
open.
"""

from pathlib import Path

import dagster as dg

from enact_assets.answers.models.bought_batches import ledger_folders
from enact_assets.pipeline.runs.batches_collected import collect_all
from enact_assets.pipeline.runs.resources import DataResource
from enact_assets.settings.paths import DataRoot

HOURLY = "30 * * * *"


@dg.op
def collect_open_batches(context: dg.OpExecutionContext, data: DataResource) -> None:
    """Puts answers that are ready into the ledger. Buys nothing."""
    for name, done in collect_all(data):
        context.log.info(
            f"{name}: {done.n_answers} answers for {done.usd:.4f} USD, {done.n_without} without "
            f"an answer, {done.n_open} still open"
        )
        for reason in dict.fromkeys(done.reasons):
            context.log.warning(f"{name}: {reason}")


@dg.job(description="Collects answers of batches that ended.")
def collect_batches() -> None:
    """The job has one op."""
    collect_open_batches()


@dg.schedule(
    cron_schedule=HOURLY,
    job=collect_batches,
    default_status=dg.DefaultScheduleStatus.RUNNING,
    description="Collects answers of batches that ended, while any is open. Buys nothing.",
)
def hourly_batches(data: DataResource) -> dg.RunRequest | dg.SkipReason:
    """Collects answers of batches, while there are any."""
    if not ledger_folders(DataRoot(Path(data.root)).ledger):
        return dg.SkipReason("no batch is open")
    return dg.RunRequest()
