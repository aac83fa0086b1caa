"""Answers of models."""

from enact_assets import columns as common
from enact_assets.engine.tables import Reference, Table, text


class Predictions(Table):
    """One row per model, variant and question.

    `raw_answer` is null if the model never answered: missing, not wrong.
    """

    by = ("model", "variant")
    # All three say, like qa, which demonstration and gating a question is about.
    refers_to = Reference(
        "question_id", "qa", also_in=("question_set", "asked_questions", "evaluation")
    )

    model = common.model(key=True)
    variant = common.variant(key=True)
    question_id = common.question_id(key=True)
    request_sha = text("hash of model, prompt and ordered image hashes")
    raw_answer = text("the model's answer; null if it never answered", null=True)
    error = text("why there is no answer; null if there is one", null=True)
