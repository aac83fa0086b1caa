"""One model writes captions, another answers from them without seeing a picture (Socratic).

Source: WorldPrediction, sections 4 and E.1, which print no prompts: these are ours. A pair is
called ``CAPTIONER+READER``, two names of registered models.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import polars as pl
from msgspec.structs import replace

from enact_assets.answers.baselines.predict import refuse_gaps
from enact_assets.answers.models.answers import Answer
from enact_assets.answers.models.messages import Message, Picture, Text
from enact_assets.answers.world.asked_models import WorldAsker, prediction_rows
from enact_assets.answers.world.messages import ShownPictures, message_in_words
from enact_assets.engine.errors import PredictionError
from enact_assets.engine.ids import content_sha
from enact_assets.questions.asked.parsing import DECLINED
from enact_assets.questions.asked.refusals_in_words import refuses_in_words
from enact_assets.questions.asked.thinking import without_thinking
from enact_assets.questions.world.items import WorldItem
from enact_assets.questions.world.pictures import WorldPictures
from enact_assets.questions.world.tables import WorldCaptions, WorldPredictions

JOINT = "+"
_BOX = re.compile(r"<\|(?:begin|end)_of_box\|>")
"""GLM's family writes its answer between these."""
_QUOTED = 200
"""Characters of a refusal in the error of its caption."""
STATE, CLIP = "state", "clip"
ASKED = {
    STATE: "The picture shows a room through the eyes of whoever acts in it. Describe what matters "
    "for what is being done there: which things are where, and which are held, open, switched on, "
    "cut, full, wet or dirty. Answer in at most four sentences.",
    CLIP: "The {} pictures show, in order, one action in a room. Describe the action: what is done "
    "with which thing, from where to where. Answer in one sentence.",
}


def captioner_and_reader(name: str) -> tuple[str, str] | None:
    """The two models of a pair; None of one model alone."""
    captioner, joint, reader = name.partition(JOINT)
    return (captioner, reader) if joint and captioner and reader else None


def caption_message(shows: str, shas: Sequence[str]) -> Message:
    """What the captioner is asked about one state or clip. Its id follows from what is shown."""
    asked = Text(ASKED[shows].format(len(shas)))
    return Message(content_sha([shows, *shas])[:16], (*map(Picture, shas), asked))


def captioned_predictions(
    name: str,
    world_source: str,
    items: Iterable[WorldItem],
    pictures: WorldPictures,
    ask: WorldAsker,
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Tables ``world_predictions`` and ``world_captions`` of the pair ``name``. Each state and clip
    is captioned once, however many questions show it; a question that lacks a picture or a caption
    is missing.

    Errors: as :func:`asked_predictions`, of either model.
    """
    pair = captioner_and_reader(name)
    if pair is None:
        raise PredictionError(
            f"{name}: expected the names of a captioner and a reader, joined by +"
        )
    captioner, reader = pair
    shown: list[tuple[WorldItem, ShownPictures]] = []
    lacking: dict[str, str] = {}
    for item in items:
        try:
            shown.append((item, ShownPictures.of(item, pictures)))
        except PredictionError as error:
            lacking[item.row["question_id"]] = str(error)
    wanted = {m.question_id: m for _, of in shown for m in caption_messages(of)}
    answers = ask(captioner, world_source, list(wanted.values()))
    refuse_gaps(captioner, world_source, answers, ask.max_missing(captioner))
    captions = {caption: _said(answer) for (caption, n), answer in answers.items() if n == 0}
    messages = []
    for item, of in shown:
        said = [captions[message.question_id] for message in caption_messages(of)]
        absent = [answer for answer in said if answer.text is None]
        if absent:
            lacking[item.row["question_id"]] = (
                f"{len(absent)} of {len(said)} captions by {captioner} are missing: "
                f"{absent[0].error}"
            )
            continue
        words = [str(answer.text) for answer in said]
        messages.append(message_in_words(item, words[:2], words[2:]))
    read = ask(reader, world_source, messages)
    refuse_gaps(reader, world_source, read, ask.max_missing(reader))
    predictions = WorldPredictions.build(prediction_rows(name, world_source, read, lacking))
    rows = [_row(name, world_source, wanted[caption], captions[caption]) for caption in wanted]
    return predictions, WorldCaptions.build(rows)


def caption_messages(shown: ShownPictures) -> Iterator[Message]:
    """What is asked about the two states, then about each clip."""
    for sha in shown.states:
        yield caption_message(STATE, [sha])
    for clip in shown.clips:
        yield caption_message(CLIP, clip)


def _said(answer: Answer) -> Answer:
    """A caption without the thoughts of its captioner and the marks around an answer; one of
    nothing else, or that the captioner declined to write, is missing.
    """
    if answer.text is None:
        return answer
    words = _BOX.sub("", without_thinking(answer.text) or "").strip()
    if answer.stop == "refused" or refuses_in_words(words):
        how = "refused" if answer.stop == "refused" else DECLINED
        return replace(answer, text=None, error=f"{how}: {words[:_QUOTED]}".rstrip(": "))
    if words or not answer.text.strip():
        return replace(answer, text=words)
    was_cut = ", which a limit of tokens cut" if answer.stop == "cut" else ""
    return replace(answer, text=None, error=f"nothing but a thought{was_cut}")


def _row(name: str, world_source: str, message: Message, answer: Answer) -> dict[str, Any]:
    shas = [part.sha for part in message.parts if isinstance(part, Picture)]
    return {
        "world_source": world_source,
        "world_model": name,
        "caption_id": message.question_id,
        "shows": STATE if len(shas) == 1 else CLIP,
        "image_shas": shas,
        "caption": answer.text,
        "error": answer.error,
    }
