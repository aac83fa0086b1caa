"""Cosmos-Reason1 beside models of about its size, as in the paper's figure 18."""

from collections.abc import Mapping

import polars as pl

from enact_assets.results.report.drawing import FAINT, canvas, drawable, finished, pt
from enact_assets.results.report.lengths import draw_chance, draw_intervals
from enact_assets.results.report.looks import Look, looks_of
from enact_assets.results.report.parts import (
    BOTH_KINDS,
    Figure,
    Part,
    Section,
    Table,
    Text,
    percent,
)
from enact_assets.results.report.rows import ReportRows

SUBJECT = "Cosmos-Reason1"
"""Model to whose size the others are similar; drawn thicker."""


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
            parts.append(_figure(rows, kind, of_kind, names))
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


def _looks(rows: ReportRows) -> Mapping[str, Look]:
    """Look of each published model: that of ours, where the model was measured here."""
    found = rows["similar_sizes"].select("published_model", "source", "model").unique()
    ours = {name: rows.looks[m] for name, s, m in found.iter_rows() if s == "ours"}
    return looks_of(found["published_model"], (), ours)


def _figure(rows: ReportRows, kind: str, of_kind: pl.DataFrame, names: list[str]) -> Figure:
    whose = sorted(
        of_kind.select("published_model", "source", "model").unique().iter_rows(),
        key=lambda one: (names.index(one[0]), one[1] == "ours", one[2]),
    )
    looks = _looks(rows)
    with canvas(3.4 + 0.17 * -(-len(whose) // 2)) as (drawn, (axes,)):
        for name, source, model in whose:
            line = of_kind.filter(source=source, model=model).sort("length")
            look = looks[name]
            draw_intervals(axes, line, look)
            axes.plot(
                line["length"],
                100 * line["accuracy"],
                **look.marked(),
                markersize=pt(4.5),
                linestyle="--" if source == "ours" else "-",
                linewidth=2.4 if name == SUBJECT else 1.1,
                zorder=3 if name == SUBJECT else 2,
                label=rows.label(model, 24) + " (here)"
                if source == "ours"
                else drawable(model, 24),
            )
        draw_chance(axes, rows["chance"].filter(kind=kind), "pairwise_accuracy")
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
