"""Numba kernels of profile ``release``: what changes between pairs of key frames.

Source: definitions.md R7 to R11. Which object turned into which: R7 and R10.

Sets are those of ``bit_sets.py``. A pair can fail, as the public release does: then its change is
empty and a code says why. Some functions are inlined by force: a call would count the references
to every array there is, which takes longer than the work.
"""

from typing import NamedTuple

import numpy as np

from enact_assets.engine.system.compiled import njit
from enact_assets.questions.key_frames.bit_sets import WORD_BITS, add_bit, bit, lowest_bit
from enact_assets.questions.key_frames.release_arrays import (
    AMONG_REMOVED,
    AS_LISTED,
    EMPTY_PARENTS,
    FINE,
    IMPOSSIBLE,
    NAMELESS,
    NO_LABEL,
    NO_ORIGIN,
    NULL_PARENTS,
    UNKNOWN_STATE,
    UNSPEAKABLE,
    Pair,
    ReleaseArrays,
    Scratch,
    new_scratch,
)
from enact_assets.settings.arrays import Ints, Words

NO_TRANSITION = 0
FROM_FORMER = 1
TO_COOKED = 2
NAMELESS_PARENT = 3


@njit(cache=True, forceinline=True)
def search_origin(arrays: ReleaseArrays, scratch: Scratch, version: int) -> int:
    """The row of candidates that holds the parents of particles that appear, or -1."""
    for row in range(2 * version, 2 * version + 2):
        for k in range(arrays.candidate_offsets[row], arrays.candidate_offsets[row + 1]):
            if bit(scratch.disappearing, arrays.candidates[k]):
                return row
    return -1


@njit(cache=True, forceinline=True)
def has_parents(arrays: ReleaseArrays, version: int) -> bool:
    """Whether an object that appears in this version has parents, listed or sought."""
    return bool(
        arrays.origin[version] == AMONG_REMOVED
        or arrays.parent_offsets[version + 1] > arrays.parent_offsets[version]
    )


@njit(cache=True, forceinline=True)
def find_children(arrays: ReleaseArrays, scratch: Scratch, j: int) -> int:
    """Find what appears, by label, and the labels of what disappears, as far as both are kept.

    Parents are those at key frame j.

    Of several objects with one label the last by name counts. Returns the number of an object that
    would have to be named and has no label, or -1.
    """
    scratch.children[:] = np.uint64(0)
    scratch.gone[:] = np.uint64(0)
    nameless = -1
    some_have_parents = False
    for word in range(scratch.appearing.size):
        left = scratch.appearing[word] & scratch.keeps_added[word]
        while left != np.uint64(0):
            entity = word * WORD_BITS + lowest_bit(left)
            left &= left - np.uint64(1)
            label = arrays.labels[entity]
            some_have_parents |= has_parents(arrays, arrays.versions[j, entity])
            if label == NO_LABEL:
                nameless = entity
            else:
                add_bit(scratch.children, label)
                scratch.child_of_label[label] = entity
    if not some_have_parents:
        return nameless
    for word in range(scratch.disappearing.size):
        left = scratch.disappearing[word] & scratch.keeps_removed[word]
        while left != np.uint64(0):
            entity = word * WORD_BITS + lowest_bit(left)
            left &= left - np.uint64(1)
            label = arrays.labels[entity]
            if label == NO_LABEL:
                nameless = entity
            else:
                add_bit(scratch.gone, label)
    return nameless


@njit(cache=True, forceinline=True)
def find_former(arrays: ReleaseArrays, scratch: Scratch, child: int, j: int) -> int:
    """What the transition to ``child`` starts from, and in ``scratch.former`` its labels.

    Parents are those at key frame j.
    """
    former = scratch.former
    n_parents, only = _gather_parents(arrays, scratch, arrays.versions[j, child])
    if n_parents < 1:
        return NO_TRANSITION if n_parents == 0 else NAMELESS_PARENT
    is_empty = True
    for word in range(former.size):
        former[word] &= scratch.gone[word]
        is_empty &= former[word] == np.uint64(0)
    if not is_empty:
        return FROM_FORMER
    if arrays.cooked[arrays.labels[child]] >= 0:
        return TO_COOKED
    if n_parents == 1:
        add_bit(former, only)
        return FROM_FORMER
    return NO_TRANSITION


