"""WorldPrediction: annotated actions of films of people, and plans that baselines learn from."""

from collections.abc import Mapping
from typing import Annotated, Any

from enact_assets.contracts.settings import EMBEDDED, EMBEDDED_WORLD
from enact_assets.engine.parameters import All
from enact_assets.engine.steps import step
from enact_assets.engine.tables import Of
from enact_assets.handles import AnnotatedFilms
from enact_assets.replay.replay_tables import Demonstrations
from enact_assets.steps.inputs import IF_EMBEDDED_WORLD, WorldSourceName
from enact_assets.worldprediction.training_plans import annotated_training, embedded_training
from enact_assets.worldprediction.world_tables import AnnotatedActions, TrainingPlans

GROUP, JOB = "worldprediction", "write_world_questions"


def _problems(source: str, films: AnnotatedFilms) -> Mapping[str, Any]:
    if source == EMBEDDED_WORLD:
        return {}
    return {f"problem {k}": text for k, text in enumerate(films.actions().problems, start=1)}


@step(group=GROUP, job=JOB, summary=_problems)
def annotated_actions(source: WorldSourceName, films: AnnotatedFilms) -> Of[AnnotatedActions]:
    """Steps of a step file with the reason why they are not askable; rows that cannot be read are
    left out and named.
    """
    if source == EMBEDDED_WORLD:
        return AnnotatedActions.of(AnnotatedActions.empty())
    return films.actions().rows


@step(group=GROUP, job=JOB)
def training_plans(
    actions: Of[AnnotatedActions],
    demonstrations: Annotated[All[Demonstrations], IF_EMBEDDED_WORLD] | None,
) -> Of[TrainingPlans]:
    """Plans without an error, of recordings or of embedded seeds that nothing is asked about."""
    if demonstrations is None:
        return annotated_training(actions)
    rows = demonstrations.filter(source=EMBEDDED)
    seeds = rows["seed"].drop_nulls().unique().to_list()
    return embedded_training(rows["activity"].unique(), not_seeds=seeds)
