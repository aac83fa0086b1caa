"""Frames of a recording that need pictures under the registry's variants."""

import numpy as np

from enact_assets.demonstrations.pictures.checks import Wanted
from enact_assets.demonstrations.replay.result import ReplayTables
from enact_assets.pipeline.steps.profiles import SEGMENT
from enact_assets.settings.frame_ids import COUNTED_FROM_0, FrameIds
from enact_assets.settings.registry import BASELINE, load_registry


def wanted_pictures(tables: ReplayTables | None, n_frames: int | None = None) -> Wanted:
    """The pictures a recording should bring: of all its key frames, under each variant.

    Without ``tables`` only ``n_frames`` is known, and no key frame. Errors: :class:`SettingsError`
    if the registry is wrong.
    """
    registry = load_registry()
    own = {name: v.gating for name, v in registry.variants.items() if not v.is_as_recorded}
    as_recorded = set(registry.variants) - set(own)
    of_baseline = registry.variant(BASELINE).gating
    if tables is None:
        none = np.zeros(0, np.int64)
        ids = FrameIds(COUNTED_FROM_0)
        return Wanted(n_frames or 0, ids, none, dict.fromkeys(own, none), as_recorded)
    frames = {}
    for gating in sorted({of_baseline, *own.values()}):
        entry = registry.gating(gating)
        segment = SEGMENT.of(entry.profile)
        recorded = tables.demonstrations, tables.facts, tables.objects
        found = segment(*recorded, entry, tables.later_parents)
        frames[gating] = found.segmented_frames["frame"].to_numpy()
    row = tables.demonstrations.row(0, named=True)
    return Wanted(
        row["n_frames"],
        FrameIds(tuple(row["frame_id_runs"])),
        frames[of_baseline],
        {variant: frames[gating] for variant, gating in own.items()},
        as_recorded,
    )
