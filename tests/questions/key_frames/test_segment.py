"""Key frames: smoothing, a demonstration worked out by hand, slow twins, and wrong input."""

import dataclasses

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from enact_assets.engine.errors import IntervalError, ReplayError
from enact_assets.pipeline.steps.profiles import SEGMENT
from enact_assets.questions.key_frames.landed import SegmentedTables
from enact_assets.questions.key_frames.segment import segment
from enact_assets.questions.key_frames.segment_kernels import Switches, smooth, states_at
from enact_assets.questions.key_frames.tables import SceneGraphs, SegmentedFrames
from enact_assets.settings.components import Component
from enact_assets.settings.predicates import CONTACT_PREDICATES, STATE_PREDICATES
from enact_assets.settings.profile import PAPER, RELEASE, Profile
from enact_assets.settings.registry import Gating

import reference.segmentation as twin
from reference.builders import (
    build_demonstrations,
    build_facts,
    build_later_parents,
    build_objects,
)
from reference.random_replays import OBJECTS, gatings, intervals, replays
from reference.segmentation import smooth_fact

STATE = Gating("state", PAPER, STATE_PREDICATES)
CONTACT = Gating("contact", PAPER, CONTACT_PREDICATES)

GOLDEN_OBJECTS = build_objects(
    ("robot", "agent"),
    ("table", "table"),
    ("fridge", "fridge"),
    ("knife", "carving_knife"),
    ("cup", "cup"),
    ("melon", "melon"),
    ("half_1", "half_melon", ["melon"]),
    ("half_2", "half_melon", ["melon"]),
)
GOLDEN_FACTS = build_facts(
    *(("Exists", name, None, [(0, 2000)]) for name in ("robot", "table", "fridge", "knife", "cup")),
    ("Exists", "melon", None, [(0, 1000)]),
    ("Exists", "half_1", None, [(1000, 2000)]),
    ("Exists", "half_2", None, [(1000, 2000)]),
    # Grasped at 200, off the table a little later; a pulse of 6 frames is flicker.
    ("RightGrasping", "robot", "cup", [(200, 500)]),
    ("OnTop", "cup", "table", [(0, 205), (300, 306)]),
    ("Inside", "cup", "fridge", [(480, 2000)]),
    # Open at the very start (gone before frame 20), for 30 frames (too short to persist), for long
    # with a gap of 9 frames, and again just in time to be seen to persist for 40 frames.
    ("Open", "fridge", None, [(0, 5), (400, 430), (600, 700), (709, 800), (1960, 2000)]),
    # A gap of 10 frames is no flicker, but too short to persist.
    ("ToggledOn", "fridge", None, [(1300, 1350), (1360, 1600), (1961, 2000)]),
    ("LeftGrasping", "robot", "knife", [(900, 1200)]),
    ("OnTop", "knife", "table", [(0, 903), (1195, 2000)]),
    ("OnTop", "melon", "table", [(0, 1000)]),
    ("OnTop", "half_1", "table", [(1000, 2000)]),
    ("OnTop", "half_2", "table", [(1015, 2000)]),
    # Never seen without contact gating.
    ("Touching", "cup", "knife", [(100, 150)]),
)
GOLDEN_KEY_FRAMES = [
    (20, None, []),
    (220, 200, ["+RightGrasping(robot, cup)", "-OnTop(cup, table)"]),
    (500, 480, ["+Inside(cup, fridge)", "-RightGrasping(robot, cup)"]),
    (620, 600, ["+Open(fridge)"]),
    (820, 800, ["-Open(fridge)"]),
    (920, 900, ["+LeftGrasping(robot, knife)", "-OnTop(knife, table)"]),
    (
        1020,
        1000,
        [
            "+OnTop(half_1, table)",
            "+OnTop(half_2, table)",
            "-OnTop(melon, table)",
            "~Transition(melon, half_1)",
            "~Transition(melon, half_2)",
        ],
    ),
    (1215, 1195, ["+OnTop(knife, table)", "-LeftGrasping(robot, knife)"]),
    (1320, 1300, ["+ToggledOn(fridge)"]),
    (1620, 1600, ["-ToggledOn(fridge)"]),
    (1980, 1960, ["+Open(fridge)", "+ToggledOn(fridge)"]),
]


