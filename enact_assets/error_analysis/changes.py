"""Changes of each step of the questions of one demonstration and kind, true and answered."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from enact_assets.contracts.components import Component
from enact_assets.error_analysis.categories import component_keys
from enact_assets.error_analysis.comparison_kernels import Comparison, Ints, Words, compare_sets
from enact_assets.evaluation.order_counts_kernels import are_subsets
from enact_assets.evaluation.shared_changes import SharedChanges
from enact_assets.evaluation.step_arrays import number_actions, padded, parse_actions, step_pairs
from enact_assets.segmentation.bit_sets import n_words_of, sets_of

Bools = NDArray[np.bool_]


class AskedSteps:
    """Questions of one demonstration and kind, against which orders are compared.

    The true step is its *visible* change on both kinds. An order of images says of a step the
    visible change between its two images, an order of actions what the action tells (its true
    components, whatever noise made of them). ``components`` is the vocabulary: that of the index,
    sorted by text, then components of actions that are part of no change.
    """

    def __init__(
        self, kind: str, questions: Sequence[Mapping[str, Any]], changes: SharedChanges
    ) -> None:
        self._is_forward = kind == "forward"
        self._changes = changes
        self._key_frames = padded([q["key_frames"] for q in questions])
        known = tuple(changes.index.components)
        if self._is_forward:
            self._shown = padded([q["shown_key_frames"] for q in questions])
            foreign: tuple[Component, ...] = ()
        else:
            actions, self._shown = number_actions([q["action_components"] for q in questions])
            said = parse_actions(actions)
            foreign = tuple(sorted({c for a in said for c in a} - set(known), key=str))
        self.components = known + foreign
        self._keys = component_keys(self.components)
        self._n_words = n_words_of(len(self.components))
        if not self._is_forward:
            number = {component: k for k, component in enumerate(self.components)}
            elements = [number[c] for action in said for c in action]
            offsets = np.cumsum([0, *map(len, said)])
            self._actions = sets_of(
                np.array(elements, np.int64), offsets.astype(np.int64), self._n_words
            )

    def compare(self, rows: Ints, orders: Ints) -> tuple[Bools, Comparison, Bools]:
        """Compare ``orders`` of the questions ``rows``, label by label.

        Shape: rows (n,), orders (n, width), labels from 1 that each question shows, filled up with
        -1. Returns which orders could be compared (n,), and of these all steps, one after the
        other: the comparison, and whether each passes the rule of verification. What cannot be
        compared leads over a pair of key frames on which the release raises.
        """
        is_step = orders > 0
        key_frames = self._key_frames[rows][:, : orders.shape[1] + 1]
        reference = step_pairs(key_frames, is_step)
        if self._is_forward:
            first = key_frames[:, :1]
            later = np.take_along_axis(self._shown[rows], np.maximum(orders, 0), axis=1)
            predicted = step_pairs(np.concatenate([first, later], axis=1), is_step)
            known = self._changes.at(np.concatenate([reference, predicted]))
            raises = known.visible_fails[tuple(reference.T)] | known.full_fails[tuple(predicted.T)]
        else:
            shown = np.take_along_axis(self._shown[rows], np.maximum(orders - 1, 0), axis=1)
            chosen = shown[is_step]
            known = self._changes.at(reference)
            raises = known.visible_fails[tuple(reference.T)] | known.full_fails[tuple(reference.T)]
        is_compared = np.ones(len(rows), np.bool_)
        is_compared[np.repeat(np.arange(len(rows)), is_step.sum(axis=1))[raises]] = False
        is_kept = np.repeat(is_compared, is_step.sum(axis=1))
        true = known.rows[tuple(reference.T)][is_kept]
        visible, full = self._widened(known.visible), self._widened(known.full)
        if self._is_forward:
            said = known.rows[tuple(predicted.T)][is_kept]
            passes = are_subsets(visible, true, full, said)
            return is_compared, compare_sets(visible, true, visible, said, self._keys), passes
        said = chosen[is_kept]
        passes = are_subsets(self._actions, said, full, true)
        return is_compared, compare_sets(visible, true, self._actions, said, self._keys), passes

    def _widened(self, bits: Words) -> Words:
        """Sets over the vocabulary of the index as sets over ours, which begins with it."""
        n_more = self._n_words - bits.shape[1]
        return np.pad(bits, ((0, 0), (0, n_more))) if n_more else bits
