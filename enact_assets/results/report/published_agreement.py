"""Agreement with the published numbers: of models that the paper has, and the paper's findings."""

from collections.abc import Callable, Iterable
from typing import Any

import polars as pl

from enact_assets.results.report.parts import (
    BOTH_KINDS,
    NONE,
    Part,
    Section,
    Table,
    Text,
    at_length,
    count,
    percent,
    points,
    table,
    with_interval,
    words,
)
from enact_assets.results.report.rows import ReportRows

ROUNDING = 1e-12
"""Equal means differ by less."""
Findings = dict[str, bool]
"""Model -> whether it shows the finding; models without the necessary numbers are left out."""


def agreement(rows: ReportRows) -> Section:
    """Numbers of the paper's models, and the paper's findings, tested for all models."""
    parts: list[Part] = []
    same = rows["agreement"]
    if rows["comparable"].is_empty():
        text = f"Accuracies under {rows.variant} may not stand beside published ones."
        parts.append(Text(f"{text} {rows.not_comparable}", is_notice=True))
    whose = rows["comparable"].group_by("why_not", "caveat").agg("model").sort("why_not", "caveat")
    for why_not, caveat, models in whose.iter_rows():
        names = ", ".join(sorted(models))
        if why_not is not None:
            text = f"Accuracies under {rows.variant} may not stand beside published ones. {why_not}"
        elif caveat is not None:
            text = f"Accuracies under {rows.variant} compare with tables 9 and 10. {caveat}"
        else:
            continue
        parts.append(Text(f"{text} Models: {names}.", is_notice=why_not is not None))
    if same.height:
        parts.append(_same_models(rows, same))
    elif not rows.not_comparable:
        parts.append(
            Text(
                "No model here is one of the paper; `published_models` lists the names it has here."
            )
        )
    parts.append(_findings(rows))
    parts.append(
        Text(
            "Each cell counts the models that show the finding, of those with enough data. These "
            "are counts of signs, not tests: a random baseline shows each finding now and then."
        )
    )
    return Section("agreement", "Agreement with published numbers", tuple(parts))


def _same_models(rows: ReportRows, same: pl.DataFrame) -> Table:
    columns = (
        ("model", rows.marked, "model"),
        ("published as", str, "published_model"),
        ("kind", str, "kind"),
        ("metric", words, "metric"),
        ("length", at_length, "length"),
        ("here %", with_interval, "accuracy", "low", "high"),
        ("questions", count, "n_questions"),
        ("published %", percent, "published_accuracy"),
        ("its questions", count, "n_published"),
        ("difference", points, "difference"),
    )
    return table("Models that the paper also scored", same.to_dicts(), columns, n_words=5)


def _findings(rows: ReportRows) -> Table:
    references = rows["accuracies"].filter("is_reference")["model"].unique()
    ours = rows["accuracies"].filter(
        pl.col("length").is_not_null() & pl.col("accuracy").is_not_null(),
        ~pl.col("is_reference"),
        metric="pairwise_accuracy",
    )
    theirs = rows["published_accuracies"].filter(
        pl.col("published_model") != "Human", experiment="main", metric="pairwise_accuracy"
    )
    theirs = theirs.rename({"published_model": "model"})
    weights = rows["published_question_counts"].select("length", "n_questions")
    hands = rows["handedness"].filter(~pl.col("model").is_in(references.implode()))
    their_hands = rows["published_handedness"].rename({"published_model": "model"})
    lines: list[tuple[str, str, str]] = [
        (
            "Inverse questions are answered better than forward ones, over all steps",
            _count(_is_inverse_better(ours.rename({"n_scored": "n_questions"}))),
            _count(_is_inverse_better(theirs.join(weights, on="length"))),
        )
    ]
    lines += [
        (
            f"Accuracy on {kind} questions is lower at the longest length than at the shortest",
            _count(_does_decay(ours.filter(kind=kind))),
            _count(_does_decay(theirs.filter(kind=kind))),
        )
        for kind in BOTH_KINDS
    ]
    mixing = "Models take the left hand for the right one more often than the reverse"
    for name, about, more in (
        ("recall", "The right hand has the higher recall", "right"),
        ("mixing_rate", mixing, "left"),
    ):
        lines += [
            (
                f"{about}, {kind} questions",
                _count(_is_more(hands.filter(kind=kind), name, more)),
                _count(_is_more(their_hands.filter(kind=kind), name, more)),
            )
            for kind in BOTH_KINDS
        ]
    columns = ("what the paper found", "models here", "published models")
    return Table("Findings of the paper, checked for all models", columns, tuple(lines))


def _count(shown: Findings) -> str:
    return f"{sum(shown.values())} of {len(shown)}" if shown else f"{NONE} (no data)"


def _is_inverse_better(rows: pl.DataFrame) -> Findings:
    """By steps over steps, from ``n_questions`` of each length, of lengths that have both kinds.

    A kind that was scored at the short lengths only would be the better one for that alone.
    """
    has_both = pl.col("kind").n_unique().over("model", "length") == len(BOTH_KINDS)
    weight = pl.col("n_questions") * (pl.col("length") - 1)
    means = (
        rows.filter(has_both)
        .sort("length")
        .group_by("model", "kind")
        .agg((pl.col("accuracy") * weight).sum() / weight.sum())
    )
    of = {(m, k): a for m, k, a in means.iter_rows()}
    return _both(of, BOTH_KINDS, lambda forward, inverse: inverse > forward + ROUNDING)


def _does_decay(rows: pl.DataFrame) -> Findings:
    if rows.is_empty():
        return {}
    lengths: list[Any] = [rows["length"].min(), rows["length"].max()]
    if lengths[0] == lengths[1]:
        return {}
    of = {(m, n): a for m, n, a in rows.select("model", "length", "accuracy").iter_rows()}
    return _both(of, lengths, lambda shortest, longest: longest < shortest)


def _is_more(rows: pl.DataFrame, name: str, more: str) -> Findings:
    """Whether column ``name`` is higher for the hand ``more`` than for the other."""
    known = rows.drop_nulls(name).select("model", "hand", name)
    of = {(model, hand): rate for model, hand, rate in known.iter_rows()}
    hands = ("left", "right") if more == "right" else ("right", "left")
    return _both(of, hands, lambda other, one: one > other)


def _both(
    of: dict[tuple[str, Any], float],
    sides: Iterable[Any],
    is_shown: Callable[[float, float], bool],
) -> Findings:
    """Asked of the models that have a number on both sides."""
    first, second = sides
    models = sorted({model for model, _ in of})
    return {
        model: is_shown(of[model, first], of[model, second])
        for model in models
        if (model, first) in of and (model, second) in of
    }
