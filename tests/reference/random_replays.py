"""Random replays for property tests: short, with flicker, transitions and gaps in existence."""

import dataclasses

import polars as pl
from hypothesis import strategies as st

from enact_assets.settings.predicates import STATE_PREDICATES
from enact_assets.settings.profile import PAPER
from enact_assets.settings.registry import Gating

from reference.builders import build_facts, build_objects

OBJECTS = build_objects(
    ("robot", "agent"),
    ("table", "table"),
    ("plate_1", "plate"),
    ("plate_2", "plate"),
    ("apple", "apple"),
    ("apple_2", "apple"),
    ("pear", "pear"),
    ("half_1", "half_apple", ["apple"]),
    ("half_2", "half_apple", ["apple"]),
    ("half_3", "half_apple", ["apple_2"]),
    ("salad", "salad", ["apple", "pear", "half_1"]),
    ("juice", "juice", ["apple", "apple_2"]),
)
CATEGORIES = dict(OBJECTS.select("object_name", "category").iter_rows())
PARENTS = dict(OBJECTS.select("object_name", "parents").iter_rows())

FACTS = (
    ("OnTop", "plate_1", "table"),
    ("OnTop", "plate_2", "table"),
    ("OnTop", "apple", "plate_1"),
    ("OnTop", "half_1", "plate_2"),
    ("OnTop", "half_2", "plate_2"),
    ("Inside", "salad", "plate_1"),
    ("RightGrasping", "robot", "plate_1"),
    ("LeftGrasping", "robot", "apple"),
    ("Open", "table", None),
    ("Cooked", "pear", None),
    ("Touching", "apple", "pear"),
)
EXISTENCE = tuple(("Exists", name, None) for name in CATEGORIES)


def intervals(n_frames: int, max_intervals: int = 6) -> st.SearchStrategy[list[tuple[int, int]]]:
    """Maximal half-open intervals in [0, n_frames)."""
    cuts = st.sets(st.integers(0, n_frames), max_size=2 * max_intervals).map(sorted)
    return cuts.map(lambda c: list(zip(c[::2], c[1::2], strict=False)))


@st.composite
def replays(draw: st.DrawFn) -> tuple[int, pl.DataFrame]:
    """(n_frames, facts); facts may outlive objects, which segmentation does not look at."""
    n_frames = draw(st.integers(1, 120))
    facts = [(*fact, draw(intervals(n_frames))) for fact in FACTS]
    lives = intervals(n_frames, 2) | st.just([(0, n_frames)])
    facts += [(*fact, draw(lives)) for fact in EXISTENCE]
    return n_frames, build_facts(*facts)


@st.composite
def gatings(draw: st.DrawFn) -> Gating:
    """Small constants, also such that pictures are taken after the persistence window."""
    profile = dataclasses.replace(
        PAPER,
        name="small",
        flicker_frames=draw(st.integers(0, 8)),
        settle_frames=draw(st.integers(0, 12)),
        persistence_frames=draw(st.integers(1, 12)),
        max_signature_similarity=draw(st.sampled_from([0.97, 0.75, 0.5])),
        similarity_of=draw(st.sampled_from(["changes", "states"])),
    )
    return Gating("small", profile, STATE_PREDICATES)
