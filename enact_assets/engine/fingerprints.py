"""Versions as numbers, so that what half a million partitions were made from is compared at once.

A fingerprint only tells equal from different: where it differs, versions themselves are compared
and named. Two different ones agree by chance once in 2^64.
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
"""Number of no version."""
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

    As :func:`version_numbers` of many.
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
    """A number from which every bit of ``number`` has influence on every bit; one to one."""
    found: Any = number
    found = (found ^ (found >> 30)) * _TIMES[0] & _MASK
    found = (found ^ (found >> 27)) * _TIMES[1] & _MASK
    return cast(Number, found ^ (found >> 31))


def input_number(asset: str, number: Number, n_partitions: Number) -> Number:
    """What one input adds to the fingerprint of all inputs.

    ``number`` is that of its version, ``n_partitions`` how many partitions it has.
    """
    version: Any = number
    return mixed(cast(Number, ((version ^ _salt(asset)) + n_partitions * _STEP) & _MASK))


def inputs_number(inputs: Iterable[tuple[str, str, int]]) -> int:
    """Fingerprint of inputs: asset, version and number of partitions, in any order."""
    return sum(input_number(asset, version_number(v), n) for asset, v, n in inputs) & _MASK