def test_the_golden_demonstration_has_the_key_frames_worked_out_by_hand() -> None:
    """Meaning, not agreement: each rule of the definition decides one of these frames."""
    found = segment(build_demonstrations(2000), GOLDEN_FACTS, GOLDEN_OBJECTS, STATE)
    rows = found.segmented_frames.select("frame", "change_frame", "changes").rows()
    assert rows == GOLDEN_KEY_FRAMES
    assert found.segmented_frames["similarity"].to_list() == [None, None] + [0.0] * 9


def test_the_golden_scene_graph_after_slicing_is_the_one_worked_out_by_hand() -> None:
    """Facts of gone objects, smoothed pulses or other predicates must not stay in a graph."""
    found = segment(build_demonstrations(2000), GOLDEN_FACTS, GOLDEN_OBJECTS, STATE)
    graph = found.scene_graphs.filter(pl.col("key_frame") == 6)
    exists = {"robot", "table", "fridge", "knife", "cup", "half_1", "half_2"}
    assert set(graph.select("predicate", "subject", "object").rows()) == {
        *(("Exists", name, None) for name in exists),
        ("Inside", "cup", "fridge"),
        ("LeftGrasping", "robot", "knife"),
        ("OnTop", "half_1", "table"),
        ("OnTop", "half_2", "table"),
    }


def test_contact_gating_adds_the_touch_that_state_gating_does_not_see() -> None:
    """With the wrong predicates contact gating would silently equal the baseline."""
    found = segment(build_demonstrations(2000), GOLDEN_FACTS, GOLDEN_OBJECTS, CONTACT)
    first = found.segmented_frames.row(1, named=True)
    assert (first["frame"], first["changes"]) == (120, ["+Touching(cup, knife)"])
    assert found.segmented_frames.height == len(GOLDEN_KEY_FRAMES) + 2


def test_parents_named_as_recordings_do_make_the_same_key_frames() -> None:
    """A recording may name the category it came from, name nothing known, or say nothing."""
    parents = pl.col("parents")
    recorded = GOLDEN_OBJECTS.with_columns(
        category=pl.col("category").replace("melon", "fruit"),
        parents=pl.when(parents.list.len() > 0).then(pl.lit(["fruit", "nobody"])),
    )
    assert recorded["parents"].null_count() == 6
    found = segment(build_demonstrations(2000), GOLDEN_FACTS, recorded, STATE)
    rows = found.segmented_frames.select("frame", "change_frame", "changes").rows()
    assert rows == GOLDEN_KEY_FRAMES


@given(replays(), gatings())
def test_segmentation_agrees_with_its_twin(
    replay: tuple[int, pl.DataFrame], gating: Gating
) -> None:
    """Only frames with a switch are tried; the twin tries every frame, fact by fact."""
    n_frames, facts = replay
    found = segment(build_demonstrations(n_frames), facts, OBJECTS, gating)
    expected = twin.segment(n_frames, facts, OBJECTS, gating)
    rows = found.segmented_frames.select("frame", "change_frame", "similarity", "changes").rows()
    assert rows == [(k.frame, k.change_frame, k.similarity, k.changes) for k in expected]
    for k, key_frame in enumerate(expected):
        graph = found.scene_graphs.filter(pl.col("key_frame") == k)
        assert set(graph.select("predicate", "subject", "object").rows()) == key_frame.graph


later_parents = st.lists(
    st.tuples(
        st.sampled_from(["half_1", "salad", "juice"]),
        st.integers(1, 110),
        st.sampled_from([["apple"], ["apple", "pear"], ["apple_2", "pear"], []]),
    ),
    max_size=5,
    unique_by=lambda row: row[:2],
)


