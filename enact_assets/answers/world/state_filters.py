"""Which questions of WorldPrediction are not asked because of the pictures of their two states.

Source: WorldPrediction, sections 3 and B.3. A question is left out if the pictures are too far
apart (another view, a cut), if they are too alike (nothing to see was done), or if something hides
what matters in one of them. Distances are Euclidean, of the vectors that an encoder makes; a model
is asked one question about each picture for the last. All three are off unless set.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any, Protocol

import numpy as np
import polars as pl
from numpy.typing import NDArray

from enact_assets.answers.baselines.model_asker import ModelAsker
from enact_assets.answers.baselines.predict import refuse_gaps
from enact_assets.answers.baselines.requests import ModelRequest, Picture
from enact_assets.answers.learned.picture_features import features_of, scaled
from enact_assets.answers.models import messages
from enact_assets.answers.models.messages import Message
from enact_assets.answers.world.captioned_models import N_STATES, requests_of
from enact_assets.engine.ids import content_sha
from enact_assets.questions.asked.thinking import without_thinking
from enact_assets.questions.asked.types import PictureKey
from enact_assets.questions.world.tables import WorldFilters
from enact_assets.settings.arrays import Floats
from enact_assets.settings.world import WM, WorldFilterSettings

TOO_DIFFERENT, TOO_ALIKE, OCCLUDED = "too_different", "too_alike", "occluded"
"""Why a question is not asked, in the order in which the filters are applied."""
ASKED = (
    "The picture is what a person or robot sees while acting in a room. Does something close to "
    "the camera, such as a body, an arm or another person, hide so much of the picture that one "
    'cannot see what is being done there? Answer with JSON and nothing else: {"answer": "yes"} or '
    '{"answer": "no"}.'
)
_WORD = re.compile(r"\b(yes|no)\b", re.IGNORECASE)


class Encoder(Protocol):
    """Makes a vector of each picture, such as features of a neural network."""

    def __call__(self, pictures: NDArray[np.uint8]) -> NDArray[np.floating[Any]]:
        """Shape: RGB pictures (n, height, width, 3) -> (n, features)."""
        ...


def encoded_on_a_grid(pictures: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Colours and edges by cell: :func:`~enact_assets.answers.learned.picture_features.features_of`
    of the pictures at its size. Shape: as :class:`Encoder`, 3584 features.
    """
    return features_of(np.stack([scaled(picture) for picture in pictures]))


ENCODERS: Mapping[str, Encoder] = {"picture_features": encoded_on_a_grid}
"""Encoders that a setting may name. Their distances are on a scale of their own each."""


def distances(
    pairs: Mapping[str, tuple[str, str]], read: Callable[[str], NDArray[np.uint8]], encoder: Encoder
) -> dict[str, float]:
    """Euclidean distance of the two pictures of each pair of hashes, by the name of the pair.

    ``read`` gives a picture (height, width, 3) by its hash; each is encoded once.
    """
    shas = sorted({sha for pair in pairs.values() for sha in pair})
    vectors: dict[str, Floats] = {
        sha: np.asarray(encoder(read(sha)[None])[0], np.float64) for sha in shas
    }
    return {
        name: float(np.linalg.norm(vectors[first] - vectors[second]))
        for name, (first, second) in pairs.items()
    }


def occlusion_message(sha: str) -> Message:
    """What the model is asked about one picture of a state. Its id follows from what is shown."""
    return Message(
        content_sha(["occlusion", sha])[:16], (messages.Picture(sha), messages.Text(ASKED))
    )


def says_yes(text: str | None) -> bool | None:
    """Whether the last "yes" or "no" of an answer is a yes; None if it has neither."""
    said = _WORD.findall(without_thinking(text or "") or "")
    return said[-1].lower() == "yes" if said else None


def world_filters(
    variant: str,
    questions: pl.DataFrame,
    shas: Mapping[PictureKey, str],
    settings: WorldFilterSettings,
    *,
    read: Callable[..., NDArray[np.uint8]],
    ask: ModelAsker,
) -> pl.DataFrame:
    """Table ``world_filters`` of ``questions``, rows of ``asked_questions`` of ``variant``; empty
    if no filter is on.

    ``shas`` has the hash of each picture, ``read`` gives the pixels of one by the parts of its key.
    A question without both pictures, or about a picture of which the model said neither yes nor no,
    is not left out by the filter in question. Errors: as ``ask``, for the model that is named;
    :class:`PredictionError` if more answers are missing than its entry allows.
    """
    if not settings.is_on:
        return WorldFilters.empty()
    states = {request.question_id: _states(request) for request in requests_of(questions, shas)}
    shown = {q: (str(a.sha), str(b.sha)) for q, (a, b) in states.items() if a.sha and b.sha}
    key_of = {str(p.sha): p.shown.key for pair in states.values() for p in pair}
    apart: Mapping[str, float] = {}
    if settings.measures_distance:
        apart = distances(shown, lambda sha: read(*key_of[sha]), ENCODERS[settings.encoder])
    hidden = _occluded(variant, shown, settings.occlusion_model, ask)
    rows = []
    for row in questions.select("question_id", "kind").iter_rows(named=True):
        question = row["question_id"]
        task = row["kind"].partition("_")[0]
        of_states = [hidden.get(sha) for sha in shown.get(question, ("", ""))]
        # One picture is enough to leave a question out, none is known to be clear by the other.
        is_occluded = True if True in of_states else None if None in of_states else False
        found = {"distance": apart.get(question), "is_occluded": is_occluded}
        why = why_removed(task, settings, distance=apart.get(question), is_occluded=is_occluded)
        rows.append({"variant": variant, "question_id": question, **found, "removed_by": why})
    return WorldFilters.build(rows)


def why_removed(
    task: str, settings: WorldFilterSettings, *, distance: float | None, is_occluded: bool | None
) -> str | None:
    """The first filter that leaves a question out; a threshold of 0 leaves out none."""
    most = settings.most_distance_wm if task == WM else settings.most_distance_pp
    if distance is not None and most and distance > most:
        return TOO_DIFFERENT
    if distance is not None and distance < settings.least_distance:
        return TOO_ALIKE
    return OCCLUDED if is_occluded else None


def _states(request: ModelRequest) -> tuple[Picture, Picture]:
    first, second = request.pictures[:N_STATES]
    return first, second


def _occluded(
    variant: str, shown: Mapping[str, tuple[str, str]], model: str, ask: ModelAsker
) -> dict[str, bool | None]:
    """Hash of each picture -> what ``model`` said of it; nothing if none is named."""
    if not model:
        return {}
    asked = {sha: occlusion_message(sha) for sha in sorted({s for p in shown.values() for s in p})}
    answers = ask(model, variant, list(asked.values()))
    refuse_gaps(model, f"the occlusion filter of {variant}", answers, ask.max_missing(model))
    said = {question: says_yes(answer.text) for (question, n), answer in answers.items() if n == 0}
    return {sha: said.get(message.question_id) for sha, message in asked.items()}
