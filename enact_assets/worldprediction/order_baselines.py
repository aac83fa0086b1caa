"""Baselines that choose a plan by its order of labels; they see no picture.

Each gives scores (n, 4), higher is better, for the four plans of n questions of one length.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from enact_assets.predictions.order_kernels import violations
from enact_assets.predictions.text_prior import ActionRules
from enact_assets.worldprediction.observed_orders import OrderCounts

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

SMOOTHING = 0.1
"""Added to every count of a bigram."""


def medoid_scores(pool: Ints) -> Floats:
    """Minus the number of pairs that a plan orders otherwise than the other three, in all.

    Shape: (n, 4, length), orders of the same clips -> (n, 4). It reads no label: if wrong plans are
    made from the right one by few changes, the right one lies in their midst.
    """
    places = np.argsort(pool, axis=2)  # of each clip, in each plan
    earlier, later = np.triu_indices(pool.shape[2], 1)
    is_before = places[:, :, earlier] < places[:, :, later]
    differs = is_before[:, :, None, :] != is_before[:, None, :, :]
    return np.asarray(-differs.sum(axis=(2, 3)), np.float64)


def markov_scores(counts: OrderCounts, plans: Ints) -> Floats:
    """Log probability of each plan, given its first action, by bigrams with 0.1 added.

    Shape: (n, 4, length), numbers of categories, -1 for one never seen -> (n, 4).
    """
    follows = np.pad(counts.follows, (0, 1))  # -1 is the last, which nothing follows
    n_categories = len(counts.number)
    seen = follows.sum(axis=1, keepdims=True)
    log = np.log((follows + SMOOTHING) / (seen + SMOOTHING * n_categories))
    return np.asarray(log[plans[:, :, :-1], plans[:, :, 1:]].sum(axis=2))


def precedence_scores(counts: OrderCounts, plans: Ints) -> Floats:
    """Sum over pairs of log (n_ab + 1) / (n_ab + n_ba + 2), n_ab plans in which a came before b.

    Shape: as :func:`markov_scores`.
    """
    precedes = np.pad(counts.precedes, (0, 1))
    log = np.log((precedes + 1) / (precedes + precedes.T + 2))
    earlier, later = np.triu_indices(plans.shape[2], 1)
    return np.asarray(log[plans[:, :, earlier], plans[:, :, later]].sum(axis=2))


def rule_scores(changes: Sequence[Sequence[Sequence[str]]], pool: Ints) -> Floats:
    """Minus the rules of ``text_prior`` that each plan breaks, by weight.

    ``changes`` has, for each question and clip of its pool, the changes of its action as text.
    Shape: n lists of length lists, (n, 4, length) -> (n, 4).
    """
    scores = np.zeros(pool.shape[:2])
    for k, (actions, orders) in enumerate(zip(changes, pool, strict=True)):
        scores[k] = -violations(ActionRules(actions).masks(), np.ascontiguousarray(orders - 1))
    return scores


def prior_choice(
    options: Mapping[str, tuple[str, int, str]],
    frequency: Mapping[str, int],
    duration: Mapping[tuple[str, int], float],
) -> str:
    """The letter whose clip shows the most frequent category, of these the longest clip.

    ``options``: letter -> recording, action, category. Ties are broken by the clip and never by the
    question: in a set of four questions about the same clips it is right exactly once.
    """

    def rank(letter: str) -> tuple[float, float, str, int]:
        recording, action, category = options[letter]
        long = duration.get((recording, action), 0.0)
        return frequency.get(category, 0), long, recording, action

    return max(options, key=rank)
