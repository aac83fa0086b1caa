"""Segmentation: facts become key frames and the scene graphs that hold at them."""

from enact_assets.contracts.registry import Gating
from enact_assets.engine.steps import step
from enact_assets.engine.tables import Of
from enact_assets.profiles import SEGMENT
from enact_assets.replay.replay_tables import Demonstrations, Facts, LaterParents, Objects
from enact_assets.replay.validation import check_replay
from enact_assets.segmentation.segmentation_tables import SceneGraphs, SegmentedFrames


@step(group="segmentation", job="write_questions", kinds=("numba", "polars", "parquet"))
def segmentation(
    demonstrations: Of[Demonstrations],
    facts: Of[Facts],
    objects: Of[Objects],
    later: Of[LaterParents],
    gating: Gating,
) -> tuple[Of[SegmentedFrames], Of[SceneGraphs]]:
    """Frames at which the scene graph changed lastingly, and the facts that hold at each."""
    check_replay(demonstrations, facts, objects, later)
    found = SEGMENT.of(gating.profile)(demonstrations, facts, objects, gating, later)
    return SegmentedFrames.of(found.segmented_frames), SceneGraphs.of(found.scene_graphs)
