"""Estimates the costs of answers to questions of WorldPrediction before they are bought."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from pathlib import Path

from enact_assets.answers.models.ledger import Kept, read_kept
from enact_assets.answers.models.messages import Message
from enact_assets.answers.world.captioned_models import caption_messages, captioner_and_reader
from enact_assets.answers.world.content import stored_pictures
from enact_assets.answers.world.messages import ShownPictures, message_of
from enact_assets.answers.world.models import WORLD_MODELS
from enact_assets.engine.errors import EnactError, MissingPartitionError, PredictionError
from enact_assets.engine.lake.lake import Lake
from enact_assets.pipeline.costs.expected import NOT_MADE, PlannedCost, cost_of_messages
from enact_assets.pipeline.runs.resources import DataResource
from enact_assets.questions.world.items import items_of

NO_CAPTIONS = "its captions are not written yet"


def world_costs_of(data: DataResource, partitions: Iterable[tuple[str, str]]) -> list[PlannedCost]:
    """Expected costs of pairs (world model, world source), as :func:`expected_costs.costs_of`. If a
    captioner and a reader answer together, only the captioner's cost is known beforehand, as the
    reader's questions contain the captions.
    """
    read, asked = cache(read_kept), cache(partial(_asked, data))
    found: list[PlannedCost] = []
    for name, source in partitions:
        if name in WORLD_MODELS:
            continue
        pair = captioner_and_reader(name)
        kind = "questions" if pair is None else "captions"
        found += _cost(data, pair[0] if pair else name, source, asked(source), kind=kind, read=read)
        if pair is not None:
            found += _cost(data, pair[1], source, {}, kind="", read=read)
    return found


def _cost(
    data: DataResource,
    name: str,
    source: str,
    asked: Mapping[str, Sequence[Message]] | None,
    *,
    kind: str,
    read: Callable[[Path], Kept],
) -> Iterator[PlannedCost]:
    """Expected costs; nothing for a model that is free."""
    model = None
    try:
        model = data.models.find_made(name)
        if model is None or not model.costs_money:
            return
        if asked is None or not kind:
            problem = NOT_MADE if asked is None else NO_CAPTIONS
            yield PlannedCost(name, source, model, problem=problem)
        else:
            cost = cost_of_messages(data, model, asked[kind], read=read)
            yield PlannedCost(name, source, model, cost)
    except EnactError as error:
        yield PlannedCost(name, source, model, problem=str(error))


def _asked(data: DataResource, source: str) -> Mapping[str, Sequence[Message]] | None:
    """Messages with pictures, and messages that ask for captions, without repetition; None if the
    questions are not made yet.
    """
    lake, of = Lake(data.data_root.lake), {"world_source": source}
    if not lake.exists("world_questions", of):
        return None
    try:
        pictures, _ = stored_pictures(data.data_root, source)
    except MissingPartitionError:
        return None
    questions: list[Message] = []
    captions: dict[str, Message] = {}
    tables = (lake.read(name, of) for name in ("world_questions", "world_candidates"))
    for item in items_of(*tables):
        try:
            questions.append(message_of(item, pictures))
            shown = ShownPictures.of(item, pictures)
        except PredictionError:
            continue
        captions |= {message.question_id: message for message in caption_messages(shown)}
    return {"questions": questions, "captions": list(captions.values())}
