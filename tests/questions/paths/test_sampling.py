"""Samples: uniform over all trajectories, without repeats, the same every time."""

from collections import Counter
from collections.abc import Callable

import numpy as np
import polars as pl
import pytest

from enact_assets.engine.errors import TrajectoryError
from enact_assets.engine.ids import short_id
from enact_assets.questions.paths.counting import CountedPaths
from enact_assets.questions.paths.sampling import draw_ranks, sample_trajectories
from enact_assets.questions.paths.tables import Trajectories
from enact_assets.settings.profile import PAPER

from reference.builders import (
    DEMONSTRATION,
    build_segmented_frames,
    build_transition_graph,
)
from reference.trajectories import all_paths

# Uneven on purpose: key frame 5 has many ways in, key frame 6 only one.
EDGES = {
    (0, 1),
    (0, 2),
    (1, 2),
    (0, 3),
    (2, 3),
    (1, 4),
    (3, 4),
    *((k, 5) for k in range(5)),
    (4, 6),
}
N_KEY_FRAMES = 7
LENGTH = 4
PATHS = all_paths(N_KEY_FRAMES, EDGES, LENGTH)
MIN_P = 0.001


def uniformity_p(draws: list[tuple[int, ...]]) -> float:
    """Chi-square p-value of the draws being uniform over ``PATHS``."""
    from scipy.stats import chisquare

    found = Counter(draws)
    assert set(found) <= set(PATHS)
    return float(chisquare([found[path] for path in PATHS]).pvalue)


def counts() -> CountedPaths:
    return CountedPaths.of(N_KEY_FRAMES, np.array(sorted(EDGES)), LENGTH)


def draw_by_rank(n: int) -> list[tuple[int, ...]]:
    """One trajectory per seed, so that draws are independent."""
    ranks = [draw_ranks(len(PATHS), 1, seed)[0] for seed in range(n)]
    return [tuple(path) for path in counts().unrank(LENGTH, ranks).tolist()]


def draw_by_backtracking(n: int) -> list[tuple[int, ...]]:
    uniforms = np.random.default_rng(11).random((n, LENGTH))
    return [tuple(p) for p in counts().backtrack_with_uniforms(LENGTH, uniforms).tolist()]


@pytest.mark.parametrize("draw", [draw_by_rank, draw_by_backtracking])
def test_draws_are_uniform_over_all_trajectories(
    draw: Callable[[int], list[tuple[int, ...]]],
) -> None:
    """A biased sampler makes a benchmark of some trajectories and looks the same."""
    assert uniformity_p(draw(6000)) > MIN_P


def test_every_subset_of_ranks_has_the_same_chance() -> None:
    """Floyd's algorithm draws sets: also pairs must be uniform, not only single ranks."""
    from scipy.stats import chisquare

    found = Counter(tuple(draw_ranks(6, 3, seed)) for seed in range(6000))
    assert len(found) == 20
    assert chisquare(list(found.values())).pvalue > MIN_P


@pytest.mark.parametrize("total", [1000, 2**64 + 3, 2**200 + 17])
def test_ranks_are_distinct_in_range_and_spread_over_totals_of_any_size(total: int) -> None:
    """Beyond 2^64 a 64-bit generator would never reach the upper ranks."""
    ranks = draw_ranks(total, 500, seed=3)
    assert len(set(ranks)) == 500
    assert ranks == sorted(ranks)
    assert ranks[0] >= 0
    assert ranks[-1] < total
    quarters = Counter(rank * 4 // total for rank in ranks)
    assert all(80 <= quarters[quarter] <= 170 for quarter in range(4))
    assert ranks == draw_ranks(total, 500, seed=3)
    assert ranks != draw_ranks(total, 500, seed=4)


@pytest.mark.parametrize("total", [0, 1, 5])
def test_all_ranks_are_taken_if_fewer_exist_than_asked(total: int) -> None:
    """Asking for 30 of 5 must give the 5, not an endless loop."""
    assert draw_ranks(total, 30, seed=0) == list(range(total))


def sample(n_per_length: int = 6, seed: int = 0) -> pl.DataFrame:
    edges = [(i, j) for j in range(8) for i in range(max(0, j - 4), j)]
    graph = build_transition_graph(edges)
    return sample_trajectories(build_segmented_frames(8), graph, PAPER, n_per_length, seed)


def test_sampled_trajectories_are_valid_distinct_and_named_by_their_frames() -> None:
    """Questions are cut from these rows without another look at the graph."""
    edges = {(i, j) for j in range(8) for i in range(max(0, j - 4), j)}
    rows = sample()
    assert rows["trajectory_id"].n_unique() == rows.height
    for row in rows.iter_rows(named=True):
        paths = all_paths(8, edges, row["length"])
        assert tuple(row["key_frames"]) == paths[int(row["rank"])]
        assert row["frames"] == [100 * k for k in row["key_frames"]]
        assert row["trajectory_id"] == short_id("trajectory", DEMONSTRATION, row["frames"])
    expected = {n: min(6, len(all_paths(8, edges, n))) for n in PAPER.lengths}
    found = dict(rows.group_by("length").len().iter_rows())
    assert found == {n: k for n, k in expected.items() if k}


def test_the_same_seed_gives_the_same_sample_and_another_seed_another() -> None:
    """Results are to be reproduced on any machine from the settings alone."""
    assert sample(seed=1).equals(sample(seed=1))
    assert not sample(seed=1).equals(sample(seed=2))


def test_a_pinned_sample_never_changes() -> None:
    """A new draw under the same seed would replace every question of a published set."""
    rows = sample(n_per_length=2).select("length", pl.col("rank").cast(pl.Int64))
    assert rows.sort("length", "rank").rows() == [
        (3, 0),
        (3, 36),
        (4, 13),
        (4, 28),
        (5, 4),
        (5, 36),
        (6, 3),
        (6, 8),
        (7, 1),
        (7, 4),
        (8, 0),
    ]


def test_nothing_to_sample_gives_an_empty_table() -> None:
    """No key frames, no edges, or trajectories that are all too short."""
    empty = Trajectories.empty()
    for n_key_frames, edges in ((0, []), (6, []), (2, [(0, 1)])):
        frames, graph = build_segmented_frames(n_key_frames), build_transition_graph(edges)
        assert sample_trajectories(frames, graph, PAPER, 5, 0).equals(empty)


def test_a_graph_of_another_partition_is_refused() -> None:
    """Key frames of one gating joined with edges of another give trajectories of neither."""
    graph = build_transition_graph([(0, 1)]).with_columns(gating=pl.lit("contact"))
    with pytest.raises(TrajectoryError, match="1 of 1 edges are of another partition"):
        sample_trajectories(build_segmented_frames(3), graph, PAPER, 5, 0)
    both = pl.concat(
        [build_segmented_frames(3), build_segmented_frames(3).with_columns(gating=pl.lit("other"))]
    )
    with pytest.raises(TrajectoryError, match="2 partitions"):
        sample_trajectories(both, build_transition_graph([(0, 1)]), PAPER, 5, 0)
    gap = build_segmented_frames(4).filter(pl.col("key_frame") != 1)
    with pytest.raises(TrajectoryError, match="first 2 instead of 1"):
        sample_trajectories(gap, build_transition_graph([]), PAPER, 5, 0)
