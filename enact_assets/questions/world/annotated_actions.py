"""Actions of films of people: the rows of a step file, which of them can be asked, and why not."""

from collections.abc import Mapping
from typing import NamedTuple

import polars as pl

from enact_assets.engine.plurals import counted
from enact_assets.engine.tables import Of
from enact_assets.questions.world.step_files import STEPS, StepFile
from enact_assets.questions.world.tables import AnnotatedActions
from enact_assets.settings.world import set_columns

NO_PICTURES = "no pictures"
"""Reason of an action whose recording has no film: only models that read text are asked."""
ERROR = "the person made an error in it"
SLACK_S = 0.1
"""So much later than its film a step may end: both are rounded."""


class Annotated(NamedTuple):
    """Rows of ``annotated_actions``, and what is wrong with some of them, in sentences."""

    rows: Of[AnnotatedActions]
    problems: tuple[str, ...]


def annotated_actions(file: StepFile, film_s: Mapping[str, float]) -> Annotated:
    """Every step that was carried out, in time, with the reason why it is not askable.

    ``film_s`` is the length in seconds of each recording's film, for those that have one. A step
    that begins before the previous one ends is askable; no plan goes across the two.
    """
    films = pl.DataFrame(
        {"recording": list(film_s), "film_s": list(film_s.values())},
        schema={"recording": pl.String, "film_s": pl.Float64},
    )
    shown = pl.min_horizontal("duration_s", "film_s")  # ignores nulls
    rows = file.steps.join(films, on="recording", how="left").sort(
        "recording", "start_s", "end_s", "line"
    )
    faults = {
        "the list of steps lacks it": ~pl.col("is_known"),
        "begins before its film": pl.col("start_s") < 0,
        "ends no later than it begins": pl.col("end_s") <= pl.col("start_s"),
        "ends after its film": pl.col("end_s") > shown + SLACK_S,
    }
    more = {ERROR: pl.col("has_error"), NO_PICTURES: pl.col("film_s").is_null()}
    reasons = [
        pl.when(fault.fill_null(value=False)).then(pl.lit(reason))
        for reason, fault in {**faults, **more}.items()
    ]
    rows = rows.with_columns(
        pl.coalesce(*(reason.otherwise(None) for reason in reasons)).alias("reason"),
        pl.int_range(1, pl.len() + 1).over("recording").alias("action"),
        *(pl.lit(name).alias(column) for column, name in set_columns(file.name).items()),
    ).with_columns(pl.col("reason").is_null().alias("is_askable"))
    problems = [
        f"{STEPS}: {counted(bad.height, 'step')} not asked about: {reason} ({_first(bad)})."
        for reason in faults
        if (bad := rows.filter(reason=reason)).height
    ]
    early = rows.filter(
        pl.col("start_s") < pl.col("end_s").shift(1).over("recording"),
        is_sound(),
    )
    if early.height:
        problems.append(
            f"{STEPS}: {counted(early.height, 'overlap')} of neighbouring steps "
            f"({_first(early)}). No plan goes across the two."
        )
    of_table = rows.select(list(AnnotatedActions.schema()))
    return Annotated(AnnotatedActions.arranged(of_table), (*file.problems, *problems))


def is_sound() -> pl.Expr:
    """Whether a row of ``annotated_actions`` can be part of a question, with pictures or without:
    its annotation is in order and the person made no error.
    """
    return pl.col("reason").is_null() | (pl.col("reason") == NO_PICTURES)


def flawless_recordings() -> pl.Expr:
    """Whether the person made no error in any step that was carried out in a row's recording."""
    return ~pl.col("has_error").any().over("recording")


def _first(rows: pl.DataFrame) -> str:
    row = rows.sort("line").row(0, named=True)
    film = "" if row["film_s"] is None else f", film of {row['film_s']:.1f} s"
    return (
        f"first: line {row['line']}, recording {row['recording']}, step {row['category']}, "
        f"{row['start_s']:.1f} to {row['end_s']:.1f} s{film}"
    )
