"""Questions of one demonstration as arrays, and all their steps checked at once on bit sets."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from enact_assets.contracts.components import Component
from enact_assets.evaluation.order_counts_kernels import Bools, Ints, Words, are_subsets
from enact_assets.evaluation.verification import Deltas


class BulkDeltas(Deltas, Protocol):
    """Changes as bit sets over one vocabulary; ``segmentation.deltas.DeltaIndex`` is one."""

    def visible_bits(self, pairs: NDArray[np.int64]) -> Words:
        """Visible changes of ``pairs`` (n, 2): (n, n_words)."""
        ...

    def full_bits(self, pairs: NDArray[np.int64]) -> Words:
        """Full changes of ``pairs`` (n, 2): (n, n_words)."""
        ...

    def encode(self, sets: Sequence[Iterable[Component]]) -> tuple[Words, NDArray[np.bool_]]:
        """Sets as (n, n_words), and whether all components of each are in the vocabulary."""
        ...


def images_fit(deltas: BulkDeltas, reference: Ints, predicted: Ints) -> Bools:
    """Forward rule: whether each visible reference change is within the full change predicted.

    Shape: reference, predicted (n, 2) pairs of key frames -> (n,).
    """
    inner, inner_rows = _distinct(reference)
    outer, outer_rows = _distinct(predicted)
    return are_subsets(deltas.visible_bits(inner), inner_rows, deltas.full_bits(outer), outer_rows)


def actions_fit(
    deltas: BulkDeltas, reference: Ints, actions: Sequence[tuple[str, ...]], chosen: Ints
) -> Bools:
    """Inverse rule: whether each chosen action is within the full change of its reference pair.

    Shape: reference (n, 2); ``actions`` are components as text, ``chosen`` (n,) which of them
    -> (n,).
    """
    outer, outer_rows = _distinct(reference)
    inner, is_known = deltas.encode(parse_actions(actions))
    found = are_subsets(inner, chosen, deltas.full_bits(outer), outer_rows)
    return found & is_known[chosen]


def parse_actions(actions: Sequence[tuple[str, ...]]) -> list[list[Component]]:
    """Components of each action; each distinct text is parsed once."""
    parsed = {text: Component.parse(text) for text in sorted(set(chain.from_iterable(actions)))}
    return [[parsed[text] for text in action] for action in actions]


def padded(lists: Sequence[Sequence[int]]) -> Ints:
    """Lists of integers as rows (n, longest), filled up with -1."""
    lengths = np.fromiter(map(len, lists), np.int64, len(lists))
    width = int(lengths.max(initial=0))
    rows = np.full((len(lists), width), -1, np.int64)
    flat = np.fromiter(chain.from_iterable(lists), np.int64, int(lengths.sum()))
    rows[np.arange(width) < lengths[:, None]] = flat
    return rows


def number_actions(
    questions: Sequence[Mapping[str, Any]],
) -> tuple[list[tuple[str, ...]], Ints]:
    """The distinct actions of ``questions`` and, padded, which of them each question shows."""
    numbers: dict[tuple[str, ...], int] = {}
    shown = [
        [numbers.setdefault(tuple(a), len(numbers)) for a in question["action_components"]]
        for question in questions
    ]
    return list(numbers), padded(shown)


def _distinct(pairs: Ints) -> tuple[Ints, Ints]:
    """The distinct rows of ``pairs`` and, for each row, which of them it is."""
    if not len(pairs):
        return pairs, np.zeros(0, np.int64)
    base = int(pairs.max()) + 1
    codes, rows = np.unique(pairs[:, 0] * base + pairs[:, 1], return_inverse=True)
    return np.stack([codes // base, codes % base], axis=1), rows.astype(np.int64)
