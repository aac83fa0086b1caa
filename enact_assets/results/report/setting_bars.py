"""Bars of pairwise accuracy per setting of each panel, as in figures 19, 27, 31 and 35."""

import textwrap
from typing import Any

import polars as pl

from enact_assets.results.report.drawing import CHANCE, FAINT, INK, canvas, drawable, finished, pt
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
from enact_assets.results.report.probes import PAPER_PANELS
from enact_assets.results.report.rows import ReportRows

BASELINE_PLACES = {"realism": 2, "camera_fov": 1, "camera_height": 1, "robot_appearance": 1}
"""Place of the baseline in the paper's figures, from 0; in other panels it is first."""
MODELS_ABREAST, SETTINGS_BELOW = 6, 8
"""Most bars of one setting, and settings of one figure: more could not be distinguished."""


def setting_bars(rows: ReportRows) -> Section:
    """Pairwise accuracy with its standard error, per panel, setting, model and kind."""
    title = "Accuracy per setting"
    scores = rows["probe_scores"]
    if scores.is_empty():
        text = "Only the baseline has answers, so there is no setting to compare it with."
        return Section("settings", title, (Text(text, is_notice=True),))
    about = Text(
        "Pairwise accuracy, right steps over all steps, baseline in bold; the tests of the probes "
        "compare means over questions. Bars are standard errors, clustered by demonstration; the "
        "paper's take questions as independent. With one demonstration there are none. Dotted "
        "lines are what a random order is expected to score on the same questions. Reference "
        "baselines are drawn only where no model was asked; the table has them. Settings of one "
        "panel share their questions, but for another gating, so overlapping bars do not mean that "
        "a difference is not significant: see the probes above."
    )
    parts: list[Part] = [about]
    lines: list[tuple[str, ...]] = []
    models = _best_first(scores)
    panels = sorted(set(scores["panel"]), key=lambda p: (_rank(p), p))
    for panel in panels:
        of_panel = scores.filter(panel=panel)
        settings = _settings(panel, of_panel)
        heading = PAPER_PANELS[panel][0] if panel in PAPER_PANELS else words(panel).capitalize()
        blocks = [
            settings[start : start + SETTINGS_BELOW]
            for start in range(0, len(settings), SETTINGS_BELOW)
        ]
        for n, block in enumerate(blocks):
            name = f"settings_{panel}" + (f"_{n + 1}" if n else "")
            shown = heading + (f", {n + 1} of {len(blocks)}" if len(blocks) > 1 else "")
            parts.append(_figure(rows, name, shown, of_panel, block, models))
        of = {(row["model"], row["variant"], row["kind"]): row for row in of_panel.to_dicts()}
        for setting in settings:
            for model in models:
                both = [of.get((model, setting, kind)) for kind in BOTH_KINDS]
                if any(both):
                    cells = [text for row in both for text in _cells(row)]
                    lines.append((rows.marked(model), words(panel), words(setting), *cells))
    columns = ("model", "panel", "setting", "forward %", "questions", "inverse %", "questions")
    caption = "Pairwise accuracy per setting with standard errors, all lengths"
    parts.append(Table(caption, columns, tuple(lines), n_words=3))
    return Section("settings", title, tuple(parts))


def _rank(panel: str) -> int:
    known = list(PAPER_PANELS)
    return known.index(panel) if panel in known else len(known)


def _settings(panel: str, of_panel: pl.DataFrame) -> list[str]:
    """Settings in the paper's order, the baseline at its place there; further ones by name."""
    order = PAPER_PANELS[panel][1] if panel in PAPER_PANELS else ()
    variants = sorted(
        set(of_panel.filter(~pl.col("is_baseline"))["variant"]),
        key=lambda v: (order.index(v) if v in order else len(order), v),
    )
    before = set(order[: BASELINE_PLACES.get(panel, 0)])
    for baseline in of_panel.filter("is_baseline")["variant"].unique():
        variants.insert(len(before.intersection(variants)), baseline)
    return variants


def _best_first(scores: pl.DataFrame) -> list[str]:
    return (
        scores.group_by("model")
        .agg(pl.col("pairwise_accuracy").mean())
        .sort("pairwise_accuracy", "model", descending=[True, False])["model"]
        .to_list()
    )


