"""Learned references: statistics for their training, and their learned parameters.

The handle of the training step opens no files and reports progress.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import polars as pl

from enact_assets.answers.learned.fitting import learn
from enact_assets.answers.learned.tables import FactReader, LearnedPrecedences, TrainingStatistics
from enact_assets.answers.learned.training import training_statistics_of
from enact_assets.answers.learned.training_scope import check_training
from enact_assets.engine.parameters import All, provides
from enact_assets.engine.progress import OnProgress
from enact_assets.engine.steps import step
from enact_assets.engine.tables import Of
from enact_assets.pipeline.steps.frame_steps import RENDERER_POOL
from enact_assets.pipeline.steps.inputs import LEARNED_MODELS, ActivityName, ModelName


class Workers(Protocol):
    """The part of a run's tools that this handle uses. The handle's code is hashed for the step;
    that of the tools is not.
    """

    @property
    def workers(self) -> int:
        """Processes that may render."""
        ...

    @property
    def progress(self) -> Callable[[str], OnProgress]:
        """Returns the receiver of a step's progress reports, for a text that names the step."""
        ...


@dataclass(frozen=True)
class TrainingMaker:
    """Simulates and renders the training demonstrations of one activity."""

    _tools: Workers

    def __call__(self, activity: str) -> pl.DataFrame:
        """Rows of ``training_statistics``. Errors: as :func:`training_statistics_of`."""
        hears = self._tools.progress(f"training {activity}")
        return training_statistics_of(activity, workers=self._tools.workers, on_progress=hears)


@provides()
def training_maker(
    tools: Workers, _partition: Mapping[str, str], _loaded: Mapping[str, Any]
) -> TrainingMaker:
    """A handle that uses the processes of the run."""
    return TrainingMaker(tools)


@step(group="learned", kinds=("mujoco", "mitsuba", "parquet"), pool=RENDERER_POOL)
def training_statistics(activity: ActivityName, make: TrainingMaker) -> Of[TrainingStatistics]:
    """Demonstrations of reserved seeds, simulated and rendered small: sums over the content of
    pictures and over the changes of every step between them. Made only if a trained model is asked.
    """
    return TrainingStatistics.of(make(activity))


@step(group="learned", kinds=("numpy", "parquet"), when=LEARNED_MODELS)
def fact_reader(
    statistics: All[TrainingStatistics], model: ModelName
) -> tuple[Of[FactReader], Of[LearnedPrecedences]]:
    """Ridge regressions in closed form that read facts from pictures, of one model; or how often
    each change came before each other change.
    """
    check_training(model, statistics["training_activity"].unique().to_list())
    learned = learn(model, statistics)
    return FactReader.of(learned.reader), LearnedPrecedences.of(learned.precedences)
