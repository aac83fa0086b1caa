"""Numba kernels of verification: subsets, monotone alignment, and counts over all orders."""

import numpy as np

from enact_assets.engine.system.compiled import njit
from enact_assets.settings.arrays import Bools, Ints, Words


@njit(cache=True)
def is_subset(inner: Words, row: int, outer: Words, other: int) -> bool:
    """Whether set ``inner[row]`` lies within ``outer[other]``; row -1 lies within no set.

    Shape: inner (a, n_words), outer (b, n_words) bit sets over one vocabulary.
    """
    if row < 0:
        return False
    for word in range(inner.shape[1]):  # noqa: SIM110 - numba compiles no generators in all()
        if inner[row, word] & ~outer[other, word]:
            return False
    return True


@njit(cache=True)
def are_subsets(inner: Words, inner_rows: Ints, outer: Words, outer_rows: Ints) -> Bools:
    """:func:`is_subset` of ``inner[inner_rows[k]]`` and ``outer[outer_rows[k]]``, for every k.

    Shape: rows (n,) -> (n,).
    """
    found = np.empty(inner_rows.size, np.bool_)
    for k in range(inner_rows.size):
        found[k] = is_subset(inner, inner_rows[k], outer, outer_rows[k])
    return found


@njit(cache=True)
def longest_alignment(allowed: Bools) -> int:
    """Most pairs (i, j) with ``allowed[i, j]``, each i and j used once, both ascending.

    Shape: (n, m) -> count. Time n m. Source: paper A.3.2, monotone alignment of steps (longest
    common subsequence with ``allowed`` in place of equality).
    """
    n, m = allowed.shape
    best = np.zeros((n + 1, m + 1), np.int64)
    for i in range(n):
        for j in range(m):
            here = max(best[i, j + 1], best[i + 1, j])
            if allowed[i, j]:
                here = max(here, best[i, j] + 1)
            best[i + 1, j + 1] = here
    return int(best[n, m])


@njit(cache=True)
def count_accepted_images(allowed: Bools) -> int:
    """Orders of images 1..n for which all n steps pass.

    Shape: (n, n + 1, n + 1); ``allowed[t, a, b]`` says whether step t passes from image a to image
    b; image 0 comes first. Exact for n <= 20 (20! fits 64 bits). Time 2**n n**2.
    """
    n = allowed.shape[0]
    full = (1 << n) - 1
    ways = np.zeros((full + 1, n + 1), np.int64)
    for node in range(1, n + 1):
        if allowed[0, 0, node]:
            ways[1 << (node - 1), node] = 1
    for visited in range(1, full):
        step = 0
        for node in range(n):
            step += (visited >> node) & 1
        for last in range(1, n + 1):
            if ways[visited, last]:
                for node in range(1, n + 1):
                    if not (visited >> (node - 1)) & 1 and allowed[step, last, node]:
                        ways[visited | (1 << (node - 1)), node] += ways[visited, last]
    return int(ways[full].sum())


@njit(cache=True)
def count_orders_by_step(raises: Bools) -> Ints:
    """Orders of images 1..n that take no step in ``raises``, by each step that they take.

    Shape: raises (n + 1, n + 1), from image a to image b -> (n, n + 1, n + 1), how many lead from
    image a to image b at step t; image 0 comes first. Exact for n <= 20. Time 2**n n**2.
    """
    n = raises.shape[0] - 1
    full = (1 << n) - 1
    before = np.zeros((full + 1, n + 1), np.int64)
    after = np.zeros((full + 1, n + 1), np.int64)
    before[0, 0] = 1
    after[full, 1:] = 1
    for visited in range(full):
        for last in range(n + 1):
            for node in range(1, n + 1):
                if not (visited >> (node - 1)) & 1 and not raises[last, node]:
                    before[visited | (1 << (node - 1)), node] += before[visited, last]
    found = np.zeros((n, n + 1, n + 1), np.int64)
    for visited in range(full - 1, -1, -1):
        step = 0
        for node in range(n):
            step += (visited >> node) & 1
        for last in range(n + 1):
            for node in range(1, n + 1):
                if not (visited >> (node - 1)) & 1 and not raises[last, node]:
                    ways = after[visited | (1 << (node - 1)), node]
                    after[visited, last] += ways
                    found[step, last, node] += before[visited, last] * ways
    return found


@njit(cache=True)
def count_accepted_actions(allowed: Bools) -> int:
    """Orders of n actions for which all n steps pass: the permanent of ``allowed``.

    Shape: (n, n); ``allowed[t, a]`` says whether step t passes with action a. Exact for n <= 20.
    Time 2**n n.
    """
    n = allowed.shape[0]
    full = (1 << n) - 1
    ways = np.zeros(full + 1, np.int64)
    ways[0] = 1
    for used in range(full):
        step = 0
        for node in range(n):
            step += (used >> node) & 1
        for node in range(n):
            if not (used >> node) & 1 and allowed[step, node]:
                ways[used | (1 << node)] += ways[used]
    return int(ways[full])
