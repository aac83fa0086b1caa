"""Hands in wrong answers: how often each is named rightly, and confused with the other.

Circles of true and given components are as in the paper's figure 36.
"""

import math
from typing import Any

import polars as pl

from enact_assets.results.report.drawing import FAINT, GREY, canvas, finished, pt
from enact_assets.results.report.error_section import no_errors
from enact_assets.results.report.looks import COLOURS
from enact_assets.results.report.parts import (
    BOTH_KINDS,
    Figure,
    Part,
    Section,
    Table,
    Text,
    count,
    percent,
)
from enact_assets.results.report.rows import ReportRows

NO_HAND = (
    "Neither the wrong answers nor the true changes name a hand, so there are no hand statistics."
)
_RATES = (("precision", "precision"), ("recall", "recall"), ("mixing_rate", "mixing"))
MODELS_BELOW = 4
"""Most models of one figure."""
HANDS = ("left", "right")
_ROW_IN = 1.25


def handedness(rows: ReportRows) -> Section:
    """Precision, recall and mixing rate of statements about each hand."""
    ours, theirs = rows["handedness"], rows["published_handedness"]
    named = ours.filter((pl.col("n_reference") > 0) | (pl.col("n_predicted") > 0))
    parts: list[Part] = []
    if named.is_empty():
        why = no_errors(rows) if ours.is_empty() else NO_HAND
        parts.append(Text(f"{why} Only published numbers are shown.", is_notice=True))
    parts.append(
        Text(
            "Grasp components in wrong answers. The paper does not say which answers it counts; "
            "its standard errors fit wrong ones. Precision: matched / predicted. Recall: matched / "
            "true. Mixing: true components of one hand that the answer assigns "
            "to the other. Bars are standard errors, clustered by demonstration; with one "
            "demonstration there are none. The published ones treat components as independent."
        )
    )
    lines = []
    for kind in BOTH_KINDS:
        of_kind = _hands(named.filter(kind=kind), theirs.filter(kind=kind))
        if of_kind:
            parts.append(_hand_figure(rows, kind, of_kind))
        circles = hand_circles(rows, kind, named.filter(kind=kind).to_dicts())
        if circles is not None:
            parts.append(circles)
        lines += of_kind
    columns = ("model", "whose", "kind", "hand", "precision %", "recall %", "mixing %", "true ones")
    table_rows = []
    for row in lines:
        rates = [_rate(row, name) for name, _ in _RATES]
        name = rows.marked(row["model"]) if row["whose"] == "here" else row["model"]
        cells = (row["whose"], row["kind"], row["hand"], *rates, count(row["n_reference"]))
        table_rows.append((name, *cells))
    if table_rows:
        caption = "Hands: precision, recall and mixing rate, with standard errors"
        parts.append(Table(caption, columns, tuple(table_rows), n_words=4))
    return Section("handedness", "Handedness", tuple(parts))


def _hands(ours: pl.DataFrame, theirs: pl.DataFrame) -> list[dict[str, Any]]:
    found = []
    for row in ours.sort("model", "hand").iter_rows(named=True):
        errors = {f"{name}_error": row[f"{name}_clustered_se"] for name, _ in _RATES}
        found.append({**row, **errors, "whose": "here"})
    for row in theirs.sort("published_model", "hand").iter_rows(named=True):
        errors = {f"{name}_error": row.get(f"{name}_standard_error") for name, _ in _RATES}
        model = {"model": row["published_model"], "whose": "published", "n_reference": None}
        found.append({**row, **errors, **model})
    return found


def _rate(row: dict[str, Any], name: str) -> str:
    rate, error = row[name], row[f"{name}_error"]
    if rate is None or error is None:
        return percent(rate)
    return f"{percent(rate)} ± {percent(error)}"


def _hand_figure(rows: ReportRows, kind: str, of_kind: list[dict[str, Any]]) -> Figure:
    whose = list(dict.fromkeys((row["model"], row["whose"]) for row in of_kind))
    with canvas(1.15 + 0.34 * len(whose), columns=3, sharey=True) as (drawn, panels):
        for axes, (name, word) in zip(panels, _RATES, strict=True):
            for hand, marker, colour, lift in (
                ("left", "<", COLOURS[1], -0.15),
                ("right", ">", COLOURS[0], 0.15),
            ):
                for row in (row for row in of_kind if row["hand"] == hand):
                    place = whose.index((row["model"], row["whose"])) + lift
                    if row[name] is None:
                        continue
                    error = row[f"{name}_error"]
                    if error is not None:
                        ends = [100 * (row[name] - error), 100 * (row[name] + error)]
                        axes.plot(ends, [place] * 2, color=colour, linewidth=1.2)
                    axes.plot([100 * row[name]], [place], marker, color=colour, markersize=pt(5))
                axes.plot([], [], marker, color=colour, label=f"{hand} hand")
            axes.set_title(word)
            axes.set_xlim(-4, 104)
            axes.set_xticks([0, 50, 100])
            axes.grid(axis="x", color=FAINT, linewidth=0.6)
        marks = [rows.label(m, 18, whose=w) for m, w in whose]
        panels[0].set_yticks(range(len(whose)), marks)
        panels[0].set_ylim(len(whose) - 0.5, -0.5)
        panels[1].set_xlabel(f"%, {kind} questions")
        handles, labels = panels[0].get_legend_handles_labels()
        drawn.legend(handles, labels, loc="outside lower center", ncols=2)
        better = [m for m in whose if _is_right_handed(of_kind, m)]
        return finished(
            drawn,
            f"handedness_{kind}",
            f"Hands in wrong answers, {kind} questions",
            f"Precision, recall and mixing rate of the left and the right hand for {len(whose)} "
            f"models; the right hand has the higher recall in {len(better)} of them.",
            rows.about_published if any(w == "published" for _, w in whose) else "",
        )


