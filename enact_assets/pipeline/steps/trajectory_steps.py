"""Trajectories: edges between key frames, counts of paths, and the paths that are drawn."""

from collections.abc import Mapping
from typing import Annotated, Any

import polars as pl

from enact_assets.engine.steps import step
from enact_assets.engine.tables import Of
from enact_assets.pipeline.steps.changes import Changes
from enact_assets.pipeline.steps.inputs import IF_RELEASE
from enact_assets.pipeline.steps.profiles import SAMPLE
from enact_assets.questions.key_frames.landed import SegmentedTables
from enact_assets.questions.key_frames.tables import SegmentedFrames
from enact_assets.questions.paths.ambiguous import find_edges
from enact_assets.questions.paths.counting import count_paths
from enact_assets.questions.paths.tables import (
    AmbiguousChanges,
    EditedObjects,
    PathCounts,
    Trajectories,
    TransitionGraph,
)
from enact_assets.settings.registry import Gating, QuestionSettings

KINDS = ("numba", "polars", "parquet")


@step(group="trajectories", job="write_questions", kinds=KINDS)
def visible_changes(
    changes: Changes,
) -> tuple[Of[TransitionGraph], Of[EditedObjects], Of[AmbiguousChanges]]:
    """An edge joins two key frames if one to five changes between them are visible in both
    pictures; with the objects it names, the sizes of their masks, and ambiguities of the change. In
    embedded demonstrations a gating may want that every visible change is named, too. Imported
    questions contain their steps, so they have no graph.
    """
    if changes.gating.question_file is not None:
        none = TransitionGraph.empty(), EditedObjects.empty(), AmbiguousChanges.empty()
        return (
            *(TransitionGraph.of(none[0]), EditedObjects.of(none[1])),
            AmbiguousChanges.of(none[2]),
        )
    source = str(changes.demonstrations.item(0, "source"))
    segmented = SegmentedTables(changes.frames, changes.graphs)
    about = changes.seen, changes.objects, changes.index, changes.gating, source
    graph, edited, ambiguous = find_edges(segmented, *about)
    return TransitionGraph.of(graph), EditedObjects.of(edited), AmbiguousChanges.of(ambiguous)


def _totals(path_counts: pl.DataFrame) -> Mapping[str, Any]:
    totals: dict[int, int] = {}
    for length, n in path_counts.select("length", "n_paths").iter_rows():
        totals[length] = totals.get(length, 0) + int(n)
    return {f"paths of length {length}": str(totals[length]) for length in sorted(totals)}


@step(group="trajectories", job="write_questions", kinds=KINDS, summary=_totals)
def path_counts(
    frames: Of[SegmentedFrames], graph: Of[TransitionGraph], gating: Gating
) -> Of[PathCounts]:
    """How many valid trajectories of each length end at each key frame; exact."""
    return PathCounts.of(count_paths(frames, graph, gating.profile))


@step(group="trajectories", job="write_questions", kinds=KINDS)
def trajectories(
    frames: Of[SegmentedFrames],
    graph: Of[TransitionGraph],
    changes: Annotated[Changes, IF_RELEASE] | None,
    gating: Gating,
    questions: QuestionSettings,
) -> Of[Trajectories]:
    """Trajectories drawn uniformly, without replacement, by their rank. Empty for imported
    questions, which contain their own.
    """
    if gating.question_file is not None:
        return Trajectories.of(Trajectories.empty())
    index = None if changes is None else changes.index
    profile = gating.profile
    return Trajectories.of(SAMPLE.of(profile)(frames, graph, index, profile, questions))
