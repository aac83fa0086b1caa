"""Numba kernel: how many actions in a row make a plan, from each action on."""

import numpy as np

from enact_assets.engine.system.compiled import njit
from enact_assets.settings.arrays import Bools, Floats, Ints


@njit(cache=True)
def longest_plans(
    recording: Ints, spans_s: Floats, category: Ints, is_usable: Bools, most: int
) -> Ints:
    """Length of the longest plan that begins with each of n actions, ``most`` at most.

    Shape: (n,), spans (n, 2) from begin to end, sorted by recording and time -> (n,). A plan is
    neighbours of one recording, each usable and beginning no earlier than the one before ends, no
    category twice. Every shorter length that begins there is a plan, too. Time n * most**2.
    """
    n = len(recording)
    found = np.zeros(n, np.int64)
    for first in range(n):
        last = first
        while last < n and last - first < most and is_usable[last]:
            if recording[last] != recording[first]:
                break
            if last > first and spans_s[last, 0] < spans_s[last - 1, 1]:
                break
            is_twice = False
            for earlier in range(first, last):
                if category[earlier] == category[last]:
                    is_twice = True
                    break
            if is_twice:
                break
            last += 1
        found[first] = last - first
    return found
