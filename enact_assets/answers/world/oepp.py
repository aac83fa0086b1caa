"""Open-event procedural planning, small: from two states to the labels of a plan.

The paper's OEPP models read pictures and plans as text. These read symbols: a state is the set of
actions done so far (:mod:`picture_planners` gives pictures), a label a random vector that depends
on its name alone. They predict one label vector per place, the Transformer after those before it,
and choose the nearest of the four plans. As they read labels, their scores are no scores of OEPP.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from enact_assets.answers.world.oepp_kernels import Network, train
from enact_assets.answers.world.oepp_transformer import predicted_labels, train_transformer
from enact_assets.engine.ids import seed_from
from enact_assets.settings.arrays import Floats, Ints

STATE_SIZE, LABEL_SIZE = 128, 32
RIDGE = 1.0
HIDDEN, EPOCHS, BATCH = 64, 30, 64
MOST_WINDOWS, MOST_LEARNED = 2_000, 10_000
"""Windows that are learned from at most, evenly spaced, and how often a network sees one in all: of
more than 333 each is seen fewer than thirty times. There is a model for each person who is asked
about and each length, 256 for EPIC's 9,668 steps; without a limit each took half a minute.
"""


class Window(NamedTuple):
    """Actions in a row of one plan, and those that were done before."""

    done: frozenset[str]
    plan: tuple[str, ...]


Predict = Callable[[Floats, Floats], Floats]
"""States (n, 256) and label vectors of four plans (n, 4, size) -> those expected: (n, 4, size), or
(n, 1, size) if they do not depend on the plan.
"""
Fit = Callable[[Floats, Floats], Predict]
"""States (n, 256) and label vectors (n, size) -> what predicts label vectors from states."""


def windows_of(plans: Sequence[Sequence[str]], length: int) -> list[Window]:
    """All windows of ``length`` actions."""
    return [
        Window(frozenset(plan[:first]), tuple(plan[first : first + length]))
        for plan in plans
        for first in range(len(plan) - length + 1)
    ]


def oepp_scores(
    fit: Fit,
    training: Sequence[Sequence[str]],
    done: Sequence[tuple[frozenset[str], frozenset[str]]],
    plans: NDArray[np.object_],
) -> Floats:
    """Minus the squared distance of each plan's label vectors from the predicted ones.

    ``training`` are whole plans; ``done`` says for each of n questions what was done before the
    first state, and what between the two.
    Shape: plans (n, 4, length) of labels -> (n, 4). Zeros where no plan to learn from is as long.
    """
    n, n_options, length = plans.shape
    windows = windows_of(training, length)
    if not windows or not n:
        return np.zeros((n, n_options))
    windows = windows[:: -(-len(windows) // MOST_WINDOWS)]
    learned = np.array([_state(window.done, window.plan) for window in windows])
    asked = np.array([_state(before, between) for before, between in done])
    return learned_scores(fit, learned, [window.plan for window in windows], asked, plans)


def learned_scores(
    fit: Fit,
    learned: Floats,
    learned_plans: Sequence[Sequence[str]],
    asked: Floats,
    plans: NDArray[np.object_],
) -> Floats:
    """As :func:`oepp_scores`, of states as vectors.

    Shape: learned (m, 256), m plans of ``length`` labels, asked (n, 256), plans (n, 4, length) ->
    (n, 4).
    """
    predict = fit(learned, np.array([_plan(plan) for plan in learned_plans]))
    shown = np.array([[_plan(option) for option in options] for options in plans])
    return np.asarray(-((shown - predict(asked, shown)) ** 2).sum(axis=2))


def fit_ridge(states: Floats, labels: Floats) -> Predict:
    """Ridge regression with an intercept that is not shrunk."""
    mean, target = states.mean(axis=0), labels.mean(axis=0)
    centred = states - mean
    squares = centred.T @ centred + RIDGE * np.eye(states.shape[1])
    weights = np.linalg.solve(squares, centred.T @ (labels - target))
    return lambda asked, _shown: ((asked - mean) @ weights + target)[:, None]


def fit_mlp(states: Floats, labels: Floats) -> Predict:
    """One hidden layer of 64 units (tanh), squared error, Adam; the same weights each time.

    It learns from all states thirty times over, or less often: ``MOST_LEARNED`` states in all.
    """
    rng = np.random.default_rng(seed_from("oepp_mlp"))
    mean, target = states.mean(axis=0), labels.mean(axis=0)
    n_in, n_out = states.shape[1], labels.shape[1]
    network = Network(
        rng.standard_normal((n_in, HIDDEN)) / np.sqrt(n_in),
        np.zeros(HIDDEN),
        rng.standard_normal((HIDDEN, n_out)) / np.sqrt(HIDDEN),
        np.zeros(n_out),
    )
    train(network, states - mean, labels - target, _orders(rng, len(states)), BATCH)

    def predict(asked: Floats, _shown: Floats) -> Floats:
        hidden = np.tanh((asked - mean) @ network.inner + network.inner_bias)
        return np.asarray(hidden @ network.outer + network.outer_bias + target)[:, None]

    return predict


def fit_transformer(states: Floats, labels: Floats) -> Predict:
    """A causal Transformer: what comes next in a plan after its actions so far, given both states.
    It learns more slowly than the other network, and sees twice as many windows.
    """
    rng = np.random.default_rng(seed_from("oepp_transformer order"))
    mean = states.mean(axis=0)
    plans = labels.reshape(len(labels), -1, LABEL_SIZE)
    weights = train_transformer(states - mean, plans, _orders(rng, len(states), 2), BATCH)

    def predict(asked: Floats, shown: Floats) -> Floats:
        n, n_options, size = shown.shape
        rows = np.repeat(asked - mean, n_options, axis=0)
        found = predicted_labels(weights, rows, shown.reshape(len(rows), -1, LABEL_SIZE))
        return found.reshape(n, n_options, size)

    return predict


def _orders(rng: np.random.Generator, n: int, times: int = 1) -> Ints:
    """The rows as each epoch shows them: (epochs, n)."""
    n_epochs = max(1, min(times * EPOCHS, times * MOST_LEARNED // n))
    return np.array([rng.permutation(n) for _ in range(n_epochs)])


def _state(done: frozenset[str], plan: Iterable[str]) -> Floats:
    """(256,): what is done before the plan, and after it."""
    before = _sum(done)
    return np.concatenate([before, before + _sum(set(plan) - done)])


def _plan(labels: Sequence[str]) -> Floats:
    """(length * 32,): one vector per place."""
    return np.concatenate([_vector(label, LABEL_SIZE) for label in labels])


def _sum(labels: frozenset[str] | set[str]) -> Floats:
    total = np.zeros(STATE_SIZE)
    for label in sorted(labels):
        total += _vector(label, STATE_SIZE)
    return total


@lru_cache(maxsize=1 << 15)
def _vector(label: str, size: int) -> Floats:
    """The random vector of a label, of length 1 on average."""
    rng = np.random.default_rng(seed_from("label vector", label, size))
    drawn: Floats = rng.standard_normal(size) / np.sqrt(size)
    return drawn
