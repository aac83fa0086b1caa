"""The probe panels as heat maps, in the layout of the paper: variants across, kinds below."""

from typing import Any

import polars as pl

from enact_assets.report.drawing import FAINT, INK, canvas, drawable, finished
from enact_assets.report.parts import (
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
from enact_assets.report.rows import ReportRows

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
LARGEST = 0.2
"""Difference at which the colour is full."""
LEVELS = ((0.001, "***"), (0.01, "**"), (0.05, "*"))
PUBLISHED_MARK, PUBLISHED_LEVEL = "†", 0.05
_LINE_IN = 0.27


def probes(rows: ReportRows) -> Section:
    """All panels: those of the paper, which also hold its numbers, and further ones of ours."""
    ours, theirs = rows["probes"], rows["published_probes"]
    parts: list[Part] = []
    if ours.is_empty():
        parts.append(
            Text(
                "No variant besides the baseline has answers: there is nothing of our own to "
                "compare. The panels show the published numbers alone. `enact-assets materialize "
                "--variant fisheye` would add one.",
                is_notice=True,
            )
        )
    parts.append(
        Text(
            "Each cell is the pairwise accuracy under a variant minus that under the baseline, in "
            "percentage points, over all lengths; below zero the variant is worse. For models "
            "answered here it is the mean difference over questions scored on both sides, and "
            "stars mark the test clustered by demonstration, corrected by Holm within the panel: "
            "* p < 0.05, ** p < 0.01, *** p < 0.001. In published rows † marks p < 0.05 of the "
            "paper's Welch tests, which are not corrected. Hatched cells have no number."
        )
    )
    others = sorted(set(ours["panel"]) - set(PAPER_PANELS))
    for panel in (*PAPER_PANELS, *others):
        cells = _cells(ours.filter(panel=panel), theirs.filter(panel=panel))
        if not cells:
            parts.append(Text(f"Panel {words(panel)}: no numbers."))
            continue
        title, order = PAPER_PANELS.get(panel, (words(panel).capitalize(), ()))
        variants = sorted(
            {cell["variant"] for cell in cells},
            key=lambda v: (order.index(v) if v in order else len(order), v),
        )
        parts.append(_heat_map(panel, title, variants, cells))
    if ours.height:
        parts.append(_table(ours))
    return Section("probes", "Probes: what models are sensitive to", tuple(parts))


def _cells(ours: pl.DataFrame, theirs: pl.DataFrame) -> list[dict[str, Any]]:
    """Kind, model, variant, whether it is published, difference, mark; ours first."""
    cells = [
        {
            "kind": row["kind"],
            "model": row["model"],
            "variant": row["variant"],
            "is_published": False,
            "delta": row["paired_delta"],
            "mark": _stars(row["paired_holm_p"]),
        }
        for row in ours.sort("model", "variant", "kind").iter_rows(named=True)
    ]
    for row in theirs.sort("published_model", "published_variant", "kind").iter_rows(named=True):
        is_marked = row["welch_p"] < PUBLISHED_LEVEL
        cells.append(
            {
                "kind": row["kind"],
                "model": row["published_model"],
                "variant": row["published_variant"],
                "is_published": True,
                "delta": row["delta"],
                "mark": PUBLISHED_MARK if is_marked else "",
            }
        )
    return cells


def _stars(p: float | None) -> str:
    return "" if p is None else next((mark for level, mark in LEVELS if p < level), "")


def _heat_map(panel: str, title: str, variants: list[str], cells: list[dict[str, Any]]) -> Figure:
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
                    points(delta) + (" " + cell["mark"] if cell["mark"] else ""),
                    ha="center",
                    va="center",
                    fontsize=8.5,
                    color="white" if abs(share) > 0.75 else INK,
                )
            ticks.append(y)
            labels.append(drawable(model, 22) + (" (publ.)" if is_published else ""))
            y += 1.0
        axes.set_yticks(ticks, labels)
        axes.set_xticks(range(len(variants)), [_tick(v) for v in variants])
        axes.xaxis.tick_top()
        axes.tick_params(length=0)
        if len(variants) > 3:
            axes.tick_params(axis="x", labelsize=8)
        axes.set_xlim(-0.5, len(variants) - 0.5)
        axes.set_ylim(y - 0.5, -1.1)
        for spine in axes.spines.values():
            spine.set_visible(False)
        axes.set_title(title, pad=8)
        marked = [c for c in cells if c["mark"]]
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
        return finished(drawn, f"probes_{panel}", title, alt)


def _tick(variant: str) -> str:
    """The name on up to two lines."""
    text = drawable(words(variant), 24)
    return text.replace(" ", "\n", 1) if len(text) > 8 else text


def _table(ours: pl.DataFrame) -> Table:
    columns = (
        *("model", "variant", "kind", "difference", "95 % interval"),
        *("p, clustered, Holm", "p, sign flip, Holm", "p, Welch", "questions", "without score"),
    )
    lines = []
    for row in ours.sort("panel", "variant", "kind", "model").iter_rows(named=True):
        low, high = points(row["paired_low"]), points(row["paired_high"])
        interval = low if row["paired_low"] is None else f"{low} to {high}"
        lines.append(
            (
                row["model"],
                words(row["variant"]),
                row["kind"],
                points(row["paired_delta"]),
                interval,
                *(p_value(row[f"{test}_holm_p"]) for test in ("paired", "sign_flip")),
                p_value(row["welch_p"]),
                f"{row['n_paired']:,}",
                f"{row['n_missing']:,}",
            )
        )
    caption = "Differences to the baseline in percentage points, all lengths, models answered here"
    return Table(caption, columns, tuple(lines), n_words=3)
