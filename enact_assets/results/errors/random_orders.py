"""What random orders are expected to be compared as: the table ``random_orders``.

No sampling: every step that an order may take is compared once, and counts as often as orders take
it. Error shares, rates of hands and mismatch of a model are compared with these, as they differ
between questions for every model.
"""

from collections.abc import Mapping, Sequence
from math import factorial
from typing import Any

import numpy as np
import polars as pl

from enact_assets.questions.key_frames.component_index import ComponentIndex
from enact_assets.results.errors.answer_comparison import COUNTS, AskedSteps, PossibleSteps
from enact_assets.results.errors.tables import RandomOrders
from enact_assets.results.verification.expectation import asked_together
from enact_assets.results.verification.order_counts_kernels import (
    count_accepted_actions,
    count_accepted_images,
    count_orders_by_step,
)
from enact_assets.settings.arrays import Bools, Floats, Ints

_REFERENCE = ("n_reference", "n_left_reference", "n_right_reference")
"""Counts that no order changes."""


def compare_random_orders(
    questions: pl.DataFrame, indexes: Mapping[str, ComponentIndex], variant: str
) -> pl.DataFrame:
    """The table ``random_orders`` of one ``variant``, of its rows of ``asked_questions`` and the
    changes of their demonstrations.

    Unlabelled questions have no row. Source: expectations of paper 3.5, B.2.5, C.1 and algorithms 2
    to 4 for a uniformly random order. Errors: as :func:`expect_random_orders`.
    """
    rows: list[dict[str, Any]] = []
    for kind, asked, changes in asked_together(questions, indexes):
        steps = AskedSteps(kind, asked, changes)
        for row, question in enumerate(asked):
            possible = steps.possible(row)
            found = None if possible is None else _expected(possible, question)
            if found is not None:
                rows.append(found | {"variant": variant})
    return RandomOrders.build(rows)


def _expected(steps: PossibleSteps, question: Mapping[str, Any]) -> dict[str, Any] | None:
    """The row of one question; None if every order takes a step that raises."""
    n = int(steps.step[-1]) + 1
    is_forward = question["kind"] == "forward"
    chances, n_orders = _chances(steps, n, is_forward=is_forward)
    if not n_orders:
        return None
    counts = {name: steps.counts[:, column] for name, column in COUNTS.items()}
    expected = {name: float(chances @ each) for name, each in counts.items()}
    is_inexact = counts["n_missing"] + counts["n_hallucinated"] > 0
    is_subset = (counts["n_missing"] > 0) & (counts["n_hallucinated"] == 0)
    passed = chances * steps.passes
    # The reference passes, whatever the rule says of its steps.
    reference = _steps_of(question["answer"], steps, is_forward=is_forward)
    failing = reference[~steps.passes[reference]]
    passed[failing] += 1 / n_orders
    accepted, accepted_without = (
        (_n_orders_within(allowed, steps, is_forward=is_forward) + int(is_added)) / n_orders
        for allowed, is_added in (
            (steps.passes, failing.size > 0),
            (steps.passes & ~is_subset, failing.size > 0 and not is_subset[reference].any()),
        )
    )
    return {
        **{name: question[name] for name in ("question_id", "demonstration", "kind")},
        "length": n + 1,
        "n_steps": n,
        "n_steps_passed": float(passed.sum()),
        "n_steps_inexact": float(passed @ is_inexact),
        "n_steps_strict_subset": float(passed @ is_subset),
        "accepted": accepted,
        "accepted_with_subset": accepted - accepted_without,
        **expected,
        **{name: round(expected[name]) for name in _REFERENCE},
    }


def _n_orders_within(is_allowed: Bools, steps: PossibleSteps, *, is_forward: bool) -> int:
    """Orders that take only steps that are allowed (m,), and none that raises."""
    n = int(steps.step[-1]) + 1
    table = np.zeros((n, n + 1, n + 1), np.bool_)
    table[steps.step, steps.before, steps.after] = is_allowed
    if is_forward:
        return int(count_accepted_images(table & ~steps.raises))
    return int(count_accepted_actions(np.ascontiguousarray(table[:, 0, 1:])))


def _steps_of(order: Sequence[int], steps: PossibleSteps, *, is_forward: bool) -> Ints:
    """Which of ``steps`` an order takes, (n,)."""
    after = np.asarray(order, np.int64)
    before = np.append(0, after[:-1]) if is_forward else np.zeros_like(after)
    n = after.size
    place = np.zeros((n, n + 1, n + 1), np.int64)
    place[steps.step, steps.before, steps.after] = np.arange(steps.step.size)
    found: Ints = place[np.arange(n), before, after]
    return found


def _chances(steps: PossibleSteps, n: int, *, is_forward: bool) -> tuple[Floats, int]:
    """Chance of each step in a random order that can be compared, (m,); and how many there are."""
    if not is_forward:
        return np.full(steps.step.size, 1 / n), factorial(n)
    if steps.raises.any():
        orders = count_orders_by_step(steps.raises)
        n_orders = int(orders[0].sum())
        taken = orders[steps.step, steps.before, steps.after]
        return taken / max(n_orders, 1), n_orders
    later = 1 / (n * max(n - 1, 1))
    return np.where(steps.step == 0, 1 / n, later), factorial(n)
