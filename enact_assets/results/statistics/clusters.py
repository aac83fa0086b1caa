"""Scores summed by demonstration, the input of clustered statistics, of many columns at once.

Questions of one demonstration share pictures and changes, so their scores are correlated. Treating
them as independent would find differences that do not exist; the demonstration is the unit here.
"""

import math
from dataclasses import dataclass

import numpy as np

from enact_assets.results.statistics.constants import StatisticsSettings
from enact_assets.settings.arrays import Floats, Ints

ROUNDING = 1e-12
"""Accuracies are ratios of small integers: a spread below this is rounding, not variance."""
GRID = 2.0**-32
"""Sums are rounded to this before they are resampled. Then products with whole weights are exact,
and the same in whatever order, on however many threads, they are added."""

NO_SCORES = "no_scores"
NOT_PAIRED = "not_paired"
ONE_DEMONSTRATION = "one_demonstration"
NO_DIFFERENCE = "no_difference"
NO_VARIATION = "no_variation"
REASONS = {
    NO_SCORES: "nothing was scored, or nothing on one of two sides",
    NOT_PAIRED: "both sides have scores, but of no question in common",
    ONE_DEMONSTRATION: "all scores are of one demonstration",
    NO_DIFFERENCE: "the mean difference is zero in every demonstration",
    NO_VARIATION: "all demonstrations score the same",
}
"""Why a statistic is null. The first that holds, in this order."""


@dataclass(frozen=True)
class ClusterSums:
    """Scores of K columns in G demonstrations, each array (G, K): their weight, their weighted sum,
    and that of their squares. A demonstration without scores in a column has zeros there.

    With weight 1 each, means are those over scores. With the steps of its question as weight of a
    share of steps, they are steps over steps (the micro-average of paper A.3.2), and errors and
    resamples are those of that ratio.
    """

    n: Floats
    total: Floats
    squares: Floats
    numbers: Floats | None = None
    """How many scores, where their weights are not 1."""

    @classmethod
    def of(cls, values: Floats, clusters: Ints, weights: Ints | None = None) -> "ClusterSums":
        """Sums of ``values`` (Q, K), nan for no score, by ``clusters`` (Q,), any whole numbers.

        ``weights`` (Q,) are those of the rows, 1 each by default.
        """
        if values.shape[0] == 0:
            empty = np.zeros((0, values.shape[1]))
            return cls(empty, empty, empty)
        order = np.argsort(clusters, kind="stable")
        _, starts = np.unique(clusters[order], return_index=True)
        sorted_values = values[order]
        is_scored = ~np.isnan(sorted_values)
        filled = np.where(is_scored, sorted_values, 0.0)
        weight = 1.0 if weights is None else weights[order][:, None].astype(np.float64)
        n, total, squares, numbers = (
            np.add.reduceat(part, starts, axis=0)
            for part in (is_scored * weight, filled * weight, filled**2 * weight, is_scored * 1.0)
        )
        return cls(n, total, squares, None if weights is None else numbers)

    @property
    def n_scores(self) -> Ints:
        """Scores per column, (K,)."""
        numbers = self.n if self.numbers is None else self.numbers
        found: Ints = numbers.sum(axis=0).astype(np.int64)
        return found

    @property
    def n_clusters(self) -> Ints:
        """Demonstrations with scores per column, (K,)."""
        found: Ints = np.count_nonzero(self.n, axis=0).astype(np.int64)
        return found

    def means(self) -> Floats:
        """Weighted mean of all scores of each column, (K,); nan where there are none."""
        return _ratio(self.total.sum(axis=0), self.n.sum(axis=0))

    def standard_errors(self) -> Floats:
        """Standard error of :meth:`means`, (K,), clustered by demonstration.

        The variance of the mean is the sum over demonstrations of the squared sum of deviations
        from the mean, each over 1 - its share of all scores, over n squared: with G demonstrations
        of equal size the usual factor G / (G - 1). nan below two demonstrations; 0 where none
        deviates. Source: Bell and McCaffrey 2002 (CR2), for a mean; of weighted scores, with errors
        whose variance falls with the weight, as that of a share of steps does.
        """
        deviations = self.total - self.n * np.nan_to_num(self.means())
        shares, _ = self.shares()
        variance = np.sum(deviations**2 / (1 - shares), axis=0)
        errors = _ratio(np.sqrt(variance), self.n.sum(axis=0))
        errors[self.n_clusters < 2] = np.nan
        errors[errors <= ROUNDING] = 0.0
        return errors

    def degrees(self) -> Floats:
        """Degrees of freedom of :meth:`standard_errors`, (K,); 1 below two demonstrations.

        G - 1 with demonstrations of equal size, fewer else: where one holds half of all scores, the
        error is nearly that of two. Source: Satterthwaite's for CR2, Bell and McCaffrey 2002, with
        scores taken as independent; in closed form for a mean.
        """
        shares, weights = self.shares()
        # Traces of the matrix of the quadratic form, and of its square, over n and n squared.
        trace = shares.sum(axis=0)
        squares = np.sum((weights * shares**2), axis=0) ** 2 + np.sum(
            shares**2 - weights**2 * shares**4, axis=0
        )
        found = _ratio(trace**2, squares)
        found[self.n_clusters < 2] = 1.0
        return found

    def shares(self) -> tuple[Floats, Floats]:
        """Share of each demonstration in the scores of a column, and 1 over 1 - that, (G, K).

        Shares are 0 below two demonstrations.
        """
        total = self.n.sum(axis=0)
        shares = self.n / np.where(total > 0, total, 1.0)
        shares[:, self.n_clusters < 2] = 0.0
        return shares, 1 / (1 - shares)

    def reasons(self) -> list[str | None]:
        """Why there is no test of the mean of a column against zero, (K,); None if there is one."""
        is_zero = np.all(np.abs(self.total) <= ROUNDING, axis=0)
        found: list[str | None] = []
        for n, g, zero, error in zip(
            self.n_scores, self.n_clusters, is_zero, self.standard_errors(), strict=True
        ):
            if n == 0:
                found.append(NO_SCORES)
            elif g < 2:
                found.append(ONE_DEMONSTRATION)
            elif zero and error == 0:
                found.append(NO_DIFFERENCE)
            else:
                found.append(NO_VARIATION if error == 0 else None)
        return found

    def by_number_of_clusters(self) -> list[tuple[Ints, Ints]]:
        """Columns with scores in equally many demonstrations: (these, (G, k), columns, (k,)).

        Draws depend only on the number of demonstrations, so columns with the same number are
        resampled together, whichever demonstrations they have.
        """
        is_there = self.n.T > 0
        numbers = self.n_clusters
        found = []
        for g in np.unique(numbers):
            columns = np.flatnonzero(numbers == g)
            rows = np.nonzero(is_there[columns])[1].reshape(columns.size, g)
            found.append((rows.T, columns))
        return found


