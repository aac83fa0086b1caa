"""Rewards of orders that are integers already, many at once: for policies that yield no text."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from enact_assets.commands.harnesses.rewards import read_fits
from enact_assets.settings.arrays import Bools, Ints

MOST_STEPS = 16
"""A step is a bit of 16."""


class OrderRewards(NamedTuple):
    """As :class:`~enact_assets.commands.harnesses.rewards.Reward`, of m orders."""

    whole: Bools
    task: Bools
    pairs: NDArray[np.float64]


class OrderTable:
    """All that verdicts on q questions of up to n steps need: two bytes for each pair of labels,
    without strings. It is only read, so threads may share it.
    """

    def __init__(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """``rows`` have ``kind``, ``answer`` and ``fits``, as exported.

        Errors: ValueError if a question has more than :data:`MOST_STEPS` steps.
        """
        self.n_steps: Ints = np.array([len(row["answer"]) for row in rows], np.int64)
        width = int(self.n_steps.max(initial=0))
        if width > MOST_STEPS:
            raise ValueError(f"a question has {width} steps; a table holds at most {MOST_STEPS}")
        self.answers = np.zeros((len(rows), width), np.int8)
        self._bits = np.zeros((len(rows), width + 1, width + 1), np.uint16)
        for row, answer, bits in zip(rows, self.answers, self._bits, strict=True):
            answer[: len(row["answer"])] = row["answer"]
            for entry, steps in read_fits(row["fits"]).items():
                passed = sum(1 << (step - 1) for step in steps)
                before, _, label = entry.rpartition(">")
                bits[int(before) if before else slice(None), int(label)] = passed

    def rewards(self, questions: Ints, orders: NDArray[np.integer[Any]]) -> OrderRewards:
        """Of ``orders`` (m, n), labels from 1 and 0 behind the last, to ``questions`` (m,) by their
        numbers. What is no whole order earns nothing.
        """
        steps = np.arange(1, orders.shape[1] + 1)
        n = self.n_steps[questions]
        is_step = steps <= n[:, None]
        at = np.where((orders >= 0) & (orders <= n[:, None]), orders, 0)
        named = np.bitwise_or.reduce(np.left_shift(1, at.astype(np.int64)), axis=1)
        whole = (named == (1 << (n + 1)) - 1 - (n == orders.shape[1])) & ((at > 0) == is_step).all(
            1
        )
        before = np.concatenate([np.zeros_like(at[:, :1]), at[:, :-1]], axis=1)
        passed = self._bits[questions[:, None], before, at] >> (steps - 1).astype(np.uint16) & 1
        right = (passed.astype(np.bool_) & is_step).sum(1)
        task = whole & ((right == n) | (orders == self.answers[questions]).all(1))
        return OrderRewards(whole, task, np.where(task, 1.0, whole * right / n))