@given(replays(), gatings(), later_parents)
def test_segmentation_agrees_with_its_twin_where_parents_change(
    replay: tuple[int, pl.DataFrame], gating: Gating, later: list[tuple[str, int, list[str]]]
) -> None:
    """The twin asks at every frame which parents each child had when it appeared."""
    n_frames, facts = replay
    found = segment(
        build_demonstrations(n_frames), facts, OBJECTS, gating, build_later_parents(*later)
    )
    expected = twin.segment(n_frames, facts, OBJECTS, gating, later)
    rows = found.segmented_frames.select("frame", "change_frame", "similarity", "changes").rows()
    assert rows == [(k.frame, k.change_frame, k.similarity, k.changes) for k in expected]


def test_a_substance_made_twice_comes_from_other_objects_each_time() -> None:
    """With the first parents for good, the second time it would come from nothing."""
    facts = build_facts(
        # What it came from the first time is there again, and goes with what it comes from now.
        ("Exists", "tomato_7", None, [(0, 100), (220, 400)]),
        ("Exists", "tomato_6", None, [(0, 400)]),
        ("Exists", "diced", None, [(100, 200), (400, 600)]),
        ("Exists", "fridge", None, [(0, 600)]),
        ("ToggledOn", "fridge", None, [(0, 600)]),
        ("Open", "fridge", None, [(250, 600)]),
        ("Frozen", "tomato_6", None, [(0, 400)]),
    )
    objects = build_objects(
        ("tomato_6", "tomato"),
        ("tomato_7", "tomato"),
        ("fridge", "fridge"),
        ("diced", "System", ["tomato_7"]),
    )
    # Other parents while it is there do not change what it came from.
    later = build_later_parents(
        ("diced", 150, []), ("diced", 400, ["tomato_6"]), ("diced", 500, [])
    )
    for profile, frames in ((PAPER, [20, 120, 270, 420]), (RELEASE, [59, 270, 481])):
        gating = Gating(profile.name, profile, STATE_PREDICATES)
        rules = SEGMENT.of(profile)
        recorded = build_demonstrations(600), facts, objects
        found = rules(*recorded, gating, later).segmented_frames
        assert found["frame"].to_list() == frames
        assert found["changes"][-1].to_list() == ["~Transition(tomato_6, diced)"]
        first = rules(*recorded, gating, None).segmented_frames
        assert "~Transition(tomato_6, diced)" not in first["changes"].explode()


@given(replays(), gatings())
def test_recorded_changes_hold_the_signature_when_pictures_fall_in_the_persistence_window(
    replay: tuple[int, pl.DataFrame], gating: Gating
) -> None:
    """Then a key frame always shows the change it was made for, and no signature comes twice."""
    profile = dataclasses.replace(
        gating.profile,
        persistence_frames=gating.profile.settle_frames + 1,
        similarity_of="changes",
    )
    gating = dataclasses.replace(gating, profile=profile)
    n_frames, facts = replay
    found = segment(build_demonstrations(n_frames), facts, OBJECTS, gating).segmented_frames
    assert all(found["changes"].to_list()[1:])
    assert set(found["similarity"].drop_nulls()) <= {0.0}
    for text in found["changes"].explode(empty_as_null=False):
        assert str(Component.parse(text)) == text


