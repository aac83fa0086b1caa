"""Accuracy by length, with people and models of the paper: all models, what looking buys, and
models of similar size.
"""

from collections.abc import Mapping
from typing import Any

import polars as pl

from enact_assets.answers.baselines.learned_names import CONTROLS, FACT_READER, TRAINED_ON, TRANSFER
from enact_assets.results.report.drawing import (
    CHANCE,
    FAINT,
    GREY,
    INK,
    INTERVAL,
    NOT_BESIDE,
    canvas,
    drawable,
    finished,
    pt,
)
from enact_assets.results.report.looks import Look, looks_of
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
from enact_assets.results.report.rows import ReportRows, best_first

PAIRWISE, TASK = METRICS = ("pairwise_accuracy", "task_accuracy")
HUMAN = "Human"
PAPER = "models and people of the ENACT paper (tables 9 and 10)"
MOST_NAMED = 8
"""Most models that are drawn separately: lines of more could not be distinguished."""
MOST_PUBLISHED = 4
"""Most published models that are drawn by name."""
DASHES = ((0, (6, 1.5)), (0, (1, 1.2)), (0, (4, 1.5, 1, 1.5)), (0, (8, 3)))
"""Lines of published models that are drawn by name."""
SPREAD = 0.4
"""Width, in lengths, over which the models of one length are spread."""
TEXT_PRIOR = "text_prior"
MOST_BESIDE_REFERENCES = 5
"""The same beside the references of what looking buys."""
SPREAD_REFERENCES = 0.3
_LINES: dict[str, dict[str, Any]] = {
    FACT_READER: {"linestyle": "-", "linewidth": 2.2},
    TRANSFER: {"linestyle": "--", "linewidth": 1.2},
    **{name: {"linestyle": "-.", "linewidth": 1.2} for name in CONTROLS},
    TEXT_PRIOR: {"linestyle": (0, (1, 1)), "linewidth": 1.2},
}
SUBJECT = "Cosmos-Reason1"
"""Model to whose size the others are similar; drawn thicker."""


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
    said = () if published.is_empty() else (about,)
    return Section("by-length", "Accuracy by length", (*parts, *said, *tables))


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


def _draw_line(axes: Any, line: pl.DataFrame, look: Look, shift: float = 0.0, **style: Any) -> None:
    """A line, and a bar from ``low`` to ``high`` at each length that has an interval, both
    ``shift`` aside: intervals must not cover each other.
    """
    known = line.drop_nulls(("low", "high"))
    axes.vlines(
        *(known["length"] + shift, 100 * known["low"], 100 * known["high"]),
        color=look.colour,
        **INTERVAL,
    )
    axes.plot(line["length"] + shift, 100 * line["accuracy"], markersize=pt(4.5), **style)


