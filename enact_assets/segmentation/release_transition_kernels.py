"""Numba kernels of profile ``release``: which object turned into which (definitions.md R7 and R10).

They are inlined by force for the reason given in ``release_pair_kernels.py``.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from enact_assets.segmentation.bit_sets import WORD_BITS, add_bit, bit, lowest_bit
from enact_assets.segmentation.release_arrays import (
    AMONG_REMOVED,
    NO_LABEL,
    ReleaseArrays,
    Scratch,
)

Words = NDArray[np.uint64]

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