@njit(cache=True, forceinline=True)
def _gather_parents(arrays: ReleaseArrays, scratch: Scratch, version: int) -> tuple[int, int]:
    """Put the labels of all parents into ``scratch.former``.

    Returns (number of parents, label of the last), or -1 for a number if one has no label.
    """
    former = scratch.former
    former[:] = np.uint64(0)
    n_parents = 0
    label = NO_LABEL
    if arrays.origin[version] == AMONG_REMOVED:
        row = search_origin(arrays, scratch, version)
        for k in range(arrays.candidate_offsets[row], arrays.candidate_offsets[row + 1]):
            if bit(scratch.disappearing, arrays.candidates[k]):
                n_parents += 1
                label = arrays.labels[arrays.candidates[k]]
                if label == NO_LABEL:
                    return -1, label
                add_bit(former, label)
        return n_parents, label
    for k in range(arrays.parent_offsets[version], arrays.parent_offsets[version + 1]):
        n_parents += 1
        label = arrays.parent_labels[k]
        if label == NO_LABEL:
            return -1, label
        add_bit(former, label)
    return n_parents, label


@njit(cache=True, forceinline=True)
def component_of(arrays: ReleaseArrays, label: int, former: Words) -> int:
    """Component of the transition from the set ``former`` to ``label``; all of them are listed."""
    for k in range(arrays.transition_offsets[label], arrays.transition_offsets[label + 1]):
        differs = False
        for word in range(former.size):
            differs |= arrays.transition_sets[k, word] != former[word]
        if not differs:
            return int(arrays.transition_components[k])
    raise IndexError("a transition that find_transitions did not find")


VISIBLE = 0
"""Objects count that are seen at both key frames, or at one if they come or go."""
FULL = 1
"""Objects count that are seen at either."""


class PairChanges(NamedTuple):
    """What is said of n pairs; see ``find_changes``."""

    entries: Ints
    offsets: Ints
    codes: Ints
    culprits: Ints
    n_sentences: Ints
    n_draws: Ints


class _Tally(NamedTuple):
    """What became of one pair and variant. ``code`` is not ``FINE`` if it fails, by ``culprit``."""

    code: int
    culprit: int
    n_entries: int
    n_sentences: int
    n_added: int
    n_removed: int


@njit(cache=True)
def find_changes(arrays: ReleaseArrays, pairs: Ints, which: int) -> PairChanges:
    """The changes of the ``pairs`` (n, 2) that are ``VISIBLE``, or ``FULL``, and what fails.

    ``entries[offsets[r]:offsets[r + 1]]`` are the component numbers of all sentences about pair r,
    with repetitions. ``codes`` (n,) say why a change fails, ``culprits`` (n,) because of which
    object, or -1; it has no entries then. ``n_sentences`` (n,) counts dots, as the release does;
    ``n_draws`` (n, 2) the states that appear and that end.
    """
    n = pairs.shape[0]
    offsets = np.zeros(n + 1, np.int64)
    codes, culprits, n_sentences = (
        np.zeros(n, np.int64),
        np.full(n, -1, np.int64),
        np.zeros(n, np.int64),
    )
    n_draws = np.zeros((n, 2), np.int64)
    entries = np.empty(8 * n, np.int64)
    scratch = new_scratch(arrays)
    for row in range(n):
        pair = Pair(pairs[row, 0], pairs[row, 1])
        n_changed, codes[row], culprits[row] = _find_differences(arrays, scratch, pair)
        offsets[row + 1] = offsets[row]
        if codes[row] != FINE:
            continue
        tally = _find_entries(arrays, scratch, pair, which, n_changed)
        codes[row], culprits[row] = tally.code, tally.culprit
        n_sentences[row] = tally.n_sentences
        n_draws[row, 0], n_draws[row, 1] = tally.n_added, tally.n_removed
        stop = offsets[row] + tally.n_entries
        if stop > entries.size:
            entries = np.concatenate((entries, np.empty(stop, np.int64)))
        entries[offsets[row] : stop] = scratch.entries[: tally.n_entries]
        offsets[row + 1] = stop
    return PairChanges(entries[: offsets[n]], offsets, codes, culprits, n_sentences, n_draws)


@njit(cache=True)
def find_transitions(arrays: ReleaseArrays) -> tuple[Ints, Words]:
    """Every transition of any two key frames: the label that appears, and the set it came from.

    Shape: (T,) and (T, words of a set of labels), in order of first appearance.
    """
    scratch = new_scratch(arrays)
    labels = np.zeros(0, np.int64)
    sets = np.zeros((0, scratch.former.size), np.uint64)
    children = np.zeros_like(arrays.is_sought)
    for version in range(arrays.owners.size):
        if has_parents(arrays, version):
            add_bit(children, arrays.owners[version])
    for i in range(arrays.exists.shape[0]):
        for j in range(arrays.exists.shape[0]):
            appears = False
            for word in range(children.size):
                new = arrays.exists[j, word] & ~arrays.exists[i, word] & children[word]
                appears |= new != np.uint64(0)
            pair = Pair(i, j)
            if not appears or _find_differences(arrays, scratch, pair)[1] != FINE:
                continue
            for which in (VISIBLE, FULL):
                _find_kept(arrays, scratch, pair, which)
                find_children(arrays, scratch, j)
                for word in range(scratch.children.size):
                    left = scratch.children[word]
                    while left != np.uint64(0):
                        label = word * WORD_BITS + lowest_bit(left)
                        left &= left - np.uint64(1)
                        kind = find_former(arrays, scratch, scratch.child_of_label[label], j)
                        if kind == FROM_FORMER and not _is_listed(labels, sets, label, scratch):
                            labels = np.append(labels, label)
                            sets = np.concatenate((sets, scratch.former.reshape(1, -1)))
    return labels, sets


