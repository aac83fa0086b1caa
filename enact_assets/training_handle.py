"""Handle of the step that is trained on: it opens nothing, and hears how far it is."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import polars as pl

from enact_assets.engine.parameters import provides
from enact_assets.learned.training import training_statistics_of
from enact_assets.replay.sources import ReplayProgress


class TrainingProgress(ReplayProgress, Protocol):
    """Hears how far training demonstrations are simulated and rendered."""

    def pictures(self, done: int, total: int, n_from_cache: int, seconds: float) -> None:
        """Pictures made."""
        ...


class Workers(Protocol):
    """What this handle takes of the tools of a run. Its code counts for the step, theirs not."""

    @property
    def workers(self) -> int:
        """Processes that may render."""
        ...

    @property
    def progress(self) -> Callable[[str], TrainingProgress]:
        """Gives whatever hears of one step, which it names."""
        ...


@dataclass(frozen=True)
class TrainingMaker:
    """Simulates and renders the training demonstrations of one activity."""

    _tools: Workers

    def __call__(self, activity: str) -> pl.DataFrame:
        """Rows of ``training_statistics``. Errors: as :func:`training_statistics_of`."""
        hears, begun = self._tools.progress(f"training {activity}"), time.monotonic()
        return training_statistics_of(
            activity,
            workers=self._tools.workers,
            progress=hears,
            rendered=lambda done, total: hears.pictures(done, total, 0, time.monotonic() - begun),
        )


@provides()
def training_maker(
    tools: Workers, _partition: Mapping[str, str], _loaded: Mapping[str, Any]
) -> TrainingMaker:
    """With the processes of the run."""
    return TrainingMaker(tools)
