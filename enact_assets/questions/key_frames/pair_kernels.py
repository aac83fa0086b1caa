"""Numba kernels of changes between pairs of key frames: which facts differ, which of them show.

Sets are those of ``bit_sets.py``.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from enact_assets.engine.system.compiled import njit
from enact_assets.questions.key_frames.bit_sets import WORD_BITS, add_bit, bit, lowest_bit, popcount
from enact_assets.settings.arrays import Bools, Ints, Words


class KeyFrameArrays(NamedTuple):
    """What the change between two key frames depends on. M key frames, F facts, O objects.

    ``facts`` (M, words) holds the facts of each key frame as a bit set; ``exists`` and ``visible``
    are (M, O). ``fact_objects`` (F, 2) are object numbers, O for none; ``fact_components`` (F, 2)
    are the component numbers of removing and of adding the fact. ``labels`` (O,) is equal for
    objects that are called the same, numbered below O; ``twins`` (O,) is equal for objects of one
    label that need not be distinguished.

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
    """Working memory, kept from pair to pair. Objects have one entry more, for "no object"."""

    facts: Ints
    """Numbers of the facts that differ, from the start."""
    is_changed: Bools
    """Per object, whether a fact about it differs or it takes part in a transition."""
    takes_part: Bools
    """Per object, whether it takes part in a transition."""
    is_wordable: Bools
    """Per object, whether a visible component may name it."""
    twins_of_label: Ints
    """Per label, the twins number of the changed objects seen so far, or one of the two below."""


_NONE = -1
_SEVERAL = -2


class _Pair(NamedTuple):
    i: int
    j: int


@njit(cache=True)
def pair_changes(arrays: KeyFrameArrays, pairs: Ints, n_words: int) -> tuple[Words, Words]:
    """Visible and full changes of the ``pairs`` (n, 2) as component sets, each (n, n_words)."""
    visible = np.zeros((pairs.shape[0], n_words), np.uint64)
    full = np.zeros((pairs.shape[0], n_words), np.uint64)
    scratch = _new_scratch(arrays)
    for row in range(pairs.shape[0]):
        pair = _Pair(pairs[row, 0], pairs[row, 1])
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
    for i in range(n_key_frames):
        for j in range(i + 1, n_key_frames):
            visible[:] = np.uint64(0)
            _write_changes(arrays, scratch, _Pair(i, j), visible, full)
            for word in range(n_words):
                counts[i, j] += popcount(visible[word])
    return counts


@njit(cache=True)
def edited_objects(arrays: KeyFrameArrays, pairs: Ints, n_words: int) -> tuple[Bools, Bools]:
    """Which objects the visible changes of the ``pairs`` (n, 2) name, and which of all objects take
    part in a transition then; each (n, O).
    """
    n_objects = arrays.labels.size
    is_edited = np.zeros((pairs.shape[0], n_objects + 1), np.bool_)
    takes_part = np.zeros((pairs.shape[0], n_objects), np.bool_)
    scratch = _new_scratch(arrays)
    visible = np.zeros(n_words, np.uint64)
    full = np.zeros(n_words, np.uint64)
    for row in range(pairs.shape[0]):
        pair = _Pair(pairs[row, 0], pairs[row, 1])
        n_changed = _write_changes(arrays, scratch, pair, visible, full)
        for k in range(n_changed):
            one = arrays.fact_objects[scratch.facts[k], 0]
            other = arrays.fact_objects[scratch.facts[k], 1]
            if scratch.is_wordable[one] and scratch.is_wordable[other]:
                is_edited[row, one] = True
                is_edited[row, other] = True
        for c in range(arrays.child.size):
            if _is_wordable_transition(arrays, scratch, c, pair):
                is_edited[row, arrays.child[c]] = True
                for link in range(arrays.link_offsets[c], arrays.link_offsets[c + 1]):
                    parent = arrays.parent[link]
                    if arrays.exists[pair.i, parent] and not arrays.exists[pair.j, parent]:
                        is_edited[row, parent] = True
        takes_part[row] = scratch.takes_part[:n_objects]
    return is_edited[:, :n_objects], takes_part


@njit(cache=True)
def _new_scratch(arrays: KeyFrameArrays) -> _Scratch:
    n_facts, n_objects = arrays.fact_objects.shape[0], arrays.labels.size
    return _Scratch(
        np.zeros(n_facts, np.int64),
        np.zeros(n_objects + 1, np.bool_),
        np.zeros(n_objects + 1, np.bool_),
        np.zeros(n_objects + 1, np.bool_),
        np.zeros(n_objects, np.int64),
    )


