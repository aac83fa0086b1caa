"""Which of two actions people do first: counts over recordings, as matrices over categories."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from enact_assets.settings.arrays import Floats

LEAST_RECORDINGS = 5
"""In so many recordings an order must have been seen, and never its reverse, to count as fixed."""


@dataclass(frozen=True)
class OrderCounts:
    """How often orders were observed in plans; K categories.

    ``follows[a, b]`` (K, K): b came right after a. ``precedes[a, b]`` (K, K): plans in which the
    first a came before the first b.
    """

    number: dict[str, int]
    follows: Floats
    precedes: Floats

    @classmethod
    def of(cls, plans: Sequence[Sequence[str]], categories: Sequence[str]) -> Self:
        """Counts over ``plans``, whose categories are among ``categories``."""
        number = {category: k for k, category in enumerate(categories)}
        follows = np.zeros((len(number), len(number)))
        precedes = np.zeros_like(follows)
        for plan in plans:
            places = np.array([number[category] for category in plan], np.int64)
            np.add.at(follows, (places[:-1], places[1:]), 1.0)
            first = np.array(list(dict.fromkeys(places.tolist())), np.int64)
            earlier, later = np.triu_indices(len(first), 1)
            precedes[first[earlier], first[later]] += 1.0
        return cls(number, follows, precedes)

    def __sub__(self, other: "OrderCounts") -> "OrderCounts":
        """Counts without the plans of ``other``, which has the same categories."""
        return OrderCounts(
            self.number, self.follows - other.follows, self.precedes - other.precedes
        )

    @property
    def is_fixed(self) -> NDArray[np.bool_]:
        """(K, K): a came before b in at least five plans, and b before a in none."""
        return np.asarray((self.precedes >= LEAST_RECORDINGS) & (self.precedes.T == 0))

    def numbers(self, plans: Sequence[Sequence[str]]) -> NDArray[np.int64]:
        """Categories of plans of one length as numbers; -1 for one that was never seen."""
        return np.array([[self.number.get(c, -1) for c in plan] for plan in plans], np.int64)


def breaks_fixed_order(is_fixed: NDArray[np.bool_], plans: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether a plan has an action after one that always comes later.

    Shape: (K, K), (n, length) -> (n,). An action that was never seen (-1) breaks nothing.
    """
    earlier, later = np.triu_indices(plans.shape[1], 1)
    first, second = plans[:, earlier], plans[:, later]
    is_known = (first >= 0) & (second >= 0)
    return np.asarray((is_fixed[second, first] & is_known).any(axis=1))
