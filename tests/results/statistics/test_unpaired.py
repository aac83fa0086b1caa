"""Means over other questions of the same demonstrations: the error of their difference."""

import numpy as np
import pytest

from enact_assets.results.statistics.clusters import clustered_p
from enact_assets.results.statistics.constants import DEFAULT
from enact_assets.results.statistics.unpaired import UnpairedDifference, unpaired_difference

from score_tables import sums_of  # isort: skip


def test_with_the_same_questions_everywhere_it_is_the_paired_error() -> None:
    """What a demonstration adds to both means cancels, as if its questions were paired."""
    random = np.random.default_rng(2)
    ease = np.repeat(random.normal(0.5, 0.3, 7), 4)
    clusters = np.repeat(np.arange(7), 4)
    a, b = (ease + random.normal(0, 0.1, 28) for _ in range(2))
    found = unpaired_difference((a, b), (clusters, clusters[::-1].copy()[::-1]), DEFAULT)
    paired = sums_of([(a - b).tolist()], clusters.tolist())
    assert found.standard_error == pytest.approx(paired.standard_errors()[0])
    assert found.p == pytest.approx(clustered_p(paired)[0])
    assert found.low is not None
    assert found.high is not None
    assert (found.low + found.high) / 2 == pytest.approx((a - b).mean())


def test_it_rejects_one_in_twenty_equals_also_with_other_questions_on_each_side() -> None:
    """Taken for independent, questions of one demonstration would find a difference too often."""
    random = np.random.default_rng(6)
    sizes = random.integers(2, 40, (2, 12))
    clusters = [np.repeat(np.arange(12), of_side) for of_side in sizes]
    n, n_rejected, n_held = 2_000, 0, 0
    for _ in range(n):
        shared = random.normal(0, 0.2, 12)
        scores = [
            shared[of_side]
            + random.normal(0, 0.08, 12)[of_side]
            + random.normal(0, 0.2, len(of_side))
            for of_side in clusters
        ]
        found = unpaired_difference((scores[0], scores[1]), (clusters[0], clusters[1]), DEFAULT)
        assert found.p is not None
        assert found.low is not None
        assert found.high is not None
        n_rejected += found.p < 0.05
        n_held += found.low <= 0.0 <= found.high
    assert 0.03 <= n_rejected / n <= 0.07
    assert n_held == n - n_rejected


def test_what_is_undefined_is_none() -> None:
    one, two = np.array([3, 3]), np.array([3, 4])
    some, none = np.array([0.5, 0.25]), np.array([])
    for scores, clusters, reason in (
        ((some, some), (two, one), "one_demonstration"),
        ((some, none), (two, np.array([], np.int64)), "no_scores"),
    ):
        found = unpaired_difference(scores, clusters, DEFAULT)
        assert found == UnpairedDifference(reason=reason)
    flat = np.array([0.5, 0.5])
    found = unpaired_difference((flat, flat), (two, two), DEFAULT)
    assert found == UnpairedDifference(0.0, reason="no_variation")


def test_the_interval_ends_where_differences_end() -> None:
    high, low = np.array([1.0, 1.0, 0.8]), np.array([0.0, 0.1, 0.0])
    clusters = np.array([1, 2, 3])
    found = unpaired_difference((high, low), (clusters, clusters), DEFAULT)
    assert found.high == 1.0
    assert unpaired_difference((low, high), (clusters, clusters), DEFAULT).low == -1.0
