"""The probe panels as heat maps, in the layout of the paper: variants across, kinds below."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import polars as pl

from enact_assets.contracts.registry import BASELINE
from enact_assets.report.heat_maps import heat_maps
from enact_assets.report.parts import (
    Part,
    Section,
    Table,
    Text,
    p_value,
    points,
    words,
)
from enact_assets.report.report_rows import ReportRows

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
    """How measured variants differ from the paper's, and what its text says otherwise."""
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
    """Kind, model, variant, whether it is published, difference, mark; ours first.

    References only where no model was asked: some of them have zeros by construction. Published
    cells stand below our variant with the same settings, whatever it is called.
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
    """What is shown of a probe: its difference, interval, and p-value corrected by Holm."""

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
