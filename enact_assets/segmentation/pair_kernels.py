"""Numba kernels of changes between pairs of key frames: which facts differ, which of them show.

Sets are bit sets of uint64 words: bit b of word w stands for element 64 w + b.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Words = NDArray[np.uint64]
Bools = NDArray[np.bool_]

WORD_BITS = 64


class KeyFrameArrays(NamedTuple):
    """What the change between two key frames depends on. M key frames, F facts, O objects.

    ``facts`` (M, words) holds the facts of each key frame as a bit set; ``exists`` and ``visible``
    are (M, O). ``fact_objects`` (F, 2) are object numbers, -1 for none; ``fact_components`` (F, 2)
    are the component numbers of removing and of adding the fact. ``labels`` (O,) is equal for
    objects that are called the same, numbered below O; ``twins`` (O,) is equal for objects of one
    label that need not be told apart.

    Child c is object ``child[c]``; its parents are ``parent[link_offsets[c]:link_offsets[c + 1]]``.
    ``pattern[c, k]`` numbers the combinations of child c and its parents that exist at key frame k;
    ``transition[first[c] + a * n_patterns[c] + b]`` is the component of going from combination a
    to combination b, or -1.
    """

    facts: Words
    exists: Bools
    visible: Bools
    fact_objects: Ints
    fact_components: Ints
    labels: Ints
    twins: Ints
    child: Ints
    link_offsets: Ints
    parent: Ints
    pattern: Ints
    n_patterns: Ints
    first: Ints
    transition: Ints


class _Scratch(NamedTuple):
    """Working memory, kept from pair to pair. A mark counts only if it equals the pair's stamp."""

    changed: Ints
    """Numbers of the facts that differ, from the start."""
    takes_part: Ints
    """Per object: stamp if it takes part in a transition."""
    label_seen: Ints
    """Per label: stamp if a visible changed object has it, and which twin group that object has."""
    label_twin: Ints
    label_ambiguous: Ints
    """Per label: stamp if visible changed objects have it that are not twins."""


class _Pair(NamedTuple):
    i: int
    j: int
    stamp: int


@njit(cache=True)
def pair_changes(arrays: KeyFrameArrays, pairs: Ints, n_words: int) -> tuple[Words, Words]:
    """Visible and full changes of the ``pairs`` (n, 2) as component sets, each (n, n_words)."""
    visible = np.zeros((pairs.shape[0], n_words), np.uint64)
    full = np.zeros((pairs.shape[0], n_words), np.uint64)
    scratch = _new_scratch(arrays)
    for row in range(pairs.shape[0]):
        pair = _Pair(pairs[row, 0], pairs[row, 1], row + 1)
        _write_changes(arrays, scratch, pair, visible[row], full[row])
    return visible, full


@njit(cache=True)
def count_visible_changes(arrays: KeyFrameArrays, n_words: int) -> NDArray[np.int32]:
    """Number of visible components of every pair i < j: (M, M), zero elsewhere."""
    n_key_frames = arrays.facts.shape[0]
    counts = np.zeros((n_key_frames, n_key_frames), np.int32)
    scratch = _new_scratch(arrays)
    visible = np.zeros(n_words, np.uint64)
    full = np.zeros(n_words, np.uint64)
    stamp = 0
    for i in range(n_key_frames):
        for j in range(i + 1, n_key_frames):
            stamp += 1
            visible[:] = np.uint64(0)
            _write_changes(arrays, scratch, _Pair(i, j, stamp), visible, full)
            for word in range(n_words):
                counts[i, j] += popcount(visible[word])
    return counts


