"""How many valid key-frame trajectories there are, exactly, and which one has which rank.

Trajectories of one length are ranked by their last key frame, ascending; among those with the same
last key frame by the one before it, ascending; and so on. Rank 0 is the first, total - 1 the last.
A rank is thus a stable name: any worker can turn any range of ranks into trajectories by itself.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import comb

import numpy as np
import polars as pl
from numpy.typing import NDArray

from enact_assets.engine.errors import TrajectoryError
from enact_assets.questions.paths import kernels
from enact_assets.questions.paths.kernels import LIMB_BITS, Counts, Graph, Limbs
from enact_assets.questions.paths.tables import PathCounts
from enact_assets.questions.paths.transition_graph import count_key_frames
from enact_assets.settings.arrays import Ints
from enact_assets.settings.profile import Profile

BLOCK_SIZE = 32
"""Predecessors per block of partial sums: balances memory against steps per unranking."""

STREAM_BLOCK = 65_536
"""Trajectories per part of an enumeration: 5 MB at ten key frames."""


@dataclass(frozen=True)
class CountedPaths:
    """Exact numbers of paths in a graph of key frames, for lengths 1 to ``max_length``."""

    graph: Graph
    counts: Counts
    max_length: int

    @classmethod
    def of(cls, n_key_frames: int, edges: Ints, max_length: int) -> "CountedPaths":
        """Count paths along ``edges`` (n, 2), from and to, each once and ascending.

        Errors: :class:`TrajectoryError` names the first edge that leaves the key frames, does not
        ascend or is there twice.
        """
        graph = _graph(n_key_frames, np.asarray(edges, np.int64).reshape(-1, 2))
        bound = max(comb(n_key_frames, length) for length in range(max_length + 1))
        n_limbs = -(-bound.bit_length() // LIMB_BITS)
        return cls(graph, kernels.count_paths(graph, max_length, n_limbs), max_length)

    @property
    def n_key_frames(self) -> int:
        """Number of key frames in the graph."""
        return int(self.graph.offsets.size) - 2

    def total(self, length: int) -> int:
        """Number of valid trajectories of ``length`` key frames."""
        return self.ending_at(length, self.n_key_frames)

    def ending_at(self, length: int, key_frame: int) -> int:
        """Number of valid trajectories of ``length`` key frames that end at ``key_frame``."""
        self._check_length(length)
        (found,) = _to_ints(self.counts.paths[length, key_frame : key_frame + 1])
        return found

    def ending(self, length: int) -> list[int]:
        """Number of valid trajectories of ``length`` key frames that end at each key frame."""
        self._check_length(length)
        return _to_ints(self.counts.paths[length, : self.n_key_frames])

    def predecessors(self, key_frame: int) -> list[int]:
        """Key frames from which an edge leads to ``key_frame``, ascending."""
        start, stop = self.graph.offsets[key_frame : key_frame + 2]
        found: list[int] = self.graph.predecessors[start:stop].tolist()
        return found

    def unrank(self, length: int, ranks: Sequence[int]) -> Ints:
        """Trajectories of the given ranks: (n, length), key frames ascending.

        Errors: :class:`TrajectoryError` for a rank outside [0, total).
        """
        total = self.total(length)
        outside = [rank for rank in ranks if not 0 <= rank < total]
        if outside:
            raise TrajectoryError(
                f"{len(outside)} of {len(ranks)} ranks have no trajectory of length {length}, "
                f"first {outside[0]}: there are {total}, ranked from 0. The ranks belong to "
                "another graph; count its paths again."
            )
        return kernels.unrank(self.graph, self.counts, length, self._to_limbs(ranks))

    def rank(self, length: int, trajectories: Ints) -> list[int]:
        """Ranks of ``trajectories`` (n, length), the inverse of :meth:`unrank`.

        Errors: :class:`TrajectoryError` for the first row that takes a step that is no edge.
        """
        self._check_length(length)
        paths = np.ascontiguousarray(trajectories, np.int64).reshape(-1, length)
        limbs, bad = kernels.rank_paths(self.graph, self.counts, paths)
        if bad >= 0:
            raise TrajectoryError(
                f"trajectory {bad} of {len(paths)}, {paths[bad].tolist()}, has no rank: it takes a "
                f"step that is no edge of these {self.n_key_frames} key frames. It belongs to "
                "another graph; sample again from this one."
            )
        return _to_ints(limbs)

    def enumerate(self, length: int, start: int = 0, stop: int | None = None) -> Ints:
        """All trajectories with ranks in [start, stop), by default every one: (n, length).

        Errors: as :meth:`stream`.
        """
        parts = list(self.stream(length, start, stop))
        return np.concatenate(parts) if parts else np.empty((0, length), np.int64)

    def stream(
        self, length: int, start: int = 0, stop: int | None = None, block: int = STREAM_BLOCK
    ) -> Iterator[Ints]:
        """Trajectories with ranks in [start, stop), by default every one, in parts.

        Each part is (n, length) with n = ``block``, the last one perhaps fewer; no more than one
        part is in memory. Workers that take [0, a), [a, b), [b, total) together give the whole.

        Errors: :class:`TrajectoryError`, at once, for a range that leaves [0, total].
        """
        total = self.total(length)
        stop = total if stop is None else stop
        if block < 1 or not 0 <= start <= stop <= total:
            raise TrajectoryError(
                f"ranks [{start}, {stop}) in parts of {block}: there are {total} trajectories of "
                f"length {length}, ranked from 0; expected 0 <= start <= stop <= {total} and parts "
                "of at least 1"
            )
        return self._parts(length, start, stop, block)

    def _parts(self, length: int, start: int, stop: int, block: int) -> Iterator[Ints]:
        for first in range(start, stop, block):
            n = min(block, stop - first)
            (path,) = self.unrank(length, [first])
            yield kernels.next_paths(self.graph, self.counts, length, path, n)

    def _to_limbs(self, ranks: Sequence[int]) -> Limbs:
        n_limbs = self.counts.paths.shape[2]
        size = 4 * n_limbs
        digits = b"".join([rank.to_bytes(size, "little") for rank in map(int, ranks)])
        return np.frombuffer(digits, "<u4").reshape(-1, n_limbs).astype(np.uint64)

    def backtrack_with_uniforms(self, length: int, uniforms: NDArray[np.float64]) -> Ints:
        """Sample with replacement by weighted backtracking: (n, length). Paper, algorithm 1.

        ``uniforms`` (n, length) are independent and uniform on [0, 1): column 0 picks the last key
        frame, the next ones the key frames before it. A double has 53 random bits, so beyond 2^53
        paths not every one can come up; ``sampling`` draws ranks instead and has no such limit.
        Without any trajectory of this length the result has no rows.

        Errors: :class:`TrajectoryError` for numbers outside [0, 1) or of the wrong shape.
        """
        uniforms = np.ascontiguousarray(uniforms, np.float64)
        total = self.total(length)
        if uniforms.ndim != 2 or uniforms.shape[1] != length:
            raise TrajectoryError(
                f"uniforms has shape {uniforms.shape}; a trajectory of {length} key frames takes "
                f"(n, {length}) numbers"
            )
        is_bad = ~((uniforms >= 0.0) & (uniforms < 1.0))
        if is_bad.any():
            raise TrajectoryError(
                f"{int(is_bad.sum())} of {uniforms.size} uniforms are not in [0, 1), first "
                f"{uniforms[is_bad][0]}"
            )
        if total == 0:
            return np.empty((0, length), np.int64)
        return kernels.backtrack(self.graph, self.counts, length, uniforms)

    def _check_length(self, length: int) -> None:
        if not 1 <= length <= self.max_length:
            raise TrajectoryError(
                f"paths were counted for lengths 1 to {self.max_length}, not {length}: count again "
                "with a larger max_length"
            )


def count_paths(
    segmented_frames: pl.DataFrame, transition_graph: pl.DataFrame, profile: Profile
) -> pl.DataFrame:
    """Exact path counts of one demonstration and gating -> path_counts.

    One row for every length of the profile and every key frame, zeros included; no key frames give
    no rows. Errors: :class:`TrajectoryError` if graph and key frames do not belong together.
    """
    contract = PathCounts
    counts = path_counts_of(segmented_frames, transition_graph, profile)
    if counts.n_key_frames == 0:
        return contract.empty()
    rows = pl.DataFrame(
        {
            "length": np.repeat(profile.lengths, counts.n_key_frames),
            "key_frame": np.tile(range(counts.n_key_frames), len(profile.lengths)),
            "n_paths": [str(n) for length in profile.lengths for n in counts.ending(length)],
        },
        schema_overrides={"length": pl.Int64, "key_frame": pl.Int64},
    )
    demonstration, gating = segmented_frames.select("demonstration", "gating").row(0)
    rows = rows.with_columns(demonstration=pl.lit(demonstration), gating=pl.lit(gating))
    return contract.arranged(rows, f"{demonstration}, {gating}")


def path_counts_of(
    segmented_frames: pl.DataFrame, transition_graph: pl.DataFrame, profile: Profile
) -> CountedPaths:
    """The counts of one demonstration and gating, with which trajectories can be ranked."""
    own = segmented_frames.select("demonstration", "gating").unique()
    foreign = transition_graph.join(own, on=["demonstration", "gating"], how="anti")
    if foreign.height:
        raise TrajectoryError(
            f"transition_graph: {foreign.height} of {transition_graph.height} edges are of another "
            f"partition than segmented_frames, first {foreign.row(0, named=True)}. Read the same "
            "partition of both."
        )
    edges = transition_graph.select("key_frame_from", "key_frame_to").to_numpy()
    return CountedPaths.of(count_key_frames(segmented_frames), edges, profile.max_length)


def _graph(n_key_frames: int, edges: Ints) -> Graph:
    edges = edges[np.lexsort((edges[:, 0], edges[:, 1]))]
    is_bad = (edges[:, 0] < 0) | (edges[:, 0] >= edges[:, 1]) | (edges[:, 1] >= n_key_frames)
    is_bad[1:] |= (edges[1:] == edges[:-1]).all(axis=1)
    if is_bad.any():
        first = edges[int(np.flatnonzero(is_bad)[0])].tolist()
        raise TrajectoryError(
            f"transition graph of {n_key_frames} key frames: {int(is_bad.sum())} of {len(edges)} "
            f"edges leave the key frames, do not ascend or are there twice, first {first}. "
            "Materialize transition_graph again."
        )
    n_predecessors = np.append(np.bincount(edges[:, 1], minlength=n_key_frames), n_key_frames)
    return Graph(
        offsets=np.append(0, np.cumsum(n_predecessors)).astype(np.int64),
        predecessors=np.append(edges[:, 0], np.arange(n_key_frames)).astype(np.int64),
        block_offsets=np.append(0, np.cumsum(-(-n_predecessors // BLOCK_SIZE))).astype(np.int64),
        block_size=BLOCK_SIZE,
    )


def _to_ints(limbs: Limbs) -> list[int]:
    """Rows of limbs (n, n_limbs) as integers."""
    digits, size = limbs.astype("<u4").tobytes(), 4 * limbs.shape[1]
    return [int.from_bytes(digits[at : at + size], "little") for at in range(0, len(digits), size)]
