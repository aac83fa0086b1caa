"""The probe panels: differences to the baseline as heat maps, accuracies per setting as bars.

In the layout of the paper's figures: 4 and 17, where variants are across, models down, forward
above inverse; 19, 27, 31 and 35.
"""

import textwrap
from collections.abc import Iterable, Mapping
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
    count,
    p_value,
    percent,
    points,
    table,
    words,
)
from enact_assets.results.report.rows import ReportRows, best_first
from enact_assets.settings.registry import BASELINE

PAPER_PANELS = {
    "realism": ("A. Image realism", ("realistic", "path_tracing", "ray_tracing_only")),
    "camera_fov": (
        "B.1 Camera field of view",
        ("aperture_30", "aperture_60", "aperture_80", "fisheye"),
    ),
    "camera_height": ("B.2 Camera height", ("high", "low")),
    "robot_appearance": (
        "C.1 Robot appearance",
        ("white_color", "random_color", "skin_color"),
    ),
}
"""Panels of the paper's figures 4 and 17 -> title, variants in its order."""
LEVELS = ((0.001, "***"), (0.01, "**"), (0.05, "*"))
PUBLISHED_MARK, PUBLISHED_LEVEL = "†", 0.05
UNPAIRED_MARK = "‡"

VARIANTS_ABREAST = 6
"""Most variants in one figure: with more, cells would be narrower than their numbers."""
WIDE = 4
"""Up to this many variants, number and mark share a line; beyond it they take two."""
TICK_LETTERS, FEW_TICK_LETTERS, TICK_LINES = 56, 34, 3
"""Letters that fit above a figure side by side, small and not so small, and lines of a name."""
LARGEST = 0.2
"""Difference at which the colour is full."""
_LINE_IN = 0.27
BASELINE_PLACES = {"realism": 2, "camera_fov": 1, "camera_height": 1, "robot_appearance": 1}
"""Place of the baseline in the paper's bars, from 0; in other panels it is first."""
MODELS_ABREAST, SETTINGS_BELOW = 6, 8
"""Most bars of one setting, and settings of one figure: more could not be distinguished."""
SETTING_TICK = 16, 2
"""Letters that fit beside bars, and lines of a name."""


