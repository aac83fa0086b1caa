"""Changes between any two key frames under profile ``release``, as the public release sees them."""

from functools import cached_property

import numpy as np
import polars as pl

from enact_assets.engine.errors import PairError
from enact_assets.questions.key_frames.bit_sets import sets_of
from enact_assets.questions.key_frames.component_index import ComponentIndex
from enact_assets.questions.key_frames.graph_arrays import (
    check_key_frame_tables,
    count_named_key_frames,
    existence_of,
    sight_of,
)
from enact_assets.questions.key_frames.release_arrays import (
    EMPTY_PARENTS,
    FINE,
    NAMELESS,
    NO_ORIGIN,
    NULL_PARENTS,
    ReleaseArrays,
)
from enact_assets.questions.key_frames.release_pair_kernels import (
    FULL,
    VISIBLE,
    PairChanges,
    find_changes,
)
from enact_assets.questions.key_frames.release_vocabulary import build_arrays, read_objects
from enact_assets.settings.arrays import Ints, Words
from enact_assets.settings.components import Component
from enact_assets.settings.profile import Profile

Entry = tuple[str, str, str, str, str | None]
"""(operation, node | edge | transition, predicate, subject label, object label)."""

_REASONS = {
    NO_ORIGIN: (
        "AssertionError: particles {culprit!r} appear, and nothing that disappears has a name that "
        "contains their parent's"
    ),
    EMPTY_PARENTS: "IndexError: particles {culprit!r} appear, and their list of parents is empty",
    NULL_PARENTS: (
        "TypeError: {culprit!r} gains a state beside others of its category, and no parents are "
        "recorded of it"
    ),
    NAMELESS: (
        "the release ends its process: nothing is left of the name {culprit!r}, or of a parent's, "
        "without numbers and model ids"
    ),
}
_GROUPS = (("add", True), ("add", False), ("remove", True), ("remove", False))


