"""Kernels of verification on any input, also on what no household happens to contain."""

from itertools import pairwise, permutations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from enact_assets.results.verification.order_counts_kernels import (
    are_subsets,
    count_accepted_actions,
    count_accepted_images,
    count_passing_steps,
)

Bools = NDArray[np.bool_]
WORD_BITS = 64
elements = st.sampled_from([0, 1, 63, 64, 65, 127, 128, 191])


def words(chosen: set[int]) -> NDArray[np.uint64]:
    found = np.zeros(3, np.uint64)
    for element in chosen:
        found[element // WORD_BITS] |= np.uint64(1) << np.uint64(element % WORD_BITS)
    return found


@given(st.sets(elements), st.sets(elements))
def test_a_subset_is_one_in_every_word(inner: set[int], outer: set[int]) -> None:
    rows = np.zeros(1, np.int64)
    found = are_subsets(words(inner)[None], rows, words(outer)[None], rows)
    assert found.tolist() == [inner <= outer]


@st.composite
def tables(draw: st.DrawFn) -> tuple[Bools, Bools]:
    """Steps that pass from one image to another, also to itself or back; and those that raise."""
    n = draw(st.integers(1, 4))
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    return random.random((n, n + 1, n + 1)) < 0.7, random.random((n + 1, n + 1)) < 0.2


@given(tables())
def test_orders_of_images_are_counted_as_one_by_one(given_tables: tuple[Bools, Bools]) -> None:
    allowed, raises = given_tables
    n = len(allowed)
    n_accepted = n_passing = 0
    for order in permutations(range(1, n + 1)):
        steps = list(pairwise((0, *order)))
        passed = [bool(allowed[t, a, b]) for t, (a, b) in enumerate(steps)]
        n_accepted += all(passed)
        if not any(raises[a, b] for a, b in steps):
            n_passing += sum(passed)
    assert count_accepted_images(allowed) == n_accepted
    assert count_passing_steps(allowed, raises) == n_passing


@given(tables())
def test_orders_of_actions_are_counted_as_one_by_one(given_tables: tuple[Bools, Bools]) -> None:
    allowed = given_tables[0][:, 0, 1:].copy()
    n = len(allowed)
    orders = permutations(range(n))
    expected = sum(all(allowed[t, a] for t, a in enumerate(order)) for order in orders)
    assert count_accepted_actions(allowed) == expected