def clustered_p(sums: ClusterSums) -> Floats:
    """Two-tailed p-value that the mean of each column is zero, (K,), by t.

    nan where :meth:`ClusterSums.reasons` says why.
    """
    from scipy.special import stdtr

    errors = sums.standard_errors()
    errors[errors == 0] = np.nan
    return np.asarray(2 * stdtr(sums.degrees(), -np.abs(sums.means() / errors)), dtype=np.float64)


def t_margin(sums: ClusterSums, settings: StatisticsSettings) -> Floats:
    """Half the width of the t interval of the mean of each column, (K,); nan as the p-value."""
    from scipy.special import stdtrit

    errors = sums.standard_errors()
    errors[errors == 0] = np.nan
    return np.asarray(errors * stdtrit(sums.degrees(), 1 - settings.alpha / 2), dtype=np.float64)


def on_grid(sums: Floats) -> Floats:
    """``sums`` rounded to :data:`GRID`."""
    return np.rint(sums / GRID) * GRID


def welch(a: Floats, b: Floats) -> tuple[float | None, float | None]:
    """Standard error of mean(a) - mean(b) and the two-tailed p-value of Welch's t-test.

    It takes questions for independent: the paper's test (B.3), not the one to believe. None below
    two values on a side; p is None where neither side varies.
    """
    if min(a.size, b.size) < 2:
        return None, None
    parts = a.var(ddof=1) / a.size, b.var(ddof=1) / b.size
    error = math.sqrt(sum(parts))
    if error <= ROUNDING:
        return 0.0, None
    from scipy.special import stdtr

    # By hand: scipy's own test warns of lost precision where one side varies by rounding only.
    degrees = sum(parts) ** 2 / (parts[0] ** 2 / (a.size - 1) + parts[1] ** 2 / (b.size - 1))
    return error, float(2 * stdtr(degrees, -abs(a.mean() - b.mean()) / error))


def _ratio(above: Floats, below: Floats) -> Floats:
    found: Floats = np.divide(above, below, out=np.full(above.shape, np.nan), where=below != 0)
    return found
