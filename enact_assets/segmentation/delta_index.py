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
    *,
    later_parents: pl.DataFrame | None = None,
) -> DeltaIndex | ReleaseDeltaIndex:
    """Changes between the key frames of one demonstration and gating.

    An object without a row in ``visibility`` is not visible. There are ``n_key_frames`` key frames
    at least, should there be no fact about the last ones. ``later_parents`` are those that
    ``at_key_frames`` gives; without them no object has other parents later on.

    Errors: :class:`ReplayError` if the tables are of several demonstrations or gatings, or name an
    object that is not in ``objects``.
    """
    kind = DeltaIndex if profile.release is None else ReleaseDeltaIndex
    return kind.from_tables(
        scene_graphs, visibility, objects, profile, n_key_frames, later_parents=later_parents
    )
