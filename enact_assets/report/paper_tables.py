"""Leaderboard and probes as tables that fit into a paper."""

from typing import Any

from enact_assets.report.accuracy import overall
from enact_assets.report.parts import BOTH_KINDS, NONE, Table, percent, with_interval
from enact_assets.report.probes import probe_table
from enact_assets.report.report_rows import ReportRows

_PROBE_COLUMNS = (
    "model",
    "variant",
    "kind",
    "difference",
    "95 % interval",
    "p, clustered, Holm",
    "questions",
)
_METRICS = (("pairwise", ""), ("task", "task_"))


def paper_tables(rows: ReportRows) -> dict[str, Table]:
    """File name without ending -> table; also of a warehouse without rows."""
    probes = probe_table(rows, has_references=False)
    chosen = [probes.columns.index(name) for name in _PROBE_COLUMNS]
    lines = tuple(tuple(row[n] for n in chosen) for row in probes.rows)
    return {
        "leaderboard": _leaderboard(rows),
        "probes": Table(f"{probes.caption}{_limits(rows)}", _PROBE_COLUMNS, lines, n_words=3),
    }


def _leaderboard(rows: ReportRows) -> Table:
    """Both kinds side by side: ranked models, then references, each the best first, then chance."""
    of = {kind: {row["model"]: row for row in overall(rows, kind)} for kind in BOTH_KINDS}
    models = sorted(
        {model for by_model in of.values() for model in by_model},
        key=lambda m: (rows.looks[m].is_reference, -_mean(of, m), m),
    )
    lines = []
    for model in models:
        cells = [rows.marked(model)]
        for kind in BOTH_KINDS:
            row = of[kind].get(model, {})
            for _, prefix in _METRICS:
                names = (f"{prefix}{name}" for name in ("accuracy", "low", "high"))
                cells.append(with_interval(*(row.get(name) for name in names)))
            cells.append(_scored(rows, model, kind, row))
        lines.append(tuple(cells))
    chance = []
    for kind in BOTH_KINDS:
        chance += [percent(rows.chance(kind, f"{metric}_accuracy")) for metric, _ in _METRICS]
        chance.append(NONE)
    lines.append(("chance (random order)", *chance))
    columns = (
        f"{kind} {name}" for kind in BOTH_KINDS for name in ("pairwise %", "task %", "questions")
    )
    caption = (
        f"Accuracy under {rows.variant}, all lengths; pairwise: right steps over all steps; 95 % "
        f"intervals by demonstration{_limits(rows)}"
    )
    return Table(caption, ("model", *columns), tuple(lines))


def _scored(rows: ReportRows, model: str, kind: str, row: dict[str, Any]) -> str:
    """Questions that the scores are about; where some answers are in no score, of how many."""
    if kind in rows.partial(model):
        n, of = rows.partial(model)[kind]
        return f"{n:,} of {of:,}"
    return f"{row['n_scored']:,}" if row.get("n_scored") is not None else NONE


def _limits(rows: ReportRows) -> str:
    """What a caption ends with: partial models, and why nothing compares with the paper."""
    notes = (
        rows.partial_note,
        rows.not_comparable and f"Not comparable with the ENACT paper: {rows.not_comparable}",
    )
    return "".join(f". {note.rstrip('.')}" for note in notes if note)


def _mean(of: dict[str, dict[str, dict[str, Any]]], model: str) -> float:
    """Mean pairwise accuracy over the kinds that have one; below zero where none has."""
    known = [by_model[model]["accuracy"] for by_model in of.values() if model in by_model]
    known = [accuracy for accuracy in known if accuracy is not None]
    return sum(known) / len(known) if known else -1.0
