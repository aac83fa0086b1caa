"""Which steps of a question each entry of an answer passes, as other tools score: ``fits``.

As :mod:`enact_assets.results.verification.verify` decides it under profile ``paper``: a picture
passes a step if all that shows of the step lies within what happened since the picture before; an
action if all that it says lies within what happened in the step. Many questions are decided at
once: which change lies within which is one table of all that they name.
"""

import json
from collections.abc import Iterator
from functools import cache

import numpy as np
import polars as pl

from enact_assets.questions.key_frames.component_index import ComponentIndex
from enact_assets.settings.arrays import Bools, Ints, Words
from enact_assets.settings.components import Component

MOST_CELLS = 1 << 24
"""Of one table: half of the questions are decided at a time where there would be more."""
COLUMNS = ("kind", "length", "key_frames", "shown_key_frames", "action_components")


def step_bits(index: ComponentIndex, questions: pl.DataFrame) -> Iterator[tuple[list[int], Ints]]:
    """Numbers (q,) of some of the ``questions`` about one demonstration, all of one kind and
    length, and the steps that their entries pass, bit k for step k + 1: of labels of actions
    (q, L), of labels of pictures (q, L, L) by the one named before. Label 0, the current state, is
    no entry. All questions come once. ``questions`` are rows of ``asked_questions``.
    """
    numbered = questions.select(*COLUMNS).with_row_index("row")
    for _, rows in numbered.group_by("kind", "length", maintain_order=True):
        yield from _of_one_form(index, rows)


def _of_one_form(index: ComponentIndex, rows: pl.DataFrame) -> Iterator[tuple[list[int], Ints]]:
    n, is_inverse = index.n_key_frames, rows["kind"][0] == "inverse"
    frames = np.array(rows["key_frames"].to_list(), np.int64)
    steps = frames[:, :-1] * n + frames[:, 1:]
    happened, step = np.unique(steps, return_inverse=True)
    if is_inverse:
        sets: dict[tuple[str, ...], int] = {}
        texts = rows["action_components"].to_list()
        said = np.array([[sets.setdefault(tuple(t), len(sets)) for t in row] for row in texts])
        n_said = len(sets)
    else:
        shown = np.array(rows["shown_key_frames"].to_list(), np.int64)
        pairs = shown[:, :, None] * n + shown[:, None, :]
        named, said = np.unique(pairs, return_inverse=True)
        said, n_said = said.reshape(pairs.shape), len(named)
    if n_said * len(happened) > MOST_CELLS and rows.height > 1:
        yield from _of_one_form(index, rows[: rows.height // 2])
        yield from _of_one_form(index, rows[rows.height // 2 :])
        return
    if is_inverse:
        bits, is_known = index.encode([list(map(Component.parse, texts)) for texts in sets])
        table = _is_within(bits[:, None], index.full_bits(_pairs(happened, n))[None])
        table &= is_known[:, None]
        said = np.pad(said, ((0, 0), (1, 0)))
    else:
        visible, whole = index.visible_bits(_pairs(happened, n)), index.full_bits(_pairs(named, n))
        table = _is_within(visible[None], whole[:, None])
    passed: Ints = np.zeros(said.shape, np.int64)
    for k, of_all in enumerate(step.reshape(steps.shape).T):
        each = of_all.reshape(-1, *[1] * (said.ndim - 1))
        passed |= table[said, each].astype(np.int64) << k
    passed[..., 0] = 0
    if not is_inverse:
        labels = np.arange(passed.shape[1])
        passed[:, labels, labels] = 0
    yield rows["row"].to_list(), passed


def _pairs(codes: Ints, n: int) -> Ints:
    return np.stack(np.divmod(codes, n), axis=1)


def _is_within(inner: Words, outer: Words) -> Bools:
    """Which sets lie within which others, along the last axis."""
    found = np.ones(np.broadcast_shapes(inner.shape, outer.shape)[:-1], np.bool_)
    for word in range(inner.shape[-1]):
        found &= (inner[..., word] & ~outer[..., word]) == 0
    return found


def fits_texts(index: ComponentIndex, questions: pl.DataFrame) -> list[str]:
    """``fits`` of each of the ``questions`` about one demonstration, as JSON that
    :mod:`enact_assets.commands.harnesses.scoring` reads. Entries that pass no step are left out.
    """
    found = ["{}"] * questions.height
    for rows, passed in step_bits(index, questions):
        parts: list[list[str]] = [[] for _ in rows]
        *at, values = [axis.tolist() for axis in (*np.nonzero(passed), passed[passed != 0])]
        for question, *labels, bits in zip(*at, values, strict=True):
            parts[question].append(f'"{">".join(map(str, labels))}": {_listed(bits)}')
        for row, entries in zip(rows, parts, strict=True):
            found[row] = f"{{{', '.join(entries)}}}"
    return found


@cache
def _listed(bits: int) -> str:
    return json.dumps([k + 1 for k in range(bits.bit_length()) if bits >> k & 1])
