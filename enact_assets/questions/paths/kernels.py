"""Numba kernels of trajectories: exact path counts of any size, and paths from their ranks.

A count is a little-endian row of *limbs*: 32-bit digits, each in a uint64, so that sums of up to
2^32 counts and products of two digits fit before the carry is taken. The number of limbs is fixed
for a graph by a bound on its counts; nothing ever overflows.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from enact_assets.engine.system.compiled import njit
from enact_assets.settings.arrays import Ints

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
def _fits(limbs: Limbs, row: int) -> bool:
    """Whether a row of ``limbs`` is below 2^64."""
    k = limbs.shape[1] - 1
    while k > 1 and limbs[row, k] == 0:
        k -= 1
    return bool(k <= 1)


@njit(cache=True)
def _low_64(limbs: Limbs, row: int) -> np.uint64:
    """A row of ``limbs`` modulo 2^64."""
    value = limbs[row, 0]
    if limbs.shape[1] > 1:
        value |= limbs[row, 1] << np.uint64(LIMB_BITS)
    return np.uint64(value)


@njit(cache=True)
def _step_back_64(
    graph: Graph, weights: Limbs, before: Limbs, node: int, rank: np.uint64
) -> tuple[int, np.uint64]:
    """What :func:`_step_back` does, where the shares of ``node`` add up to less than 2^64."""
    low, high = graph.block_offsets[node], graph.block_offsets[node + 1]
    first = low
    while high - low > 1:
        middle = (low + high) // 2
        if rank < _low_64(before, middle):
            high = middle
        else:
            low = middle
    rank -= _low_64(before, low)
    edge = graph.offsets[node] + (low - first) * graph.block_size
    share = _low_64(weights, graph.predecessors[edge])
    while rank >= share:
        rank -= share
        edge += 1
        share = _low_64(weights, graph.predecessors[edge])
    return int(graph.predecessors[edge]), rank


@njit(cache=True)
def unrank(graph: Graph, counts: Counts, length: int, ranks: Limbs) -> Ints:
    """Paths (n, length), ascending key frames, of ``ranks`` (n, limbs), each below the total.

    All rows take a step before any takes the next: what one step reads fits a processor's cache.
    """
    n = ranks.shape[0]
    paths = np.empty((n, length), np.int64)
    sink = graph.offsets.size - 2
    ranks = ranks.copy()
    for step in range(length, 0, -1):
        weights, before = counts.paths[step], counts.before[step]
        # The shares of a node add up to its own weight; that of the sink is the total.
        sums = counts.paths[step if step == length else step + 1]
        for row in range(n):
            node = sink if step == length else paths[row, step]
            if _fits(sums, node):
                node, rest = _step_back_64(graph, weights, before, node, _low_64(ranks, row))
                ranks[row, 0] = rest & np.uint64(0xFFFFFFFF)
                if ranks.shape[1] > 1:
                    ranks[row, 1] = rest >> np.uint64(LIMB_BITS)
            else:
                node = _step_back(graph, weights, before, node, ranks[row])
            paths[row, step - 1] = node
    return paths


@njit(cache=True)
def next_paths(graph: Graph, counts: Counts, length: int, first: Ints, n: int) -> Ints:
    """The path ``first`` (length,) and the n - 1 that follow it in rank: (n, length).

    Counts like an odometer: the earliest key frame turns first. There are n such paths.
    """
    paths = np.empty((n, length), np.int64)
    sink = graph.offsets.size - 2
    edges = np.empty(length, np.int64)
    for place in range(length):
        after = sink if place == length - 1 else first[place + 1]
        edges[place] = _edge_between(graph, first[place], after)
    path = first.copy()
    for row in range(n):
        paths[row] = path
        if row == n - 1:
            break
        place = 0
        while True:
            after = sink if place == length - 1 else path[place + 1]
            edge = _next_edge(graph, counts.paths[place + 1], after, edges[place] + 1)
            if edge >= 0:
                break
            place += 1
        while place >= 0:
            edges[place] = edge
            path[place] = graph.predecessors[edge]
            place -= 1
            if place >= 0:
                start = graph.offsets[path[place + 1]]
                edge = _next_edge(graph, counts.paths[place + 1], path[place + 1], start)
    return paths


@njit(cache=True)
def _next_edge(graph: Graph, weights: Limbs, node: int, start: int) -> int:
    """The first edge into ``node``, from number ``start``, with a share; -1 if there is none."""
    for edge in range(start, graph.offsets[node + 1]):
        for k in range(weights.shape[1]):
            if weights[graph.predecessors[edge], k] != 0:
                return int(edge)
    return -1


@njit(cache=True)
def _edge_between(graph: Graph, predecessor: int, node: int) -> int:
    """Number of the edge ``predecessor`` -> ``node``, -1 if there is none: bisection."""
    low, high = graph.offsets[node], graph.offsets[node + 1]
    while low < high:
        middle = (low + high) // 2
        if graph.predecessors[middle] < predecessor:
            low = middle + 1
        else:
            high = middle
    if low < graph.offsets[node + 1] and graph.predecessors[low] == predecessor:
        return int(low)
    return -1


@njit(cache=True)
def rank_paths(graph: Graph, counts: Counts, paths: Ints) -> tuple[Limbs, int]:
    """Ranks (n, limbs) of ``paths`` (n, length), and the first row that is no path, or -1.

    The rank is the sum of the shares passed over on the way back from the sink: blocks before the
    predecessor's own at once, then one by one. Ranks from that row on are not written.
    """
    n, length = paths.shape
    n_nodes = graph.offsets.size - 1
    ranks = np.zeros((n, counts.paths.shape[2]), np.uint64)
    for row in range(n):
        rank = ranks[row]
        node = n_nodes - 1
        for step in range(length, 0, -1):
            predecessor = paths[row, step - 1]
            found = -1
            if 0 <= predecessor < n_nodes - 1:
                found = _edge_between(graph, predecessor, node)
            if found < 0:
                return ranks, row
            in_node = (found - graph.offsets[node]) // graph.block_size
            block = graph.block_offsets[node] + in_node
            for k in range(rank.size):
                rank[k] += counts.before[step, block, k]
            for edge in range(graph.offsets[node] + in_node * graph.block_size, found):
                for k in range(rank.size):
                    rank[k] += counts.paths[step, graph.predecessors[edge], k]
            _carry(rank)
            node = predecessor
    return ranks, -1


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
