"""Comparison of models: intervals of accuracies, and which differ significantly."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from types import MappingProxyType
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from enact_assets.engine.errors import EvaluationError
from enact_assets.engine.tables import table
from enact_assets.results.statistics.clusters import (
    NO_DIFFERENCE,
    NO_SCORES,
    NO_VARIATION,
    NOT_PAIRED,
    ClusterSums,
    clustered_p,
    t_margin,
)
from enact_assets.results.statistics.constants import DEFAULT, StatisticsSettings
from enact_assets.results.statistics.multiplicity import benjamini_hochberg
from enact_assets.results.statistics.power import minimum_detectable_effect
from enact_assets.results.statistics.resampling import mean_intervals, sign_flip_p
from enact_assets.results.statistics.tables import ModelAccuracies, ModelComparisons
from enact_assets.settings.arrays import Floats, Ints

METRICS = {"task_accuracy": "is_accepted", "pairwise_accuracy": "pairwise_accuracy"}
"""Metric -> column of ``evaluation`` whose mean it is, by answer or, pairwise, by step."""


@dataclass(frozen=True)
class _Stratum:
    """Scores of all models on the questions of one kind and length (None: all), by one metric."""

    names: dict[str, Any]
    models: tuple[str, ...]
    scores: Floats
    """(repetitions, questions, models), nan where there is none."""
    clusters: Ints
    """Demonstration of each question, (questions,)."""
    weights: Ints
    """Of each question, (questions,): its steps for pairwise accuracy, steps over steps; else 1."""

    def answers(self) -> ClusterSums:
        """Sums of all scores, of each repetition by itself."""
        n, _, n_models = self.scores.shape
        rows = self.scores.reshape(-1, n_models)
        return ClusterSums.of(rows, np.tile(self.clusters, n), np.tile(self.weights, n))

    def n_questions(self) -> Ints:
        """Questions with a score, (models,)."""
        found: Ints = np.count_nonzero(~np.isnan(self.scores).all(axis=0), axis=0)
        return found

    def by_question(self) -> Floats:
        """Mean score of each question over its repetitions, (questions, models)."""
        n = np.count_nonzero(~np.isnan(self.scores), axis=0)
        found: Floats = np.divide(
            np.nansum(self.scores, axis=0), n, out=np.full(n.shape, np.nan), where=n > 0
        )
        return found


def compare_models(
    evaluation: pl.DataFrame,
    variant: str,
    settings: StatisticsSettings = DEFAULT,
    references: Collection[str] = (),
    trained_on: Mapping[str, str] = MappingProxyType({}),
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The tables ``model_accuracies`` and ``model_comparisons`` of one variant.

    ``evaluation``: rows of any number of models under ``variant``. Each model has a row per kind,
    metric and length, and (length null) for all lengths; each pair, in the order of names, has one
    as well, over the questions that both have a score for. Pairs of one kind, length and metric are
    a family for Benjamini and Hochberg. Accuracies are means over all answers; a pair compares
    each question once, by the means over its repetitions.

    Two models are *tied* if the clustered test, so adjusted, does not tell them apart: its p-value
    is at or above alpha. Where all demonstrations show the same difference, so that it has none,
    the sign-flip test decides; without that one too they are tied. Being tied is not transitive:
    the first may be tied with the second and the second with the third, and the first better than
    the third. ``place_best`` is one more than the number of models that are significantly better,
    ``place_worst`` the number of models minus those significantly worse. A model without
    scores is in no pair and has no place.

    ``references`` are names of reference baselines: chance, the oracle, shortcuts. They
    have accuracies and are compared with the models, in a family of their own, and have no place;
    nor do they change that of a model. ``trained_on`` maps those that were trained -> on what.

    Errors: :class:`EvaluationError` for rows of another variant.
    """
    others = sorted(set(evaluation.get_column("variant")) - {variant})
    if others:
        raise EvaluationError(f"rows of variant {others[0]!r} given as those of {variant!r}")
    accuracies: list[pl.DataFrame] = [ModelAccuracies.empty()]
    comparisons: list[pl.DataFrame] = [ModelComparisons.empty()]
    for stratum in _strata(evaluation, variant):
        is_reference = pl.col("model").is_in(list(references))
        found = _accuracies(stratum, settings).with_columns(
            is_reference=is_reference,
            trained_on=pl.col("model").replace_strict(
                trained_on, default=None, return_dtype=pl.String
            ),
        )
        pairs = _pairs(stratum, settings, references)
        comparisons.append(pairs)
        accuracies.append(_with_places(found, pairs.filter(~pl.col("has_reference"))))
    return (
        ModelAccuracies.arranged(_in_order("model_accuracies", accuracies)),
        ModelComparisons.arranged(_in_order("model_comparisons", comparisons)),
    )


