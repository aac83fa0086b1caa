"""Open-event procedural planning that reads pictures: the networks of :mod:`oepp`, whose states are
features of the two pictures that a question shows instead of the actions done so far.

They learn from the questions about other recordings (other people, where it is known who acts):
both pictures, and the labels of the right plan. The plans to choose from are still read as labels.
"""

from collections.abc import Iterator, Mapping
from functools import lru_cache

import numpy as np

from enact_assets.answers.baselines.requests import ModelRequest
from enact_assets.answers.learned.picture_features import N_FEATURES, features_of, scaled
from enact_assets.answers.world.label_models import OEPP, LabelMaterial, Letters
from enact_assets.answers.world.oepp import STATE_SIZE, learned_scores
from enact_assets.demonstrations.pictures.thumbnails import Image
from enact_assets.engine.ids import seed_from
from enact_assets.engine.progress import Progress
from enact_assets.questions.world.plan_options import PlanOptions, chosen_letters
from enact_assets.settings.arrays import Floats
from enact_assets.settings.world import LETTERS

N_STATES = 2


def plans_from_pictures(
    fit: str, material: LabelMaterial, shown: Mapping[str, ModelRequest]
) -> Letters:
    """``pp``: the plan nearest to the label vectors that ``fit``, one of ``OEPP``, predicts from
    pictures. Questions without both pictures have no answer and are not learned from.
    """
    states = _states(shown)
    answers = dict(material.questions.select("question_id", "answer").iter_rows())
    name, found = f"{fit}_pictures", Letters()
    folds = list(_folds(material, states))
    for k, (options, own, others) in enumerate(folds):
        material.on_progress(Progress(k, len(folds), "models of a recording and a length", name))
        right = [LETTERS.index(answers[options.ids[at]]) for at in others]
        seen, asked = (np.array([states[options.ids[at]] for at in of]) for of in (others, own))
        scores = np.zeros((len(own), len(LETTERS)))
        if others:
            spread = float(seen.std()) or 1.0
            plans = options.categories[others, right].tolist()
            shape = options.categories[own]
            scores = learned_scores(OEPP[fit], seen / spread, plans, asked / spread, shape)
        found |= chosen_letters(name, [options.ids[at] for at in own], scores)
    return found


def _folds(
    material: LabelMaterial, states: Mapping[str, Floats]
) -> Iterator[tuple[PlanOptions, list[int], list[int]]]:
    """Questions of one length, which of them are asked, and which are learned from for these."""
    people = dict(material.known.select("recording", "person").unique().iter_rows())
    for options in material.options:
        who = [people.get(recording) or recording for recording in options.recordings]
        pictured = [at for at, question in enumerate(options.ids) if question in states]
        for one in sorted({who[at] for at in pictured}):
            own = [at for at in pictured if who[at] == one]
            yield options, own, [at for at in pictured if who[at] != one]


def _states(shown: Mapping[str, ModelRequest]) -> dict[str, Floats]:
    """Question -> (256,): features of the picture before and of the one after, projected by the
    same random matrix.
    """
    pairs = {question: request.pictures[:N_STATES] for question, request in shown.items()}
    pictures = {str(p.sha): p for pair in pairs.values() for p in pair if p.sha is not None}
    vectors = {sha: _vector_of(picture.load()) for sha, picture in pictures.items()}
    return {
        question: np.concatenate([vectors[str(picture.sha)] for picture in pair])
        for question, pair in pairs.items()
        if len(pair) == N_STATES and all(picture.sha is not None for picture in pair)
    }


def _vector_of(pixels: Image) -> Floats:
    return np.asarray(features_of(scaled(pixels)[None])[0] @ _projection(), np.float64)


@lru_cache(maxsize=1)
def _projection() -> Floats:
    rng = np.random.default_rng(seed_from("oepp_pictures projection"))
    return np.asarray(rng.standard_normal((N_FEATURES, STATE_SIZE)) / np.sqrt(N_FEATURES))
