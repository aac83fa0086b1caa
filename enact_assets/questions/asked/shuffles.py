"""Shuffles that are a function of content alone: the same on every machine, uniform over orders."""

from functools import cache
from math import factorial

from enact_assets.engine.ids import content_sha


def shuffled_labels(n: int, *content: object) -> list[int]:
    """The labels 1..n in an order drawn uniformly by ``content``; the identity is as likely as any.

    The 256-bit hash of ``content``, modulo n!, is read as the rank of a permutation (Lehmer code),
    so that no library's generator takes part. The bias against uniform is below n! / 2**256.
    """
    whole, *smaller = _factorials(n)
    rank = int(content_sha([str(part) for part in content]), 16) % whole
    remaining = list(range(1, n + 1))
    order = []
    for orders in smaller:
        index, rank = divmod(rank, orders)
        order.append(remaining.pop(index))
    return order


@cache
def _factorials(n: int) -> tuple[int, ...]:
    """Factorials of n down to 0."""
    return tuple(factorial(k) for k in range(n, -1, -1))


def inverse_order(order: list[int]) -> list[int]:
    """The inverse permutation of labels 1..n: the place of each label, from 1."""
    places = [0] * len(order)
    for place, label in enumerate(order, start=1):
        places[label - 1] = place
    return places