@njit(cache=True)
def _is_listed(labels: Ints, sets: Words, label: int, scratch: Scratch) -> bool:
    """Whether one of ``sets``, of this label, is ``scratch.former``."""
    is_listed = False
    for k in range(labels.size):
        is_same = labels[k] == label
        for word in range(scratch.former.size):
            is_same &= sets[k, word] == scratch.former[word]
        is_listed |= is_same
    return is_listed


@njit(cache=True)
def _find_differences(arrays: ReleaseArrays, scratch: Scratch, pair: Pair) -> tuple[int, int, int]:
    """List the facts that differ and mark the objects concerned (definitions.md R7).

    States of an object that comes or goes are not reported. Returns (number of facts, code,
    culprit or -1).
    """
    i, j = pair
    code, culprit = FINE, -1
    for word in range(arrays.is_sought.size):
        before, after = arrays.exists[i, word], arrays.exists[j, word]
        scratch.appearing[word] = after & ~before
        scratch.disappearing[word] = before & ~after
        scratch.changed[word] = before ^ after
    for word in range(arrays.is_sought.size):
        left = scratch.appearing[word] & arrays.is_sought[word]
        while left != np.uint64(0):
            entity = word * WORD_BITS + lowest_bit(left)
            left &= left - np.uint64(1)
            version = arrays.versions[j, entity]
            if code != FINE or arrays.origin[version] == AS_LISTED:
                continue
            if arrays.origin[version] == IMPOSSIBLE:
                code, culprit = EMPTY_PARENTS, entity
            elif search_origin(arrays, scratch, version) < 0:
                code, culprit = NO_ORIGIN, entity
    return _list_facts(arrays, scratch, pair), code, culprit


@njit(cache=True)
def _list_facts(arrays: ReleaseArrays, scratch: Scratch, pair: Pair) -> int:
    """List the facts that differ and mark their objects; returns how many these are."""
    i, j = pair
    n_objects = arrays.labels.size
    n_changed = 0
    for word in range(arrays.facts.shape[1]):
        left = arrays.facts[i, word] ^ arrays.facts[j, word]
        while left != np.uint64(0):
            fact = word * WORD_BITS + lowest_bit(left)
            left &= left - np.uint64(1)
            subject, other = arrays.fact_objects[fact, 0], arrays.fact_objects[fact, 1]
            if other < n_objects:
                add_bit(scratch.changed, other)
            elif not (bit(arrays.exists[i], subject) and bit(arrays.exists[j], subject)):
                continue
            add_bit(scratch.changed, subject)
            scratch.facts[n_changed] = fact
            n_changed += 1
    return n_changed


@njit(cache=True)
def _find_kept(arrays: ReleaseArrays, scratch: Scratch, pair: Pair, which: int) -> None:
    """Mark the objects whose entries are kept (definitions.md R8)."""
    i, j = pair
    count = scratch.category_count
    for word in range(arrays.is_sought.size):
        at_i, at_j = arrays.visible[i, word], arrays.visible[j, word]
        once = scratch.appearing[word] | scratch.disappearing[word]
        either = scratch.changed[word] & (at_i | at_j)
        scratch.seen[word] = either if which == FULL else either & (once | (at_i & at_j))
        while either != np.uint64(0):
            category = arrays.categories[word * WORD_BITS + lowest_bit(either)]
            either &= either - np.uint64(1)
            if category >= 0:
                count[category] += 1
    for word in range(arrays.is_sought.size):
        keeps = scratch.seen[word]
        scratch.keeps_added[word] = scratch.keeps_removed[word] = keeps
        scratch.lacks_parents[word] = np.uint64(0)
        left = keeps
        while left != np.uint64(0):
            entity = word * WORD_BITS + lowest_bit(left)
            is_in_word = left & ~(left - np.uint64(1))
            left &= left - np.uint64(1)
            category = arrays.categories[entity]
            if category < 0 or count[category] < 2:
                continue
            version = arrays.versions[j, entity]
            keeps &= ~is_in_word
            if not arrays.is_half[entity]:
                scratch.keeps_removed[word] &= ~is_in_word
            elif arrays.has_null_parents[version]:
                scratch.lacks_parents[word] |= is_in_word
            if not (arrays.is_half[entity] and _sees_parent(arrays, scratch, version)):
                scratch.keeps_added[word] &= ~is_in_word
        scratch.keeps_edges[word] = keeps
    for word in range(arrays.is_sought.size):
        either = scratch.changed[word] & (arrays.visible[i, word] | arrays.visible[j, word])
        while either != np.uint64(0):
            category = arrays.categories[word * WORD_BITS + lowest_bit(either)]
            either &= either - np.uint64(1)
            if category >= 0:
                count[category] = 0


