"""Numba kernels of verification: what answers say of each step, and how many steps pass."""

from typing import NamedTuple

import numpy as np

from enact_assets.engine.system.compiled import njit
from enact_assets.results.verification.order_counts_kernels import is_subset, longest_alignment
from enact_assets.settings.arrays import Bools, Ints, Words

SAYS_ALL, SAYS_ONLY = 1, 2
"""Rules for one step: an answer says all that shows of it; an answer says only what happens in it.
Orders of pictures must satisfy the first, orders of actions the second."""


class QuestionArrays(NamedTuple):
    """n questions of one kind about one demonstration, filled up after their last step."""

    is_forward: bool
    """Whether answers order pictures, not actions."""
    true: Ints
    """Row of the change of each step (n, width)."""
    shown: Ints
    """What label k names is in column k (n, width + 1): the key frame of a picture, 0 being the
    current state; or the row of an action among what actions say, 0 being none."""
    n_steps: Ints
    """(n,)"""
    also_aligned: int
    """A rule that suffices too in answers of another length than the question; 0 for none."""


class AnswerArrays(NamedTuple):
    """n answers; the labels of row r are ``labels[offsets[r]:offsets[r + 1]]``."""

    labels: Ints
    offsets: Ints
    """(n + 1,)"""


class Named(NamedTuple):
    """What n answers name; row r names ``steps[offsets[r]:offsets[r + 1]]``."""

    steps: Ints
    """What is named before, label 0 at first, and what is named (n_named, 2)."""
    offsets: Ints
    """(n + 1,)"""
    is_void: Bools
    """No step of the answer passes (n,)."""


class ChangeSets(NamedTuple):
    """Bit sets over one vocabulary, (n_sets, n_words) each."""

    visible: Words
    full: Words
    """Changes between key frames, by their rows."""
    said: Words
    """What answers say: full changes between pictures, or what actions say."""


@njit(cache=True)
def read_labels(asked: QuestionArrays, given: AnswerArrays) -> Named:
    """What the labels name. Labels that name nothing are left out, and those after them move up.

    Negative labels of pictures count from the end, as indices do in Python. An answer is void if a
    label names no picture, or if one beyond the last step names an action. Source: behaviour of
    the release, section 15; under profile ``paper`` all labels are distinct and name something.
    """
    n_rows = asked.n_steps.size
    steps = np.empty((given.labels.size, 2), np.int64)
    offsets = np.zeros(n_rows + 1, np.int64)
    is_void = np.zeros(n_rows, np.bool_)
    at = 0
    for row in range(n_rows):
        n, first = asked.n_steps[row], given.offsets[row]
        least = -n - 1 if asked.is_forward else 1
        before = asked.shown[row, 0]
        for k in range(first, given.offsets[row + 1]):
            label = given.labels[k]
            if label < least or label > n:
                is_void[row] |= asked.is_forward
                continue
            is_void[row] |= not asked.is_forward and k - first >= n
            steps[at, 0] = before
            before = asked.shown[row, label if label >= 0 else label + n + 1]
            steps[at, 1] = before
            at += 1
        offsets[row + 1] = at
    return Named(steps[:at], offsets, is_void)


@njit(cache=True)
def count_passed(
    asked: QuestionArrays, named: Named, said: Ints, is_aligned: Bools, sets: ChangeSets
) -> Ints:
    """Steps that pass in each of n answers: (n,).

    ``said`` (n_named,) are the rows of ``sets.said`` that the answers say, -1 for something that
    never happens. An order of pictures passes a step if it says all that shows of the true step,
    one of actions if it says only what happens in it. Of answers that are aligned (n,), those of
    another length than the question, the most steps pass that can be matched in order; there
    ``asked.also_aligned`` suffices too. Source: paper A.3.2; behaviour of the release, section 15.
    """
    n_rows = asked.n_steps.size
    passed = np.zeros(n_rows, np.int64)
    for row in range(n_rows):
        if named.is_void[row]:
            continue
        rule = SAYS_ALL if asked.is_forward else SAYS_ONLY
        true = asked.true[row, : asked.n_steps[row]]
        given = said[named.offsets[row] : named.offsets[row + 1]]
        if is_aligned[row]:
            rule |= asked.also_aligned
            allowed = np.zeros((true.size, given.size), np.bool_)
            for step in range(true.size):
                for k in range(given.size):
                    allowed[step, k] = _passes(sets, true[step], given[k], rule)
            passed[row] = longest_alignment(allowed)
        else:
            for step in range(given.size):
                passed[row] += _passes(sets, true[step], given[step], rule)
    return passed


@njit(cache=True)
def _passes(sets: ChangeSets, true: int, said: int, rules: int) -> bool:
    """Whether what an answer says of a true step, by their rows, satisfies one of ``rules``."""
    if rules & SAYS_ALL and said >= 0 and is_subset(sets.visible, true, sets.said, said):
        return True
    return rules & SAYS_ONLY != 0 and is_subset(sets.said, said, sets.full, true)
