"""Accuracy by length, beside the published models and humans: figures and tables."""

from typing import Any

import polars as pl

from enact_assets.results.report.drawing import (
    CHANCE,
    FAINT,
    GREY,
    INK,
    INTERVAL,
    canvas,
    finished,
    pt,
)
from enact_assets.results.report.looks import Look
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
from enact_assets.results.report.rows import ReportRows

METRICS = ("pairwise_accuracy", "task_accuracy")
HUMAN = "Human"
PAPER = "models and people of the ENACT paper (tables 9 and 10)"
MOST_NAMED = 8
"""Most models that are drawn separately: lines of more could not be distinguished."""
SPREAD = 0.4
"""Width, in lengths, over which the models of one length are spread."""


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
            parts.append(_curves(rows, kind, metric, ours, theirs))
            tables.append(_length_table(rows, kind, metric, ours, theirs))
    about = Text(
        "Published numbers are the paper's main results, not results of this installation. "
        f"{_why(rows)} "
        "The tables show people and the best published model; leaderboard_with_published has all."
    )
    return Section("by-length", "Accuracy by length", (*parts, about, *tables))


def _why(rows: ReportRows) -> str:
    """Whether the published lines may be read beside ours, in full."""
    if not rows.not_comparable:
        said = "Ours may be compared with them: the prompts and the scoring are the paper's."
        others = rows["comparable"].filter(~pl.col("is_comparable"))["model"]
        but = f"Not comparable, see Agreement: {', '.join(others)}." if others.len() else ""
        return " ".join(text for text in (said, but, rows.comparable_caveat) if text)
    return f"Ours may not be compared with them. {rows.not_comparable}"


def draw_chance(axes: Any, chance: pl.DataFrame, metric: str) -> None:
    """The line of what a random order scores; ``chance`` are rows of one kind."""
    line = chance.filter(pl.col("length").is_not_null()).sort("length")
    if line.height:
        label = "chance (random order)"
        axes.plot(line["length"], 100 * line[metric], **CHANCE, zorder=2, label=label)


def draw_intervals(axes: Any, line: pl.DataFrame, look: Look, shift: float = 0.0) -> None:
    """A bar from ``low`` to ``high`` at each length that has an interval."""
    known = line.drop_nulls(("low", "high"))
    axes.vlines(
        *(known["length"] + shift, 100 * known["low"], 100 * known["high"]),
        color=look.colour,
        **INTERVAL,
    )


def _curves(
    rows: ReportRows, kind: str, metric: str, ours: pl.DataFrame, theirs: pl.DataFrame
) -> Figure:
    models = (
        ours.group_by("model")
        .agg(pl.col("accuracy").mean())
        .sort("accuracy", "model", descending=[True, False])["model"]
        .to_list()
    )
    with canvas(4.1 + 0.16 * -(-min(len(models), MOST_NAMED + 1) // 2)) as (drawn, (axes,)):
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
        named = models[:MOST_NAMED]
        for place, name in enumerate(models):
            line = ours.filter(model=name).sort("length")
            if name not in named:
                label = f"{len(models) - len(named)} more, see the table"
                axes.plot(
                    *(line["length"], 100 * line["accuracy"]),
                    color=GREY,
                    linewidth=0.8,
                    label=label if place == len(named) else None,
                )
                continue
            look = rows.looks[name]
            # Side by side, so that intervals do not cover each other.
            shift = SPREAD * ((place + 0.5) / len(named) - 0.5)
            draw_intervals(axes, line, look, shift)
            axes.plot(
                *(line["length"] + shift, 100 * line["accuracy"]),
                **look.line,
                markersize=pt(4.5),
                label=rows.label(name, 20),
                zorder=3,
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
        draw_chance(axes, rows["chance"].filter(kind=kind), metric)
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
            f"{words(metric).capitalize()} by length, {kind} questions, 95 % intervals, chance",
            f"Lines of {words(metric)} from length {first} to {last}, {kind} questions: {ends}. "
            "Bars are 95 % intervals, the dotted line is chance; published models in grey, "
            "published humans dashed. The table below has the numbers.",
            _about_published(rows) if theirs.height else "",
        )


def _about_published(rows: ReportRows) -> str:
    grey = f"Grey and dashed: {PAPER}, as published"
    if rows.not_comparable:
        return f"{grey}; ours may not be compared with them."
    return f"{grey}."


def _at(ours: pl.DataFrame, model: str, length: Any) -> float | None:
    found = ours.filter(model=model, length=length)["accuracy"]
    return None if found.is_empty() else float(found.item())


def _length_table(
    shown: ReportRows, kind: str, metric: str, ours: pl.DataFrame, theirs: pl.DataFrame
) -> Table:
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
    for whose, found, column in (
        ("here", ours, "model"),
        ("published", theirs, "published_model"),
    ):
        of = {(m, n): a for m, n, a in found.select(column, "length", "accuracy").iter_rows()}
        for model in sorted({model for model, _ in of}):
            numbers = (percent(of.get((model, length))) for length in lengths)
            name = shown.marked(model) if whose == "here" else model
            lines.append((name, whose, *numbers))
    columns = ("model", "whose", *(str(length) for length in lengths))
    caption = f"{words(metric).capitalize()} in % by length, {kind} questions"
    return Table(caption, columns, tuple(lines), n_words=2)
