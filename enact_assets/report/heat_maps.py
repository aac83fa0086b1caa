"""Heat maps of the probe panels: variants across, models down, forward above inverse."""

import textwrap
from typing import Any

from enact_assets.report.drawing import FAINT, INK, canvas, drawable, finished, pt
from enact_assets.report.parts import BOTH_KINDS, Figure, points, words
from enact_assets.report.report_rows import ReportRows

VARIANTS_ABREAST = 6
"""More in one figure cannot be read: cells get narrower than their numbers."""
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
