"""Verdicts on many answers at once, on change sets shared between models.

Profile ``paper`` gives distinct labels alone, at most one for each step, and the components of
each action. All that is written here of other labels and of changes that fail is the behaviour of
the public release.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from enact_assets.engine.errors import EvaluationError
from enact_assets.questions.asked.parsing import Labels
from enact_assets.results.verification.shared_changes import SharedChanges
from enact_assets.results.verification.step_arrays import Action, encode_actions, padded, step_pairs
from enact_assets.results.verification.verify_kernels import (
    SAYS_ALL,
    AnswerArrays,
    ChangeSets,
    QuestionArrays,
    count_passed,
    read_labels,
)
from enact_assets.settings.arrays import Bools, Ints, Words

_NO_LABEL = 2**62
"""Stands for an entry that is the label of nothing."""


@dataclass(frozen=True, slots=True)
class VerifierQuestion:
    """What verification needs of a question: where it is from, the true order and its labels."""

    demonstration: str
    kind: str
    """forward, or inverse."""
    key_frames: list[int]
    answer: list[int]
    actions: Sequence[Action] | None = None
    """What the actions of an inverse question say, by label; None: what shows of their steps."""

    def is_sound(self, n_key_frames: int) -> bool:
        """Whether ``answer`` orders all steps and ``key_frames`` are in 0..n_key_frames - 1.

        Each step must also have an action, if there are any.
        """
        n = len(self.key_frames) - 1
        return (
            n > 0
            and (self.actions is None or len(self.actions) == n)
            and sorted(self.answer) == list(range(1, n + 1))
            and min(self.key_frames) >= 0
            and max(self.key_frames) < n_key_frames
        )


@dataclass(frozen=True)
class Verdicts:
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


class Verifier:
    """Questions as arrays, against which the answers of any number of models are verified.

    ``changes`` holds those of every demonstration asked about, or :class:`EvaluationError` is
    raised. A question that does not order its steps, or names a key frame that is not there, is
    one the release cannot evaluate: answers to it fail. ``either_rule_aligns`` is for orders of
    another length than the question: whether an action also passes a step of which it says all that
    shows (release), or only by the rule of other orders (paper A.3.2).
    """

    def __init__(
        self,
        questions: Sequence[VerifierQuestion],
        changes: Mapping[str, SharedChanges],
        *,
        either_rule_aligns: bool,
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
            _Group(
                at, [self.questions[k] for k in at], kind, changes[name],
                SAYS_ALL if either_rule_aligns else 0,
            )
            for (name, kind), at in rows.items()
        ]  # fmt: skip

    def verify(self, answers: Sequence[Labels | None]) -> Verdicts:
        """Verdicts on one answer to each question, in their order; None fails.

        Source: behaviour of the release, section 15. An entry of a JSON list that is no integer
        names no picture. In an order of actions it fails the row, unless it is a float: one outside
        the labels is left out like any other number, with one within them no step passes.
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
            n_passed[at], n_of[at], is_failed[at], is_unexplained[at] = group.verify(given)
            is_semantic[at] = (n_passed[at] == n_steps) & (given.lengths == n_steps)
        is_exact = np.array(
            [labels == q.answer for labels, q in zip(answers, self.questions, strict=True)],
            np.bool_,
        )
        n_in_all = np.array([len(q.answer) for q in self.questions], np.int64)
        is_accepted = is_exact | is_semantic
        return Verdicts(
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


class _Group:
    """Questions of one demonstration and kind; ``rows`` are their places among all."""

    def __init__(
        self,
        rows: list[int],
        questions: list[VerifierQuestion],
        kind: str,
        changes: SharedChanges,
        also_aligned: int,
    ) -> None:
        self.rows = rows
        self.kind = kind
        self._changes = changes
        self._said: Words | None = None
        key_frames, gold = (
            padded([getattr(q, name) for q in questions]) for name in ("key_frames", "answer")
        )
        is_step = gold > 0
        steps = step_pairs(key_frames, is_step)
        known = changes.at(steps)
        true, has_failure = np.zeros(is_step.shape, np.int64), np.zeros(is_step.shape, np.bool_)
        true[is_step] = known.rows[steps[:, 0], steps[:, 1]]
        is_forward = kind == "forward"
        fails = known.visible_fails if is_forward else known.visible_fails | known.full_fails
        has_failure[is_step] = fails[steps[:, 0], steps[:, 1]]
        self._is_failing = has_failure.any(axis=1)
        shown = np.full(key_frames.shape, -1, np.int64)
        actions = [q.actions for q in questions if q.actions is not None]
        if actions and not is_forward:
            self._said, shown[:, 1:] = encode_actions(actions, changes.index)
        else:
            shown[:, 0] = key_frames[:, 0]
            named = key_frames[:, 1:] if is_forward else true
            shown[np.nonzero(is_step)[0], gold[is_step]] = named[is_step]
        self.asked = QuestionArrays(is_forward, true, shown, is_step.sum(axis=1), also_aligned)

    def verify(self, given: _Given) -> tuple[Ints, Ints, Bools, Bools]:
        """``n_passed``, ``n_of``, ``is_failed`` and ``is_unexplained`` (:class:`Verdicts`) of the
        answers ``given``.
        """
        asked = self.asked
        named = read_labels(asked, given.arrays)
        is_aligned = given.lengths != asked.n_steps
        if not asked.is_forward:
            known = self._changes.known
            said = known.visible if self._said is None else self._said
            sets = ChangeSets(known.visible, known.full, said)
            n_passed = count_passed(asked, named, named.steps[:, 1], is_aligned, sets)
            is_failed = given.is_failed | self._is_failing
            return n_passed, asked.n_steps, is_failed, np.zeros_like(is_failed)
        known = self._changes.at(named.steps)
        before, after = named.steps.T
        is_broken = np.zeros(self._is_failing.shape, np.bool_)
        of_answer = np.repeat(np.arange(is_broken.size), np.diff(named.offsets))
        is_broken[of_answer[known.full_fails[before, after]]] = True
        named = named._replace(is_void=named.is_void | is_broken | self._is_failing)
        sets = ChangeSets(known.visible, known.full, known.full)
        n_passed = count_passed(asked, named, known.rows[before, after], is_aligned, sets)
        n_of = np.maximum(given.lengths, asked.n_steps)
        return n_passed, n_of, given.is_failed, is_broken | given.is_foreign


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
    if kind == "forward":
        return codes, bool(foreign), False
    floats = [label for label in foreign if isinstance(label, float)]
    if any(1 <= label <= n_steps for label in floats):
        codes = []
    return codes, bool(foreign), len(floats) < len(foreign)
