"""Quality and cost of the answers."""

from collections.abc import Mapping
from typing import Any

import polars as pl

from enact_assets.results.report.drawing import CHANCE, FAINT, INTERVAL, canvas, finished, pt
from enact_assets.results.report.parts import (
    BOTH_KINDS,
    NONE,
    Figure,
    Part,
    Section,
    Table,
    Text,
    count,
    dollars,
    listed,
    percent,
    table,
    words,
)
from enact_assets.results.report.rows import ReportRows

_OUTCOMES = (
    *("n_answers", "n_answered", "n_parsed", "n_unparsed", "n_refused", "n_declined", "n_cut"),
    *("n_missing", "n_read_otherwise"),
)
_TOKENS = ("tokens_in", "tokens_out", "tokens_reasoning")


def answer_quality(rows: ReportRows) -> Section:
    """Outcomes, tokens, dollars and waiting times per model, and cost against accuracy."""
    anchor, title = "quality", "Quality and cost of the answers"
    quality = rows["quality"]
    if quality.is_empty():
        return Section(anchor, title, (Text(f"{rows.variant}: no model was asked."),))
    parts: list[Part] = [
        Text(
            "Tokens and US dollars are sums over all answers that report theirs; tokens out "
            "include reasoning. USD per 1,000 questions is the price of asking each of them once. "
            "Seconds are from sending a request to its whole answer. A dash: nobody counted, as "
            "for reference baselines and imported answers."
        )
    ]
    points = _points(quality, rows["accuracies"])
    if points:
        parts.append(_cost_figure(rows, points))
    parts += _not_drawn(rows)
    outcomes = ((words(name.removeprefix("n_")), count, name) for name in _OUTCOMES)
    columns = (("model", rows.marked, "model"), *outcomes)
    parts.append(table("Quality of the answers", quality.to_dicts(), columns))
    counted = quality.filter(
        pl.any_horizontal(
            pl.col(*_TOKENS, "usd", "median_latency_s", "served_models").is_not_null()
        )
    )
    if counted.height:
        parts.append(_costs(rows, counted))
    return Section(anchor, title, tuple(parts))


def _costs(rows: ReportRows, counted: pl.DataFrame) -> Table:
    columns = (
        ("model", rows.marked, "model"),
        ("tokens in", count, "tokens_in"),
        ("tokens out", count, "tokens_out"),
        ("of these reasoning", count, "tokens_reasoning"),
        ("USD", dollars, "usd"),
        ("USD per 1,000 questions", dollars, "usd_per_thousand"),
        ("median, s", _seconds, "median_latency_s"),
        ("95th percentile, s", _seconds, "p95_latency_s"),
        ("served as", listed, "served_models"),
    )
    priced = counted.with_columns(usd_per_thousand=1000 * pl.col("usd_per_question"))
    return table("Cost of the answers", priced.to_dicts(), columns, n_last_words=1)


def _points(quality: pl.DataFrame, accuracies: pl.DataFrame) -> list[dict[str, Any]]:
    """Models with a price above zero and an accuracy, cheapest first: model, usd per 1,000
    questions, and by kind accuracy with the ends of its interval.
    """
    priced = quality.filter(pl.col("usd_per_question") > 0).sort("usd_per_question", "model")
    overall = accuracies.filter(
        pl.col("length").is_null(), pl.col("accuracy").is_not_null(), metric="pairwise_accuracy"
    )
    by_model: dict[str, dict[str, tuple[float, float | None, float | None]]] = {}
    for row in overall.iter_rows(named=True):
        by_model.setdefault(row["model"], {})[row["kind"]] = (
            *(row["accuracy"], row["low"], row["high"]),
        )
    return [
        {"model": model, "usd": 1000 * usd, **by_model[model]}
        for model, usd in priced.select("model", "usd_per_question").iter_rows()
        if model in by_model
    ]


def _not_drawn(rows: ReportRows) -> list[Part]:
    """Which models the figure leaves out. Reference baselines have no price and are not named."""
    references = set(rows["accuracies"].filter("is_reference")["model"])
    priced = rows["quality"].select("model", "usd_per_question").iter_rows()
    prices = {model: usd for model, usd in priced if model not in references}
    unpriced = sorted(model for model, usd in prices.items() if usd is None)
    free = sorted(model for model, usd in prices.items() if usd == 0)
    found: list[Part] = []
    if unpriced:
        found.append(Text(f"Not drawn, as their price is unknown: {', '.join(unpriced)}."))
    if free:
        found.append(Text(f"Not drawn, as they cost nothing: {', '.join(free)}."))
    return found


def _cost_figure(rows: ReportRows, points: list[dict[str, Any]]) -> Figure:
    with canvas(3.4 + 0.17 * -(-(len(points) + 2) // 2)) as (drawn, (axes,)):
        for point in points:
            look = rows.looks[point["model"]]
            for kind in BOTH_KINDS:
                if kind not in point:
                    continue
                middle, low, high = point[kind]
                if low is not None:
                    ends = [100 * low, 100 * high]
                    axes.plot([point["usd"]] * 2, ends, color=look.colour, **INTERVAL)
                marked = look.marked(is_filled=kind == "forward")
                axes.plot(point["usd"], 100 * middle, markersize=pt(6), **marked)
            label = rows.label(point["model"], 30)
            axes.plot([], [], **look.marked(), linestyle="", label=label)
        for kind, style in zip(BOTH_KINDS, (":", "-."), strict=True):
            chance = rows.chance(kind, "pairwise_accuracy")
            if chance is not None:
                label = f"chance, {kind}"
                axes.axhline(100 * chance, **{**CHANCE, "linestyle": style}, label=label, zorder=1)
        axes.set_xscale("log")
        _labeldollars(axes, [point["usd"] for point in points])
        axes.set_ylim(0, 102)
        axes.grid(axis="y", color=FAINT, linewidth=0.6)
        axes.set_xlabel("USD per 1,000 questions")
        axes.set_ylabel("pairwise accuracy, %")
        axes.set_title("filled: forward; hollow: inverse")
        drawn.legend(loc="outside lower center", ncols=2)
        best = max(points, key=lambda point: (_mean(point), -point["usd"]))
        return finished(
            drawn,
            "cost_accuracy",
            "Cost against pairwise accuracy, all lengths, 95 % intervals, and chance",
            f"Points of {len(points)} models on a logarithmic scale of cost, cheapest "
            f"{points[0]['model']} with {dollars(points[0]['usd'])} USD per 1,000 questions, most "
            f"expensive {points[-1]['model']} with {dollars(points[-1]['usd'])}. Most accurate: "
            f"{best['model']} with {percent(_mean(best))} % over both kinds for "
            f"{dollars(best['usd'])} USD. The tables have the numbers.",
        )


def _labeldollars(axes: Any, usd: list[float]) -> None:
    """Ticks at 1, 2 and 5 of each decade; at each decade alone where these would be too many."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

    low, high = min(usd) / 1.6, max(usd) * 1.6
    axes.set_xlim(low, high)
    axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if high / low < 2000 else (1,)))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _place: f"{value:,.10g}"))
    axes.xaxis.set_minor_locator(NullLocator())


def _mean(point: Mapping[str, Any]) -> float:
    known = [float(point[kind][0]) for kind in BOTH_KINDS if kind in point]
    return sum(known) / len(known)


def _seconds(seconds: float | None) -> str:
    return NONE if seconds is None else f"{seconds:.1f}"
