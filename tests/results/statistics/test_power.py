"""What could be detected, and what it would take: by hand, by simulation, and without hope."""

import math

import numpy as np
import pytest

from enact_assets.results.statistics.clusters import ClusterSums, clustered_p
from enact_assets.results.statistics.constants import DEFAULT
from enact_assets.results.statistics.power import (
    clusters_needed,
    minimum_detectable_effect,
    scores_needed,
)

from score_tables import sums_of  # isort: skip


def simulated(
    n_clusters: int, per_cluster: int, between: float, within: float, *, mean: float, n: int = 1
) -> ClusterSums:
    """Differences with a part that all questions of a demonstration share."""
    random = np.random.default_rng(17)
    shared = random.normal(mean, between, (n_clusters, n))
    clusters = np.repeat(np.arange(n_clusters), per_cluster)
    return ClusterSums.of(shared[clusters] + random.normal(0, within, (clusters.size, n)), clusters)


def test_the_detectable_effect_is_by_the_formula() -> None:
    """Ten demonstrations: t of 9 degrees of freedom is 2.2622 at 0.975 and 0.8834 at 0.8."""
    sums = simulated(10, 8, 0.1, 0.3, mean=0.0)
    expected = (2.262157 + 0.883404) * sums.standard_errors()[0]
    assert minimum_detectable_effect(sums, DEFAULT)[0] == pytest.approx(expected, rel=1e-5)


def test_an_effect_of_that_size_is_found_as_often_as_promised() -> None:
    """Otherwise people plan experiments that find nothing."""
    error = math.sqrt((0.1**2 + 0.3**2 / 8) / 12)
    effect = (2.200985 + 0.875530) * error  # 11 degrees of freedom
    p = clustered_p(simulated(12, 8, 0.1, 0.3, mean=effect, n=4_000))
    assert 0.76 <= np.mean(p < 0.05) <= 0.84


def test_with_the_demonstrations_needed_the_relevant_effect_is_found() -> None:
    sums = simulated(12, 8, 0.1, 0.3, mean=0.0)
    needed = int(clusters_needed(sums, DEFAULT)[0])
    variance = sums.standard_errors()[0] ** 2 * 12
    from scipy.stats import t

    def detectable(g: int) -> float:
        return float((t.ppf(0.975, g - 1) + t.ppf(0.8, g - 1)) * math.sqrt(variance / g))

    assert detectable(needed) <= DEFAULT.relevant_effect < detectable(needed - 1)


def test_with_the_questions_needed_the_relevant_effect_is_found() -> None:
    """The part that demonstrations share does not shrink with more questions on them."""
    sums = simulated(40, 4, 0.06, 0.3, mean=0.0)
    n, g, error = 160, 40, sums.standard_errors()[0]
    groups = sums.squares - sums.total**2 / sums.n
    within = groups.sum() / (n - g)
    between = error**2 - within / n
    assert between > 0
    needed = scores_needed(sums, DEFAULT)[0]
    multiple = minimum_detectable_effect(sums, DEFAULT)[0] / error

    def detectable(count: float) -> float:
        return float(multiple * math.sqrt(between + within / count))

    assert detectable(needed) <= DEFAULT.relevant_effect < detectable(needed - 1)


def test_more_questions_are_no_help_where_demonstrations_differ() -> None:
    """Half a million questions on three kitchens are three kitchens."""
    sums = simulated(4, 500, 0.3, 0.1, mean=0.0)
    assert np.isnan(scores_needed(sums, DEFAULT)[0])
    assert clusters_needed(sums, DEFAULT)[0] > 100


@pytest.mark.parametrize("column", [[None] * 4, [0.5, 0.2, None, None], [0.1] * 4, [0.0] * 4])
def test_without_an_error_nothing_can_be_said(column: list[float | None]) -> None:
    sums = sums_of([column], [1, 1, 2, 2])
    for of in (minimum_detectable_effect, clusters_needed, scores_needed):
        assert np.isnan(of(sums, DEFAULT)[0])


def test_one_question_each_does_not_tell_within_from_between() -> None:
    sums = sums_of([[0.5, 0.0, -0.25]], [1, 2, 3])
    assert np.isnan(scores_needed(sums, DEFAULT)[0])
    assert clusters_needed(sums, DEFAULT)[0] > 3
