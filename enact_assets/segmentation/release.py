"""Segmented frames under profile ``release``: what the public release saves, quirks included.

Source: definitions.md R3 to R5. Frames are positions; where the rules count ids, the
recording's own are used. The quirks, each with a test:

- The first key frame is frame 59, whatever it shows; a shorter replay ends the release with an
  IndexError. Frame 60 and the last frame are never compared.
- The transient filter anchors its windows at every fifth frame, so pulses of 5 to 8 frames are
  removed or kept depending on where they start, and objects that flicker are counted repeatedly.
- A change sets a *candidate*, which stays armed when the change is undone. What is saved is the
  first dissimilar frame at least 10 ids later; if none comes, the candidate itself at the end.
- Two frames that differ in repeated records only end the release with an AssertionError. It
  compares states as lists whose order depends on hashes, so it may or may not fail where an object
  has two states or more; here states are sets, and such a frame always ends the demonstration.
- Key frames are found on filtered facts, but ``scene_graphs`` and ``changes`` are about what was
  recorded: later stages of the release read the recording again (definitions.md R5).
"""

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from enact_assets.contracts.errors import ReplayError
from enact_assets.contracts.frame_ids import FrameIds
from enact_assets.contracts.profile import ReleaseRules
from enact_assets.contracts.settings import Gating
from enact_assets.segmentation.given_key_frames import given, is_given
from enact_assets.segmentation.held_facts import changes_at, facts_at
from enact_assets.segmentation.landed import KeyFrames, SegmentedTables, land, only_demonstration
from enact_assets.segmentation.release_records import (
    RecordHistory,
    filter_records,
    recorded_history,
)
from enact_assets.segmentation.release_search_kernels import SearchRules, find_key_frames

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class ReleaseTrace:
    """Everything profile ``release`` found on the way, by frame (position).

    ``candidates`` are all frames that ever were candidates; ``is_last_pending`` says whether the
    last key frame is one of them, saved at the end for want of a successor. ``similarities``
    (n_frames,) is nan where a frame was not compared; ``records`` are the filtered ones.
    """

    key_frames: KeyFrames
    candidates: Ints
    is_last_pending: bool
    similarities: Floats
    records: RecordHistory


def segment_release(
    demonstrations: pl.DataFrame,
    facts: pl.DataFrame,
    objects: pl.DataFrame,
    gating: Gating,
    later_parents: pl.DataFrame | None = None,
) -> SegmentedTables:
    """Key frames of one demonstration and the recorded scene graph at each of them.

    ``change_frame`` is the candidate a key frame was saved for, ``similarity`` that of the key
    frame with the one before, ``changes`` what the recording says, not the filter. Where all
    frames are key frames, :func:`given` has them.

    Errors: :class:`ReplayError` where the release aborts (see above), if not exactly one
    demonstration is given, if a table is of another one, or if an object has more than 64 states;
    :class:`IntervalError` if the intervals of a fact overlap; :class:`SettingsError` for a gating
    of another profile.
    """
    rules = gating.profile.release_constants
    only_demonstration(demonstrations, objects=objects, later_parents=later_parents)
    if is_given(demonstrations):
        return given(demonstrations, facts, objects, gating, later_parents)
    found = trace_release(demonstrations, facts, rules).key_frames
    return land(
        demonstrations,
        gating,
        found,
        changes_at(facts, objects, found.frames, later_parents),
        facts_at(facts, found.frames),
    )


def trace_release(
    demonstrations: pl.DataFrame, facts: pl.DataFrame, rules: ReleaseRules
) -> ReleaseTrace:
    """Filter one demonstration and find its key frames; errors as :func:`segment_release`."""
    name, n_frames = only_demonstration(demonstrations, facts=facts)
    if n_frames <= rules.first_key_frame:
        raise ReplayError(
            f"demonstration {name!r}: {n_frames} frames, but profile 'release' always takes frame "
            f"{rules.first_key_frame} as its first key frame. The public release ends with an "
            f"IndexError below {rules.first_key_frame + 1} frames and writes nothing. Leave the "
            "demonstration out, or segment it with profile 'paper'."
        )
    ids = FrameIds(tuple(demonstrations["frame_id_runs"][0])).at(np.arange(n_frames))
    records = filter_records(recorded_history(facts, n_frames), n_frames, rules)
    order = np.argsort(records.runs.frames, kind="stable")
    constants = SearchRules(
        rules.first_key_frame,
        rules.first_compared,
        rules.max_similarity,
        rules.min_gap_ids,
        rules.settle_ids,
    )
    found = find_key_frames(records.runs, order, ids, constants)
    if found.aborted_at >= 0:
        frame, key_frame = found.aborted_at, int(found.frames[-1])
        raise ReplayError(
            f"demonstration {name!r}: frame {frame} (id {ids[frame]}) has a similarity of "
            f"{found.similarities[frame]:.4f} with key frame {key_frame} (id {ids[key_frame]}), "
            "but the two differ only in how often the transient filter repeated the records of "
            f"{_repeated(records, frame, key_frame)}. The public release ends with an "
            "AssertionError here and writes nothing. Mend the frames in which they are missing, or "
            "segment with profile 'paper'."
        )
    similarities = found.similarities[found.frames]
    similarities[0] = -1.0
    return ReleaseTrace(
        KeyFrames(found.frames, found.armed_by, similarities),
        found.candidates,
        bool(found.is_last_pending),
        found.similarities,
        records,
    )


def _repeated(records: RecordHistory, *frames: int) -> str:
    """Names of the objects that one of ``frames`` lists more than once."""
    names: set[str] = set()
    for frame in frames:
        nodes = [record.subject for record in records.at(frame) if record.object is None]
        names.update(name for name in nodes if nodes.count(name) > 1)
    return ", ".join(sorted(names))
