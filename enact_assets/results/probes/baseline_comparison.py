"""Effects of a variant on pairwise accuracy against the baseline, and their uncertainty.

The unpaired Welch test is that of the paper's figures 4 and 17. The paired one, clustered by
demonstration, is the one to believe: with a model that does well on some activities and badly on
others, Welch rejects far too often. The sign-flip test checks it where demonstrations are few.
Where nothing can be paired, the unpaired difference is clustered by demonstration as well.
"""

from typing import Any

import numpy as np
import polars as pl

from enact_assets.engine.errors import EvaluationError
from enact_assets.results.probes.tables import Probes
from enact_assets.results.statistics.clusters import (
    NO_SCORES,
    NO_VARIATION,
    NOT_PAIRED,
    ClusterSums,
    clustered_p,
    welch,
)
from enact_assets.results.statistics.constants import DEFAULT, StatisticsSettings
from enact_assets.results.statistics.power import (
    clusters_needed,
    minimum_detectable_effect,
    scores_needed,
)
from enact_assets.results.statistics.resampling import mean_intervals, sign_flip_p
from enact_assets.results.statistics.unpaired import unpaired_difference
from enact_assets.settings.arrays import Floats

ONE_QUESTION = "one_question"
"""Why Welch's test is null: a side has a single score."""


def as_many_of_each(
    evaluated: pl.DataFrame, questions: pl.DataFrame, of_variant: pl.DataFrame
) -> pl.DataFrame:
    """Rows of ``evaluated`` about as many first questions of each kind and length as a variant has.

    ``questions`` are rows of ``asked_questions`` of the baseline, ``of_variant`` of the variant.
    With more questions of some lengths, the baseline's mean would be about another mix.
    """
    most = of_variant.group_by("kind", "length").agg(most=pl.col("place").max())
    ids = questions.join(most, on=["kind", "length"]).filter(pl.col("place") <= pl.col("most"))
    return evaluated.join(ids.select("question_id"), on="question_id", how="semi")


def compare_with_baseline(
    evaluation_variant: pl.DataFrame,
    evaluation_baseline: pl.DataFrame,
    variant: str,
    baseline: str,
    *,
    panel: str | None = None,
    settings: StatisticsSettings = DEFAULT,
) -> pl.DataFrame:
    """The table ``probes``: per model and kind, for each length and (length null) for all.

    Both arguments are rows of ``evaluation``; a repeated question counts once, with the mean over
    its repetitions. Under one gating the baseline is restricted to the questions that the variant
    was asked; under two gatings there are no common questions, all given rows are compared and the
    paired columns stay null: there the columns ``unpaired_...`` are to be read, ``delta`` clustered
    by demonstration. Missing answers are counted and take no part. Statistics that are undefined
    are null: means of nothing, standard errors of fewer than two (questions for Welch's,
    demonstrations for the others), p-values where nothing varies (the standard error is then 0).
    ``welch_reason``, ``unpaired_reason`` and ``paired_reason`` say why the p-value of that name is
    null, and are null beside one. ``panel`` is taken over. Errors: :class:`EvaluationError` for
    rows of another variant.
    """
    for rows, name in ((evaluation_variant, variant), (evaluation_baseline, baseline)):
        others = sorted(set(rows.get_column("variant")) - {name})
        if others:
            raise EvaluationError(f"rows of variant {others[0]!r} given as those of {name!r}")
    sides = (_each_question_once(rows) for rows in (evaluation_variant, evaluation_baseline))
    ours, theirs = _comparable(*sides)
    strata = pl.concat([rows.select("model", "kind", "length") for rows in (ours, theirs)]).unique()
    whole = strata.select("model", "kind").unique().with_columns(length=pl.lit(None, pl.Int64))
    compared = []
    for model, kind, length in pl.concat([strata, whole]).iter_rows():
        stratum = (pl.col("model") == model) & (pl.col("kind") == kind)
        if length is not None:
            stratum &= pl.col("length") == length
        statistics = _compare(ours.filter(stratum), theirs.filter(stratum), settings)
        compared.append(
            {
                "model": model,
                "variant": variant,
                "baseline": baseline,
                "kind": kind,
                "length": length,
                "panel": panel,
                **statistics,
            }
        )
    return Probes.build(compared)


