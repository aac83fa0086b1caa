"""Exact counts and ranks against brute force and Python integers."""

import itertools
import random
from fractions import Fraction
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from enact_assets.engine.errors import TrajectoryError
from enact_assets.questions.paths.counting import CountedPaths, count_paths
from enact_assets.questions.paths.kernels import scale
from enact_assets.questions.paths.tables import PathCounts
from enact_assets.settings.profile import PAPER

from reference.builders import (
    build_segmented_frames,
    build_transition_graph,
)
from reference.trajectories import algorithm_1, all_paths, count_table, rank_in_integers


@st.composite
def graphs(draw: st.DrawFn, max_key_frames: int = 9) -> tuple[int, set[tuple[int, int]]]:
    """(number of key frames, ascending edges), from no edge to all of them."""
    n = draw(st.integers(0, max_key_frames))
    possible = [(i, j) for j in range(n) for i in range(j)]
    if not possible:
        return n, set()
    is_edge = draw(st.lists(st.booleans(), min_size=len(possible), max_size=len(possible)))
    return n, {edge for edge, kept in zip(possible, is_edge, strict=True) if kept}


def counts_of(n_key_frames: int, edges: set[tuple[int, int]], max_length: int) -> CountedPaths:
    return CountedPaths.of(n_key_frames, np.array(list(edges)).reshape(-1, 2), max_length)


def complete(n_key_frames: int) -> set[tuple[int, int]]:
    return {(i, j) for j in range(n_key_frames) for i in range(j)}


@given(graphs(), st.integers(1, 6))
def test_asking_for_all_ranks_gives_every_trajectory_once_and_in_order(
    graph: tuple[int, set[tuple[int, int]]], max_length: int
) -> None:
    """A rank is the name of a trajectory: none may be missing, twice, or out of order."""
    counts = counts_of(*graph, max_length)
    for length in range(1, max_length + 1):
        expected = all_paths(*graph, length)
        assert counts.total(length) == len(expected)
        assert [tuple(path) for path in counts.enumerate(length).tolist()] == expected
        for key_frame in range(graph[0]):
            n_ending = sum(path[-1] == key_frame for path in expected)
            assert counts.ending_at(length, key_frame) == n_ending


@given(graphs(max_key_frames=40), st.integers(2, 10))
def test_counts_agree_with_python_integers(
    graph: tuple[int, set[tuple[int, int]]], max_length: int
) -> None:
    """Graphs with more predecessors than one block of partial sums holds."""
    counts = counts_of(*graph, max_length)
    expected = count_table(*graph, max_length)
    for length in range(1, max_length + 1):
        found = [counts.ending_at(length, k) for k in range(graph[0])]
        assert found == expected[length]
        assert counts.total(length) == sum(expected[length])


@given(graphs(), st.integers(1, 6))
def test_rank_and_unrank_are_inverse(graph: tuple[int, set[tuple[int, int]]], length: int) -> None:
    """A rank that names another trajectory than it was given for is a wrong name in a table."""
    counts = counts_of(*graph, length)
    paths = all_paths(*graph, length)
    ranks = list(range(len(paths)))
    assert counts.rank(length, np.array(paths, np.int64)) == ranks
    assert [tuple(path) for path in counts.unrank(length, ranks).tolist()] == paths


def thinned(n_key_frames: int, seed: int) -> set[tuple[int, int]]:
    """Half of all ascending edges; no binomial formula knows its paths."""
    is_edge = np.random.default_rng(seed).random((n_key_frames, n_key_frames)) < 0.5
    return {(i, j) for i, j in complete(n_key_frames) if is_edge[i, j]}


@pytest.mark.parametrize(
    ("n_key_frames", "length", "passes"), [(90, 10, 2**31), (250, 20, 2**64), (320, 40, 2**127)]
)
def test_ranks_on_an_uneven_graph_agree_with_python_integers(
    n_key_frames: int, length: int, passes: int
) -> None:
    """Where some steps need several limbs and later ones fit one machine word."""
    edges = thinned(n_key_frames, length)
    counts = counts_of(n_key_frames, edges, length)
    expected = count_table(n_key_frames, edges, length)
    assert counts.ending(length) == expected[length]
    total = counts.total(length)
    assert total == sum(expected[length]) > passes
    generator = random.Random(length)  # noqa: S311 - no secret
    ranks = [0, 1, total - 1, *(generator.randrange(total) for _ in range(40))]
    ranks += [
        border + k for border in (2**32, 2**64, 2**96, 2**127) if border < total for k in (-1, 0, 1)
    ]
    paths = counts.unrank(length, ranks)
    assert all((i, j) in edges for path in paths.tolist() for i, j in itertools.pairwise(path))
    assert [rank_in_integers(expected, edges, path) for path in paths.tolist()] == ranks
    assert counts.rank(length, paths) == ranks


