"""Errors of wrong answers: structural and semantic shares, what models share, mismatch."""

from collections.abc import Mapping
from typing import Any

import polars as pl

from enact_assets.results.report.drawing import FAINT, GREY, canvas, finished, pt
from enact_assets.results.report.looks import COLOURS
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
from enact_assets.results.report.rows import ReportRows, has_unverified

CATEGORIES = (
    *("omission", "hallucination", "entity_substitution"),
    *("predicate_substitution", "polarity_inversion"),
)
CLASSES = (
    *("spatial_relation", "agent_interaction", "functional_state", "material_state", "contact"),
)
_BY = {"structural": "by structure", "semantic": "by meaning"}
_HATCHES = ("", "", "///", "...", "xx")
_SHADES = (COLOURS[0], COLOURS[4], COLOURS[5], COLOURS[3], COLOURS[2])
NO_WRONG = "No comparable answer was wrong, so there are no errors to show."
UNCOMPARED = (
    "Of answers that are scored by exact match, as no replay was imported, no steps are compared. "
    "The others have no errors to show."
)

NOBODY = "none of them"


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


def shared_errors(rows: ReportRows) -> Section:
    """Steps and questions that several of the best models get wrong together."""
    title = "Errors that models share"
    found = rows["shared_errors"].filter(pl.col("share").is_not_null())
    if found.is_empty():
        text = "Fewer than two models have wrong answers, so no errors can be shared."
        if has_unverified(rows):
            text = UNCOMPARED
        return Section("shared-errors", title, (Text(text, is_notice=True),))
    parts: list[Part] = [
        Text(
            "Each bar counts the steps that exactly the marked models get wrong; bars of a figure "
            "add up to all steps that can be compared. Shown are up to four models with errors, "
            "the best by pairwise accuracy; reference baselines appear only where fewer models "
            "have answers. An answer without a readable order gets every step wrong; steps of one "
            "with too few labels are not compared."
        )
    ]
    lines: list[tuple[str, ...]] = []
    for kind in BOTH_KINDS:
        steps = _most_first(found.filter(kind=kind, unit="step"))
        if steps:
            parts.append(_shared_figure(rows, kind, steps))
        else:
            parts.append(Text(f"No {kind} step was scored for two models."))
        questions = {
            tuple(row["wrong_models"]): row
            for row in _most_first(found.filter(kind=kind, unit="question"))
        }
        by_step = {tuple(row["wrong_models"]): row for row in steps}
        for models in dict.fromkeys((*by_step, *questions)):
            cells = [
                text
                for row in (by_step.get(models), questions.get(models))
                for text in (
                    (f"{row['n']:,}", percent(row["share"])) if row else ("0", percent(0.0))
                )
            ]
            lines.append((", ".join(models) or NOBODY, kind, *cells))
    columns = ("wrong together", "kind", "steps", "% of steps", "questions", "% of questions")
    caption = "Steps and questions by the models that get them wrong"
    parts.append(Table(caption, columns, tuple(lines), n_words=2))
    return Section("shared-errors", title, tuple(parts))


def _most_first(found: pl.DataFrame) -> list[dict[str, Any]]:
    rows = found.filter(pl.col("n") > 0).to_dicts()
    return sorted(rows, key=lambda row: (-row["n"], row["wrong_models"]))


def _shared_figure(rows: ReportRows, kind: str, combinations: list[dict[str, Any]]) -> Figure:
    models = combinations[0]["models"]
    total = sum(row["n"] for row in combinations)
    height = 1.15 + 0.2 * len(combinations) + 0.17 * -(-len(models) // 2)
    layout = {"width_ratios": [0.22 * len(models), 3]}
    with canvas(height, columns=2, sharey=True, gridspec_kw=layout) as (drawn, (dots, bars)):
        for y, row in enumerate(combinations):
            wrong = row["wrong_models"]
            at = [x for x, model in enumerate(models) if model in wrong]
            if at:
                dots.plot([at[0], at[-1]], [y, y], color=GREY, linewidth=1, zorder=1)
            dots.plot(range(len(models)), [y] * len(models), "o", color=FAINT, markersize=pt(3))
            for x in at:
                dots.plot([x], [y], **rows.looks[models[x]].marked(), markersize=pt(6), zorder=2)
            bars.barh(y, row["n"], 0.7, color=COLOURS[0] if at else FAINT)
            bars.annotate(
                f"{row['n']:,} ({percent(row['share'])} %)",
                (row["n"], y),
                xytext=(3, 0),
                textcoords="offset points",
                va="center",
                fontsize=pt(8),
            )
        for model in models:
            marked = rows.looks[model].marked()
            dots.plot([], [], **marked, linestyle="", label=rows.label(model, 24))
        dots.set_xlim(-0.6, len(models) - 0.4)
        dots.set_xticks([])
        dots.set_yticks([])
        dots.set_ylim(len(combinations) - 0.5, -0.5)
        for side in ("left", "bottom"):
            dots.spines[side].set_visible(False)
        dots.set_title(kind)
        # Room for the number behind the longest bar.
        bars.set_xlim(0, 1.45 * max(row["n"] for row in combinations))
        bars.tick_params(axis="y", length=0)
        bars.set_xlabel("steps wrong for exactly these models")
        bars.locator_params(axis="x", nbins=4)
        handles, labels = dots.get_legend_handles_labels()
        drawn.legend(handles, labels, loc="outside lower center", ncols=2)
        most = "; ".join(
            f"{', '.join(row['wrong_models']) or NOBODY}: {row['n']:,}" for row in combinations[:3]
        )
        return finished(
            drawn,
            f"shared_errors_{kind}",
            f"Steps by the models that get them wrong, {kind} questions",
            f"Bars of {len(combinations)} combinations of {len(models)} models over {total:,} "
            f"steps. Largest: {most}. The table below has the numbers.",
        )


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
        marks = [rows.label(m, 22, whose=w) for m, w in bars]
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
            f"Errors {_BY[name]}: shares in % of all errors in wrong answers, {kind} questions",
            f"Stacked bars of {len(bars)} models; over all the largest share is "
            f"{words(first)}. The table below has the numbers.",
            rows.about_published if any(whose == "published" for _, whose in bars) else "",
        )
