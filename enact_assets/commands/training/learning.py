"""A small policy that learns orders from rewards alone, in numpy: shows that a training set can be
learned from. It tests the set and the rewards, and is no result about models.

It sees what a model sees, pixels and sentences: a picture is colours and edges in grids, on
principal components of training pictures, an action its hashed words. An action's score over two
pictures is bilinear in both; an order is drawn place by place (Plackett-Luce). No reference order,
no label and no fact reaches it: rewards of drawn orders are all that it learns from (REINFORCE; the
other draws of a question are the baseline).
"""

import re
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from enact_assets.commands.training.order_rewards import OrderTable
from enact_assets.engine.errors import EvaluationError

Floats = NDArray[np.floating[Any]]
ACTION = re.compile(r"^\[Action \d+\] (.+)$", re.MULTILINE)
BUCKETS, SEEN_OFTEN = 4096, 3
SIDE, GRIDS = 64, (4, 8, 16, 32)
"""Pictures have this edge, in pixels, and are cut into so many cells across and down."""
COMPONENTS, LEAST_SPREAD = 128, 1e-3
UPDATES, UNSETTLED, BATCH, DRAWS, RATE = 200, 50, 64, 8, 0.003
KINDS = ("forward", "inverse")
COLUMNS = ("kind", "answer", "fits", "images", "prompt", "demonstration")


class Question(NamedTuple):
    """Numbers of its pictures (n + 1,), and its actions as vectors of names (n, names)."""

    kind: str
    demonstration: str
    pictures: NDArray[np.int64]
    actions: Floats


@dataclass(frozen=True)
class Sense:
    """How pictures and words become numbers, found on training questions alone."""

    means: tuple[Floats, ...]
    spreads: tuple[Floats, ...]
    """Of each number of each grid."""
    axes: Floats
    """(components, numbers), so scaled that training pictures have a mean square of 1."""
    names: Mapping[int, int]
    """Hash of a word -> its place."""

    @classmethod
    def of(cls, grids: Sequence[Floats], actions: Sequence[Sequence[str]]) -> "Sense":
        """From grids, each (pictures, its numbers), and the sentences of each question."""
        means = tuple(grid.mean(0) for grid in grids)
        spreads = tuple(grid.std(0) + LEAST_SPREAD for grid in grids)
        looks = _standardized(grids, means, spreads)
        _, _, axes = np.linalg.svd(looks, full_matrices=False)
        axes = axes[:COMPONENTS]
        axes /= np.sqrt(((looks @ axes.T) ** 2).mean())
        seen = Counter(word for texts in actions for text in texts for word in _words(text))
        often = sorted(word for word, n in seen.items() if n >= SEEN_OFTEN)
        return cls(means, spreads, axes, {word: place for place, word in enumerate(often)})

    def pictures(self, grids: Sequence[Floats]) -> Floats:
        """(pictures, components)."""
        found: Floats = _standardized(grids, self.means, self.spreads) @ self.axes.T
        return found

    def actions(self, texts: Sequence[str]) -> Floats:
        """(n, names), none longer than 1."""
        found = np.zeros((len(texts), len(self.names)), np.float32)
        for row, text in zip(found, texts, strict=True):
            for word, n in Counter(_words(text)).items():
                if word in self.names:
                    row[self.names[word]] = n
        found /= np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1.0)
        return found


def _standardized(
    grids: Sequence[Floats], means: Sequence[Floats], spreads: Sequence[Floats]
) -> Floats:
    """(pictures, numbers of all grids): all grids weigh the same."""
    parts = zip(grids, means, spreads, strict=True)
    return np.concatenate(
        [(grid - mean) / (spread * np.sqrt(grid.shape[1])) for grid, mean, spread in parts], axis=1
    )


def _words(text: str) -> Iterator[int]:
    """Hashes of words, and of pairs within a sentence."""
    for sentence in text.lower().split("."):
        words = re.findall(r"[a-z]+", sentence)
        pairs = [f"{a} {b}" for a, b in pairwise(words)]
        yield from (zlib.crc32(word.encode()) % BUCKETS for word in (*words, *pairs))


