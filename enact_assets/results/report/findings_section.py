"""Findings of the paper, asked of every model, beside what a random order shows by itself."""

import polars as pl

from enact_assets.results.findings.findings import VERDICTS, told
from enact_assets.results.findings.of_mirrored_pairs import HANDS
from enact_assets.results.report.parts import (
    NONE,
    Part,
    Section,
    Table,
    Text,
    p_value,
    percent,
    points,
    table,
)
from enact_assets.results.report.rows import ReportRows

EQUAL_HANDS = "equal hands"
"""Chance of findings over pictures and their mirror images."""


def findings(rows: ReportRows) -> Section:
    """Each finding with the models that show it, and each model with its values."""
    found = rows["findings"]
    ours = found.filter(pl.col("source") == "ours", ~pl.col("is_reference"))
    theirs = found.filter(source="published")
    parts: list[Part] = [
        Text(
            "A random order is right more often the shorter the question is, and in forward "
            "questions more often than in inverse ones. Each finding is therefore measured from "
            "what a random order of the same questions is expected to show: exactly, over all "
            "orders, for answers that are whole orders. Confirmed and contradicted are tests "
            "clustered by demonstration, corrected for all findings of the model (Holm)."
        ),
        _summary(ours, theirs),
        Text(
            "The scene graphs of the paper's questions are not here. Beside its models stands the "
            "smallest accuracy that a random order can have, with the reference as the only right "
            "order; so their effects can be smaller than the table counts them. Of errors, hands "
            "and omitted changes no such bound is known."
        ),
    ]
    if ours.is_empty():
        parts.append(Text("Only references answered here, and these are not counted."))
    else:
        parts.append(_by_model(rows, ours))
    return Section("findings", "Findings of the paper", tuple(parts))


def _summary(ours: pl.DataFrame, theirs: pl.DataFrame) -> Table:
    columns = (
        "what the paper found",
        *(f"here: {verdict}" for verdict in VERDICTS),
        *(f"published models: {verdict}" for verdict in VERDICTS),
    )
    lines = []
    for about, name, kind, chances in _told():
        of_it = pl.col("kind").eq_missing(kind) & pl.col("chance").is_in(chances)
        counts = [
            str(n) if (n := side.filter(of_it, finding=name, verdict=verdict).height) else NONE
            for side in (ours, theirs)
            for verdict in VERDICTS
        ]
        lines.append((about, *counts))
    return Table("Findings, and how many models show them", columns, tuple(lines))


def _told() -> list[tuple[str, str, str | None, list[str]]]:
    """Claim, finding, kind, and the kinds of chance of its rows; in the order of the page."""
    found: list[tuple[str, str, str | None, list[str]]] = []
    for finding, kind in told():
        claim = finding.claim_about(kind)
        found.append((claim, finding.name, kind, ["exact", "smallest possible"]))
        if finding.name in HANDS:
            found.append((f"{claim}, mirror images included", finding.name, kind, [EQUAL_HANDS]))
    return found


def _by_model(rows: ReportRows, ours: pl.DataFrame) -> Table:
    order = pl.DataFrame(
        [
            (about, name, kind, chance, place)
            for place, (about, name, kind, chances) in enumerate(_told())
            for chance in chances
        ],
        schema=["about", "finding", "kind", "chance", "place"],
        orient="row",
    )
    key = ["finding", "kind", "chance"]
    listed = ours.join(order, on=key, nulls_equal=True).sort("model", "place")
    columns = (
        ("model", rows.marked, "model"),
        ("what the paper found", str, "about"),
        ("value %", percent, "value"),
        ("a random order %", percent, "expected"),
        ("effect, points", _effect, "effect", "low", "high"),
        ("p (Holm)", p_value, "holm_p"),
        ("verdict", _verdict, "verdict", "reason"),
    )
    return table("Findings by model", listed.to_dicts(), columns, n_words=2)


def _effect(effect: float | None, low: float | None, high: float | None) -> str:
    if effect is None or low is None or high is None:
        return points(effect)
    return f"{points(effect)} [{points(low)}, {points(high)}]"


def _verdict(verdict: str, reason: str | None) -> str:
    return verdict if reason is None else f"{verdict} ({reason.replace('_', ' ')})"
