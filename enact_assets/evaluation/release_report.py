"""Accuracies over many results, in the layout of the release's report."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from enact_assets.evaluation.release_scores import ReleaseResult

DIRECTIONS = ("forward", "inverse")


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
