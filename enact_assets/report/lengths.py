"""Accuracy by length, beside the published models and humans: figures and tables."""

from typing import Any

import polars as pl

from enact_assets.report.drawing import (
    COLOURS,
    FAINT,
    GREY,
    INK,
    MARKERS,
    canvas,
    drawable,
    finished,
)
from enact_assets.report.parts import (
    BOTH_KINDS,
    Figure,
    Part,
    Section,
    Table,
    Text,
    percent,
    words,
)
from enact_assets.report.report_rows import ReportRows

METRICS = ("pairwise_accuracy", "task_accuracy")
HUMAN = "Human"


def by_length(rows: ReportRows) -> Section:
    """Accuracy at each length, beside the published models and humans."""
    parts: list[Part] = []
    tables: list[Part] = []
    published = rows["published_accuracies"].filter(experiment="main")
    for metric in METRICS:
        for kind in BOTH_KINDS:
            ours = rows["accuracies"].filter(
                pl.col("length").is_not_null() & pl.col("accuracy").is_not_null(),
                kind=kind,
                metric=metric,
            )
            if ours.is_empty():
                tables.append(
                    Text(
                        f"No {kind} question was scored, so there is no figure of {words(metric)}."
                    )
                )
                continue
            theirs = published.filter(kind=kind, metric=metric)
            chance = rows["chance"].filter(kind=kind) if metric == METRICS[0] else None
            parts.append(_curves(kind, metric, ours, theirs, chance))
            tables.append(_length_table(kind, metric, ours, theirs))
    about = Text(
        "Published numbers are the paper's main results on its own questions, shown for "
        "orientation. They are not results of this installation. The tables show people and the "
        "best published model; leaderboard_with_published has all."
    )
    return Section("by-length", "Accuracy by length", (*parts, about, *tables))


def _curves(
    kind: str, metric: str, ours: pl.DataFrame, theirs: pl.DataFrame, chance: pl.DataFrame | None
) -> Figure:
    models = (
        ours.group_by("model")
        .agg(pl.col("accuracy").mean())
        .sort("accuracy", "model", descending=[True, False])["model"]
    )
    with canvas(3.9 + 0.16 * -(-min(len(models), 9) // 2)) as (drawn, (axes,)):
        others = sorted(set(theirs["published_model"]) - {HUMAN})
        for place, name in enumerate(others):
            line = theirs.filter(published_model=name).sort("length")
            axes.plot(
                line["length"],
                100 * line["accuracy"],
                color=FAINT,
                linewidth=0.9,
                label=f"published models ({len(others)})" if not place else None,
                zorder=1,
            )
        for place, name in enumerate(models):
            line = ours.filter(model=name).sort("length")
            is_named = place < len(COLOURS)
            label = drawable(name, 20) if is_named else None
            if place == len(COLOURS):
                label = f"{len(models) - len(COLOURS)} more, see the table"
            axes.plot(
                line["length"],
                100 * line["accuracy"],
                color=COLOURS[place] if is_named else GREY,
                marker=MARKERS[place] if is_named else None,
                markersize=4.5,
                linewidth=1.4 if is_named else 0.8,
                label=label,
                zorder=3 if is_named else 2,
            )
        human = theirs.filter(published_model=HUMAN).sort("length")
        if human.height:
            axes.plot(
                human["length"],
                100 * human["accuracy"],
                color=INK,
                linestyle="--",
                label="human (published)",
                zorder=2,
            )
        if chance is not None and chance.height:
            by_chance = chance.sort("length")
            axes.plot(
                by_chance["length"],
                100 * by_chance["accuracy"],
                color=INK,
                linestyle=":",
                label="random order, exact",
                zorder=2,
            )
        axes.set_ylim(-2, 102)
        lengths = sorted({*ours["length"], *theirs["length"]})
        axes.set_xticks(lengths)
        axes.grid(axis="y", color=FAINT, linewidth=0.6)
        axes.set_xlabel("length (key frames)")
        axes.set_ylabel("%")
        axes.set_title(f"{kind}, {words(metric)}")
        drawn.legend(loc="outside lower center", ncols=2)
        of_ours = sorted(set(ours["length"]))
        first, last = of_ours[0], of_ours[-1]
        ends = ", ".join(
            f"{name} {percent(_at(ours, name, first))} to {percent(_at(ours, name, last))} %"
            for name in models[:4]
        )
        return finished(
            drawn,
            f"length_{metric}_{kind}",
            f"{words(metric).capitalize()} by length, {kind} questions",
            f"Lines of {words(metric)} from length {first} to {last}, {kind} questions: {ends}. "
            "Published models in grey, published humans dashed. The table below has the numbers.",
        )


def _at(ours: pl.DataFrame, model: str, length: Any) -> float | None:
    found = ours.filter(model=model, length=length)["accuracy"]
    return None if found.is_empty() else float(found.item())


def _length_table(kind: str, metric: str, ours: pl.DataFrame, theirs: pl.DataFrame) -> Table:
    lengths = sorted({*ours["length"], *theirs["length"]})
    best = (
        theirs.filter(pl.col("published_model") != HUMAN)
        .group_by("published_model")
        .agg(pl.col("accuracy").mean())
        .sort("accuracy", "published_model", descending=[True, False])["published_model"]
        .head(1)
    )
    theirs = theirs.filter(pl.col("published_model").is_in([HUMAN, *best]))
    lines = []
    for whose, rows, name in (("here", ours, "model"), ("published", theirs, "published_model")):
        of = {(m, n): a for m, n, a in rows.select(name, "length", "accuracy").iter_rows()}
        for model in sorted({model for model, _ in of}):
            numbers = (percent(of.get((model, length))) for length in lengths)
            lines.append((model, whose, *numbers))
    columns = ("model", "whose", *(str(length) for length in lengths))
    caption = f"{words(metric).capitalize()} in % by length, {kind} questions"
    return Table(caption, columns, tuple(lines), n_words=2)
