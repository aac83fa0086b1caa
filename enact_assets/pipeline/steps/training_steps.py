"""WorldPrediction: annotated actions in films of people, and plans for training baselines."""

from collections.abc import Mapping
from typing import Annotated, Any

import polars as pl

from enact_assets.answers.world.training_plans import annotated_training, embedded_training
from enact_assets.demonstrations.replay.tables import Demonstrations
from enact_assets.engine.parameters import All
from enact_assets.engine.steps import step
from enact_assets.engine.tables import Of
from enact_assets.pipeline.handles.tools import AnnotatedFilms
from enact_assets.pipeline.steps.inputs import IF_EMBEDDED_SET, OF_WORLD, QuestionSetName
from enact_assets.questions.world.film_frames import wanted_film_frames
from enact_assets.questions.world.tables import (
    AnnotatedActions,
    FilmImages,
    TrainingPlans,
    WorldCandidates,
    WorldQuestions,
)
from enact_assets.settings.classes import EMBEDDED, world_source_of
from enact_assets.settings.world import EMBEDDED_WORLD, ClipSettings

GROUP, JOB = "worldprediction", "write_world_questions"


def _problems(question_set: QuestionSetName, films: AnnotatedFilms) -> Mapping[str, Any]:
    if world_source_of(question_set) == EMBEDDED_WORLD:
        return {}
    return {f"problem {k}": text for k, text in enumerate(films.actions().problems, start=1)}


@step(group=GROUP, job=JOB, summary=_problems, when=OF_WORLD)
def annotated_actions(question_set: QuestionSetName, films: AnnotatedFilms) -> Of[AnnotatedActions]:
    """Steps of a step file, with a reason for steps that no question can use; unreadable rows are
    left out and reported.
    """
    if world_source_of(question_set) == EMBEDDED_WORLD:
        return AnnotatedActions.of(AnnotatedActions.empty())
    return films.actions().rows


def _pictures(film_images: pl.DataFrame) -> Mapping[str, Any]:
    return {"pictures": film_images.height, "films": film_images["recording"].n_unique()}


@step(group=GROUP, job=JOB, kinds=("ffmpeg", "parquet"), summary=_pictures, when=OF_WORLD)
def film_images(
    questions: Of[WorldQuestions],
    candidates: Of[WorldCandidates],
    actions: Of[AnnotatedActions],
    films: AnnotatedFilms,
    settings: ClipSettings,
) -> Of[FilmImages]:
    """Pictures of states and clips from the films that the user has, each stored by content."""
    if actions.is_empty():
        return FilmImages.of(FilmImages.empty())
    wanted = wanted_film_frames(questions, candidates, actions, settings)
    return FilmImages.of(films.images(wanted, settings.size_px))


@step(group=GROUP, job=JOB, when=OF_WORLD)
def training_plans(
    actions: Of[AnnotatedActions],
    demonstrations: Annotated[All[Demonstrations], IF_EMBEDDED_SET] | None,
) -> Of[TrainingPlans]:
    """Plans without an error, of recordings or of embedded seeds without questions."""
    if demonstrations is None:
        return annotated_training(actions)
    rows = demonstrations.filter(source=EMBEDDED)
    seeds = rows["seed"].drop_nulls().unique().to_list()
    return embedded_training(rows["activity"].unique(), not_seeds=seeds)