def _in_order(name: str, frames: list[pl.DataFrame]) -> pl.DataFrame:
    columns = list(table(name).schema())
    return pl.concat([frame.select(columns) for frame in frames])


def _strata(evaluation: pl.DataFrame, variant: str) -> Iterator[_Stratum]:
    models = evaluation.get_column("model").unique().sort()
    asked = ["kind", "length", "demonstration", "question_id", "n_steps"]
    questions = evaluation.select(asked).unique().sort(asked).with_row_index("row")
    placed = evaluation.join(questions, on=asked)
    rows = placed.get_column("row").to_numpy()
    columns = models.search_sorted(placed.get_column("model")).to_numpy()
    repetitions = evaluation.get_column("repetition").unique().sort()
    layers = repetitions.search_sorted(placed.get_column("repetition")).to_numpy()
    clusters = questions.get_column("demonstration").rank("dense").cast(pl.Int64).to_numpy()
    kinds, lengths = questions.get_column("kind"), questions.get_column("length")
    n_steps = questions.get_column("n_steps").to_numpy()
    strata = questions.select("kind", "length").unique()
    whole = strata.select("kind", pl.lit(None, pl.Int64).alias("length")).unique()
    for metric, column in METRICS.items():
        scores = np.full((repetitions.len(), questions.height, models.len()), np.nan)
        values = placed.get_column(column).cast(pl.Float64).fill_null(float("nan"))
        scores[layers, rows, columns] = values.to_numpy()
        for kind, length in pl.concat([strata, whole]).sort("kind", "length").iter_rows():
            is_here = kinds == kind if length is None else (kinds == kind) & (lengths == length)
            here = is_here.to_numpy()
            names = {"variant": variant, "kind": kind, "length": length, "metric": metric}
            weights = n_steps if metric == "pairwise_accuracy" else np.ones_like(n_steps)
            yield _Stratum(names, tuple(models), scores[:, here], clusters[here], weights[here])


def _accuracies(stratum: _Stratum, settings: StatisticsSettings) -> pl.DataFrame:
    sums = stratum.answers()
    low, high = mean_intervals(sums, settings, least=0.0)
    return _frame(
        stratum.names,
        {
            "model": list(stratum.models),
            "n_scored": stratum.n_questions(),
            "n_demonstrations": sums.n_clusters,
            "accuracy": sums.means(),
            "standard_error": sums.standard_errors(),
            "low": low,
            "high": high,
            "reason": _interval_reasons(sums),
            **_exact(stratum),
        },
    )


def _exact(stratum: _Stratum) -> dict[str, Floats]:
    """Columns with the exact interval of task accuracies; nan without scores."""
    n_models = len(stratum.models)
    if stratum.names["metric"] != "task_accuracy":
        return {name: np.full(n_models, np.nan) for name in ("exact_low", "exact_high")}
    scores = stratum.by_question()
    low, high = exact_interval(np.nansum(scores, axis=0), (~np.isnan(scores)).sum(axis=0))
    return {"exact_low": low, "exact_high": high}


def exact_interval(n_right: Floats, n: Ints) -> tuple[Floats, Floats]:
    """Exact binomial 95 % intervals of ``n_right`` of ``n`` (Clopper and Pearson), nan for n = 0;
    shape (k,) each.
    """
    from scipy.stats import beta

    tail = DEFAULT.alpha / 2
    low, high = (
        beta.ppf(tail, n_right, n - n_right + 1),
        beta.ppf(1 - tail, n_right + 1, n - n_right),
    )
    # With none and with all right, one end is that of the range, which the quantiles leave out.
    ends = np.where(n_right == 0, 0.0, low), np.where(n_right == n, 1.0, high)
    is_known = n > 0
    return np.where(is_known, ends[0], np.nan), np.where(is_known, ends[1], np.nan)


def _interval_reasons(sums: ClusterSums) -> list[str | None]:
    """Why a mean has no interval; that every score is zero is nothing special here."""
    return [NO_VARIATION if r == NO_DIFFERENCE else r for r in sums.reasons()]


