"""Registered models, which answer questions of WorldPrediction from stills, through the ledger."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from enact_assets.answers.baselines.model_asker import Answers, ModelAsker
from enact_assets.answers.baselines.predict import refuse_gaps
from enact_assets.answers.models.messages import Message
from enact_assets.answers.world.messages import message_of
from enact_assets.engine.errors import PredictionError
from enact_assets.engine.progress import OnProgress, unheard
from enact_assets.questions.world.items import WorldItem
from enact_assets.questions.world.pictures import WorldPictures
from enact_assets.questions.world.tables import WorldPredictions


@dataclass(frozen=True)
class WorldAsker(ModelAsker):
    """Asks the models of one data root questions of WorldPrediction.

    ``on_training`` gets the progress of training one of our baselines.
    """

    on_training: OnProgress = unheard


def asked_predictions(
    name: str,
    world_source: str,
    items: Iterable[WorldItem],
    pictures: WorldPictures,
    ask: WorldAsker,
) -> pl.DataFrame:
    """Table ``world_predictions`` of one registered model; a question without pictures is missing.

    Errors: those of ``ask``; :class:`PredictionError` if more questions were asked in vain than the
    model's entry allows. Answers that came are in the ledger by then.
    """
    messages: list[Message] = []
    lacking: dict[str, str] = {}
    for item in items:
        try:
            messages.append(message_of(item, pictures))
        except PredictionError as error:
            lacking[item.row["question_id"]] = str(error)
    answers = ask(name, world_source, messages)
    refuse_gaps(name, world_source, answers, ask.max_missing(name))
    return WorldPredictions.build(prediction_rows(name, world_source, answers, lacking))


def prediction_rows(
    name: str, world_source: str, answers: Answers, lacking: Mapping[str, str]
) -> list[dict[str, Any]]:
    """Rows of ``world_predictions``: what was answered, and why questions could not be asked."""
    found = {question_id: (None, error, None) for question_id, error in lacking.items()}
    said = {q: (a.text, a.error, a.stop) for (q, n), a in answers.items() if n == 0}
    return [
        {
            "world_source": world_source,
            "world_model": name,
            "question_id": question_id,
            "raw_answer": text,
            "error": error,
            "stop": stop,
        }
        for question_id, (text, error, stop) in (found | said).items()
    ]
