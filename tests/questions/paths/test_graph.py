"""Transition graph: edges against the twin of visible changes, and the objects that each one edits.

What makes a step hard to tell: each ambiguity where it is, and nowhere else."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from enact_assets.engine.errors import TrajectoryError
from enact_assets.questions.key_frames.deltas import DeltaIndex
from enact_assets.questions.key_frames.landed import SegmentedTables
from enact_assets.questions.key_frames.release_deltas import ReleaseDeltaIndex
from enact_assets.questions.key_frames.tables import SegmentedFrames
from enact_assets.questions.paths.ambiguous import (
    KeyFrames,
    find_ambiguous_changes,
    find_edges,
)
from enact_assets.questions.paths.tables import AmbiguousChanges, EditedObjects, TransitionGraph
from enact_assets.questions.paths.transition_graph import (
    build_transition_graph,
    measure_edited_objects,
)
from enact_assets.settings.ambiguities import AMBIGUITIES
from enact_assets.settings.predicates import STATE_PREDICATES
from enact_assets.settings.profile import PAPER, RELEASE
from enact_assets.settings.registry import Gating

import reference.deltas as twin
from reference.builders import (
    DEMONSTRATION,
    GATING,
    build_objects,
    build_scene_graphs,
    build_segmented_frames,
    build_visibility,
)

OBJECTS = build_objects(*((name, name) for name in ("fridge", "oven", "lamp", "tap", "lid", "car")))
NAMES = OBJECTS["object_name"].to_list()
CATEGORIES = {name: name for name in NAMES}
PARENTS: dict[str, list[str]] = {name: [] for name in NAMES}
EXISTENCE = {("Exists", name, None) for name in NAMES}
STATES = [(predicate, name, None) for name in NAMES for predicate in ("Open", "ToggledOn")]


def index_of(
    graphs: list[set[tuple[str, str, None]]], seen: list[dict[str, float]], n_key_frames: int
) -> DeltaIndex:
    tables = build_scene_graphs(graphs), build_visibility(seen), OBJECTS
    return DeltaIndex.from_tables(*tables, PAPER, n_key_frames)


@given(
    st.lists(
        st.tuples(st.sets(st.sampled_from(STATES)), st.sets(st.sampled_from(NAMES))), max_size=6
    )
)
def test_an_edge_stands_where_one_to_five_changes_show(
    frames: list[tuple[set[tuple[str, str, None]], set[str]]],
) -> None:
    """Zero changes cannot be asked about, more than five cannot be worded."""
    index = index_of(
        [facts | EXISTENCE for facts, _ in frames],
        [{name: 0.1 if name in seen else 0.0 for name in NAMES} for _, seen in frames],
        len(frames),
    )
    edges = build_transition_graph(build_segmented_frames(len(frames)), index)
    expected = []
    for i, (before, seen_before) in enumerate(frames):
        for j, (after, seen_after) in enumerate(frames):
            seen = (seen_before, seen_after)
            changes = twin.visible(before, after, seen, CATEGORIES, PARENTS)
            if i < j and 1 <= len(changes) <= 5:
                expected.append((i, j, len(changes), sorted(str(change) for change in changes)))
    columns = ["key_frame_from", "key_frame_to", "n_changes", "changes"]
    assert edges.select(columns).rows() == expected


def test_no_key_frames_give_an_empty_graph() -> None:
    """A demonstration that is too short is no error."""
    graph = build_transition_graph(build_segmented_frames(0), index_of([], [], 0))
    assert graph.equals(TransitionGraph.empty())


def test_key_frames_that_only_the_masks_know_are_refused() -> None:
    """Masks left over from an older segmentation describe other frames."""
    index = index_of([EXISTENCE] * 2, [{"lamp": 0.1}] * 3, 2)
    with pytest.raises(TrajectoryError, match="know 3 key frames, segmented_frames 2"):
        build_transition_graph(build_segmented_frames(2), index)


def test_a_graph_of_frames_without_any_fact_has_no_edges() -> None:
    """Nothing holds, nothing changes."""
    graph = build_transition_graph(build_segmented_frames(2), index_of([], [], 2))
    assert graph.height == 0
    assert graph.schema == pl.Schema(TransitionGraph.schema())


EDITED_OBJECTS = build_objects(
    ("table", "table"),
    ("cup", "cup"),
    ("apple", "apple"),
    ("half_1", "half_apple", ["apple"]),
    ("half_2", "half_apple", ["apple"]),
)
ON = {thing: ("OnTop", thing, "table") for thing in ("cup", "apple", "half_1", "half_2")}
WHOLE = {("Exists", name, None) for name in ("table", "cup", "apple")}
CUT = {("Exists", name, None) for name in ("table", "cup", "half_1", "half_2")}
GRAPHS = [WHOLE | {ON["apple"]}, WHOLE | {ON["apple"], ON["cup"]}, CUT | {ON["half_1"], ON["cup"]}]
PIXELS = [
    {"table": 900, "cup": 40, "apple": 70},
    {"table": 800, "cup": 30, "apple": 80},
    {"table": 700, "cup": 20, "half_1": 50, "half_2": 60},
]


def masks() -> pl.DataFrame:
    rows = build_visibility([dict.fromkeys(seen, 0.01) for seen in PIXELS])
    pixels = [PIXELS[k][name] for k, name in rows.select("key_frame", "object_name").iter_rows()]
    return rows.with_columns(pixels=pl.Series(pixels))


def measured(seen: pl.DataFrame, index: DeltaIndex) -> dict[tuple[int, int, str], tuple]:
    graph = build_transition_graph(build_segmented_frames(3), index)
    rows = measure_edited_objects(graph, seen, index).select(
        *("key_frame_from", "key_frame_to", "object_name"),
        *("in_transition", "pixels_from", "pixels_to", "pixels"),
    )
    return {row[:3]: row[3:] for row in rows.iter_rows()}


def test_the_smaller_mask_counts_but_of_what_turns_into_something_the_larger() -> None:
    """Halves have no mask before the cut: counted as 0 px, no cut could be asked about."""
    seen = masks()
    index = DeltaIndex.from_tables(build_scene_graphs(GRAPHS), seen, EDITED_OBJECTS, PAPER)
    assert measured(seen, index) == {
        (0, 1, "cup"): (False, 40, 30, 30),
        (0, 1, "table"): (False, 900, 800, 800),
        (0, 2, "apple"): (True, 70, 0, 70),
        (0, 2, "cup"): (False, 40, 20, 20),
        (0, 2, "half_1"): (True, 0, 50, 50),
        (0, 2, "half_2"): (True, 0, 60, 60),
        (0, 2, "table"): (False, 900, 700, 700),
        (1, 2, "apple"): (True, 80, 0, 80),
        (1, 2, "half_1"): (True, 0, 50, 50),
        (1, 2, "half_2"): (True, 0, 60, 60),
        (1, 2, "table"): (False, 800, 700, 700),
    }


def test_what_cannot_be_seen_is_not_named() -> None:
    """A row for a hidden object would make questions look unsolvable that nobody asks."""
    seen = masks().filter(pl.col("object_name") != "cup")
    index = DeltaIndex.from_tables(build_scene_graphs(GRAPHS), seen, EDITED_OBJECTS, PAPER)
    found = measured(seen, index)
    assert {edge[:2] for edge in found} == {(0, 2), (1, 2)}
    assert "cup" not in {edge[2] for edge in found}


def test_a_graph_without_edges_and_the_release_have_no_rows() -> None:
    seen = masks()
    index = DeltaIndex.from_tables(build_scene_graphs(GRAPHS), seen, EDITED_OBJECTS, PAPER)
    empty = measure_edited_objects(TransitionGraph.empty(), seen, index)
    assert empty.equals(EditedObjects.empty())
    graphs = build_scene_graphs(GRAPHS)
    of_release = ReleaseDeltaIndex.from_tables(graphs, seen, EDITED_OBJECTS, RELEASE, 3)
    graph = build_transition_graph(build_segmented_frames(3), index)
    assert measure_edited_objects(graph, seen, of_release).is_empty()


ALIKE = build_objects(
    ("robot", "agent"),
    *((name, name) for name in ("table", "board", "spoon", "fridge", "tea", "towel", "shirt")),
    *((f"mug_{k}", "mug") for k in (1, 2)),
    ("lemon", "lemon"),
    *((f"half_{k}", "half_lemon", ["lemon"]) for k in (1, 2)),
)
PICTURE_PX = 10_000
Fact = tuple[str, str, str | None]


def exist(*names: str) -> set[Fact]:
    return {("Exists", name, None) for name in names}


def found(
    graphs: Iterable[set[Fact]],
    pixels: Iterable[Mapping[str, int]],
    changes: Iterable[list[str]] = ((), ()),
    late: int = 20,
) -> set[tuple[str, str]]:
    """Ambiguities of the step between two key frames, as :func:`tables_of` has them."""
    graphs, seen, frames = tables_of(graphs, pixels, changes, late)
    index = DeltaIndex.from_tables(graphs, seen, ALIKE, PAPER, frames.height)
    gating = Gating(GATING, PAPER, STATE_PREDICATES)
    edges = find_edges(SegmentedTables(frames, graphs), seen, ALIKE, index, gating, "embedded")
    rows = AmbiguousChanges.check(edges.ambiguous_changes)
    first = rows.filter(key_frame_from=0, key_frame_to=1)
    assert set(first["ambiguity"]) <= AMBIGUITIES.keys()
    return set(first.select("ambiguity", "object").iter_rows())


def tables_of(
    graphs: Iterable[set[Fact]],
    pixels: list[dict[str, int]],
    changes: Iterable[list[str]] | None = None,
    late: int = 20,
) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    """Scene graphs, visibility and key frames 100 frames apart, taken ``late`` frames after their
    ``changes`` began.
    """
    changes = changes or [[] for _ in pixels]
    graphs = build_scene_graphs(list(graphs))
    rows = [(k, name, px) for k, seen in enumerate(pixels) for name, px in seen.items()]
    sizes = pl.DataFrame(rows, schema=["key_frame", "object_name", "px"], orient="row")
    shares = [{name: px / PICTURE_PX for name, px in seen.items()} for seen in pixels]
    seen = build_visibility(shares).join(sizes, on=["key_frame", "object_name"])
    seen = seen.with_columns(pixels="px").drop("px")
    frames = SegmentedFrames.build(
        [
            {
                "demonstration": DEMONSTRATION,
                "gating": GATING,
                "key_frame": k,
                "frame": 100 * k,
                "frame_id": 100 * k,
                "change_frame": 100 * k - late if k else None,
                "similarity": None,
                "changes": list(texts),
            }
            for k, texts in enumerate(changes)
        ]
    )
    return graphs, seen, frames


def on(name: str, other: str = "board") -> Fact:
    return ("OnTop", name, other)


HERE = {"table": 900, "board": 500}
WITH_SPOON = HERE | {"spoon": 50}


def test_a_plain_step_has_none() -> None:
    there = exist("table", "board", "spoon")
    assert found([there | {on("spoon", "table")}, there | {on("spoon")}], [WITH_SPOON] * 2) == set()


def test_halves_take_part_together_or_one_of_them_stays() -> None:
    whole, cut = exist("board", "lemon"), exist("board", "half_1", "half_2")
    masks = [HERE | {"lemon": 90}, HERE | {"half_1": 50, "half_2": 50}]
    step = [whole | {on("lemon")}, cut | {on("half_1"), on("half_2")}]
    assert found(step, masks) == {("two_of_a_name", "half lemon")}
    step = [cut | {on("half_1"), on("half_2")}, cut | {on("half_2")}]
    assert found(step, masks[1:] * 2) == {("another_has_it", "half lemon")}
    assert found([cut | {on("half_1")}, cut], masks[1:] * 2) == set()


def test_what_begins_may_hold_of_another_thing_already() -> None:
    there = exist("table", "board", "mug_1", "mug_2")
    masks = [HERE | {"mug_1": 50, "mug_2": 50}] * 2
    step = [there | {on("mug_1")}, there | {on("mug_1"), on("mug_2")}]
    assert found(step, masks) == {("another_has_it", "mug")}
    hold = ("LeftGrasping", "robot", "mug_1"), ("LeftGrasping", "robot", "mug_2")
    masks = [mask | {"robot": 300} for mask in masks]
    named = found([there | {hold[0]}, there | {hold[0], hold[1]}], masks)
    assert named == {("another_has_it", "mug")}


@pytest.mark.parametrize(
    ("masks", "ambiguity"),
    [
        ([WITH_SPOON | {"fridge": 800}, HERE | {"fridge": 800}], "untold"),
        ([HERE | {"fridge": 800}, HERE | {"fridge": 800}], "unseen"),
    ],
)
def test_a_change_that_no_sentence_names(masks: list[dict[str, int]], ambiguity: str) -> None:
    """The spoon is in the fridge, whose door is open now."""
    there = exist("table", "board", "spoon", "fridge")
    step = [
        there | {on("spoon")},
        there | {("Inside", "spoon", "fridge"), ("Open", "fridge", None)},
    ]
    assert found(step, masks) == {(ambiguity, "spoon")}


@pytest.mark.parametrize(
    ("source", "names_all", "n_edges"),
    [("embedded", True, 1), ("embedded", False, 3), ("recorded", True, 3)],
)
def test_edges_with_an_untold_change_are_left_out(
    source: str, names_all: bool, n_edges: int
) -> None:
    """Only these, whatever else may mislead there, in each table, and only where the gating wants
    it: what was recorded is all there is. After the second picture the spoon goes where nobody sees
    it, and the fridge is small in all.
    """
    there = exist("table", "board", "spoon", "fridge", "mug_1")
    inside = ("Inside", "spoon", "fridge")
    step = [
        there | {on("spoon")},
        there | {on("spoon"), ("Open", "fridge", None)},
        there | {inside, on("mug_1")},
    ]
    masks = [WITH_SPOON, WITH_SPOON, HERE]
    graphs, seen, frames = tables_of(step, [mask | {"fridge": 9, "mug_1": 90} for mask in masks])
    index = DeltaIndex.from_tables(graphs, seen, ALIKE, PAPER, frames.height)
    about = SegmentedTables(frames, graphs), seen, ALIKE, index
    gating = Gating(GATING, PAPER, STATE_PREDICATES)
    every = find_edges(*about, gating, source)
    edges = find_edges(*about, replace(gating, embedded_names_all=names_all), source)
    assert edges.transition_graph.height == n_edges
    left = pl.col("key_frame_to") < (2 if n_edges == 1 else 3)
    for table, whole in zip(edges, every, strict=True):
        assert table.equals(whole.filter(left))
    of_first = every.ambiguous_changes.filter(key_frame_from=0, key_frame_to=1)
    assert of_first["ambiguity"].to_list() == ["small"]
    untold = every.ambiguous_changes.filter(ambiguity="untold")
    assert set(untold.select("key_frame_from", "key_frame_to").rows()) == {(0, 2), (1, 2)}


@pytest.mark.parametrize(
    ("late", "shown", "is_near"), [(20, 30, True), (20, 45, False), (60, 30, False)]
)
def test_a_hand_that_has_just_let_go_hides_a_quarter(late: int, shown: int, is_near: bool) -> None:
    """Of 50 pixels that show a picture later."""
    there = exist("table", "board", "spoon", "robot")
    masks = [HERE | {"robot": 300, "spoon": px} for px in (50, shown, 50)]
    step = [
        there | {("LeftGrasping", "robot", "spoon")},
        there | {on("spoon")},
        there | {on("spoon")},
    ]
    changes: list[list[str]] = [[], ["-LeftGrasping(robot, spoon)"], []]
    expected = {("hand_near", "spoon")} if is_near else set()
    assert found(step, masks, changes, late) == expected


def test_a_hand_hides_what_it_takes_next() -> None:
    """The third key frame's grasp begins 5 frames after the second picture, where the spoon is as
    it was before.
    """
    there = exist("table", "board", "mug_1", "spoon", "robot")
    masks = [HERE | {"robot": 300, "mug_1": 90, "spoon": px} for px in (50, 20, 50)]
    held = ("LeftGrasping", "robot", "spoon")
    step = [there | {on("spoon")}, there | {on("spoon"), on("mug_1")}, there | {held, on("mug_1")}]
    changes: list[list[str]] = [[], [], ["+LeftGrasping(robot, spoon)"]]
    assert found(step, masks, changes, late=95) == {("hand_near", "spoon")}
    assert found(step, masks, changes, late=50) == set()
    masks[1]["spoon"] = 45
    assert found(step, masks, changes, late=95) == set()


def test_contents_small_things_and_cloth() -> None:
    there = exist("table", "board", "mug_1", "tea", "spoon", "towel", "shirt")
    full = ("Contains", "mug_1", "tea")
    masks = [HERE | {"mug_1": 500}, HERE | {"mug_1": 500, "tea": 60}]
    step = [there | {on("mug_1")}, there | {on("mug_1"), full}]
    assert found(step, masks) == set()  # no question asks about tea that one picture shows
    assert found(step, [HERE | {"mug_1": 500, "tea": 60}] * 2) == set()
    assert found(step, [HERE | {"mug_1": 500, "tea": 30}] * 2) == {("hidden_content", "tea")}
    step = [there | {on("spoon", "table")}, there | {on("spoon")}]
    assert found(step, [HERE | {"spoon": 9}] * 2) == {("small", "spoon")}
    step = [there | {on("towel", "table")}, there | {on("towel")}]
    assert found(step, [HERE | {"towel": 90}] * 2) == set()
    assert found(step, [HERE | {"towel": 90, "shirt": 90}] * 2) == {("cloth", "towel")}


def test_without_edited_objects_there_is_nothing_to_name() -> None:
    """Profile release names objects by sentences of its own."""
    frames = SegmentedFrames.empty()
    key_frames = KeyFrames((), (), (), {}, 0.0)
    graph = build_transition_graph(
        frames, DeltaIndex.from_tables(build_scene_graphs([]), build_visibility([]), ALIKE, PAPER)
    )
    rows = find_ambiguous_changes(graph, EditedObjects.empty(), key_frames)
    assert rows.equals(AmbiguousChanges.empty())
