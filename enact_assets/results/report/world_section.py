"""WorldPrediction in the report: which action, which plan, by where the clips come from."""

from collections.abc import Iterator, Mapping
from typing import Any

import polars as pl

from enact_assets.results.report.drawing import (
    CHANCE,
    FAINT,
    GREY,
    INK,
    canvas,
    drawable,
    finished,
    pt,
)
from enact_assets.results.report.parts import NONE, Figure, Part, Section, Table, Text, percent
from enact_assets.results.report.rows import ReportRows
from enact_assets.settings.registry import BASELINE
from enact_assets.settings.world import EMBEDDED_WORLD, EQUIVALENT, SAME, VIEW, kind_of

TASKS: Mapping[str, str] = {"wm": "which action (WM)", "pp": "which plan (PP)"}
MARKS: Mapping[str, dict[str, Any]] = {
    SAME: {"marker": "o", "color": GREY, "markerfacecolor": "white"},
    VIEW: {"marker": "s", "color": GREY, "markerfacecolor": "white"},
    EQUIVALENT: {"marker": "o", "color": INK},
}
NAMES = {SAME: "same recording", VIEW: "another camera", EQUIVALENT: "another room"}


def world_prediction(rows: ReportRows) -> Section | None:
    """Accuracies of each model by task and condition; None without any, and in reports on a
    variant other than the baseline: these questions belong to no variant.
    """
    scored = rows["world"].filter(pl.col("n_scored") > 0)
    if scored.is_empty() or rows.variant != BASELINE:
        return None
    parts: list[Part] = [
        Text(
            "WorldPrediction asks which of four clips shows the action that leads from one picture "
            "to another, and which order of a pool of clips does. Chance is 25 %. Questions were "
            "made here, and all count, also those that people got wrong: these are not "
            "WorldPrediction results. "
            "The same questions are asked with clips of the recording itself, of another camera "
            "and of another room; what is lost between them came from the background."
        )
    ]
    statistics, activities = rows["world_statistics"], rows["world_activities"]
    for (source,), of_source in scored.group_by("world_source", maintain_order=True):
        parts += _coverage(str(source), statistics.filter(world_source=source))
        for task in TASKS:
            of_task = of_source.filter(task=task)
            if of_task.height:
                parts.append(_figure(str(source), task, of_task.filter(pl.col("length").is_null())))
        parts.append(_by_condition(str(source), of_source, activities.filter(world_source=source)))
        parts.append(_by_length(str(source), of_source))
    if not statistics.is_empty():
        parts.append(_statistics(statistics.filter(pl.col("activity").is_null())))
        parts.append(_frequent_actions(rows["world_frequent_actions"]))
    return Section("world", "Which action, which plan", tuple(parts))


def _of_source(source: str) -> str:
    return "embedded demonstrations" if source == EMBEDDED_WORLD else source


def _conditions(of: pl.DataFrame) -> list[str]:
    return [c for c in MARKS if c in set(of["condition"])]


def _models(of_task: pl.DataFrame) -> list[str]:
    """Highest under the last condition first."""
    whole = of_task.filter(pl.col("length").is_null())
    last = whole.filter(condition=_conditions(whole)[-1])
    return last.sort("accuracy", "world_model", descending=[True, False])["world_model"].to_list()


def _figure(source: str, task: str, whole: pl.DataFrame) -> Figure:
    models = _models(whole)
    with canvas(1.3 + 0.2 * len(models)) as (drawn, (axes,)):
        for condition in _conditions(whole):
            found = whole.filter(condition=condition)
            of = {name: values for name, *values in found.select(_DRAWN).iter_rows()}
            known = [(k, *of[name]) for k, name in enumerate(models) if name in of]
            places, shares, lows, highs = zip(*known, strict=True)
            axes.plot(
                *([100 * share for share in shares], places),
                **MARKS[condition],
                linestyle="",
                markersize=pt(4.5),
                label=NAMES[condition],
                zorder=3,
            )
            if condition == EQUIVALENT:
                ends = [100 * low for low in lows], [100 * high for high in highs]
                axes.hlines(places, *ends, color=INK, linewidth=0.9)
        axes.axvline(25, **CHANCE, label="chance", zorder=1)
        axes.set_yticks(range(len(models)), [drawable(name) for name in models])
        axes.invert_yaxis()
        axes.set_xlim(-2, 102)
        axes.grid(axis="x", color=FAINT, linewidth=0.6)
        axes.set_xlabel("accuracy, %")
        axes.set_title(TASKS[task])
        drawn.legend(loc="outside lower center", ncols=2)
        best = whole.filter(condition=_conditions(whole)[-1], world_model=models[0])
        return finished(
            drawn,
            f"world_{task}_{source}",
            f"Accuracy on {TASKS[task]}, {_of_source(source)}, by where the clips come from; "
            "exact 95 % intervals where they come from another room",
            f"Dots of {len(models)} models. Highest is {models[0]} with "
            f"{percent(best.item(0, 'accuracy'))} %. The table below has the numbers.",
            is_of_enact=False,
        )


