"""Findings about hands, over pictures and their mirror images: ``mirrored_findings``.

What the left hand does in a picture, the right hand does in its mirror image. Over both, the two
hands have the same things to be recalled and the same chance to be mixed up, so that the difference
of their rates is a preference of the model and nothing else.
"""

from collections.abc import Collection
from typing import Any

import numpy as np
import polars as pl

from enact_assets.answers.people.pooling import with_pooled_annotators
from enact_assets.results.findings.findings import KINDS, finding_called
from enact_assets.results.findings.of_models import judged, tested, whole_orders
from enact_assets.results.findings.tables import MirroredFindings
from enact_assets.results.statistics.clusters import ClusterSums
from enact_assets.results.statistics.constants import DEFAULT, StatisticsSettings
from enact_assets.results.statistics.multiplicity import holm

Answers = tuple[pl.DataFrame, pl.DataFrame]
"""Rows of ``compared_steps`` and ``evaluation`` of one variant."""
_COUNTED = [f"n_{hand}_{what}" for hand in ("left", "right") for what in ("matched", "mixed")]
HANDS = {
    "right_hand_recalled_more": pl.col("n_right_matched") - pl.col("n_left_matched"),
    "left_taken_for_right": pl.col("n_left_mixed") - pl.col("n_right_mixed"),
}
"""Finding -> the numerator of its difference of rates, whose denominators are equal."""


def findings_of_mirrored_pairs(
    mirrored: Answers,
    unmirrored: Answers,
    references: Collection[str] = (),
    settings: StatisticsSettings = DEFAULT,
) -> pl.DataFrame:
    """The table ``mirrored_findings`` of one mirrored variant, whose hands are those of the image.

    A question counts where both were answered by a whole order, each with the mean over its
    repetitions. Source: paper 3.4, with base rates made equal.
    """
    sides = [_by_question(whole_orders(*side)) for side in (mirrored, unmirrored)]
    key = ["model", "question_id"]
    pairs = sides[0].join(sides[1], on=key, suffix="_unmirrored")
    pairs = pairs.with_columns(
        *(pl.col(name) + pl.col(f"{name}_unmirrored") for name in (*_COUNTED, "n_both"))
    )
    rows: list[dict[str, Any]] = []
    for (model,), mine in pairs.partition_by("model", as_dict=True).items():
        names = {"model": model, "is_reference": model in references or mine["is_pooled"].any()}
        found = [
            names | _tested(mine.filter(kind=kind), finding, kind, settings)
            for finding in HANDS
            for kind in KINDS
        ]
        corrected = holm(np.array([np.nan if r["p"] is None else r["p"] for r in found]))
        rows += [
            row | judged(finding_called(row["finding"]), row["effect"], p, settings)
            for row, p in zip(found, corrected.tolist(), strict=True)
        ]
    variants = mirrored[1]["variant"].unique().to_list()
    return MirroredFindings.build([row | {"variant": variants[0]} for row in rows])


def _by_question(answers: pl.DataFrame) -> pl.DataFrame:
    """One row per model and question: means over its answers; ``n_both`` are true components of
    either hand.
    """
    pooled, names = with_pooled_annotators(answers)
    counted = pl.col("n_left_reference") + pl.col("n_right_reference")
    return (
        pooled.with_columns(n_both=counted)
        .group_by("model", "question_id", "demonstration", "kind")
        .agg(pl.col(*_COUNTED, "n_both").mean())
        .with_columns(is_pooled=pl.col("model").is_in(names))
        .sort("model", "question_id")
    )


def _tested(
    pairs: pl.DataFrame, finding: str, kind: str, settings: StatisticsSettings
) -> dict[str, Any]:
    """A row about one model: sum of the numerator over the components of one hand in both."""
    summed = (
        pairs.select("demonstration", part=HANDS[finding], whole=pl.col("n_both") / 2)
        .group_by("demonstration", maintain_order=True)
        .agg(pl.col("part", "whole").sum(), number=(pl.col("whole") > 0).sum().cast(pl.Float64))
    )
    total, n, numbers = (
        summed.select(name).to_numpy().astype(np.float64) for name in ("part", "whole", "number")
    )
    sums = ClusterSums(n, total, np.zeros_like(n), numbers)
    found = tested(sums, settings)
    mean = float(sums.means()[0])
    value = None if np.isnan(mean) else mean
    return {
        "finding": finding,
        "kind": kind,
        "claim": finding_called(finding).claim_about(kind),
        "value": value,
        "expected": 0.0,
        "difference": value,
        "effect": value,
        "low": found.low,
        "high": found.high,
        "p": found.p,
        "reason": found.reason,
        "n_answers": 2 * pairs.height,
        "n_demonstrations": pairs["demonstration"].n_unique(),
    }
