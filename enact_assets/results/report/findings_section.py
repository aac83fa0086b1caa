"""Findings of the paper, asked of every model, beside what a random order shows by itself."""

import textwrap
from typing import Any

import polars as pl

from enact_assets.results.findings.findings import CONFIRMED, VERDICTS, told
from enact_assets.results.findings.of_mirrored_pairs import HANDS
from enact_assets.results.report.drawing import CHANCE, FAINT, INTERVAL, canvas, finished, pt
from enact_assets.results.report.looks import Look
from enact_assets.results.report.parts import (
    NONE,
    Figure,
    Part,
    Section,
    Table,
    Text,
    p_value,
    percent,
    points,
    table,
)
from enact_assets.results.report.rows import ReportRows, best_first

MODELS_DRAWN = 6
"""Most models in the figure: more could not be distinguished."""
LEAST_POINTS, MOST_POINTS = 105.0, 205.0
"""Where the axis ends at least and at most: effects of mixing, and intervals, have no limit."""
EQUAL_HANDS = "equal hands"
"""Chance of findings over pictures and their mirror images."""


def findings(rows: ReportRows) -> Section:
    """Each finding with the models that show it, and each model with its values."""
    found = rows["findings"]
    ours = found.filter(pl.col("source") == "ours", ~pl.col("is_reference"))
    theirs = found.filter(source="published")
    parts: list[Part] = [
        Text(
            "A random order is right more often the shorter the question is, and in forward "
            "questions more often than in inverse ones. Each finding is therefore measured from "
            "what a random order of the same questions is expected to show: exactly, over all "
            "orders, for answers that are whole orders. Confirmed and contradicted are tests "
            "clustered by demonstration, corrected for all findings of the model (Holm)."
        ),
        _summary(ours, theirs),
        Text(
            "The scene graphs of the paper's questions are not here. Its models are compared with "
            "the smallest accuracy that a random order can have, with the reference as the only "
            "right order, so their effects can be smaller than the table counts them. Of errors, "
            "hands and omitted changes no such bound is known."
        ),
    ]
    if ours.is_empty():
        parts.append(Text("Only references answered here, and these are not counted."))
    else:
        listed = _listed(ours)
        parts += [_effects(rows, listed), _by_model(rows, listed)]
    return Section("findings", "Findings of the paper", tuple(parts))


def _summary(ours: pl.DataFrame, theirs: pl.DataFrame) -> Table:
    columns = (
        "what the paper found",
        *(f"here: {verdict}" for verdict in VERDICTS),
        *(f"published models: {verdict}" for verdict in VERDICTS),
    )
    lines = []
    for about, name, kind, chances in _told():
        of_it = pl.col("kind").eq_missing(kind) & pl.col("chance").is_in(chances)
        counts = [
            str(n) if (n := side.filter(of_it, finding=name, verdict=verdict).height) else NONE
            for side in (ours, theirs)
            for verdict in VERDICTS
        ]
        lines.append((about, *counts))
    return Table("Findings, and how many models show them", columns, tuple(lines))


def _told() -> list[tuple[str, str, str | None, list[str]]]:
    """Claim, finding, kind, and the kinds of chance of its rows; in the order of the page."""
    found: list[tuple[str, str, str | None, list[str]]] = []
    for finding, kind in told():
        claim = finding.claim_about(kind)
        found.append((claim, finding.name, kind, ["exact", "smallest possible"]))
        if finding.name in HANDS:
            found.append((f"{claim}, mirror images included", finding.name, kind, [EQUAL_HANDS]))
    return found


def _listed(ours: pl.DataFrame) -> pl.DataFrame:
    """``ours`` in the order of the page, with ``about``, what each finding says, and ``place``."""
    order = pl.DataFrame(
        [
            (about, name, kind, chance, place)
            for place, (about, name, kind, chances) in enumerate(_told())
            for chance in chances
        ],
        schema=["about", "finding", "kind", "chance", "place"],
        orient="row",
    )
    key = ["finding", "kind", "chance"]
    return ours.join(order, on=key, nulls_equal=True).sort("model", "place")


