"""Findings that the paper states, as comparisons of ratios that a random order has, too.

A random order is right more often the shorter the question is, and in forward questions more often
than in inverse ones: a guesser seems to show that accuracy falls, and cannot seem to show that
inverse questions are easier. So each side is measured from what a random order scores on the same
questions, 0, to the right order, 1, and those are compared.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

import polars as pl

from enact_assets.engine.errors import entry_named

CONFIRMED, NO_MORE, CONTRADICTED, UNKNOWN = VERDICTS = (
    "confirmed",
    "not more than chance",
    "contradicted",
    "cannot be said",
)
FORWARD, INVERSE = KINDS = ("forward", "inverse")
EXPECTED = "expected_"
"""Prefix of columns about a random order of the question that was answered."""


class Scale(Enum):
    """How a ratio is measured beside that of a random order."""

    FROM_CHANCE_TO_RIGHT = "a random order is 0, the right one, with ratio 1, is 1"
    IN_CHANCE = "a random order is 1, the right one, with ratio 0, is 0"
    FROM_CHANCE = "the ratio minus that of a random order"


@dataclass(frozen=True)
class Ratio:
    """Sum of ``part`` over sum of ``whole``, columns of ``compared_answers``, where ``where``."""

    part: str
    whole: str
    where: pl.Expr | None = None
    less: str | None = None
    """A column to subtract from ``part``."""

    def sums(self, *, prefix: str = "") -> tuple[pl.Expr, pl.Expr]:
        """``part`` and ``whole`` of each answer, or, with ``prefix``, of a random order."""
        part = pl.col(prefix + self.part)
        if self.less is not None:
            part = part - pl.col(prefix + self.less)
        parts = part.cast(pl.Float64), pl.col(prefix + self.whole).cast(pl.Float64)
        if self.where is None:
            return parts
        return pl.when(self.where).then(parts[0]), pl.when(self.where).then(parts[1])


@dataclass(frozen=True)
class Finding:
    """``first`` is above ``second``, or above that of a random order where there is no second."""

    name: str
    claim: str
    """What the paper found, in words; ``{kind}`` is the kind of question."""
    section: str
    first: Ratio
    second: Ratio | None = None
    scale: Scale = Scale.FROM_CHANCE_TO_RIGHT
    kinds: tuple[str | None, ...] = KINDS
    sign: int = 1
    """-1: the claim is that it is below."""

    def claim_about(self, kind: str | None) -> str:
        """The claim about one kind."""
        return self.claim.format(kind=kind)

    @property
    def ratios(self) -> tuple[Ratio, ...]:
        """The ratio, or both."""
        return (self.first,) if self.second is None else (self.first, self.second)


STEPS = "n_steps_passed", "n_steps"
ERRORS = "n_errors"
SHORTEST = pl.col("length") == pl.col("length").min()
LONGEST = pl.col("length") == pl.col("length").max()

FINDINGS = (
    Finding(
        "better_than_chance",
        "Answers to {kind} questions are better than random orders",
        "3.1",
        Ratio(*STEPS),
    ),
    Finding(
        "inverse_above_forward",
        "Inverse questions are answered better than forward ones",
        "3.1",
        Ratio(*STEPS, where=pl.col("kind") == INVERSE),
        Ratio(*STEPS, where=pl.col("kind") == FORWARD),
        kinds=(None,),
    ),
    Finding(
        "falls_with_length",
        "Accuracy on {kind} questions is lower at the longest length than at the shortest",
        "3.1",
        Ratio(*STEPS, where=SHORTEST),
        Ratio(*STEPS, where=LONGEST),
    ),
    Finding(
        "right_hand_recalled_more",
        "The right hand has the higher recall in {kind} questions",
        "3.4",
        Ratio("n_right_matched", "n_right_reference"),
        Ratio("n_left_matched", "n_left_reference"),
    ),
    Finding(
        "left_taken_for_right",
        "The left hand is taken for the right one more often than the reverse in {kind} questions",
        "3.4",
        Ratio("n_left_mixed", "n_left_reference"),
        Ratio("n_right_mixed", "n_right_reference"),
        scale=Scale.IN_CHANCE,
    ),
    Finding(
        "omissions_and_hallucinations",
        "Most errors in {kind} questions are omissions and hallucinations",
        "3.5.2",
        Ratio("n_coverage_errors", ERRORS),
        scale=Scale.FROM_CHANCE,
    ),
    Finding(
        "hallucinations_above_omissions",
        "Hallucinations are more frequent than omissions in forward questions",
        "3.5.2",
        Ratio("n_hallucinations", ERRORS, less="n_omissions"),
        scale=Scale.FROM_CHANCE,
        kinds=(FORWARD,),
    ),
    Finding(
        "accepted_steps_are_complete",
        "Steps of {kind} questions that pass seldom omit changes",
        "B.2.5",
        Ratio("n_steps_strict_subset", "n_steps_passed"),
        scale=Scale.FROM_CHANCE,
        sign=-1,
    ),
)


def finding_called(name: str) -> Finding:
    """The finding called ``name``. Errors: :class:`UnknownNameError`."""
    return entry_named({finding.name: finding for finding in FINDINGS}, name, "finding")


def told(found: Iterable[Finding] = FINDINGS) -> list[tuple[Finding, str | None]]:
    """Each finding with each kind that it is about; None for both together."""
    return [(finding, kind) for finding in found for kind in finding.kinds]
