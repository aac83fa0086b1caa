"""Verdicts of the public release on many orders at once, on change sets shared between models."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from enact_assets.contracts.errors import EvaluationError
from enact_assets.evaluation.order_counts_kernels import Bools, Ints
from enact_assets.evaluation.release_changes import SharedChanges
from enact_assets.evaluation.release_verification_kernels import (
    AnswerArrays,
    QuestionArrays,
    answered_frames,
    verify_actions,
    verify_images,
)
from enact_assets.evaluation.step_arrays import padded

Labels = list[Any]
"""An answer as read: integers, or whatever a JSON list holds."""

_NO_LABEL = 2**62
"""Stands for an entry that is the label of nothing."""


@dataclass(frozen=True, slots=True)
class ReleaseQuestion:
    """What verification needs of a question: where it is from, the true order and its labels."""

    demonstration: str
    kind: str
    key_frames: list[int]
    answer: list[int]

    def is_sound(self, n_key_frames: int) -> bool:
        """Whether ``answer`` orders all steps and ``key_frames`` are in 0..n_key_frames - 1."""
        n = len(self.key_frames) - 1
        return (
            n > 0
            and sorted(self.answer) == list(range(1, n + 1))
            and min(self.key_frames) >= 0
            and max(self.key_frames) < n_key_frames
        )


@dataclass(frozen=True)
class ReleaseVerdicts:
    """Verdicts on n answers; each field (n,). Where ``is_failed``, the others mean nothing."""

    is_failed: Bools
    """The release raises on the row and leaves it out."""
    is_exact: Bools
    is_semantic: Bools
    n_passed: Ints
    """Steps that pass; all of an accepted order."""
    n_of: Ints
    """Steps of which ``n_passed`` is a share."""
    is_unexplained: Bools
    """Wrong, and led over a pair without a change: an analysis of wrong answers raises on it."""

    @property
    def is_accepted(self) -> Bools:
        """Exact or semantic (n,)."""
        return self.is_exact | self.is_semantic

    @property
    def pairwise_accuracy(self) -> NDArray[np.float64]:
        """Share of steps that pass, 0 to 1 (n,)."""
        return self.n_passed / self.n_of


class ReleaseVerifier:
    """Questions as arrays, against which the answers of any number of models are verified.

    ``changes`` holds those of every demonstration asked about, or :class:`EvaluationError` is
    raised. A question that does not order its steps, or names a key frame that is not there, is
    one the release cannot evaluate: answers to it fail.
    """

    def __init__(
        self, questions: Sequence[ReleaseQuestion], changes: Mapping[str, SharedChanges]
    ) -> None:
        absent = sorted({q.demonstration for q in questions} - set(changes))
        if absent:
            raise EvaluationError(
                f"{len(absent)} demonstrations have no index of changes, first {absent[0]}; "
                "materialize their scene_graphs and visibility"
            )
        self.questions = tuple(questions)
        rows: dict[tuple[str, str], list[int]] = {}
        for at, question in enumerate(self.questions):
            if question.is_sound(changes[question.demonstration].n_key_frames):
                rows.setdefault((question.demonstration, question.kind), []).append(at)
        self._groups = [
            _Group(at, [self.questions[k] for k in at], kind, changes[name])
            for (name, kind), at in rows.items()
        ]

    def verify(self, answers: Sequence[Labels | None]) -> ReleaseVerdicts:
        """Verdicts on one answer to each question, in their order; None fails.

        Source: definitions.md R15. An entry of a JSON list that is no integer
        names no picture; in an order of actions it fails the row, unless it is a number outside
        the labels, which is left out like any other.
        """
        n = len(self.questions)
        if len(answers) != n:
            raise EvaluationError(f"{len(answers)} answers to {n} questions; give one to each")
        is_failed = np.ones(n, np.bool_)
        is_semantic, is_unexplained = np.zeros(n, np.bool_), np.zeros(n, np.bool_)
        n_passed, n_of = np.zeros(n, np.int64), np.ones(n, np.int64)
        for group in self._groups:
            at, n_steps = group.rows, group.asked.n_steps
            given = _encode([answers[k] for k in at], group.kind, n_steps)
            found = group.verify(given)
            is_failed[at], is_unexplained[at] = found.is_failed, found.is_unexplained
            n_passed[at], n_of[at] = found.n_passed, found.n_of
            is_semantic[at] = (found.n_passed == n_steps) & (given.lengths == n_steps)
        is_exact = np.array(
            [labels == q.answer for labels, q in zip(answers, self.questions, strict=True)],
            np.bool_,
        )
        n_in_all = np.array([len(q.answer) for q in self.questions], np.int64)
        is_accepted = is_exact | is_semantic
        return ReleaseVerdicts(
            is_failed,
            is_exact,
            is_semantic,
            np.where(is_accepted, n_in_all, n_passed),
            np.where(is_accepted, n_in_all, n_of),
            is_unexplained & ~is_accepted,
        )


@dataclass(frozen=True)
class _Given:
    """Answers to one group, and per row (n,) what arrays of labels cannot say."""

    arrays: AnswerArrays
    is_failed: Bools
    """There is no answer, or the release raises on it."""
    is_foreign: Bools
    """An entry is no integer."""

    @property
    def lengths(self) -> Ints:
        return np.diff(self.arrays.offsets)


@dataclass(frozen=True)
class _Outcome:
    """What came of the answers to one group; fields as in :class:`ReleaseVerdicts`."""

    n_passed: Ints
    n_of: Ints
    is_failed: Bools
    is_unexplained: Bools


class _Group:
    """Questions of one demonstration and kind; ``rows`` are their places among all."""

    def __init__(
        self, rows: list[int], questions: list[ReleaseQuestion], kind: str, changes: SharedChanges
    ) -> None:
        self.rows = rows
        self.kind = kind
        self._changes = changes
        key_frames, gold = (
            padded([getattr(q, name) for q in questions]) for name in ("key_frames", "answer")
        )
        is_step = gold > 0
        self.asked = QuestionArrays(key_frames, gold, is_step.sum(axis=1))
        self._steps = np.stack([key_frames[:, :-1][is_step], key_frames[:, 1:][is_step]], axis=1)
        known = changes.at(self._steps)
        raises = known.partial_raises | known.full_raises
        is_raising = np.zeros(is_step.shape, np.bool_)
        is_raising[is_step] = raises[self._steps[:, 0], self._steps[:, 1]]
        self._is_raising = is_raising.any(axis=1)

    def verify(self, given: _Given) -> _Outcome:
        """Steps that pass in each of the answers ``given``."""
        if self.kind == "inverse":
            known = self._changes.at(self._steps)
            passed = verify_actions(self.asked, given.arrays, known)
            is_failed = given.is_failed | self._is_raising
            return _Outcome(passed, self.asked.n_steps, is_failed, np.zeros_like(is_failed))
        frames = answered_frames(self.asked, given.arrays)
        offsets = given.arrays.offsets
        known = self._changes.at(_steps_answered(frames, offsets))
        passed, of, is_broken = verify_images(self.asked, frames, offsets, known)
        return _Outcome(passed, of, given.is_failed, is_broken | given.is_foreign)


def _steps_answered(frames: Ints, offsets: Ints) -> Ints:
    """Consecutive key frames (n, 2) of all orders in ``frames``, labels without one left out."""
    row = np.repeat(np.arange(offsets.size - 1), np.diff(offsets) + 1)
    is_shown = frames >= 0
    shown, row = frames[is_shown], row[is_shown]
    is_step = row[1:] == row[:-1]
    return np.stack([shown[:-1][is_step], shown[1:][is_step]], axis=1)


def _encode(answers: Sequence[Labels | None], kind: str, n_steps: Ints) -> _Given:
    """Answers of one group as arrays; None fails."""
    n = len(answers)
    is_failed = np.array([labels is None for labels in answers], np.bool_)
    is_foreign = np.zeros(n, np.bool_)
    rows: list[Labels] = [labels or [] for labels in answers]
    flat = list(chain.from_iterable(rows))
    if set(map(type, flat)) - {int}:
        for row, labels in enumerate(rows):
            if not all(type(label) is int for label in labels):
                rows[row], is_foreign[row], has_failed = _translate(labels, kind, int(n_steps[row]))
                is_failed[row] |= has_failed
        flat = list(chain.from_iterable(rows))
    try:
        codes = np.array(flat, np.int64)
    except OverflowError:
        codes = np.array([max(-_NO_LABEL, min(label, _NO_LABEL)) for label in flat], np.int64)
    offsets = np.zeros(n + 1, np.int64)
    np.cumsum(np.fromiter(map(len, rows), np.int64, n), out=offsets[1:])
    return _Given(AnswerArrays(codes, offsets), is_failed, is_foreign)


def _translate(labels: Labels, kind: str, n_steps: int) -> tuple[list[int], bool, bool]:
    """Entries of a JSON list as labels, whether one is no integer, and whether that fails."""
    codes = [int(label) if isinstance(label, int) else _NO_LABEL for label in labels]
    foreign = [label for label in labels if not isinstance(label, int)]
    has_failed = kind == "inverse" and any(
        not isinstance(label, float) or 1 <= label <= n_steps for label in foreign
    )
    return codes, bool(foreign), has_failed
