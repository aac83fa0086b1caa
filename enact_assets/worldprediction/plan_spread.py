"""Which wrong plans are shown beside the right one, so that it is not the odd one out.

Drawn blindly, wrong plans are more alike than the right one is to them, or less: a look at the four
orders of numbers, without a picture, then beats chance. Here the right plan is as often the one
nearest to the other three as the farthest, as far as there are wrong plans enough.
"""

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

Order = tuple[int, ...]


def pairs_apart(orders: Sequence[Order]) -> NDArray[np.int64]:
    """Number of pairs that two orders of the same n things put otherwise; shape (m, m) of m."""
    places = np.argsort(np.asarray(orders, np.int64), axis=1)
    earlier, later = np.triu_indices(places.shape[1], 1)
    is_before = places[:, earlier] < places[:, later]
    return np.asarray((is_before[:, None] != is_before[None]).sum(axis=2), np.int64)


def chosen_beside(
    right: Order, wrong: Sequence[Order], n: int, rank: int, n_first: int
) -> tuple[int, ...]:
    """Positions of ``n`` of the ``wrong`` orders: the first choice, in their order, among which
    ``rank`` orders lie nearer to all others than ``right`` does; else the choice closest to that.

    ``rank`` is 0 to ``n``, ``n_first`` how many are to be among the first of ``wrong``: as many of
    the first ``n_first`` as there is room for are taken. Needs ``n`` wrong orders or more.
    """
    apart = pairs_apart([right, *wrong])
    n_of_first = min(n, n_first)
    chosen = [
        picked
        for picked in combinations(range(len(wrong)), n)
        if sum(k < n_first for k in picked) == n_of_first
    ]
    members = np.pad(np.asarray(chosen, np.int64) + 1, ((0, 0), (1, 0)))  # 0 is the right one
    sums = apart[members[:, :, None], members[:, None, :]].sum(axis=2)
    nearer = (sums[:, 1:] < sums[:, :1]).sum(axis=1)
    as_near = (sums[:, 1:] <= sums[:, :1]).sum(axis=1)
    missed = np.maximum(np.maximum(nearer - rank, rank - as_near), 0)
    return chosen[int(np.argmin(missed))]
