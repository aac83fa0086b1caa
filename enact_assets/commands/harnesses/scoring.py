"""Scores answers as profile ``paper`` does, from what an exported question carries.

It needs only the standard library and the modules of ``questions`` that parse answers: exports
merge them into one file for interpreters without this package. ``fits`` of a question says which of
its steps an entry of an answer passes, counted from 1: of orders of pictures by what is named
before and what is named, 0 being the current state (``{"0>2": [1]}``), of orders of actions by the
action (``{"3": [1]}``). Source: paper A.3.2, definitions.md 6.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from enact_assets.questions.asked.parsing import WRONG_LENGTH, Labels, heed_stop, read_answer
from enact_assets.questions.asked.release_parsing import read_as_release

Fits = Mapping[str, Collection[int]]
"""Entry of an answer -> the steps that it passes."""


class Score(NamedTuple):
    """Score of an answer. ``reason`` is a key of ``parsing.REASONS``, or None."""

    is_parsed: bool
    is_accepted: bool
    n_right: int
    """Steps that pass; all of an accepted order."""
    n_steps: int
    reason: str | None

    @property
    def pairwise_accuracy(self) -> float:
        """Share of steps that pass, 0 to 1."""
        return self.n_right / self.n_steps


class Scores(NamedTuple):
    """Both readings of an answer, scored by the same rules."""

    strict: Score
    released: Score
    """The answer as the public release parses it."""
    is_read_otherwise: bool
    """Whether the two readings name different labels."""


def score_readings(
    text: str | None, kind: str, answer: Sequence[int], fits: Fits, stop: str | None = None
) -> Scores:
    """As :func:`score_answer`, and what the answer scores as the release reads it."""
    n = len(answer)
    strict, reason = heed_stop(read_answer(text, n), stop)
    labels, is_order = read_as_release(text, n)
    short = WRONG_LENGTH if is_order and labels and len(labels) < n else None
    of_release = score_labels(labels, kind, answer, fits, short) if is_order else None
    return Scores(
        score_labels(strict, kind, answer, fits, reason),
        of_release or score_labels(None, kind, answer, fits, "no_list"),
        strict != labels,
    )


def score_answer(
    text: str | None, kind: str, answer: Sequence[int], fits: Fits, stop: str | None = None
) -> Score:
    """The score of a model's whole ``text`` to a question of ``kind`` with reference ``answer``.

    An answer without a readable order scores nothing, one with too few labels the steps that can
    be matched in order. ``stop`` is ``refused`` or ``cut`` where that is known.
    """
    labels, reason = heed_stop(read_answer(text, len(answer)), stop)
    return score_labels(labels, kind, answer, fits, reason)


def score_labels(
    labels: Labels | None, kind: str, answer: Sequence[int], fits: Fits, reason: str | None
) -> Score:
    """The score of labels as they were read, distinct and at most as many as there are steps."""
    n = len(answer)
    if labels is None:
        return Score(is_parsed=False, is_accepted=False, n_right=0, n_steps=n, reason=reason)
    passed = [fits.get(name, ()) for name in _names(kind, labels)]
    if len(labels) < n:
        n_right = _longest_alignment(passed, n)
        is_accepted = False
    else:
        n_right = sum(step in steps for step, steps in enumerate(passed, start=1))
        is_accepted = n_right == n or list(labels) == list(answer)
    return Score(
        is_parsed=True,
        is_accepted=is_accepted,
        n_right=n if is_accepted else n_right,
        n_steps=n,
        reason=reason,
    )


def _names(kind: str, labels: Labels) -> list[str]:
    """Keys of ``fits`` that an answer names, in its order."""
    if kind == "inverse":
        return [str(label) for label in labels]
    return [f"{a}>{b}" for a, b in zip([0, *labels], labels, strict=False)]


def _longest_alignment(passed: Sequence[Collection[int]], n_steps: int) -> int:
    """Most entries that can be matched with steps they pass, both in order."""
    best = [0] * (n_steps + 1)
    for steps in passed:
        before = list(best)
        for step in range(1, n_steps + 1):
            here = before[step - 1] + 1 if step in steps else 0
            best[step] = max(best[step - 1], before[step], here)
    return best[n_steps]
