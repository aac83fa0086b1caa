"""Questions asked: their number and length, and their difficulty by construction."""

from functools import partial
from typing import Any

import polars as pl

from enact_assets.results.report.drawing import FAINT, INK, canvas, finished
from enact_assets.results.report.looks import COLOURS
from enact_assets.results.report.parts import (
    BOTH_KINDS,
    Figure,
    Part,
    Section,
    Text,
    at_length,
    count,
    decimal,
    percent,
    table,
)
from enact_assets.results.report.rows import ReportRows
from enact_assets.results.report.rules import rule_table


def questions(rows: ReportRows) -> Section:
    """Questions by length and kind, beside the paper's numbers of questions."""
    found = rows["questions"]
    if found.is_empty():
        return Section("questions", "Questions", (Text("No question was written."),))
    parts: list[Part] = []
    for gating in sorted(set(found["gating"])):
        of_gating = found.filter(gating=gating)
        is_of_baseline = bool(of_gating["is_of_baseline"].all())
        published = rows["published_question_counts"]
        if not is_of_baseline:
            published = published.clear()
        asked = rows["asked_counts"].filter(gating=gating)
        parts.append(_figure(gating, asked, published, is_of_baseline=is_of_baseline))
        of_own = pl.when(~pl.col("is_imported")).then("n_in_probe_set")
        in_order = of_gating.sort("kind", "length", nulls_last=True).with_columns(of_own).to_dicts()
        n_frames, n_edges = of_gating.select(pl.col("n_key_frames", "n_edges").max()).row(0)
        parts.append(table(f"Questions of gating {gating}", in_order, _COLUMNS, n_words=2))
        edges = f"{n_edges:,} valid edges between them"
        if of_gating["is_imported"].any():
            parts.append(Text(_OF_IMPORTED))
            edges = "counted apart by the place at which a question shows them"
        parts.append(Text(f"Gating {gating}: {n_frames:,} key frames, {edges}."))
        decided = rule_table(rows, gating)
        if decided is not None:
            parts += [Text(_OF_RULES), decided]
    return Section("questions", "Questions", tuple(parts))


_OF_RULES = (
    "Each rule is switched off by itself; all else is computed in the same way. Questions by "
    "a rule have a step that exists only with it."
)
_OF_IMPORTED = (
    "Imported questions are in no probe. Where no replay was imported, it is unknown whether "
    "several orders are right: answers are scored by exact match, and a random order of n entries "
    "is right in 1 of n! cases."
)


_COLUMNS = (
    ("kind", str, "kind"),
    ("length", at_length, "length"),
    ("written", count, "n_questions"),
    ("in question set", count, "n_in_question_set"),
    ("in probe set", count, "n_in_probe_set"),
    ("several orders right %", percent, "ambiguous_share"),
    ("random order scores %", percent, "random_pairwise_accuracy"),
    ("changes per action", partial(decimal, places=2), "components_per_action"),
    ("median smallest mask (px)", partial(decimal, places=0), "median_smallest_px"),
)


def _figure(
    gating: str, asked: pl.DataFrame, published: pl.DataFrame, *, is_of_baseline: bool
) -> Figure:
    caption = f"Questions asked under the baseline, gating {gating}"
    alt = "the paper asks 500 to 575 of each length and kind."
    if not is_of_baseline:
        caption = f"Questions of gating {gating}: as many as a variant asks"
        alt = "for which the paper has no numbers by length."
    with canvas(3.1) as (drawn, (axes,)):
        totals: dict[str, Any] = {}
        for kind, colour, lift in zip(BOTH_KINDS, COLOURS, (-0.2, 0.2), strict=False):
            of_kind = asked.filter(kind=kind).sort("length")
            places = [length + lift for length in of_kind["length"]]
            axes.bar(places, of_kind["n_asked"], 0.38, color=colour, label=kind)
            totals[kind] = of_kind["n_asked"].sum()
        if published.height:
            line = published.sort("length")
            label = "paper, each kind"
            axes.plot(line["length"], line["n_questions"], "_", color=INK, ms=16, label=label)
        axes.set_xticks(sorted({*asked["length"], *published["length"]}))
        axes.grid(axis="y", color=FAINT, linewidth=0.6)
        axes.set_axisbelow(True)
        axes.set_xlabel("length (key frames)")
        axes.set_ylabel("questions asked")
        axes.set_title(f"gating {gating}")
        drawn.legend(loc="outside lower center", ncols=3)
        said = " and ".join(f"{n:,} {kind}" for kind, n in totals.items())
        return finished(
            drawn,
            f"questions_{gating}",
            caption,
            f"Bars of questions by length: {said} in all; {alt}",
        )