@njit(cache=True)
def set_bits(bits: Words) -> tuple[Ints, Ints]:
    """Elements of each row's set, ascending, as one flat array, and the rows' offsets (n + 1,)."""
    offsets = np.zeros(bits.shape[0] + 1, np.int64)
    for row in range(bits.shape[0]):
        offsets[row + 1] = offsets[row]
        for word in range(bits.shape[1]):
            offsets[row + 1] += popcount(bits[row, word])
    flat = np.empty(offsets[-1], np.int64)
    n_out = 0
    for row in range(bits.shape[0]):
        for word in range(bits.shape[1]):
            left = bits[row, word]
            while left != np.uint64(0):
                flat[n_out] = word * WORD_BITS + _lowest_bit(left)
                n_out += 1
                left &= left - np.uint64(1)
    return flat, offsets


@njit(cache=True)
def popcount(word: np.uint64) -> int:
    """Number of set bits."""
    pairs = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    fours = (pairs & np.uint64(0x3333333333333333)) + (
        (pairs >> np.uint64(2)) & np.uint64(0x3333333333333333)
    )
    bytes_ = (fours + (fours >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return int((bytes_ * np.uint64(0x0101010101010101)) >> np.uint64(56))


@njit(cache=True)
def _lowest_bit(word: np.uint64) -> int:
    """Position of the lowest set bit of a word that is not 0."""
    return int(popcount((word - np.uint64(1)) & ~word))


@njit(cache=True)
def _add(bits: Words, element: int) -> None:
    bits[element // WORD_BITS] |= np.uint64(1) << np.uint64(element % WORD_BITS)


@njit(cache=True)
def _has(bits: Words, element: int) -> bool:
    return bool((bits[element // WORD_BITS] >> np.uint64(element % WORD_BITS)) & np.uint64(1))


@njit(cache=True)
def _new_scratch(arrays: KeyFrameArrays) -> _Scratch:
    n_facts, n_objects = arrays.fact_objects.shape[0], arrays.labels.size
    return _Scratch(
        np.zeros(n_facts, np.int64),
        np.zeros(n_objects, np.int64),
        np.zeros(n_objects, np.int64),
        np.zeros(n_objects, np.int64),
        np.zeros(n_objects, np.int64),
    )


@njit(cache=True)
def _write_changes(
    arrays: KeyFrameArrays, scratch: _Scratch, pair: _Pair, visible: Words, full: Words
) -> None:
    """Set the components of the visible and the full change from key frame i to j, in any order.

    Source: benchmark definition 3 (paper 2.2 and A.3.2).
    """
    _mark_transitions(arrays, scratch, pair, full)
    n_changed = _find_changed_facts(arrays, scratch, pair, full)
    _find_ambiguous_labels(arrays, scratch, pair, n_changed)
    for k in range(n_changed):
        fact = scratch.changed[k]
        if _is_wordable(arrays, scratch, pair, arrays.fact_objects[fact, 0]) and _is_wordable(
            arrays, scratch, pair, arrays.fact_objects[fact, 1]
        ):
            _add(visible, _component(arrays, fact, pair))
    for c in range(arrays.child.size):
        component = _transition(arrays, c, pair)
        if component >= 0:
            is_kept = _is_wordable(arrays, scratch, pair, arrays.child[c])
            for link in range(arrays.link_offsets[c], arrays.link_offsets[c + 1]):
                parent = arrays.parent[link]
                if _disappears(arrays, pair, parent):
                    is_kept = is_kept and _is_wordable(arrays, scratch, pair, parent)
            if is_kept:
                _add(visible, component)


@njit(cache=True)
def _find_ambiguous_labels(
    arrays: KeyFrameArrays, scratch: _Scratch, pair: _Pair, n_changed: int
) -> None:
    """Go through all objects of changed facts and transitions and note those that are seen."""
    for k in range(n_changed):
        for side in range(2):
            _note_changed(arrays, scratch, pair, arrays.fact_objects[scratch.changed[k], side])
    for c in range(arrays.child.size):
        if _transition(arrays, c, pair) >= 0:
            _note_changed(arrays, scratch, pair, arrays.child[c])
            for link in range(arrays.link_offsets[c], arrays.link_offsets[c + 1]):
                if _disappears(arrays, pair, arrays.parent[link]):
                    _note_changed(arrays, scratch, pair, arrays.parent[link])


@njit(cache=True)
def _mark_transitions(arrays: KeyFrameArrays, scratch: _Scratch, pair: _Pair, full: Words) -> None:
    """Add all transitions to ``full`` and mark the objects that take part in one."""
    for c in range(arrays.child.size):
        component = _transition(arrays, c, pair)
        if component >= 0:
            _add(full, component)
            scratch.takes_part[arrays.child[c]] = pair.stamp
            for link in range(arrays.link_offsets[c], arrays.link_offsets[c + 1]):
                if _disappears(arrays, pair, arrays.parent[link]):
                    scratch.takes_part[arrays.parent[link]] = pair.stamp


@njit(cache=True)
def _find_changed_facts(arrays: KeyFrameArrays, scratch: _Scratch, pair: _Pair, full: Words) -> int:
    """Add all facts that differ to ``full`` and list them in ``scratch.changed``."""
    n_changed = 0
    for word in range(arrays.facts.shape[1]):
        left = arrays.facts[pair.i, word] ^ arrays.facts[pair.j, word]
        while left != np.uint64(0):
            fact = word * WORD_BITS + _lowest_bit(left)
            scratch.changed[n_changed] = fact
            n_changed += 1
            _add(full, _component(arrays, fact, pair))
            left &= left - np.uint64(1)
    return n_changed


@njit(cache=True)
def _transition(arrays: KeyFrameArrays, c: int, pair: _Pair) -> int:
    """Component number of child c's transition, or -1 if it has none between the two frames."""
    step = arrays.pattern[c, pair.i] * arrays.n_patterns[c] + arrays.pattern[c, pair.j]
    return int(arrays.transition[arrays.first[c] + step])


@njit(cache=True)
def _disappears(arrays: KeyFrameArrays, pair: _Pair, entity: int) -> bool:
    return bool(arrays.exists[pair.i, entity] and not arrays.exists[pair.j, entity])


@njit(cache=True)
def _component(arrays: KeyFrameArrays, fact: int, pair: _Pair) -> int:
    """Component number of a fact that differs: added if it holds at j, else removed."""
    is_added = 1 if _has(arrays.facts[pair.j], fact) else 0
    return int(arrays.fact_components[fact, is_added])


@njit(cache=True)
def _is_seen(arrays: KeyFrameArrays, scratch: _Scratch, pair: _Pair, entity: int) -> bool:
    """Visible in both frames, or in one if the object takes part in a transition."""
    at_i, at_j = arrays.visible[pair.i, entity], arrays.visible[pair.j, entity]
    if scratch.takes_part[entity] == pair.stamp:
        return bool(at_i or at_j)
    return bool(at_i and at_j)


@njit(cache=True)
def _note_changed(arrays: KeyFrameArrays, scratch: _Scratch, pair: _Pair, entity: int) -> None:
    """Note a changed object if it is seen; a second of its label that is no twin is ambiguous."""
    if entity < 0 or not _is_seen(arrays, scratch, pair, entity):
        return
    label = arrays.labels[entity]
    if scratch.label_seen[label] != pair.stamp:
        scratch.label_seen[label] = pair.stamp
        scratch.label_twin[label] = arrays.twins[entity]
    elif scratch.label_twin[label] != arrays.twins[entity]:
        scratch.label_ambiguous[label] = pair.stamp


@njit(cache=True)
def _is_wordable(arrays: KeyFrameArrays, scratch: _Scratch, pair: _Pair, entity: int) -> bool:
    """Whether a component may name this object: seen, and not ambiguous. No object (-1) may."""
    if entity < 0:
        return True
    is_ambiguous = scratch.label_ambiguous[arrays.labels[entity]] == pair.stamp
    return bool(not is_ambiguous and _is_seen(arrays, scratch, pair, entity))
