"""Profile ``release``: recorded behaviour reproduced, the slow twin, and every quirk by hand."""

import dataclasses
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import groupby, pairwise
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from enact_assets.demonstrations.replay.result import ReplayTables
from enact_assets.engine.errors import ReplayError, SettingsError
from enact_assets.questions.key_frames.decided_frames import release_frames_decided
from enact_assets.questions.key_frames.given_key_frames import given as given_frames
from enact_assets.questions.key_frames.release import (
    RecordHistory,
    filter_records,
    recorded_history,
    segment_release,
    trace_release,
)
from enact_assets.questions.key_frames.release_search_kernels import KeyFrameSearch
from enact_assets.questions.key_frames.segment import segment
from enact_assets.settings.classes import Gating
from enact_assets.settings.components import Component
from enact_assets.settings.frame_ids import FrameIds
from enact_assets.settings.predicates import STATE_PREDICATES
from enact_assets.settings.profile import PAPER, RELEASE, ReleaseRules
from enact_assets.settings.rules import RELEASE_RULES

import reference.intervals as slow_intervals
import reference.release_segmentation as twin
import reference.segmentation as paper_twin
from reference.builders import build_demonstrations, build_facts, build_objects
from reference.conformance import TASKS, expected, micro
from reference.random_replays import intervals
from reference.recorded_tables import Frame, tables_from_frames, task_tables

GATING = Gating("release", RELEASE, ())
RULES = ReleaseRules()
CASES = micro()["segmentation_rule"]
ERRORS = {"IndexError": "IndexError below 60 frames", "AssertionError": "AssertionError here"}


def official_frame(nodes: Sequence[Any], edges: Sequence[Any]) -> Frame:
    """A full frame from [name, (category,) states] and [from, to, states]."""
    return {
        "type": "full",
        "nodes": [
            {
                "name": node[0],
                "category": node[1] if len(node) == 3 else "thing",
                "states": node[-1],
                "visibility": {},
            }
            for node in nodes
        ],
        "edges": [{"from": a, "to": b, "states": states} for a, b, states in edges],
    }


def frames_of(case: dict[str, Any]) -> dict[str, Frame]:
    """The frames of a case of ``segmentation_rule``, given as runs."""
    ids = case["frame_ids"]
    if isinstance(ids, dict):
        ids = range(ids["first"], ids["first"] + ids["consecutive"])
    frames: dict[str, Frame] = {}
    bounds = [start for start, _ in case["runs"]] + [case["n_frames"]]
    for (start, stop), (_, graph) in zip(pairwise(bounds), case["runs"], strict=True):
        frame = official_frame(graph["nodes"], graph["edges"])
        frames.update(dict.fromkeys(map(str, ids[start:stop]), frame))
    return frames


@cache
def tables_of(number: int) -> ReplayTables:
    return tables_from_frames("case", frames_of(CASES[number]))


def fact_lists(records: RecordHistory, frame: int) -> tuple[list[Any], list[Any], list[str]]:
    """Sorted node states, edge states and nodes of the filtered ``frame``, with repetitions."""
    nodes, edges, names = [], [], []
    for record in records.at(frame):
        if record.object is None:
            names.append(record.subject)
            nodes += [[record.subject, state] for state in record.states]
        else:
            edges += [[record.subject, record.object, state] for state in record.states]
    return sorted(nodes), sorted(edges), sorted(names)


def observed(tables: ReplayTables, trace: KeyFrameSearch, records: RecordHistory) -> dict[str, Any]:
    """``trace`` in the form of the recorded behaviour."""
    n_frames = tables.demonstrations.item(0, "n_frames")
    ids = FrameIds(tuple(tables.demonstrations.item(0, "frame_id_runs"))).at(range(n_frames))
    compared = np.flatnonzero(~np.isnan(trace.similarities))
    values = [(int(ids[k]), float(trace.similarities[k])) for k in compared]
    starts = sorted({0, *records.runs.frames.tolist()})
    digests = [(int(ids[k]), twin.digest(*fact_lists(records, k)[:2])) for k in starts]
    return {
        "key_frame_ids": ids[trace.frames].tolist(),
        "candidate_frames": ids[trace.candidates].tolist(),
        "last_is_pending_candidate": trace.is_last_pending,
        "first_compared_frame": int(ids[compared[0]]) if compared.size else None,
        "last_compared_frame": int(ids[compared[-1]]) if compared.size else None,
        "similarity_rle": [list(next(same)) for _, same in groupby(values, lambda v: v[1])],
        "filtered_digest_rle": [list(next(same)) for _, same in groupby(digests, lambda d: d[1])],
    }


