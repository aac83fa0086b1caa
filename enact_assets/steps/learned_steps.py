"""Learned references: what they are trained on, and what they have learned."""

from enact_assets.engine.parameters import All
from enact_assets.engine.steps import step
from enact_assets.engine.tables import Of
from enact_assets.learned.fitting import learn
from enact_assets.learned.learned_tables import (
    FactReader,
    LearnedPrecedences,
    TrainingStatistics,
)
from enact_assets.learned.training_scope import check_training
from enact_assets.steps.frame_steps import RENDERER_POOL
from enact_assets.steps.inputs import LEARNED_MODELS, ActivityName, ModelName
from enact_assets.training_handle import TrainingMaker


@step(group="learned", kinds=("mujoco", "mitsuba", "parquet"), pool=RENDERER_POOL)
def training_statistics(activity: ActivityName, make: TrainingMaker) -> Of[TrainingStatistics]:
    """Demonstrations of reserved seeds, simulated and rendered small: what pictures show and what
    every step between them changes, in sums. Made only where a model that is trained is asked.
    """
    return TrainingStatistics.of(make(activity))


@step(group="learned", kinds=("numpy", "parquet"), when=LEARNED_MODELS)
def fact_reader(
    statistics: All[TrainingStatistics], model: ModelName
) -> tuple[Of[FactReader], Of[LearnedPrecedences]]:
    """Ridge regressions in closed form that read facts from pictures, of one model; or how often
    each change came before each other one.
    """
    check_training(model, statistics["training_activity"].unique().to_list())
    learned = learn(model, statistics)
    return FactReader.of(learned.reader), LearnedPrecedences.of(learned.precedences)
