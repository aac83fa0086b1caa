"""Resampling of demonstrations: bootstrap intervals, and the sign-flip test.

Both are products of a matrix of weights, one row per resample, with sums by demonstration.
"""

from collections.abc import Iterator
from functools import lru_cache

import numpy as np

from enact_assets.engine.ids import seed_from
from enact_assets.results.statistics.clusters import GRID, ClusterSums, on_grid, t_margin
from enact_assets.results.statistics.constants import StatisticsSettings
from enact_assets.settings.arrays import Floats, Ints

COLUMNS_AT_ONCE = 256
"""Of 9,999 resamples each: 20 MB."""


def mean_intervals(
    sums: ClusterSums, settings: StatisticsSettings, least: float
) -> tuple[Floats, Floats]:
    """Ends of the interval of the mean of each column, (K,) twice, for scores in ``least`` .. 1.

    Below ``settings.min_bootstrap_clusters`` demonstrations by t, cut to what scores can be: 0 to 1
    for accuracies, -1 to 1 for differences. From there on by :func:`bootstrap_intervals`. nan as
    there.
    """
    low, high = bootstrap_intervals(sums, settings)
    means, margin = sums.means(), t_margin(sums, settings)
    are_few = sums.n_clusters < settings.min_bootstrap_clusters
    low = np.where(are_few, np.maximum(means - margin, least), low)
    high = np.where(are_few, np.minimum(means + margin, 1.0), high)
    return low, high


def bootstrap_intervals(sums: ClusterSums, settings: StatisticsSettings) -> tuple[Floats, Floats]:
    """Ends of the interval of the mean of each column, (K,) twice, by resampling demonstrations.

    Demonstrations are drawn with replacement, all their questions together. The ends are
    percentiles of the resampled means, at levels that make up for percentile intervals being too
    narrow with few demonstrations: Phi(-sqrt(G / (G - 1)) t), with t of G - 1 degrees of freedom.
    nan below ``settings.min_bootstrap_clusters`` demonstrations, and where all score the same: a
    score of 0 in all of them says little about the next one. Source: Hesterberg 2015, "expanded
    percentile interval".
    """
    low = np.full(sums.n.shape[1], np.nan)
    high = low.copy()
    is_varying = sums.standard_errors() > 0
    for rows, columns in sums.by_number_of_clusters():
        n_clusters = len(rows)
        if n_clusters < settings.min_bootstrap_clusters:
            continue
        weights = bootstrap_weights(n_clusters, settings.n_resamples, settings.seed)
        levels = _levels(n_clusters, settings.confidence)
        for places in _chunks(np.flatnonzero(is_varying[columns])):
            chunk = columns[places]
            at = (rows[:, places], chunk)
            means = (on_grid(sums.total[at]).T @ weights.T) / (sums.n[at].T @ weights.T)
            low[chunk], high[chunk] = np.quantile(means, levels, axis=1)
    return low, high


@lru_cache(maxsize=8)
def bootstrap_weights(n_clusters: int, n_resamples: int, seed: int) -> Floats:
    """How often each demonstration is drawn in each resample, (n_resamples, n_clusters)."""
    random = np.random.default_rng(seed_from("bootstrap", seed, n_clusters))
    drawn = random.multinomial(n_clusters, np.full(n_clusters, 1 / n_clusters), n_resamples)
    weights = drawn.astype(np.float64)
    weights.flags.writeable = False
    return weights


def sign_flip_p(sums: ClusterSums, settings: StatisticsSettings) -> Floats:
    """Two-tailed p-value that differences of each column are as likely of either sign, (K,).

    The sum of each demonstration's differences keeps or changes its sign; p is the share of such
    flips whose total is at least as far from zero as what was found. All flips are tried for few
    demonstrations, otherwise as many as the settings say are drawn, and what was found counts as
    one more. nan below two demonstrations and where every difference is zero. It is free of any
    assumption but symmetry; with G demonstrations no p is below 2 / 2^G.
    """
    p = np.full(sums.n.shape[1], np.nan)
    is_different = np.any(on_grid(sums.total) != 0, axis=0)
    for rows, columns in sums.by_number_of_clusters():
        n_clusters = len(rows)
        if n_clusters < 2:
            continue
        is_exact = n_clusters <= settings.max_exact_clusters
        n_drawn = 0 if is_exact else settings.n_sign_flips
        signs = sign_flips(n_clusters, n_drawn, settings.seed)
        for places in _chunks(np.flatnonzero(is_different[columns])):
            chunk = columns[places]
            totals = on_grid(sums.total[rows[:, places], chunk]).T
            # Equal ones differ by the rounding to the grid at most.
            found = np.abs(totals.sum(axis=1)) - n_clusters * GRID
            flipped = totals @ signs.T
            np.abs(flipped, out=flipped)
            n_as_far = np.array([np.count_nonzero(row) for row in flipped >= found[:, None]])
            p[chunk] = (n_as_far + (not is_exact)) / (signs.shape[0] + (not is_exact))
    return p


@lru_cache(maxsize=8)
def sign_flips(n_clusters: int, n_drawn: int, seed: int) -> Floats:
    """Signs of demonstrations, (flips, n_clusters): ``n_drawn`` at random, or all of them if 0.

    Of all flips those with the first sign kept: each other one is the mirror of one of these, and
    as far from zero.
    """
    if n_drawn:
        random = np.random.default_rng(seed_from("sign flips", seed, n_clusters))
        drawn = np.frombuffer(random.bytes(-(-n_drawn * n_clusters // 8)), np.uint8)
        bits = np.unpackbits(drawn, count=n_drawn * n_clusters).astype(np.float64)
    else:
        numbers = np.arange(2 ** (n_clusters - 1))
        bits = ((numbers[:, None] >> np.arange(n_clusters)) & 1).astype(np.float64)
    signs = 1 - 2 * bits.reshape(-1, n_clusters)
    signs.flags.writeable = False
    return signs


def _chunks(places: Ints) -> Iterator[Ints]:
    for start in range(0, places.size, COLUMNS_AT_ONCE):
        yield places[start : start + COLUMNS_AT_ONCE]


def _levels(n_clusters: int, confidence: float) -> tuple[float, float]:
    from scipy.special import ndtr, stdtrit

    t = stdtrit(n_clusters - 1, (1 + confidence) / 2)
    level = float(ndtr(-np.sqrt(n_clusters / (n_clusters - 1)) * t))
    return level, 1 - level
