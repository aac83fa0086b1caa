"""How many frames each rule of segmentation changed or rejected, by the rule's name."""

from collections.abc import Mapping

import numpy as np

from enact_assets.demonstrations.replay.result import ReplayTables
from enact_assets.questions.key_frames.landed import only_demonstration
from enact_assets.questions.key_frames.release import RecordHistory, recorded_history, trace_release
from enact_assets.questions.key_frames.segment import trace_segmentation
from enact_assets.questions.key_frames.segment_kernels import states_at
from enact_assets.settings.arrays import Bools
from enact_assets.settings.classes import Gating
from enact_assets.settings.frame_ids import FrameIds
from enact_assets.settings.rules import GAP, PERSISTENCE, SIMILARITY, SMOOTHING, TRANSIENTS


def frames_decided(replay: ReplayTables, gating: Gating) -> dict[str, int]:
    """Profile ``paper``: frames at which smoothing changed a fact; and, of the frames at which the
    search looked, those with a change that did not persist, and those with a lasting change that
    was too similar.

    Errors: as :func:`~enact_assets.questions.key_frames.segment.segment`.
    """
    _, n_frames = only_demonstration(replay.demonstrations, facts=replay.facts)
    tables = replay.facts, replay.objects, gating, n_frames, replay.later_parents
    traced = trace_segmentation(*tables)
    frames = np.arange(n_frames)
    recorded = states_at(traced.facts.switches, frames)
    is_changed = (recorded != states_at(traced.smoothed, frames)).any(axis=1)
    return {
        SMOOTHING: int(is_changed.sum()),
        PERSISTENCE: traced.search.n_fleeting,
        SIMILARITY: traced.search.n_similar,
    }


def release_frames_decided(replay: ReplayTables, gating: Gating) -> dict[str, int]:
    """Profile ``release``: frames at which the transient filter changed a record; frames that were
    far enough from the last key frame and too similar to it; and frames that were dissimilar and
    not far enough.

    Errors: as :func:`~enact_assets.questions.key_frames.release.trace_release`.
    """
    rules = gating.profile.release_constants
    found, filtered = trace_release(replay.demonstrations, replay.facts, rules)
    n_frames = found.similarities.size
    ids = FrameIds(tuple(replay.demonstrations["frame_id_runs"][0])).at(np.arange(n_frames))
    compared = np.flatnonzero(~np.isnan(found.similarities))
    # A frame that became a key frame was compared with the one before. No frame was compared with a
    # key frame that was saved at the end, for want of a successor.
    saved = found.frames[:-1] if found.is_last_pending else found.frames
    last = saved[np.searchsorted(saved, compared) - 1]
    is_far = ids[compared] - ids[last] > rules.min_gap_ids
    is_similar = ~(found.similarities[compared] < rules.max_similarity)
    recorded = recorded_history(replay.facts, n_frames)
    return {
        TRANSIENTS: int(_is_rewritten(recorded, filtered, n_frames).sum()),
        SIMILARITY: int((is_far & is_similar).sum()),
        GAP: int((~is_far & ~is_similar).sum()),
    }


def _is_rewritten(recorded: RecordHistory, filtered: RecordHistory, n_frames: int) -> Bools:
    """At which frames the two list other records: (n_frames,)."""
    is_rewritten = np.zeros(n_frames, np.bool_)
    for key in range(recorded.keys.height):
        before, after = (_runs(history, key) for history in (recorded, filtered))
        if before == after:
            continue
        starts = sorted({0, *before, *after})
        at_before: tuple[int, ...] = ()
        at_after: tuple[int, ...] = ()
        for start, stop in zip(starts, [*starts[1:], n_frames], strict=True):
            at_before, at_after = before.get(start, at_before), after.get(start, at_after)
            if at_before != at_after:
                is_rewritten[start:stop] = True
    return is_rewritten


def _runs(history: RecordHistory, key: int) -> Mapping[int, tuple[int, ...]]:
    """First frame of each run of one key -> its masks."""
    runs = history.runs
    return {
        int(runs.frames[run]): tuple(runs.masks[runs.first[run] : runs.first[run + 1]].tolist())
        for run in range(runs.offsets[key], runs.offsets[key + 1])
    }
