"""Bootstrap intervals and sign flips: against loops over resamples, and against SciPy."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from score_tables import columns, sums_of

from enact_assets.results.statistics.clusters import ClusterSums, t_margin
from enact_assets.results.statistics.constants import DEFAULT, StatisticsSettings
from enact_assets.results.statistics.resampling import (
    bootstrap_intervals,
    bootstrap_weights,
    mean_intervals,
    sign_flip_p,
    sign_flips,
)

from reference.cluster_statistics import by_cluster, resampled_means
from reference.cluster_statistics import sign_flip_p as exact_sign_flip_p

FEW = StatisticsSettings(n_resamples=99, n_sign_flips=99, min_bootstrap_clusters=2)


@given(columns())
def test_an_interval_is_that_of_a_loop_over_the_same_resamples(
    drawn: tuple[list[list[float | None]], list[int]],
) -> None:
    """Columns with other demonstrations missing are resampled over those that they have."""
    from scipy.stats import norm, t

    scores, clusters = drawn
    low, high = bootstrap_intervals(sums_of(scores, clusters), FEW)
    for k, column in enumerate(scores):
        g = len(by_cluster(column, clusters))
        if np.isnan(low[k]):
            assert np.isnan(high[k])
            assert g < 2 or sums_of([column], clusters).standard_errors()[0] == 0
            continue
        means = resampled_means(column, clusters, bootstrap_weights(g, 99, FEW.seed))
        level = norm.cdf(-np.sqrt(g / (g - 1)) * t.ppf(0.975, g - 1))
        expected = np.quantile(means, [level, 1 - level])
        # Sums are rounded to a grid of 2e-10 first.
        assert (low[k], high[k]) == pytest.approx(tuple(expected), abs=1e-8)
        assert low[k] <= high[k]


def test_an_interval_agrees_with_the_bootstrap_of_scipy() -> None:
    """The same percentile of other draws: a resampled question instead of a demonstration, or a
    mean of means, would give another width.
    """
    from scipy.stats import bootstrap, norm, t

    random = np.random.default_rng(5)
    n = random.integers(2, 40, 15)
    totals = random.binomial(n, random.beta(2, 2, 15)).astype(float)
    sums = ClusterSums(n[:, None].astype(float), totals[:, None], totals[:, None])
    low, high = bootstrap_intervals(sums, DEFAULT)
    level = norm.cdf(-np.sqrt(15 / 14) * t.ppf(0.975, 14))
    found = bootstrap(
        (totals, n.astype(float)),
        lambda total, count, axis: total.sum(axis) / count.sum(axis),
        paired=True,
        vectorized=True,
        method="percentile",
        confidence_level=1 - 2 * level,
        n_resamples=20_000,
        rng=np.random.default_rng(1),
    ).confidence_interval
    assert low[0] == pytest.approx(found.low, abs=0.01)
    assert high[0] == pytest.approx(found.high, abs=0.01)


@given(
    st.lists(
        st.tuples(st.integers(0, 6), st.integers(-4, 4), st.sampled_from([1, 2, 3, 4, 6])),
        min_size=1,
        max_size=12,
    )
)
def test_few_demonstrations_are_flipped_in_all_ways(rows: list[tuple[int, int, int]]) -> None:
    """Equal totals are as far: a comparison of rounded sums would lose some of them."""
    clusters = [c for c, _, _ in rows]
    differences = [Fraction(a, b) for _, a, b in rows]
    p = sign_flip_p(sums_of([[float(d) for d in differences]], clusters), DEFAULT)[0]
    sums: dict[int, Fraction] = {}
    for cluster, difference in zip(clusters, differences, strict=True):
        sums[cluster] = sums.get(cluster, Fraction(0)) + difference
    if len(sums) < 2 or not any(sums.values()):
        assert np.isnan(p)
    else:
        assert p == pytest.approx(float(exact_sign_flip_p(differences, clusters)), abs=1e-12)


def test_sign_flips_agree_with_the_permutation_test_of_scipy() -> None:
    from scipy.stats import permutation_test

    differences = np.random.default_rng(2).normal(0.4, 1, 9)
    expected = permutation_test(
        (differences,), np.sum, permutation_type="samples", n_resamples=np.inf
    ).pvalue
    p = sign_flip_p(sums_of([differences.tolist()], list(range(9))), DEFAULT)[0]
    assert p == pytest.approx(expected, abs=1e-12)


def test_many_demonstrations_are_flipped_at_random_and_what_was_found_counts() -> None:
    """A p-value of zero says that something cannot happen; it was seen."""
    apart = sums_of([[1.0] * 30], list(range(30)))
    assert sign_flip_p(apart, FEW)[0] == pytest.approx(1 / 100)
    random = np.random.default_rng(7).normal(0.25, 1, 14).tolist()
    sums = sums_of([random], list(range(14)))
    drawn = sign_flip_p(sums, StatisticsSettings(n_sign_flips=19_999, max_exact_clusters=13))
    every = sign_flip_p(sums, StatisticsSettings(max_exact_clusters=14))
    assert drawn[0] == pytest.approx(every[0], abs=0.012)


@given(columns(max_clusters=4), st.integers(2, 300))
def test_a_column_does_not_hang_on_those_beside_it(
    drawn: tuple[list[list[float | None]], list[int]], n_more: int
) -> None:
    """A new model must not change the numbers of the others: not by a chunk, not by a thread."""
    scores, clusters = drawn
    alone = sums_of(scores[:1], clusters)
    together = sums_of([*scores, *([scores[0]] * n_more)], clusters)
    for of_one, of_all in (
        (sign_flip_p(alone, FEW), sign_flip_p(together, FEW)),
        *zip(bootstrap_intervals(alone, FEW), bootstrap_intervals(together, FEW), strict=True),
    ):
        np.testing.assert_array_equal(of_all[0], of_one[0])
        np.testing.assert_array_equal(of_all[-1], of_one[0])


def test_draws_depend_on_seed_and_number_of_demonstrations_alone() -> None:
    first = bootstrap_weights(6, 50, 0).copy()
    bootstrap_weights.cache_clear()
    bootstrap_weights(9, 50, 0)
    np.testing.assert_array_equal(bootstrap_weights(6, 50, 0), first)
    assert (first.sum(axis=1) == 6).all()
    assert (bootstrap_weights(6, 50, 1) != first).any()
    all_of_four = {tuple(row) for row in sign_flips(4, 0, 0)}
    assert len(all_of_four) == 8
    assert not all_of_four & {tuple(-x for x in row) for row in all_of_four}


def test_intervals_of_few_demonstrations_are_those_of_t_and_end_where_scores_end() -> None:
    """What was seen of two demonstrations ends at these: the truth often lies beyond."""
    five = [[0.2, 0.3, 0.4, 0.5, 0.6], [0.9, 1.0, 1.0, 1.0, 1.0], [-0.9, 0.2, -1.0, -1.0, -1.0]]
    sums = sums_of(five, [1, 2, 3, 4, 5])
    low, high = mean_intervals(sums, DEFAULT, least=-1.0)
    margin = t_margin(sums, DEFAULT)
    assert (low[0], high[0]) == pytest.approx((0.4 - margin[0], 0.4 + margin[0]))
    assert high[1] == 1.0 < 0.98 + margin[1]
    assert low[2] == -1.0
    assert mean_intervals(sums, DEFAULT, least=0.0)[0][2] == 0.0
    two = sums_of([[0.2, 0.2, 0.6, 0.6], [0.5] * 4], [1, 1, 2, 2])
    low, high = mean_intervals(two, DEFAULT, least=0.0)
    assert (low[0], high[0]) == (0.0, 1.0)
    assert np.isnan([low[1], high[1]]).all()


def test_six_demonstrations_are_resampled() -> None:
    sums = sums_of([[0.2, 0.3, 0.4, 0.5, 0.6, 0.1]], [1, 2, 3, 4, 5, 6])
    assert np.isfinite(bootstrap_intervals(sums, DEFAULT)).all()
    np.testing.assert_array_equal(
        mean_intervals(sums, DEFAULT, least=0.0), bootstrap_intervals(sums, DEFAULT)
    )


def test_draws_are_made_once_for_each_number_of_demonstrations() -> None:
    """With answers missing here and there each column has demonstrations of its own."""
    random = np.random.default_rng(4)
    n = (random.random((40, 200)) < 0.8).astype(float)
    sums = ClusterSums(n, n * random.normal(0, 1, n.shape), n)
    for draws, resampled in ((bootstrap_weights, bootstrap_intervals), (sign_flips, sign_flip_p)):
        draws.cache_clear()
        resampled(sums, FEW)
        assert draws.cache_info().misses == np.unique(sums.n_clusters).size > 8


@pytest.mark.slow
def test_intervals_hold_what_they_promise_also_of_few_demonstrations() -> None:
    """95 of 100 should hold the truth. Plain percentile intervals of 6 demonstrations hold 85."""
    random = np.random.default_rng(11)
    shares = {}
    for g in (2, 3, 4, 5, 6, 12, 29):
        means = random.beta(6, 6, (g, 2_000))
        n = np.full(means.shape, 48.0)
        totals = random.binomial(48, means).astype(float)
        low, high = mean_intervals(ClusterSums(n, totals, totals), DEFAULT, least=0.0)
        # Where both demonstrations score the same there is none.
        shares[g] = float(np.mean(((low <= 0.5) & (high >= 0.5))[~np.isnan(low)]))
    print(shares)
    # Of two it is wider than it need be: their scores have no tails.
    assert all(0.92 <= share <= 0.99 for share in shares.values())