@given(graphs(), st.integers(1, 5), st.integers(1, 7), st.data())
def test_the_parts_of_several_workers_are_the_whole(
    graph: tuple[int, set[tuple[int, int]]], length: int, block: int, data: st.DataObject
) -> None:
    """A trajectory at a border that two workers make, or none, is counted wrong downstream."""
    counts = counts_of(*graph, length)
    total = counts.total(length)
    cuts = sorted(data.draw(st.lists(st.integers(0, total), max_size=3)))
    found: list[tuple[int, ...]] = []
    for start, stop in itertools.pairwise([0, *cuts, total]):
        parts = list(counts.stream(length, start, stop, block))
        assert all(len(part) == block for part in parts[:-1])
        assert sum(map(len, parts)) == stop - start
        found += [tuple(path) for part in parts for path in part.tolist()]
    assert found == all_paths(*graph, length)


@pytest.mark.parametrize("border", [2**32, 2**64, 2**127])
def test_a_stream_far_from_the_start_needs_nothing_before_it(border: int) -> None:
    """A range of ranks is a unit of work only if it costs what it holds."""
    edges = thinned(320, 40)
    counts = counts_of(320, edges, 40)
    parts = list(counts.stream(40, border - 700, border + 700, block=500))
    assert [len(part) for part in parts] == [500, 500, 400]
    found = np.concatenate(parts)
    assert counts.rank(40, found) == list(range(border - 700, border + 700))
    assert np.array_equal(found, counts.unrank(40, range(border - 700, border + 700)))


def test_a_stream_holds_one_part_at_a_time() -> None:
    """All trajectories of a long demonstration do not fit into any memory."""
    counts = counts_of(400, complete(400), 8)
    assert counts.total(8) > 10**15
    stream = counts.stream(8, block=1000)
    first, second = next(stream), next(stream)
    assert first.tolist()[:2] == [[*range(7), last] for last in (7, 8)]
    assert counts.rank(8, second[[0, -1]]) == [1000, 1999]


def test_ranges_without_trajectories_are_refused() -> None:
    """At once: an error in the middle of a stream leaves half a result behind."""
    counts = counts_of(5, complete(5), 3)
    for start, stop, block in ((-1, 3, 1), (4, 3, 1), (0, 11, 1), (0, 10, 0)):
        with pytest.raises(TrajectoryError, match="there are 10 trajectories of length 3"):
            counts.stream(3, start, stop, block)
    assert counts.enumerate(3, 10, 10).shape == (0, 3)


@pytest.mark.parametrize("path", [(0, 1, 3), (1, 0, 2), (0, 0, 2), (-1, 0, 2), (0, 2, 9)])
def test_a_trajectory_of_another_graph_has_no_rank(path: tuple[int, ...]) -> None:
    """It would get the number of some other trajectory."""
    counts = counts_of(4, {(0, 1), (1, 2), (0, 2), (2, 3)}, 3)
    with pytest.raises(TrajectoryError, match=r"trajectory 1 of 2, .* has no rank"):
        counts.rank(3, np.array([(0, 1, 2), path]))


@given(graphs(), st.integers(1, 5), st.data())
def test_backtracking_with_given_numbers_is_algorithm_1_of_the_paper(
    graph: tuple[int, set[tuple[int, int]]], length: int, data: st.DataObject
) -> None:
    """The paper's sampler stays available and picks what its definition picks."""
    unit = st.integers(0, 2**53 - 1).map(lambda k: k / 2**53)
    numbers = data.draw(st.lists(unit, min_size=length, max_size=length))
    found = counts_of(*graph, length).backtrack_with_uniforms(length, np.array([numbers]))
    expected = algorithm_1(*graph, length, numbers)
    assert [tuple(path) for path in found.tolist()] == ([] if expected is None else [expected])


