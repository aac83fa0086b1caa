"""Krippendorff's alpha of many resamples at once. Questions are resampled whole."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from enact_assets.settings.arrays import Floats, Ints


@dataclass(frozen=True)
class Ratings:
    """One entry per unit and annotator, (N,) each: the unit, counted from 0, and its value.

    ``question_of`` is the question of each unit, (U,), counted from 0. A unit with fewer than two
    values counts for nothing. ``n_questions`` may be more than there are in ``question_of``.
    """

    unit: Ints
    value: Ints
    question_of: Ints
    n_questions: int


def nominal_alphas(ratings: Ratings, weights: Floats) -> Floats:
    """Alpha of values that are equal or not, (R,), of each resample.

    ``weights``, (R, Q), says how often a resample has each question. nan where all values are equal
    or there are none. Source: Krippendorff 2011, "Computing Krippendorff's alpha-reliability".
    """
    counts, question = _pairable(ratings)
    n_values = np.asarray(counts.sum(axis=1)).ravel()
    squares = np.asarray(counts.multiply(counts).sum(axis=1)).ravel()
    same = np.bincount(question, (squares - n_values) / (n_values - 1), ratings.n_questions)
    n = _by_question(counts, question, ratings.n_questions, weights)
    total = n.sum(axis=1)
    return _alpha(total - weights @ same, total**2 - (n**2).sum(axis=1), total)


def ordinal_alphas(ratings: Ratings, weights: Floats) -> Floats:
    """Alpha of values with an order, such as places; otherwise as :func:`nominal_alphas`.

    Memory grows with the square of the number of values, which is small: places of a question.
    """
    sparse, question = _pairable(ratings)
    counts = np.asarray(sparse.todense())
    n_values = counts.sum(axis=1)
    pairs = np.zeros((ratings.n_questions, counts.shape[1], counts.shape[1]))
    of_unit = counts[:, :, None] * counts[:, None, :]
    places = np.arange(counts.shape[1])
    of_unit[:, places, places] -= counts
    np.add.at(pairs, question, of_unit / (n_values - 1)[:, None, None])
    n = _by_question(sparse, question, ratings.n_questions, weights)
    middle = np.cumsum(n, axis=1) - n / 2
    distance = (middle[:, :, None] - middle[:, None, :]) ** 2
    observed = (np.tensordot(weights, pairs, 1) * distance).sum(axis=(1, 2))
    expected = (n[:, :, None] * n[:, None, :] * distance).sum(axis=(1, 2))
    return _alpha(observed, expected, n.sum(axis=1))


def _pairable(ratings: Ratings) -> tuple[Any, Ints]:
    """How often each unit has each value, sparse (U, V), and its question; of comparable units."""
    from scipy.sparse import csr_array

    shape = (ratings.question_of.size, int(ratings.value.max(initial=0)) + 1)
    ones = np.ones(ratings.unit.size)
    counts = csr_array((ones, (ratings.unit, ratings.value)), shape=shape)
    is_pairable = np.asarray(counts.sum(axis=1)).ravel() > 1
    return counts[np.flatnonzero(is_pairable)], ratings.question_of[is_pairable]


def _by_question(counts: Any, question: Ints, n_questions: int, weights: Floats) -> Floats:
    """Number of each value, (R, V), in each resample."""
    from scipy.sparse import csr_array

    units = np.arange(question.size)
    shape = (n_questions, question.size)
    sums = csr_array((np.ones(question.size), (question, units)), shape=shape) @ counts
    found: Floats = np.asarray(sums.T @ weights.T).T
    return found


def _alpha(observed: Floats, expected: Floats, total: Floats) -> Floats:
    ratio = np.full(total.shape, np.nan)
    np.divide(observed * (total - 1), expected, out=ratio, where=expected > 0)
    return 1 - ratio
