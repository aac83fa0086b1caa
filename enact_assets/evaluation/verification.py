"""Is an order consistent with what happened? One question at a time, in plain sets (paper A.3.2).

``evaluate.py`` does the same for a whole partition on bit sets; both follow these rules.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Protocol

import numpy as np

from enact_assets.contracts.components import Component
from enact_assets.contracts.errors import EvaluationError
from enact_assets.evaluation.order_counts_kernels import longest_alignment
from enact_assets.questions.templates import check_kind

Change = frozenset[Component]


class Deltas(Protocol):
    """Changes between the key frames of one demonstration, by object label."""

    def visible(self, i: int, j: int) -> Change:
        """What can be seen to change from key frame i to j."""
        ...

    def full(self, i: int, j: int) -> Change:
        """All that changes from key frame i to j; contains ``visible(i, j)``."""
        ...


@dataclass(frozen=True)
class Verification:
    """The verdict on one order. ``passes`` has one entry per step if the lengths agree."""

    is_exact: bool
    is_semantic: bool
    n_steps: int
    n_entries: int
    n_steps_passed: int
    passes: tuple[bool, ...] | None

    @property
    def is_accepted(self) -> bool:
        """Exact or semantic."""
        return self.is_exact or self.is_semantic

    @property
    def pairwise_accuracy(self) -> float:
        """Share of steps that pass, 0 to 1; of the longer order if the lengths differ."""
        return self.n_steps_passed / max(self.n_steps, self.n_entries)


def verify(question: Mapping[str, Any], order: Sequence[int], deltas: Deltas) -> Verification:
    """Verify ``order``, labels from 1, for ``question``, a row of ``qa``.

    C_i is the visible and F_i the full change of reference step i. P_i is what the order predicts:
    the full change between the two images (forward), the components of the action (inverse). Step
    i passes iff C_i is a subset of P_i (forward), P_i of F_i (inverse). An order of another length
    is never accepted; the most steps that can be aligned monotonically pass. Errors:
    :class:`EvaluationError` for a label that was not shown.
    """
    reference = reference_changes(question, deltas)
    predicted = predicted_changes(question, order, deltas)
    kind, n, m = question["kind"], len(reference), len(predicted)
    is_exact = list(order) == list(question["answer"])
    is_semantic = False
    if n != m:
        allowed = np.array(
            [[passes(kind, r, p) for p in predicted] for r in reference], np.bool_
        ).reshape(n, m)
        n_aligned = longest_alignment(allowed)
        return Verification(is_exact, is_semantic, n, m, n_aligned, None)
    passed = tuple(passes(kind, r, p) for r, p in zip(reference, predicted, strict=True))
    is_semantic = all(passed)
    n_passed = n if is_exact else sum(passed)
    return Verification(is_exact, is_semantic, n, m, n_passed, passed)


def passes(kind: str, reference: Change, predicted: Change) -> bool:
    """The rule for one step."""
    return reference <= predicted if kind == "forward" else predicted <= reference


def reference_changes(question: Mapping[str, Any], deltas: Deltas) -> list[Change]:
    """What each step is measured against: C_i (forward) or F_i (inverse)."""
    check_kind(question["kind"])
    change = deltas.visible if question["kind"] == "forward" else deltas.full
    return [change(i, j) for i, j in pairwise(question["key_frames"])]


def predicted_changes(
    question: Mapping[str, Any], order: Sequence[int], deltas: Deltas
) -> list[Change]:
    """What ``order`` says happens at each step: P_i."""
    shown = len(question["answer"])
    unknown = [label for label in order if not 1 <= label <= shown]
    if unknown:
        raise EvaluationError(
            f"question {question['question_id']}: label {unknown[0]} was not shown "
            f"(labels: 1 to {shown})"
        )
    if question["kind"] == "inverse":
        actions = question["action_components"]
        return [frozenset(map(Component.parse, actions[label - 1])) for label in order]
    first, *others = question["shown_key_frames"]
    key_frames = [first, *(others[label - 1] for label in order)]
    return [deltas.full(i, j) for i, j in pairwise(key_frames)]
