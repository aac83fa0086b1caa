"""Findings about hands, over pictures and their mirror images: ``mirrored_findings``.

What the left hand does in a picture, the right hand does in its mirror image. Over both, the two
hands have the same things to be recalled and the same chance to be mixed up, so that the difference
of their rates is a preference of the model and nothing else.
"""

from collections.abc import Collection
from typing import Any

import polars as pl

from enact_assets.answers.people.pooling import with_pooled_annotators
from enact_assets.results.findings.findings import KINDS, finding_called
from enact_assets.results.findings.of_models import tested, whole_orders, with_verdicts
from enact_assets.results.findings.tables import MirroredFindings
from enact_assets.results.statistics.constants import DEFAULT, StatisticsSettings

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
    for (variant, model), mine in pairs.partition_by("variant", "model", as_dict=True).items():
        is_reference = model in references or mine["is_pooled"].any()
        names = {"variant": variant, "model": model, "is_reference": is_reference}
        found = [
            _of_hands(mine.filter(kind=kind), finding, kind, settings)
            for finding in HANDS
            for kind in KINDS
        ]
        rows += [names | row for row in with_verdicts(found, settings)]
    return MirroredFindings.build(rows)


def _by_question(answers: pl.DataFrame) -> pl.DataFrame:
    """One row per model and question: means over its answers; ``n_both`` are true components of
    either hand.
    """
    pooled, names = with_pooled_annotators(answers)
    counted = pl.col("n_left_reference") + pl.col("n_right_reference")
    return (
        pooled.with_columns(n_both=counted)
        .group_by("variant", "model", "question_id", "demonstration", "kind")
        .agg(pl.col(*_COUNTED, "n_both").mean())
        .with_columns(is_pooled=pl.col("model").is_in(names))
        .sort("model", "question_id")
    )


def _of_hands(
    pairs: pl.DataFrame, finding: str, kind: str, settings: StatisticsSettings
) -> dict[str, Any]:
    """A row about one model: sum of the numerator over the components of one hand in both."""
    ratio = HANDS[finding], pl.col("n_both") / 2
    row = tested(pairs, [ratio], finding_called(finding), kind, settings)
    value = row["effect"]
    compared = {"value": value, "expected": 0.0, "difference": value}
    return row | compared | {"n_answers": 2 * pairs.height}
