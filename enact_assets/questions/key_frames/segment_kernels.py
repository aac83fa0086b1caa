"""Numba kernels of segmentation: smoothing of facts and the search for key frames.

Facts are kept as *switches*: the frames at which a fact turns true or false, ascending, starting
from false before frame 0. A fact holds at frame t when an odd number of its switches are at or
before t.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from enact_assets.engine.system.compiled import njit
from enact_assets.settings.arrays import Bools, Floats, Ints


class Switches(NamedTuple):
    """Switches of all facts: ``frames`` flat, those of fact f at [offsets[f], offsets[f + 1])."""

    offsets: Ints
    frames: Ints


class Lineage(NamedTuple):
    """Which facts say that an object and the objects it came from exist.

    Child c exists while fact ``child[c]`` holds, and its parents are the facts
    ``parent[offsets[c]:offsets[c + 1]]``, the *links* of the child. Link l is one if the child
    appears at a frame in [``times[t, 0]``, ``times[t, 1]``) for a t in
    [``time_offsets[l]``, ``time_offsets[l + 1]``).
    """

    child: Ints
    offsets: Ints
    parent: Ints
    time_offsets: Ints
    times: Ints


class Signature(NamedTuple):
    """One change: +1 (added), -1 (removed) or 0 per fact, and per link whether parent became child.

    A child with at least one true link is one transition component.
    """

    facts: NDArray[np.int8]
    links: Bools


class SearchRules(NamedTuple):
    """Constants of the search, in frames (similarity: cosine), and the length of the replay.

    ``compares_states``: the cosine is that of a candidate's facts with those of the last key frame,
    not that of its change with the last accepted one.
    """

    n_frames: int
    settle_frames: int
    persistence_frames: int
    max_similarity: float
    compares_states: bool


class KeyFrameSearch(NamedTuple):
    """What the search found.

    ``frames``, ``change_frames`` and ``similarities`` are (n_key_frames,), -1 where there is no
    value. Of the frames that were tried, ``n_fleeting`` had a change that did not persist, and
    ``n_similar`` had one that did and was too similar.
    """

    frames: Ints
    change_frames: Ints
    similarities: Floats
    n_fleeting: int
    n_similar: int


@njit(cache=True)
def smooth(switches: Switches, only_gaps: Bools, n_frames: int, flicker_frames: int) -> Switches:
    """Flip interior runs shorter than ``flicker_frames``, shortest first, then left to right.

    A run is interior if it touches neither frame 0 nor frame n_frames - 1. Facts marked in
    ``only_gaps`` (n_facts,) only have false runs filled. Switches at n_frames are dropped: nothing
    can be seen to change there.

    To flip a run is to drop the two switches around it. The run it grows into is longer than it,
    so one sweep per length in ascending order is exact: O(switches * lengths).
    Source: definitions.md 2.1 (paper A.2.1, suppression of small fluctuations).
    """
    n_facts = switches.offsets.size - 1
    offsets = np.zeros(n_facts + 1, np.int64)
    frames = np.empty(switches.frames.size, np.int64)
    cuts = np.empty(switches.frames.size, np.int64)
    n_out = 0
    for fact in range(n_facts):
        n_cuts, first_gap = 0, 1
        for k in range(switches.offsets[fact], switches.offsets[fact + 1]):
            if switches.frames[k] == 0:
                first_gap = 0
                frames[n_out] = 0
                n_out += 1
            elif switches.frames[k] < n_frames:
                cuts[n_cuts] = switches.frames[k]
                n_cuts += 1
        if only_gaps[fact]:
            n_cuts = _fill_gaps(cuts, n_cuts, first_gap, flicker_frames)
        else:
            n_cuts = _flip_short_runs(cuts, n_cuts, flicker_frames)
        for k in range(n_cuts):
            frames[n_out] = cuts[k]
            n_out += 1
        offsets[fact + 1] = n_out
    return Switches(offsets, frames[:n_out].copy())


@njit(cache=True)
def _flip_short_runs(cuts: Ints, n_cuts: int, flicker_frames: int) -> int:
    """Drop pairs of cuts around short runs, in place; returns how many cuts are left."""
    while True:
        shortest = flicker_frames
        for k in range(n_cuts - 1):
            shortest = min(shortest, cuts[k + 1] - cuts[k])
        if shortest >= flicker_frames:
            return n_cuts
        kept, k = 0, 0
        while k < n_cuts:
            if k + 1 < n_cuts and cuts[k + 1] - cuts[k] == shortest:
                k += 2
            else:
                cuts[kept] = cuts[k]
                kept += 1
                k += 1
        n_cuts = kept


@njit(cache=True)
def _fill_gaps(cuts: Ints, n_cuts: int, first_gap: int, flicker_frames: int) -> int:
    """Drop pairs of cuts around short false runs, in place; returns how many cuts are left.

    Interior false runs start at cuts ``first_gap``, ``first_gap`` + 2, ...
    """
    kept, k = 0, 0
    while k < n_cuts:
        is_gap = k >= first_gap and (k - first_gap) % 2 == 0
        if is_gap and k + 1 < n_cuts and cuts[k + 1] - cuts[k] < flicker_frames:
            k += 2
        else:
            cuts[kept] = cuts[k]
            kept += 1
            k += 1
    return kept


@njit(cache=True)
def states_at(switches: Switches, frames: Ints) -> Bools:
    """Whether each fact holds at each of the ascending ``frames``: (n_frames, n_facts)."""
    n_facts = switches.offsets.size - 1
    states = np.zeros((frames.size, n_facts), np.bool_)
    for fact in range(n_facts):
        first = switches.offsets[fact]
        k = first
        for row in range(frames.size):
            while k < switches.offsets[fact + 1] and switches.frames[k] <= frames[row]:
                k += 1
            states[row, fact] = (k - first) % 2 == 1
    return states


@njit(cache=True)
def find_key_frames(
    switches: Switches, order: Ints, n_signature_facts: int, lineage: Lineage, rules: SearchRules
) -> KeyFrameSearch:
    """Key frames of one replay.

    ``order`` sorts ``switches.frames``. The first ``n_signature_facts`` facts make components by
    themselves, the others only say what exists. The first key frame has no change frame and no
    similarity; where changes are compared, the second has no similarity either.

    A candidate only gets worse while no fact switches (the window it must persist through moves
    on, the change stays the same), so only frames at which some fact switches are tried.
    Source: definitions.md 2.2 to 2.5 (paper A.2.1).
    """
    capacity = order.size + 1
    frames = np.empty(capacity, np.int64)
    change_frames = np.full(capacity, -1, np.int64)
    similarities = np.full(capacity, -1.0, np.float64)
    if rules.settle_frames >= rules.n_frames:
        return KeyFrameSearch(frames[:0], change_frames[:0], similarities[:0], 0, 0)
    fact_of = _owners(switches)
    position = switches.offsets[:-1].copy()
    base = np.zeros(position.size, np.bool_)
    current = _no_change(n_signature_facts, lineage)
    accepted = _no_change(n_signature_facts, lineage)
    n_accepted = n_fleeting = n_similar = 0
    frames[0] = rules.settle_frames
    n_key_frames = 1
    _look_ahead(switches, position, rules.settle_frames, base)
    window = max(rules.persistence_frames, rules.settle_frames + 1)
    event = 0
    while event < order.size:
        frame = switches.frames[order[event]]
        while event < order.size and switches.frames[order[event]] == frame:
            position[fact_of[order[event]]] += 1
            event += 1
        if frame <= frames[n_key_frames - 1]:
            continue
        if frame + window > rules.n_frames:
            break
        n_changes, holds_until = _difference(switches, position, base, lineage, current)
        if n_changes == 0:
            continue
        if holds_until < frame + rules.persistence_frames:
            n_fleeting += 1
            continue
        if n_accepted or rules.compares_states:
            if rules.compares_states:
                similarity = _state_similarity(switches, position, base, n_signature_facts)
            else:
                n_shared = _count_shared(current, accepted, lineage.offsets)
                similarity = n_shared / np.sqrt(float(n_changes * n_accepted))
            if similarity >= rules.max_similarity:
                n_similar += 1
                continue
            similarities[n_key_frames] = similarity
        accepted.facts[:] = current.facts
        accepted.links[:] = current.links
        n_accepted = n_changes
        frames[n_key_frames] = frame + rules.settle_frames
        change_frames[n_key_frames] = frame
        _look_ahead(switches, position, frames[n_key_frames], base)
        n_key_frames += 1
    return KeyFrameSearch(
        frames[:n_key_frames],
        change_frames[:n_key_frames],
        similarities[:n_key_frames],
        n_fleeting,
        n_similar,
    )


@njit(cache=True)
def _owners(switches: Switches) -> Ints:
    """The fact each switch belongs to: (n_switches,)."""
    owners = np.empty(switches.frames.size, np.int64)
    for fact in range(switches.offsets.size - 1):
        owners[switches.offsets[fact] : switches.offsets[fact + 1]] = fact
    return owners


@njit(cache=True)
def _no_change(n_facts: int, lineage: Lineage) -> Signature:
    return Signature(np.zeros(n_facts, np.int8), np.zeros(lineage.parent.size, np.bool_))


@njit(cache=True)
def _look_ahead(switches: Switches, position: Ints, frame: int, base: Bools) -> None:
    """Write into ``base`` which facts hold at ``frame``, which is not before ``position``."""
    for fact in range(base.size):
        k = position[fact]
        while k < switches.offsets[fact + 1] and switches.frames[k] <= frame:
            k += 1
        base[fact] = (k - switches.offsets[fact]) % 2 == 1


@njit(cache=True)
def _holds(switches: Switches, position: Ints, fact: int) -> bool:
    """Whether ``fact`` holds when switches up to ``position`` have happened."""
    return bool((position[fact] - switches.offsets[fact]) % 2 == 1)


@njit(cache=True)
def _next_switch(switches: Switches, position: Ints, fact: int) -> int:
    """Frame of the next switch of ``fact``; the largest integer if there is none."""
    if position[fact] < switches.offsets[fact + 1]:
        return int(switches.frames[position[fact]])
    return int(np.iinfo(np.int64).max)


@njit(cache=True)
def _difference(
    switches: Switches, position: Ints, base: Bools, lineage: Lineage, change: Signature
) -> tuple[int, int]:
    """Number of components between ``base`` and now, and the frame at which the first is undone.

    Writes the components into ``change``.
    """
    n_changes = 0
    holds_until = int(np.iinfo(np.int64).max)
    for fact in range(change.facts.size):
        holds = _holds(switches, position, fact)
        change.facts[fact] = 0
        if holds != base[fact]:
            change.facts[fact] = 1 if holds else -1
            n_changes += 1
            holds_until = min(holds_until, _next_switch(switches, position, fact))
    for c in range(lineage.child.size):
        child = lineage.child[c]
        appears = not base[child] and _holds(switches, position, child)
        appeared = switches.frames[position[child] - 1] if appears else 0
        is_transition = False
        for link in range(lineage.offsets[c], lineage.offsets[c + 1]):
            parent = lineage.parent[link]
            is_gone = base[parent] and not _holds(switches, position, parent)
            change.links[link] = appears and is_gone and is_link_at(lineage, link, appeared)
            if change.links[link]:
                is_transition = True
                holds_until = min(holds_until, _next_switch(switches, position, parent))
        if is_transition:
            n_changes += 1
            holds_until = min(holds_until, _next_switch(switches, position, child))
    return n_changes, holds_until


@njit(cache=True)
def is_link_at(lineage: Lineage, link: int, frame: int) -> bool:
    """Whether ``link`` is one for a child that appears at ``frame``."""
    for k in range(lineage.time_offsets[link], lineage.time_offsets[link + 1]):
        if lineage.times[k, 0] <= frame < lineage.times[k, 1]:
            return True
    return False


@njit(cache=True)
def _state_similarity(switches: Switches, position: Ints, base: Bools, n_facts: int) -> float:
    """Cosine of the first ``n_facts`` facts in ``base`` with those that hold now; 1 if none holds
    in one of the two, as in the public release (definitions.md R4).
    """
    n_before = n_now = n_both = 0
    for fact in range(n_facts):
        holds = _holds(switches, position, fact)
        if base[fact]:
            n_before += 1
        if holds:
            n_now += 1
        if holds and base[fact]:
            n_both += 1
    if n_before == 0 or n_now == 0:
        return 1.0
    return float(n_both / np.sqrt(float(n_before * n_now)))


@njit(cache=True)
def _count_shared(one: Signature, other: Signature, link_offsets: Ints) -> int:
    """How many components two signatures have in common."""
    n_shared = 0
    for fact in range(one.facts.size):
        if one.facts[fact] != 0 and one.facts[fact] == other.facts[fact]:
            n_shared += 1
    for child in range(link_offsets.size - 1):
        is_transition, is_same = False, True
        for link in range(link_offsets[child], link_offsets[child + 1]):
            is_transition = is_transition or one.links[link]
            is_same = is_same and one.links[link] == other.links[link]
        if is_transition and is_same:
            n_shared += 1
    return n_shared
