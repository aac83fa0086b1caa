"""Frame ids: positions here, ids there, one exact way between them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from enact_assets.engine.errors import ReplayError
from enact_assets.settings.frame_ids import COUNTED_FROM_0, FrameIds


@given(st.lists(st.integers(0, 10**4), min_size=1, max_size=40, unique=True).map(sorted))
def test_ids_survive_as_runs(ids: list[int]) -> None:
    """An id off by one asks for the wrong picture."""
    numbering = FrameIds.of(np.array(ids, np.int64))
    assert numbering.at(np.arange(len(ids))).tolist() == ids
    assert FrameIds(numbering.runs) == numbering
    assert numbering.find(ids, len(ids)).tolist() == list(range(len(ids)))
    gaps = [k for k in range(max(0, ids[0] - 2), ids[-1] + 3) if k not in set(ids)][:50]
    assert set(numbering.find(gaps, len(ids)).tolist()) <= {-1}


def test_consecutive_ids_are_one_run() -> None:
    assert FrameIds.of(np.arange(1, 12_001)).runs == (0, 1)
    assert FrameIds(COUNTED_FROM_0).at([0, 7]).tolist() == [0, 7]


@pytest.mark.parametrize("runs", [(), (0,), (1, 1), (0, 1, 0, 5), (0, 5, 3, 7), (0, 1, 2)])
def test_what_is_no_numbering_is_refused(runs: tuple[int, ...]) -> None:
    with pytest.raises(ReplayError, match="not a numbering"):
        FrameIds(runs)