def found_by_segment(tables: ReplayTables) -> pl.DataFrame:
    return segment_release(
        tables.demonstrations, tables.facts, tables.objects, GATING
    ).segmented_frames


@pytest.mark.parametrize("name", TASKS)
def test_a_recorded_task_is_segmented_as_by_the_release(name: str) -> None:
    """Key frames, every similarity to the last bit and the filtered graph of every frame."""
    tables, expectation = task_tables(name), expected(name)["segmentation"]
    trace, records = trace_release(tables.demonstrations, tables.facts, RULES)
    filtered = expectation["filtered_facts"]
    assert observed(tables, trace, records) == {
        key: value for key, value in expectation.items() if key != "filtered_facts"
    }
    assert len(filtered) == trace.frames.size
    for frame, facts in zip(trace.frames.tolist(), filtered.values(), strict=True):
        assert fact_lists(records, frame) == (
            facts["node_states"],
            facts["edge_states"],
            facts["nodes"],
        )
    rows = found_by_segment(tables)
    assert rows["frame_id"].to_list() == expectation["key_frame_ids"]
    by_id = dict(zip(rows["frame_id"], rows["similarity"], strict=True))
    assert by_id.pop(expectation["key_frame_ids"][0]) is None
    ids = FrameIds(tuple(tables.demonstrations.item(0, "frame_id_runs")))
    assert list(by_id.values()) == trace.similarities[trace.frames[1:]].tolist()
    armed_by = ids.at(rows["change_frame"].drop_nulls().to_list()).tolist()
    assert set(armed_by) <= set(expectation["candidate_frames"])
    assert len(armed_by) == rows.height - 1


@pytest.mark.parametrize("number", range(len(CASES)), ids=[case["title"] for case in CASES])
def test_a_rule_of_the_search_is_followed(number: int) -> None:
    """One rule each: waiting times, what arms and what saves, ids with gaps, both ends, aborts."""
    tables, expectation = tables_of(number), CASES[number]["expected"]
    if "error" in expectation:
        with pytest.raises(ReplayError, match=ERRORS[expectation["error"]]):
            found_by_segment(tables)
        return
    trace, records = trace_release(tables.demonstrations, tables.facts, RULES)
    assert observed(tables, trace, records) == expectation
    assert found_by_segment(tables)["frame_id"].to_list() == expectation["key_frame_ids"]


@pytest.mark.parametrize("number", range(len(micro()["transient_filter"])))
def test_the_transient_filter_leaves_the_records_it_left_in_the_release(number: int) -> None:
    """Categories of restored nodes are the twin's to check: tables have one category per object."""
    case = micro()["transient_filter"][number]
    frames = [official_frame(nodes, edges) for nodes, edges in case["frames"]]
    by_id = {str(k): frame for k, frame in enumerate(frames, start=1)}
    facts = tables_from_frames("case", by_id).facts
    records = filter_records(recorded_history(facts, len(frames)), len(frames), RULES)
    slow = twin.transient_filter([twin.graph_of(frame) for frame in frames])
    for k, (nodes, edges) in enumerate(case["filtered"]):
        found = records.at(k)
        assert sorted([r.subject, list(r.states)] for r in found if r.object is None) == sorted(
            [name, states] for name, _, states in nodes
        )
        assert (
            sorted([r.subject, r.object, list(r.states)] for r in found if r.object is not None)
            == edges
        )
        assert sorted([n.name, n.category, sorted(n.states)] for n in slow[k].nodes) == nodes
        assert sorted([*e.ends, sorted(e.states)] for e in slow[k].edges) == edges


@pytest.mark.parametrize("is_swapped", [False, True])
@pytest.mark.parametrize("case", micro()["similarity_boundary"], ids=str)
def test_similarities_at_the_threshold_are_rounded_as_in_the_release(
    case: list[Any], is_swapped: bool
) -> None:
    """49 of 50 is below 0.98 by its last bit: one square root of a product, and it is not."""
    n1, n2, common, value, is_below, is_below_swapped = case
    if is_swapped:
        n1, n2, is_below = n2, n1, is_below_swapped
    lives = [
        (f"thing_{k}", [(0, 100) if k < n1 - common else (0, 300) if k < n1 else (100, 300)])
        for k in range(n1 + n2 - common)
    ]
    facts = build_facts(
        *(("Open", name, None, life) for name, life in lives),
        *(("Exists", name, None, [(0, 300)]) for name, _ in lives),
    )
    trace, _ = trace_release(build_demonstrations(300), facts, RULES)
    assert float(trace.similarities[150]) == value
    assert trace.candidates.tolist() == ([260] if is_below else [])


