"""Errors of wrong answers: structural and semantic shares, hands, inexact acceptance."""

from collections.abc import Mapping
from typing import Any

import polars as pl

from enact_assets.results.report.drawing import FAINT, canvas, drawable, finished, pt
from enact_assets.results.report.hand_circles import hand_circles
from enact_assets.results.report.looks import COLOURS
from enact_assets.results.report.official_questions import has_unverified
from enact_assets.results.report.parts import (
    BOTH_KINDS,
    NONE,
    Figure,
    Part,
    Section,
    Table,
    Text,
    percent,
    words,
)
from enact_assets.results.report.rows import ReportRows

CATEGORIES = (
    *("omission", "hallucination", "entity_substitution"),
    *("predicate_substitution", "polarity_inversion"),
)
CLASSES = (
    *("spatial_relation", "agent_interaction", "functional_state", "material_state", "contact"),
)
_HATCHES = ("", "", "///", "...", "xx")
_SHADES = (COLOURS[0], COLOURS[4], COLOURS[5], COLOURS[3], COLOURS[2])
NO_WRONG = "No comparable answer was wrong, so there are no errors to show."
UNCOMPARED = (
    "Of answers that are scored by exact match, as no replay was imported, no steps are compared. "
    "The others have no errors to show."
)
NO_HAND = (
    "Neither the wrong answers nor the true changes name a hand, so there are no hand statistics."
)
_RATES = (("precision", "precision"), ("recall", "recall"), ("mixing_rate", "mixing"))


def no_errors(rows: ReportRows) -> str:
    """Why there are no errors to show: no answer was wrong, or no wrong answer could be
    compared.
    """
    return UNCOMPARED if has_unverified(rows) else NO_WRONG


def structural(rows: ReportRows) -> Section:
    """Shares of the five structural categories among the errors of wrong answers."""
    published = {
        (row["kind"], row["published_model"], row["category"]): row["share"]
        for row in rows["published_error_shares"].iter_rows(named=True)
    }
    return _shares(
        rows,
        *("structural", "Errors by structure"),
        rows["structural"].rename({"category": "what"}),
        CATEGORIES,
        published,
        no_errors(rows),
        "A component is one change that a step shows. Omission: a true component is missing. "
        "Hallucination: a component is made up. Substitutions and inversions pair a missing with "
        "a made-up component that differ only in the objects, the predicate or the sign.",
    )


def semantic(rows: ReportRows) -> Section:
    """Shares of the semantic classes of predicates among the errors of wrong answers."""
    return _shares(
        rows,
        *("semantic", "Errors by meaning"),
        rows["semantic"].rename({"semantic_class": "what"}),
        CLASSES,
        {},
        no_errors(rows),
        "Kind of statement that an error is about. The paper shows these shares without numbers, "
        "so there are no published rows.",
    )


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
        n_true = NONE if row["n_reference"] is None else f"{row['n_reference']:,}"
        name = rows.marked(row["model"]) if row["whose"] == "here" else row["model"]
        table_rows.append((name, row["whose"], row["kind"], row["hand"], *rates, n_true))
    if table_rows:
        caption = "Hands: precision, recall and mixing rate, with standard errors"
        parts.append(Table(caption, columns, tuple(table_rows), n_words=4))
    return Section("handedness", "Handedness", tuple(parts))


def mismatch(rows: ReportRows) -> Section:
    """Share of accepted answers that omit changes."""
    columns = ("model", "whose", "kind", "questions %", "of accepted", "steps %", "of passing")
    lines = [
        (
            rows.marked(row["model"]),
            "here",
            row["kind"] or "both",
            percent(row["question_mismatch_rate"]),
            f"{row['n_accepted_questions']:,}",
            percent(row["step_mismatch_rate"]),
            f"{row['n_passed_steps']:,}",
        )
        for row in rows["mismatch"].iter_rows(named=True)
    ]
    published: dict[str, dict[str, float]] = {}
    for row in rows["published_mismatch_rates"].iter_rows(named=True):
        published.setdefault(row["published_model"], {})[row["level"]] = row["mismatch_rate"]
    for model, of_level in published.items():
        question, step = (percent(of_level.get(level)) for level in ("question", "step"))
        lines.append((model, "published", "both", question, NONE, step, NONE))
    text = Text(
        "In inverse questions the verifier accepts an action that names fewer changes than "
        "happened; in forward questions every change of the action must be seen. This is the share "
        "of accepted questions, and of passing steps, that omit changes and state nothing false."
    )
    if rows["mismatch"].is_empty():
        text = Text(f"{text.text} No answer here could be compared with the true changes.")
    caption = "Accepted answers that omit changes"
    return Section("mismatch", "Mismatch", (text, Table(caption, columns, tuple(lines), n_words=3)))


