"""Effects that a comparison could detect, and the sample sizes it would need."""

from functools import lru_cache

import numpy as np

from enact_assets.results.statistics.clusters import ClusterSums
from enact_assets.results.statistics.constants import StatisticsSettings
from enact_assets.settings.arrays import Floats

MAX_CLUSTERS = 100_000


def minimum_detectable_effect(sums: ClusterSums, settings: StatisticsSettings) -> Floats:
    """Smallest true mean of each column that the clustered test finds with the settings' power.

    (K,): (t at 1 - alpha / 2 + t at power, both on the error's degrees of freedom) times the
    clustered standard error; nan where that is nan or 0. Source: Bloom 1995.
    """
    errors = sums.standard_errors()
    errors[errors == 0] = np.nan
    return np.asarray(_multiples(sums.degrees(), settings) * errors, dtype=np.float64)


def clusters_needed(sums: ClusterSums, settings: StatisticsSettings) -> Floats:
    """Demonstrations, each with as many questions as now, that the relevant effect takes, (K,).

    The variance of a mean over G demonstrations falls with 1 / G; degrees of freedom are taken as
    G - 1. nan where there is no error, or more than a hundred thousand would be needed.
    """
    errors = sums.standard_errors()
    errors[errors == 0] = np.nan
    variance = errors**2 * sums.n_clusters
    reached = settings.relevant_effect**2 / variance
    candidates, shares = _needs(settings)
    # Shares fall with more demonstrations: the first that is at most what is reached.
    at = np.searchsorted(-shares, -np.nan_to_num(reached))
    needed = np.full(errors.shape, np.nan)
    is_known = ~np.isnan(errors) & (at < candidates.size)
    needed[is_known] = candidates[at[is_known]]
    return needed


def scores_needed(sums: ClusterSums, settings: StatisticsSettings) -> Floats:
    """Questions, spread over the same demonstrations as now, that the relevant effect would take.

    (K,). The variance within demonstrations falls with the number of questions, that between them
    stays: nan where that alone is too much (more demonstrations would be needed), where there is no
    error, or where no demonstration has two questions to tell the two parts apart.
    """
    errors = sums.standard_errors()
    errors[errors == 0] = np.nan
    n, g = sums.n.sum(axis=0), sums.n_clusters
    centred = sums.squares - np.divide(
        sums.total**2, sums.n, out=np.zeros_like(sums.total), where=sums.n > 0
    )
    degrees = np.where(n - g > 0, n - g, np.nan)
    within = np.maximum(centred.sum(axis=0), 0.0) / degrees
    between = np.maximum(errors**2 - within / np.where(n > 0, n, np.nan), 0.0)
    allowed = (settings.relevant_effect / _multiples(sums.degrees(), settings)) ** 2 - between
    needed: Floats = np.maximum(np.ceil(within / np.where(allowed > 0, allowed, np.nan)), g)
    return needed


def _multiples(degrees: Floats, settings: StatisticsSettings) -> Floats:
    """By how many standard errors an effect must exceed zero."""
    from scipy.special import stdtrit

    found = stdtrit(degrees, 1 - settings.alpha / 2) + stdtrit(degrees, settings.power)
    return np.asarray(found, dtype=np.float64)


@lru_cache(maxsize=4)
def _needs(settings: StatisticsSettings) -> tuple[Floats, Floats]:
    """Numbers of demonstrations, and the squared effect over the variance of one that they find."""
    candidates = np.arange(2, MAX_CLUSTERS + 1).astype(np.float64)
    return candidates, _multiples(candidates - 1, settings) ** 2 / candidates
