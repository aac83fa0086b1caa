"""Uniform samples of valid key-frame trajectories, without replacement.

The paper (A.2.2) samples with replacement; drawing distinct ranks gives every set of trajectories
of the asked size the same chance, needs no retries, and reaches totals of any size.
"""

import random

import polars as pl

from enact_assets.contracts.ids import seed_from, short_id
from enact_assets.contracts.profile import Profile
from enact_assets.contracts.tables import table
from enact_assets.trajectories.counting import path_counts_of


def draw_ranks(total: int, n: int, seed: int) -> list[int]:
    """A uniform sample of ``n`` distinct integers of [0, total), ascending; all if fewer exist.

    Every subset of size n has the same chance, for totals of any size: Floyd's algorithm, in
    Python integers. Source: Bentley and Floyd, A sample of brilliance, CACM 30(9), 1987.
    """
    if n >= total:
        return list(range(total))
    generator = random.Random(seed)  # noqa: S311 - sampling, not secrecy
    drawn: set[int] = set()
    for largest in range(total - n, total):
        candidate = _below(largest + 1, generator)
        drawn.add(largest if candidate in drawn else candidate)
    return sorted(drawn)


def _below(bound: int, generator: random.Random) -> int:
    """A uniform integer of [0, bound): rejection on raw bits, the same in every Python version."""
    n_bits = bound.bit_length()
    while True:
        value = generator.getrandbits(n_bits)
        if value < bound:
            return value


def sample_trajectories(
    segmented_frames: pl.DataFrame,
    transition_graph: pl.DataFrame,
    profile: Profile,
    n_per_length: int,
    seed: int,
) -> pl.DataFrame:
    """Up to ``n_per_length`` distinct trajectories of each length -> trajectories.

    Uniform over all valid trajectories of one demonstration, gating and length. The draw depends on
    (seed, demonstration, gating, length) only. ``trajectory_id`` is made of the demonstration and
    the recorded frames, whatever gating, seed or rank found them. A length without trajectories has
    no rows.

    Errors: :class:`TrajectoryError` if graph and key frames do not belong together.
    """
    contract = table("trajectories")
    counts = path_counts_of(segmented_frames, transition_graph, profile)
    if counts.n_key_frames == 0:
        return contract.empty()
    demonstration, gating = segmented_frames.select("demonstration", "gating").row(0)
    frame_of = segmented_frames.sort("key_frame")["frame"].to_numpy()
    parts = [contract.empty()]
    for length in profile.lengths:
        length_seed = seed_from("trajectories", seed, demonstration, gating, length)
        ranks = draw_ranks(counts.total(length), n_per_length, length_seed)
        key_frames = counts.unrank(length, ranks)
        frames = frame_of[key_frames].tolist()
        rows = {
            "demonstration": [demonstration] * len(ranks),
            "gating": [gating] * len(ranks),
            "trajectory_id": [short_id("trajectory", demonstration, found) for found in frames],
            "length": [length] * len(ranks),
            "rank": [str(rank) for rank in ranks],
            "key_frames": key_frames.tolist(),
            "frames": frames,
        }
        parts.append(pl.DataFrame(rows, schema=contract.schema))
    return contract.check(pl.concat(parts), f"{demonstration}, {gating}")
