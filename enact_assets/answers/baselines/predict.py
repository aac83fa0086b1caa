"""Answers of one model to the questions of one variant: the table ``predictions``."""

from collections import Counter
from collections.abc import Mapping

import polars as pl

from enact_assets.answers.baselines.model_asker import Answers, ModelAsker
from enact_assets.answers.baselines.references import MODELS, answers_of_baseline, baseline
from enact_assets.answers.baselines.requests import (
    ImageReader,
    ModelProtocol,
    ModelRequest,
    build_request,
    request_sha,
)
from enact_assets.answers.baselines.tables import Predictions
from enact_assets.answers.models.answers import Answer
from enact_assets.engine.errors import PredictionError, UnknownNameError
from enact_assets.questions.asked.types import PictureKey

SHOWN_REASONS = 3
_COUNTED = (
    *("stop", "served_model", "tokens_in", "tokens_in_cached", "tokens_out", "tokens_reasoning"),
    *("usd", "latency_s"),
)


def answers_to(
    model: str,
    variant: str,
    questions: pl.DataFrame,
    images: ImageReader,
    image_shas: Mapping[PictureKey, str],
    *,
    ask: ModelAsker | None = None,
    learned: ModelProtocol | None = None,
) -> Answers:
    """Answers of ``model`` to each of ``questions``, rows of ``asked_questions``.

    ``images`` reads the picture of a key under ``variant``, ``image_shas`` holds its hash. Without
    ``ask`` only baselines answer; ``learned`` is the one called ``model``, if it was trained. A
    question that cannot be asked (a picture is missing, there are more than the model takes) has
    an answer without text, with the reason.
    Errors: :class:`UnknownNameError` for an unknown model, and those of ``ask``.
    """
    requests = [
        build_request(row, images, image_shas)
        for row in questions.iter_rows(named=True)
        if ask is None or ask.is_asked(model, variant, row["question_id"])
    ]
    absent = {r.question_id: e for r in requests if (e := why_not_shown(r, variant))}
    asked = [r for r in requests if r.question_id not in absent]
    answers = {
        (r.question_id, 0): Answer(
            request_sha(model, r),
            r.question_id,
            model,
            error=absent[r.question_id],
            is_final=True,
        )
        for r in requests
        if r.question_id in absent
    }
    if model in MODELS:
        return answers | answers_of_baseline(model, asked, baseline(model, learned))
    if ask is None:
        raise UnknownNameError.of("model", model, MODELS)
    return {**answers, **ask(model, variant, [request.message for request in asked])}


def predictions_of(
    model: str, variant: str, answers: Answers, max_missing: int | None = None
) -> pl.DataFrame:
    """Rows of ``predictions``.

    Errors: :class:`PredictionError` if more than ``max_missing`` questions got no answer. All
    answers so far are then in the ledger, and asking again buys only the missing ones.
    """
    if max_missing is not None:
        refuse_gaps(model, variant, answers, max_missing)
    rows = [_row(model, variant, question, n, answer) for (question, n), answer in answers.items()]
    return Predictions.build(rows)


def _row(model: str, variant: str, question_id: str, n: int, answer: Answer) -> dict[str, object]:
    row: dict[str, object] = {
        "model": model,
        "variant": variant,
        "question_id": question_id,
        "repetition": n,
        "request_sha": answer.request_sha,
        "raw_answer": answer.text,
        "error": answer.error,
        "attempts": answer.attempts or None,
    }
    return row | {name: getattr(answer, name) for name in _COUNTED}


def refuse_gaps(model: str, variant: str, answers: Answers, max_missing: int) -> None:
    """Errors: :class:`PredictionError` if more than ``max_missing`` questions got no answer, with
    the most frequent reasons. ``variant`` is the source of the questions, for the message.
    """
    missing = [a for a in answers.values() if a.text is None and not a.is_final]
    if len(missing) <= max_missing:
        return
    counted = Counter(str(answer.error).rstrip(".") for answer in missing).most_common()
    reasons = "; ".join(f"{n} x {reason}" for reason, n in counted[:SHOWN_REASONS])
    more = f"; {len(counted) - SHOWN_REASONS} more reasons" if len(counted) > SHOWN_REASONS else ""
    raise PredictionError(
        f"{model} under {variant}: {len(missing)} of {len(answers)} questions have no answer, "
        f"first {missing[0].question_id}. {reasons}{more}. The other answers are in the ledger: "
        "run the same command again, and only these are asked; or score the others alone: "
        f"`max_missing: {len(missing)}` in the entry of {model} in models.yaml; or leave the model "
        f"out: `enact-assets forget model {model}`."
    )


def why_not_shown(request: ModelRequest, variant: str) -> str | None:
    """Why ``request`` cannot be shown under ``variant``, if so."""
    absent = [p for p in request.pictures if p.sha is None]
    if not absent:
        return None
    return (
        f"{len(absent)} of {len(request.pictures)} pictures are missing under {variant!r}, first "
        f"{absent[0].shown.name}: {absent[0].shown.where}; {absent[0].shown.how}"
    )
