"""The changes between the key frames of one demonstration: inputs of steps that belong together."""

from dataclasses import dataclass
from functools import cached_property

from enact_assets.demonstrations.pictures.tables import Visibility
from enact_assets.demonstrations.replay.parents import at_key_frames
from enact_assets.demonstrations.replay.tables import Demonstrations, LaterParents, Objects
from enact_assets.engine.tables import Of
from enact_assets.pipeline.steps.profiles import INDEX_CHANGES
from enact_assets.questions.key_frames.component_index import ComponentIndex
from enact_assets.questions.key_frames.tables import SceneGraphs, SegmentedFrames
from enact_assets.settings.classes import QUESTIONS, Gating


@dataclass(frozen=True)
class Changes:
    """Inputs from which the changes between key frames of one demonstration are computed."""

    frames: Of[SegmentedFrames]
    graphs: Of[SceneGraphs]
    seen: Of[Visibility]
    objects: Of[Objects]
    later: Of[LaterParents]
    demonstrations: Of[Demonstrations]
    gating: Gating

    @property
    def has_replay(self) -> bool:
        """Whether there is a replay; without one there are no changes."""
        return str(self.demonstrations.item(0, "source")) != QUESTIONS

    @cached_property
    def index(self) -> ComponentIndex:
        """The changes between any two key frames."""
        source = str(self.demonstrations.item(0, "source"))
        profile = self.gating.profile_of(source)
        later = at_key_frames(self.later, self.frames["frame"].to_numpy())
        parts = self.graphs, self.seen, self.objects, profile, self.frames.height
        return INDEX_CHANGES.of(profile)(*parts, later_parents=later)