class ReleaseDeltaIndex(ComponentIndex):
    """Answers what changes from key frame i to key frame j, for any order of the two.

    The *full* change counts what is seen at either key frame, the *visible* one (called partial by
    the release) what is seen at both, or at one if it comes or goes. Both leave out categories of
    which several changed objects are seen. Components carry labels of ``release_vocabulary.py``.

    A pair can fail, where the release raises: see :meth:`changes`. Its bits are 0. Where several
    objects that appear share a label, the parents of the last one by name count (the release takes
    any). Parents are those at key frame j. Source: release sections 6 to 11.
    """

    def __init__(
        self,
        arrays: ReleaseArrays,
        components: tuple[Component, ...],
        names: tuple[str, ...],
        profile: Profile,
    ) -> None:
        super().__init__(components, len(arrays.facts))
        self._arrays = arrays
        self._names = names
        self._profile = profile

    @classmethod
    def from_tables(
        cls,
        scene_graphs: pl.DataFrame,
        visibility: pl.DataFrame,
        objects: pl.DataFrame,
        profile: Profile,
        n_key_frames: int = 0,
        *,
        later_parents: pl.DataFrame | None = None,
    ) -> "ReleaseDeltaIndex":
        """The index of one demonstration and gating: see :meth:`DeltaIndex.from_tables`.

        Errors: also :class:`SettingsError` for another profile than ``release``.
        """
        min_percent = profile.release_constants.min_visible_percent
        check_key_frame_tables(scene_graphs, visibility, objects, later_parents)
        found = read_objects(objects, later_parents)
        n_key_frames = max(n_key_frames, count_named_key_frames(scene_graphs, visibility))
        exists = existence_of(scene_graphs, found.number, n_key_frames)
        shown = visibility.filter(pl.col("fraction") * 100.0 > min_percent)
        visible = exists & sight_of(shown, found.number, n_key_frames)
        arrays, components = build_arrays(scene_graphs, found, exists, visible)
        return cls(arrays, components, found.names, profile)

    def visible(self, i: int, j: int) -> frozenset[Component]:
        """Components of the visible change; raises :class:`PairError` if it fails."""
        return self._one(i, j, VISIBLE)

    def full(self, i: int, j: int) -> frozenset[Component]:
        """Components of the full change; raises :class:`PairError` if it fails."""
        return self._one(i, j, FULL)

    def visible_bits(self, pairs: Ints) -> Words:
        """Visible changes of ``pairs`` (n, 2), from and to: (n, n_words)."""
        return self._bits(self._changes(pairs, VISIBLE))

    def changes(self, pairs: Ints) -> tuple[Words, Words, Ints]:
        """Visible and full changes of ``pairs`` (n, 2), and why each of the two fails.

        Shape: (n, n_words), (n, n_words), (n, 2); of the latter, 0 is fine, 1 AssertionError,
        2 IndexError, 3 TypeError, 4 a name of which nothing is left. Where the visible change
        fails, the full one does too.
        """
        visible, full = (self._changes(pairs, which) for which in (VISIBLE, FULL))
        codes = np.stack([visible.codes, full.codes], axis=1)
        return self._bits(visible), self._bits(full), codes

    def n_sentences(self, pairs: Ints) -> Ints:
        """Dots in the text of each visible change of ``pairs`` (n, 2): (n,); 0 if it fails.

        One sentence has one dot, and one more for every dot in a name it mentions.
        """
        return self._changes(pairs, VISIBLE).n_sentences

    def n_draws(self, pairs: Ints) -> Ints:
        """States of each visible change that appear, and that end: (n, 2); 0 if it fails.

        The release draws a wording for each of them (definitions.md R13).
        """
        return self._changes(pairs, VISIBLE).n_draws

    def first_failure(self) -> tuple[int, int, int] | None:
        """The first pair i < j whose visible change fails, and its code; None if none does."""
        pairs, changes = self._forward
        rows = np.flatnonzero(changes.codes != FINE)
        if not rows.size:
            return None
        (i, j), code = pairs[rows[0]].tolist(), int(changes.codes[rows[0]])
        return i, j, code

    def failure_text(self, i: int, j: int) -> str:
        """Where and why the change from key frame i to j fails; empty if it does not."""
        for which in (VISIBLE, FULL):
            changes = self._changes(np.array([[i, j]]), which)
            if changes.codes[0] != FINE:
                return self._reason(i, j, changes)
        return ""

    def edges(self) -> tuple[Ints, Ints]:
        """Pairs i < j with ``min_changes`` to ``max_changes`` sentences; none if any pair fails.

        The release asks no questions at all about a demonstration in which a pair i < j fails;
        ``first_failure`` says which. Returns (pairs (n, 2) ascending, number of sentences (n,)).
        """
        pairs, changes = self._forward
        n = changes.n_sentences
        is_edge = (n >= self._profile.min_changes) & (n <= self._profile.max_changes)
        is_edge &= not (changes.codes != FINE).any()
        return pairs[is_edge], n[is_edge]

    def action_entries(self, i: int, j: int) -> list[Entry]:
        """What each sentence about the visible change from i to j says, repetitions included.

        First states of objects that appear, then of pairs; then those that end; then transitions.
        Within these groups sorted by predicate and labels (the release has them in any order).
        Parents are joined as in :class:`Component`; turning into a cooked form has no object.
        Errors: :class:`PairError` if the change fails.
        """
        row = 0
        if 0 <= i < j < self.n_key_frames:
            changes = self._forward[1]
            row = i * self.n_key_frames - i * (i + 1) // 2 + j - i - 1
        else:
            changes = self._changes(np.array([[i, j]]), VISIBLE)
        if changes.codes[row] != FINE:
            raise PairError(self._reason(i, j, changes, row))
        start, stop = changes.offsets[row], changes.offsets[row + 1]
        numbers = sorted(changes.entries[start:stop].tolist(), key=self._entry_order.__getitem__)
        return [_entry(self.components[k]) for k in numbers]

    @cached_property
    def _forward(self) -> tuple[Ints, PairChanges]:
        """All pairs i < j, i outer, and their visible changes."""
        # In C order like all other pairs: kernels are compiled for each order.
        pairs = np.stack(np.triu_indices(self.n_key_frames, k=1), axis=1).astype(np.int64)
        return pairs, find_changes(self._arrays, pairs, VISIBLE)

    @cached_property
    def _entry_order(self) -> list[tuple[int, str, str, str]]:
        return [
            (_group(component), component.predicate, component.subject, component.object or "")
            for component in self.components
        ]

    def _changes(self, pairs: Ints, which: int) -> PairChanges:
        pairs = self._checked(pairs)
        # Graph and draws both ask for all i < j.
        n = self.n_key_frames
        if which == VISIBLE and 2 * len(pairs) == n * (n - 1) > 2:
            forward, changes = self._forward
            if np.array_equal(pairs, forward):
                return changes
        return find_changes(self._arrays, pairs, which)

    def _bits(self, changes: PairChanges) -> Words:
        return sets_of(changes.entries, changes.offsets, self.n_words)

    def _one(self, i: int, j: int, which: int) -> frozenset[Component]:
        changes = self._changes(np.array([[i, j]]), which)
        if changes.codes[0] != FINE:
            raise PairError(self._reason(i, j, changes))
        return self._as_set(self._bits(changes))

    def _reason(self, i: int, j: int, changes: PairChanges, row: int = 0) -> str:
        code, culprit = int(changes.codes[row]), int(changes.culprits[row])
        return f"key frames {i} to {j}: {_REASONS[code].format(culprit=self._names[culprit])}"


def signature_text(component: Component) -> str:
    """``component`` as the public release writes it (definitions.md R10).

    ``+OnTop(bacon, countertop)`` -> ``edge_add_the bacon_the countertop_OnTop``.
    """
    operation, subject = component.operation, f"the {component.subject}"
    if operation == "transition":
        former = "_".join(f"the {parent}" for parent in component.parents)
        child = "cooked" if component.object is None else f"the {component.object}"
        return f"node_transition_from_{former}_to_{child}"
    if component.object is None:
        return f"node_{operation}_{subject}_{component.predicate}"
    return f"edge_{operation}_{subject}_the {component.object}_{component.predicate}"


def _entry(component: Component) -> Entry:
    kind = "node" if component.object is None else "edge"
    if component.operation == "transition":
        kind = "transition"
    return (component.operation, kind, component.predicate, component.subject, component.object)


def _group(component: Component) -> int:
    """Place of the component's group in a text (definitions.md R11)."""
    if component.operation == "transition":
        return len(_GROUPS)
    return _GROUPS.index((component.operation, component.object is None))
