"""One model writes captions, another answers from them without seeing a picture (Socratic).

Source: WorldPrediction, sections 4 and E.1, which print no prompts: these are ours. A pair is
called ``CAPTIONER+READER``, two names of registered models.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import polars as pl
from msgspec.structs import replace

from enact_assets.answers.baselines.model_asker import Answers, ModelAsker
from enact_assets.answers.baselines.predict import refuse_gaps, why_not_shown
from enact_assets.answers.baselines.requests import ModelRequest, build_request
from enact_assets.answers.models import messages
from enact_assets.answers.models.answers import Answer
from enact_assets.answers.models.messages import Message, Text
from enact_assets.engine.errors import PredictionError
from enact_assets.engine.ids import content_sha
from enact_assets.questions.asked.parsing import DECLINED
from enact_assets.questions.asked.refusals_in_words import refuses_in_words
from enact_assets.questions.asked.thinking import without_thinking
from enact_assets.questions.asked.types import PictureKey
from enact_assets.questions.world.shown_questions import in_words
from enact_assets.questions.world.tables import Captions
from enact_assets.settings.classes import captioner_and_reader

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
N_STATES = 2
"""Pictures of states that a question shows before its clips."""


def caption_message(shows: str, shas: Sequence[str]) -> Message:
    """What the captioner is asked about one state or clip. Its id follows from what is shown."""
    asked = Text(ASKED[shows].format(len(shas)))
    return Message(content_sha([shows, *shas])[:16], (*map(messages.Picture, shas), asked))


def caption_messages(request: ModelRequest) -> Iterator[Message]:
    """What is asked about the two states of a question, then about each clip; all its pictures are
    there.
    """
    shown = [run for run in request.runs if not isinstance(run, str)]
    for number, pictures in enumerate(shown):
        shas = [str(picture.sha) for picture in pictures]
        yield caption_message(STATE if number < N_STATES else CLIP, shas)


def captions_of(
    model: str,
    variant: str,
    questions: pl.DataFrame,
    shas: Mapping[PictureKey, str],
    ask: ModelAsker,
) -> pl.DataFrame:
    """Table ``captions`` of the pair ``model``. Each state and clip is captioned once,
    however many of ``questions``, rows of ``asked_questions``, show it.

    Errors: as ``ask``; :class:`PredictionError` if more captions were asked for in vain than the
    entry of the captioner allows. Those that came are in the ledger by then.
    """
    captioner, _ = _pair(model)
    requests = requests_of(questions, shas)
    asked = [r for r in requests if why_not_shown(r, variant) is None]
    wanted = {m.question_id: m for request in asked for m in caption_messages(request)}
    answers = ask(captioner, variant, list(wanted.values()))
    refuse_gaps(captioner, variant, answers, ask.max_missing(captioner))
    rows = []
    for (caption, number), answer in answers.items():
        if number == 0:
            parts = wanted[caption].parts
            shown = [part.sha for part in parts if isinstance(part, messages.Picture)]
            said = _said(answer)
            rows.append(
                {
                    "model": model,
                    "variant": variant,
                    "caption_id": caption,
                    "shows": STATE if len(shown) == 1 else CLIP,
                    "image_shas": shown,
                    "caption": said.text,
                    "error": said.error,
                }
            )
    return Captions.build(rows)


def answers_from_captions(
    model: str,
    variant: str,
    questions: pl.DataFrame,
    shas: Mapping[PictureKey, str],
    captions: pl.DataFrame,
    *,
    ask: ModelAsker,
) -> Answers:
    """Answers of the reader of the pair ``model``, from rows of ``captions``; a question that
    lacks a picture or a caption is missing.

    Errors: as ``ask``.
    """
    captioner, reader = _pair(model)
    known = {row["caption_id"]: row for row in captions.iter_rows(named=True)}
    found: dict[tuple[str, int], Answer] = {}
    asked = []
    for request in requests_of(questions, shas):
        lacking = why_not_shown(request, variant)
        if lacking is None:
            said = [known[message.question_id] for message in caption_messages(request)]
            absent = [row for row in said if row["caption"] is None]
            if not absent:
                texts = (run if isinstance(run, str) else None for run in request.runs)
                words = in_words(texts, (row["caption"] for row in said))
                asked.append(Message(request.question_id, (Text(words),)))
                continue
            lacking = (
                f"{len(absent)} of {len(said)} captions by {captioner} are missing: "
                f"{absent[0]['error']}"
            )
        sha = content_sha([model, request.question_id, lacking])
        found[request.question_id, 0] = Answer(
            sha, request.question_id, model, error=lacking, is_final=True
        )
    return {**found, **ask(reader, variant, asked)}


def _pair(model: str) -> tuple[str, str]:
    pair = captioner_and_reader(model)
    if pair is None:
        raise PredictionError(
            f"{model}: expected the names of a captioner and a reader, joined by +"
        )
    return pair


def requests_of(questions: pl.DataFrame, shas: Mapping[PictureKey, str]) -> list[ModelRequest]:
    """The requests of ``questions``, rows of ``asked_questions``; their pictures are never read."""

    def unread(*key: object) -> Any:
        raise PredictionError(f"a picture of {key} is not to be read")

    return [build_request(row, unread, shas) for row in questions.iter_rows(named=True)]


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
