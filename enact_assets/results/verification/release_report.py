"""Accuracies over many results, in the layout of the release's report, and what is wrong.

Of a wrong answer it says per step what should have changed and what the answer says.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise, zip_longest
from typing import Any

import numpy as np

from enact_assets.questions.asked.official import OfficialAnswer
from enact_assets.questions.asked.parsing import Labels
from enact_assets.questions.asked.release_parsing import UNREADABLE
from enact_assets.questions.key_frames.release_deltas import signature_text
from enact_assets.results.verification.release_scores import ReleaseResult, ReleaseScorer
from enact_assets.results.verification.shared_changes import SharedChanges
from enact_assets.results.verification.task_evidence import Evidence, Scored, detailed_row
from enact_assets.results.verification.verify import VerifierQuestion
from enact_assets.settings.arrays import Words

DIRECTIONS = ("forward", "inverse")
_NOTES = (
    "Unparsed and skipped rows are in no score, as in the release.",
    "The analysis drops wrong orders it cannot describe, as in the release: scores rise.",
)

Change = frozenset[str] | None
"""Signatures; None where there is no step or no change between its key frames."""
_Step = tuple[Change, Change]
"""What shows of a change, and all of it."""


def wrong_cases(
    scorer: ReleaseScorer,
    results: Sequence[ReleaseResult],
    evidence: Mapping[str, Evidence],
) -> list[dict[str, Any]]:
    """One JSON object per wrong answer among ``results`` of ``scorer``, in their order.

    ``expected_order`` and ``given_order`` are labels, ``steps`` lists sorted signatures:
    ``expected`` (what shows of the true step), ``given`` (what shows of the step answered),
    ``missing`` (expected, and no part of what changes in the step answered) and ``hallucinated``
    (given, and no part of what changes in the true step). An order of pictures passes a step
    without missing ones, an order of actions one without hallucinated ones. Null: no such step,
    no picture or action of that label, or a pair of key frames on which the release raises.
    Labels of actions that are left out are left out here too; ``passes`` is null if the lengths
    differ, since steps are aligned then.
    """
    signatures = {name: _Signatures(e.changes) for name, e in evidence.items()}
    return [
        {
            "id": result.question_id,
            "task_name": result.task,
            "type": result.type,
            "pairwise_accuracy": result.pairwise_accuracy,
            "expected_order": question.answer,
            "given_order": result.parsed,
            "steps": _steps(question, result.parsed, signatures[result.task]),
        }
        for question, result in zip(scorer.questions, results, strict=True)
        if question is not None
        and result.is_scored
        and not result.is_accepted
        and result.parsed is not None
    ]


def _steps(question: VerifierQuestion, labels: Labels, of: "_Signatures") -> list[dict[str, Any]]:
    true = [of.step(i, j) for i, j in pairwise(question.key_frames)]
    is_forward = question.kind == "forward"
    given = (
        [of.step(i, j) for i, j in pairwise(_pictures(question, labels))]
        if is_forward
        else _actions(question, labels, true)
    )
    rows = []
    for number, (expected, answered) in enumerate(
        zip_longest(true, given, fillvalue=(None, None)), start=1
    ):
        missing = _without(expected[0], answered[1])
        hallucinated = _without(answered[0], expected[1])
        rest = missing if is_forward else hallucinated
        rows.append(
            {
                "step": number,
                "passes": rest == [] if len(labels) == len(true) else None,
                "expected": _listed(expected[0]),
                "given": _listed(answered[0]),
                "missing": missing,
                "hallucinated": hallucinated,
            }
        )
    return rows


def _pictures(question: VerifierQuestion, labels: Labels) -> list[int | None]:
    """Key frames in the order answered, the current state first; None for a label without one."""
    first, *later = question.key_frames
    shown = [first, *(later[question.answer.index(k + 1)] for k in range(len(later)))]
    return [
        first,
        *(
            shown[label] if isinstance(label, int) and -len(shown) <= label < len(shown) else None
            for label in labels
        ),
    ]


def _actions(question: VerifierQuestion, labels: Labels, true: Sequence[_Step]) -> list[_Step]:
    """What each action answered says; an action has no more to it than what it says."""
    said = {label: true[step][0] for step, label in enumerate(question.answer)}
    return [(said[label], said[label]) for label in labels if label in said]


def _without(change: Change, other: Change) -> list[str] | None:
    return None if change is None or other is None else sorted(change - other)


def _listed(change: Change) -> list[str] | None:
    return None if change is None else sorted(change)


class _Signatures:
    """Changes of one demonstration as texts, each read once."""

    def __init__(self, changes: SharedChanges) -> None:
        self._changes = changes
        self._texts = [signature_text(component) for component in changes.index.components]
        self._steps: dict[tuple[int, int], _Step] = {}

    def step(self, i: int | None, j: int | None) -> _Step:
        """The change from key frame i to j; None where a picture is missing."""
        if i is None or j is None:
            return None, None
        if (i, j) not in self._steps:
            self._steps[i, j] = self._read(i, j)
        return self._steps[i, j]

    def _read(self, i: int, j: int) -> _Step:
        known = self._changes.at(np.array([[i, j]], np.int64))
        row = known.rows[i, j]
        return (
            None if known.visible_fails[i, j] else self._named(known.visible[row]),
            None if known.full_fails[i, j] else self._named(known.full[row]),
        )

    def _named(self, words: Words) -> frozenset[str]:
        bits = np.unpackbits(words.astype("<u8").view(np.uint8), bitorder="little")
        return frozenset(self._texts[k] for k in np.flatnonzero(bits).tolist())


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
        detailed_row(row, result.parsed, scores)
        for row, result, scores in zip(rows, results, found, strict=True)
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
