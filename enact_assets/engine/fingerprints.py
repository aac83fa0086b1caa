"""Versions as numbers, so that the inputs of half a million partitions are compared in one go.

A fingerprint only tells equal from different. Where it differs, the versions themselves are
compared and named. Two different versions have the same fingerprint with probability 2^-64.
"""

from collections.abc import Iterable
from functools import cache
from hashlib import sha256
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.uint64]
Number = TypeVar("Number", int, Numbers)

NOTHING = 0
"""The number that means "no version"."""
HEX_DIGITS, SHA_DIGITS = 16, 64
_MASK = (1 << 64) - 1
_STEP = 0x9E3779B97F4A7C15
_TIMES = (0xBF58476D1CE4E5B9, 0x94D049BB133111EB)
"""Constants of SplitMix64 (Steele, Lea, Flood 2014)."""


@cache
def _salt(name: str) -> int:
    return int.from_bytes(sha256(name.encode()).digest()[:8], "big")


def version_number(version: str) -> int:
    """64 bits of a version: the first ones of a SHA-256; 0 for an empty version.

    :func:`version_numbers` does the same for many versions.
    """
    if not version:
        return NOTHING
    try:
        found = int(version[:HEX_DIGITS], 16) if len(version) == SHA_DIGITS else _salt(version)
    except ValueError:
        found = _salt(version)
    return found or 1


def version_numbers(versions: Iterable[str]) -> Numbers:
    """:func:`version_number` of each."""
    return np.fromiter(map(version_number, versions), np.uint64)


def mixed(number: Number) -> Number:
    """A bijection in which every bit of ``number`` affects every bit of the result."""
    found: Any = number
    found = (found ^ (found >> 30)) * _TIMES[0] & _MASK
    found = (found ^ (found >> 27)) * _TIMES[1] & _MASK
    return cast(Number, found ^ (found >> 31))


def input_number(asset: str, number: Number, n_partitions: Number) -> Number:
    """The summand of one input in the fingerprint of all inputs.

    ``number`` is its version as a number, ``n_partitions`` how many partitions it has.
    """
    version: Any = number
    return mixed(cast(Number, ((version ^ _salt(asset)) + n_partitions * _STEP) & _MASK))


def inputs_number(inputs: Iterable[tuple[str, str, int]]) -> int:
    """Fingerprint of inputs: asset, version and number of partitions, in any order."""
    return sum(input_number(asset, version_number(v), n) for asset, v, n in inputs) & _MASK
