"""Numba kernels of trajectories: exact path counts of any size, and paths from their ranks.

A count is a little-endian row of *limbs*: 32-bit digits, each in a uint64, so that sums of up to
2^32 counts and products of two digits fit before the carry is taken. The number of limbs is fixed
for a graph by a bound on its counts; nothing ever overflows.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Limbs = NDArray[np.uint64]

LIMB_BITS = 32
UNIFORM_BITS = 53
"""Random bits in a double from [0, 1)."""


class Graph(NamedTuple):
    """Predecessors in a directed graph whose edges ascend, and how they are cut into blocks.

    The predecessors of node j are ``predecessors[offsets[j]:offsets[j + 1]]``, ascending. The last
    node is the *sink*: every key frame precedes it, so a path of length L is a way of L steps back
    from the sink. Node j owns blocks [block_offsets[j], block_offsets[j + 1]) of ``block_size``
    predecessors each (the last may be shorter).
    """

    offsets: Ints
    predecessors: Ints
    block_offsets: Ints
    block_size: int


class Counts(NamedTuple):
    """Path counts: ``paths[l, j]`` paths of length l end at node j; shape (lengths + 1, nodes, n).

    ``paths[l, sink]`` is the total of length l. ``before[l, b]`` sums ``paths[l, ·]`` over the
    predecessors of block b's node that come before block b.
    """

    paths: Limbs
    before: Limbs


@njit(cache=True)
def count_paths(graph: Graph, max_length: int, n_limbs: int) -> Counts:
    """All path counts up to ``max_length`` key frames: O(edges * lengths * limbs).

    Source: DP[1, i] = 1, DP[l, i] = sum of DP[l - 1, j] over edges j -> i (paper A.2.2).
    """
    n_nodes = graph.offsets.size - 1
    sink = n_nodes - 1
    paths = np.zeros((max_length + 1, n_nodes, n_limbs), np.uint64)
    before = np.zeros((max_length + 1, graph.block_offsets[-1], n_limbs), np.uint64)
    total = np.zeros(n_limbs, np.uint64)
    for length in range(1, max_length + 1):
        for node in range(sink):
            if length == 1:
                paths[1, node, 0] = np.uint64(1)
            else:
                _sum_predecessors(graph, paths[length - 1], before[length - 1], node, total)
                paths[length, node] = total
        _sum_predecessors(graph, paths[length], before[length], sink, total)
        paths[length, sink] = total
    return Counts(paths, before)


@njit(cache=True)
def _sum_predecessors(graph: Graph, weights: Limbs, before: Limbs, node: int, total: Limbs) -> None:
    """Write the sum of the predecessors' weights, and the sums before each of the node's blocks."""
    total[:] = np.uint64(0)
    for block in range(graph.block_offsets[node], graph.block_offsets[node + 1]):
        before[block] = total
        start = graph.offsets[node] + (block - graph.block_offsets[node]) * graph.block_size
        for edge in range(start, min(start + graph.block_size, graph.offsets[node + 1])):
            for k in range(total.size):
                total[k] += weights[graph.predecessors[edge], k]
        _carry(total)


@njit(cache=True)
def _carry(limbs: Limbs) -> None:
    """Bring every limb below 2^32; the value stays the same."""
    carry = np.uint64(0)
    for k in range(limbs.size):
        value = limbs[k] + carry
        limbs[k] = value & np.uint64(0xFFFFFFFF)
        carry = value >> np.uint64(LIMB_BITS)


@njit(cache=True)
def _is_less(limbs: Limbs, table: Limbs, row: int) -> bool:
    """Whether ``limbs`` is less than a row of ``table``."""
    for k in range(limbs.size - 1, -1, -1):
        if limbs[k] != table[row, k]:
            return bool(limbs[k] < table[row, k])
    return False


@njit(cache=True)
def _subtract(limbs: Limbs, table: Limbs, row: int) -> None:
    """Subtract a row of ``table``, at most ``limbs``, in place."""
    borrow = np.uint64(0)
    for k in range(limbs.size):
        taken = table[row, k] + borrow
        borrow = np.uint64(1) if limbs[k] < taken else np.uint64(0)
        limbs[k] = (limbs[k] + (borrow << np.uint64(LIMB_BITS))) - taken


@njit(cache=True)
def _step_back(graph: Graph, weights: Limbs, before: Limbs, node: int, rank: Limbs) -> int:
    """The predecessor of ``node`` into whose share ``rank`` falls; rank becomes that within it.

    Predecessors have shares of their ``weights``, in ascending order; ``rank`` is below the sum.
    Blocks are searched by bisection, the last one predecessor by predecessor.
    """
    low, high = graph.block_offsets[node], graph.block_offsets[node + 1]
    first = low
    while high - low > 1:
        middle = (low + high) // 2
        if _is_less(rank, before, middle):
            high = middle
        else:
            low = middle
    _subtract(rank, before, low)
    edge = graph.offsets[node] + (low - first) * graph.block_size
    predecessors = graph.predecessors
    while not _is_less(rank, weights, predecessors[edge]):
        _subtract(rank, weights, predecessors[edge])
        edge += 1
    return int(predecessors[edge])


@njit(cache=True)
def unrank(graph: Graph, counts: Counts, length: int, ranks: Limbs) -> Ints:
    """Paths (n, length), ascending key frames, of ``ranks`` (n, limbs), each below the total."""
    paths = np.empty((ranks.shape[0], length), np.int64)
    rank = np.empty(ranks.shape[1], np.uint64)
    for row in range(ranks.shape[0]):
        rank[:] = ranks[row]
        node = graph.offsets.size - 2
        for step in range(length, 0, -1):
            node = _step_back(graph, counts.paths[step], counts.before[step], node, rank)
            paths[row, step - 1] = node
    return paths


@njit(cache=True)
def backtrack(graph: Graph, counts: Counts, length: int, uniforms: NDArray[np.float64]) -> Ints:
    """Paths (n, length) by weighted backtracking, one number of [0, 1) per step (n, length).

    Column 0 chooses the last key frame, column 1 the one before it, and so on. A choice among
    shares that add up to W takes the one that holds floor(u W), with u at 53 bits; the product is
    exact. The total of ``length`` is not 0. Source: paper, algorithm 1.
    """
    paths = np.empty((uniforms.shape[0], length), np.int64)
    rank = np.empty(counts.paths.shape[2], np.uint64)
    for row in range(uniforms.shape[0]):
        node = graph.offsets.size - 2
        for step in range(length, 0, -1):
            weight_row = step if node == graph.offsets.size - 2 else step + 1
            scale(counts.paths[weight_row, node], uniforms[row, length - step], rank)
            node = _step_back(graph, counts.paths[step], counts.before[step], node, rank)
            paths[row, step - 1] = node
    return paths


@njit(cache=True)
def scale(limbs: Limbs, uniform: float, out: Limbs) -> None:
    """Write floor(limbs * uniform) into ``out``; ``uniform`` is in [0, 1), cut to 53 bits."""
    mantissa = np.uint64(np.int64(uniform * 2.0**UNIFORM_BITS))
    low, high = mantissa & np.uint64(0xFFFFFFFF), mantissa >> np.uint64(LIMB_BITS)
    product = np.zeros(limbs.size + 2, np.uint64)
    for k in range(limbs.size):
        value = product[k] + limbs[k] * low
        product[k] = value & np.uint64(0xFFFFFFFF)
        value = product[k + 1] + (value >> np.uint64(LIMB_BITS)) + limbs[k] * high
        product[k + 1] = value & np.uint64(0xFFFFFFFF)
        product[k + 2] += value >> np.uint64(LIMB_BITS)
    shift = UNIFORM_BITS - LIMB_BITS
    for k in range(limbs.size):
        kept = product[k + 1] >> np.uint64(shift)
        moved = product[k + 2] << np.uint64(LIMB_BITS - shift)
        out[k] = (kept | moved) & np.uint64(0xFFFFFFFF)
