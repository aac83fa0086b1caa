"""Key frames that are given, by imported questions or by a recording of key frames alone."""

import numpy as np
import polars as pl

from enact_assets.contracts.settings import Gating
from enact_assets.segmentation.component_index import Ints
from enact_assets.segmentation.held_facts import changes_at, facts_at
from enact_assets.segmentation.landed import KeyFrames, SegmentedTables, land, only_demonstration


def given(  # noqa: PLR0917 - the tables of a replay
    demonstrations: pl.DataFrame,
    facts: pl.DataFrame,
    objects: pl.DataFrame,
    gating: Gating,
    later_parents: pl.DataFrame | None,
    frames: Ints,
) -> SegmentedTables:
    """``frames`` (M,), ascending positions, as key frames; graphs are what was recorded at them.

    Nothing is smoothed (definitions.md R5). Errors: :class:`ReplayError` if not exactly one
    demonstration is given or a table is of another one.
    """
    only_demonstration(demonstrations, facts=facts, objects=objects, later_parents=later_parents)
    frames = np.ascontiguousarray(frames, np.int64)
    nothing = np.full(frames.size, -1)
    return land(
        demonstrations,
        gating,
        KeyFrames(frames, nothing, nothing.astype(np.float64)),
        changes_at(facts, objects, frames, later_parents),
        facts_at(facts, frames),
    )
