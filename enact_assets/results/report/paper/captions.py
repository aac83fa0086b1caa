"""Captions of a paper's tables and figures: what the numbers are about, and what limits them."""

from collections.abc import Iterable
from typing import Any

import polars as pl

from enact_assets.engine.plurals import counted
from enact_assets.results.findings.findings import CONFIRMED, CONTRADICTED, NO_MORE, UNKNOWN
from enact_assets.results.report.paper.choice import Choice
from enact_assets.results.report.paper.layout import about_n
from enact_assets.results.report.parts import BOTH_KINDS, Figure, words
from enact_assets.results.report.probes import LEVELS, PUBLISHED_LEVEL, PUBLISHED_MARK
from enact_assets.results.report.rows import ReportRows

_PAIRWISE = "pairwise accuracy is right steps over all steps (micro-average, as in the paper)"
_TASK = "task accuracy counts each question alike"
_BEST = (
    "Bold: the best model of a column; underlined: no significant difference from it (tests on "
    "common questions, clustered by demonstration, Benjamini-Hochberg over all pairs)."
)
_STARS = ", ".join(f"{mark} p < {level:g}" for level, mark in reversed(LEVELS))
_TITLES = {
    "leaderboard": f"Accuracy over all lengths under {{variant}}: {_PAIRWISE}; {_TASK}. In "
    "brackets: 95 % intervals by demonstration.",
    "length_pairwise": "Pairwise accuracy in % by length (key frames) under {variant}: "
    f"{_PAIRWISE}.",
    "length_task": f"Task accuracy in % by length (key frames) under {{variant}}: {_TASK}.",
    "probes": "Probes: pairwise accuracy under a setting minus that under the baseline, in "
    "percentage points, all lengths; mean over questions scored under both (each question counts "
    f"alike). Clustered by demonstration, Holm within a panel: {_STARS}.",
    "hands": "Hands in wrong answers under {variant}: precision (matched over given), recall "
    "(matched over true) and mixing (true ones given to the other hand), pooled over all changes "
    "that name a hand (micro-average), with standard errors clustered by demonstration.",
    "errors_structural": "Errors of wrong answers under {variant} by structure: shares in % of all "
    "errors of a model (micro-average).",
    "errors_semantic": "Errors of wrong answers under {variant} by meaning: shares in % of all "
    "errors of a model (micro-average).",
    "tests": "Differences between models under {variant} in percentage points, on the questions "
    "scored for both, with 95 % intervals clustered by demonstration; p by Benjamini-Hochberg over "
    "all pairs of models asked here, also those that this table leaves out. Pairwise differences "
    "weigh steps alike, task differences questions. Bold: significant at 0.05.",
    "sources": "Accuracy in % over all lengths by the variant that asks (its source of questions): "
    f"{_PAIRWISE}; {_TASK}.",
    "world": "WorldPrediction: accuracy in % on which action (wm) and which plan (pp), by where "
    "the clips come from: the recording itself, another camera, another room. Each question counts "
    "alike; exact 95 % intervals.",
}
_CHANCE = {
    "leaderboard": "A random order: exact expectation on the same questions.",
    "length_pairwise": "A random order: exact expectation on the same questions.",
    "length_task": "A random order: exact expectation on the same questions.",
    "probes": "A random order has an expected difference of 0 on common questions.",
    "hands": "What a random order shows is in the relation findings.",
    "errors_structural": "What a random order shows is in the relation findings.",
    "errors_semantic": "The expected shares of a random order are not known.",
    "tests": "Two random orders are expected to differ by 0.",
    "sources": "A random order scores otherwise under each variant: the relation random_orders "
    "has it.",
    "world": "Chance is 25.0.",
}
_UNITS = {
    "hands": "wrong answers",
    "errors_structural": "errors",
    "errors_semantic": "errors",
}
"""What ``n`` counts, where it is not questions."""
_MARKED = {"leaderboard", "length_pairwise", "length_task"}
_FINDINGS = {
    "leaderboard": ("better_than_chance", "inverse_above_forward"),
    "length_pairwise": ("falls_with_length",),
    "hand": ("right_hand_recalled_more", "left_taken_for_right"),
    "errors_structural": ("omissions_and_hallucinations", "hallucinations_above_omissions"),
}
"""How names of tables and figures begin -> findings of the paper that they show."""


_TESTED = (
    "Findings of the paper, tested against random orders of the same questions (Holm's correction "
    "over all findings of a model):"
)
_VERDICTS = {
    CONFIRMED: "confirmed for {}",
    NO_MORE: "not confirmed for {} (no significant difference from random orders)",
    CONTRADICTED: "contradicted for {}",
    UNKNOWN: "not tested for {}",
}


