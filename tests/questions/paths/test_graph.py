"""Transition graph: edges against the twin of visible changes."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from enact_assets.engine.errors import TrajectoryError
from enact_assets.questions.key_frames.deltas import DeltaIndex
from enact_assets.questions.paths.tables import TransitionGraph
from enact_assets.questions.paths.transition_graph import build_transition_graph
from enact_assets.settings.profile import PAPER

import reference.deltas as twin
from reference.builders import (
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
