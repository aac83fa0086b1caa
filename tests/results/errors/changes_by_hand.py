"""Changes written down pair by pair, and one question about them."""

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from enact_assets.answers.baselines.tables import Predictions
from enact_assets.questions.asked.tables import Qa
from enact_assets.questions.key_frames.component_index import ComponentIndex
from enact_assets.settings.arrays import Ints, Words
from enact_assets.settings.components import Component

Texts = Sequence[str]
DEMONSTRATION = "by_hand-0"


class ChangesByHand(ComponentIndex):
    """Visible changes as given by pair, nothing where none is; full ones have ``unseen`` more."""

    def __init__(
        self,
        visible: Mapping[tuple[int, int], Texts],
        n_key_frames: int,
        unseen: Mapping[tuple[int, int], Texts] | None = None,
    ) -> None:
        self._visible, self._unseen = visible, unseen or {}
        texts = {t for some in (*visible.values(), *self._unseen.values()) for t in some}
        super().__init__(sorted(map(Component.parse, texts), key=str), n_key_frames)

    def changes(self, pairs: Ints) -> tuple[Words, Words, Ints]:
        visible = self._encoded(pairs, [self._visible])
        full = self._encoded(pairs, [self._visible, self._unseen])
        return visible, full, np.zeros((len(visible), 2), np.int64)

    def edges(self) -> tuple[Ints, Ints]:
        raise NotImplementedError

    def _encoded(self, pairs: Ints, known: Sequence[Mapping[tuple[int, int], Texts]]) -> Words:
        found = [
            [Component.parse(t) for of in known for t in of.get((i, j), ())]
            for i, j in np.asarray(pairs).tolist()
        ]
        return self.encode(found)[0]


def forward(shown: Sequence[int], answer: Sequence[int], name: str = "f") -> pl.DataFrame:
    """A question about images ``shown``, key frames with the current state first."""
    return _question("forward", name, shown, [["+Open(door)"]] * len(answer), answer)


def inverse(actions: Sequence[Texts], answer: Sequence[int], name: str = "i") -> pl.DataFrame:
    """A question about ``actions`` in the order shown; key frames count from 0."""
    frames = range(len(actions) + 1)
    return _question("inverse", name, frames, actions, answer)


def _question(
    kind: str,
    name: str,
    shown: Sequence[int],
    actions: Sequence[Texts],
    answer: Sequence[int],
) -> pl.DataFrame:
    return Qa.build(
        [
            {
                "demonstration": DEMONSTRATION,
                "gating": "state",
                "question_id": name,
                "trajectory_id": name,
                "kind": kind,
                "length": len(shown),
                "key_frames": sorted(shown),
                "shown_key_frames": list(shown),
                "actions": ["something"] * len(actions),
                "action_components": [sorted(a) for a in actions],
                "answer": list(answer),
                "draw": 0,
                "wording": "natural",
                "prompt": "?",
            }
        ]
    )


def predicted(qa: pl.DataFrame, raw: Sequence[str | None], model: str = "m") -> pl.DataFrame:
    """Answers of ``model`` to the questions in turn; None was never obtained."""
    return Predictions.build(
        [
            {"model": model, "variant": "baseline", "question_id": name, "repetition": 0}
            | {"request_sha": "s"}
            | {"raw_answer": text, "error": "timeout" if text is None else None}
            for name, text in zip(qa["question_id"], raw, strict=True)
        ]
    )
