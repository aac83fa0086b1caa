"""Generated demonstrations taken through all stages, under either profile."""

from collections.abc import Iterator
from dataclasses import dataclass

import polars as pl

from benchmarks.synthetic import generate
from enact_assets.demonstrations.pictures.observed import visibility_from_observability
from enact_assets.demonstrations.replay.parents import at_key_frames
from enact_assets.demonstrations.replay.result import ReplayTables
from enact_assets.pipeline.bulk.chain import BulkSettings, tables_of_demonstration
from enact_assets.pipeline.steps.profiles import INDEX_CHANGES, SAMPLE, SEGMENT, WRITE
from enact_assets.questions.paths.transition_graph import build_transition_graph
from enact_assets.settings.classes import Gating, QuestionSettings
from enact_assets.settings.predicates import CONTACT_PREDICATES
from enact_assets.settings.profile import PAPER, RELEASE

PROFILES = {
    "release": Gating("release", RELEASE, ()),
    "paper": Gating("contact", PAPER, CONTACT_PREDICATES),
}
PER_LENGTH = 30
QUESTIONS = QuestionSettings(trajectories_per_length=PER_LENGTH)


def settings_of(name: str) -> BulkSettings:
    """Settings of a bulk run under the profile called ``name``."""
    return BulkSettings(PROFILES[name], QUESTIONS)


def make(replay: ReplayTables, name: str) -> dict[str, pl.DataFrame]:
    """All tables of one demonstration under the profile called ``name``."""
    return tables_of_demonstration(replay, settings_of(name)).tables


@dataclass(frozen=True)
class QuestionWork:
    """What questions are made from: one replay, its key frames and what is seen at them."""

    replay: ReplayTables
    gating: Gating
    segmented_frames: pl.DataFrame
    scene_graphs: pl.DataFrame
    visibility: pl.DataFrame

    @classmethod
    def of(cls, replay: ReplayTables, gating: Gating) -> "QuestionWork":
        """Segment ``replay``."""
        recorded = replay.demonstrations, replay.facts, replay.objects
        found = SEGMENT.of(gating.profile)(*recorded, gating, replay.later_parents)
        frames = found.segmented_frames
        seen = visibility_from_observability(replay.observability, frames)
        return cls(replay, gating, frames, found.scene_graphs, seen)

    def run(self, questions: QuestionSettings = QUESTIONS) -> dict[str, pl.DataFrame]:
        """Changes of all pairs, graph, draws, questions: the tables, by name."""
        profile, objects = self.gating.profile, self.replay.objects
        frames, graphs, seen = self.segmented_frames, self.scene_graphs, self.visibility
        later = at_key_frames(self.replay.later_parents, frames["frame"].to_numpy())
        parts = graphs, seen, objects, profile, frames.height
        index = INDEX_CHANGES.of(profile)(*parts, later_parents=later)
        graph = build_transition_graph(frames, index)
        drawn = SAMPLE.of(profile)(frames, graph, index, profile, questions)
        write = WRITE.of(profile)
        qa = write(frames, drawn, graph, index, settings=questions, profile=profile)
        return {"transition_graph": graph, "trajectories": drawn, "qa": qa}


def works_with(n_key_frames: int, n_frames: int, gating: Gating) -> Iterator[QuestionWork]:
    """Generated demonstrations of ``n_frames`` that have ``n_key_frames``, by seed."""
    for seed in range(10_000):
        work = QuestionWork.of(generate(seed, n_frames), gating)
        if work.segmented_frames.height == n_key_frames:
            yield work
