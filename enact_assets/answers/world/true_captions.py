"""Captions that no model wrote: facts of the scene graph for states, labels of actions for clips.

Source: WorldPrediction, table 4 (oracle captions): how far a language model gets where captions are
right. The name of the captioner is ``oracle``, as in ``oracle+READER``. Films have no such caption
of a state, as their annotations say what is done and not what holds.
"""

from collections import Counter
from collections.abc import Mapping

import polars as pl

from enact_assets.answers.baselines.predict import why_not_shown
from enact_assets.answers.world.captioned_models import (
    CLIP,
    N_STATES,
    STATE,
    caption_messages,
    requests_of,
)
from enact_assets.answers.world.captions import Captioner, SceneTables
from enact_assets.questions.asked.types import PictureKey
from enact_assets.questions.world.tables import Captions

NO_FACTS = "no scene graph says what holds in this state: oracle captions are of embedded rooms"
_WORDS = {
    "OnTop": "{1} on {2}",
    "Inside": "{1} in {2}",
    "Under": "{1} under {2}",
    "LeftGrasping": "{2} in a hand",
    "RightGrasping": "{2} in a hand",
}


def true_captions(
    model: str,
    variant: str,
    questions: pl.DataFrame,
    shas: Mapping[PictureKey, str],
    *,
    scenes: SceneTables,
    states: pl.DataFrame,
) -> pl.DataFrame:
    """Table ``captions`` of the pair ``model``, whose captioner is ``oracle``.

    ``questions`` are rows of ``asked_questions``, ``states`` of ``action_states``. A question that
    lacks a picture needs no caption, as models are not asked about it.
    """
    captioner = Captioner(scenes, 0.0, [])
    labels = {(d, a): c for d, a, c in states.select("demonstration", "action", "category").rows()}
    kinds: dict[str, dict[str, str]] = {}
    names = "demonstration", "object_name", "category"
    for demonstration, name, kind in scenes.objects.select(names).iter_rows():
        kinds.setdefault(demonstration, {})[name] = kind or name
    found = {}
    for request in requests_of(questions, shas):
        if why_not_shown(request, variant) is not None:
            continue
        shown = [run for run in request.runs if not isinstance(run, str)]
        messages = zip(caption_messages(request), shown, strict=True)
        for number, (message, pictures) in enumerate(messages):
            key = pictures[0].shown.key
            if number >= N_STATES:
                recording, _, action, _ = key
                caption = labels.get((recording, action))
            elif key[0] in kinds and len(key) == N_STATES:
                caption = state_in_words(captioner, kinds[key[0]], *key)
            else:
                caption = None
            found[message.question_id] = {
                "model": model,
                "variant": variant,
                "caption_id": message.question_id,
                "shows": STATE if number < N_STATES else CLIP,
                "image_shas": [str(picture.sha) for picture in pictures],
                "caption": caption,
                "error": None if caption is not None else NO_FACTS,
            }
    return Captions.build(list(found.values()))


def state_in_words(
    captioner: Captioner, kinds: Mapping[str, str], recording: str, key_frame: int
) -> str:
    """What holds at a key frame, things by their kinds: ``cup on table; 2 x plate in cabinet``."""
    told = Counter[str]()
    for predicate, *names in captioner.state(recording, key_frame):
        things = [kinds.get(name, name) for name in names if name is not None]
        form = _WORDS.get(predicate, "{0}(" + ", ".join(things) + ")")
        told[form.format(predicate, *things)] += 1
    return "; ".join(text if n == 1 else f"{n} x {text}" for text, n in sorted(told.items()))
