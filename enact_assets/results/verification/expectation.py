"""What a uniformly random order scores, exactly, and how many orders of a question are accepted.

No sampling: a step of a random order meets each ordered pair of images (or each action) with the
same probability, and the orders that pass every step are counted over subsets. What the model
``random`` scores must agree with this; questions with more than one accepted order are ambiguous.

An index of profile ``release`` also knows pairs of key frames without a change: an order of images
that takes such a step passes none.
"""

from collections.abc import Iterator, Mapping, Sequence
from math import factorial
from typing import Any

import numpy as np
import polars as pl

from enact_assets.engine.errors import EvaluationError
from enact_assets.questions.key_frames.component_index import ComponentIndex
from enact_assets.results.verification.order_counts_kernels import (
    are_subsets,
    count_accepted_actions,
    count_accepted_images,
    count_orders_by_step,
)
from enact_assets.results.verification.shared_changes import SharedChanges
from enact_assets.results.verification.step_arrays import encode_actions
from enact_assets.results.verification.tables import QuestionOrders
from enact_assets.settings.arrays import Bools, Ints

MAX_STEPS = 19
"""Steps of all orders of 20 images do not fit 64 bits."""


def expect_random_orders(
    questions: pl.DataFrame, indexes: Mapping[str, ComponentIndex]
) -> pl.DataFrame:
    """Table ``question_orders``: how many orders there are and are right, what a random one scores.

    ``questions`` are rows of ``qa``, ``indexes`` the changes of their demonstrations; unlabelled
    ones, whose ``answer`` is empty, have no row. Accuracies are exact expectations over all n!
    orders, 0 to 1. Errors: :class:`EvaluationError` for a missing index or more than 19 steps.
    """
    rows: list[dict[str, Any]] = []
    for kind, asked, changes in asked_together(questions, indexes):
        found = _passing_steps(kind, asked, changes)
        rows += [
            _expect(question, *passing) for question, passing in zip(asked, found, strict=True)
        ]
    return QuestionOrders.build(rows)


def asked_together(
    questions: pl.DataFrame, indexes: Mapping[str, ComponentIndex]
) -> Iterator[tuple[str, list[dict[str, Any]], SharedChanges]]:
    """Labelled questions of one kind and demonstration, and its changes, for each of both.

    Errors: as :func:`expect_random_orders`.
    """
    labelled = questions.filter(pl.col("answer").list.len() > 0)
    for (demonstration, kind), group in labelled.partition_by(
        "demonstration", "kind", as_dict=True
    ).items():
        if demonstration not in indexes:
            raise EvaluationError(f"{demonstration}: no index of changes; materialize scene_graphs")
        asked = group.to_dicts()
        too_long = [q["question_id"] for q in asked if q["length"] > MAX_STEPS + 1]
        if too_long:
            raise EvaluationError(f"question {too_long[0]}: more than {MAX_STEPS} steps")
        yield str(kind), asked, SharedChanges(indexes[str(demonstration)])


def _passing_steps(
    kind: str, questions: Sequence[Mapping[str, Any]], changes: SharedChanges
) -> Iterator[tuple[Bools, Bools]]:
    """Which step passes with what, and which pairs of images no order may take, by question.

    Forward: (n, n + 1, n + 1), whether step t passes from image a to image b as labelled, 0 being
    the current state; and (n + 1, n + 1), all of them if a step of the question has no change to
    look for. Inverse: (n, n), whether step t passes with the action labelled a + 1; and no pair.
    """
    is_forward = kind == "forward"
    pairs = [
        _pairs(q["key_frames"], q["shown_key_frames"] if is_forward else ()) for q in questions
    ]
    flat = np.concatenate(pairs)
    known = changes.at(flat)
    before, after = flat.T
    ends = np.cumsum([len(of_it) for of_it in pairs])[:-1]
    parts = (known.rows, known.visible_fails, known.full_fails)
    found = zip(*(np.split(part[before, after], ends) for part in parts), strict=True)
    actions = [() if is_forward else q["action_components"] for q in questions]
    said, shown = encode_actions(actions, changes.index)
    for question, labels, (rows, visible_fails, full_fails) in zip(
        questions, shown, found, strict=True
    ):
        n = len(question["key_frames"]) - 1
        true, size = rows[:n], n + 1
        if is_forward:
            fits = are_subsets(
                known.visible, np.repeat(true, size**2), known.full, np.tile(rows[n:], n)
            )
            fails = full_fails[n:] | visible_fails[:n].any()
            yield fits.reshape(n, size, size), fails.reshape(size, size)
        else:
            fits = are_subsets(said, np.tile(labels[:n], n), known.full, np.repeat(true, n))
            yield fits.reshape(n, n), np.zeros((size, size), np.bool_)


def _pairs(key_frames: Sequence[int], images: Sequence[int]) -> Ints:
    """The steps over ``key_frames``, then all pairs of ``images`` (n, 2)."""
    true, shown = np.array(key_frames, np.int64), np.array(images, np.int64)
    return np.stack(
        [
            np.concatenate([true[:-1], np.repeat(shown, shown.size)]),
            np.concatenate([true[1:], np.tile(shown, shown.size)]),
        ],
        axis=1,
    )


def _expect(question: Mapping[str, Any], allowed: Bools, raises: Bools) -> dict[str, Any]:
    n = allowed.shape[0]
    n_orders = factorial(n)
    answer = np.array(question["answer"], np.int64)
    steps = np.arange(n)
    if question["kind"] == "forward":
        allowed = allowed & ~raises
        n_accepted = count_accepted_images(allowed)
        before = np.append(0, answer[:-1])
        reference_passes = allowed[steps, before, answer] & ~raises[before, answer].any()
        pairwise = _chance_of_images(allowed, raises)
    else:
        n_accepted = count_accepted_actions(allowed)
        reference_passes = allowed[steps, answer - 1]
        pairwise = float(allowed.mean())
    if not reference_passes.all():
        # Exact answers are accepted whatever the rule says of their steps.
        n_accepted += 1
        pairwise += float(1 - reference_passes.mean()) / n_orders
    return {
        "question_id": question["question_id"],
        "demonstration": question["demonstration"],
        "gating": question["gating"],
        "kind": question["kind"],
        "length": n + 1,
        "n_orders": n_orders,
        "n_accepted_orders": n_accepted,
        "is_ambiguous": n_accepted > 1,
        "expected_task_accuracy": n_accepted / n_orders,
        "expected_pairwise_accuracy": pairwise,
    }


def _chance_of_images(allowed: Bools, raises: Bools) -> float:
    """Share of steps that pass in a random order of images, exactly."""
    n = int(allowed.shape[0])
    if raises.any():
        return int(count_orders_by_step(raises)[allowed].sum()) / (n * factorial(n))
    # The first step starts at the current state; later ones at any other image, uniformly.
    onward = allowed[:, 1:, 1:]
    chances = (onward.sum(axis=(1, 2)) - onward.diagonal(axis1=1, axis2=2).sum(axis=1)) / (
        n * max(n - 1, 1)
    )
    chances[0] = allowed[0, 0, 1:].mean()
    return float(chances.mean())
