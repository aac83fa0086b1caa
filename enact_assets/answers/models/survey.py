"""What the ledger knows of a model, without asking it anything."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from enact_assets.answers.models.answers import Answer
from enact_assets.answers.models.canary import canary_messages
from enact_assets.answers.models.entries import Model
from enact_assets.answers.models.ledger import Kept, folder_of, read_kept
from enact_assets.answers.models.messages import Message, request_sha
from enact_assets.answers.models.not_asked import why_not


class Survey(NamedTuple):
    """Messages whose answers are still to be bought, one for each repetition; how many are kept;
    all answers of this exact model to any message.
    """

    to_buy: list[Message]
    n_known: int
    kept: list[Answer]


def survey(
    model: Model,
    version: str,
    messages: Sequence[Message],
    ledger_folder: Path,
    read: Callable[[Path], Kept] = read_kept,
) -> Survey:
    """Sort ``messages`` by whether the ledger has their answers; ``version`` is that of the API.

    Those with more pictures than the model takes are neither. ``read`` may remember folders that it
    has read. Errors: as :func:`~enact_assets.answers.models.ledger.read_kept`.
    """
    asked = model.target(version, model.asked_id)
    known = read(folder_of(ledger_folder, asked)).answers
    shas = (request_sha(asked, m) for m in canary_messages(model.entry.max_images))
    first = next((known[sha] for sha in shas if sha in known), None)
    served = None if first is None else first.served_model
    exact = model.target(version, served or model.asked_id)
    kept = read(folder_of(ledger_folder, exact)).answers
    to_buy, wanted = [], set()
    for message in messages:
        if why_not(model, message) is not None:
            continue
        for repetition in range(max(1, model.entry.samples)):
            sha = request_sha(exact, message, repetition)
            if sha not in wanted and sha not in kept:
                to_buy.append(message)
            wanted.add(sha)
    return Survey(to_buy, len(wanted & kept.keys()), list(kept.values()))
