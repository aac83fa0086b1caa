"""Difference of two means over different questions about the same demonstrations.

Under another gating no question is asked twice, so nothing can be paired; the demonstrations are
the same all the same, and what one of them adds to both means cancels.
"""

import math
from dataclasses import dataclass, replace

import numpy as np

from enact_assets.results.statistics.clusters import (
    NO_SCORES,
    NO_VARIATION,
    ONE_DEMONSTRATION,
    ROUNDING,
    ClusterSums,
)
from enact_assets.results.statistics.constants import StatisticsSettings
from enact_assets.settings.arrays import Floats, Ints


@dataclass(frozen=True)
class UnpairedDifference:
    """Mean of the first scores minus that of the second; None where something is undefined."""

    standard_error: float | None = None
    """Clustered by demonstration; None if the scores of a side are of fewer than two."""
    p: float | None = None
    """Two-tailed, by t; None also where nothing varies."""
    low: float | None = None
    high: float | None = None
    """95 % interval by t; None as ``p``."""
    reason: str | None = None
    """Why ``p`` is None: no_scores or one_demonstration on a side, or no_variation."""


def unpaired_difference(
    scores: tuple[Floats, Floats], clusters: tuple[Ints, Ints], settings: StatisticsSettings
) -> UnpairedDifference:
    """How sure the difference of two means is: ``scores`` of each side, (n,), and ``clusters``,
    the demonstration of each, (n,), numbered alike on both sides.

    As :func:`difference_of_means`, its interval cut to -1 .. 1.
    """
    n_first = scores[0].size
    values = np.full((n_first + scores[1].size, 2), np.nan)
    values[:n_first, 0], values[n_first:, 1] = scores
    found = difference_of_means(ClusterSums.of(values, np.concatenate(clusters)), settings)
    if found.low is None or found.high is None:
        return found
    return replace(found, low=max(found.low, -1.0), high=min(found.high, 1.0))


def difference_of_means(sums: ClusterSums, settings: StatisticsSettings) -> UnpairedDifference:
    """How sure the first mean of ``sums`` minus the second is, of two columns.

    The variance is the sum over demonstrations of the square of what each adds to the difference,
    with the correction and the degrees of freedom of :class:`ClusterSums`, for a model of two
    means. Source: Bell and McCaffrey 2002.
    """
    from scipy.special import stdtr, stdtrit

    if sums.n_clusters.size == 0 or sums.n_clusters.min() < 2:
        is_empty = sums.n_clusters.size == 0 or sums.n_scores.min() == 0
        return UnpairedDifference(reason=NO_SCORES if is_empty else ONE_DEMONSTRATION)
    n = sums.n.sum(axis=0)
    shares, weights = sums.shares()
    roots = np.sqrt(weights)
    means = sums.means()
    added = (sums.total - sums.n * means) * roots / n
    error = float(np.linalg.norm(added[:, 0] - added[:, 1]))
    if error <= ROUNDING:
        return UnpairedDifference(standard_error=0.0, reason=NO_VARIATION)
    form = sum(
        (np.diag(shares[:, k]) - np.outer(shares[:, k], shares[:, k]))
        * np.outer(roots[:, k], roots[:, k])
        / n[k]
        for k in (0, 1)
    )
    degrees = np.trace(form) ** 2 / np.sum(np.asarray(form) ** 2)
    difference = float(means[0] - means[1])
    margin = error * float(stdtrit(degrees, 1 - settings.alpha / 2))
    return UnpairedDifference(
        error,
        float(2 * stdtr(degrees, -math.fabs(difference) / error)),
        difference - margin,
        difference + margin,
    )