def _is_right_handed(of_kind: list[dict[str, Any]], whose: tuple[str, str]) -> bool:
    recall = {
        row["hand"]: row["recall"] for row in of_kind if (row["model"], row["whose"]) == whose
    }
    left, right = recall.get("left"), recall.get("right")
    return left is not None and right is not None and right > left


def hand_circles(rows: ReportRows, kind: str, of_kind: list[dict[str, Any]]) -> Figure | None:
    """Circles of a kind, for the models with the most matched components; None without any.
    References are drawn only where there is no model.

    ``of_kind`` are rows of the mart ``handedness``, one per model and hand. Areas are to scale
    over all circles of the figure. A circle left are the true components of a hand, one right
    those that answers give; they overlap where both agree.
    """
    of = {(row["model"], row["hand"]): row for row in of_kind}
    matched: dict[str, int] = {}
    for row in of_kind:
        matched[row["model"]] = matched.get(row["model"], 0) + row["n_matched"]
    known = rows.preferred(sorted(matched, key=lambda m: (-matched[m], m)))
    # Those with most in common, in the order of the other figures.
    models = sorted(known[:MODELS_BELOW])
    sizes = [
        row[name]
        for row in of_kind
        if row["model"] in models
        for name in ("n_reference", "n_predicted")
    ]
    if not any(sizes):
        return None
    largest = math.sqrt(max(sizes) / math.pi)
    with canvas(0.9 + _ROW_IN * len(models), len(models), 2) as (drawn, panels):
        for n, model in enumerate(models):
            for axes, hand in zip(panels[2 * n : 2 * n + 2], HANDS, strict=True):
                found = of.get((model, hand))
                axes.set_xlim(-2.6, 2.6)
                axes.set_ylim(-1.75, 1.25)
                axes.set_aspect("equal")
                axes.axis("off")
                if n == 0:
                    axes.set_title(f"{hand} hand", loc="center", pad=18)
                if found is not None:
                    _draw_circles(
                        axes, found, largest, COLOURS[1] if hand == "left" else COLOURS[0]
                    )
            panels[2 * n].text(
                *(-2.6, 1.25, rows.label(model, 30)), fontsize=pt(9), fontweight="bold", va="bottom"
            )
        drawn.suptitle(f"{kind}: true | both | given", x=0.02, ha="left", fontsize=pt(10))
        told = "; ".join(_circles_told(of[model, hand]) for model in known[:2] for hand in HANDS
                         if (model, hand) in of)  # fmt: skip
        caption = (
            f"Components of each hand in wrong answers, {kind} questions: true ones only (left), "
            "true and given (middle), given only (right); areas to scale"
        )
        if len(known) > len(models):
            caption += f"; the {len(models)} of {len(known)} models with most in common"
        return finished(
            drawn,
            f"hand_overlap_{kind}",
            caption,
            f"Pairs of overlapping circles for {len(models)} models. {told}.",
        )


def _circles_told(row: dict[str, Any]) -> str:
    return (
        f"{row['model']}, {row['hand']} hand: {row['n_reference']} true, {row['n_predicted']} "
        f"given, {row['n_matched']} both, {row['n_mixed']} given to the other hand"
    )


def _draw_circles(axes: Any, row: dict[str, Any], largest: float, colour: str) -> None:
    from matplotlib.patches import Circle

    true, given, both = row["n_reference"], row["n_predicted"], row["n_matched"]
    a, b = (math.sqrt(n / math.pi) / largest for n in (true, given))
    apart = distance(a, b, both / largest**2)
    # The pair is centred as a whole.
    left = (-apart - b + a) / 2
    right = left + apart
    for x, radius, fill in ((left, a, GREY), (right, b, colour)):
        if radius:
            axes.add_patch(Circle((x, 0), radius, facecolor=fill, alpha=0.35, linewidth=0))
            axes.add_patch(Circle((x, 0), radius, fill=False, edgecolor=fill, linewidth=1.2))
    # Numbers beside the circles, where they do not depend on the size of a region.
    for x, align, n in (
        (left - a - 0.12, "right", true - both),
        (right + b + 0.12, "left", given - both),
    ):
        axes.text(x, 0, f"{n:,}", ha=align, va="center", fontsize=pt(8))
    if both:
        middle = (right - b + left + a) / 2
        axes.text(middle, 0, f"{both:,}", ha="center", va="center", fontsize=pt(8))
    other = HANDS[1 - HANDS.index(row["hand"])]
    axes.text(
        0, -1.5, f"{row['n_mixed']:,} given to the {other} hand", ha="center", fontsize=pt(7.5)
    )


def distance(a: float, b: float, shared: float) -> float:
    """Distance between the centres of circles with radii ``a`` and ``b`` that share an area.

    Circles that share nothing touch; of one inside the other the edges touch.
    """
    apart, within = a + b, abs(a - b)
    if shared <= 0:
        return apart
    for _ in range(60):
        middle = (apart + within) / 2
        if shared_area(a, b, middle) < shared:
            apart = middle
        else:
            within = middle
    return (apart + within) / 2


def shared_area(a: float, b: float, apart: float) -> float:
    """Area that two circles with radii ``a`` and ``b`` share, their centres ``apart``."""
    if apart >= a + b:
        return 0.0
    if apart <= abs(a - b):
        return math.pi * min(a, b) ** 2
    x = (apart**2 + a**2 - b**2) / (2 * apart)
    half = math.sqrt(max(a**2 - x**2, 0.0))
    return a**2 * math.atan2(half, x) + b**2 * math.atan2(half, apart - x) - half * apart