def table_caption(name: str, found: pl.DataFrame, rows: ReportRows, choice: Choice) -> str:
    """Caption of a table: title and weighting, n, chance, marks, caveats."""
    parts = [
        _TITLES[name].format(variant=words(rows.variant)),
        about_n(found, _UNITS.get(name, "questions")),
        _CHANCE[name],
    ]
    if name in _MARKED and "best" in set(found["mark"]):
        parts.append(_BEST)
    if name == "hands" and "best" in set(found["mark"]):
        parts.append("Bold: the best model; no test compares models here.")
    if name == "probes" and "unpaired" in set(found["mark"]):
        parts.append("‡: other questions on both sides, difference of means.")
    if choice.references and "reference" in set(found["whose"]):
        parts.append("References are not ranked.")
    parts.append(_about_published(name, found, rows, choice))
    if name != "world":
        parts.append(rows.partial_note)
        parts += limits(rows)
    if name == "probes":
        parts.append(_variant_caveats(found["line"].unique(), rows))
    if name == "world":
        parts.append("Questions were made here: no WorldPrediction results.")
    return _joined(parts)


def _about_published(name: str, found: pl.DataFrame, rows: ReportRows, choice: Choice) -> str:
    """What rows (publ.) are, and which names have none."""
    if not choice.published or name in {"tests", "world"}:
        return ""
    there = set(found.filter(whose="published")["line"])
    there |= {over.removesuffix(" (publ.)") for over in found["over"] if over.endswith("(publ.)")}
    said = []
    if there:
        said.append("(publ.): as published, of the paper's questions; neither marked nor tested.")
    if there and name == "probes":
        said.append(
            f"{PUBLISHED_MARK}: p < {PUBLISHED_LEVEL:g} of the paper's uncorrected Welch test."
        )
    if there and not rows.not_comparable and rows.comparable_caveat:
        said.append(rows.comparable_caveat)
    absent = [name for name in choice.published if name not in there]
    if absent:
        said.append(f"The paper gives no such numbers of {', '.join(absent)}.")
    return " ".join(said)


def limits(rows: ReportRows) -> list[str]:
    """Why the numbers may not be compared with the paper's."""
    why = rows.not_comparable
    return [f"Not comparable with the ENACT paper: {why}"] if why else []


def _variant_caveats(variants: Iterable[str], rows: ReportRows) -> str:
    shown = set(variants)
    return " ".join(
        f"{words(variant)}: {caveat}"
        for variant, caveat in rows["caveats"].select("variant", "caveat").sort("variant").rows()
        if variant in shown and caveat
    )


def figure_caption(figure: Figure, rows: ReportRows, choice: Choice) -> str:
    """Caption of a figure: what it shows, questions, caveats, and what the relation ``findings``
    says about what it shows.
    """
    parts = [f"{figure.caption}."]
    kind = next((k for k in BOTH_KINDS if figure.name.endswith(k)), None)
    if not figure.name.startswith(("world_", "probes_", "settings_")):
        parts.append(_asked(rows, kind))
    parts.append(_found(figure.name, kind, rows, choice))
    if figure.name.startswith("probes_"):
        shown = (v for v in rows["probes"]["variant"].unique() if words(v) in figure.alt)
        parts.append(_variant_caveats(shown, rows))
    return _joined(parts)


def _asked(rows: ReportRows, only: str | None) -> str:
    """How many questions were asked, of both kinds or of one."""
    n = dict(
        rows["statuses"].group_by("kind").agg(pl.col("n_questions").max()).sort("kind").iter_rows()
    )
    said = " and ".join(
        f"{n[kind]:,} {kind}" for kind in BOTH_KINDS if kind in n and only in {kind, None}
    )
    demonstrations: Any = rows["accuracies"]["n_demonstrations"].max()
    return f"n: {said} questions on {counted(demonstrations, 'demonstration')}." if said else ""


def _found(name: str, kind: str | None, rows: ReportRows, choice: Choice) -> str:
    """Verdicts of the models on the findings that a figure shows."""
    stem = next((start for start in _FINDINGS if name.startswith(start)), "")
    found = rows["findings"].filter(
        pl.col("finding").is_in(_FINDINGS.get(stem, ())),
        pl.col("model").is_in(choice.models),
        pl.col("kind").eq_missing(kind) | pl.col("kind").is_null(),
        source="ours",
        chance="exact",
    )
    said = []
    for (claim,), of_claim in found.sort("finding", "kind").group_by("claim", maintain_order=True):
        verdicts = ", ".join(
            _VERDICTS[verdict].format(" and ".join(of["model"].sort()))
            for (verdict,), of in of_claim.sort("model").group_by("verdict", maintain_order=True)
        )
        said.append(f"“{claim}” is {verdicts}.")
    return f"{_TESTED} {' '.join(said)}" if said else ""


def _joined(parts: Iterable[str]) -> str:
    sentences = (" ".join(part.split()) for part in parts if part)
    return " ".join(s if s.endswith((".", ")")) else f"{s}." for s in sentences).replace("..", ".")
