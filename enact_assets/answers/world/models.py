"""Baselines that answer questions of WorldPrediction without a key."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl

from enact_assets.answers.world.captions import Captioner, SceneTables, answer_by_rules
from enact_assets.answers.world.label_models import LABEL_MODELS, LabelMaterial
from enact_assets.engine.errors import UnknownNameError
from enact_assets.engine.ids import seed_from
from enact_assets.questions.world.candidates import LETTERS, PP, WM
from enact_assets.questions.world.items import WorldItem, answer_text, best_option, items_of
from enact_assets.questions.world.pictures import Thumbnail, WorldPictures, region, rms
from enact_assets.questions.world.tables import WorldPredictions

NO_PICTURES = "no pictures of this question"
NO_LABELS = "what the actions of this question change is not known"


@dataclass(frozen=True)
class WorldMaterial:
    """Inputs of baselines. ``pictures`` and ``scenes`` are None for sources without them."""

    questions: pl.DataFrame
    candidates: pl.DataFrame
    pictures: WorldPictures | None = None
    scenes: SceneTables | None = None
    labels: LabelMaterial | None = None


Answer = Callable[[WorldItem], int | None]
"""The option that is chosen, from 0; None where the model cannot answer."""


@dataclass(frozen=True)
class WorldModel:
    """A baseline: what it does, the tasks that it answers, and how it is made ready."""

    about: str
    tasks: tuple[str, ...]
    ready: Callable[[WorldMaterial], Answer]
    lacks: str = NO_PICTURES
    """Why the baseline has no answer to a question of its tasks."""


def predictions_of(name: str, world_source: str, material: WorldMaterial) -> pl.DataFrame:
    """Table ``world_predictions`` of one model. Errors: :class:`UnknownNameError`."""
    if name not in WORLD_MODELS:
        raise UnknownNameError.of("world model", name, WORLD_MODELS)
    model = WORLD_MODELS[name]
    answer = model.ready(material)
    rows = []
    for item in items_of(material.questions, material.candidates):
        task = item.row["task"]
        option = answer(item) if task in model.tasks else None
        error = None
        if option is None:
            is_other = task not in model.tasks
            error = f"{name} answers {' and '.join(model.tasks)} only" if is_other else model.lacks
        rows.append(
            {
                "world_source": world_source,
                "world_model": name,
                "question_id": item.row["question_id"],
                "raw_answer": None if option is None else answer_text(task, LETTERS[option]),
                "error": error,
                "stop": None,
            }
        )
    return WorldPredictions.build(rows)


def _random(_material: WorldMaterial) -> Answer:
    return lambda item: seed_from("random", item.row["question_id"]) % len(LETTERS)


def _first(_material: WorldMaterial) -> Answer:
    return lambda _item: 0


def _oracle(_material: WorldMaterial) -> Answer:
    return lambda item: LETTERS.index(item.row["answer"])


def _by_pictures(
    score: Callable[[list[Thumbnail], list[list[Thumbnail]]], float],
) -> Callable[[WorldMaterial], Answer]:
    """The option with the best ``score`` of the two states and the clips of its plan."""

    def ready(material: WorldMaterial) -> Answer:
        pictures = material.pictures

        def answer(item: WorldItem) -> int | None:
            if pictures is None:
                return None
            states = pictures.states(item.row)
            clips = [[pictures.clip(c) for c in option] for option in item.options]
            if len(states) < 2 or not all(clip for option in clips for clip in option):
                return None
            question_id = item.row["question_id"]
            return best_option([score(states, option) for option in clips], question_id)

        return answer

    return ready


def _continuity(states: list[Thumbnail], clips: list[list[Thumbnail]]) -> float:
    """Less change from the first state to the first clip, on to the next, and to the last state."""
    ends = [states[0], *(picture for clip in clips for picture in (clip[0], clip[-1])), states[1]]
    return -sum(rms(a, b) for a, b in zip(ends[::2], ends[1::2], strict=True))


def _change_region(states: list[Thumbnail], clips: list[list[Thumbnail]]) -> float:
    """Cosine of where the states differ and where the clip changes."""
    return float(np.dot(region(states), region(clips[0])))


def _socratic(noise: float) -> Callable[[WorldMaterial], Answer]:
    def ready(material: WorldMaterial) -> Answer:
        if material.scenes is None:
            return lambda _item: None
        categories: Iterable[str] = material.candidates["category"].unique()
        captioner = Captioner(material.scenes, noise, list(categories))
        return lambda item: answer_by_rules(item, captioner)

    return ready


def _by_labels(name: str) -> Callable[[WorldMaterial], Answer]:
    """All questions are answered at once, when the first is asked."""

    def ready(material: WorldMaterial) -> Answer:
        letters = {} if material.labels is None else LABEL_MODELS[name](material.labels)

        def answer(item: WorldItem) -> int | None:
            letter = letters.get(item.row["question_id"])
            return None if letter is None else LETTERS.index(letter)

        return answer

    return ready


def _label_model(name: str, task: str, about: str) -> WorldModel:
    return WorldModel(about, (task,), _by_labels(name), NO_LABELS)


BOTH = (WM, PP)
WORLD_MODELS: Mapping[str, WorldModel] = {
    "random": WorldModel("A letter drawn uniformly by the question's id.", BOTH, _random),
    "first": WorldModel("Always A.", BOTH, _first),
    "oracle": WorldModel("The right letter: must score exactly 1.", BOTH, _oracle),
    "clip_continuity": WorldModel(
        "The clip that begins most like the state before and ends most like the state after.",
        (WM,),
        _by_pictures(_continuity),
    ),
    "change_region": WorldModel(
        "The clip that changes where the two states differ.", (WM,), _by_pictures(_change_region)
    ),
    "clip_chain": WorldModel(
        "The plan whose clips follow each other with the least change of the picture: a shortcut "
        "wherever several clips come from one video.",
        (PP,),
        _by_pictures(_continuity),
    ),
    "socratic_rules": WorldModel(
        "Captions from scene graphs, and the rules that questions are made by: a bound.",
        BOTH,
        _socratic(0.0),
    ),
    "socratic_rules_10": WorldModel(
        "The same with one fact in ten left out and one action in ten called otherwise.",
        BOTH,
        _socratic(0.1),
    ),
    "socratic_rules_30": WorldModel("The same with three in ten.", BOTH, _socratic(0.3)),
    "candidate_prior": _label_model(
        "candidate_prior",
        WM,
        "The clip of the most frequent category, of these the longest: in balanced sets it must "
        "score exactly a quarter.",
    ),
    "medoid": _label_model(
        "medoid", PP, "The plan that orders the fewest pairs otherwise than the other three."
    ),
    "plan_rules": _label_model(
        "plan_rules", PP, "The plan that breaks the fewest rules of the text_prior of ENACT."
    ),
    "markov": _label_model(
        "markov",
        PP,
        "The most probable plan by bigrams of other plans (0.1 added): seeds that nothing is asked "
        "about, or other people.",
    ),
    "precedence": _label_model(
        "precedence", PP, "The plan whose pairs most often come in that order in these plans."
    ),
    "oepp_ridge": _label_model(
        "oepp_ridge",
        PP,
        "The plan nearest to label vectors that ridge regression predicts from what was done "
        "before and after. It reads labels, and is no OEPP model of the paper.",
    ),
    "oepp_mlp": _label_model("oepp_mlp", PP, "The same by a network with one hidden layer."),
}
"""Name -> baseline. All are references and not ranked."""
