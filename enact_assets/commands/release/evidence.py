"""What a recorded replay says at chosen frames, as the tables that questions are made from."""

from collections.abc import Sequence

import numpy as np

from enact_assets.demonstrations.pictures.observed import visibility_from_observability
from enact_assets.demonstrations.pictures.tables import Visibility
from enact_assets.demonstrations.replay.result import ReplayTables
from enact_assets.demonstrations.replay.tables import Demonstrations, LaterParents, Objects
from enact_assets.engine.errors import RecordingError
from enact_assets.pipeline.steps.changes import Changes
from enact_assets.pipeline.steps.profiles import AT_FRAMES
from enact_assets.questions.key_frames.tables import SceneGraphs, SegmentedFrames
from enact_assets.settings.classes import Gating
from enact_assets.settings.frame_ids import FrameIds
from enact_assets.settings.predicates import STATE_PREDICATES
from enact_assets.settings.profile import Profile


def gating_of(profile: Profile) -> Gating:
    """Which changes count: all that are recorded (release), or the paper's predicates."""
    predicates = () if profile.counts_every_state else STATE_PREDICATES
    return Gating(profile.name, profile, predicates)


def frames_of(replay: ReplayTables, frame_ids: Sequence[int], n_needed: int) -> list[int]:
    """Those of ``frame_ids`` that the replay has, in its order, and the first ``n_needed`` in any
    case: that it lacks one is for :func:`changes_at` to say.
    """
    row = replay.demonstrations.row(0, named=True)
    frames = FrameIds(tuple(row["frame_id_runs"])).find(frame_ids, row["n_frames"]).tolist()
    if min(frames[:n_needed], default=0) < 0:
        return list(frame_ids[:n_needed])
    return [i for frame, i in sorted(zip(frames, frame_ids, strict=True)) if frame >= 0]


def changes_at(
    replay: ReplayTables, frame_ids: Sequence[int], profile: Profile, where: str
) -> Changes:
    """Changes between the frames ``frame_ids`` of the replay, which ascend.

    Under ``release`` graphs are taken as recorded, whatever chose the frames (definitions.md R5).
    Under ``paper`` they are smoothed, so the frames must be the key frames that segmentation finds.
    Errors: :class:`RecordingError` with ``where`` if the replay has no frame of an id, or segments
    otherwise.
    """
    row = replay.demonstrations.row(0, named=True)
    name = row["demonstration"]
    frames = FrameIds(tuple(row["frame_id_runs"])).find(frame_ids, row["n_frames"])
    missing = [i for i, frame in zip(frame_ids, frames.tolist(), strict=True) if frame < 0]
    if missing:
        raise RecordingError(
            f"{where}: {len(missing)} of {len(frame_ids)} key frames are no frames of the replay "
            f"{name}, first {missing[0]}. Key frames and replay do not belong together."
        )
    gating = gating_of(profile)
    found = AT_FRAMES.of(profile)(replay, np.asarray(frames, np.int64), gating, where)
    seen = visibility_from_observability(replay.observability, found.segmented_frames)
    return Changes(
        SegmentedFrames.of(found.segmented_frames),
        SceneGraphs.of(found.scene_graphs),
        Visibility.of(seen),
        Objects.of(replay.objects),
        LaterParents.of(replay.later_parents),
        Demonstrations.of(replay.demonstrations),
        gating,
    )