def test_a_change_like_the_last_accepted_one_is_passed_over() -> None:
    """Pictures after the window let a change be undone and repeated: the case the cosine is for."""
    profile = dataclasses.replace(PAPER, settle_frames=60, persistence_frames=20)
    gating = Gating("late", profile, STATE_PREDICATES)
    facts = build_facts(
        ("Exists", "fridge", None, [(0, 500)]),
        ("Open", "fridge", None, [(100, 130), (200, 230)]),
        ("ToggledOn", "fridge", None, [(210, 400)]),
    )
    objects = build_objects(("fridge", "fridge"))
    found = segment(build_demonstrations(500), facts, objects, gating).segmented_frames
    assert found.select("frame", "change_frame", "changes").rows() == [
        (60, None, []),
        (160, 100, []),
        # +Open at 200 repeats the last signature (cosine 1); at 210 it is half of another one.
        (270, 210, ["+ToggledOn(fridge)"]),
        (460, 400, ["-ToggledOn(fridge)"]),
    ]
    assert found["similarity"].to_list() == [None, None, 1 / 2**0.5, 0.0]
    # A similarity equal to the threshold is not below it.
    profile = dataclasses.replace(profile, max_signature_similarity=1 / 2**0.5)
    strict = segment(
        build_demonstrations(500), facts, objects, dataclasses.replace(gating, profile=profile)
    ).segmented_frames
    assert strict["change_frame"].to_list() == [None, 100, 230, 400]


@pytest.mark.parametrize(
    ("melon", "half", "expected"),
    [
        ([(0, 100)], [(100, 300)], [20, 120]),
        # Children, or the parent, are gone or back before the change has persisted.
        ([(0, 100)], [(100, 139)], [20]),
        ([(0, 100)], [(100, 140)], [20, 120]),
        ([(0, 100), (139, 300)], [(100, 300)], [20]),
        ([(0, 100), (140, 300)], [(100, 300)], [20, 120]),
        # Without a transition, to appear or to disappear is no change.
        ([(0, 300)], [(100, 300)], [20]),
        ([(0, 100)], [], [20]),
    ],
)
def test_a_transition_counts_if_both_its_sides_persist(
    melon: list[tuple[int, int]], half: list[tuple[int, int]], expected: list[int]
) -> None:
    """No other fact changes here, so existence alone decides."""
    facts = build_facts(("Exists", "melon", None, melon), ("Exists", "half", None, half))
    objects = build_objects(("melon", "melon"), ("half", "half_melon", ["melon"]))
    found = segment(build_demonstrations(300), facts, objects, STATE).segmented_frames
    assert found["frame"].to_list() == expected


@pytest.mark.parametrize("n_frames", [1, 20])
def test_a_replay_that_ends_before_it_settles_gives_empty_tables(n_frames: int) -> None:
    """Too short is a finding, not an error: downstream stages see tables without rows."""
    facts = build_facts(("Exists", "fridge", None, [(0, n_frames)]))
    objects = build_objects(("fridge", "fridge"))
    found = segment(build_demonstrations(n_frames), facts, objects, STATE)
    assert found.segmented_frames.equals(SegmentedFrames.empty())
    assert found.scene_graphs.equals(SceneGraphs.empty())


ANY_RULES = pytest.mark.parametrize("profile", [PAPER, RELEASE], ids=["paper", "release"])
"""Both ways to find key frames."""


def segmented(profile: Profile, *replay: pl.DataFrame) -> SegmentedTables:
    gating = Gating(profile.name, profile, STATE_PREDICATES)
    return SEGMENT.of(profile)(*replay, gating, None)


@ANY_RULES
def test_a_replay_without_facts_has_one_key_frame_and_no_graph(profile: Profile) -> None:
    """Nothing ever changes: the first key frame stands alone."""
    found = segmented(profile, build_demonstrations(300), build_facts(), build_objects())
    assert found.segmented_frames["frame"].to_list() == [20 if profile is PAPER else 59]
    assert found.scene_graphs.height == 0


@ANY_RULES
def test_the_order_of_rows_does_not_matter(profile: Profile) -> None:
    """Parquet files written by other tools come in any order."""
    replay = build_demonstrations(2000), GOLDEN_FACTS, GOLDEN_OBJECTS
    expected, found = (segmented(profile, *r) for r in (replay, [t.reverse() for t in replay]))
    assert found.segmented_frames.equals(expected.segmented_frames)
    assert found.scene_graphs.equals(expected.scene_graphs)


