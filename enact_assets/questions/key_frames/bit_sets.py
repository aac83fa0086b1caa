"""Sets of small integers as bits: bit b of word w of a row stands for element 64 w + b."""

import numpy as np
from numpy.typing import NDArray

from enact_assets.engine.system.compiled import njit
from enact_assets.settings.arrays import Ints, Words

WORD_BITS = 64


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
                flat[n_out] = word * WORD_BITS + lowest_bit(left)
                n_out += 1
                left &= left - np.uint64(1)
    return flat, offsets


@njit(cache=True)
def sets_of(elements: Ints, offsets: Ints, n_words: int) -> Words:
    """The sets (n, n_words) of ``elements``, row r of which is [offsets[r], offsets[r + 1])."""
    bits = np.zeros((offsets.size - 1, n_words), np.uint64)
    for row in range(offsets.size - 1):
        for k in range(offsets[row], offsets[row + 1]):
            add_bit(bits[row], elements[k])
    return bits


@njit(cache=True)
def popcount(word: np.uint64) -> int:
    """Number of set bits."""
    pairs = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    fours = (pairs & np.uint64(0x3333333333333333)) + (
        (pairs >> np.uint64(2)) & np.uint64(0x3333333333333333)
    )
    eights = (fours + (fours >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    halves = eights + (eights >> np.uint64(8))
    halves += halves >> np.uint64(16)
    return int((halves + (halves >> np.uint64(32))) & np.uint64(0x7F))


@njit(cache=True)
def lowest_bit(word: np.uint64) -> int:
    """Position of the lowest set bit of a word that is not 0."""
    return int(popcount((word - np.uint64(1)) & ~word))


@njit(cache=True)
def add_bit(bits: Words, element: int) -> None:
    """Put ``element`` into the set ``bits`` (n_words,)."""
    bits[element // WORD_BITS] |= np.uint64(1) << np.uint64(element % WORD_BITS)


@njit(cache=True)
def bit(bits: Words, element: int) -> int:
    """1 if the set ``bits`` (n_words,) has the element, else 0."""
    return int((bits[element // WORD_BITS] >> np.uint64(element % WORD_BITS)) & np.uint64(1))


def n_words_of(n_elements: int) -> int:
    """Words that a set of ``n_elements`` needs; at least 1."""
    return max(1, -(-n_elements // WORD_BITS))


def pack(marks: NDArray[np.bool_]) -> Words:
    """Marks (n, elements) as sets (n, words)."""
    n_words = n_words_of(marks.shape[1])
    padded = np.zeros((len(marks), n_words * WORD_BITS), np.bool_)
    padded[:, : marks.shape[1]] = marks
    packed = np.packbits(padded, axis=1, bitorder="little")
    return packed.reshape(len(marks), n_words, 8).view("<u8")[:, :, 0].astype(np.uint64)
