"""What a variant changes: pairwise accuracy against the baseline, with two standard errors.

The unpaired Welch test reproduces the paper's tables. The paired one, clustered by demonstration,
is the one to believe: with a model that does well on some activities and badly on others, Welch
rejects far too often.
"""

import math
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from enact_assets.contracts.errors import EvaluationError
from enact_assets.contracts.tables import table

Floats = NDArray[np.float64]

# Accuracies are ratios of small integers: a spread below this is rounding, not variance.
_ROUNDING = 1e-12


def compare_with_baseline(
    evaluation_variant: pl.DataFrame,
    evaluation_baseline: pl.DataFrame,
    variant: str,
    baseline: str,
) -> pl.DataFrame:
    """The table ``probes``: per model and kind, for each length and (length null) for all.

    Both arguments are rows of ``evaluation`` on probe questions. Under one gating the baseline is
    restricted to the questions that the variant was asked; under two gatings there are no common
    questions, all given rows are compared and the paired columns stay null. Missing answers are
    counted and take no part. Statistics that are undefined are null: means of nothing, standard
    errors of fewer than two (questions, or demonstrations for the paired ones), p-values where
    nothing varies (the standard error is then 0, which says so). Errors: :class:`EvaluationError`
    for rows of another variant.
    """
    for rows, name in ((evaluation_variant, variant), (evaluation_baseline, baseline)):
        others = sorted(set(rows.get_column("variant")) - {name})
        if others:
            raise EvaluationError(f"rows of variant {others[0]!r} given as those of {name!r}")
    ours, theirs = _comparable(evaluation_variant, evaluation_baseline)
    strata = pl.concat([rows.select("model", "kind", "length") for rows in (ours, theirs)]).unique()
    whole = strata.select("model", "kind").unique().with_columns(length=pl.lit(None, pl.Int64))
    compared = []
    for model, kind, length in pl.concat([strata, whole]).iter_rows():
        stratum = (pl.col("model") == model) & (pl.col("kind") == kind)
        if length is not None:
            stratum &= pl.col("length") == length
        statistics = _compare(ours.filter(stratum), theirs.filter(stratum))
        compared.append(
            {
                "model": model,
                "variant": variant,
                "baseline": baseline,
                "kind": kind,
                "length": length,
                **statistics,
            }
        )
    return table("probes").build(compared)


def welch(a: Floats, b: Floats) -> tuple[float | None, float | None]:
    """Standard error of mean(a) - mean(b) and the two-tailed p-value of Welch's t-test.

    None below two values on a side; p is None where neither side varies.
    """
    if min(a.size, b.size) < 2:
        return None, None
    parts = a.var(ddof=1) / a.size, b.var(ddof=1) / b.size
    error = math.sqrt(sum(parts))
    if error <= _ROUNDING:
        return 0.0, None
    from scipy.stats import t

    # By hand: scipy's own test warns of lost precision where one side varies by rounding only.
    degrees = sum(parts) ** 2 / (parts[0] ** 2 / (a.size - 1) + parts[1] ** 2 / (b.size - 1))
    return error, float(2 * t.sf(abs(a.mean() - b.mean()) / error, degrees))


def clustered(
    differences: Floats, clusters: NDArray[np.int64]
) -> tuple[float | None, float | None]:
    """Standard error of the mean of ``differences`` (n,), clustered, and its two-tailed p-value.

    With G clusters the variance of the mean is G / (G - 1) times the sum over clusters of the
    squared sum of deviations from the mean, over n squared; t has G - 1 degrees of freedom. None
    below two clusters; p is None where no cluster deviates. Source: Liang and Zeger 1986, with
    the usual correction for few clusters.
    """
    names, index = np.unique(clusters, return_inverse=True)
    n_clusters = names.size
    if n_clusters < 2:
        return None, None
    mean = differences.mean()
    sums = np.bincount(index, weights=differences - mean)
    error = math.sqrt(n_clusters / (n_clusters - 1) * float(np.sum(sums**2))) / differences.size
    if error <= _ROUNDING:
        return 0.0, None
    from scipy.stats import t

    return error, float(2 * t.sf(abs(mean) / error, n_clusters - 1))


def _comparable(ours: pl.DataFrame, theirs: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The rows of both sides that are compared."""
    gatings = set(ours.get_column("gating")) | set(theirs.get_column("gating"))
    if len(gatings) > 1:
        return ours, theirs
    return ours, theirs.join(ours, on=["model", "question_id"], how="semi")


def _compare(ours: pl.DataFrame, theirs: pl.DataFrame) -> dict[str, Any]:
    """All statistics of one stratum."""
    a, b = (rows.drop_nulls("pairwise_accuracy") for rows in (ours, theirs))
    x, y = (rows.get_column("pairwise_accuracy").to_numpy() for rows in (a, b))
    mean_a, mean_b = (float(values.mean()) if values.size else None for values in (x, y))
    error, p = welch(x, y)
    pairs = a.join(
        b.select("question_id", "gating", other="pairwise_accuracy"), on=["question_id", "gating"]
    ).sort("question_id")
    differences = (pairs.get_column("pairwise_accuracy") - pairs.get_column("other")).to_numpy()
    demonstrations = pairs.get_column("demonstration")
    paired_error, paired_p = clustered(
        differences, demonstrations.rank("dense").cast(pl.Int64).to_numpy()
    )
    return {
        "n_variant": a.height,
        "n_baseline": b.height,
        "n_missing": ours.height + theirs.height - a.height - b.height,
        "mean_variant": mean_a,
        "mean_baseline": mean_b,
        "delta": None if mean_a is None or mean_b is None else mean_a - mean_b,
        "standard_error": error,
        "welch_p": p,
        "n_paired": pairs.height,
        "n_demonstrations": demonstrations.n_unique(),
        "paired_delta": float(differences.mean()) if differences.size else None,
        "paired_standard_error": paired_error,
        "paired_p": paired_p,
    }