def _each_question_once(evaluation: pl.DataFrame) -> pl.DataFrame:
    """Mean score of each question over its repetitions that have one; null if none has."""
    about = ("demonstration", "gating", "kind", "length")
    return evaluation.group_by("model", "question_id", maintain_order=True).agg(
        pl.col(about).first(), pl.col("pairwise_accuracy").mean()
    )


def _comparable(ours: pl.DataFrame, theirs: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The rows of both sides that are compared."""
    gatings = set(ours.get_column("gating")) | set(theirs.get_column("gating"))
    if len(gatings) > 1:
        return ours, theirs
    return ours, theirs.join(ours, on=["model", "question_id"], how="semi")


def _compare(
    ours: pl.DataFrame, theirs: pl.DataFrame, settings: StatisticsSettings
) -> dict[str, Any]:
    """All statistics of one stratum."""
    a, b = (rows.drop_nulls("pairwise_accuracy") for rows in (ours, theirs))
    x, y = (rows.get_column("pairwise_accuracy").to_numpy() for rows in (a, b))
    mean_a, mean_b = (float(values.mean()) if values.size else None for values in (x, y))
    error, p = welch(x, y)
    pairs = a.join(
        b.select("question_id", "gating", other="pairwise_accuracy"), on=["question_id", "gating"]
    ).sort("question_id")
    return {
        "n_variant": a.height,
        "n_baseline": b.height,
        "n_missing": ours.height + theirs.height - a.height - b.height,
        "mean_variant": mean_a,
        "mean_baseline": mean_b,
        "delta": None if mean_a is None or mean_b is None else mean_a - mean_b,
        "standard_error": error,
        "welch_p": p,
        "welch_reason": _welch_reason(min(x.size, y.size), p),
        **_unpaired(a, b, settings),
        "n_paired": pairs.height,
        "n_demonstrations": pairs.get_column("demonstration").n_unique(),
        **_paired(pairs, settings, no_pairs=NOT_PAIRED if min(x.size, y.size) else NO_SCORES),
    }


def _unpaired(a: pl.DataFrame, b: pl.DataFrame, settings: StatisticsSettings) -> dict[str, Any]:
    """Statistics of the difference between the means of two sides, whatever was asked."""
    both = pl.concat([side.select("pairwise_accuracy", "demonstration") for side in (a, b)])
    scores = both.get_column("pairwise_accuracy").to_numpy()
    clusters = both.get_column("demonstration").rank("dense").cast(pl.Int64).to_numpy()
    here, there = slice(a.height), slice(a.height, None)
    found = unpaired_difference(
        (scores[here], scores[there]), (clusters[here], clusters[there]), settings
    )
    return {
        "unpaired_standard_error": found.standard_error,
        "unpaired_p": found.p,
        "unpaired_low": found.low,
        "unpaired_high": found.high,
        "unpaired_reason": found.reason,
    }


def _paired(pairs: pl.DataFrame, settings: StatisticsSettings, no_pairs: str) -> dict[str, Any]:
    """Statistics of the differences between two scores of the same question; ``no_pairs`` is the
    reason where there are none.
    """
    differences = (pairs.get_column("pairwise_accuracy") - pairs.get_column("other")).to_numpy()
    demonstrations = pairs.get_column("demonstration").rank("dense").cast(pl.Int64).to_numpy()
    sums = ClusterSums.of(differences[:, None], demonstrations)
    low, high = mean_intervals(sums, settings, least=-1.0)
    n_questions = _known(scores_needed(sums, settings))
    n_demonstrations = _known(clusters_needed(sums, settings))
    return {
        "paired_delta": float(differences.mean()) if differences.size else None,
        "paired_standard_error": _known(sums.standard_errors()),
        "paired_p": _known(clustered_p(sums)),
        "paired_low": _known(low),
        "paired_high": _known(high),
        "sign_flip_p": _known(sign_flip_p(sums, settings)),
        "minimum_detectable_effect": _known(minimum_detectable_effect(sums, settings)),
        "n_questions_needed": None if n_questions is None else int(n_questions),
        "n_demonstrations_needed": None if n_demonstrations is None else int(n_demonstrations),
        "paired_reason": sums.reasons()[0] if pairs.height else no_pairs,
    }


def _known(of_one: Floats) -> float | None:
    """The one value of a column; None for nan."""
    return None if np.isnan(of_one[0]) else float(of_one[0])


def _welch_reason(n_fewest: int, p: float | None) -> str | None:
    if p is not None:
        return None
    return {0: NO_SCORES, 1: ONE_QUESTION}.get(n_fewest, NO_VARIATION)
