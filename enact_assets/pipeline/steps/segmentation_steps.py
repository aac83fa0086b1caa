"""Segmentation: key frames from facts, and the scene graphs at key frames."""

from typing import Annotated

from enact_assets.demonstrations.replay.tables import Demonstrations, Facts, LaterParents, Objects
from enact_assets.demonstrations.replay.validation import check_replay
from enact_assets.engine.steps import step
from enact_assets.engine.tables import Of
from enact_assets.pipeline.handles.given import GivenQuestions
from enact_assets.pipeline.steps.inputs import IF_GIVEN
from enact_assets.pipeline.steps.profiles import SEGMENT
from enact_assets.questions.asked.given_questions import given_frames
from enact_assets.questions.key_frames.given_key_frames import given
from enact_assets.questions.key_frames.tables import SceneGraphs, SegmentedFrames
from enact_assets.settings.classes import QUESTIONS
from enact_assets.settings.registry import Gating


@step(group="segmentation", job="write_questions", kinds=("numba", "polars", "parquet"))
def segmentation(
    demonstrations: Of[Demonstrations],
    facts: Of[Facts],
    objects: Of[Objects],
    later: Of[LaterParents],
    gating: Gating,
    asked: Annotated[GivenQuestions, IF_GIVEN] | None,
) -> tuple[Of[SegmentedFrames], Of[SceneGraphs]]:
    """Frames at which the scene graph changed lastingly, and the facts that hold at each. With
    imported questions, the key frames are those that the questions name.
    """
    check_replay(demonstrations, facts, objects, later)
    if asked is not None:
        frames = given_frames(demonstrations, asked.found)
        found = given(demonstrations, facts, objects, gating, later, frames=frames)
        return SegmentedFrames.of(found.segmented_frames), SceneGraphs.of(found.scene_graphs)
    if demonstrations.item(0, "source") == QUESTIONS:
        return SegmentedFrames.of(SegmentedFrames.empty()), SceneGraphs.of(SceneGraphs.empty())
    found = SEGMENT.of(gating.profile)(demonstrations, facts, objects, gating, later)
    return SegmentedFrames.of(found.segmented_frames), SceneGraphs.of(found.scene_graphs)
