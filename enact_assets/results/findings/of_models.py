"""Findings of the paper, tested for every model against random orders: ``model_findings``."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from enact_assets.answers.people.pooling import with_pooled_annotators
from enact_assets.results.errors.answer_comparison import COUNTS
from enact_assets.results.findings.findings import (
    CONFIRMED,
    CONTRADICTED,
    EXPECTED,
    KINDS,
    NO_MORE,
    UNKNOWN,
    Finding,
    Scale,
    finding_called,
    told,
)
from enact_assets.results.findings.tables import ModelFindings
from enact_assets.results.statistics.clusters import ClusterSums, clustered_p, t_margin
from enact_assets.results.statistics.constants import DEFAULT, StatisticsSettings
from enact_assets.results.statistics.multiplicity import holm
from enact_assets.results.statistics.unpaired import UnpairedDifference, difference_of_means

_COUNTED = (
    *("n_steps", "n_steps_passed", "n_steps_strict_subset"),
    *("n_left_reference", "n_left_matched", "n_left_mixed"),
    *("n_right_reference", "n_right_matched", "n_right_mixed"),
    *("n_errors", "n_coverage_errors", "n_omissions", "n_hallucinations"),
)
_ERRORS = [name for name in COUNTS if name.endswith(("inversions", "substitutions", "omissions"))]
_WITH_ERRORS = (
    pl.sum_horizontal(*_ERRORS, "n_hallucinations").alias("n_errors"),
    pl.sum_horizontal("n_omissions", "n_hallucinations").alias("n_coverage_errors"),
)


def findings_of_models(
    compared_steps: pl.DataFrame,
    evaluation: pl.DataFrame,
    random_orders: pl.DataFrame,
    references: Collection[str] = (),
    settings: StatisticsSettings = DEFAULT,
) -> pl.DataFrame:
    """The table ``model_findings`` of one variant, of all its models.

    ``compared_steps`` and ``evaluation`` are those of its models, ``random_orders`` of the
    demonstrations that they answered about. Only answers that are whole orders count, as only these
    can be compared with random orders. Effects and p-values are those of ratios clustered by
    demonstration (CR2), p-values of one model are corrected by Holm for all its findings.
    """
    answers = whole_orders(compared_steps, evaluation).join(
        random_orders.with_columns(_WITH_ERRORS).select(
            "question_id", pl.col(_COUNTED).name.prefix(EXPECTED)
        ),
        on="question_id",
    )
    answers, pooled = with_pooled_annotators(answers)
    is_reference = {*references, *pooled}
    rows: list[dict[str, Any]] = []
    for (variant, model), mine in answers.partition_by("variant", "model", as_dict=True).items():
        names = {"variant": variant, "model": model, "is_reference": model in is_reference}
        rows += [names | row for row in with_verdicts(list(_of_model(mine, settings)), settings)]
    return ModelFindings.build(rows)


def whole_orders(compared_steps: pl.DataFrame, evaluation: pl.DataFrame) -> pl.DataFrame:
    """One row per answer that is a whole order: what was counted of it, its kind and length."""
    key = ["model", "variant", "question_id", "repetition"]
    is_order = pl.col("answer").list.n_unique() == pl.col("n_steps")
    orders = evaluation.filter(is_order).select(*key, "demonstration", "kind", "length")
    is_subset = (pl.col("n_missing") > 0) & (pl.col("n_hallucinated") == 0)
    summed = compared_steps.group_by(key).agg(
        pl.len().cast(pl.Int64).alias("n_steps"),
        pl.col("is_passed").sum().cast(pl.Int64).alias("n_steps_passed"),
        (pl.col("is_passed") & is_subset).sum().cast(pl.Int64).alias("n_steps_strict_subset"),
        pl.col(list(COUNTS)).sum(),
    )
    return summed.with_columns(_WITH_ERRORS).join(orders, on=key).sort(key)


def with_verdicts(
    rows: Sequence[Mapping[str, Any]], settings: StatisticsSettings = DEFAULT
) -> list[dict[str, Any]]:
    """All rows of one model, with ``holm_p`` and ``verdict`` from their ``effect`` and ``p``; what
    was not tested has no ``p``.
    """
    corrected = holm(np.array([row["p"] for row in rows], np.float64)).tolist()
    return [
        dict(row) | _judged(row["finding"], row["effect"], holm_p, settings)
        for row, holm_p in zip(rows, corrected, strict=True)
    ]


def _judged(
    finding: str, effect: float, holm_p: float, settings: StatisticsSettings
) -> dict[str, Any]:
    if np.isnan(holm_p):
        return {"holm_p": None, "verdict": UNKNOWN}
    if holm_p >= settings.alpha:
        return {"holm_p": holm_p, "verdict": NO_MORE}
    is_shown = finding_called(finding).sign * effect > 0
    return {"holm_p": holm_p, "verdict": CONFIRMED if is_shown else CONTRADICTED}


def _of_model(answers: pl.DataFrame, settings: StatisticsSettings) -> Iterator[dict[str, Any]]:
    """Rows of one model, without what depends on all of them."""
    for finding, kind in told():
        mine = _of_both_kinds(answers) if kind is None else answers.filter(kind=kind)
        value, expected = (_value(mine, finding, prefix) for prefix in ("", EXPECTED))
        difference = None if value is None or expected is None else value - expected
        compared = {"value": value, "expected": expected, "difference": difference}
        yield compared | tested(mine, _ratios(finding), finding, kind, settings)


def _of_both_kinds(answers: pl.DataFrame) -> pl.DataFrame:
    """Those of lengths that have both kinds: one that was asked at the short lengths only would
    seem the better one.
    """
    return answers.filter(pl.col("kind").n_unique().over("length") == len(KINDS))


def _value(answers: pl.DataFrame, finding: Finding, prefix: str) -> float | None:
    """The first ratio, minus the second if there is one; None where one has no whole."""
    found = []
    for ratio in finding.ratios:
        part, whole = answers.select(
            *(each.sum().alias(str(k)) for k, each in enumerate(ratio.sums(prefix=prefix)))
        ).row(0)
        if not whole:
            return None
        found.append(float(part / whole))
    return found[0] - sum(found[1:])


def _ratios(finding: Finding) -> list[tuple[pl.Expr, pl.Expr]]:
    """Part and whole of the ratio whose mean is the effect, or of the two whose difference is."""
    found: list[tuple[pl.Expr, pl.Expr]] = []
    for ratio in finding.ratios:
        (got, whole), (chance, of_chance) = ratio.sums(), ratio.sums(prefix=EXPECTED)
        if finding.scale is Scale.FROM_CHANCE_TO_RIGHT:
            found.append((got - chance, whole - chance))
        elif finding.scale is Scale.IN_CHANCE:
            found.append((got, chance))
        else:
            found += [(got, whole), (chance, of_chance)]
    return found


def tested(
    answers: pl.DataFrame,
    ratios: Sequence[tuple[pl.Expr, pl.Expr]],
    finding: Finding,
    kind: str | None,
    settings: StatisticsSettings,
) -> dict[str, Any]:
    """The row of ``finding``: the effect, which is the only one of ``ratios`` of sums over
    ``answers`` or the difference of two, and its test; without value and expected value.
    """
    columns: dict[str, pl.Expr] = {}
    for number, (part, whole) in enumerate(ratios):
        columns |= {f"part {number}": part, f"whole {number}": whole, f"n {number}": whole > 0}
    summed = (
        answers.select("demonstration", **columns)
        .group_by("demonstration", maintain_order=True)
        .agg(pl.all().sum().cast(pl.Float64))
    )
    total, n, numbers = (
        summed.select(f"{name} {number}" for number in range(len(ratios))).to_numpy()
        for name in ("part", "whole", "n")
    )
    sums = ClusterSums(n, total, np.zeros_like(n), numbers)
    found = _test(sums, settings)
    means = sums.means()
    effect = float(means[0] - means[1:].sum())
    return {
        "finding": finding.name,
        "kind": kind,
        "claim": finding.claim_about(kind),
        "effect": None if np.isnan(effect) else effect,
        "low": found.low,
        "high": found.high,
        "p": found.p,
        "reason": found.reason,
        "n_answers": answers.height,
        "n_demonstrations": answers["demonstration"].n_unique(),
    }


def _test(sums: ClusterSums, settings: StatisticsSettings) -> UnpairedDifference:
    """Test of the mean of the only column against 0, or of the difference of two."""
    if sums.n.shape[1] == 2:
        return difference_of_means(sums, settings)
    [mean], [margin], [p], [reason] = (
        *(sums.means(), t_margin(sums, settings), clustered_p(sums)),
        sums.reasons(),
    )
    if reason is not None:
        return UnpairedDifference(reason=reason)
    return UnpairedDifference(p=float(p), low=float(mean - margin), high=float(mean + margin))
