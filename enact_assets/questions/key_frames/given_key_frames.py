"""Key frames that are given, not found: graphs are those recorded at them, and nothing is smoothed.

Segmented activities of the public release hold key frames and no frame between them; a question
file names frames of a replay.
"""

import numpy as np
import polars as pl

from enact_assets.questions.key_frames.held_facts import changes_at, facts_at
from enact_assets.questions.key_frames.landed import (
    KeyFrames,
    SegmentedTables,
    land,
    only_demonstration,
)
from enact_assets.settings.arrays import Ints
from enact_assets.settings.classes import QUESTIONS, Gating
from enact_assets.settings.predicates import EXISTS


def is_given(demonstrations: pl.DataFrame) -> bool:
    """Whether every frame of the one demonstration is a key frame.

    Such frames were not taken at an even pace: column ``frame_rate_hz`` is 0. So it is where
    questions are all that is known, of which no frame is recorded.
    """
    row = demonstrations.row(0, named=True)
    return bool(row["frame_rate_hz"] == 0 and row["source"] != QUESTIONS)


def given(
    demonstrations: pl.DataFrame,
    facts: pl.DataFrame,
    objects: pl.DataFrame,
    gating: Gating,
    later_parents: pl.DataFrame | None,
    *,
    frames: Ints | None = None,
) -> SegmentedTables:
    """What is recorded at ascending positions ``frames`` (M,), by default at all frames.

    A gating that counts some predicates only keeps those, and existence. ``change_frame`` and
    ``similarity`` are null. Errors: :class:`ReplayError` if not exactly one demonstration is
    given or a table is of another one.
    """
    _, n_frames = only_demonstration(
        demonstrations, facts=facts, objects=objects, later_parents=later_parents
    )
    at = np.arange(n_frames) if frames is None else frames
    if not gating.profile.counts_every_state:
        facts = facts.filter(pl.col("predicate").is_in([*gating.predicates, EXISTS]))
    nothing = np.full(at.size, -1)
    return land(
        demonstrations,
        gating,
        KeyFrames(at, nothing, nothing.astype(np.float64)),
        changes_at(facts, objects, at, later_parents),
        facts_at(facts, at),
    )
