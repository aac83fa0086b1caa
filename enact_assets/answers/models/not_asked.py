"""Messages that say why something is not sent to a model."""

import datetime as dt
from collections.abc import Iterable

from enact_assets.answers.models.budget import NO_BUDGET, Budget
from enact_assets.answers.models.catalogue import id_of
from enact_assets.answers.models.entries import Model
from enact_assets.answers.models.keys import has_key, is_sendable, key_of, wants_key
from enact_assets.answers.models.messages import Message
from enact_assets.engine.plurals import sentence

AT_MOST = " at most"
"""End of the reason of a question that can never be sent to a model."""


def why_nothing(model: Model, budget: Budget) -> str | None:
    """Why nothing can be sent to ``model``; None if it can be asked."""
    price, key = model.price, key_of(model)
    retired = model.entry.retired
    if retired is not None and retired <= dt.datetime.now(dt.UTC).date():
        return f"{model.name} was retired on {retired}: another model could answer"
    if price is None:
        advice = f"set `price` in models.yaml{price_line(model)}"
        return f"the price of {model.name} in USD is not known: {advice}"
    if model.costs_money and not budget.is_set:
        return f"{model.name}: {NO_BUDGET}"
    if wants_key(model) and not key:
        return f"{model.name} needs a key: set the environment variable {model.key_variable}"
    if not is_sendable(key):
        return (
            f"the key in the environment variable {model.key_variable} has a line break or another "
            "character that cannot be sent: set it anew"
        )
    return None


def price_line(model: Model) -> str:
    """Text after `models.yaml` in messages about a missing price: the line to add."""
    line = "price: {in: 0, out: 0}"
    if id_of(model.name) == model.entry.id:  # it has no entry
        line = f"models: {{'{model.name}': {{id: '{model.entry.id}', {line}}}}}"
    return f", in USD per million tokens: `{line}` if nothing is charged"


def why_not(model: Model, message: Message) -> str | None:
    """Why ``message`` is not sent. Pictures are never left out of a message."""
    most, n = model.entry.max_images, message.n_pictures
    if most is None or n <= most:
        return None
    return f"{n} pictures, and {model.name} takes {most}{AT_MOST}"


def why_not_again(model: Model, n_unreadable: int) -> str | None:
    """Why a request is not sent again after so many replies that were paid for without an answer
    in them.
    """
    if not model.costs_money or n_unreadable < model.entry.max_unreadable:
        return None
    return (
        f"paid for {n_unreadable} times without a readable answer; to ask again, raise "
        f"`max_unreadable` of {model.name} in models.yaml"
    )


def problems_of(models: Iterable[Model]) -> list[str]:
    """Warnings about these models, to show before they are asked."""
    today = dt.datetime.now(dt.UTC).date()
    found = []
    for model in models:
        retired = model.entry.retired
        if retired is not None:
            when = "was retired" if retired <= today else "will be retired"
            note = sentence(model.entry.note)
            found.append(f"Model {model.name} {when} on {retired}. {note}".strip())
        if has_key(model) is False and not wants_key(model):
            found.append(
                f"Model {model.name} is asked without a key: the environment variable "
                f"{model.key_variable} is not set."
            )
    return found