@dataclass(frozen=True)
class Questions:
    """Questions of a training set, with the rewards of their orders."""

    questions: tuple[Question, ...]
    looks: Floats
    table: OrderTable

    @property
    def demonstrations(self) -> list[str]:
        """What each question is about."""
        return [question.demonstration for question in self.questions]


def read_questions(folder: Path) -> pl.DataFrame:
    """The rows of a training set with pictures in files."""
    return pl.read_parquet(folder / "data" / "*.parquet", columns=list(COLUMNS))


def read_grids(folder: Path, rows: pl.DataFrame) -> tuple[list[str], list[Floats]]:
    """Names of all pictures of ``rows``, and for each grid (pictures, numbers): means of colours,
    0 to 1, and of the differences across and down.

    Errors: :class:`EvaluationError` for pictures that are not square, or of several sizes.
    """
    from PIL import Image

    names = rows["images"].explode().unique().sort().to_list()
    pictures = [Image.open(folder / name).convert("RGB") for name in names]
    if len(sizes := {picture.size for picture in pictures}) != 1 or len(set(*sizes)) != 1:
        raise EvaluationError(
            f"{folder}: pictures of {', '.join(f'{w} x {h} px' for w, h in sorted(sizes))}. The "
            "policy takes square ones of one size."
        )
    small = (picture.resize((SIDE, SIDE), Image.Resampling.BOX) for picture in pictures)
    pixels = np.stack([np.asarray(picture, np.float32) for picture in small]) / 255
    grey = pixels.mean(3)
    across = np.abs(np.diff(grey, axis=2, append=grey[:, :, -1:]))
    down = np.abs(np.diff(grey, axis=1, append=grey[:, -1:]))
    planes = np.concatenate([pixels, across[..., None], down[..., None]], axis=3)
    grids = []
    for cells in GRIDS:
        edge = SIDE // cells
        parts = planes.reshape(len(names), cells, edge, cells, edge, planes.shape[3])
        grids.append(parts.mean((2, 4)).reshape(len(names), -1))
    return names, grids


def actions_of(prompt: Sequence[Mapping[str, Any]]) -> list[str]:
    """The sentences of each action, in the order shown."""
    texts = (block["text"] or "" for message in prompt for block in message["content"])
    return [found for text in texts for found in ACTION.findall(text)]


def sensed(
    rows: pl.DataFrame, names: Sequence[str], grids: Sequence[Floats], sense: Sense
) -> Questions:
    """``rows`` as the policy takes them."""
    at = {name: k for k, name in enumerate(names)}
    questions = tuple(
        Question(
            row["kind"],
            row["demonstration"],
            np.array([at[name] for name in row["images"]]),
            sense.actions(actions_of(row["prompt"])),
        )
        for row in rows.iter_rows(named=True)
    )
    return Questions(questions, sense.pictures(grids), OrderTable(rows.to_dicts()))


class Policy:
    """Weights (names, components), from nothing; Adam. ``mean`` are those after the first updates
    on average, with which it answers: single ones follow the last questions.
    """

    def __init__(self, n_names: int, n_components: int) -> None:
        self.weights = np.zeros((n_names, n_components), np.float32)
        self.mean = np.zeros_like(self.weights)
        self._first, self._second = np.zeros_like(self.weights), np.zeros_like(self.weights)
        self._n = 0

    def scores(
        self, question: Question, looks: Floats, weights: Floats | None = None
    ) -> tuple[Floats, Floats, Floats]:
        """(places, candidates), and the factors that it is bilinear in: of places, of candidates.

        Forward, a picture's score at a place is what the action there raises, less what the next
        one has yet to raise.
        """
        seen, told = looks[question.pictures], question.actions
        weights = self.weights if weights is None else weights
        if question.kind == "forward":
            rises = told - np.concatenate([told[1:], np.zeros_like(told[:1])])
            return rises @ weights @ seen[1:].T, rises, seen[1:]
        steps = np.diff(seen, axis=0)
        return steps @ weights.T @ told.T, steps, told

    def step(self, gradient: Floats) -> None:
        """Go up ``gradient``."""
        self._n += 1
        self._first += 0.1 * (gradient - self._first)
        self._second += 0.01 * (gradient**2 - self._second)
        size = np.sqrt(self._second / (1 - 0.99**self._n)) + 1e-6
        self.weights += RATE * self._first / (1 - 0.9**self._n) / size
        self.mean += (self.weights - self.mean) / max(1, self._n - UNSETTLED)


