"""The index of changes that a profile asks for."""

import polars as pl

from enact_assets.contracts.profile import Profile
from enact_assets.segmentation.deltas import DeltaIndex
from enact_assets.segmentation.release_deltas import ReleaseDeltaIndex


def delta_index(
    scene_graphs: pl.DataFrame,
    visibility: pl.DataFrame,
    objects: pl.DataFrame,
    profile: Profile,
    n_key_frames: int = 0,
) -> DeltaIndex | ReleaseDeltaIndex:
    """Changes between the key frames of one demonstration and gating, ``n_key_frames`` at least.

    Errors: :class:`ReplayError` if the tables are of several demonstrations or gatings, or name an
    object that is not in ``objects``.
    """
    kind = DeltaIndex if profile.release is None else ReleaseDeltaIndex
    return kind.from_tables(scene_graphs, visibility, objects, profile, n_key_frames)
