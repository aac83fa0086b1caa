"""Numba kernels of profile ``release``: orders of pictures and of actions against change sets."""

from typing import NamedTuple

import numpy as np
from numba import njit

from enact_assets.evaluation.order_counts_kernels import Bools, Ints, Words, longest_alignment


class QuestionArrays(NamedTuple):
    """n questions about one demonstration, filled up after their last step."""

    key_frames: Ints
    """In true order (n, width + 1)."""
    gold: Ints
    """The label, from 1, shown for each step (n, width)."""
    n_steps: Ints
    """(n,)"""


class AnswerArrays(NamedTuple):
    """n answers; the labels of row r are ``labels[offsets[r]:offsets[r + 1]]``."""

    labels: Ints
    offsets: Ints
    """(n + 1,)"""


class ChangeArrays(NamedTuple):
    """Changes between k key frames as bit sets: ``rows[i, j]`` is the row of the one from i to j.

    Row 0 is the empty set: nothing changes from a key frame to itself.
    """

    rows: Ints
    """(k, k)"""
    partial: Words
    full: Words
    """(n_rows, n_words)"""
    partial_raises: Bools
    full_raises: Bools
    """Pairs that have no such change (k, k)."""


@njit(cache=True)
def answered_frames(asked: QuestionArrays, given: AnswerArrays) -> Ints:
    """Key frames in the order answered, the current state first; -1 for a label that has none.

    Label 0 is the current state and negative labels count from the end, as indices do in Python.
    Shape: flat; those of row r start at ``offsets[r] + r`` and are one more than its labels.
    """
    n_rows = asked.n_steps.size
    frames = np.empty(given.labels.size + n_rows, np.int64)
    shown = np.empty(asked.key_frames.shape[1], np.int64)
    for row in range(n_rows):
        n = asked.n_steps[row]
        shown[0] = asked.key_frames[row, 0]
        for step in range(n):
            shown[asked.gold[row, step]] = asked.key_frames[row, step + 1]
        at = given.offsets[row] + row
        frames[at] = shown[0]
        for k in range(given.offsets[row], given.offsets[row + 1]):
            label = given.labels[k]
            if label < 0:
                label += n + 1
            at += 1
            frames[at] = shown[label] if 0 <= label <= n else -1
    return frames


@njit(cache=True)
def verify_images(
    asked: QuestionArrays, frames: Ints, offsets: Ints, changes: ChangeArrays
) -> tuple[Ints, Ints, Bools]:
    """Steps that pass in orders of pictures, ``frames`` of :func:`answered_frames`.

    Step t passes if the partial change of the true step is within the full change between the
    pictures answered; an order of another length is aligned. A label without a picture, or a pair
    without a change, costs the row all its steps. Returns (steps passed (n,), the steps they are
    a share of (n,), whether a pair answered has no change, labels without a picture left out
    (n,)). Source: definitions.md R15.1.
    """
    n_rows = asked.n_steps.size
    passed = np.zeros(n_rows, np.int64)
    of = np.zeros(n_rows, np.int64)
    is_broken = np.zeros(n_rows, np.bool_)
    for row in range(n_rows):
        n = asked.n_steps[row]
        m = offsets[row + 1] - offsets[row]
        of[row] = max(n, m)
        true = asked.key_frames[row]
        answered = frames[offsets[row] + row : offsets[row + 1] + row + 1]
        is_whole = True
        before = answered[0]
        for k in range(1, m + 1):
            if answered[k] < 0:
                is_whole = False
            else:
                is_broken[row] |= changes.full_raises[before, answered[k]]
                before = answered[k]
        for step in range(n):
            is_whole &= not changes.partial_raises[true[step], true[step + 1]]
        if not is_whole or is_broken[row]:
            continue
        if m == n:
            for step in range(n):
                passed[row] += _image_fits(changes, true, step, answered, step)
        else:
            allowed = np.zeros((n, m), np.bool_)
            for step in range(n):
                for k in range(m):
                    allowed[step, k] = _image_fits(changes, true, step, answered, k)
            passed[row] = longest_alignment(allowed)
    return passed, of, is_broken


@njit(cache=True)
def verify_actions(asked: QuestionArrays, given: AnswerArrays, changes: ChangeArrays) -> Ints:
    """Steps that pass in orders of actions, shares of ``n_steps``: (n,).

    A label outside 1..n_steps is left out, and those after it move up. Step t passes if the
    partial change of the action there is within the full change of the true step. An order of
    another length is aligned; there an action also passes if it holds the step's partial change,
    and a label inside 1..n_steps beyond the n_steps-th place costs the row all its steps.
    Source: definitions.md R15.2.
    """
    n_rows, width = asked.gold.shape
    passed = np.zeros(n_rows, np.int64)
    true = np.empty(width, np.int64)
    shown = np.empty(width + 1, np.int64)
    chosen = np.empty(width, np.int64)
    partial, full = changes.partial, changes.full
    for row in range(n_rows):
        n = asked.n_steps[row]
        m = given.offsets[row + 1] - given.offsets[row]
        for step in range(n):
            true[step] = changes.rows[asked.key_frames[row, step], asked.key_frames[row, step + 1]]
            shown[asked.gold[row, step]] = true[step]
        n_chosen = 0
        is_beyond = False
        for k in range(m):
            label = given.labels[given.offsets[row] + k]
            if 1 <= label <= n:
                is_beyond = k >= n
                if is_beyond:
                    break
                chosen[n_chosen] = shown[label]
                n_chosen += 1
        if is_beyond:
            continue
        if m == n:
            for step in range(n_chosen):
                passed[row] += _is_subset(partial, chosen[step], full, true[step])
        else:
            allowed = np.zeros((n, n_chosen), np.bool_)
            for step in range(n):
                for k in range(n_chosen):
                    allowed[step, k] = _is_subset(
                        partial, true[step], partial, chosen[k]
                    ) or _is_subset(partial, chosen[k], full, true[step])
            passed[row] = longest_alignment(allowed)
    return passed


@njit(cache=True)
def _image_fits(changes: ChangeArrays, true: Ints, step: int, answered: Ints, k: int) -> bool:
    """Whether true step ``step`` is within step ``k`` of the order answered."""
    return _is_subset(
        changes.partial,
        changes.rows[true[step], true[step + 1]],
        changes.full,
        changes.rows[answered[k], answered[k + 1]],
    )


@njit(cache=True)
def _is_subset(inner: Words, row: int, outer: Words, other: int) -> bool:
    """Whether set ``inner[row]`` lies within ``outer[other]``."""
    for word in range(inner.shape[1]):  # noqa: SIM110 - numba compiles no generators in all()
        if inner[row, word] & ~outer[other, word]:
            return False
    return True
