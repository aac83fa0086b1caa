"""Adjusted p-values reject what the procedures of Holm and of Benjamini and Hochberg reject.

How often tests reject where there is nothing to find: why the clustered one is to be believed."""

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from enact_assets.results.statistics.clusters import ClusterSums, clustered_p, welch
from enact_assets.results.statistics.constants import DEFAULT
from enact_assets.results.statistics.multiplicity import benjamini_hochberg, holm
from enact_assets.results.statistics.resampling import bootstrap_intervals, sign_flip_p
from enact_assets.settings.arrays import Floats

from reference.cluster_statistics import benjamini_hochberg_rejects, holm_rejects

P_VALUES = st.lists(st.floats(0, 1, allow_subnormal=False), min_size=1, max_size=12)
LEVELS = st.sampled_from([0.01, 0.05, 0.2])


@given(P_VALUES, LEVELS)
def test_holm_rejects_what_the_procedure_rejects(p: list[float], alpha: float) -> None:
    adjusted = holm(np.array(p))
    assume(not np.any(np.abs(adjusted - alpha) < 1e-9))  # a tie by rounding only
    assert set(np.flatnonzero(adjusted <= alpha)) == holm_rejects(p, alpha)


@given(P_VALUES, LEVELS)
def test_benjamini_hochberg_rejects_what_the_procedure_rejects(
    p: list[float], alpha: float
) -> None:
    adjusted = benjamini_hochberg(np.array(p))
    assume(not np.any(np.abs(adjusted - alpha) < 1e-9))
    assert set(np.flatnonzero(adjusted <= alpha)) == benjamini_hochberg_rejects(p, alpha)


@given(P_VALUES, st.integers(0, 12))
def test_what_was_not_tested_counts_for_nothing(p: list[float], at: int) -> None:
    """A cell without a p-value would make all others of its panel less significant."""
    for adjust in (holm, benjamini_hochberg):
        with_gap = np.insert(np.array(p), min(at, len(p)), np.nan)
        found = adjust(with_gap)
        assert np.isnan(found).sum() == 1
        np.testing.assert_array_equal(found[~np.isnan(found)], adjust(np.array(p)))


@given(P_VALUES)
def test_adjusted_values_keep_the_order_and_are_none_smaller(p: list[float]) -> None:
    for adjust in (holm, benjamini_hochberg):
        found = adjust(np.array(p))
        assert (found >= np.array(p) - 1e-15).all()
        assert found.max() <= 1
        in_order = found[np.argsort(p, kind="stable")]
        assert (np.diff(in_order) >= 0).all()


def test_by_hand() -> None:
    """Holm: 0.01 x 4, 0.03 x 2 raised to 0.02 x 3, 0.04 raised too."""
    p = np.array([0.04, 0.01, 0.03, 0.02])
    assert holm(p) == pytest.approx([0.06, 0.04, 0.06, 0.06])
    assert benjamini_hochberg(p) == pytest.approx([0.04, 0.04, 0.04, 0.04])
    assert holm(np.array([])).size == benjamini_hochberg(np.array([])).size == 0


N_DEMONSTRATIONS, N_QUESTIONS = 29, 48
ALPHA = 0.05
FOUR_ERRORS = 4 * (ALPHA * (1 - ALPHA) / 1_500) ** 0.5
"""Of a share of 0.05 among 1,500: 0.0225."""


@dataclass(frozen=True)
class Rates:
    """Share of comparisons in which a test rejects at 0.05."""

    welch: float
    question_pairs: float
    clustered: float
    sign_flip: float
    bootstrap: float

    def as_text(self) -> str:
        """A cell per test; a dash for one that was not made."""
        rates = vars(self).values()
        return " | ".join("-" if np.isnan(rate) else f"{100 * rate:.1f} %" for rate in rates)


