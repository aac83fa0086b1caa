"""True and given components of each hand as overlapping circles, as in the paper's figure 36."""

import math
from typing import Any

from enact_assets.results.report.drawing import GREY, canvas, finished, pt
from enact_assets.results.report.looks import COLOURS
from enact_assets.results.report.parts import Figure
from enact_assets.results.report.rows import ReportRows

MODELS_BELOW = 4
"""Most models of one figure."""
HANDS = ("left", "right")
_ROW_IN = 1.25


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
    models = known[:MODELS_BELOW]
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
                    _draw(axes, found, largest, COLOURS[1] if hand == "left" else COLOURS[0])
            panels[2 * n].text(
                *(-2.6, 1.25, rows.label(model, 30)), fontsize=pt(9), fontweight="bold", va="bottom"
            )
        drawn.suptitle(f"{kind}: true | both | given", x=0.02, ha="left", fontsize=pt(10))
        told = "; ".join(_told(of[model, hand]) for model in models[:2] for hand in HANDS
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


def _told(row: dict[str, Any]) -> str:
    return (
        f"{row['model']}, {row['hand']} hand: {row['n_reference']} true, {row['n_predicted']} "
        f"given, {row['n_matched']} both, {row['n_mixed']} given to the other hand"
    )


def _draw(axes: Any, row: dict[str, Any], largest: float, colour: str) -> None:
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
