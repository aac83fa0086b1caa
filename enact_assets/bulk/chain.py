"""All stages from replay tables to questions, for one demonstration, in memory."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import polars as pl

from enact_assets.contracts.errors import ReplayError
from enact_assets.contracts.settings import Gating, QuestionSettings
from enact_assets.frames.observed import visibility_from_observability
from enact_assets.questions.qa import write_questions
from enact_assets.replay.embedded import SOURCE
from enact_assets.replay.parents import at_key_frames
from enact_assets.replay.tables import ReplayTables
from enact_assets.replay.validation import check_replay
from enact_assets.segmentation.delta_index import delta_index
from enact_assets.segmentation.release_deltas import ReleaseDeltaIndex
from enact_assets.segmentation.segment import segment
from enact_assets.storage.recordings import CAMERA
from enact_assets.trajectories.counting import count_paths
from enact_assets.trajectories.graph import build_transition_graph
from enact_assets.trajectories.release_draws import why_no_questions
from enact_assets.trajectories.sampling import sample_trajectories

TABLES = (
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
"""What a bulk run lands: the questions, and all that verifies them."""


@dataclass(frozen=True)
class BulkSettings:
    """Everything that decides the rows of a run, besides its demonstrations."""

    gating: Gating
    questions: QuestionSettings
    camera: str = CAMERA


@dataclass(frozen=True)
class DemonstrationTables:
    """What was made of one demonstration: every table of :data:`TABLES`.

    ``note`` says why there are no questions, where profile ``release`` forbids all of them.
    """

    tables: dict[str, pl.DataFrame]
    note: str | None = None


@dataclass
class StageClock:
    """CPU seconds of this process by stage; ``stage`` is the one that runs, or ran last."""

    seconds: dict[str, float] = field(default_factory=dict)
    stage: str = ""

    @contextmanager
    def running(self, stage: str) -> Iterator[None]:
        """Count what happens inside as ``stage``."""
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
    """All stages for one demonstration; each table by its contract.

    The stage functions are those of the Dagster assets, so the rows are the same. What is visible
    comes from ``observability``. Errors: those of the stages; :class:`ReplayError` for an embedded
    demonstration, whose masks must be measured in its simulated world.
    """
    clock = clock or StageClock()
    gating, questions = settings.gating, settings.questions
    profile, objects, later = gating.profile, replay.objects, replay.later_parents
    with clock.running("check"):
        if replay.demonstrations["source"].to_list() == [SOURCE]:
            raise ReplayError(
                f"demonstration {replay.demonstrations['demonstration'][0]!r} has no recorded "
                "masks: it is embedded. Materialize it instead: its masks are measured then."
            )
        check_replay(replay.demonstrations, replay.facts, objects, later)
    with clock.running("segmentation"):
        found = segment(replay.demonstrations, replay.facts, objects, gating, later)
        frames, graphs = found.segmented_frames, found.scene_graphs
    with clock.running("visibility"):
        seen = visibility_from_observability(replay.observability, frames, settings.camera)
    with clock.running("transition_graph"):
        later_seen = at_key_frames(later, frames["frame"].to_numpy())
        index = delta_index(graphs, seen, objects, profile, frames.height, later_parents=later_seen)
        graph = build_transition_graph(frames, graphs, seen, objects, profile, index=index)
    with clock.running("path_counts"):
        counts = count_paths(frames, graph, profile)
    with clock.running("trajectories"):
        n, seed = questions.trajectories_per_length, questions.seed
        drawn = sample_trajectories(frames, graph, profile, n, seed, index=index)
    with clock.running("qa"):
        qa = write_questions(
            drawn, graph, questions, profile=profile, segmented_frames=frames, index=index
        )
    tables = (replay.demonstrations, objects, later, frames, graphs, seen, graph, counts, drawn, qa)
    note = why_no_questions(index) if isinstance(index, ReleaseDeltaIndex) else None
    return DemonstrationTables(dict(zip(TABLES, tables, strict=True)), note)