def rejection_rates(n_comparisons: int, interaction: float, advantage: float = 0.0) -> Rates:
    """Rates over simulated comparisons; ``advantage`` is that of the second model, in logits."""
    random = np.random.default_rng(20_26)
    clusters = np.repeat(np.arange(N_DEMONSTRATIONS), N_QUESTIONS)
    differences = np.empty((clusters.size, n_comparisons))
    n_welch = 0
    for k in range(n_comparisons):
        ease = random.normal(0, 1, N_DEMONSTRATIONS)[clusters] + random.normal(
            0, 1.5, clusters.size
        )
        first, second = (
            _answers(random, ease + random.normal(lead, interaction, N_DEMONSTRATIONS)[clusters])
            for lead in (0.0, advantage)
        )
        _, p = welch(second, first)
        n_welch += p is not None and p < ALPHA
        differences[:, k] = second - first
    by_demonstration = ClusterSums.of(differences, clusters)
    by_question = ClusterSums.of(differences, np.arange(clusters.size))
    low, high = bootstrap_intervals(by_demonstration, DEFAULT)
    return Rates(
        n_welch / n_comparisons,
        float(np.mean(clustered_p(by_question) < ALPHA)),
        float(np.mean(clustered_p(by_demonstration) < ALPHA)),
        float(np.mean(sign_flip_p(by_demonstration, DEFAULT) < ALPHA)),
        float(np.mean((low > 0) | (high < 0))),
    )


UNEQUAL = (1, 1, 2, 3, 5, 7, 9, 12, 16, 24, 40, 120)
"""Questions of each of 12 demonstrations."""


def unequal_rejection_rates(n_comparisons: int) -> Rates:
    """As :func:`rejection_rates`, of differences with a part that each demonstration shares."""
    random = np.random.default_rng(20_27)
    clusters = np.repeat(np.arange(len(UNEQUAL)), UNEQUAL)
    shared = random.normal(0, 0.15, (len(UNEQUAL), n_comparisons))
    differences = shared[clusters] + random.normal(0, 0.3, (clusters.size, n_comparisons))
    by_demonstration = ClusterSums.of(differences, clusters)
    by_question = ClusterSums.of(differences, np.arange(clusters.size))
    low, high = bootstrap_intervals(by_demonstration, DEFAULT)
    return Rates(
        float("nan"),
        float(np.mean(clustered_p(by_question) < ALPHA)),
        float(np.mean(clustered_p(by_demonstration) < ALPHA)),
        float(np.mean(sign_flip_p(by_demonstration, DEFAULT) < ALPHA)),
        float(np.mean((low > 0) | (high < 0))),
    )


def _answers(random: np.random.Generator, logits: Floats) -> Floats:
    return (random.random(logits.size) < 1 / (1 + np.exp(-logits))).astype(np.float64)


@pytest.mark.slow
def test_only_tests_over_demonstrations_keep_their_level() -> None:
    """A leaderboard by Welch's test would find a difference in every fifth pair of equals."""
    null = rejection_rates(1_500, 0.6)
    without = rejection_rates(1_500, 0.0)
    power = rejection_rates(300, 0.6, advantage=0.5)
    print("\n| | Welch | pairs of questions | clustered t | sign flip | bootstrap |")
    print("|---|---|---|---|---|---|")
    print(f"| no difference, interaction 0.6 | {null.as_text()} |")
    print(f"| no difference, no interaction | {without.as_text()} |")
    print(f"| difference of 0.5 logits, interaction 0.6 | {power.as_text()} |")
    unequal = unequal_rejection_rates(4_000)
    print(f"| no difference, 12 demonstrations of 1 to 120 questions | {unequal.as_text()} |")
    # With the usual factor and G - 1 degrees of freedom it is 20 %.
    assert 0.02 <= unequal.clustered <= ALPHA + FOUR_ERRORS
    assert unequal.question_pairs > 0.2
    assert 0.15 <= null.welch <= 0.27
    assert 0.24 <= null.question_pairs <= 0.36
    for rates in (null, without):
        for rate in (rates.clustered, rates.sign_flip, rates.bootstrap):
            assert abs(rate - ALPHA) <= FOUR_ERRORS
    # Nothing to be had from ignoring demonstrations where these do not matter, either.
    assert without.welch < 0.05
    assert power.clustered > 0.6
