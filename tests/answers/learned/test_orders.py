"""Best orders against trying every one."""

from itertools import permutations

import numpy as np
import pytest

from enact_assets.answers.learned.models import best_assignment
from enact_assets.answers.learned.precedence_kernels import likeliest_order


@pytest.mark.parametrize("n", range(1, 7))
def test_the_likeliest_order_is_the_best_of_all(n: int) -> None:
    """A sort by mean odds is nearly right and not what is claimed."""
    odds = np.random.default_rng(n).normal(size=(n, n))

    def total(order: tuple[int, ...]) -> float:
        return sum(odds[a, b] for at, a in enumerate(order) for b in order[at + 1 :])

    found = tuple(likeliest_order(odds).tolist())
    assert sorted(found) == list(range(n))
    assert total(found) == pytest.approx(max(map(total, permutations(range(n)))))


def test_an_assignment_gains_most_and_takes_each_column_once() -> None:
    gain = np.random.default_rng(5).normal(size=(5, 5))
    found = best_assignment(gain).tolist()
    best = max(permutations(range(5)), key=lambda p: sum(gain[r, c] for r, c in enumerate(p)))
    assert found == list(best)
