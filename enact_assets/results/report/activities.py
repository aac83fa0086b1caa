"""Accuracy by household activity: figures and a table."""

from typing import Any

import polars as pl

from enact_assets.results.report.drawing import CHANCE, FAINT, canvas, drawable, finished, pt
from enact_assets.results.report.parts import (
    BOTH_KINDS,
    Figure,
    Part,
    Section,
    Table,
    Text,
    percent,
    words,
)
from enact_assets.results.report.rows import ReportRows, best_first

MOST_MODELS = 8
"""Most markers of one line: more could not be seen."""
ACTIVITIES_BELOW = 30
"""Most lines of one figure."""


def by_activity(rows: ReportRows) -> Section:
    """Pairwise accuracy of the best models on each activity, beside chance."""
    title = "Accuracy by activity"
    found = rows["activities"]
    scored = found.filter(pl.col("pairwise_accuracy").is_not_null())
    if scored.is_empty():
        text = "No answer was verified step by step, so no activity has a pairwise accuracy."
        return Section("by-activity", title, (Text(text),))
    ranked = best_first(scored, accuracy="pairwise_accuracy")
    models = sorted(ranked, key=lambda model: rows.looks[model].is_reference)
    shown = models[:MOST_MODELS]
    parts: list[Part] = []
    for kind in BOTH_KINDS:
        of_kind = scored.filter(pl.col("model").is_in(shown), kind=kind)
        activities = sorted(set(of_kind["activity"]))
        blocks = [
            activities[at : at + ACTIVITIES_BELOW]
            for at in range(0, len(activities), ACTIVITIES_BELOW)
        ]
        for n, block in enumerate(blocks):
            name = f"activities_{kind}" + (f"_{n + 1}" if n else "")
            parts.append(_figure(rows, name, kind, of_kind, block))
    about = (
        "Pairwise accuracy over all lengths. Intervals are clustered by demonstration, and most "
        "activities have one demonstration, so there are none here: a difference between two "
        "activities may be one between two demonstrations."
    )
    if len(models) > len(shown):
        about += f" Shown are the best {len(shown)} of {len(models)} models and references."
    about += " All numbers: relation accuracy_by_activity."
    columns = (
        *("activity", "model", "demonstrations"),
        *("forward %", "questions", "missing", "inverse %", "questions", "missing"),
    )
    of = {(r["activity"], r["model"], r["kind"]): r for r in found.iter_rows(named=True)}
    lines = []
    for activity in sorted(set(found["activity"])):
        for model in shown:
            both = [of.get((activity, model, kind)) for kind in BOTH_KINDS]
            n_demonstrations = max((r["n_demonstrations"] for r in both if r), default=0)
            if n_demonstrations:
                cells = [text for row in both for text in _cells(row)]
                lines.append((words(activity), model, str(n_demonstrations), *cells))
    caption = "Pairwise accuracy by activity, all lengths"
    table = Table(caption, columns, tuple(lines), n_words=2)
    return Section("by-activity", title, (*parts, Text(about), table))


def _cells(row: dict[str, Any] | None) -> tuple[str, str, str]:
    if row is None:
        return percent(None), "0", "0"
    return percent(row["pairwise_accuracy"]), f"{row['n_questions']:,}", f"{row['n_missing']:,}"


def _figure(
    rows: ReportRows, name: str, kind: str, of_kind: pl.DataFrame, activities: list[str]
) -> Figure:
    models = sorted(set(of_kind["model"]))
    chances = dict(
        rows["activity_chance"]
        .filter(kind=kind)
        .select("activity", "pairwise_accuracy")
        .iter_rows()
    )
    height = 1.25 + 0.26 * len(activities) + 0.17 * -(-(len(models) + 1) // 2)
    with canvas(height) as (drawn, (axes,)):
        label = "chance (random order)"
        for y, activity in enumerate(activities):
            if activity in chances:
                ends = [100 * chances[activity]] * 2, [y - 0.42, y + 0.42]
                axes.plot(*ends, **CHANCE, label=label, zorder=2)
                label = ""
        for n, model in enumerate(models):
            look = rows.looks[model]
            line = of_kind.filter(pl.col("activity").is_in(activities), model=model)
            # Shifted a little, so that equal values can be seen.
            lift = 0.5 * ((n + 0.5) / len(models) - 0.5)
            places = [activities.index(activity) + lift for activity in line["activity"]]
            axes.plot(
                *(100 * line["pairwise_accuracy"], places),
                **look.marked(),
                linestyle="",
                markersize=pt(4.5),
                label=rows.label(model, 24),
                zorder=3,
            )
        axes.set_yticks(range(len(activities)), [drawable(words(a), 34) for a in activities])
        axes.set_ylim(len(activities) - 0.5, -0.5)
        axes.set_xlim(-2, 102)
        axes.grid(axis="y", color=FAINT, linewidth=0.6)
        axes.set_axisbelow(True)
        axes.set_xlabel("pairwise accuracy, %")
        axes.set_title(kind)
        drawn.legend(loc="outside lower center", ncols=2)
        ranked = of_kind.filter(pl.col("activity").is_in(activities)).sort(
            "pairwise_accuracy", "model", "activity"
        )
        low = ranked.row(0, named=True)
        return finished(
            drawn,
            name,
            f"Pairwise accuracy by activity, {kind} questions of all lengths, and chance",
            f"Points of {len(models)} models on {len(activities)} activities. Lowest: "
            f"{low['model']} on {words(low['activity'])} with "
            f"{percent(low['pairwise_accuracy'])} %. The table below has the numbers.",
        )
