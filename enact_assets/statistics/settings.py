"""Constants of all statistics, in one place."""

from dataclasses import dataclass


@dataclass(frozen=True)
class StatisticsSettings:
    """What is asked of intervals, tests and power. Resampling depends on ``seed`` and on the number
    of demonstrations, and on nothing else: not on the order of rows, nor on who computes it.
    """

    seed: int = 0
    confidence: float = 0.95
    power: float = 0.8
    relevant_effect: float = 0.05
    """The paper calls smaller differences of pairwise accuracy small (section 5)."""
    n_resamples: int = 9_999
    n_sign_flips: int = 9_999
    max_exact_clusters: int = 13
    """Up to here all sign flips are tried: 4,096 of 13 demonstrations, as each has its mirror."""

    @property
    def alpha(self) -> float:
        """Significance level that belongs to ``confidence``."""
        return 1 - self.confidence


DEFAULT = StatisticsSettings()
