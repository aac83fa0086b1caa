"""The probe panels as heat maps, in the layout of the paper.

Variants are across, models down, forward above inverse.
"""

import textwrap
from collections.abc import Mapping
from typing import Any, NamedTuple

import polars as pl

from enact_assets.results.report.drawing import FAINT, INK, canvas, drawable, finished, pt
from enact_assets.results.report.parts import (
    BOTH_KINDS,
    Figure,
    Part,
    Section,
    Table,
    Text,
    p_value,
    points,
    words,
)
from enact_assets.results.report.rows import ReportRows
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


def heat_maps(
    rows: ReportRows, panel: str, title: str, variants: list[str], cells: list[dict[str, Any]]
) -> list[Figure]:
    """Figures of a panel, of up to :data:`VARIANTS_ABREAST` variants each.

    ``cells`` have kind, model, variant, is_published, delta (None: no number), mark, and
    is_significant. They need not be complete: missing cells are hatched.
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
            labels.append(
                f"{drawable(model, 22)} (publ.)" if is_published else rows.label(model, 22)
            )
            y += 1.0
        axes.set_yticks(ticks, labels)
        letters = TICK_LETTERS if is_narrow else FEW_TICK_LETTERS
        width = letters // max(len(variants), 1)
        axes.set_xticks(range(len(variants)), [_tick(v, width) for v in variants])
        axes.xaxis.tick_top()
        axes.tick_params(length=0)
        if len(variants) > 3:
            axes.tick_params(axis="x", labelsize=pt(7 if is_narrow else 8))
        axes.set_xlim(-0.5, len(variants) - 0.5)
        axes.set_ylim(y - 0.5, -1.1)
        for spine in axes.spines.values():
            spine.set_visible(False)
        axes.set_title(title, pad=8)
        marked = [c for c in cells if c["is_significant"]]
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


def _tick(variant: str, width: int) -> str:
    """The name in lines of up to ``width`` letters."""
    lines = textwrap.wrap(
        drawable(words(variant), 60), min(width, 18), max_lines=TICK_LINES, placeholder="…"
    )
    return "\n".join(lines)


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
        title, order = PAPER_PANELS.get(panel, (words(panel).capitalize(), ()))
        variants = sorted(
            {cell["variant"] for cell in cells},
            key=lambda v: (order.index(v) if v in order else len(order), v),
        )
        parts += heat_maps(rows, panel, title, variants, cells)
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
        *("model", "variant", "kind", "difference", "95 % interval"),
        *("p, clustered, Holm", "p, sign flip, Holm", "p, Welch", "questions", "without score"),
    )
    lines = []
    for row in ours.sort("panel", "variant", "kind", "model").iter_rows(named=True):
        of = _told(row)
        low, high = points(of.low), points(of.high)
        interval = low if of.low is None else f"{low} to {high}"
        n_questions = f"{row['n_paired']:,}"
        if not row["n_paired"]:
            n_questions = f"{row['n_variant']:,} against {row['n_baseline']:,}, not paired"
        lines.append(
            (
                rows.marked(row["model"]),
                words(row["variant"]),
                row["kind"],
                points(of.difference),
                interval,
                p_value(of.holm_p),
                p_value(row["sign_flip_holm_p"]),
                p_value(row["welch_p"]),
                n_questions,
                f"{row['n_missing']:,}",
            )
        )
    caption = "Differences to the baseline in percentage points, all lengths, models measured here"
    return Table(caption, columns, tuple(lines), n_words=3)


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
    for row in ours.sort("model", "variant", "kind").iter_rows(named=True):
        of = _told(row)
        stars = _stars(of.holm_p)
        is_other = not row["n_paired"] and of.difference is not None
        cells.append(
            {
                "kind": row["kind"],
                "model": row["model"],
                "variant": row["variant"],
                "is_published": False,
                "delta": of.difference,
                "mark": stars + (UNPAIRED_MARK if is_other else ""),
                "is_significant": bool(stars),
            }
        )
    for row in theirs.sort("published_model", "published_variant", "kind").iter_rows(named=True):
        is_marked = row["welch_p"] < PUBLISHED_LEVEL
        cells.append(
            {
                "kind": row["kind"],
                "model": row["published_model"],
                "variant": _column(row["published_variant"], here),
                "is_published": True,
                "delta": row["delta"],
                "mark": PUBLISHED_MARK if is_marked else "",
                "is_significant": is_marked,
            }
        )
    return cells


def _column(condition: str, here: Mapping[str, str]) -> str:
    """Name of the column of a condition of the paper: ours, if that name is not another's."""
    if condition in here:
        return here[condition]
    return f"{condition} (paper)" if condition in here.values() else condition


class _Told(NamedTuple):
    """Text for a probe: its difference, interval, and p-value corrected by Holm."""

    difference: float | None
    low: float | None
    high: float | None
    holm_p: float | None


def _told(row: dict[str, Any]) -> _Told:
    """Over questions scored on both sides; where there is none, of all questions of each side."""
    names = ("paired_delta", "paired_low", "paired_high", "paired_holm_p")
    if not row["n_paired"]:
        names = ("delta", "unpaired_low", "unpaired_high", "unpaired_holm_p")
    return _Told(*(row[name] for name in names))


def _stars(p: float | None) -> str:
    return "" if p is None else next((mark for level, mark in LEVELS if p < level), "")
