"""Best orders by trying every one."""

from collections.abc import Callable, Sequence
from itertools import permutations
from typing import Any

Fact = tuple[str, str, str | None]


def shortest_path_length(distance: Sequence[Sequence[float]]) -> float:
    """Length of the shortest path from node 0 through all others."""
    n = len(distance) - 1
    return min(path_length(distance, order) for order in permutations(range(1, n + 1)))


def path_length(distance: Sequence[Sequence[float]], order: Sequence[int]) -> float:
    length, here = 0.0, 0
    for node in order:
        length += distance[here][node]
        here = node
    return length


def cost_of_order(order: Sequence[int], rules: Any, weights: dict[str, int]) -> int:
    """Play the actions in order on a dictionary of what is known, and count broken needs."""
    known: dict[Fact, bool] = {}
    cost = 0
    for action in order:
        assumed: dict[Fact, bool] = {}
        # What must be false first: of a fact that must be both, the latter is taken as known.
        needs = rules.needs[action]
        for rule, wanted in sorted(needs, key=lambda need: need[1]):
            for fact in needs[rule, wanted]:
                if known.get(fact, wanted) != wanted:
                    cost += weights[rule]
                assumed[fact] = wanted
        known |= assumed
        for is_true in (False, True):
            known |= dict.fromkeys(rules.makes[action][is_true], is_true)
    return cost


def least_cost(n: int, cost: Callable[[Sequence[int]], int]) -> int:
    return min(cost(order) for order in permutations(range(n)))
