"""Answers of models."""

from enact_assets.engine.tables import Reference, Table, integer, number, text
from enact_assets.settings import columns as common


class Predictions(Table):
    """One row per model, variant, question and repetition.

    `raw_answer` is null if the model never answered: missing, not wrong. Tokens, cost and times are
    null where they were not counted: reference baselines, imported answers.
    """

    by = ("model", "variant")
    # All three say, like qa, which demonstration and gating a question is about.
    refers_to = Reference(
        "question_id",
        "qa",
        "asked_questions",
        also_in=("question_set", "asked_questions", "evaluation"),
    )

    model = common.model(key=True)
    variant = common.variant(key=True)
    question_id = common.question_id(key=True)
    repetition = common.repetition(key=True)
    request_sha = text("hash of all that decides the answer: model, settings, texts, pictures")
    raw_answer = text("the model's answer; null if it never answered", null=True)
    error = text("why there is no answer; null if there is one", null=True)
    stop = text("complete, cut (a limit of tokens) or refused; null if unknown", null=True)
    served_model = text("name of the model that answered, as its provider gives it", null=True)
    tokens_in = integer("tokens of the request, cached ones included", null=True)
    tokens_in_cached = integer("tokens of the request that the provider had cached", null=True)
    tokens_out = integer("tokens of the answer, reasoning included", null=True)
    tokens_reasoning = integer("tokens of reasoning", null=True)
    usd = number("price of the answer; null if it is unknown", "USD", null=True)
    latency_s = number(
        "from sending the request to the whole answer; null where several are made together",
        "s",
        null=True,
    )
    attempts = integer("times the request was sent", null=True)
