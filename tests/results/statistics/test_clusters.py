"""Clustered means, errors and tests: against the definition, and what is undefined."""

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