def _curves(
    rows: ReportRows, kind: str, metric: str, ours: pl.DataFrame, theirs: pl.DataFrame
) -> Figure:
    models = best_first(ours)
    with canvas(4.1 + 0.16 * -(-min(len(models), MOST_NAMED + 1) // 2)) as (drawn, (axes,)):
        others = _others(theirs)
        has_names = len(others) <= MOST_PUBLISHED
        for place, name in enumerate(others):
            line = theirs.filter(published_model=name).sort("length")
            label = f"published models ({len(others)})" if not place else None
            style: dict[str, Any] = {"color": FAINT, "linewidth": 0.9, "label": label}
            if has_names:
                named_so = rows.label(name, 20, whose="published")
                style |= {"color": GREY, "linestyle": DASHES[place], "label": named_so}
            axes.plot(line["length"], 100 * line["accuracy"], **style, zorder=1)
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
            shift = SPREAD * ((place + 0.5) / len(named) - 0.5)
            label = rows.label(name, 20)
            _draw_line(axes, line, look, shift, **look.line, label=label, zorder=3)
        human = theirs.filter(published_model=HUMAN).sort("length")
        if human.height:
            axes.plot(
                human["length"],
                100 * human["accuracy"],
                color=INK,
                linestyle="--",
                label=rows.label(HUMAN, whose="published"),
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
            _about_published(rows, theirs) if theirs.height else "",
        )


def _others(theirs: pl.DataFrame) -> list[str]:
    return sorted(set(theirs["published_model"]) - {HUMAN})


def _about_published(rows: ReportRows, theirs: pl.DataFrame) -> str:
    grey = f"Grey and dashed: {PAPER}, as published"
    if len(_others(theirs)) <= MOST_PUBLISHED:
        grey = "Grey: tables 9 and 10 of the ENACT paper, as published"
    return f"{grey}{NOT_BESIDE if rows.not_comparable else ''}."


def _at(ours: pl.DataFrame, model: str, length: Any) -> float | None:
    found = ours.filter(model=model, length=length)["accuracy"]
    return None if found.is_empty() else float(found.item())


def _length_table(
    shown: ReportRows, kind: str, metric: str, ours: pl.DataFrame, theirs: pl.DataFrame
) -> Table:
    lengths = sorted({*ours["length"], *theirs["length"]})
    best = best_first(theirs.filter(pl.col("published_model") != HUMAN), "published_model")[:1]
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


def looking(rows: ReportRows) -> Section | None:
    """Task accuracy by length of the fact reader, its controls and the ranked models.

    None where no answer of the fact reader was scored.
    """
    scored = rows["accuracies"].filter(pl.col("accuracy").is_not_null(), metric=TASK)
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
        (_looking_figure(rows, scored), Text(about), *gains, _looking_table(rows, scored)),
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
    ranked = best_first(of_kind.filter(pl.col("length").is_null()))
    models = [name for name in ranked if not rows.looks[name].is_reference]
    return [name for name in references if name is not None], models


def _looking_figure(rows: ReportRows, scored: pl.DataFrame) -> Figure:
    kinds = [kind for kind in BOTH_KINDS if not scored.filter(kind=kind).is_empty()]
    with canvas(1.5 + 2.3 * len(kinds), rows=len(kinds), sharex=True) as (drawn, panels):
        ends = []
        for axes, kind in zip(panels, kinds, strict=True):
            of_kind = scored.filter(kind=kind)
            references, models = _shown(rows, of_kind)
            by_length = of_kind.filter(pl.col("length").is_not_null()).sort("length")
            named = models[:MOST_BESIDE_REFERENCES]
            _draw_looking(axes, rows, by_length, [*references, *models], named)
            _shade(axes, by_length, _control(of_kind))
            draw_chance(axes, rows["chance"].filter(kind=kind), TASK)
            axes.set_ylim(-2, 102)
            axes.set_xticks(sorted(set(by_length["length"])))
            axes.grid(axis="y", color=FAINT, linewidth=0.6)
            axes.set_ylabel(f"{words(TASK)}, %")
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
            f"{words(TASK).capitalize()} by length of {FACT_READER}, trained on "
            f"{TRAINED_ON[FACT_READER]}, beside its control, other references and models; 95 % "
            "intervals",
            f"Lines by length. Over all lengths, {'; '.join(ends)}. The shaded part is what "
            f"{FACT_READER} has above its control, the dotted line is chance. The table below has "
            "the numbers.",
        )


def _draw_looking(
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
        shift = SPREAD_REFERENCES * ((place + 0.5) / len(names) - 0.5)
        label = rows.label(name, 24) + (" (control)" if name in CONTROLS else "")
        style = {**look.line, **_LINES.get(name, {}), "zorder": 4 if name == FACT_READER else 3}
        _draw_line(axes, line, look, shift, **style, label=label)


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


def _looking_table(rows: ReportRows, scored: pl.DataFrame) -> Table:
    lengths = sorted(set(scored["length"].drop_nulls()))
    lines = []
    for kind in BOTH_KINDS:
        of_kind = scored.filter(kind=kind)
        of = {(m, n): a for m, n, a in of_kind.select("model", "length", "accuracy").iter_rows()}
        references, models = _shown(rows, of_kind)
        for name in (*references, *models):
            numbers = (percent(of.get((name, length))) for length in (*lengths, None))
            lines.append((rows.marked(name), kind, *numbers))
    caption = f"{words(TASK).capitalize()} in % by length, references of this section and models"
    return Table(caption, ("model", "kind", *map(str, lengths), "all"), tuple(lines), n_words=2)


def similar_sizes(rows: ReportRows) -> Section:
    """Pairwise accuracy by length of the paper's models of similar size, and of ours among them."""
    title = "Models of similar size"
    found = rows["similar_sizes"].filter(pl.col("accuracy").is_not_null())
    if found.is_empty():
        text = "No accuracy of a model about as large as Cosmos-Reason1 is known."
        return Section("similar-sizes", title, (Text(text),))
    n_ours = found.filter(source="ours")["model"].n_unique()
    ours = (
        f"Dashed lines are the {n_ours} of them measured here, on the paper's questions."
        if n_ours
        else "No model measured here is among them, with scores that may stand beside these."
    )
    parts: list[Part] = [
        Text(
            "Cosmos-Reason1 is trained on embodied data. The paper compares it with models of its "
            "size and finds it more stable beyond 5 key frames. These are all open models of the "
            "paper with 0.8 to 1.25 times its parameters. Lines are published pairwise accuracy; "
            f"the paper gives no intervals. {ours} Chance is that of the questions asked here."
        )
    ]
    names = sorted(set(found["published_model"]), key=lambda name: (name != SUBJECT, name))
    for kind in BOTH_KINDS:
        of_kind = found.filter(kind=kind)
        if of_kind.height:
            parts.append(_sizes_figure(rows, kind, of_kind, names))
    lengths = sorted(set(found["length"]))
    lines = []
    for kind in BOTH_KINDS:
        for (size, name, source, model), of_model in found.filter(kind=kind).group_by(
            "n_parameters_million", "published_model", "source", "model", maintain_order=True
        ):
            at = dict(of_model.select("length", "accuracy").iter_rows())
            order = (names.index(str(name)), source == "ours", str(model))
            numbers = (percent(at.get(length)) for length in lengths)
            whose = "here" if source == "ours" else "published"
            lines.append(
                (kind, order, (str(model), whose, kind, f"{float(str(size)) / 1000:.1f}", *numbers))
            )
    lines.sort(key=lambda line: line[:2])
    columns = ("model", "whose", "kind", "parameters, billion", *map(str, lengths))
    caption = "Pairwise accuracy in % by length, models of similar size"
    parts.append(Table(caption, columns, tuple(cells for _, _, cells in lines), n_words=3))
    return Section("similar-sizes", title, tuple(parts))


def _sizes_looks(rows: ReportRows) -> Mapping[str, Look]:
    """Look of each published model: that of ours, where the model was measured here."""
    found = rows["similar_sizes"].select("published_model", "source", "model").unique()
    ours = {name: rows.looks[m] for name, s, m in found.iter_rows() if s == "ours"}
    return looks_of(found["published_model"], (), ours)


def _sizes_figure(rows: ReportRows, kind: str, of_kind: pl.DataFrame, names: list[str]) -> Figure:
    whose = sorted(
        of_kind.select("published_model", "source", "model").unique().iter_rows(),
        key=lambda one: (names.index(one[0]), one[1] == "ours", one[2]),
    )
    looks = _sizes_looks(rows)
    with canvas(3.4 + 0.17 * -(-len(whose) // 2)) as (drawn, (axes,)):
        for name, source, model in whose:
            line = of_kind.filter(source=source, model=model).sort("length")
            is_ours = source == "ours"
            width, zorder = (2.4, 3) if name == SUBJECT else (1.1, 2)
            label = f"{rows.label(model, 24)} (here)" if is_ours else drawable(model, 24)
            style: dict[str, Any] = {"linestyle": "--" if is_ours else "-", "linewidth": width}
            style |= {**looks[name].marked(), "label": label, "zorder": zorder}
            _draw_line(axes, line, looks[name], **style)
        draw_chance(axes, rows["chance"].filter(kind=kind), PAIRWISE)
        axes.set_ylim(bottom=0)
        axes.set_xticks(sorted(set(of_kind["length"])))
        axes.grid(axis="y", color=FAINT, linewidth=0.6)
        axes.set_xlabel("length (key frames)")
        axes.set_ylabel("pairwise accuracy, %")
        axes.set_title(kind)
        drawn.legend(loc="outside lower center", ncols=2)
        last = of_kind.filter(length=of_kind["length"].max()).sort(
            "accuracy", "model", descending=[True, False]
        )
        best = last.row(0, named=True)
        return finished(
            drawn,
            f"similar_sizes_{kind}",
            f"Pairwise accuracy by length of models about as large as {SUBJECT}, {kind} questions",
            f"Lines of {len(whose)} models. At length {best['length']} {best['model']} is highest "
            f"with {percent(best['accuracy'])} %. The table below has the numbers.",
        )