def _pairs(
    stratum: _Stratum, settings: StatisticsSettings, references: Collection[str]
) -> pl.DataFrame:
    scores = stratum.by_question()
    is_scored = ~np.all(np.isnan(scores), axis=0)
    there = np.flatnonzero(is_scored)
    of_pairs = [
        ClusterSums.of(
            scores[:, [a]] - scores[:, there[k + 1 :]], stratum.clusters, stratum.weights
        )
        for k, a in enumerate(there[:-1])
    ]
    if not of_pairs:
        return ModelComparisons.empty()
    sums = ClusterSums(
        *(
            np.hstack([getattr(sums, part) for sums in of_pairs])
            for part in ("n", "total", "squares", "numbers")
        )
    )
    difference, margin, p = sums.means(), t_margin(sums, settings), clustered_p(sums)
    flip_p = sign_flip_p(sums, settings)
    pairs = list(combinations((stratum.models[k] for k in there), 2))
    has_reference = np.array([not set(references).isdisjoint(pair) for pair in pairs])
    return _frame(
        stratum.names,
        {
            "model_a": [a for a, _ in pairs],
            "model_b": [b for _, b in pairs],
            "has_reference": has_reference,
            "n_paired": sums.n_scores,
            "n_demonstrations": sums.n_clusters,
            "difference": difference,
            "standard_error": sums.standard_errors(),
            "low": difference - margin,
            "high": difference + margin,
            "clustered_p": p,
            "clustered_bh_p": _by_family(p, has_reference),
            "sign_flip_p": flip_p,
            "sign_flip_bh_p": _by_family(flip_p, has_reference),
            "minimum_detectable_effect": minimum_detectable_effect(sums, settings),
            # Both have scores, so that a pair without any has no question in common.
            "reason": [NOT_PAIRED if r == NO_SCORES else r for r in sums.reasons()],
        },
    ).with_columns(
        is_tied=(pl.coalesce("clustered_bh_p", "sign_flip_bh_p") >= settings.alpha).fill_null(True)  # noqa: FBT003 - a value
    )


def _by_family(p: Floats, has_reference: NDArray[np.bool_]) -> Floats:
    """P-values of pairs of models, and those of pairs with a reference, each corrected together."""
    found = p.copy()
    for family in (has_reference, ~has_reference):
        found[family] = benjamini_hochberg(p[family])
    return found


def _with_places(accuracies: pl.DataFrame, pairs: pl.DataFrame) -> pl.DataFrame:
    """``accuracies`` of a stratum with the places each model may have, and its ties."""
    sides = pl.concat(
        [
            pairs.select(model="model_a", other="model_b", lead="difference", is_tied="is_tied"),
            pairs.select(model="model_b", other="model_a", lead=-pl.col("difference"),
                         is_tied="is_tied"),
        ]
    )  # fmt: skip
    told_apart = ~pl.col("is_tied")
    counted = sides.group_by("model").agg(
        n_better=(told_apart & (pl.col("lead") < 0)).sum(),
        n_worse=(told_apart & (pl.col("lead") > 0)).sum(),
        tied_with=pl.col("other").filter("is_tied").sort(),
    )
    is_placed = pl.col("reason").ne_missing(NO_SCORES) & ~pl.col("is_reference")
    n_placed = int(accuracies.select(is_placed.sum()).item())
    count = pl.col("n_better").fill_null(0).cast(pl.Int64)
    return accuracies.join(counted, on="model", how="left").with_columns(
        place_best=pl.when(is_placed).then(1 + count),
        place_worst=pl.when(is_placed).then(
            n_placed - pl.col("n_worse").fill_null(0).cast(pl.Int64)
        ),
        tied_with=pl.when(is_placed).then(
            pl.col("tied_with").fill_null(pl.lit([], pl.List(pl.String)))
        ),
    )


def _frame(names: dict[str, Any], columns: dict[str, Any]) -> pl.DataFrame:
    """Columns of one stratum; what is nan in them is null."""
    types = {"kind": pl.String, "length": pl.Int64, "reason": pl.String}
    frame = pl.DataFrame(columns, schema_overrides={k: t for k, t in types.items() if k in columns})
    floats = pl.selectors.float()
    return frame.with_columns(floats.fill_nan(None)).with_columns(
        pl.lit(value, types.get(name, pl.String)).alias(name) for name, value in names.items()
    )