def _cells(row: dict[str, Any] | None) -> tuple[str, str]:
    if row is None:
        return NONE, "0"
    error = row["clustered_standard_error"]
    text = percent(row["pairwise_accuracy"])
    if error is not None:
        text += f" ± {percent(error)}"
    return text, f"{row['n_questions']:,}"


def _figure(  # noqa: PLR0917 - one call
    rows: ReportRows,
    name: str,
    title: str,
    of_panel: pl.DataFrame,
    settings: list[str],
    models: list[str],
) -> Figure:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    of = {(row["kind"], row["model"], row["variant"]): row for row in of_panel.to_dicts()}
    baselines = set(of_panel.filter("is_baseline")["variant"])
    here = set(of_panel["model"])
    known = rows.preferred(m for m in models if m in here)
    drawn_models = known[:MODELS_ABREAST]
    chances = {
        (row["kind"], row["variant"]): row["pairwise_accuracy"]
        for row in rows["setting_chance"].iter_rows(named=True)
        if row["panel"] == of_panel.item(0, "panel")
    }
    of_these = of_panel.filter(
        pl.col("variant").is_in(settings), pl.col("model").is_in(drawn_models)
    )
    thickness = 0.8 / len(drawn_models)
    group_in = 0.13 * len(drawn_models) + 0.14
    height = 1.15 + group_in * len(settings) + 0.17 * -(-(len(drawn_models) + 1) // 2)
    with canvas(height, columns=2, sharey=True) as (drawn, panels):
        for axes, kind in zip(panels, BOTH_KINDS, strict=True):
            for m, model in enumerate(drawn_models):
                for y, setting in enumerate(settings):
                    row = of.get((kind, model, setting))
                    if row is None:
                        continue
                    place = y + (m - (len(drawn_models) - 1) / 2) * thickness
                    mean = 100 * row["pairwise_accuracy"]
                    axes.barh(place, mean, 0.92 * thickness, **rows.looks[model].bar)
                    error = row["clustered_standard_error"]
                    if error:
                        ends = [mean - 100 * error, mean + 100 * error]
                        axes.plot(ends, [place] * 2, color=INK, linewidth=1)
            for y, setting in enumerate(settings):
                chance = chances.get((kind, setting))
                if chance is not None:
                    axes.plot([100 * chance] * 2, [y - 0.45, y + 0.45], **CHANCE)
            axes.set_title(kind)
            axes.set_xlabel("pairwise accuracy, %")
            axes.set_xlim(0, 104)
            axes.set_xticks([0, 25, 50, 75, 100])
            axes.grid(axis="x", color=FAINT, linewidth=0.6)
            axes.set_axisbelow(True)
            axes.tick_params(axis="y", length=0)
        panels[0].set_yticks(range(len(settings)), [_tick(s) for s in settings])
        panels[0].set_ylim(len(settings) - 0.5, -0.5)
        for label, setting in zip(panels[0].get_yticklabels(), settings, strict=True):
            label.set_fontweight("bold" if setting in baselines else "normal")
        drawn.suptitle(title, x=0.02, ha="left", fontsize=pt(10), fontweight="bold")
        handles = [
            *(Patch(**rows.looks[m].bar, label=rows.label(m, 24)) for m in drawn_models),
            *([Line2D([], [], **CHANCE, label="chance (random order)")] if chances else ()),
        ]
        drawn.legend(handles=handles, loc="outside lower center", ncols=2)
        caption = f"{title}: pairwise accuracy per setting"
        if len(known) > len(drawn_models):
            caption += f", the best {len(drawn_models)} of {len(known)} models"
        alt = (
            f"Bars of {len(drawn_models)} models under {len(settings)} settings, with standard "
            f"errors: {', '.join(words(s) for s in settings)}. "
        )
        if of_these.height:
            lowest = of_these.sort("pairwise_accuracy", "model", "variant", "kind").row(
                0, named=True
            )
            alt += (
                f"Lowest: {lowest['model']}, {words(lowest['variant'])}, {lowest['kind']}, "
                f"{percent(lowest['pairwise_accuracy'])} %. "
            )
        alt += "The table below has the numbers."
        return finished(drawn, name, caption, alt)


def _tick(setting: str) -> str:
    """Its name in up to two lines."""
    name = drawable(words(setting), 60)
    return "\n".join(textwrap.wrap(name, 16, max_lines=2, placeholder="…"))
