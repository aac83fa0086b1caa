"""All steps from replay tables to questions, for one demonstration, in memory."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import polars as pl

from enact_assets.demonstrations.replay.result import ReplayTables
from enact_assets.demonstrations.replay.tables import (
    Demonstrations,
    Facts,
    LaterParents,
    Objects,
    Observability,
)
from enact_assets.engine.errors import ReplayError
from enact_assets.engine.memory import run_in_memory
from enact_assets.pipeline.steps.frame_steps import visibility
from enact_assets.pipeline.steps.question_steps import NO_QUESTIONS, qa
from enact_assets.pipeline.steps.segmentation_steps import segmentation
from enact_assets.pipeline.steps.trajectory_steps import path_counts, trajectories, visible_changes
from enact_assets.settings.classes import EMBEDDED, Gating, QuestionSettings, Variant
from enact_assets.settings.registry import BASELINE
from enact_assets.settings.world import EnvironmentSettings

CHAIN = (segmentation, visibility, visible_changes, path_counts, trajectories, qa)
"""The steps from replay tables to questions, the same as in Dagster."""
TABLES: tuple[str, ...] = (
    "demonstrations",
    "objects",
    "later_parents",
    "segmented_frames",
    "scene_graphs",
    "visibility",
    "transition_graph",
    "path_counts",
    "trajectories",
    "qa",
)
"""Tables that a bulk run writes: the questions and the tables that verify them."""


@dataclass(frozen=True)
class BulkSettings:
    """Everything besides the demonstrations that decides the rows of a run."""

    gating: Gating
    questions: QuestionSettings


@dataclass(frozen=True)
class DemonstrationTables:
    """The tables of one demonstration: every table of :data:`TABLES`.

    ``note`` says why there are no questions, if profile ``release`` forbids all of them.
    """

    tables: dict[str, pl.DataFrame]
    note: str | None = None


@dataclass
class StageClock:
    """CPU seconds of this process by stage; ``stage`` is the running stage, or the last one."""

    seconds: dict[str, float] = field(default_factory=dict)
    stage: str = ""

    @contextmanager
    def running(self, stage: str) -> Iterator[None]:
        """Count the time of the block as ``stage``."""
        self.stage = stage
        begun = time.process_time()
        try:
            yield
        finally:
            spent = time.process_time() - begun
            self.seconds[stage] = self.seconds.get(stage, 0.0) + spent


def tables_of_demonstration(
    replay: ReplayTables, settings: BulkSettings, clock: StageClock | None = None
) -> DemonstrationTables:
    """Call all steps for one demonstration; each table fulfils its contract.

    Visible objects come from ``observability``. Errors: those of the steps; :class:`ReplayError`
    for an embedded demonstration, whose masks must be measured in its simulated world.
    """
    clock = clock or StageClock()
    gating = settings.gating
    with clock.running("check"):
        if replay.demonstrations["source"].to_list() == [EMBEDDED]:
            raise ReplayError(
                f"demonstration {replay.demonstrations['demonstration'][0]!r} has no recorded "
                "masks: it is embedded. Materialize it instead; that measures its masks."
            )
    made = run_in_memory(
        CHAIN,
        {
            Demonstrations: replay.demonstrations,
            Facts: replay.facts,
            Objects: replay.objects,
            LaterParents: replay.later_parents,
            Observability: replay.observability,
        },
        {
            "demonstration": str(replay.demonstrations["demonstration"].first()),
            "gating": gating.name,
        },
        # Only embedded demonstrations are environments, so there are none here.
        (gating, settings.questions, Variant(BASELINE, gating.name), EnvironmentSettings()),
        clock.running,
    )
    note = made.summaries[qa.__name__].get(NO_QUESTIONS)
    return DemonstrationTables({name: made.tables[name] for name in TABLES}, note)
