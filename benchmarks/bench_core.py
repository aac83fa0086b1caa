"""Speed of segmentation, path counting and sampling on generated input.

Run: python benchmarks/bench_core.py. The first call of the kernels is timed apart: it compiles
them, or loads them from the cache of numba; an empty NUMBA_CACHE_DIR shows the former.
"""

import time
from collections.abc import Callable

import numpy as np
import polars as pl

from enact_assets.demonstrations.pictures.tables import Visibility
from enact_assets.demonstrations.replay.tables import Demonstrations, Facts, Objects
from enact_assets.demonstrations.replay.validation import check_replay
from enact_assets.questions.key_frames.deltas import DeltaIndex
from enact_assets.questions.key_frames.segment import segment
from enact_assets.questions.key_frames.tables import SceneGraphs
from enact_assets.questions.paths.counting import CountedPaths
from enact_assets.questions.paths.sampling import draw_ranks
from enact_assets.settings.predicates import CONTACT_PREDICATES, EXISTS
from enact_assets.settings.profile import PAPER
from enact_assets.settings.registry import Gating

N_FRAMES = 20_000
N_OBJECTS = 40
N_FACTS = 300
N_KEY_FRAMES = 2_000
LENGTH = 10
N_DRAWS = 100_000


def generate_replay(seed: int) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    """Demonstrations, facts and objects of one replay: lasting changes with flicker around them."""
    generator = np.random.default_rng(seed)
    names = [f"object_{k}" for k in range(N_OBJECTS)]
    demonstrations = Demonstrations.build(
        [
            {
                "demonstration": "bench-0",
                "source": "embedded",
                "activity": "bench",
                "seed": seed,
                "n_frames": N_FRAMES,
                "frame_rate_hz": 30.0,
                "world_sha": "none",
                "frame_id_runs": [0, 0],
            }
        ]
    )
    objects = Objects.build(
        [
            {
                "demonstration": "bench-0",
                "object_name": name,
                "category": f"kind_{k // 2}",
                "parents": [],
                "is_particle_system": False,
            }
            for k, name in enumerate(names)
        ]
    )
    rows: list[tuple[str, str, str | None, int, int]] = [
        (EXISTS, name, None, 0, N_FRAMES) for name in names
    ]
    pairs = [(a, b) for a in names for b in names if a < b]
    binary = [p for p in CONTACT_PREDICATES if p not in ("Open", "ToggledOn", "Cooked")]
    for k in range(N_FACTS):
        subject, other = pairs[generator.integers(len(pairs))] if k % 4 else (names[k % 40], None)
        predicate = binary[k % len(binary)] if other else ("Open", "ToggledOn")[k % 8 // 4]
        lasting = np.sort(generator.choice(N_FRAMES, size=2, replace=False))
        flicker = lasting[0] + 12 + np.cumsum(generator.integers(2, 9, size=8))
        cuts = np.unique(np.concatenate([lasting, flicker[flicker < lasting[1]]]))
        cuts = cuts[: 2 * (cuts.size // 2)]
        rows += [(predicate, subject, other, int(a), int(b)) for a, b in cuts.reshape(-1, 2)]
    facts = pl.DataFrame([("bench-0", *row) for row in rows], schema=Facts.schema(), orient="row")
    facts = facts.unique(["predicate", "subject", "object", "frame_from"], maintain_order=True)
    ends = facts.sort("frame_from").with_columns(
        before=pl.col("frame_to").cum_max().shift(1).over("predicate", "subject", "object")
    )
    facts = ends.filter(pl.col("before").is_null() | (pl.col("frame_from") > pl.col("before")))
    return demonstrations, Facts.check(facts.drop("before")), objects


def generate_index(seed: int) -> DeltaIndex:
    """An index over 2,000 key frames in which a few of 300 facts change from one to the next."""
    generator = np.random.default_rng(seed)
    _, facts, objects = generate_replay(seed)
    names = facts.select("predicate", "subject", "object").unique(maintain_order=True)
    is_switch = generator.random((N_KEY_FRAMES, names.height)) < 2.0 / names.height
    holds = np.logical_xor.accumulate(is_switch, axis=0) | (names["predicate"] == EXISTS).to_numpy()
    key_frame, fact = np.nonzero(holds)
    of = [pl.lit("bench-0").alias("demonstration"), pl.lit("contact").alias("gating")]
    scene_graphs = names[fact].with_columns(*of, key_frame=pl.Series(key_frame))
    visibility = pl.DataFrame({"key_frame": np.arange(N_KEY_FRAMES)}).join(
        objects.select("object_name"), how="cross"
    )
    box = ["x_min_px", "y_min_px", "x_max_px", "y_max_px", "pixels", "frame"]
    visibility = visibility.with_columns(
        *of, *(pl.lit(0, pl.Int64).alias(name) for name in box), fraction=pl.lit(0.01)
    )
    return DeltaIndex.from_tables(
        SceneGraphs.check(scene_graphs),
        Visibility.check(visibility),
        objects,
        PAPER,
    )


def sparse_edges(n_key_frames: int, reach: int) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
    """Edges from every key frame to the next ``reach`` ones."""
    i, j = np.triu_indices(n_key_frames, k=1)
    pairs = np.stack([i, j], axis=1).astype(np.int64)
    return pairs[j - i <= reach]


def seconds(run: Callable[[], object]) -> float:
    """Wall time of one call."""
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def main() -> None:
    """Print one line per measurement."""
    replay = generate_replay(0)
    gating = Gating("contact", PAPER, CONTACT_PREDICATES)
    small = sparse_edges(20, 20)
    first = seconds(lambda: segment(*replay, gating))
    print(f"{1e3 * first:10.1f} ms  first segmentation (kernels compiled or loaded)")
    first = seconds(lambda: CountedPaths.of(20, small, 3).unrank(3, [0]))
    print(f"{1e3 * first:10.1f} ms  first counting and unranking (kernels compiled or loaded)")
    found = segment(*replay, gating).segmented_frames.height
    index = generate_index(1)
    dense, sparse = sparse_edges(N_KEY_FRAMES, N_KEY_FRAMES), sparse_edges(N_KEY_FRAMES, 50)
    dense_counts = CountedPaths.of(N_KEY_FRAMES, dense, LENGTH)
    sparse_counts = CountedPaths.of(N_KEY_FRAMES, sparse, LENGTH)
    totals = dense_counts.total(LENGTH), sparse_counts.total(LENGTH)
    lines: list[tuple[str, Callable[[], object], int]] = [
        (f"check a replay, {replay[1].height} intervals", lambda: check_replay(*replay), 20),
        (
            f"segment {N_FRAMES} frames, {found} key frames, from tables to tables",
            lambda: segment(*replay, gating),
            20,
        ),
        (f"visible changes of all pairs of {index.n_key_frames} key frames", index.edges, 2),
        (
            f"count paths, {len(dense)} edges, L = {LENGTH}, total {totals[0]:.1e}",
            lambda: CountedPaths.of(N_KEY_FRAMES, dense, LENGTH),
            2,
        ),
        (
            f"count paths, {len(sparse)} edges, L = {LENGTH}, total {totals[1]:.1e}",
            lambda: CountedPaths.of(N_KEY_FRAMES, sparse, LENGTH),
            2,
        ),
        (f"draw {N_DRAWS} distinct ranks", lambda: draw_ranks(totals[0], N_DRAWS, 0), 2),
        (
            f"draw and unrank {N_DRAWS} trajectories, {len(dense)} edges",
            lambda: dense_counts.unrank(LENGTH, draw_ranks(totals[0], N_DRAWS, 0)),
            2,
        ),
        (
            f"draw and unrank {N_DRAWS} trajectories, {len(sparse)} edges",
            lambda: sparse_counts.unrank(LENGTH, draw_ranks(totals[1], N_DRAWS, 0)),
            2,
        ),
    ]
    for name, run, repeats in lines:
        best = min(seconds(run) for _ in range(repeats))
        print(f"{1e3 * best:10.1f} ms  {name}")


if __name__ == "__main__":
    main()
