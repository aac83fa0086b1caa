"""Edited objects: one row per edge and object it names, with the masks that decide."""

import polars as pl

from enact_assets.questions.key_frames.deltas import DeltaIndex
from enact_assets.questions.key_frames.release_deltas import ReleaseDeltaIndex
from enact_assets.questions.paths.edited import measure_edited_objects
from enact_assets.questions.paths.tables import EditedObjects, TransitionGraph
from enact_assets.questions.paths.transition_graph import build_transition_graph
from enact_assets.settings.profile import PAPER, RELEASE

from reference.builders import (
    build_objects,
    build_scene_graphs,
    build_segmented_frames,
    build_visibility,
)

OBJECTS = build_objects(
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
    index = DeltaIndex.from_tables(build_scene_graphs(GRAPHS), seen, OBJECTS, PAPER)
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
    index = DeltaIndex.from_tables(build_scene_graphs(GRAPHS), seen, OBJECTS, PAPER)
    found = measured(seen, index)
    assert {edge[:2] for edge in found} == {(0, 2), (1, 2)}
    assert "cup" not in {edge[2] for edge in found}


def test_a_graph_without_edges_and_the_release_have_no_rows() -> None:
    seen = masks()
    index = DeltaIndex.from_tables(build_scene_graphs(GRAPHS), seen, OBJECTS, PAPER)
    empty = measure_edited_objects(TransitionGraph.empty(), seen, index)
    assert empty.equals(EditedObjects.empty())
    graphs = build_scene_graphs(GRAPHS)
    of_release = ReleaseDeltaIndex.from_tables(graphs, seen, OBJECTS, RELEASE, 3)
    graph = build_transition_graph(build_segmented_frames(3), index)
    assert measure_edited_objects(graph, seen, of_release).is_empty()
