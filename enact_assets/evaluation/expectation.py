"""What a uniformly random order scores, exactly, and how many orders of a question are accepted.

No sampling: a step of a random order meets each ordered pair of images (or each action) with the
same probability, and the orders that pass every step are counted over subsets. What the model
``random`` scores must agree with this; questions with more than one accepted order are ambiguous.

An index of profile ``release`` also knows pairs of key frames without a change: an order of images
that takes such a step passes none.
"""

from collections.abc import Mapping, Sequence
from math import factorial
from typing import Any

import numpy as np
import polars as pl

from enact_assets.contracts.errors import EvaluationError
from enact_assets.evaluation.evaluation_tables import QuestionOrders
from enact_assets.evaluation.order_counts_kernels import (
    Bools,
    count_accepted_actions,
    count_accepted_images,
    count_passing_steps,
)
from enact_assets.evaluation.release_changes import ReleaseDeltas
from enact_assets.evaluation.step_arrays import BulkDeltas, actions_fit, images_fit, number_actions

MAX_STEPS = 19
"""Steps of all orders of 20 images do not fit 64 bits."""


def expect_random_orders(
    questions: pl.DataFrame, indexes: Mapping[str, BulkDeltas]
) -> pl.DataFrame:
    """Table ``question_orders``: how many orders there are and are right, what a random one scores.

    ``questions`` are rows of ``qa``, ``indexes`` the changes of their demonstrations. Accuracies
    are exact expectations over all n! orders, 0 to 1. Errors: :class:`EvaluationError` for a
    missing index or more than 19 steps.
    """
    rows: list[dict[str, Any]] = []
    for (demonstration, kind), group in questions.partition_by(
        "demonstration", "kind", as_dict=True
    ).items():
        if demonstration not in indexes:
            raise EvaluationError(f"{demonstration}: no index of changes; materialize scene_graphs")
        asked = group.to_dicts()
        too_long = [q["question_id"] for q in asked if q["length"] > MAX_STEPS + 1]
        if too_long:
            raise EvaluationError(f"question {too_long[0]}: more than {MAX_STEPS} steps")
        index = indexes[str(demonstration)]
        allowed = allowed_steps(str(kind), asked, index)
        raises = [_raising_pairs(question, index) for question in asked]
        rows.extend(map(_expect, asked, allowed, raises))
    return QuestionOrders.build(rows)


def allowed_steps(
    kind: str, questions: Sequence[Mapping[str, Any]], deltas: BulkDeltas
) -> list[Bools]:
    """Which step passes with what, for questions of one kind and demonstration.

    Forward: (n, n + 1, n + 1), whether step t passes from image a to image b as labelled, 0 being
    the current state. Inverse: (n, n), whether step t passes with the action labelled a + 1.
    """
    reference, offered = [], []
    shapes: list[tuple[int, ...]] = []
    actions, shown_actions = number_actions(questions)
    for row, question in enumerate(questions):
        key_frames = np.array(question["key_frames"], np.int64)
        n = key_frames.size - 1
        steps = np.stack([key_frames[:-1], key_frames[1:]], axis=1)
        if kind == "forward":
            shown = np.array(question["shown_key_frames"], np.int64)
            a, b = np.meshgrid(shown, shown, indexing="ij")
            choices = np.stack([a.ravel(), b.ravel()], axis=1)
            shapes.append((n, n + 1, n + 1))
        else:
            choices = shown_actions[row, :n]
            shapes.append((n, n))
        reference.append(np.repeat(steps, len(choices), axis=0))
        offered.append(np.concatenate([choices] * n))
    if not reference:
        return []
    if kind == "forward":
        fits = images_fit(deltas, np.concatenate(reference), np.concatenate(offered))
    else:
        fits = actions_fit(deltas, np.concatenate(reference), actions, np.concatenate(offered))
    ends = np.cumsum([int(np.prod(shape)) for shape in shapes])
    return [part.reshape(s) for part, s in zip(np.split(fits, ends[:-1]), shapes, strict=True)]


def _raising_pairs(question: Mapping[str, Any], index: BulkDeltas) -> Bools:
    """Pairs of images (n + 1, n + 1), as labelled, over which no order passes a step.

    All of them if a step of the question itself has no change to look for.
    """
    n = len(question["answer"])
    raises = np.zeros((n + 1, n + 1), np.bool_)
    if question["kind"] == "forward" and isinstance(index, ReleaseDeltas):
        shown = np.array(question["shown_key_frames"], np.int64)
        a, b = np.nonzero(~np.eye(n + 1, dtype=np.bool_))
        raises[a, b] = index.changes(np.stack([shown[a], shown[b]], axis=1))[2][:, 1] != 0
        key_frames = np.array(question["key_frames"], np.int64)
        steps = np.stack([key_frames[:-1], key_frames[1:]], axis=1)
        raises |= (index.changes(steps)[2][:, 0] != 0).any()
    return raises


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
        return int(count_passing_steps(allowed, raises)) / (n * factorial(n))
    # The first step starts at the current state; later ones at any other image, uniformly.
    onward = allowed[:, 1:, 1:]
    chances = (onward.sum(axis=(1, 2)) - onward.diagonal(axis1=1, axis2=2).sum(axis=1)) / (
        n * max(n - 1, 1)
    )
    chances[0] = allowed[0, 0, 1:].mean()
    return float(chances.mean())
