"""Slow twins of trajectories: every path by brute force, counts and draws in Python integers."""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import combinations, pairwise

Edges = set[tuple[int, int]]


def all_paths(n_key_frames: int, edges: Edges, length: int) -> list[tuple[int, ...]]:
    """Every valid path, in rank order: by the last key frame, then the one before, and so on."""
    paths = [
        path
        for path in combinations(range(n_key_frames), length)
        if all(step in edges for step in pairwise(path))
    ]
    return sorted(paths, key=lambda path: path[::-1])


def count_table(
    n_key_frames: int, edges: Iterable[tuple[int, int]], max_length: int
) -> list[list[int]]:
    """DP[l][i] in Python integers; row 0 is unused."""
    table = [[0] * n_key_frames, [1] * n_key_frames]
    edges = list(edges)
    for length in range(2, max_length + 1):
        row = [0] * n_key_frames
        for i, j in edges:
            row[j] += table[length - 1][i]
        table.append(row)
    return table[: max_length + 1]


def algorithm_1(
    n_key_frames: int, edges: Edges, length: int, uniforms: Sequence[float]
) -> tuple[int, ...] | None:
    """One draw of the paper's algorithm 1 from given numbers: last key frame first.

    A number u, cut to 53 bits, picks the choice whose share of the weights holds floor(u W).
    """
    table = count_table(n_key_frames, edges, length)
    choices = list(range(n_key_frames))
    path: list[int] = []
    for step, uniform in zip(range(length, 0, -1), uniforms, strict=True):
        weights = [table[step][k] for k in choices]
        if sum(weights) == 0:
            return None
        left = int(Fraction(int(uniform * 2**53), 2**53) * sum(weights))
        at = 0
        while left >= weights[at]:
            left -= weights[at]
            at += 1
        path.insert(0, choices[at])
        choices = [k for k in range(n_key_frames) if (k, path[0]) in edges]
    return tuple(path)


def rank_in_integers(table: list[list[int]], edges: Edges, path: Sequence[int]) -> int:
    """Rank of a path from ``count_table``: all that its choices, last first, pass over."""
    rank, choices = 0, range(len(table[1]))
    for step in range(len(path), 0, -1):
        node = path[step - 1]
        rank += sum(table[step][k] for k in choices if k < node)
        choices = [k for k in range(node) if (k, node) in edges]
    return rank
