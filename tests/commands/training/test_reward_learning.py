"""A policy learns from rewards what they say, and nothing from rewards of other orders."""

import json
from itertools import permutations

import numpy as np
import polars as pl
import pytest

from enact_assets.commands.training.learning import (
    Policy,
    Question,
    Questions,
    Sense,
    actions_of,
    by_chance,
    drawn_orders,
    learn,
    sensed,
    solved,
)

THINGS = ("cup", "plate", "spoon", "bowl", "lamp", "book")


def toy(n_questions: int, seed: int) -> Questions:
    """Each action brings a thing, and a picture is what was brought so far: words and pictures
    that can be matched, in another order for each question.
    """
    random = np.random.default_rng(seed)
    rows, pixels, names = [], [], []
    for number in range(n_questions):
        n = int(random.integers(2, 5))
        brought = random.permutation(len(THINGS))[:n]
        shown = random.permutation(n)
        pictures = [np.zeros(len(THINGS), np.float32)]
        for thing in brought:
            pictures.append(pictures[-1] + np.eye(len(THINGS), dtype=np.float32)[thing])
        kind = ("forward", "inverse")[number % 2]
        texts = [f"The robot brought the {THINGS[thing]}." for thing in brought]
        if kind == "inverse":
            texts = [texts[k] for k in shown]
        else:
            pictures = [pictures[0], *(pictures[1 + k] for k in shown)]
        answer = (np.argsort(shown) + 1).tolist()
        before = [0, *answer]
        fits = {
            (f"{before[k]}>{label}" if kind == "forward" else str(label)): [k + 1]
            for k, label in enumerate(answer)
        }
        lines = "\n".join(f"[Action {k}] {text}" for k, text in enumerate(texts, 1))
        blocks = [{"type": "image", "text": None}, {"type": "text", "text": f"Order:\n{lines}"}]
        rows.append(
            {
                "kind": kind,
                "answer": answer,
                "fits": json.dumps(fits),
                "images": [f"{number}-{k}" for k in range(n + 1)],
                "prompt": [{"role": "user", "content": blocks}],
                "demonstration": f"toy-{number % 6}",
            }
        )
        names += rows[-1]["images"]
        pixels += pictures
    seen = np.stack(pixels)
    sense = Sense.of([seen], [actions_of(row["prompt"]) for row in rows])
    return sensed(pl.DataFrame(rows), names, [seen], sense)


def test_it_learns_from_rewards_and_not_from_others() -> None:
    training, asked = toy(120, 0), toy(120, 0)
    chance = by_chance(asked).mean()
    *_, policy = learn(training, seed=0, updates=60)
    *_, control = learn(training, seed=0, updates=60, is_control=True)
    assert 0.1 < chance < 0.4
    assert solved(policy, asked).mean() > 0.9
    assert solved(control, asked).mean() < chance + 0.3


def test_the_gradient_is_that_of_the_log_probability() -> None:
    """Against differences, for orders that are drawn."""
    random = np.random.default_rng(1)
    scores = random.normal(size=(4, 4)).astype(np.float32)
    orders, gradient = drawn_orders(scores, 5, np.random.default_rng(2))

    def log_probability(of: np.ndarray, order: np.ndarray) -> float:
        total, free = 0.0, list(range(4))
        for place, label in enumerate(order):
            total += of[place, label] - np.log(np.exp(of[place, free]).sum())
            free.remove(label)
        return total

    for order, found in zip(orders, gradient, strict=True):
        assert sorted(order) == [0, 1, 2, 3]
        for place, label in ((0, 0), (1, 3), (2, 1)):
            more = scores.astype(np.float64)
            more[place, label] += 1e-5
            slope = log_probability(more, order) - log_probability(scores.astype(np.float64), order)
            assert found[place, label] == pytest.approx(slope / 1e-5, abs=1e-3)


def test_every_order_is_drawn_as_often_as_its_probability_says() -> None:
    scores = np.log(np.array([[0.5, 0.3, 0.2], [1, 1, 1], [1, 1, 1]], np.float32))
    orders, _ = drawn_orders(scores, 20_000, np.random.default_rng(0))
    for order in permutations(range(3)):
        share = (orders == order).all(1).mean()
        assert share == pytest.approx((0.5, 0.3, 0.2)[order[0]] / 2, abs=0.02)


def test_a_policy_that_knows_nothing_scores_all_orders_alike() -> None:
    question = Question("inverse", "toy-0", np.arange(4), np.eye(3, 5, dtype=np.float32))
    scores, *_ = Policy(5, 2).scores(question, np.ones((4, 2), np.float32))
    assert (scores == 0).all()
