"""Small tables of scores, as models get them: ratios of small integers, some missing."""

from collections.abc import Sequence

import numpy as np
from hypothesis import strategies as st

from enact_assets.results.statistics.clusters import ClusterSums


@st.composite
def columns(draw: st.DrawFn, max_clusters: int = 5) -> tuple[list[list[float | None]], list[int]]:
    """Some columns of scores or differences, and the demonstration of each row."""
    n = draw(st.integers(1, 12))
    clusters = draw(st.lists(st.integers(0, max_clusters - 1), min_size=n, max_size=n))
    score = st.none() | st.builds(lambda a, b: a / b, st.integers(-3, 3), st.integers(1, 7))
    column = st.lists(score, min_size=n, max_size=n)
    return draw(st.lists(column, min_size=1, max_size=4)), clusters


def sums_of(scores: Sequence[Sequence[float | None]], clusters: Sequence[int]) -> ClusterSums:
    """Columns of scores as sums."""
    values = np.array([[np.nan if x is None else x for x in column] for column in scores]).T
    return ClusterSums.of(values, np.array(clusters, np.int64))
