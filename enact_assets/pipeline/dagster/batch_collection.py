"""Batches of answers: a job that collects them, and its schedule, which runs while any batch is
open.
"""

from pathlib import Path

import dagster as dg

from enact_assets.answers.models.batch_records import read_batches
from enact_assets.answers.models.bought_batches import Collected, collect, ledger_folders
from enact_assets.answers.models.budget import Budget
from enact_assets.engine.errors import PredictionError
from enact_assets.pipeline.runs.resources import DataResource
from enact_assets.settings.paths import DataRoot

HOURLY = "30 * * * *"


def collect_all(data: DataResource) -> list[tuple[str, Collected]]:
    """Model and fetched answers, for each model with open batches.

    Errors: :class:`PredictionError` for a model that is no longer known, and those of
    :func:`~enact_assets.answers.models.bought_batches.collect`.
    """
    ledger = data.data_root.ledger
    found = []
    for folder in ledger_folders(ledger):
        batches = read_batches(folder)
        if not batches:
            continue
        model = data.models.find_made(batches[0].model)
        if model is None:
            raise PredictionError(f"{batches[0].model} is a reference baseline: it has no batches")
        # Nothing is bought here: the budget only releases reserved amounts.
        found.append((model.name, collect(model, folder, budget=Budget(ledger, None))))
    return found


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
