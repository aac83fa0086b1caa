"""What a recorded replay says at chosen frames, as the tables that questions are made from."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from enact_assets.contracts.errors import RecordingError
from enact_assets.contracts.frame_ids import FrameIds
from enact_assets.contracts.predicates import STATE_PREDICATES
from enact_assets.contracts.profile import Profile
from enact_assets.contracts.settings import Gating
from enact_assets.evaluation.release_scores import ReleaseEvidence
from enact_assets.frames.frame_tables import Visibility
from enact_assets.frames.observed import visibility_from_observability
from enact_assets.replay.replay_result import ReplayTables
from enact_assets.replay.replay_tables import Demonstrations, Objects
from enact_assets.segmentation.deltas import DeltaIndex
from enact_assets.segmentation.held_facts import scene_graphs_at
from enact_assets.segmentation.release_deltas import ReleaseDeltaIndex
from enact_assets.segmentation.segment import segment
from enact_assets.segmentation.segmentation_tables import SceneGraphs, SegmentedFrames
from enact_assets.steps.inputs import Changes


@dataclass(frozen=True)
class TaskEvidence:
    """What verifies the questions of one task: changes between its key frames, kept once found.

    ``frame_ids`` are what the recording calls them, in order. ``release`` is None under ``paper``.
    """

    frame_ids: tuple[int, ...]
    index: DeltaIndex | ReleaseDeltaIndex
    release: ReleaseEvidence | None

    @classmethod
    def of(cls, changes: Changes) -> "TaskEvidence":
        """Evidence from the key frames of a replay."""
        ids = tuple(changes.frames.sort("key_frame")["frame_id"].to_list())
        release = changes.release_index
        return cls(
            ids, changes.index, None if release is None else ReleaseEvidence.of(release, ids)
        )


def gating_of(profile: Profile) -> Gating:
    """Which changes count: all that are recorded (release), or the paper's predicates."""
    predicates = () if profile.release is not None else STATE_PREDICATES
    return Gating(profile.name, profile, predicates)


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
    if profile.release is None:
        found = segment(replay.demonstrations, replay.facts, replay.objects, gating)
        ids = found.segmented_frames["frame_id"].to_list()
        if ids != list(frame_ids):
            raise RecordingError(
                f"{where}: its {len(frame_ids)} key frames are not the {len(ids)} that profile "
                f"{profile.name!r} finds in {name}. Segment it under the same profile."
            )
        segmented, graphs = found.segmented_frames, found.scene_graphs
    else:
        segmented = _segmented_frames(name, gating.name, frames.tolist(), frame_ids)
        graphs = scene_graphs_at(name, gating.name, replay.facts, np.asarray(frames, np.int64))
    seen = visibility_from_observability(replay.observability, segmented)
    return Changes(
        SegmentedFrames.of(segmented),
        SceneGraphs.of(graphs),
        Visibility.of(seen),
        Objects.of(replay.objects),
        Demonstrations.of(replay.demonstrations),
        gating,
    )


def _segmented_frames(
    name: str, gating: str, frames: Sequence[int], frame_ids: Sequence[int]
) -> pl.DataFrame:
    """Table ``segmented_frames`` of key frames that a file chose; it does not say why."""
    contract = SegmentedFrames
    return contract.check(
        pl.DataFrame(
            {
                "demonstration": [name] * len(frames),
                "gating": [gating] * len(frames),
                "key_frame": list(range(len(frames))),
                "frame": list(frames),
                "frame_id": list(frame_ids),
                "change_frame": [None] * len(frames),
                "similarity": [None] * len(frames),
                "changes": [[] for _ in frames],
            },
            schema=contract.schema(),
        ),
        f"{name}, {gating}",
    )
