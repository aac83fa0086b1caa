"""The order in which as much as possible comes before what it usually comes before."""

import numpy as np
from numpy.typing import NDArray

from enact_assets.engine.system.compiled import njit


@njit(cache=True)
def likeliest_order(odds: NDArray[np.float64]) -> NDArray[np.int64]:
    """The order of n things that has the greatest sum of ``odds[a, b]`` over a before b.

    Shape: (n, n) -> (n,) of 0..n-1. Exact: dynamic programming over the sets of things that came
    before, time 2**n n**2. Among orders of equal sums one that does not depend on anything else.
    """
    n = odds.shape[0]
    best = np.full(1 << n, -np.inf)
    last = np.zeros(1 << n, np.int64)
    best[0] = 0.0
    for placed in range(1, 1 << n):
        for k in range(n):
            if not (placed >> k) & 1:
                continue
            before = placed ^ (1 << k)
            total = best[before]
            for a in range(n):
                if (before >> a) & 1:
                    total += odds[a, k]
            if total > best[placed]:
                best[placed] = total
                last[placed] = k
    order = np.empty(n, np.int64)
    placed = (1 << n) - 1
    for place in range(n - 1, -1, -1):
        order[place] = last[placed]
        placed ^= 1 << last[placed]
    return order
