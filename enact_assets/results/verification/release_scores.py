"""Answers to questions in the release's own layout -> verdicts, and why a row has none."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from enact_assets.engine.errors import EvaluationError
from enact_assets.questions.asked.official import OfficialAnswer, OfficialQuestion
from enact_assets.questions.asked.release_parsing import FAILED, UNREADABLE, read_release_answer
from enact_assets.results.verification.task_evidence import Evidence
from enact_assets.results.verification.verify import Verifier, VerifierQuestion

REASONS: Mapping[str, str] = {
    "no_id": "field 'id' is missing",
    "already_evaluated": "a row before it has the same id and was scored",
    "unknown_task": "field 'task_name' names no task with key frames and replay",
    "empty_gt_answer": "field 'gt_answer' is missing or empty",
    "empty_key_frame_ids": "field 'key_frame_ids' is missing or empty",
    "unknown_frame": "field 'key_frame_ids' names no frame of the replay",
    "no_order": "field 'gt_answer' does not order the steps between its key frames",
    UNREADABLE: "field 'answer' is no list and no text with a digit in it",
    FAILED: "the release raises: on the answer, or on a pair of key frames",
}
"""Why the release skips a row: it then counts nowhere."""


class ReleaseResult(NamedTuple):
    """What became of one row. Scores mean nothing unless ``reason`` is None."""

    question_id: str
    task: str
    type: str
    n_steps: int
    reason: str | None
    """Why the row was skipped, a key of ``REASONS``."""
    parsed: list[Any] | None
    is_exact: bool
    is_semantic: bool
    is_accepted: bool
    n_passed: int
    n_of: int
    pairwise_accuracy: float
    is_unexplained: bool
    """Wrong, and an analysis of wrong answers raises on it."""

    @property
    def is_scored(self) -> bool:
        """Whether the row counts."""
        return self.reason is None


class ReleaseScorer:
    """Questions read once; ``score`` takes the answers of one model after another.

    ``questions`` are rows of a file of questions or answers, ``evidence`` is per task. Source:
    definitions.md R14 and R15.
    """

    def __init__(
        self,
        questions: Sequence[OfficialQuestion | OfficialAnswer],
        evidence: Mapping[str, Evidence],
    ) -> None:
        self._rows = [_Row.of(question, evidence) for question in questions]
        asked = [row.question for row in self._rows if row.question is not None]
        self._verifier = Verifier(
            asked, {n: e.changes for n, e in evidence.items()}, either_rule_aligns=True
        )

    @property
    def questions(self) -> list[VerifierQuestion | None]:
        """The questions as read; None for one the release cannot evaluate."""
        return [row.question for row in self._rows]

    def score(
        self, answers: Sequence[object], *, analyze_wrong_cases: bool = False
    ) -> list[ReleaseResult]:
        """One result per question, in their order; ``answers`` are JSON values of any kind.

        With ``analyze_wrong_cases`` the release also skips the wrong orders of pictures that lead
        over a pair of key frames on which it raises. Errors: :class:`EvaluationError` unless there
        is one answer per question.
        """
        if len(answers) != len(self._rows):
            raise EvaluationError(
                f"{len(answers)} answers to {len(self._rows)} questions; give one to each"
            )
        read = [
            (None, row.reason) if row.question is None else read_release_answer(answer, row.n_steps)
            for row, answer in zip(self._rows, answers, strict=True)
        ]
        found = self._verifier.verify(
            [r[0] for r, row in zip(read, self._rows, strict=True) if row.question is not None]
        )
        verdicts = zip(
            found.is_failed.tolist(), found.is_exact.tolist(), found.is_semantic.tolist(),
            found.is_accepted.tolist(), found.n_passed.tolist(), found.n_of.tolist(),
            found.pairwise_accuracy.tolist(), found.is_unexplained.tolist(), strict=True,
        )  # fmt: skip
        evaluated: set[str] = set()
        results = []
        for row, (parsed, why) in zip(self._rows, read, strict=True):
            is_failed, *scores = _NO_SCORES if row.question is None else next(verdicts)
            reason = why
            if reason is None and (is_failed or (analyze_wrong_cases and scores[-1])):
                reason = FAILED
            if row.question_id in evaluated:
                reason = "already_evaluated"
            elif reason is None:
                evaluated.add(row.question_id)
            results.append(
                ReleaseResult(
                    row.question_id, row.task, row.type, row.n_steps, reason, parsed, *scores
                )
            )
        return results


_NO_SCORES = (True, False, False, False, 0, 1, 0.0, False)


class _Row(NamedTuple):
    """A question as in its file; without ``question`` there is a ``reason``."""

    question_id: str
    task: str
    type: str
    n_steps: int
    question: VerifierQuestion | None
    reason: str | None

    @classmethod
    def of(cls, row: OfficialQuestion | OfficialAnswer, evidence: Mapping[str, Evidence]) -> "_Row":
        name, task, kind = row.id or "", row.task_name or "", row.type or ""
        gold, ids = row.gt_answer or [], row.key_frame_ids or []
        reason = (
            "no_id" if not name
            else "unknown_task" if task not in evidence
            else "empty_gt_answer" if not gold
            else "empty_key_frame_ids" if not ids
            else None
        )  # fmt: skip
        if reason is not None:
            return cls(name, task, kind, len(gold), None, reason)
        key_frames = _key_frames(ids, evidence[task].position)
        if key_frames is None:
            return cls(name, task, kind, len(gold), None, "unknown_frame")
        if sorted(gold) != list(range(1, len(ids))):
            return cls(name, task, kind, len(gold), None, "no_order")
        direction = "inverse" if "inverse" in kind.lower() else "forward"
        question = VerifierQuestion(task, direction, key_frames, gold)
        return cls(name, task, kind, len(gold), question, None)


def _key_frames(ids: Sequence[str], position: Mapping[int, int]) -> list[int] | None:
    """Positions of frames in the evidence of their task; None if one is not a frame of it."""
    try:
        return [position[int(frame)] for frame in ids]
    except (KeyError, ValueError):
        return None
