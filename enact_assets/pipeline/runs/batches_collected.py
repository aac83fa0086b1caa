"""Fetches answers of batches for all models of a data root, for a command and a schedule."""

from enact_assets.answers.models.batch_records import read_batches
from enact_assets.answers.models.bought_batches import Collected, collect, ledger_folders
from enact_assets.answers.models.budget import Budget
from enact_assets.engine.errors import PredictionError
from enact_assets.pipeline.runs.resources import DataResource


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
