"""Steps between key frames as what a ridge regression on steps needs: sums per key frame."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from enact_assets.learned.read_facts import PROGRESS, Change


class Step(NamedTuple):
    """A step that a question may take, and its visible changes."""

    start: int
    end: int
    changes: tuple[Change, ...]


class Targets(NamedTuple):
    """``net``: reading -> (n,) sums per key frame; ``joined``: (n, n) whether a step joins two."""

    net: Mapping[str, NDArray[np.float64]]
    joined: NDArray[np.bool_]


def targets_of(steps: Sequence[Step], n_key_frames: int, *, is_mirrored: bool) -> Targets:
    """What each reading should do over ``steps``, summed per key frame.

    Over one step a reading should change by 1, 0 or -1, however many of its facts do; progress by
    the share of the demonstration. With ``is_mirrored`` hands change places.
    """
    joined = np.zeros((n_key_frames, n_key_frames), np.bool_)
    net: dict[str, NDArray[np.float64]] = {PROGRESS: np.zeros(n_key_frames)}
    for step in steps:
        joined[step.start, step.end] = joined[step.end, step.start] = True
        wanted = {PROGRESS: (step.end - step.start) / n_key_frames}
        for reading, total in _totals(step, is_mirrored=is_mirrored).items():
            wanted[reading] = float(np.clip(total, -1, 1))
        for reading, value in wanted.items():
            sums = net.setdefault(reading, np.zeros(n_key_frames))
            sums[step.end] += value
            sums[step.start] -= value
    return Targets(net, joined)


def _totals(step: Step, *, is_mirrored: bool) -> dict[str, int]:
    totals: dict[str, int] = {}
    for fact, sign in step.changes:
        for reading in (fact.mirrored() if is_mirrored else fact).readings():
            totals[reading] = totals.get(reading, 0) + sign
    return totals
