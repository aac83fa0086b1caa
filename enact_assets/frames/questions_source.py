"""Demonstrations of which there is nothing but questions: a file names them, no replay came."""

from dataclasses import dataclass
from typing import Protocol

import polars as pl

from enact_assets.contracts.errors import RenderError, ReplayError
from enact_assets.contracts.frame_ids import COUNTED_FROM_0
from enact_assets.contracts.settings import QUESTIONS
from enact_assets.replay.recorded import NO_RATE_HZ, activity_of
from enact_assets.replay.replay_result import ReplayTables
from enact_assets.replay.replay_tables import (
    Demonstrations,
    Facts,
    Objects,
    Observability,
    States,
)
from enact_assets.replay.sources import PictureRequest, ReplayProgress


class AskedTasks(Protocol):
    """What imported question files say about demonstrations."""

    def tasks(self) -> list[str]:
        """Demonstrations that are asked about, sorted."""
        ...

    def last_frame_id(self, task: str) -> int | None:
        """The largest frame id that a question about ``task`` names; None if none is about it."""
        ...

    def version(self, task: str) -> str | None:
        """Hash of what is asked about ``task``; None if nothing is."""
        ...


@dataclass(frozen=True)
class QuestionsSource:
    """Demonstrations that question files name. Any other source of the same name is preferred."""

    asked: AskedTasks
    name: str = QUESTIONS

    def demonstrations(self) -> list[str]:
        """Those that questions name."""
        return self.asked.tasks()

    def has(self, demonstration: str) -> bool:
        """Whether a question names it."""
        return self.asked.last_frame_id(demonstration) is not None

    def explain(self, demonstration: str) -> str:  # noqa: ARG002
        """Whether there are questions at all."""
        return "No imported question file names it." if self.asked.tasks() else ""

    def replay(self, demonstration: str, progress: ReplayProgress) -> ReplayTables:  # noqa: ARG002
        """One row: frames up to the last that a question names, ids from 0, without a rate. How
        long the recording was and what happened in it is unknown.

        Errors: :class:`ReplayError` if no question names it any more.
        """
        last, version = self.asked.last_frame_id(demonstration), self.asked.version(demonstration)
        if last is None or version is None:
            raise ReplayError(
                f"{demonstration}: no imported question names it any more. Import its questions "
                f"or its recording, or `enact-assets forget demonstration {demonstration}`."
            )
        row = {
            "demonstration": demonstration,
            "source": QUESTIONS,
            "activity": activity_of(demonstration),
            "seed": None,
            "n_frames": last + 1,
            "frame_rate_hz": NO_RATE_HZ,
            "world_sha": version,
            "frame_id_runs": list(COUNTED_FROM_0),
        }
        return ReplayTables(
            Demonstrations.build([row]),
            Facts.empty(),
            Objects.empty(),
            Observability.empty(),
            States.empty(),
        )

    def pictures(self, request: PictureRequest) -> pl.DataFrame:
        """None of its own: ``frames/given_pictures.py`` has those of the questions.

        Errors: :class:`RenderError` always; it is never asked.
        """
        raise RenderError(f"{request.demonstration}: there is no replay to take pictures from")