@ANY_RULES
@pytest.mark.parametrize(
    "intervals", [[(5, 5)], [(-1, 5)], [(90, 101)], [(0, 50), (50, 60)], [(0, 50), (40, 60)]]
)
def test_intervals_that_contradict_each_other_are_refused(
    profile: Profile, intervals: list[tuple[int, int]]
) -> None:
    """The kernels toggle at every bound and would count such facts the wrong way round."""
    facts = build_facts(("Open", "fridge", None, intervals))
    with pytest.raises(IntervalError, match=r"try-0.*1 of \d.*Open\(fridge, None\).*check_replay"):
        segmented(profile, build_demonstrations(100), facts, build_objects())


@ANY_RULES
def test_two_demonstrations_at_once_are_refused(profile: Profile) -> None:
    """Their frames would be mixed into one replay."""
    both = pl.concat([build_demonstrations(99), build_demonstrations(99, "other-0")])
    with pytest.raises(ReplayError, match="one demonstration at a time, was given 2"):
        segmented(profile, both, build_facts(), build_objects())
    foreign = build_facts(("Open", "fridge", None, [(0, 5)]), demonstration="other-0")
    with pytest.raises(ReplayError, match="1 of 1 rows of facts belong to another"):
        segmented(profile, build_demonstrations(99), foreign, build_objects())


def smoothed(
    values: list[tuple[int, int]], n_frames: int, flicker_frames: int, only_gaps: bool = False
) -> list[bool]:
    """One fact given by its intervals, smoothed by the kernel, frame by frame."""
    frames = np.array(values, np.int64).reshape(-1)
    switches = Switches(np.array([0, frames.size]), frames)
    result = smooth(switches, np.array([only_gaps]), n_frames, flicker_frames)
    return states_at(result, np.arange(n_frames))[:, 0].tolist()


def dense(values: list[tuple[int, int]], n_frames: int) -> list[bool]:
    return [any(a <= frame < b for a, b in values) for frame in range(n_frames)]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ([(20, 29)], []),
        ([(20, 30)], [(20, 30)]),
        ([(0, 40), (49, 100)], [(0, 100)]),
        ([(0, 40), (50, 100)], [(0, 40), (50, 100)]),
        ([(0, 5), (60, 100)], [(0, 5), (60, 100)]),
        ([(10, 40), (95, 100)], [(10, 40), (95, 100)]),
        # The pulse of 3 goes first; the gap around it is then 19 long and stays.
        ([(0, 30), (38, 41), (49, 100)], [(0, 30), (49, 100)]),
        # Of two runs of 4 the left one goes first and takes the other with it.
        ([(30, 34), (38, 60)], [(38, 60)]),
        ([(30, 50), (54, 58)], [(30, 58)]),
    ],
)
def test_runs_shorter_than_ten_frames_are_flipped_and_runs_at_the_ends_are_kept(
    before: list[tuple[int, int]], after: list[tuple[int, int]]
) -> None:
    """Off by one here, and a flicker of a contact becomes a key frame."""
    assert smoothed(before, 100, 10) == dense(after, 100)


def test_existence_has_its_gaps_filled_but_no_short_life_removed() -> None:
    """A half that is diced at once would vanish from the chain of transitions."""
    before = [(10, 13), (30, 60), (69, 90), (100, 110)]
    after = [(10, 13), (30, 90), (100, 110)]
    assert smoothed(before, 120, 10, only_gaps=True) == dense(after, 120)


@given(st.data(), st.integers(1, 80), st.integers(0, 12), st.booleans())
def test_smoothing_agrees_with_its_twin(
    data: st.DataObject, n_frames: int, flicker_frames: int, only_gaps: bool
) -> None:
    """One sweep per run length must equal flipping one run at a time."""
    values = data.draw(intervals(n_frames, 12))
    expected = smooth_fact(dense(values, n_frames), flicker_frames, only_gaps)
    assert smoothed(values, n_frames, flicker_frames, only_gaps) == expected