@njit(cache=True)
def _sees_parent(arrays: ReleaseArrays, scratch: Scratch, version: int) -> bool:
    for k in range(arrays.parent_offsets[version], arrays.parent_offsets[version + 1]):
        parent = arrays.parent_objects[k]
        if parent < arrays.labels.size and bit(scratch.seen, parent):
            return True
    return False


@njit(cache=True, forceinline=True)
def _find_entries(
    arrays: ReleaseArrays, scratch: Scratch, pair: Pair, which: int, n_changed: int
) -> _Tally:
    """List the components of all sentences (definitions.md R10 and R11)."""
    _find_kept(arrays, scratch, pair, which)
    states = _find_states(arrays, scratch, pair, n_changed)
    appears = np.uint64(0)
    for word in range(scratch.appearing.size):
        appears |= scratch.appearing[word] & scratch.keeps_added[word]
    if states.code != FINE or appears == np.uint64(0):
        return states
    culprit, n_entries, n_dots = _find_turned(arrays, scratch, pair, states.n_entries)
    if culprit >= 0:
        return _Tally(NAMELESS, culprit, 0, 0, 0, 0)
    return _Tally(
        FINE, -1, n_entries, states.n_sentences + n_dots, states.n_added, states.n_removed
    )


@njit(cache=True, forceinline=True)
def _find_states(arrays: ReleaseArrays, scratch: Scratch, pair: Pair, n_changed: int) -> _Tally:
    """List the components of all kept states, as far as sentences are written about them."""
    n_objects = arrays.labels.size
    n_entries = 0
    n_dots = 0
    n_added = 0
    nameless = -1
    for k in range(n_changed):
        fact = scratch.facts[k]
        is_added = bit(arrays.facts[pair.j], fact)
        subject, other = arrays.fact_objects[fact, 0], arrays.fact_objects[fact, 1]
        if other < n_objects:
            keeps = bit(scratch.keeps_edges, subject) & bit(scratch.keeps_edges, other)
        elif is_added and bit(scratch.lacks_parents, subject):
            return _Tally(NULL_PARENTS, subject, 0, 0, 0, 0)
        else:
            keeps = bit(scratch.keeps_added if is_added else scratch.keeps_removed, subject)
        component = arrays.fact_components[fact, is_added]
        if not keeps or component == UNKNOWN_STATE:
            continue
        if component == UNSPEAKABLE:
            nameless = subject if arrays.labels[subject] == NO_LABEL else other
            continue
        scratch.entries[n_entries] = component
        n_entries += 1
        n_added += is_added
        n_dots += 1 + arrays.fact_dots[fact]
    if nameless >= 0:
        return _Tally(NAMELESS, nameless, 0, 0, 0, 0)
    return _Tally(FINE, -1, n_entries, n_dots, n_added, n_entries - n_added)


@njit(cache=True, forceinline=True)
def _find_turned(
    arrays: ReleaseArrays, scratch: Scratch, pair: Pair, n_entries: int
) -> tuple[int, int, int]:
    """List the transitions after the ``n_entries`` listed before.

    Returns (number of an object that would have to be named and has no label, or -1; number of
    entries then; dots in their sentences).
    """
    n_dots = 0
    nameless = find_children(arrays, scratch, pair.j)
    for word in range(scratch.children.size):
        left = scratch.children[word]
        while left != np.uint64(0):
            label = word * WORD_BITS + lowest_bit(left)
            left &= left - np.uint64(1)
            child = scratch.child_of_label[label]
            kind = find_former(arrays, scratch, child, pair.j)
            if kind == NAMELESS_PARENT:
                nameless = child
            elif kind == FROM_FORMER:
                scratch.entries[n_entries] = component_of(arrays, label, scratch.former)
                n_entries += 1
                n_dots += 1 + arrays.label_dots[label]
                for parent in range(arrays.label_dots.size):
                    n_dots += bit(scratch.former, parent) * arrays.label_dots[parent]
            elif kind == TO_COOKED:
                scratch.entries[n_entries] = arrays.cooked[label]
                n_entries += 1
                n_dots += 1 + arrays.cooked_dots[label]
    return nameless, n_entries, n_dots
