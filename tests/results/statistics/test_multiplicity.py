"""Adjusted p-values reject what the procedures of Holm and of Benjamini and Hochberg reject."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from enact_assets.results.statistics.multiplicity import benjamini_hochberg, holm

from reference.cluster_statistics import benjamini_hochberg_rejects, holm_rejects

P_VALUES = st.lists(st.floats(0, 1, allow_subnormal=False), min_size=1, max_size=12)
ALPHA = st.sampled_from([0.01, 0.05, 0.2])


@given(P_VALUES, ALPHA)
def test_holm_rejects_what_the_procedure_rejects(p: list[float], alpha: float) -> None:
    adjusted = holm(np.array(p))
    assume(not np.any(np.abs(adjusted - alpha) < 1e-9))  # a tie by rounding only
    assert set(np.flatnonzero(adjusted <= alpha)) == holm_rejects(p, alpha)


@given(P_VALUES, ALPHA)
def test_benjamini_hochberg_rejects_what_the_procedure_rejects(
    p: list[float], alpha: float
) -> None:
    adjusted = benjamini_hochberg(np.array(p))
    assume(not np.any(np.abs(adjusted - alpha) < 1e-9))
    assert set(np.flatnonzero(adjusted <= alpha)) == benjamini_hochberg_rejects(p, alpha)


@given(P_VALUES, st.integers(0, 12))
def test_what_was_not_tested_counts_for_nothing(p: list[float], at: int) -> None:
    """A cell without a p-value would make all others of its panel less significant."""
    for adjust in (holm, benjamini_hochberg):
        with_gap = np.insert(np.array(p), min(at, len(p)), np.nan)
        found = adjust(with_gap)
        assert np.isnan(found).sum() == 1
        np.testing.assert_array_equal(found[~np.isnan(found)], adjust(np.array(p)))


@given(P_VALUES)
def test_adjusted_values_keep_the_order_and_are_none_smaller(p: list[float]) -> None:
    for adjust in (holm, benjamini_hochberg):
        found = adjust(np.array(p))
        assert (found >= np.array(p) - 1e-15).all()
        assert found.max() <= 1
        in_order = found[np.argsort(p, kind="stable")]
        assert (np.diff(in_order) >= 0).all()


def test_by_hand() -> None:
    """Holm: 0.01 x 4, 0.03 x 2 raised to 0.02 x 3, 0.04 raised too."""
    p = np.array([0.04, 0.01, 0.03, 0.02])
    assert holm(p) == pytest.approx([0.06, 0.04, 0.06, 0.06])
    assert benjamini_hochberg(p) == pytest.approx([0.04, 0.04, 0.04, 0.04])
    assert holm(np.array([])).size == benjamini_hochberg(np.array([])).size == 0