@njit(cache=True)
def _write_changes(
    arrays: KeyFrameArrays, scratch: _Scratch, pair: _Pair, visible: Words, full: Words
) -> int:
    """Set the components of the visible and the full change from key frame i to j, in any order.

    Returns how many facts differ; ``scratch`` says which. Source: definitions.md 3 (paper 2.2
    and A.3.2).
    """
    scratch.is_changed[:] = False
    scratch.takes_part[:] = False
    n_changed = _find_changed_facts(arrays, scratch, pair, full)
    has_transition = _find_transitions(arrays, scratch, pair, full)
    _find_wordable_objects(arrays, scratch, pair)
    facts, is_wordable = scratch.facts, scratch.is_wordable
    fact_objects, fact_components = arrays.fact_objects, arrays.fact_components
    holds_at_j = arrays.facts[pair.j]
    for k in range(n_changed):
        fact = facts[k]
        if is_wordable[fact_objects[fact, 0]] and is_wordable[fact_objects[fact, 1]]:
            add_bit(visible, fact_components[fact, bit(holds_at_j, fact)])
    if has_transition:
        _keep_wordable_transitions(arrays, scratch, pair, visible)
    return n_changed


@njit(cache=True)
def _find_changed_facts(arrays: KeyFrameArrays, scratch: _Scratch, pair: _Pair, full: Words) -> int:
    """Add all facts that differ to ``full``, list them, and mark their objects as changed."""
    facts, is_changed = scratch.facts, scratch.is_changed
    fact_objects, fact_components = arrays.fact_objects, arrays.fact_components
    at_i, at_j = arrays.facts[pair.i], arrays.facts[pair.j]
    n_changed = 0
    for word in range(at_i.size):
        left = at_i[word] ^ at_j[word]
        while left != np.uint64(0):
            fact = word * WORD_BITS + lowest_bit(left)
            left &= left - np.uint64(1)
            facts[n_changed] = fact
            n_changed += 1
            is_changed[fact_objects[fact, 0]] = True
            is_changed[fact_objects[fact, 1]] = True
            add_bit(full, fact_components[fact, bit(at_j, fact)])
    return n_changed


@njit(cache=True)
def _find_transitions(arrays: KeyFrameArrays, scratch: _Scratch, pair: _Pair, full: Words) -> bool:
    """Add all transitions to ``full`` and mark the objects that take part in one."""
    has_transition = False
    for c in range(arrays.child.size):
        component = _transition(arrays, c, pair)
        if component >= 0:
            has_transition = True
            add_bit(full, component)
            scratch.takes_part[arrays.child[c]] = True
            scratch.is_changed[arrays.child[c]] = True
            for link in range(arrays.link_offsets[c], arrays.link_offsets[c + 1]):
                parent = arrays.parent[link]
                if arrays.exists[pair.i, parent] and not arrays.exists[pair.j, parent]:
                    scratch.takes_part[parent] = True
                    scratch.is_changed[parent] = True
    return has_transition


@njit(cache=True)
def _transition(arrays: KeyFrameArrays, c: int, pair: _Pair) -> int:
    """Component number of child c's transition, or -1 if it has none between the two frames."""
    step = arrays.pattern[c, pair.i] * arrays.n_patterns[c] + arrays.pattern[c, pair.j]
    return int(arrays.transition[arrays.first[c] + step])


@njit(cache=True)
def _find_wordable_objects(arrays: KeyFrameArrays, scratch: _Scratch, pair: _Pair) -> None:
    """Mark objects that are seen and not ambiguous, and the entry for "no object".

    Seen is visible in both frames, or in one if the object takes part in a transition. A label is
    ambiguous if changed objects have it that are seen and not twins.
    """
    is_wordable, is_changed, takes_part = (
        scratch.is_wordable,
        scratch.is_changed,
        scratch.takes_part,
    )
    twins_of_label, labels, twins = scratch.twins_of_label, arrays.labels, arrays.twins
    at_i, at_j = arrays.visible[pair.i], arrays.visible[pair.j]
    twins_of_label[:] = _NONE
    for entity in range(labels.size):
        is_seen = (at_i[entity] and at_j[entity]) or (
            takes_part[entity] and (at_i[entity] or at_j[entity])
        )
        is_wordable[entity] = is_seen
        if is_seen and is_changed[entity]:
            label = labels[entity]
            if twins_of_label[label] == _NONE:
                twins_of_label[label] = twins[entity]
            elif twins_of_label[label] != twins[entity]:
                twins_of_label[label] = _SEVERAL
    for entity in range(labels.size):
        if twins_of_label[labels[entity]] == _SEVERAL:
            is_wordable[entity] = False
    is_wordable[labels.size] = True


@njit(cache=True)
def _keep_wordable_transitions(
    arrays: KeyFrameArrays, scratch: _Scratch, pair: _Pair, visible: Words
) -> None:
    """Add the transitions that :func:`_is_wordable_transition` finds."""
    for c in range(arrays.child.size):
        if _is_wordable_transition(arrays, scratch, c, pair):
            add_bit(visible, _transition(arrays, c, pair))


@njit(cache=True)
def _is_wordable_transition(arrays: KeyFrameArrays, scratch: _Scratch, c: int, pair: _Pair) -> bool:
    """Whether child c has a transition and it and its disappearing parents may all be named."""
    if _transition(arrays, c, pair) < 0:
        return False
    is_kept = bool(scratch.is_wordable[arrays.child[c]])
    for link in range(arrays.link_offsets[c], arrays.link_offsets[c + 1]):
        parent = arrays.parent[link]
        if arrays.exists[pair.i, parent] and not arrays.exists[pair.j, parent]:
            is_kept = is_kept and bool(scratch.is_wordable[parent])
    return is_kept
