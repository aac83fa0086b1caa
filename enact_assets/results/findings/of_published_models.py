"""Findings of the paper in its own numbers: ``paper_findings``.

The scene graphs of the paper's questions are not here, so it is not known how many of their orders
are right. One is, the reference: with no other, a random order has the smallest accuracy that it
can have, which is known. Errors, hands and mismatch of a random order have no such bound.
"""

import math
from typing import Any, NamedTuple

import polars as pl

from enact_assets.results.findings.findings import (
    CONFIRMED,
    FORWARD,
    INVERSE,
    UNKNOWN,
    Finding,
    finding_called,
    told,
)
from enact_assets.results.findings.of_models import with_verdicts
from enact_assets.results.findings.tables import PaperFindings
from enact_assets.results.paper.results import published_table
from enact_assets.results.paper.tables import (
    PublishedAccuracies,
    PublishedErrorShares,
    PublishedHandedness,
    PublishedQuestionCounts,
)
from enact_assets.results.statistics.clusters import NO_SCORES
from enact_assets.results.statistics.constants import DEFAULT, StatisticsSettings

CHANCE_UNKNOWN = "chance_unknown"
"""Why a finding cannot be said: what a random order shows on these questions is not known."""

_UNTESTED = {"effect": None, "p": None}


def smallest_chance(kind: str, length: int) -> float:
    """Pairwise accuracy of a uniformly random order if the reference is the only right order and no
    step passes that is not of it.

    Of the n = ``length`` - 1 steps an action is at its place with chance 1 / n, and the two images
    of a step follow each other in their order with chance 1 / n at the first step, where one of
    them is the current state, and 1 / (n (n - 1)) at each other.
    """
    n = length - 1
    return 1 / n if kind == INVERSE or n == 1 else 2 / n**2


class _Side(NamedTuple):
    """An accuracy over lengths, in numbers of steps."""

    passed: float
    expected: float
    n_steps: float
    variance: float
    """Of ``passed``: the largest that shares of steps with these means can have."""

    @property
    def corrected(self) -> float:
        return (self.passed - self.expected) / (self.n_steps - self.expected)

    @property
    def error(self) -> float:
        return math.sqrt(self.variance) / (self.n_steps - self.expected)


def findings_of_published_models(settings: StatisticsSettings = DEFAULT) -> pl.DataFrame:
    """The table ``paper_findings``, from the shipped tables of the paper."""
    accuracies = (
        published_table(PublishedAccuracies)
        .filter(experiment="main", metric="pairwise_accuracy")
        .join(published_table(PublishedQuestionCounts), on="length")
        .sort("published_model", "kind", "length")
    )
    values = _values_without_chance()
    rows: list[dict[str, Any]] = []
    for (model,), mine in accuracies.partition_by(
        "published_model", as_dict=True, maintain_order=True
    ).items():
        found = [
            {"finding": finding.name, "kind": kind, "claim": finding.claim_about(kind)}
            | (
                _tested(mine, finding, kind, settings)
                if finding.first.whole == "n_steps"
                else {"value": values.get((str(model), finding.name, kind))} | _UNTESTED
            )
            for finding, kind in told()
        ]
        for row in with_verdicts(found, settings):
            if row["verdict"] == CONFIRMED and finding_called(row["finding"]).second is None:
                # Chance may be higher than its smallest value, and the accuracy no better.
                row["verdict"] = UNKNOWN
            if row["verdict"] == UNKNOWN:
                row["reason"] = NO_SCORES if row["value"] is None else CHANCE_UNKNOWN
            rows.append({"published_model": model} | row)
    return PaperFindings.build(rows)


def _tested(
    accuracies: pl.DataFrame, finding: Finding, kind: str | None, settings: StatisticsSettings
) -> dict[str, Any]:
    from scipy.special import ndtr, ndtri

    mine = accuracies if kind is None else accuracies.filter(kind=kind)
    sides = [
        _side(mine if ratio.where is None else mine.filter(ratio.where)) for ratio in finding.ratios
    ]
    value, expected, effect = (
        numbers[0] - sum(numbers[1:])
        for numbers in (
            [side.passed / side.n_steps for side in sides],
            [side.expected / side.n_steps for side in sides],
            [side.corrected for side in sides],
        )
    )
    error = math.hypot(*(side.error for side in sides))
    margin = float(ndtri(1 - settings.alpha / 2)) * error
    return {
        "value": value,
        "expected": expected,
        "difference": value - expected,
        "effect": effect,
        "low": effect - margin,
        "high": effect + margin,
        "p": float(2 * ndtr(-abs(effect) / error)),
    }


def _side(accuracies: pl.DataFrame) -> _Side:
    passed = expected = n_steps = variance = 0.0
    for kind, length, accuracy, n in accuracies.select(
        "kind", "length", "accuracy", "n_questions"
    ).iter_rows():
        of_stratum = n * (length - 1)
        passed += accuracy * of_stratum
        expected += smallest_chance(kind, length) * of_stratum
        n_steps += of_stratum
        # Shares between 0 and 1 vary most if each is 0 or 1.
        variance += accuracy * (1 - accuracy) * n * (length - 1) ** 2
    return _Side(passed, expected, n_steps, variance)


def _values_without_chance() -> dict[tuple[str, str, str | None], float]:
    """Values of hands, errors and mismatch: (published model, finding, kind) -> value."""
    found: dict[tuple[str, str, str | None], float] = {}
    hands = published_table(PublishedHandedness)
    for finding, column, sign in (
        ("right_hand_recalled_more", "recall", 1),
        ("left_taken_for_right", "mixing_rate", -1),
    ):
        wide = hands.pivot("hand", index=["published_model", "kind"], values=column)
        for model, kind, left, right in wide.select(
            "published_model", "kind", "left", "right"
        ).iter_rows():
            if left is not None and right is not None:
                found[model, finding, kind] = sign * (right - left)
    shares = published_table(PublishedErrorShares).pivot(
        "category", index=["published_model", "kind"], values="share"
    )
    for model, kind, omission, hallucination in shares.select(
        "published_model", "kind", "omission", "hallucination"
    ).iter_rows():
        found[model, "omissions_and_hallucinations", kind] = omission + hallucination
        if kind == FORWARD:
            found[model, "hallucinations_above_omissions", kind] = hallucination - omission
    return found
