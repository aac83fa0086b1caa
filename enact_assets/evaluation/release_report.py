"""Accuracies over many results, in the layout of the release's report."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from enact_assets.evaluation.release_scores import ReleaseResult, ReleaseScorer
from enact_assets.evaluation.release_wrong_cases import wrong_cases
from enact_assets.evaluation.task_evidence import Evidence, Scored, detailed_row
from enact_assets.questions.official import OfficialAnswer
from enact_assets.questions.release_parsing import UNREADABLE

DIRECTIONS = ("forward", "inverse")
_NOTES = (
    "Unparsed and skipped rows are in no score, as in the release.",
    "The analysis drops wrong orders it cannot describe, as in the release: scores rise.",
)


def score_as_release(
    _model: str,
    rows: Sequence[OfficialAnswer],
    evidence: Mapping[str, Evidence],
    *,
    is_analyzed: bool = True,
) -> Scored:
    """Verdicts on the answers of one model by the rules of the public release.

    With ``is_analyzed`` the wrong ones are described, and those it cannot describe are dropped.
    """
    scorer = ReleaseScorer(rows, evidence)
    results = scorer.score([row.answer for row in rows], analyze_wrong_cases=is_analyzed)
    report = report_release(results)
    overall = report.get("overall", {})
    numbers: dict[str, int | float | str] = {
        "rows": len(rows),
        "scored": sum(result.is_scored for result in results),
        "unparsed": sum(result.reason == UNREADABLE for result in results),
        "skipped otherwise": sum(result.reason not in (None, UNREADABLE) for result in results),
        "task accuracy": overall.get("task_accuracy", "no rows"),
        "pairwise accuracy": overall.get("pairwise_accuracy", "no rows"),
    }
    cases = wrong_cases(scorer, results, evidence) if is_analyzed else []
    found = [result._asdict() for result in results]
    detailed = [
        detailed_row(
            row,
            result.parsed,
            is_exact=result.is_exact,
            is_semantic=result.is_semantic,
            is_accepted=result.is_accepted,
            pairwise_accuracy=result.pairwise_accuracy,
        )
        for row, result in zip(rows, results, strict=True)
        if result.is_scored
    ]
    return Scored(report, found, detailed, cases, numbers, _NOTES if is_analyzed else _NOTES[:1])


def report_release(results: Iterable[ReleaseResult]) -> dict[str, Any]:
    """The report on one model: rows that were skipped count nowhere.

    ``overall``, ``forward_world_modeling`` and ``inverse_world_modeling``, each with ``count``,
    ``task_accuracy``, ``pairwise_accuracy`` (plain means over rows, 0 to 1) and ``per_step``, the
    same three per number of key frames; a part without rows is absent. Source:
    definitions.md R15.5.
    """
    scored = [result for result in results if result.is_scored]
    parts = {"overall": scored}
    for direction in DIRECTIONS:
        parts[f"{direction}_world_modeling"] = [r for r in scored if direction in r.type.lower()]
    return {name: _part(rows) for name, rows in parts.items() if rows}


def _part(results: Sequence[ReleaseResult]) -> dict[str, Any]:
    by_steps: dict[int, list[ReleaseResult]] = {}
    for result in results:
        by_steps.setdefault(result.n_steps, []).append(result)
    steps = {f"{n + 1}_steps": _means(by_steps[n]) for n in sorted(by_steps)}
    return {**_means(results), "per_step": steps}


def _means(results: Sequence[ReleaseResult]) -> dict[str, Any]:
    return {
        "count": len(results),
        "task_accuracy": float(np.mean([r.is_accepted for r in results])),
        "pairwise_accuracy": float(np.mean([r.pairwise_accuracy for r in results])),
    }