def _effects(rows: ReportRows, listed: pl.DataFrame) -> Figure:
    """Effects with intervals, a line per finding and a mark per model."""
    tested = listed.filter(pl.col("effect").is_not_null())
    models = best_first(tested.filter(finding="better_than_chance"), accuracy="effect")
    models = models[:MODELS_DRAWN]
    limit = points_drawn(tested.filter(pl.col("model").is_in(models)))
    claims = tested.sort("place")["about"].unique(maintain_order=True).to_list()
    with canvas(1.5 + 0.36 * len(claims)) as (drawn, (axes,)):
        for number, model in enumerate(models):
            look = rows.looks[model]
            lift = 0.6 * ((number + 0.5) / len(models) - 0.5)
            for row in tested.filter(model=model).iter_rows(named=True):
                place = claims.index(row["about"]) + lift
                if row["low"] is not None:
                    draw_interval(axes, 100 * row["low"], 100 * row["high"], place, look, limit)
                is_shown = row["verdict"] == CONFIRMED
                effect = min(max(100 * row["effect"], -limit), limit)
                axes.plot([effect], [place], markersize=pt(5), **look.marked(is_filled=is_shown))
            axes.plot([], [], markersize=pt(5), **look.marked(), label=rows.label(model))
        axes.axvline(0, **CHANCE, label="a random order", zorder=1)
        # Letters are a little wider in PDF than where the layout was computed.
        engine: Any = drawn.get_layout_engine()
        engine.set(w_pad=0.1)
        axes.set_yticks(range(len(claims)), [textwrap.fill(claim, 34) for claim in claims])
        axes.tick_params(axis="y", labelsize=pt(7))
        axes.set_ylim(len(claims) - 0.4, -0.6)
        axes.set_xlim(-limit, limit)
        axes.grid(axis="x", color=FAINT, linewidth=0.6)
        axes.set_xlabel("points beyond a random order")
        drawn.legend(loc="outside lower center", ncols=3)
        confirmed = tested.filter(verdict=CONFIRMED).height
        alt = (
            f"Effects of {len(claims)} findings for {len(models)} models, with intervals; "
            f"{confirmed} are confirmed. The table below has the numbers."
        )
        caption = (
            "Findings of the paper beyond what a random order shows, with 95 % intervals; filled: "
            "confirmed"
        )
        if limit == MOST_POINTS:
            caption += "; an arrow at the edge: the interval continues beyond the axis"
        return finished(drawn, "finding_effects", caption, alt)


def points_drawn(tested: pl.DataFrame) -> float:
    """Points at which the axis ends on both sides: behind all intervals and effects, within
    limits.
    """
    far = tested.select(pl.max_horizontal(pl.col("effect", "low", "high").abs().max())).item()
    return min(max(LEAST_POINTS, 100 * (far or 0.0) + 5), MOST_POINTS)


def draw_interval(  # noqa: PLR0917 - where, how and how far
    axes: Any, low: float, high: float, place: float, look: Look, limit: float
) -> None:
    """A line; where it continues beyond ``limit``, an arrow head."""
    axes.plot([max(low, -limit), min(high, limit)], [place] * 2, color=look.colour, **INTERVAL)
    head = {"arrowstyle": "->", "color": look.colour, "linewidth": 0.9, "shrinkA": 0, "shrinkB": 0}
    for end, is_beyond in ((-limit, low < -limit), (limit, high > limit)):
        if is_beyond:
            axes.annotate("", (end, place), (0.94 * end, place), arrowprops=head)


def _by_model(rows: ReportRows, listed: pl.DataFrame) -> Table:
    columns = (
        ("model", rows.marked, "model"),
        ("what the paper found", str, "about"),
        ("value %", percent, "value"),
        ("a random order %", percent, "expected"),
        ("effect, points", _effect, "effect", "low", "high"),
        ("p (Holm)", p_value, "holm_p"),
        ("verdict", _verdict, "verdict", "reason"),
    )
    return table("Findings by model", listed.to_dicts(), columns, n_words=2)


def _effect(effect: float | None, low: float | None, high: float | None) -> str:
    if effect is None or low is None or high is None:
        return points(effect)
    return f"{points(effect)} [{points(low)}, {points(high)}]"


def _verdict(verdict: str, reason: str | None) -> str:
    return verdict if reason is None else f"{verdict} ({reason.replace('_', ' ')})"
