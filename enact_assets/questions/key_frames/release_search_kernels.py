"""Numba kernel of profile ``release`` that finds key frames on filtered records."""

from typing import NamedTuple

import numpy as np

from enact_assets.engine.system.compiled import njit
from enact_assets.questions.key_frames.bit_sets import popcount
from enact_assets.questions.key_frames.release_record_kernels import Records, last_record
from enact_assets.settings.arrays import Floats, Ints


class SearchRules(NamedTuple):
    """Constants of the search: two frames, a cosine, two distances in ids.

    Above 1, ``max_similarity`` is no rule: every frame that differs is dissimilar, and one that
    differs in repeated records only does not end the search.
    """

    first_key_frame: int
    first_compared: int
    max_similarity: float
    min_gap_ids: int
    settle_ids: int


class KeyFrameSearch(NamedTuple):
    """What the search found, by frame.

    ``armed_by`` (n_key_frames,) is the candidate a key frame was saved for, -1 for the first.
    ``candidates`` are all that ever were; ``is_last_pending`` says whether the last key frame is
    one of them, saved at the end for want of a successor. ``similarities`` (n_frames,) is nan where
    no comparison was made. If ``aborted_at`` is not -1 the search ended at that frame, which
    differs from the key frame before it in nothing but how often records are repeated.
    """

    frames: Ints
    armed_by: Ints
    candidates: Ints
    similarities: Floats
    is_last_pending: bool
    aborted_at: int


@njit(cache=True)
def find_key_frames(records: Records, order: Ints, ids: Ints, rules: SearchRules) -> KeyFrameSearch:
    """Key frames of one replay of ``ids`` (n_frames,), more than ``first_key_frame`` of them.

    ``records`` are the filtered ones; ``order`` sorts their frames. Counts of features change only
    where a run starts, and only by what is recorded under its key: O(frames + runs).
    Source: definitions.md R4. Counts are integers, so the similarity is rounded as in the release.
    """
    n_frames = ids.size
    n_keys = records.offsets.size - 1
    key_of = np.empty(records.frames.size, np.int64)
    for key in range(n_keys):
        key_of[records.offsets[key] : records.offsets[key + 1]] = key
    now = np.full(n_keys, -1, np.int64)
    saved = now.copy()
    frames = np.empty(n_frames, np.int64)
    armed_by = np.empty(n_frames, np.int64)
    candidates = np.empty(n_frames, np.int64)
    similarities = np.full(n_frames, np.nan, np.float64)
    n_found = n_candidates = position = 0
    # Squared lengths of the counts of features of this frame and of the last key frame, their
    # product, and how many keys differ between the two.
    squares = saved_squares = product = n_different = 0
    candidate = aborted_at = -1
    for frame in range(n_frames):
        while position < order.size and records.frames[order[position]] == frame:
            run = order[position]
            key = key_of[run]
            squares += _product(records, run, run) - _product(records, now[key], now[key])
            product += _product(records, run, saved[key]) - _product(records, now[key], saved[key])
            n_different += _differ(records, run, saved[key])
            n_different -= _differ(records, now[key], saved[key])
            now[key] = run
            position += 1
        is_saved = frame == rules.first_key_frame
        # The frame after the first key frame is skipped, and the last one is never compared.
        if rules.first_compared <= frame < n_frames - 1:
            similarity = _cosine(product, saved_squares, squares)
            similarities[frame] = similarity
            gap = ids[frame] - ids[frames[n_found - 1]]
            if gap > rules.min_gap_ids and _is_dissimilar(similarity, n_different, rules):
                if n_different == 0:
                    aborted_at = frame
                    break
                # A candidate stays armed when the graph becomes similar again, and what is saved
                # is not the candidate but the first dissimilar frame some time after it.
                if candidate < 0:
                    candidate = frame
                    candidates[n_candidates] = frame
                    n_candidates += 1
                elif ids[frame] >= ids[candidate] + rules.settle_ids:
                    is_saved = True
        if is_saved:
            frames[n_found], armed_by[n_found] = frame, candidate
            n_found += 1
            saved[:] = now
            saved_squares = product = squares
            n_different = 0
            candidate = -1
    is_last_pending = candidate >= 0 and aborted_at < 0
    if is_last_pending:
        # At the end the candidate itself is saved, whatever became of it.
        frames[n_found], armed_by[n_found] = candidate, candidate
        n_found += 1
    return KeyFrameSearch(
        frames[:n_found].copy(),
        armed_by[:n_found].copy(),
        candidates[:n_candidates].copy(),
        similarities,
        is_last_pending,
        aborted_at,
    )


@njit(cache=True)
def _is_dissimilar(similarity: float, n_different: int, rules: SearchRules) -> bool:
    if rules.max_similarity > 1.0:
        return n_different > 0
    return similarity < rules.max_similarity


@njit(cache=True)
def _cosine(product: int, squares: int, other_squares: int) -> float:
    """Cosine of two vectors of counts; 1 if one of them is zero.

    The two roots are rounded before they are multiplied: 49 of 50 features in common give
    0.9799999999999999, and one root of the product would give 0.98.
    """
    lengths = np.sqrt(float(squares)) * np.sqrt(float(other_squares))
    return float(product) / lengths if lengths != 0.0 else 1.0


@njit(cache=True)
def _product(records: Records, run: int, other: int) -> int:
    """Scalar product of the counts of states in two runs of one key; -1 is no run."""
    total = 0
    if run >= 0 and other >= 0:
        for a in range(records.first[run], records.first[run + 1]):
            for b in range(records.first[other], records.first[other + 1]):
                total += popcount(records.masks[a] & records.masks[b])
    return total


@njit(cache=True)
def _differ(records: Records, run: int, other: int) -> int:
    """1 if the last records of two runs of one key differ, else 0; -1 is no run."""
    count, mask = last_record(records, run)
    other_count, other_mask = last_record(records, other)
    return 1 if count != other_count or mask != other_mask else 0
