"""The benefit of looking: a trained reference beside its controls, which get half of each
question.
"""

from typing import Any

import polars as pl

from enact_assets.answers.baselines.learned_names import CONTROLS, FACT_READER, TRAINED_ON, TRANSFER
from enact_assets.results.report.drawing import FAINT, GREY, canvas, finished, pt
from enact_assets.results.report.lengths import draw_chance, draw_intervals
from enact_assets.results.report.parts import (
    BOTH_KINDS,
    Figure,
    Part,
    Section,
    Table,
    Text,
    percent,
    points,
    words,
)
from enact_assets.results.report.rows import ReportRows

METRIC = "task_accuracy"
TEXT_PRIOR = "text_prior"
MOST_MODELS = 5
"""Most ranked models with a name in the legend: lines of more could not be distinguished."""
SPREAD = 0.3
"""Width, in lengths, over which intervals at one length are spread."""
_LINES: dict[str, dict[str, Any]] = {
    FACT_READER: {"linestyle": "-", "linewidth": 2.2},
    TRANSFER: {"linestyle": "--", "linewidth": 1.2},
    **{name: {"linestyle": "-.", "linewidth": 1.2} for name in CONTROLS},
    TEXT_PRIOR: {"linestyle": (0, (1, 1)), "linewidth": 1.2},
}


def looking(rows: ReportRows) -> Section | None:
    """Task accuracy by length of the fact reader, its controls and the ranked models.

    None where no answer of the fact reader was scored.
    """
    scored = rows["accuracies"].filter(pl.col("accuracy").is_not_null(), metric=METRIC)
    if scored.filter(model=FACT_READER).is_empty():
        return None
    about = (
        f"{FACT_READER} is a small regression trained on {TRAINED_ON[FACT_READER]}. A control has "
        "the same training and answers from half of each question: from the pictures or from the "
        "actions alone. Where an activity's schedule varies little between seeds, a control beats "
        "chance without looking at what the question asks. What is left above the control is what "
        f"looking at pictures and reading actions together buys. {TRANSFER} was never trained on "
        "the activity it is asked about. These references show what training on the same "
        "simulator is worth; they are no bar for models that were not trained on it."
    )
    gains = [_gain(scored.filter(kind=kind), kind) for kind in BOTH_KINDS]
    return Section(
        "looking",
        "What looking buys",
        (_figure(rows, scored), Text(about), *gains, _table(rows, scored)),
    )


def _control(of_kind: pl.DataFrame) -> str | None:
    """The control that is right more often: the other one draws this kind of answer at random."""
    whole = of_kind.filter(pl.col("model").is_in(CONTROLS), pl.col("length").is_null())
    best = whole.sort("accuracy", "model", descending=[True, False])
    return None if best.is_empty() else str(best.item(0, "model"))


def _overall(of_kind: pl.DataFrame, model: str) -> float | None:
    found = of_kind.filter(pl.col("length").is_null(), model=model)["accuracy"]
    return None if found.is_empty() else float(found.item())


def _gain(of_kind: pl.DataFrame, kind: str) -> Part:
    reader, control = _overall(of_kind, FACT_READER), _control(of_kind)
    if reader is None:
        return Text(f"{FACT_READER} has no scored answer to {kind} questions.")
    said = f"{kind.capitalize()} questions, all lengths: {FACT_READER} {percent(reader)} %"
    if control is None:
        ask = f"`enact-assets materialize --model {' --model '.join(CONTROLS)}`"
        return Text(f"{said}. No control was asked; {ask} asks them.", is_notice=True)
    half = _overall(of_kind, control)
    gain = None if half is None else reader - half
    return Text(f"{said}, {control} {percent(half)} %: {points(gain)} points above the control.")


def _shown(rows: ReportRows, of_kind: pl.DataFrame) -> tuple[list[str], list[str]]:
    """References of the figure, and ranked models, the best first."""
    there = set(of_kind["model"])
    control = _control(of_kind)
    references = [n for n in (FACT_READER, TRANSFER, control, TEXT_PRIOR) if n in there]
    ranked = of_kind.filter(pl.col("length").is_null()).sort(
        "accuracy", "model", descending=[True, False]
    )
    models = [name for name in ranked["model"] if not rows.looks[name].is_reference]
    return [name for name in references if name is not None], models


