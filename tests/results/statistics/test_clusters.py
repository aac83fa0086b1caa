"""Clustered means, errors and tests, paired or not: against the definition, and what is undefined.

What could be detected, and what it would take: by hand, by simulation, and without hope."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from score_tables import columns, sums_of

from enact_assets.results.statistics.clusters import (
    NO_DIFFERENCE,
    NO_SCORES,
    NO_VARIATION,
    NOT_PAIRED,
    ONE_DEMONSTRATION,
    REASONS,
    ClusterSums,
    clustered_p,
    t_margin,
    welch,
)
from enact_assets.results.statistics.constants import DEFAULT
from enact_assets.results.statistics.power import (
    clusters_needed,
    minimum_detectable_effect,
    scores_needed,
)
from enact_assets.results.statistics.unpaired import UnpairedDifference, unpaired_difference

from reference.cluster_statistics import by_cluster, clustered_degrees, clustered_error


@given(columns())
def test_many_columns_at_once_are_each_by_the_definition(
    drawn: tuple[list[list[float | None]], list[int]],
) -> None:
    scores, clusters = drawn
    sums = sums_of(scores, clusters)
    means, errors, reasons = sums.means(), sums.standard_errors(), sums.reasons()
    degrees = sums.degrees()
    for k, column in enumerate(scores):
        groups = by_cluster(column, clusters)
        given_scores = [x for x in column if x is not None]
        assert sums.n_scores[k] == len(given_scores)
        assert sums.n_clusters[k] == len(groups)
        if not given_scores:
            assert math.isnan(means[k])
            assert reasons[k] == NO_SCORES
            continue
        assert means[k] == pytest.approx(sum(given_scores) / len(given_scores), abs=1e-12)
        expected = clustered_error(column, clusters)
        if expected is None:
            assert math.isnan(errors[k])
            assert reasons[k] == ONE_DEMONSTRATION
        else:
            assert errors[k] == pytest.approx(expected, abs=1e-12)
            assert degrees[k] == pytest.approx(clustered_degrees(column, clusters))


@given(columns(), st.randoms())
def test_the_order_of_questions_and_the_names_of_demonstrations_do_not_matter(
    drawn: tuple[list[list[float | None]], list[int]], random: "st.random.Random"
) -> None:
    scores, clusters = drawn
    places = list(range(len(clusters)))
    random.shuffle(places)
    other = sums_of([[c[i] for i in places] for c in scores], [7 * clusters[i] for i in places])
    sums = sums_of(scores, clusters)
    np.testing.assert_allclose(other.means(), sums.means(), atol=1e-12)
    np.testing.assert_allclose(other.standard_errors(), sums.standard_errors(), atol=1e-12)


def test_a_p_value_is_that_of_student() -> None:
    """Two degrees of freedom have a closed form."""
    sums = sums_of([[0.3, 0.5, -0.1, 0.1, 0.0, 0.4]], [1, 1, 2, 2, 3, 3])
    t = 0.2 / sums.standard_errors()[0]
    assert clustered_p(sums)[0] == pytest.approx(1 - t / math.sqrt(2 + t**2))
    # The interval ends at zero where the p-value is alpha: 4.3027 is in every table.
    assert t_margin(sums, DEFAULT)[0] == pytest.approx(4.302652729 * sums.standard_errors()[0])


def test_equal_demonstrations_have_the_usual_error_and_unequal_ones_fewer_degrees() -> None:
    """Eleven demonstrations of 1 question beside one of 100 are hardly more than two."""
    scores = [0.1, 0.5, 0.3, 0.9, 0.2, 0.4]
    equal = sums_of([scores], [1, 1, 2, 2, 3, 3])
    deviations = [sum(scores[k : k + 2]) - 0.8 for k in (0, 2, 4)]
    usual = math.sqrt(3 / 2 * sum(d**2 for d in deviations)) / 6
    assert equal.standard_errors()[0] == pytest.approx(usual)
    assert equal.degrees()[0] == pytest.approx(2)
    n = np.array([[1.0]] * 11 + [[100.0]])
    assert 1 < ClusterSums(n, n, n).degrees()[0] < 1.3


def test_what_is_undefined_has_a_reason_and_no_number() -> None:
    """A nan that gets through ends as a blank in a table, or as a certainty."""
    none = [None] * 4
    cases = {
        NO_SCORES: none,
        ONE_DEMONSTRATION: [0.5, 0.25, None, None],
        NO_DIFFERENCE: [0.0] * 4,
        NO_VARIATION: [0.25] * 4,
    }
    assert {*cases, NOT_PAIRED} == set(REASONS)
    sums = sums_of(list(cases.values()), [1, 1, 2, 2])
    assert sums.reasons() == list(cases)
    assert np.isnan(clustered_p(sums)).all()
    assert np.isnan(t_margin(sums, DEFAULT)).all()
    nothing = ClusterSums.of(np.zeros((0, 1)), np.zeros(0, np.int64))
    assert nothing.reasons() == [NO_SCORES]
    assert sums_of([[0.25, 0.5, 0.5, 0.5]], [1, 1, 2, 2]).reasons() == [None]


def test_welch_is_that_of_scipy() -> None:
    from scipy.stats import ttest_ind

    random = np.random.default_rng(3)
    a, b = random.random(20), random.random(31) ** 2
    error, p = welch(a, b)
    assert p == pytest.approx(ttest_ind(a, b, equal_var=False).pvalue)
    assert error == pytest.approx(math.sqrt(a.var(ddof=1) / 20 + b.var(ddof=1) / 31))


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
