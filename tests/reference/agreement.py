"""Krippendorff's alpha as textbooks compute it: every pair of values, one after the other."""

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import permutations

Units = Sequence[Sequence[int]]
"""The values that each unit was given."""


def slow_alpha(units: Units, difference: Callable[[int, int, Counter[int]], float]) -> float:
    several = [unit for unit in units if len(unit) > 1]
    n = Counter(value for unit in several for value in unit)
    total = sum(n.values())
    observed = sum(
        difference(a, b, n) / (len(unit) - 1) for unit in several for a, b in permutations(unit, 2)
    )
    expected = sum(n[a] * n[b] * difference(a, b, n) for a in n for b in n) / (total - 1)
    return 1 - observed / expected if expected else float("nan")


def nominal(a: int, b: int, _n: Counter[int]) -> float:
    return float(a != b)


def ordinal(a: int, b: int, n: Counter[int]) -> float:
    low, high = min(a, b), max(a, b)
    between = sum(n[k] for k in n if low <= k <= high)
    return (between - (n[a] + n[b]) / 2) ** 2
