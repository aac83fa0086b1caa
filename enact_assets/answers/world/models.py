"""Baselines that answer questions of WorldPrediction without a key."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np
import polars as pl

from enact_assets.answers.baselines.model_asker import Answers
from enact_assets.answers.baselines.requests import ModelRequest, Picture
from enact_assets.answers.models.answers import Answer
from enact_assets.answers.world.captions import Captioner, SceneTables, answer_by_rules
from enact_assets.answers.world.label_models import LABEL_MODELS, OEPP, LabelMaterial, Letters
from enact_assets.answers.world.picture_planners import plans_from_pictures
from enact_assets.demonstrations.pictures.thumbnails import thumbnail
from enact_assets.engine.errors import UnknownNameError
from enact_assets.engine.ids import content_sha, seed_from
from enact_assets.questions.asked.choices import answer_text
from enact_assets.questions.world.items import WorldItem, best_option, items_of
from enact_assets.questions.world.pictures import Thumbnail, region, rms
from enact_assets.settings.world import LETTERS, PP, WM

NO_PICTURES = "no pictures of this question"
NO_LABELS = "what the actions of this question change is not known"


@dataclass(frozen=True)
class WorldMaterial:
    """Inputs of baselines. ``shown`` maps questions to what models are shown of them; ``scenes``
    and ``labels`` are None for sources without them.
    """

    questions: pl.DataFrame
    candidates: pl.DataFrame
    shown: Mapping[str, ModelRequest] = field(default_factory=dict)
    scenes: SceneTables | None = None
    labels: LabelMaterial | None = None


Chosen = Callable[[WorldItem], int | None]
"""The option that is chosen, from 0; None where the model cannot answer."""


@dataclass(frozen=True)
class WorldModel:
    """A baseline: the tasks that it answers, and how it is made ready."""

    tasks: tuple[str, ...]
    ready: Callable[[WorldMaterial], Chosen]
    lacks: str = NO_PICTURES
    """Why the baseline has no answer to a question of its tasks."""


def baseline_answers(name: str, material: WorldMaterial) -> Answers:
    """Answers of one baseline to questions of its tasks. Errors: :class:`UnknownNameError`."""
    if name not in WORLD_MODELS:
        raise UnknownNameError.of("baseline of WorldPrediction", name, WORLD_MODELS)
    model = WORLD_MODELS[name]
    choose = model.ready(material)
    found = {}
    for item in items_of(material.questions, material.candidates):
        task, question_id = item.row["task"], item.row["question_id"]
        if task not in model.tasks:
            continue
        option = choose(item)
        found[question_id, 0] = Answer(
            content_sha([name, item.row["evidence_sha"]]),
            question_id,
            name,
            text=None if option is None else answer_text(task, LETTERS[option]),
            error=model.lacks if option is None else None,
            stop=None if option is None else "complete",
            is_final=True,
        )
    return found


def _random(_material: WorldMaterial) -> Chosen:
    return lambda item: seed_from("random", item.row["question_id"]) % len(LETTERS)


def _first(_material: WorldMaterial) -> Chosen:
    return lambda _item: 0


def _oracle(_material: WorldMaterial) -> Chosen:
    return lambda item: LETTERS.index(item.row["answer"])


def _by_pictures(
    score: Callable[[list[Thumbnail], list[list[Thumbnail]]], float],
) -> Callable[[WorldMaterial], Chosen]:
    """The option with the best ``score`` of the two states and the clips of its plan."""

    def ready(material: WorldMaterial) -> Chosen:
        known: dict[str, Thumbnail] = {}

        def small(picture: Picture) -> Thumbnail:
            sha = str(picture.sha)
            if sha not in known:
                known[sha] = thumbnail(picture.load())
            return known[sha]

        def answer(item: WorldItem) -> int | None:
            question_id = item.row["question_id"]
            request = material.shown.get(question_id)
            if request is None or any(picture.sha is None for picture in request.pictures):
                return None
            runs = [[*map(small, run)] for run in request.runs if not isinstance(run, str)]
            (first,), (last,), *clips = runs
            options = ([clips[number - 1] for number in order] for order in item.orders)
            return best_option([score([first, last], option) for option in options], question_id)

        return answer

    return ready


def _continuity(states: list[Thumbnail], clips: list[list[Thumbnail]]) -> float:
    """Less change from the first state to the first clip, on to the next, and to the last state."""
    ends = [states[0], *(picture for clip in clips for picture in (clip[0], clip[-1])), states[1]]
    return -sum(rms(a, b) for a, b in zip(ends[::2], ends[1::2], strict=True))


def _change_region(states: list[Thumbnail], clips: list[list[Thumbnail]]) -> float:
    """Cosine of where the states differ and where the clip changes."""
    return float(np.dot(region(states), region(clips[0])))


def _socratic(noise: float, *, knows_goal: bool = True) -> Callable[[WorldMaterial], Chosen]:
    def ready(material: WorldMaterial) -> Chosen:
        if material.scenes is None:
            return lambda _item: None
        categories: Iterable[str] = material.candidates["category"].unique()
        captioner = Captioner(material.scenes, noise, list(categories))
        return lambda item: answer_by_rules(item, captioner, knows_goal=knows_goal)

    return ready


def _at_once(
    answers: Callable[[LabelMaterial, WorldMaterial], Letters],
) -> Callable[[WorldMaterial], Chosen]:
    """All questions are answered when the first is asked."""

    def ready(material: WorldMaterial) -> Chosen:
        letters = {} if material.labels is None else answers(material.labels, material)

        def answer(item: WorldItem) -> int | None:
            letter = letters.get(item.row["question_id"])
            return None if letter is None else LETTERS.index(letter)

        return answer

    return ready


def _label_model(name: str, task: str) -> WorldModel:
    return WorldModel((task,), _at_once(lambda labels, _: LABEL_MODELS[name](labels)), NO_LABELS)


def _picture_planner(fit: str) -> WorldModel:
    return WorldModel(
        (PP,), _at_once(lambda labels, material: plans_from_pictures(fit, labels, material.shown))
    )


BOTH = (WM, PP)
WORLD_MODELS: Mapping[str, WorldModel] = {
    "random": WorldModel(BOTH, _random),
    "first": WorldModel(BOTH, _first),
    "oracle": WorldModel(BOTH, _oracle),
    "clip_continuity": WorldModel((WM,), _by_pictures(_continuity)),
    "change_region": WorldModel((WM,), _by_pictures(_change_region)),
    "clip_chain": WorldModel((PP,), _by_pictures(_continuity)),
    "socratic_rules": WorldModel(BOTH, _socratic(0.0)),
    "socratic_rules_10": WorldModel(BOTH, _socratic(0.1)),
    "socratic_rules_30": WorldModel(BOTH, _socratic(0.3)),
    "socratic_no_goal": WorldModel((PP,), _socratic(0.0, knows_goal=False)),
    "candidate_prior": _label_model("candidate_prior", WM),
    **{name: _label_model(name, PP) for name in LABEL_MODELS if name != "candidate_prior"},
    **{f"{name}_pictures": _picture_planner(name) for name in OEPP},
}
"""Name -> baseline. All are references and not ranked; what each does is in ``references.py``."""
