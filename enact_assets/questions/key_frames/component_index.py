"""What every index of changes has in common: a vocabulary of components, and sets over it."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from functools import cached_property

import numpy as np
import polars as pl

from enact_assets.engine.errors import EnactError
from enact_assets.questions.key_frames.bit_sets import WORD_BITS, n_words_of, set_bits
from enact_assets.settings.arrays import Bools, Ints, Words
from enact_assets.settings.components import Component


class ComponentIndex(ABC):
    """Changes between any two key frames of one demonstration, for any order of the two.

    Bulk answers are bit sets over one vocabulary, ``components``, sorted by text: bit b of word w
    is ``components[64 w + b]``.
    """

    components: tuple[Component, ...]
    """Every component of any pair, sorted by text."""
    n_key_frames: int
    """Number of key frames; they are numbered from 0."""
    object_names: tuple[str, ...] = ()
    """The objects that :meth:`edited` is about; none where an index does not tell objects apart."""

    def __init__(self, components: Iterable[Component], n_key_frames: int) -> None:
        self.components, self.n_key_frames = tuple(components), n_key_frames

    @abstractmethod
    def changes(self, pairs: Ints) -> tuple[Words, Words, Ints]:
        """Visible and whole changes of ``pairs`` (n, 2), from and to, and why each of them fails.

        Shape: (n, n_words), (n, n_words), (n, 2) with 0 for a change that does not fail. A change
        that fails has no component.
        """

    @abstractmethod
    def edges(self) -> tuple[Ints, Ints]:
        """Pairs i < j a question may step along, (n, 2) ascending, and their sizes (n,)."""

    def visible_bits(self, pairs: Ints) -> Words:
        """Visible changes of ``pairs`` (n, 2), from and to: (n, n_words)."""
        return self.changes(pairs)[0]

    def full_bits(self, pairs: Ints) -> Words:
        """Whole changes of ``pairs`` (n, 2), from and to: (n, n_words)."""
        return self.changes(pairs)[1]

    def edited(self, pairs: Ints) -> tuple[Bools, Bools]:
        """Objects that the visible changes of ``pairs`` (n, 2) name, as (n, objects), by
        ``object_names``; and, in the same shape, which objects take part in a transition.
        """
        none = np.zeros((len(pairs), len(self.object_names)), np.bool_)
        return none, none

    def first_failure(self) -> tuple[int, int, int] | None:
        """The first pair i < j whose visible change fails, and its code; None if none does."""
        return None

    def failure_text(self, i: int, j: int) -> str:  # noqa: ARG002 - of an index that can fail
        """Where and why the change from key frame i to j fails; empty if it does not."""
        return ""

    @property
    def n_words(self) -> int:
        """Words of a component set; at least 1."""
        return n_words_of(len(self.components))

    def visible(self, i: int, j: int) -> frozenset[Component]:
        """Components of the visible change from key frame i to j."""
        return self._as_set(self.visible_bits(np.array([[i, j]])))

    def full(self, i: int, j: int) -> frozenset[Component]:
        """Components of the whole change from key frame i to j."""
        return self._as_set(self.full_bits(np.array([[i, j]])))

    def encode(self, sets: Sequence[Iterable[Component]]) -> tuple[Words, Bools]:
        """Component sets as bit sets (n, n_words), and whether all of each is in the vocabulary.

        A component outside the vocabulary belongs to no change of this demonstration; it has no
        bit, so a set that is not known is a subset of no change whatever its bits say.
        """
        bits = np.zeros((len(sets), self.n_words), np.uint64)
        is_known = np.ones(len(sets), np.bool_)
        for row, components in enumerate(sets):
            for component in components:
                at = self._position.get(component)
                if at is None:
                    is_known[row] = False
                else:
                    bits[row, at // WORD_BITS] |= np.uint64(1 << (at % WORD_BITS))
        return bits, is_known

    def texts(self, bits: Words) -> pl.Series:
        """Component texts of bit sets (n, n_words), sorted within each: list of strings."""
        import pyarrow as pa

        flat, offsets = set_bits(np.ascontiguousarray(bits, np.uint64))
        values = self._texts.gather(flat).to_arrow()
        lists = pa.LargeListArray.from_arrays(pa.array(offsets, pa.int64()), values)
        return pl.Series(lists, dtype=pl.List(pl.String))

    @cached_property
    def _position(self) -> dict[Component, int]:
        return {component: k for k, component in enumerate(self.components)}

    @cached_property
    def _texts(self) -> pl.Series:
        return pl.Series([str(component) for component in self.components], dtype=pl.String)

    def _as_set(self, bits: Words) -> frozenset[Component]:
        return frozenset(self.components[k] for k in set_bits(bits)[0])

    def _checked(self, pairs: Ints) -> Ints:
        """``pairs`` as the kernels take them; they do not check bounds."""
        pairs = np.ascontiguousarray(pairs, np.int64).reshape(-1, 2)
        is_outside = ((pairs < 0) | (pairs >= self.n_key_frames)).any(axis=1)
        if is_outside.any():
            first = pairs[int(np.flatnonzero(is_outside)[0])].tolist()
            raise EnactError(
                f"{int(is_outside.sum())} of {len(pairs)} pairs name a key frame outside "
                f"0..{self.n_key_frames - 1}, first {first}. Questions and scene graphs are of "
                "different demonstrations or versions: materialize them again."
            )
        return pairs
