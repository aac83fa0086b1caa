"""Uniform samples of valid key-frame trajectories, without replacement.

The paper (A.2.2) samples with replacement; drawing distinct ranks gives every set of trajectories
of the asked size the same chance, needs no retries, and reaches totals of any size.
"""

import random
from typing import Any

import numpy as np
import polars as pl

from enact_assets.engine.ids import seed_from, short_id
from enact_assets.questions.key_frames.component_index import ComponentIndex
from enact_assets.questions.paths.counting import path_counts_of
from enact_assets.questions.paths.release_draws import draws_of, release_index
from enact_assets.questions.paths.tables import Trajectories
from enact_assets.settings.arrays import Ints
from enact_assets.settings.profile import Profile


def draw_ranks(total: int, n: int, seed: int) -> list[int]:
    """A uniform sample of ``n`` distinct integers of [0, total), ascending; all if fewer exist.

    Every subset of size n has the same chance, for totals of any size: Floyd's algorithm, in
    Python integers. Source: Bentley and Floyd, A sample of brilliance, CACM 30(9), 1987.
    """
    if n >= total:
        return list(range(total))
    getrandbits = random.Random(seed).getrandbits  # noqa: S311 - sampling, not secrecy
    drawn: set[int] = set()
    first = total - n
    while first < total:
        # As long as the bound has so many bits; rejection on raw bits gives the same draws in
        # every Python version.
        n_bits = (first + 1).bit_length()
        end = min(total, (1 << n_bits) - 1)
        for largest in range(first, end):
            candidate = getrandbits(n_bits)
            while candidate > largest:
                candidate = getrandbits(n_bits)
            drawn.add(largest if candidate in drawn else candidate)
        first = end
    return sorted(drawn)


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
    contract = Trajectories
    counts = path_counts_of(segmented_frames, transition_graph, profile)
    if counts.n_key_frames == 0:
        return contract.empty()
    ordered = segmented_frames.sort("key_frame")
    demonstration, gating = ordered.select("demonstration", "gating").row(0)
    rows = []
    for length in profile.lengths:
        length_seed = seed_from("trajectories", seed, demonstration, gating, length)
        ranks = draw_ranks(counts.total(length), n_per_length, length_seed)
        rows += _rows(ordered, counts.unrank(length, ranks), ranks)
    return contract.build(rows)


def release_trajectories(
    segmented_frames: pl.DataFrame,
    transition_graph: pl.DataFrame,
    index: ComponentIndex | None,
    profile: Profile,
    n_per_length: int,
) -> pl.DataFrame:
    """The trajectories of which the public release makes questions -> trajectories.

    ``index`` is that of the same tables. No seed changes what the release draws. There are no
    trajectories if the release fails on a change (``why_no_questions`` says which).

    Errors: :class:`TrajectoryError` if the tables do not belong together, or ``index`` is of
    another profile.
    """
    index = release_index(index, profile)
    counts, found = draws_of(segmented_frames, transition_graph, index, n_per_length, profile)
    ordered = segmented_frames.sort("key_frame")
    rows = []
    for drawn in found:
        key_frames = np.array(drawn.paths)
        rows += _rows(ordered, key_frames, counts.rank(drawn.length, key_frames))
    return Trajectories.build(rows)


def _rows(
    segmented_frames: pl.DataFrame, key_frames: Ints, ranks: list[int]
) -> list[dict[str, Any]]:
    """Rows of ``trajectories`` for ``key_frames`` (n, length) of ``segmented_frames`` in order."""
    demonstration, gating = segmented_frames.select("demonstration", "gating").row(0)
    frames = segmented_frames["frame"].to_numpy()[key_frames].tolist()
    return [
        {
            "demonstration": demonstration,
            "gating": gating,
            "trajectory_id": short_id("trajectory", demonstration, of_path),
            "length": len(path),
            "rank": str(rank),
            "key_frames": path,
            "frames": of_path,
        }
        for path, of_path, rank in zip(key_frames.tolist(), frames, ranks, strict=True)
    ]
