"""Smoothing of facts against its slow twin, and the rules by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_replays import intervals

from enact_assets.questions.key_frames.segment_kernels import Switches, smooth, states_at

from reference.segmentation import smooth_fact


def smoothed(
    values: list[tuple[int, int]], n_frames: int, flicker_frames: int, only_gaps: bool = False
) -> list[bool]:
    """One fact given by its intervals, smoothed by the kernel, frame by frame."""
    frames = np.array(values, np.int64).reshape(-1)
    switches = Switches(np.array([0, frames.size]), frames)
    result = smooth(switches, np.array([only_gaps]), n_frames, flicker_frames)
    return states_at(result, np.arange(n_frames))[:, 0].tolist()


def dense(values: list[tuple[int, int]], n_frames: int) -> list[bool]:
    return [any(a <= frame < b for a, b in values) for frame in range(n_frames)]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ([(20, 29)], []),
        ([(20, 30)], [(20, 30)]),
        ([(0, 40), (49, 100)], [(0, 100)]),
        ([(0, 40), (50, 100)], [(0, 40), (50, 100)]),
        ([(0, 5), (60, 100)], [(0, 5), (60, 100)]),
        ([(10, 40), (95, 100)], [(10, 40), (95, 100)]),
        # The pulse of 3 goes first; the gap around it is then 19 long and stays.
        ([(0, 30), (38, 41), (49, 100)], [(0, 30), (49, 100)]),
        # Of two runs of 4 the left one goes first and takes the other with it.
        ([(30, 34), (38, 60)], [(38, 60)]),
        ([(30, 50), (54, 58)], [(30, 58)]),
    ],
)
def test_runs_shorter_than_ten_frames_are_flipped_and_runs_at_the_ends_are_kept(
    before: list[tuple[int, int]], after: list[tuple[int, int]]
) -> None:
    """Off by one here, and a flicker of a contact becomes a key frame."""
    assert smoothed(before, 100, 10) == dense(after, 100)


def test_existence_has_its_gaps_filled_but_no_short_life_removed() -> None:
    """A half that is diced at once would vanish from the chain of transitions."""
    before = [(10, 13), (30, 60), (69, 90), (100, 110)]
    after = [(10, 13), (30, 90), (100, 110)]
    assert smoothed(before, 120, 10, only_gaps=True) == dense(after, 120)


@given(st.data(), st.integers(1, 80), st.integers(0, 12), st.booleans())
def test_smoothing_agrees_with_its_twin(
    data: st.DataObject, n_frames: int, flicker_frames: int, only_gaps: bool
) -> None:
    """One sweep per run length must equal flipping one run at a time."""
    values = data.draw(intervals(n_frames, 12))
    expected = smooth_fact(dense(values, n_frames), flicker_frames, only_gaps)
    assert smoothed(values, n_frames, flicker_frames, only_gaps) == expected
