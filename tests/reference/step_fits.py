"""Slow twin of :mod:`enact_assets.commands.harnesses.step_fits`: one question at a time, sets of
components as integers.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from enact_assets.questions.asked.types import Row
from enact_assets.questions.key_frames.component_index import ComponentIndex
from enact_assets.settings.arrays import Words
from enact_assets.settings.components import Component


class StepFits:
    """Fits of questions about one demonstration; sets of components are integers, bit by bit."""

    def __init__(self, index: ComponentIndex) -> None:
        self._index, self._n = index, index.n_key_frames
        pairs = np.indices((self._n, self._n)).reshape(2, -1).T
        visible, full, _ = index.changes(pairs)
        self._visible, self._full = _integers(visible), _integers(full)

    def of(self, question: Row) -> dict[str, list[int]]:
        """``fits``, as :mod:`enact_assets.commands.harnesses.scoring` reads it, of a row of
        ``asked_questions``. Entries that pass no step are left out.
        """
        frames = question["key_frames"]
        steps = [a * self._n + b for a, b in pairwise(frames)]
        if question["kind"] == "inverse":
            found = self._passed_by_actions(question, [self._full[step] for step in steps])
        else:
            found = self._passed_by_pictures(question, [self._visible[step] for step in steps])
        return {name: passed for name, passed in found if passed}

    def _passed_by_pictures(
        self, question: Row, wanted: Sequence[int]
    ) -> Iterator[tuple[str, list[int]]]:
        shown = question["shown_key_frames"]
        for a, before in enumerate(shown):
            for b, after in enumerate(shown[1:], start=1):
                if a != b:
                    says = self._full[before * self._n + after]
                    yield f"{a}>{b}", [k for k, must in enumerate(wanted, 1) if not must & ~says]

    def _passed_by_actions(
        self, question: Row, happened: Sequence[int]
    ) -> Iterator[tuple[str, list[int]]]:
        components = [list(map(Component.parse, texts)) for texts in question["action_components"]]
        bits, is_known = self._index.encode(components)
        for label, says in enumerate(_integers(bits), start=1):
            known = bool(is_known[label - 1])
            yield str(label), [k for k, did in enumerate(happened, 1) if known and not says & ~did]


def _integers(bits: Words) -> list[int]:
    """Bit sets (n, n_words) as integers."""
    return [int.from_bytes(row.tobytes(), "little") for row in np.ascontiguousarray(bits)]