# Facts of few keys, so that what is restored, repeated and compared meets often.
FACTS = (
    ("Exists", "cup", None),
    ("Open", "cup", None),
    ("Cooked", "cup", None),
    ("Exists", "mug", None),
    ("Dusty", "mug", None),
    ("Related", "cup", "mug"),
    ("OnTop", "cup", "mug"),
    ("Inside", "cup", "mug"),
    ("OnTop", "mug", "cup"),
)


@st.composite
def flickering(draw: st.DrawFn, n_frames: int) -> list[tuple[int, int]]:
    """Intervals with short pulses and gaps, some of them every other frame."""
    holds = [False] * n_frames
    flips = st.tuples(st.integers(0, n_frames - 1), st.integers(1, 10), st.integers(1, 2))
    for start, stop in draw(intervals(n_frames, 2) | st.just([(0, n_frames)])):
        holds[start:stop] = [True] * (stop - start)
    for start, length, step in draw(st.lists(flips, max_size=6)):
        for frame in range(start, min(n_frames, start + length), step):
            holds[frame] = not holds[frame]
    return slow_intervals.intervals(holds)


@st.composite
def recordings(draw: st.DrawFn) -> tuple[list[int], pl.DataFrame]:
    """(ids, facts) of a short recording whose ids run so fast that key frames are far apart."""
    n_frames = draw(st.integers(55, 110))
    step = draw(st.sampled_from([1, 7, 40, 201]))
    jumps = draw(st.sets(st.integers(1, n_frames - 1), max_size=3))
    ids = np.cumsum([step + 100 * (k in jumps) for k in range(n_frames)]).tolist()
    return ids, build_facts(*((*fact, draw(flickering(n_frames))) for fact in FACTS))


def graphs_of(facts: pl.DataFrame, n_frames: int) -> Iterator[twin.Graph]:
    dense = paper_twin.densify(facts, n_frames)
    for frame in range(n_frames):
        nodes: dict[str, set[str]] = {}
        edges: dict[tuple[str, str], set[str]] = {}
        for (name, subject, other), holds in dense.items():
            if holds[frame]:
                states = (
                    nodes.setdefault(subject, set())
                    if other is None
                    else edges.setdefault((subject, other), set())
                )
                states.update({name} - {"Exists", "Related"})
        yield twin.Graph(
            [twin.Node(name, "thing", states) for name, states in nodes.items()],
            [twin.Edge(ends, states) for ends, states in edges.items()],
        )


def with_ids(ids: Sequence[int]) -> pl.DataFrame:
    runs = list(FrameIds.of(np.array(ids, np.int64)).runs)
    return build_demonstrations(len(ids)).with_columns(frame_id_runs=pl.Series([runs]))


SWITCHED_OFF = st.sampled_from(
    [rule.off(GATING).profile.release_constants for rule in RELEASE_RULES if rule.is_search]
)


@given(recordings(), st.just(RULES) | SWITCHED_OFF)
def test_the_release_agrees_with_its_twin(
    recording: tuple[list[int], pl.DataFrame], rules: ReleaseRules
) -> None:
    """Kernels look at stretches around changes only; the twin filters every window of every key.
    Each rule can be switched off.
    """
    ids, facts = recording
    n_frames = len(ids)
    recorded = list(graphs_of(facts, n_frames))
    filtered = recorded
    if rules.min_window <= rules.max_window:
        filtered = twin.transient_filter(recorded)
    records = filter_records(recorded_history(facts, n_frames), n_frames, rules)
    for k, graph in enumerate(filtered):
        assert fact_lists(records, k) == twin.fact_lists(graph)
        order = [record.states for record in records.at(k) if record.subject == "cup"]
        cups = [n for n in graph.nodes if n.name == "cup"]
        assert order[: len(cups)] == [tuple(sorted(n.states)) for n in cups]
    try:
        slow = twin.find_key_frames(
            ids,
            filtered,
            max_similarity=None if rules.max_similarity > 1 else rules.max_similarity,
            min_gap=rules.min_gap_ids,
            settle=rules.settle_ids,
        )
    except (IndexError, AssertionError) as error:
        with pytest.raises(ReplayError, match=ERRORS[type(error).__name__]):
            trace_release(with_ids(ids), facts, rules)
        return
    trace, records = trace_release(with_ids(ids), facts, rules)
    assert trace.frames.tolist() == slow.key_frames
    assert trace.candidates.tolist() == slow.candidates
    armed_by = trace.armed_by.tolist()
    assert [None if k < 0 else k for k in armed_by] == slow.armed_by
    assert trace.is_last_pending == slow.is_last_pending
    compared = np.flatnonzero(~np.isnan(trace.similarities)).tolist()
    assert {k: float(trace.similarities[k]) for k in compared} == slow.similarities
    if rules.max_similarity > 1:
        return  # of a rule that is switched off, nothing is counted
    gating = dataclasses.replace(GATING, profile=dataclasses.replace(RELEASE, release=rules))
    decided = release_frames_decided(ReplayTables(with_ids(ids), facts, build_objects()), gating)
    before = recorded_history(facts, n_frames)
    assert decided == {
        "transient_filter": sum(before.at(k) != records.at(k) for k in range(n_frames)),
        "similarity": slow.n_similar,
        "gap": slow.n_near,
    }


