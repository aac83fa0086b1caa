"""Numba kernels of profile ``release``: records over time and the transient filter.

A *key* is an object (its node records) or an ordered pair of objects (its edge records). What is
recorded under one key never depends on another key, so keys are filtered one by one. A record is a
bit mask over the states of its own key; none set is a record without states, which is not the
same as no record.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from enact_assets.engine.system.compiled import njit
from enact_assets.questions.key_frames.bit_sets import WORD_BITS
from enact_assets.settings.arrays import Bools, Ints, Words

MAX_STATES = WORD_BITS
"""States one key may have: bits of a mask."""


class Intervals(NamedTuple):
    """Facts as intervals [start, stop), each (n,), sorted by ``key``, numbered from 0.

    ``bit`` is the state's position in the masks of its key, or -1 if the interval only says that
    there is a record.
    """

    key: Ints
    bit: Ints
    start: Ints
    stop: Ints


class Records(NamedTuple):
    """The records of every key over time, as runs of frames with equal records.

    Runs of key k are [offsets[k], offsets[k + 1]); run r lasts from ``frames[r]`` to the next run
    of its key, or to the end, and holds ``masks[first[r]:first[r + 1]]``, in the order of the
    frame's list. A run without masks has no record; so has a key before its first run.
    """

    offsets: Ints
    frames: Ints
    first: Ints
    masks: Words


class FilterRules(NamedTuple):
    """Constants of the transient filter, in frames, and the length of the replay."""

    n_frames: int
    stride: int
    min_window: int
    max_window: int


class _Stretch(NamedTuple):
    """Frames to lay out, from anchor ``low`` on: all that some changes of one key can affect.

    The changes are the runs [first, stop); run ``before`` (-1: none) holds until the first.
    """

    low: int
    n_frames: int
    before: int
    first: int
    stop: int


@njit(cache=True)
def join_facts(intervals: Intervals, order: Ints, n_keys: int, n_frames: int) -> Records:
    """Records of every key, at most one at a time, from the facts that hold.

    ``order`` (2 n,) sorts starts (0 to n - 1) and stops (n to 2 n - 1) by key and then by frame.
    A record exists while any interval of its key holds.
    """
    n = intervals.key.size
    offsets = np.zeros(n_keys + 1, np.int64)
    frames = np.empty(order.size, np.int64)
    first = np.zeros(order.size + 1, np.int64)
    masks = np.empty(order.size, np.uint64)
    n_runs = n_masks = n_holding = 0
    mask = np.uint64(0)
    for position in range(order.size):
        event = order[position]
        key, bit, frame = _event(intervals, event)
        n_holding += 1 if event < n else -1
        if bit >= 0:
            mask ^= np.uint64(1) << np.uint64(bit)
        if position + 1 < order.size:
            next_key, _, next_frame = _event(intervals, order[position + 1])
            if next_key == key and next_frame == frame:
                continue
        if frame >= n_frames:
            continue
        is_first = n_runs == offsets[key]
        had = 0 if is_first else first[n_runs] - first[n_runs - 1]
        has = 1 if n_holding else 0
        if had != has or (has and masks[n_masks - 1] != mask):
            frames[n_runs] = frame
            if has:
                masks[n_masks] = mask
                n_masks += 1
            n_runs += 1
            first[n_runs] = n_masks
        offsets[key + 1] = n_runs
    return Records(offsets, frames[:n_runs].copy(), first[: n_runs + 1].copy(), masks[:n_masks])


@njit(cache=True)
def _event(intervals: Intervals, event: int) -> tuple[int, int, int]:
    """Key, bit and frame of a start or a stop."""
    n = intervals.key.size
    if event < n:
        return intervals.key[event], intervals.bit[event], intervals.start[event]
    return intervals.key[event - n], intervals.bit[event - n], intervals.stop[event - n]


@njit(cache=True)
def filter_transients(records: Records, is_node: Bools, rules: FilterRules) -> Records:
    """The records after the transient filter of the public release (definitions.md R3).

    Windows are anchored at every ``stride``-th frame and grow from ``min_window`` to
    ``max_window``; later ones see what earlier ones wrote. A window in which nothing changes
    writes nothing, so only stretches around changes are laid out frame by frame.
    """
    n_keys = records.offsets.size - 1
    # Each anchor appends at most every second frame of a window, and a frame is in the middle of
    # windows of so many anchors.
    n_anchors = -(-(rules.max_window - 1) // rules.stride)
    capacity = 1 + n_anchors * (rules.max_window // 2)
    counts = np.zeros(rules.n_frames, np.int64)
    lists = np.zeros((rules.n_frames, capacity), np.uint64)
    offsets = np.zeros(n_keys + 1, np.int64)
    frames = np.empty(0, np.int64)
    first = np.zeros(1, np.int64)
    masks = np.empty(0, np.uint64)
    n_runs = n_masks = 0
    for key in range(n_keys):
        run, stop = records.offsets[key], records.offsets[key + 1]
        while run < stop:
            before = run - 1 if run > records.offsets[key] else -1
            stretch = _next_stretch(records, before, run, stop, rules)
            n_rows = stretch.n_frames
            _lay_out(records, stretch, counts, lists)
            for base in range(0, n_rows, rules.stride):
                last = min(n_rows - 1, base + rules.max_window)
                for end in range(base + rules.min_window, last + 1):
                    _apply_window(counts, lists, base, end, is_node[key])
            frames = _with_room(frames, n_runs + n_rows)
            first = _with_room(first, n_runs + n_rows + 1)
            masks = _with_room(masks, n_masks + counts[:n_rows].sum())
            for row in range(n_rows):
                current = first[n_runs - 1] if n_runs > offsets[key] else n_masks
                now = lists[row, : counts[row]]
                if _equal(masks[current:n_masks], now):
                    continue
                frames[n_runs] = stretch.low + row
                masks[n_masks : n_masks + now.size] = now
                n_runs += 1
                n_masks += now.size
                first[n_runs] = n_masks
            run = stretch.stop
        offsets[key + 1] = n_runs
    return Records(offsets, frames[:n_runs].copy(), first[: n_runs + 1].copy(), masks[:n_masks])


@njit(cache=True)
def _next_stretch(
    records: Records, before: int, run: int, stop: int, rules: FilterRules
) -> _Stretch:
    """The stretch around ``run`` and all runs of its key before ``stop`` that fall into it.

    A fact that holds at frame 0 is not a change. It is a separate stretch, unless one starts there.
    """
    low = high = 0
    if records.frames[run] > 0:
        low, high = _reach(records.frames[run], rules)
    last = run + 1
    while last < stop:
        next_low, next_high = _reach(records.frames[last], rules)
        if next_low > high:
            break
        high = next_high
        last += 1
    return _Stretch(low, high + 1 - low, before, run, last)


@njit(cache=True)
def _reach(change: int, rules: FilterRules) -> tuple[int, int]:
    """First anchor and last frame of the windows in which a change lies.

    Later windows see nothing new: frames from a last change on are never rewritten, as the ends
    of all windows they are in show what they show.
    """
    first_anchor = max(0, -(-(change - rules.max_window) // rules.stride) * rules.stride)
    last_anchor = (change - 1) // rules.stride * rules.stride
    return first_anchor, min(rules.n_frames - 1, last_anchor + rules.max_window)


@njit(cache=True)
def _lay_out(records: Records, stretch: _Stretch, counts: Ints, lists: Words) -> None:
    """Write the records of a stretch, at most one per frame, into the first rows."""
    run = stretch.first
    count, mask = last_record(records, stretch.before)
    for row in range(stretch.n_frames):
        if run < stretch.stop and records.frames[run] == stretch.low + row:
            count, mask = last_record(records, run)
            run += 1
        counts[row] = count
        lists[row, 0] = mask


@njit(cache=True)
def _apply_window(counts: Ints, lists: Words, base: int, end: int, is_node: np.bool_) -> None:
    """One window of the filter over the frames between ``base`` and ``end``."""
    n_base, n_end = counts[base], counts[end]
    if n_base == 0 and n_end == 0:
        counts[base + 1 : end] = 0
        return
    # Of repeated records the last one speaks for base and end, but the first one is mended.
    at_base = lists[base, n_base - 1] if n_base else np.uint64(0)
    at_end = lists[end, n_end - 1] if n_end else np.uint64(0)
    stable, allowed = at_base & at_end, at_base | at_end
    for middle in range(base + 1, end):
        if counts[middle]:
            lists[middle, 0] = (lists[middle, 0] | stable) & allowed
        elif stable != 0:
            # A missing node is restored in all middle frames, also where it was not missing; a
            # missing edge only where it was.
            first, last = (base + 1, end) if is_node else (middle, middle + 1)
            for frame in range(first, last):
                lists[frame, counts[frame]] = stable
                counts[frame] += 1


@njit(cache=True)
def last_record(records: Records, run: int) -> tuple[int, np.uint64]:
    """Whether there is a record in ``run`` (1 or 0), and the last one; -1 is no run."""
    if run >= 0 and records.first[run + 1] > records.first[run]:
        return 1, records.masks[records.first[run + 1] - 1]
    return 0, np.uint64(0)


@njit(cache=True)
def _with_room(values: NDArray[Any], size: int) -> NDArray[Any]:
    """``values`` if at least ``size`` long, else a longer copy."""
    if values.size >= size:
        return values
    longer = np.zeros(max(size, 2 * values.size), values.dtype)
    longer[: values.size] = values
    return longer


@njit(cache=True)
def _equal(one: Words, other: Words) -> bool:
    if one.size != other.size:
        return False
    k = 0
    while k < one.size and one[k] == other[k]:
        k += 1
    return k == one.size
