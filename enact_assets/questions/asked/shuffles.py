"""Shuffles that are a function of content alone: the same on every machine, uniform over orders."""

from math import factorial

from enact_assets.engine.ids import content_sha


def shuffled_labels(n: int, *content: object) -> list[int]:
    """The labels 1..n in an order drawn uniformly by ``content``; the identity is as likely as any.

    The 256-bit hash of ``content``, modulo n!, is read as the rank of a permutation (Lehmer code),
    so that no library's generator takes part. The bias against uniform is below n! / 2**256.
    """
    rank = int(content_sha([str(part) for part in content]), 16) % factorial(n)
    remaining = list(range(1, n + 1))
    order = []
    for left in range(n, 0, -1):
        index, rank = divmod(rank, factorial(left - 1))
        order.append(remaining.pop(index))
    return order


def inverse_order(order: list[int]) -> list[int]:
    """The inverse permutation of labels 1..n: the place of each label, from 1."""
    places = [0] * len(order)
    for place, label in enumerate(order, start=1):
        places[label - 1] = place
    return places
