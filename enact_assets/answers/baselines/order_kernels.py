"""Orders of least cost, exactly: shortest path through pictures, fewest broken rules."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from enact_assets.engine.system.compiled import njit

Masks = NDArray[np.uint64]


class RuleMasks(NamedTuple):
    """What n actions need and make, as bit sets of words over the facts.

    Shape: needs (n_rules, n, n_words), makes (n, n_words), weights (n_rules,), positive.
    """

    needs_true: Masks
    needs_false: Masks
    makes_true: Masks
    makes_false: Masks
    weights: NDArray[np.int64]


@njit(cache=True)
def shortest_path(distance: NDArray[np.float64]) -> NDArray[np.int64]:
    """The order of nodes 1..n that makes the path from node 0 through all of them shortest.

    Shape: (n + 1, n + 1) symmetric or not -> (n,). The end is free. Among equally short paths the
    lexicographically first. Time 2**n n**2. Source: Held and Karp 1962, run from the end, so that
    the path is read off forwards.
    """
    n = distance.shape[0] - 1
    full = (1 << n) - 1
    # rest[visited, last]: length of the shortest way on, once `visited` are behind us.
    rest = np.full((full + 1, n + 1), np.inf)
    rest[full, :] = 0.0
    for visited in range(full - 1, -1, -1):
        for last in range(n + 1):
            if last == 0:
                if visited != 0:
                    continue
            elif not (visited >> (last - 1)) & 1:
                continue
            for node in range(1, n + 1):
                if not (visited >> (node - 1)) & 1:
                    length = distance[last, node] + rest[visited | (1 << (node - 1)), node]
                    rest[visited, last] = min(rest[visited, last], length)
    order = np.empty(n, np.int64)
    visited = 0
    last = 0
    for place in range(n):
        for node in range(1, n + 1):
            if not (visited >> (node - 1)) & 1:
                length = distance[last, node] + rest[visited | (1 << (node - 1)), node]
                if length == rest[visited, last]:
                    order[place] = node
                    visited |= 1 << (node - 1)
                    last = node
                    break
    return order


@njit(cache=True)
def _count_bits(word: np.uint64) -> int:
    count = 0
    while word:
        word &= word - np.uint64(1)
        count += 1
    return count


@njit(cache=True)
def least_violations(
    rules: RuleMasks, preference: NDArray[np.int64]
) -> tuple[NDArray[np.int64], int]:
    """An order of n actions that breaks the fewest rules, by weight, and what it breaks.

    Shape: preference (n,), a permutation of 0..n-1 -> order (n,) of 0..n-1 and its cost. Facts
    start unknown. An action breaks a rule once for every fact that is known to be the opposite of
    what the rule needs; what it needed is then taken as known, and what it makes holds.
    Branch and bound over all orders, branches in order of ``preference``: among the best orders the
    first in that order. Exact: nothing is cut that could be better than the best found.
    """
    n_rules, n, n_words = rules.needs_true.shape
    known = np.zeros((n + 1, n_words), np.uint64)
    value = np.zeros((n + 1, n_words), np.uint64)
    cost = np.zeros(n + 1, np.int64)
    used = np.zeros(n, np.bool_)
    branch = np.full(n + 1, -1, np.int64)
    chosen = np.full(n, -1, np.int64)
    best_order = preference.copy()
    best = np.int64(2**62)
    depth = 0
    while depth >= 0:
        if chosen[depth] >= 0:
            used[chosen[depth]] = False
            chosen[depth] = -1
        branch[depth] += 1
        if branch[depth] == n:
            branch[depth] = -1
            depth -= 1
            continue
        action = preference[branch[depth]]
        if used[action]:
            continue
        total = cost[depth]
        for word in range(n_words):
            is_known = known[depth, word]
            is_true = value[depth, word]
            all_true = np.uint64(0)
            all_false = np.uint64(0)
            for rule in range(n_rules):
                wants_true = rules.needs_true[rule, action, word]
                wants_false = rules.needs_false[rule, action, word]
                broken = is_known & ((wants_true & ~is_true) | (wants_false & is_true))
                total += rules.weights[rule] * _count_bits(broken)
                all_true |= wants_true
                all_false |= wants_false
            on = rules.makes_true[action, word]
            off = rules.makes_false[action, word]
            known[depth + 1, word] = is_known | all_true | all_false | on | off
            value[depth + 1, word] = (((is_true & ~all_false) | all_true) & ~off) | on
        if total >= best:
            continue
        chosen[depth] = action
        if depth == n - 1:
            best = total
            best_order = chosen.copy()
            if best == 0:
                break
            continue
        used[action] = True
        cost[depth + 1] = total
        depth += 1
    return best_order, int(best)


@njit(cache=True)
def violations(rules: RuleMasks, orders: NDArray[np.int64]) -> NDArray[np.int64]:
    """What each of m given orders of n actions breaks, by weight.

    Shape: (m, n), permutations of 0..n-1 -> (m,). Counted as by :func:`least_violations`.
    """
    n_rules, _, n_words = rules.needs_true.shape
    cost = np.zeros(len(orders), np.int64)
    for row in range(len(orders)):
        known = np.zeros(n_words, np.uint64)
        value = np.zeros(n_words, np.uint64)
        for action in orders[row]:
            for word in range(n_words):
                all_true = np.uint64(0)
                all_false = np.uint64(0)
                for rule in range(n_rules):
                    wants_true = rules.needs_true[rule, action, word]
                    wants_false = rules.needs_false[rule, action, word]
                    broken = (wants_true & ~value[word]) | (wants_false & value[word])
                    cost[row] += rules.weights[rule] * _count_bits(known[word] & broken)
                    all_true |= wants_true
                    all_false |= wants_false
                on = rules.makes_true[action, word]
                off = rules.makes_false[action, word]
                known[word] |= all_true | all_false | on | off
                value[word] = (((value[word] & ~all_false) | all_true) & ~off) | on
    return cost