_DRAWN = ("world_model", "accuracy", "exact_low", "exact_high")


def _coverage(source: str, statistics: pl.DataFrame) -> Iterator[Text]:
    """How unequally the activities are asked about; nothing where recordings have no activity."""
    said = []
    for task, words in TASKS.items():
        of_task = statistics.filter(pl.col("activity").is_not_null(), task=task)
        if of_task.is_empty():
            continue
        last = of_task.filter(condition=_conditions(of_task)[-1]).sort("n_questions", "activity")
        least, most = last.row(0, named=True), last.row(-1, named=True)
        said.append(
            f"{words}: from {least['n_questions']} ({least['activity']}) to "
            f"{most['n_questions']} ({most['activity']})"
        )
    if said:
        yield Text(
            f"Questions about one activity, {_of_source(source)}, {'; '.join(said)}. An accuracy "
            "counts each question alike, so activities with many questions decide it. The column "
            "'mean of activities' counts each activity alike, under the condition of the column "
            "before it."
        )


def _statistics(whole: pl.DataFrame) -> Table:
    """Our questions under their last condition beside those of the paper."""
    lines = []
    for (source, task), found in whole.group_by("world_source", "task", maintain_order=True):
        row = found.filter(condition=_conditions(found)[-1]).row(0, named=True)
        length, without = row["mean_length"] if task == "pp" else None, row["without_goal"]
        lines.append(
            (
                "WorldPrediction, table 3" if source is None else _of_source(str(source)),
                str(task),
                f"{row['n_questions']:,}",
                f"{row['n_unique_actions']:,}",
                *(NONE if n is None else f"{n:.1f}" for n in (row["mean_duration_s"], length)),
                percent(without),
            )
        )
    columns = (
        *("questions of", "task", "questions", "unique actions", "mean clip, s"),
        *("mean actions of a plan", "without the last state, %"),
    )
    caption = (
        "Questions asked here and those of the paper, which are about other recordings; the last "
        "column is the expected accuracy of who knows all labels and the first state, but not the "
        "last one"
    )
    return Table(caption, columns, tuple(lines), n_words=2)


def _frequent_actions(found: pl.DataFrame) -> Table:
    """The most frequent actions of the clips, under the last condition."""
    lines = []
    for (source, task), of in found.group_by("world_source", "task", maintain_order=True):
        last = of.filter(condition=_conditions(of)[-1]).sort("place")
        named = (f"{value} ({percent(n)} %)" for value, n in last.select("value", "share").rows())
        lines.append((_of_source(str(source)), str(task), ", ".join(named)))
    columns = ("questions of", "task", "most frequent actions (share of clips)")
    return Table("Most frequent actions in clips", columns, tuple(lines), n_words=3)


def _by_condition(source: str, of_source: pl.DataFrame, activities: pl.DataFrame) -> Table:
    whole = of_source.filter(pl.col("length").is_null())
    conditions, lines = _conditions(whole), []
    columns = "world_model", "kind", "accuracy"
    mean = {(m, kind): a for m, kind, a in activities.select(columns).iter_rows()}
    for task in TASKS:
        of_task = whole.filter(task=task)
        at = {(m, c): a for m, c, a in of_task.select(_CELLS).iter_rows()}
        counts = dict(of_task.group_by("world_model").agg(pl.col("n_scored").max()).iter_rows())
        for name in _models(of_task) if of_task.height else ():
            numbers = (percent(at.get((name, condition))) for condition in conditions)
            of_activities = percent(mean.get((name, kind_of(task, conditions[-1]))))
            lines.append((name, task, *numbers, of_activities, f"{counts[name]:,}"))
    names = (NAMES[c] for c in conditions)
    caption = f"Accuracy in % by where the clips come from, {_of_source(source)}"
    return Table(
        caption,
        ("model", "task", *names, "mean of activities", "questions"),
        tuple(lines),
        n_words=2,
    )


_CELLS = ("world_model", "condition", "accuracy")


def _by_length(source: str, of_source: pl.DataFrame) -> Table:
    plans = of_source.filter(task="pp", condition=EQUIVALENT)
    lengths = sorted(set(plans["length"].drop_nulls()))
    at = {(m, n): a for m, n, a in plans.select("world_model", "length", "accuracy").iter_rows()}
    names = _models(plans) if plans.height else []
    lines = [
        (name, *(percent(at.get((name, length))) for length in (*lengths, None))) for name in names
    ]
    caption = f"Accuracy in % by actions of the plan, clips of another room, {_of_source(source)}"
    return Table(caption, ("model", *map(str, lengths), "all"), tuple(lines))