def _shares(  # noqa: PLR0917 - both callers read as one sentence
    report: ReportRows,
    name: str,
    title: str,
    ours: pl.DataFrame,
    known: tuple[str, ...],
    published: Mapping[tuple[str, str, str], float],
    why_none: str,
    about: str,
) -> Section:
    ours = ours.filter(pl.col("n_errors") > 0)
    parts: list[Part] = [Text(about)]
    if ours.is_empty():
        parts.insert(0, Text(why_none, is_notice=True))
    order = (*known, *sorted(set(ours["what"]) - set(known)))
    lines = []
    for kind in BOTH_KINDS:
        bars: dict[tuple[str, str], dict[str, float]] = {}
        n_errors: dict[tuple[str, str], str] = {}
        for row in ours.filter(kind=kind).sort("model").iter_rows(named=True):
            bars.setdefault((row["model"], "here"), {})[row["what"]] = row["share"]
        for (model,), of_model in ours.filter(kind=kind).group_by("model"):
            n_errors[str(model), "here"] = f"{of_model['n_errors'].sum():,}"
        for (of_kind, model, category), share in published.items():
            if of_kind == kind:
                bars.setdefault((model, "published"), {})[category] = share
        if bars:
            parts.append(_share_figure(report, name, kind, bars, order))
        for whose, shares in bars.items():
            numbers = (percent(shares.get(c, 0.0)) for c in order)
            model = report.marked(whose[0]) if whose[1] == "here" else whose[0]
            lines.append((model, whose[1], kind, *numbers, n_errors.get(whose, NONE)))
    if lines:
        columns = ("model", "whose", "kind", *(words(c) for c in order), "errors")
        caption = f"{title}, wrong answers: shares in %"
        parts.append(Table(caption, columns, tuple(lines), n_words=3))
    return Section(f"{name}-errors", title, tuple(parts))


def _share_figure(
    rows: ReportRows,
    name: str,
    kind: str,
    bars: dict[tuple[str, str], dict[str, float]],
    order: tuple[str, ...],
) -> Figure:
    with canvas(1.35 + 0.3 * len(bars)) as (drawn, (axes,)):
        places = range(len(bars))
        left = [0.0] * len(bars)
        for n, category in enumerate(order):
            shares = [100 * of.get(category, 0.0) for of in bars.values()]
            colour, hatch = _SHADES[n % len(_SHADES)], _HATCHES[n % len(_HATCHES)]
            style: dict[str, Any] = {
                "color": colour,
                "hatch": hatch,
                "edgecolor": "white",
                "linewidth": 0.5,
            }
            axes.barh(places, shares, 0.74, left, label=words(category), **style)
            for place, share in enumerate(shares):
                if share >= 12 and not hatch:
                    middle = left[place] + share / 2
                    ink = "white" if n == 0 else "black"
                    axes.text(middle, place, f"{share:.0f}", ha="center", va="center", color=ink)
            left = [a + b for a, b in zip(left, shares, strict=True)]
        marks = [_mark(rows, m, w, 22) for m, w in bars]
        axes.set_yticks(places, marks)
        axes.set_ylim(len(bars) - 0.5, -0.5)
        axes.set_xlim(0, 100)
        axes.set_xlabel("% of errors")
        axes.set_title(kind)
        drawn.legend(loc="outside lower center", ncols=2)
        most = {c: sum(of.get(c, 0.0) for of in bars.values()) for c in order}
        first = max(order, key=lambda c: most[c])
        return finished(
            drawn,
            f"errors_{name}_{kind}",
            f"Shares of errors in wrong answers, {kind} questions",
            f"Stacked bars of {len(bars)} models; over all the largest share is "
            f"{words(first)}. The table below has the numbers.",
        )


def _mark(rows: ReportRows, model: str, whose: str, limit: int) -> str:
    return f"{drawable(model, limit)} (publ.)" if whose == "published" else rows.label(model, limit)


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
        marks = [_mark(rows, m, w, 18) for m, w in whose]
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
        )


def _is_right_handed(of_kind: list[dict[str, Any]], whose: tuple[str, str]) -> bool:
    recall = {
        row["hand"]: row["recall"] for row in of_kind if (row["model"], row["whose"]) == whose
    }
    left, right = recall.get("left"), recall.get("right")
    return left is not None and right is not None and right > left