def test_backtracking_scales_weights_of_several_limbs_exactly() -> None:
    """In floating point the weights of long paths would be rounded before the draw."""
    n_key_frames, length = 120, 30
    edges = complete(n_key_frames)
    counts = counts_of(n_key_frames, edges, length)
    generator = np.random.default_rng(5)
    uniforms = generator.random((20, length))
    uniforms[0], uniforms[1] = 0.0, 1.0 - 2.0**-53
    found = counts.backtrack_with_uniforms(length, uniforms)
    for path, numbers in zip(found.tolist(), uniforms, strict=True):
        assert tuple(path) == algorithm_1(n_key_frames, edges, length, numbers.tolist())
    last = int(Fraction(uniforms[1, 0]) * counts.total(length))
    assert comb(found[1, -1], length) <= last < comb(found[1, -1] + 1, length)


@given(st.integers(0, 2**160 - 1), st.integers(0, 2**53 - 1))
def test_weights_are_scaled_to_the_last_bit(weight: int, mantissa: int) -> None:
    """Rounding would move the borders between choices."""
    limbs = np.frombuffer(weight.to_bytes(20, "little"), "<u4").astype(np.uint64)
    out = np.zeros(5, np.uint64)
    scale(limbs, mantissa / 2**53, out)
    found = sum(int(limb) << (32 * k) for k, limb in enumerate(out))
    assert found == weight * mantissa >> 53


def test_path_counts_have_a_row_for_every_length_and_key_frame() -> None:
    """A missing row would read as "unknown" where zero is meant."""
    edges = {(0, 1), (1, 2), (0, 2), (2, 3)}
    rows = count_paths(build_segmented_frames(4), build_transition_graph(edges), PAPER)
    assert rows.height == 8 * 4
    found = {(n, k): paths for n, k, paths in rows.select("length", "key_frame", "n_paths").rows()}
    expected = count_table(4, edges, 10)
    assert found == {(n, k): str(expected[n][k]) for n in range(3, 11) for k in range(4)}
    assert [found[3, k] for k in range(4)] == ["0", "0", "1", "2"]


def test_no_key_frames_give_an_empty_table_and_few_give_zeros() -> None:
    """Short demonstrations are ordinary; they must not stop the pipeline."""
    empty = count_paths(build_segmented_frames(0), build_transition_graph([]), PAPER)
    assert empty.equals(PathCounts.empty())
    few = count_paths(build_segmented_frames(2), build_transition_graph([(0, 1)]), PAPER)
    assert set(few["n_paths"]) == {"0"}


def test_ranks_and_lengths_without_a_trajectory_are_refused() -> None:
    """Unranking past the end would walk out of the arrays of compiled code."""
    counts = counts_of(5, complete(5), 3)
    for rank in (-1, 10):
        with pytest.raises(TrajectoryError, match=f"1 of 2 ranks .* length 3, first {rank}: .* 10"):
            counts.unrank(3, [0, rank])
    with pytest.raises(TrajectoryError, match="lengths 1 to 3, not 4"):
        counts.total(4)


@pytest.mark.parametrize("edge", [(1, 1), (2, 1), (-1, 1), (1, 3), (0, 1)])
def test_edges_that_do_not_ascend_or_leave_the_graph_are_refused(edge: tuple[int, int]) -> None:
    """A cycle has no last key frame; a doubled edge doubles counts."""
    with pytest.raises(TrajectoryError, match=r"1 of 2 edges.*first \["):
        CountedPaths.of(3, np.array([(0, 1), edge]), 3)


def test_numbers_outside_the_unit_interval_are_refused() -> None:
    """u = 1 would pick a choice after the last."""
    counts = counts_of(5, complete(5), 3)
    for number in (1.0, -0.1, np.nan):
        with pytest.raises(TrajectoryError, match=r"1 of 3 uniforms are not in \[0, 1\)"):
            counts.backtrack_with_uniforms(3, np.array([[0.5, number, 0.5]]))
    with pytest.raises(TrajectoryError, match=r"shape \(1, 2\)"):
        counts.backtrack_with_uniforms(3, np.array([[0.5, 0.5]]))
