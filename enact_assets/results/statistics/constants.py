"""Constants of all statistics, in one place."""

from dataclasses import dataclass


@dataclass(frozen=True)
class StatisticsSettings:
    """What is asked of intervals, tests and power. Resampling depends on ``seed`` and on the number
    of demonstrations, and on nothing else: not on the order of rows, nor on the process that
    computes it.
    """

    seed: int = 0
    confidence: float = 0.95
    power: float = 0.8
    relevant_effect: float = 0.05
    """The paper calls smaller differences of pairwise accuracy small (3.2, B.3)."""
    n_resamples: int = 9_999
    n_sign_flips: int = 9_999
    min_bootstrap_clusters: int = 6
    """With fewer demonstrations intervals are those of t: a bootstrap interval cannot leave the
    range of what was seen, so that of 2 demonstrations holds the truth in half of all cases."""
    max_exact_clusters: int = 13
    """Up to here all sign flips are tried: 4,096 of 13 demonstrations, as each has its mirror."""

    @property
    def alpha(self) -> float:
        """Significance level that belongs to ``confidence``."""
        # Not 0.05000000000000004: a p-value of just that would be below it.
        return round(1 - self.confidence, 12)


DEFAULT = StatisticsSettings()
