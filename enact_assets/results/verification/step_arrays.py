"""Steps of questions as arrays: pairs of key frames, and the sets that actions say."""

from collections.abc import Sequence
from itertools import chain

import numpy as np

from enact_assets.questions.key_frames.component_index import ComponentIndex
from enact_assets.settings.arrays import Bools, Ints, Words
from enact_assets.settings.components import Component

Action = Sequence[str]
"""Components as text."""


def padded(lists: Sequence[Sequence[int]]) -> Ints:
    """Lists of integers as rows (n, longest), filled up with -1."""
    lengths = np.fromiter(map(len, lists), np.int64, len(lists))
    width = int(lengths.max(initial=0))
    rows = np.full((len(lists), width), -1, np.int64)
    flat = np.fromiter(chain.from_iterable(lists), np.int64, int(lengths.sum()))
    rows[np.arange(width) < lengths[:, None]] = flat
    return rows


def step_pairs(key_frames: Ints, is_step: Bools) -> Ints:
    """Consecutive key frames (n, width + 1) of all real steps (n, width), as (n_steps, 2)."""
    return np.stack([key_frames[:, :-1][is_step], key_frames[:, 1:][is_step]], axis=1)


def number_actions(shown: Sequence[Sequence[Action]]) -> tuple[list[tuple[str, ...]], Ints]:
    """The distinct actions that n questions show and, padded, which of them each question shows."""
    numbers: dict[tuple[str, ...], int] = {}
    rows = [[numbers.setdefault(tuple(a), len(numbers)) for a in actions] for actions in shown]
    return list(numbers), padded(rows)


def encode_actions(shown: Sequence[Sequence[Action]], index: ComponentIndex) -> tuple[Words, Ints]:
    """What actions say as bit sets, and, padded, which of them each of n questions shows.

    Shape: (n_actions, n_words), (n, most actions). The row is -1 for an action with a component
    that is part of no change of the demonstration.
    """
    actions, rows = number_actions(shown)
    said, is_known = index.encode(parse_actions(actions))
    # The -1 with which rows are filled up reads the last entry, which stays -1.
    return said, np.append(np.where(is_known, np.arange(len(actions)), -1), -1)[rows]


def parse_actions(actions: Sequence[Action]) -> list[list[Component]]:
    """Components of each action; each distinct text is parsed once."""
    parsed = {text: Component.parse(text) for text in sorted(set(chain.from_iterable(actions)))}
    return [[parsed[text] for text in action] for action in actions]