def heat_maps(
    rows: ReportRows, panel: str, title: str, variants: list[str], cells: list[dict[str, Any]]
) -> list[Figure]:
    """Figures of a panel, of up to :data:`VARIANTS_ABREAST` variants each.

    ``cells`` have kind, model, variant, is_published, delta (None: no number) and mark. They need
    not be complete: missing cells are hatched.
    """
    n_figures = -(-len(variants) // VARIANTS_ABREAST)
    figures = []
    for n in range(n_figures):
        shown = _block(variants, n, n_figures)
        name, heading = f"probes_{panel}", title
        if n_figures > 1:
            heading += f", {n + 1} of {n_figures}"
            name += f"_{n + 1}" if n else ""
        of_these = [cell for cell in cells if cell["variant"] in shown]
        figures.append(_heat_map(rows, name, heading, shown, of_these))
    return figures


def _block(variants: list[str], n: int, n_blocks: int) -> list[str]:
    """The ``n``-th of blocks of nearly equal size, in the order of ``variants``."""
    at = [len(variants) * k // n_blocks for k in (n, n + 1)]
    return variants[at[0] : at[1]]


def _heat_map(
    rows: ReportRows, name: str, title: str, variants: list[str], cells: list[dict[str, Any]]
) -> Figure:
    from matplotlib import colormaps
    from matplotlib.patches import Rectangle

    colours = colormaps["PuOr"]
    of = {(c["kind"], c["is_published"], c["model"], c["variant"]): c for c in cells}
    lines = [
        (kind, *whose)
        for kind in BOTH_KINDS
        for whose in dict.fromkeys(
            (c["is_published"], c["model"]) for c in cells if c["kind"] == kind
        )
    ]
    is_narrow = len(variants) > WIDE
    between = "\n" if is_narrow else " "
    height = 1.25 + _LINE_IN * (len(lines) + 1)
    with canvas(height) as (drawn, (axes,)):
        y, ticks, labels = 0.0, [], []
        before = None
        for kind, is_published, model in lines:
            if kind != before:
                y += 0.0 if before is None else 1.0
                axes.text(-0.5, y - 0.62, kind, fontweight="bold", va="bottom", ha="left")
                before = kind
            for x, variant in enumerate(variants):
                cell = of.get((kind, is_published, model, variant))
                delta = cell["delta"] if cell else None
                box: dict[str, Any] = {
                    "xy": (x - 0.5, y - 0.5),
                    "width": 1,
                    "height": 1,
                    "edgecolor": "white",
                    # Cells are within the axes: asking each for its size takes seconds.
                    "in_layout": False,
                }
                if cell is None or delta is None:
                    empty = {**box, "edgecolor": FAINT, "linewidth": 0}
                    axes.add_patch(Rectangle(**empty, facecolor="white", hatch="////"))
                    continue
                share = max(-1.0, min(1.0, delta / LARGEST))
                # Orange is worse, purple better; both are light enough in the middle for ink.
                colour = colours(0.5 + 0.5 * share)
                axes.add_patch(Rectangle(**box, facecolor=colour))
                axes.text(
                    x,
                    y,
                    between.join(text for text in (points(delta), cell["mark"]) if text),
                    ha="center",
                    va="center",
                    fontsize=pt(6.8 if is_narrow else 8.5),
                    linespacing=0.9,
                    in_layout=False,
                    color="white" if abs(share) > 0.75 else INK,
                )
            ticks.append(y)
            labels.append(rows.label(model, 22, whose="published" if is_published else "here"))
            y += 1.0
        axes.set_yticks(ticks, labels)
        longest = max((len(word) for v in variants for word in words(v).split()), default=0)
        has_room = longest <= FEW_TICK_LETTERS // max(len(variants), 1)
        letters = FEW_TICK_LETTERS if has_room and not is_narrow else TICK_LETTERS
        width = letters // max(len(variants), 1)
        axes.set_xticks(range(len(variants)), [_tick(v, min(width, 18)) for v in variants])
        axes.xaxis.tick_top()
        axes.tick_params(length=0)
        if len(variants) > 3 or not has_room:
            axes.tick_params(axis="x", labelsize=pt(7 if is_narrow or not has_room else 8))
        axes.set_xlim(-0.5, len(variants) - 0.5)
        axes.set_ylim(y - 0.5, -1.1)
        for spine in axes.spines.values():
            spine.set_visible(False)
        axes.set_title(title, pad=8)
        marked = [c for c in cells if c["mark"].strip(UNPAIRED_MARK)]
        scored = [c for c in cells if c["delta"] is not None]
        alt = (
            f"Heat map of {len(scored)} differences to the baseline, {len(marked)} of them marked "
            f"as significant. Variants: {', '.join(words(v) for v in variants)}."
        )
        if scored:
            worst = min(scored, key=lambda c: (c["delta"], c["model"], c["variant"], c["kind"]))
            alt += (
                f" Lowest: {worst['model']}, {words(worst['variant'])}, {worst['kind']}, "
                f"{points(worst['delta'])} points."
            )
        is_mixed = len({cell["is_published"] for cell in cells}) > 1
        return finished(drawn, name, title, alt, rows.beside_published if is_mixed else "")


def _tick(variant: str, width: int, most_lines: int = TICK_LINES) -> str:
    """The name in lines of up to ``width`` letters."""
    name = drawable(words(variant), 60)
    return "\n".join(textwrap.wrap(name, width, max_lines=most_lines, placeholder="…"))


def _title(panel: str) -> str:
    return PAPER_PANELS[panel][0] if panel in PAPER_PANELS else words(panel).capitalize()


def _in_order(panel: str, variants: Iterable[str]) -> list[str]:
    """``variants`` in the paper's order; further ones by name."""
    _, order = PAPER_PANELS.get(panel, ("", ()))
    return sorted(set(variants), key=lambda v: (order.index(v) if v in order else len(order), v))


def probes(rows: ReportRows) -> Section:
    """All panels: the paper's, which also hold its numbers, and our further ones."""
    ours, theirs = rows["probes"], rows["published_probes"]
    of_baseline = rows["caveats"].filter(variant=BASELINE)["caveat"]
    parts: list[Part] = []
    if ours.is_empty():
        parts.append(
            Text(
                "Only the baseline has answers, so the panels show published numbers only. "
                "`enact-assets materialize --variant fisheye` adds a variant.",
                is_notice=True,
            )
        )
    parts.append(
        Text(
            "Each cell is the pairwise accuracy under a variant minus that under the baseline, "
            "in percentage points, over all lengths. Below zero the variant is worse. For models "
            "measured here, the cell is the mean difference over questions scored under both, "
            "and stars mark the test clustered by demonstration, Holm-corrected within the "
            "panel: * p < 0.05, ** p < 0.01, *** p < 0.001. In published rows † marks p < 0.05 "
            "of the paper's uncorrected Welch tests. Hatched cells have no number."
            + _about_unpaired(ours)
        )
    )
    if ours.height:
        parts += [Text(f"All models measured here: {text}") for text in of_baseline]
    others = sorted(set(ours["panel"]) - set(PAPER_PANELS))
    for panel in (*PAPER_PANELS, *others):
        cells = _cells(rows, ours.filter(panel=panel), theirs.filter(panel=panel))
        if not cells:
            parts.append(Text(f"Panel {words(panel)}: no numbers."))
            continue
        variants = _in_order(panel, (cell["variant"] for cell in cells))
        parts += heat_maps(rows, panel, _title(panel), variants, cells)
        shown = theirs.filter(panel=panel)
        parts += _footnotes(ours.filter(panel=panel)["variant"], rows["caveats"], shown)
    if ours.height:
        parts.append(probe_table(rows))
    return Section("probes", "Probes: what models are sensitive to", tuple(parts))


def probe_table(rows: ReportRows, *, has_references: bool = True) -> Table:
    """Differences to the baseline with intervals and p-values, one row per probe.

    Without references only if there are models besides.
    """
    ours = rows["probes"]
    if not has_references:
        ours = ours.filter(pl.col("model").is_in(rows.preferred(ours["model"].unique())))
    columns = (
        ("model", rows.marked, "model"),
        ("variant", words, "variant"),
        ("kind", str, "kind"),
        ("difference", points, "difference"),
        ("95 % interval", _interval, "low", "high"),
        ("p, clustered, Holm", p_value, "holm_p"),
        ("p, sign flip, Holm", p_value, "sign_flip_holm_p"),
        ("p, Welch", p_value, "welch_p"),
        ("questions", _compared, "n_paired", "n_variant", "n_baseline"),
        ("without score", count, "n_missing"),
    )
    found = _read(ours).sort("panel", "variant", "kind", "model").to_dicts()
    caption = "Differences to the baseline in percentage points, all lengths, models measured here"
    return table(caption, found, columns, n_words=3)


def _interval(low: float | None, high: float | None) -> str:
    return points(low) if low is None else f"{points(low)} to {points(high)}"


def _compared(n_paired: int, n_variant: int, n_baseline: int) -> str:
    return f"{n_paired:,}" if n_paired else f"{n_variant:,} against {n_baseline:,}, not paired"


def _about_unpaired(ours: pl.DataFrame) -> str:
    if ours.filter(n_paired=0).is_empty():
        return ""
    return (
        f" {UNPAIRED_MARK}: the gating differs, so no question is scored under both. The cell is "
        "the difference of the two means, with a test clustered by demonstration. It compares "
        "different questions, so read it with care."
    )


def _footnotes(variants: pl.Series, caveats: pl.DataFrame, theirs: pl.DataFrame) -> list[Text]:
    """Differences between measured variants and the paper's, and where the paper's text
    deviates.
    """
    ours = [
        f"{words(variant)}: {text}"
        for variant, text in caveats.sort("variant").iter_rows()
        if variant in variants
    ]
    noted = theirs.drop_nulls("note").sort("published_model", "published_variant", "kind")
    published = [
        f"{row['published_model']} (publ.), {words(row['published_variant'])}, {row['kind']}: "
        f"{row['place_in_paper']} has {points(row['delta'])}, p = {row['welch_p']:.2f}. "
        f"{row['note']}"
        for row in noted.iter_rows(named=True)
    ]
    lines = [("Measured here differs from the paper. ", ours), ("Paper: ", published)]
    return [Text(start + " ".join(found)) for start, found in lines if found]


def _cells(rows: ReportRows, ours: pl.DataFrame, theirs: pl.DataFrame) -> list[dict[str, Any]]:
    """Kind, model, variant, whether it is published, difference, mark; our results first.

    References only where no model was asked: some of them have zeros by construction. Published
    cells are below our variant with the same settings, whatever its name is.
    """
    cells = []
    ours = ours.filter(pl.col("model").is_in(rows.preferred(ours["model"].unique())))
    here = dict(rows["conditions"].iter_rows())
    for row in _read(ours).sort("model", "variant", "kind").iter_rows(named=True):
        mark = stars(row["holm_p"])
        is_other = not row["n_paired"] and row["difference"] is not None
        cells.append(
            {
                "kind": row["kind"],
                "model": row["model"],
                "variant": row["variant"],
                "is_published": False,
                "delta": row["difference"],
                "mark": mark + (UNPAIRED_MARK if is_other else ""),
            }
        )
    published = theirs.sort("published_model", "published_variant", "kind")
    return cells + [
        {
            "kind": row["kind"],
            "model": row["published_model"],
            "variant": _column(row["published_variant"], here),
            "is_published": True,
            "delta": row["delta"],
            "mark": PUBLISHED_MARK if row["welch_p"] < PUBLISHED_LEVEL else "",
        }
        for row in published.iter_rows(named=True)
    ]


def _column(condition: str, here: Mapping[str, str]) -> str:
    """Name of the column of a condition of the paper: ours, if that name is not another's."""
    if condition in here:
        return here[condition]
    return f"{condition} (paper)" if condition in here.values() else condition


def _read(ours: pl.DataFrame) -> pl.DataFrame:
    """``ours`` with difference, its interval from low to high, and holm_p, corrected by Holm: over
    questions scored on both sides; where there is none, of all questions of each side.
    """
    paired = ("paired_delta", "paired_low", "paired_high", "paired_holm_p")
    unpaired = ("delta", "unpaired_low", "unpaired_high", "unpaired_holm_p")
    names = ("difference", "low", "high", "holm_p")
    return ours.with_columns(
        pl.when(pl.col("n_paired") > 0).then(p).otherwise(u).alias(name)
        for p, u, name in zip(paired, unpaired, names, strict=True)
    )


def stars(p: float | None) -> str:
    """Stars of the smallest of :data:`LEVELS` that ``p`` is below."""
    return "" if p is None else next((mark for level, mark in LEVELS if p < level), "")


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
    models = best_first(scores, accuracy="pairwise_accuracy")
    found = set(scores["panel"])
    for panel in (*PAPER_PANELS, *sorted(found - set(PAPER_PANELS))):
        if panel not in found:
            continue
        of_panel = scores.filter(panel=panel)
        settings = _settings(panel, of_panel)
        blocks = [
            settings[start : start + SETTINGS_BELOW]
            for start in range(0, len(settings), SETTINGS_BELOW)
        ]
        for n, block in enumerate(blocks):
            name = f"settings_{panel}" + (f"_{n + 1}" if n else "")
            shown = _title(panel) + (f", {n + 1} of {len(blocks)}" if len(blocks) > 1 else "")
            parts.append(_bars(rows, name, shown, of_panel, block, models))
        of = {(row["model"], row["variant"], row["kind"]): row for row in of_panel.to_dicts()}
        for setting in settings:
            for model in models:
                both = [of.get((model, setting, kind)) for kind in BOTH_KINDS]
                if any(both):
                    cells = [text for row in both for text in _bar_cells(row)]
                    lines.append((rows.marked(model), words(panel), words(setting), *cells))
    columns = ("model", "panel", "setting", "forward %", "questions", "inverse %", "questions")
    caption = "Pairwise accuracy per setting with standard errors, all lengths"
    parts.append(Table(caption, columns, tuple(lines), n_words=3))
    return Section("settings", title, tuple(parts))


def _settings(panel: str, of_panel: pl.DataFrame) -> list[str]:
    """Settings in the paper's order, the baseline at its place there; further ones by name."""
    variants = _in_order(panel, of_panel.filter(~pl.col("is_baseline"))["variant"])
    _, order = PAPER_PANELS.get(panel, ("", ()))
    before = set(order[: BASELINE_PLACES.get(panel, 0)])
    for baseline in of_panel.filter("is_baseline")["variant"].unique():
        variants.insert(len(before.intersection(variants)), baseline)
    return variants


def _bar_cells(row: dict[str, Any] | None) -> tuple[str, str]:
    if row is None:
        return NONE, "0"
    error = row["clustered_standard_error"]
    text = percent(row["pairwise_accuracy"])
    if error is not None:
        text += f" ± {percent(error)}"
    return text, f"{row['n_questions']:,}"


def _bars(  # noqa: PLR0917 - one call
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
        panels[0].set_yticks(range(len(settings)), [_tick(s, *SETTING_TICK) for s in settings])
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