def test_a_node_missing_in_every_other_frame_is_recorded_up_to_five_times() -> None:
    """The most there can be (all patterns were tried); the kernel reserves room without asking."""
    life = [(0, 2), *((k, k + 1) for k in (3, 5, 7, 9))]
    facts = build_facts(("Exists", "cup", None, life), ("Open", "cup", None, life))
    records = filter_records(recorded_history(facts, 60), 60, RULES)
    assert [len(records.at(k)) for k in range(11)] == [1, 5, 4, 4, 3, 3, 2, 2, 1, 1, 0]


def test_frames_that_differ_in_repetitions_only_end_the_demonstration_with_the_names() -> None:
    """The release dies of an assertion and writes nothing: silence here would be a wrong score."""
    life = [(0, 263), (266, 700)]
    facts = build_facts(
        ("Exists", "cup", None, life),
        ("Open", "cup", None, life),
        ("Exists", "mug", None, [(0, 700)]),
        ("Open", "mug", None, [(0, 700)]),
    )
    objects = build_objects(("cup", "cup"), ("mug", "mug"))
    message = r"'try-0': frame 261 \(id 261\).*0\.94.*key frame 59.*records of cup\..*AssertionErr"
    with pytest.raises(ReplayError, match=message):
        segment_release(build_demonstrations(700), facts, objects, GATING)


SLICED = build_facts(
    *(("Exists", name, None, [(0, 600)]) for name in ("table, old (oak)", "fridge")),
    ("Exists", "melon", None, [(0, 300)]),
    ("Cooked", "melon", None, [(0, 300)]),
    ("Exists", "half_1", None, [(300, 600)]),
    ("Cooked", "half_1", None, [(300, 600)]),
    ("Exists", "half_2", None, [(300, 600)]),
    ("OnTop", "melon", "table, old (oak)", [(0, 300)]),
    ("OnTop", "half_1", "table, old (oak)", [(300, 600)]),
    # A state nobody worded, a pair without states, and a flicker in the very key frame.
    ("Dusty", "fridge", None, [(300, 600)]),
    ("Related", "fridge", "half_2", [(300, 600)]),
    # A relation that is called like the mark of existence brings no object into the world.
    ("Exists", "fridge", "melon", [(300, 600)]),
    ("Open", "fridge", None, [(309, 312)]),
    ("ToggledOn", "fridge", None, [(305, 600)]),
    # Holds at both key frames, with a pause between them.
    ("Frozen", "fridge", None, [(0, 150), (153, 600)]),
)
SLICED_OBJECTS = build_objects(
    ("table, old (oak)", "table"),
    ("fridge", "fridge"),
    ("melon", "melon"),
    ("half_1", "half_melon", ["melon"]),
    ("half_2", "half_melon"),
)


def test_graphs_and_changes_are_those_recorded_not_those_filtered() -> None:
    """Later stages of the release read the recording again: its flicker is in their pictures."""
    found = segment_release(build_demonstrations(600), SLICED, SLICED_OBJECTS, GATING)
    assert found.segmented_frames["frame"].to_list() == [59, 310]
    graph = found.scene_graphs.filter(pl.col("key_frame") == 1)
    assert set(graph.select("predicate", "subject", "object").rows()) == {
        *(("Exists", name, None) for name in ("table, old (oak)", "fridge", "half_1", "half_2")),
        ("Cooked", "half_1", None),
        ("OnTop", "half_1", "table, old (oak)"),
        ("Dusty", "fridge", None),
        ("Related", "fridge", "half_2"),
        ("Exists", "fridge", "melon"),
        ("Open", "fridge", None),
        ("ToggledOn", "fridge", None),
        ("Frozen", "fridge", None),
    }
    _, records = trace_release(build_demonstrations(600), SLICED, RULES)
    assert ["fridge", "Open"] not in fact_lists(records, 310)[0]


