"""Which errors the best models share: a bar for each combination of models."""

from typing import Any

import polars as pl

from enact_assets.results.report.drawing import FAINT, GREY, canvas, finished, pt
from enact_assets.results.report.error_section import UNCOMPARED
from enact_assets.results.report.looks import COLOURS
from enact_assets.results.report.official_questions import has_unverified
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

NOBODY = "none of them"


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
            parts.append(_figure(rows, kind, steps))
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


def _figure(rows: ReportRows, kind: str, combinations: list[dict[str, Any]]) -> Figure:
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