def drawn_orders(
    scores: Floats, n_draws: int, random: np.random.Generator
) -> tuple[NDArray[np.int64], Floats]:
    """Orders (draws, n), labels from 0, drawn place by place; and the gradient of their log
    probability by the scores (draws, n, n).
    """
    n, draws = len(scores), np.arange(n_draws)
    orders = np.empty((n_draws, n), np.int64)
    gradient = np.zeros((n_draws, n, n), np.float32)
    free = np.ones((n_draws, n), np.bool_)
    for place, row in enumerate(scores):
        left = np.where(free, row, -np.inf)
        orders[:, place] = (left + random.gumbel(size=left.shape)).argmax(1)
        chances = np.exp(left - left.max(1, keepdims=True))
        gradient[:, place] = -chances / chances.sum(1, keepdims=True)
        gradient[draws, place, orders[:, place]] += 1
        free[draws, orders[:, place]] = False
    return orders, gradient


def learn(
    training: Questions, *, seed: int, updates: int = UPDATES, is_control: bool = False
) -> Iterator[Policy]:
    """The policy after each update; the same one, changed. A control gets the rewards of other
    draws of other questions.
    """
    random = np.random.default_rng(seed)
    first = training.questions[0]
    policy = Policy(first.actions.shape[1], training.looks.shape[1])
    width = training.table.answers.shape[1]
    for _ in range(updates):
        picked = random.integers(0, len(training.questions), BATCH)
        orders = np.zeros((BATCH, DRAWS, width), np.int64)
        parts = []
        for k, number in enumerate(picked):
            question = training.questions[number]
            scores, of_places, of_candidates = policy.scores(question, training.looks)
            found, gradient = drawn_orders(scores, DRAWS, random)
            orders[k, :, : found.shape[1]] = found + 1
            parts.append((question.kind, of_places, of_candidates, gradient))
        earned = training.table.rewards(picked.repeat(DRAWS), orders.reshape(-1, width))
        rewards = (earned.task + earned.pairs).reshape(BATCH, DRAWS)
        if is_control:
            rewards = random.permutation(rewards.ravel()).reshape(rewards.shape)
        advantages = (rewards - rewards.mean(1, keepdims=True)) / (rewards.std() + 1e-6)
        total = np.zeros_like(policy.weights)
        for (kind, places, candidates, gradient), advantage in zip(parts, advantages, strict=True):
            by_scores = np.tensordot(advantage.astype(np.float32), gradient, 1) / DRAWS
            if kind == "forward":
                total += places.T @ by_scores @ candidates
            else:
                total += candidates.T @ by_scores.T @ places
        policy.step(total / BATCH)
        yield policy


def solved(policy: Policy, asked: Questions) -> NDArray[np.bool_]:
    """Which questions the likeliest assignment answers rightly."""
    from scipy.optimize import linear_sum_assignment

    orders = np.zeros((len(asked.questions), asked.table.answers.shape[1]), np.int64)
    for order, question in zip(orders, asked.questions, strict=True):
        scores, *_ = policy.scores(question, asked.looks, policy.mean)
        order[: len(scores)] = linear_sum_assignment(scores, maximize=True)[1] + 1
    return asked.table.rewards(np.arange(len(orders)), orders).task


def by_chance(asked: Questions, n_orders: int = 200, seed: int = 0) -> NDArray[np.float64]:
    """Share of random orders that answer each question rightly."""
    random = np.random.default_rng(seed)
    found = []
    for number, n in enumerate(asked.table.n_steps):
        orders = np.zeros((n_orders, asked.table.answers.shape[1]), np.int64)
        orders[:, :n] = random.random((n_orders, n)).argsort(1) + 1
        found.append(asked.table.rewards(np.full(n_orders, number), orders).task.mean())
    return np.array(found)
