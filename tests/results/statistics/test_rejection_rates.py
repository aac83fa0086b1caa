"""How often tests reject where there is nothing to find: why the clustered one is to be believed.

Two models of equal ability answer 29 x 48 questions; each is better at some activities than at
others (interaction of model and activity, standard deviation 0.6 on the logit scale). Activities
differ in difficulty by 1, questions by 1.5. Beside these, 12 demonstrations of very unequal size.
"""

from dataclasses import dataclass

import numpy as np
import pytest

from enact_assets.results.statistics.clusters import ClusterSums, clustered_p, welch
from enact_assets.results.statistics.constants import DEFAULT
from enact_assets.results.statistics.resampling import bootstrap_intervals, sign_flip_p
from enact_assets.settings.arrays import Floats

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
