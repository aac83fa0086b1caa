"""Numba kernels of error analysis: two sets of components, compared and paired."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from enact_assets.engine.system.compiled import njit
from enact_assets.questions.key_frames.bit_sets import WORD_BITS, bit, lowest_bit, popcount
from enact_assets.settings.arrays import Ints, Words

Bytes = NDArray[np.uint8]

MATCHED, POLARITY, PREDICATE, ENTITY, OMISSION, HALLUCINATION = range(6)
"""Codes of outcomes; see ``answer_comparison.OUTCOMES``."""
HANDS = ("left", "right")

N_REFERENCE, N_PREDICTED, N_MISSING, N_HALLUCINATED, N_OUTCOMES, N_HANDS = 0, 1, 2, 3, 4, 10
"""Columns of counts: sizes of the four sets, then one per outcome, then those of each hand."""
HAND_REFERENCE, HAND_PREDICTED, HAND_MATCHED, HAND_MIXED, HAND_COLUMNS = 0, 1, 2, 3, 4
"""Columns of one hand."""
N_COLUMNS = N_HANDS + len(HANDS) * HAND_COLUMNS


class ComponentKeys(NamedTuple):
    """Per component of a vocabulary (n,): equal keys may be paired, -1 is paired with nothing."""

    polarity: Ints
    predicate: Ints
    entity: Ints
    hand: Ints
    """0 left, 1 right, -1 neither."""


class Comparison(NamedTuple):
    """What came of comparing n pairs of sets."""

    counts: Ints
    """(n, N_COLUMNS)"""
    offsets: Ints
    """The rows of pair k, in the fields below, are ``offsets[k]:offsets[k + 1]``: (n + 1,)."""
    outcomes: Bytes
    """(n_rows,)"""
    reference: Ints
    predicted: Ints
    """Components of each row (n_rows,); -1 where there is none on that side."""


class _Rows(NamedTuple):
    """Rows to be filled; see :class:`Comparison`."""

    outcomes: Bytes
    reference: Ints
    predicted: Ints


@njit(cache=True)
def compare_sets(
    reference: Words,
    reference_rows: Ints,
    predicted: Words,
    predicted_rows: Ints,
    keys: ComponentKeys,
) -> Comparison:
    """Compare ``reference[reference_rows[k]]`` with ``predicted[predicted_rows[k]]``, for every k.

    Shape: reference (a, n_words), predicted (b, n_words) bit sets over the vocabulary of ``keys``;
    rows (n,). Missing components are paired with hallucinated ones by polarity, then predicate,
    then entity: within each, missing ones in the order of the vocabulary, each with the first
    hallucinated one left whose key is equal. Equal keys are a class, so no pairing within a
    category has more pairs. Rows of a pair are in the order of outcomes, then of the vocabulary
    (by the true component, if there is one). Mixed are all missing components of a hand if the
    hallucinated ones have none of that hand, and one of the other. Source: paper C.1, algorithms
    2 to 4.
    """
    n = reference_rows.size
    capacity = 0
    for k in range(n):
        for word in range(reference.shape[1]):
            either = reference[reference_rows[k], word] | predicted[predicted_rows[k], word]
            capacity += popcount(either)
    counts = np.zeros((n, N_COLUMNS), np.int64)
    offsets = np.zeros(n + 1, np.int64)
    rows = _Rows(
        np.empty(capacity, np.uint8), np.empty(capacity, np.int64), np.empty(capacity, np.int64)
    )
    lists = np.empty((3, keys.hand.size), np.int64)
    for k in range(n):
        true, said = reference[reference_rows[k]], predicted[predicted_rows[k]]
        for word in range(true.size):
            counts[k, N_REFERENCE] += popcount(true[word])
            counts[k, N_PREDICTED] += popcount(said[word])
        sizes = _sort(true, said, lists)
        counts[k, N_MISSING], counts[k, N_HALLUCINATED] = sizes[1], sizes[2]
        _count_hands(keys.hand, lists, sizes, counts[k])
        offsets[k + 1] = _pair(keys, lists, sizes, rows, offsets[k])
        for row in range(offsets[k], offsets[k + 1]):
            counts[k, N_OUTCOMES + rows.outcomes[row]] += 1
    n_rows = offsets[n]
    return Comparison(
        counts, offsets, rows.outcomes[:n_rows], rows.reference[:n_rows], rows.predicted[:n_rows]
    )


@njit(cache=True)
def _sort(true: Words, said: Words, lists: Ints) -> tuple[int, int, int]:
    """Elements of both, of ``true`` only, of ``said`` only, into rows of ``lists``; how many."""
    n_both = n_missing = n_made_up = 0
    for word in range(true.size):
        left = true[word] | said[word]
        while left != np.uint64(0):
            element = word * WORD_BITS + lowest_bit(left)
            left &= left - np.uint64(1)
            if bit(true, element) == 0:
                lists[2, n_made_up] = element
                n_made_up += 1
            elif bit(said, element) == 0:
                lists[1, n_missing] = element
                n_missing += 1
            else:
                lists[0, n_both] = element
                n_both += 1
    return n_both, n_missing, n_made_up


@njit(cache=True)
def _count_hands(hand: Ints, lists: Ints, sizes: tuple[int, int, int], of_pair: Ints) -> None:
    """Counts of each hand from elements in both, missing and made up, into ``of_pair``."""
    found = np.zeros((3, len(HANDS)), np.int64)
    for which in range(3):
        for k in range(sizes[which]):
            if hand[lists[which, k]] >= 0:
                found[which, hand[lists[which, k]]] += 1
    for of_hand in range(len(HANDS)):
        first = N_HANDS + of_hand * HAND_COLUMNS
        matched, missing, made_up = found[:, of_hand]
        of_pair[first + HAND_REFERENCE] = matched + missing
        of_pair[first + HAND_PREDICTED] = matched + made_up
        of_pair[first + HAND_MATCHED] = matched
        if made_up == 0 and found[2, 1 - of_hand] > 0:
            of_pair[first + HAND_MIXED] = missing


@njit(cache=True)
def _pair(
    keys: ComponentKeys, lists: Ints, sizes: tuple[int, int, int], rows: _Rows, at: int
) -> int:
    """Rows of one pair of sets, from row ``at`` on; the first row after them."""
    for k in range(sizes[0]):
        rows.outcomes[at] = MATCHED
        rows.reference[at] = rows.predicted[at] = lists[0, k]
        at += 1
    missing, made_up = lists[1, : sizes[1]], lists[2, : sizes[2]]
    for category in range(POLARITY, OMISSION):
        key = keys.polarity
        if category == PREDICATE:
            key = keys.predicate
        elif category == ENTITY:
            key = keys.entity
        for i in range(missing.size):
            if missing[i] < 0 or key[missing[i]] < 0:
                continue
            for j in range(made_up.size):
                if made_up[j] >= 0 and key[made_up[j]] == key[missing[i]]:
                    rows.outcomes[at] = category
                    rows.reference[at], rows.predicted[at] = missing[i], made_up[j]
                    missing[i] = made_up[j] = -1
                    at += 1
                    break
    for element in missing:
        if element >= 0:
            rows.outcomes[at], rows.reference[at], rows.predicted[at] = OMISSION, element, -1
            at += 1
    for element in made_up:
        if element >= 0:
            rows.outcomes[at], rows.reference[at], rows.predicted[at] = HALLUCINATION, -1, element
            at += 1
    return at