def test_changes_name_worded_states_and_transitions_by_object() -> None:
    """States of what comes and goes are not told, and a comma in a name breaks nothing."""
    rows = segment_release(
        build_demonstrations(600), SLICED, SLICED_OBJECTS, GATING
    ).segmented_frames
    assert rows["changes"].to_list()[0] == []
    assert {Component.parse(text) for text in rows["changes"].to_list()[1]} == {
        Component("add", "OnTop", "half_1", "table, old (oak)"),
        Component("add", "Open", "fridge"),
        Component("add", "ToggledOn", "fridge"),
        Component("remove", "OnTop", "melon", "table, old (oak)"),
        Component("transition", "Transition", "melon", "half_1"),
    }


def test_a_parent_given_by_category_makes_a_transition_too() -> None:
    """Recordings name parents either way."""
    objects = SLICED_OBJECTS.with_columns(
        category=pl.col("category").replace("melon", "fruit"),
        parents=pl.when(pl.col("object_name") == "half_2").then(pl.lit(["fruit"])),
    )
    rows = segment_release(build_demonstrations(600), SLICED, objects, GATING).segmented_frames
    assert "~Transition(melon, half_2)" in rows["changes"][1]
    assert "~Transition(melon, half_1)" not in rows["changes"][1]


def test_scene_graphs_at_any_frames_are_the_facts_that_hold() -> None:
    """Key frames number the frames given."""
    replay = build_demonstrations(600), SLICED, SLICED_OBJECTS, Gating("mine", RELEASE, ()), None
    graphs = given_frames(*replay, frames=np.array([0, 299, 300])).scene_graphs
    dense = paper_twin.densify(SLICED, 600)
    for k, frame in enumerate((0, 299, 300)):
        rows = graphs.filter(pl.col("key_frame") == k).select("predicate", "subject", "object")
        assert set(rows.rows()) == {fact for fact, holds in dense.items() if holds[frame]}
    assert set(graphs["gating"]) == {"mine"}
    assert given_frames(*replay, frames=np.array([], np.int64)).scene_graphs.height == 0


@pytest.mark.parametrize("n_states", [64, 65])
def test_an_object_may_have_as_many_states_as_a_mask_has_bits(n_states: int) -> None:
    """A 65th would silently share a bit with another state."""
    facts = build_facts(
        *((f"State{k}", "cup", None, [(0 if k else 100, 400)]) for k in range(n_states)),
        ("Exists", "cup", None, [(0, 400)]),
        ("Open", "mug", None, [(0, 400)]),
    )
    if n_states > 64:
        with pytest.raises(ReplayError, match=r"1 of 2 objects and pairs.* first cup with 65"):
            trace_release(build_demonstrations(400), facts, RULES)
        return
    trace, records = trace_release(build_demonstrations(400), facts, RULES)
    assert [len(r.states) for r in records.at(99)] == [63, 1]
    assert [len(r.states) for r in records.at(100)] == [64, 1]
    assert trace.similarities[99:101].tolist() == [1.0, twin.similarity(*bags(64, 65))]


def bags(*sizes: int) -> list[Any]:
    return [twin.Counter((str(k),) for k in range(n)) for n in sizes]


def test_another_profile_is_refused() -> None:
    """The paper has no rules of the release."""
    gating = Gating("state", PAPER, STATE_PREDICATES)
    with pytest.raises(SettingsError, match="'paper' has no constants of the public release"):
        segment_release(build_demonstrations(900), build_facts(), build_objects(), gating)


@pytest.mark.slow
@pytest.mark.parametrize("number", [5, 6, 11, 29, 36])
def test_profile_paper_knows_nothing_of_the_quirks(number: int) -> None:
    """The inputs made for the release's rules, by the rules of the paper and their own twin."""
    tables = tables_of(number)
    gating = Gating("state", PAPER, STATE_PREDICATES)
    n_frames = tables.demonstrations.item(0, "n_frames")
    found = segment(tables.demonstrations, tables.facts, tables.objects, gating)
    objects = tables.objects.with_columns(pl.col("parents").fill_null([]))
    slow = paper_twin.segment(n_frames, tables.facts, objects, gating)
    rows = found.segmented_frames.select("frame", "change_frame", "similarity", "changes").rows()
    assert rows == [(k.frame, k.change_frame, k.similarity, k.changes) for k in slow]
    assert rows[0][0] == PAPER.settle_frames