def _figure(rows: ReportRows, scored: pl.DataFrame) -> Figure:
    kinds = [kind for kind in BOTH_KINDS if not scored.filter(kind=kind).is_empty()]
    with canvas(1.5 + 2.3 * len(kinds), rows=len(kinds), sharex=True) as (drawn, panels):
        ends = []
        for axes, kind in zip(panels, kinds, strict=True):
            of_kind = scored.filter(kind=kind)
            references, models = _shown(rows, of_kind)
            by_length = of_kind.filter(pl.col("length").is_not_null()).sort("length")
            _draw(axes, rows, by_length, [*references, *models], models[:MOST_MODELS])
            _shade(axes, by_length, _control(of_kind))
            draw_chance(axes, rows["chance"].filter(kind=kind), METRIC)
            axes.set_ylim(-2, 102)
            axes.set_xticks(sorted(set(by_length["length"])))
            axes.grid(axis="y", color=FAINT, linewidth=0.6)
            axes.set_ylabel(f"{words(METRIC)}, %")
            axes.set_title(kind)
            overall = (f"{n} {percent(_overall(of_kind, n))} %" for n in [*references, *models[:3]])
            ends.append(f"{kind}: {', '.join(overall)}")
        panels[-1].set_xlabel("length (key frames)")
        found = (axes.get_legend_handles_labels() for axes in panels)
        handles = {label: one for of in found for one, label in zip(*of, strict=True)}
        drawn.legend(handles.values(), handles, loc="outside lower center", ncols=2)
        return finished(
            drawn,
            "looking",
            f"{words(METRIC).capitalize()} by length of {FACT_READER}, trained on "
            f"{TRAINED_ON[FACT_READER]}, beside its control, other references and models; 95 % "
            "intervals",
            f"Lines by length. Over all lengths, {'; '.join(ends)}. The shaded part is what "
            f"{FACT_READER} has above its control, the dotted line is chance. The table below has "
            "the numbers.",
        )


def _draw(
    axes: Any, rows: ReportRows, by_length: pl.DataFrame, names: list[str], named: list[str]
) -> None:
    """A line for each model; ranked ones that are not ``named`` are thin and grey."""
    n_more = 0
    for place, name in enumerate(names):
        line, look = by_length.filter(model=name), rows.looks[name]
        if not look.is_reference and name not in named:
            n_more += 1
            label = "more models" if n_more == 1 else None
            axes.plot(
                line["length"], 100 * line["accuracy"], color=GREY, linewidth=0.8, label=label
            )
            continue
        shift = SPREAD * ((place + 0.5) / len(names) - 0.5)
        draw_intervals(axes, line, look, shift)
        axes.plot(
            *(line["length"] + shift, 100 * line["accuracy"]),
            **{**look.line, **_LINES.get(name, {})},
            markersize=pt(4.5),
            label=rows.label(name, 24) + (" (control)" if name in CONTROLS else ""),
            zorder=4 if name == FACT_READER else 3,
        )


def _shade(axes: Any, by_length: pl.DataFrame, control: str | None) -> None:
    half = by_length.filter(model=control or "").select("length", half="accuracy")
    both = by_length.filter(model=FACT_READER).join(half, on="length").sort("length")
    if both.height:
        axes.fill_between(
            *(both["length"], 100 * both["half"], 100 * both["accuracy"]),
            where=both["accuracy"] > both["half"],
            color=FAINT,
            alpha=0.45,
            linewidth=0,
            label="above the control",
            zorder=0,
        )


def _table(rows: ReportRows, scored: pl.DataFrame) -> Table:
    lengths = sorted(set(scored["length"].drop_nulls()))
    lines = []
    for kind in BOTH_KINDS:
        of_kind = scored.filter(kind=kind)
        of = {(m, n): a for m, n, a in of_kind.select("model", "length", "accuracy").iter_rows()}
        references, models = _shown(rows, of_kind)
        for name in (*references, *models):
            numbers = (percent(of.get((name, length))) for length in (*lengths, None))
            lines.append((rows.marked(name), kind, *numbers))
    caption = f"{words(METRIC).capitalize()} in % by length, references of this section and models"
    return Table(caption, ("model", "kind", *map(str, lengths), "all"), tuple(lines), n_words=2)
