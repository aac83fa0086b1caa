"""Key frames that a file names, in place of those that segmentation finds: their tables."""

import numpy as np

from enact_assets.demonstrations.replay.result import ReplayTables
from enact_assets.engine.errors import RecordingError
from enact_assets.questions.key_frames.held_facts import facts_at
from enact_assets.questions.key_frames.landed import KeyFrames, SegmentedTables, land
from enact_assets.questions.key_frames.segment import segment
from enact_assets.settings.arrays import Ints
from enact_assets.settings.classes import Gating


def as_recorded(replay: ReplayTables, frames: Ints, gating: Gating) -> SegmentedTables:
    """What the recording says at ascending ``frames``, whatever chose them (definitions.md R5)."""
    nothing = np.full(frames.size, -1)
    found = KeyFrames(frames, nothing, nothing.astype(np.float64))
    graphs = facts_at(replay.facts, frames)
    return land(replay.demonstrations, gating, found, [()] * frames.size, graphs)


def as_segmented(replay: ReplayTables, frames: Ints, gating: Gating, where: str) -> SegmentedTables:
    """What segmentation finds, which must be ``frames`` (M,): scene graphs are smoothed facts.

    Errors: :class:`RecordingError` with ``where`` if it finds other key frames.
    """
    recorded = replay.demonstrations, replay.facts, replay.objects
    found = segment(*recorded, gating, replay.later_parents)
    of_it = found.segmented_frames["frame"].to_list()
    if of_it != frames.tolist():
        name = replay.demonstrations.item(0, "demonstration")
        raise RecordingError(
            f"{where}: its {frames.size} key frames are not the {len(of_it)} that profile "
            f"{gating.profile.name!r} finds in {name}. Segment it under the same profile."
        )
    return found
