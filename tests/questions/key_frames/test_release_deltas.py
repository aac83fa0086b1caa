"""Changes of profile ``release``: recorded behaviour, the slow twin, rules by hand."""

from collections import Counter
from itertools import product
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from enact_assets.engine.errors import EnactError, PairError, ReplayError, SettingsError
from enact_assets.questions.key_frames.release_deltas import ReleaseDeltaIndex, signature_text
from enact_assets.questions.key_frames.release_vocabulary import release_label
from enact_assets.questions.paths.tables import TransitionGraph
from enact_assets.questions.paths.transition_graph import build_transition_graph
from enact_assets.settings.components import Component
from enact_assets.settings.profile import PAPER, RELEASE

import reference.release_deltas as twin
from reference.builders import build_segmented_frames
from reference.conformance import TASKS, expected, micro
from reference.recorded_graphs import (
    Graph,
    in_release_words,
    key_frame_tables,
    labels_of,
    later_parents_of,
    task_key_frames,
)

NAMES = {1: "AssertionError", 2: "IndexError", 3: "TypeError", 4: "NamelessError"}
ERRORS = (AssertionError, IndexError, TypeError, twin.NamelessError)
SHOWN = {"external_sensor1": [14, 0, 0, 9, 9, 512, 512]}
HIDDEN = {"external_sensor1": [13, 0, 0, 9, 9, 512, 512]}


def index_of(graphs: list[Graph]) -> ReleaseDeltaIndex:
    return ReleaseDeltaIndex.from_tables(
        *key_frame_tables(graphs), RELEASE, len(graphs), later_parents=later_parents_of(graphs)
    )


def answers(
    index: ReleaseDeltaIndex, i: int, j: int
) -> tuple[list[str] | dict[str, str], list[str] | dict[str, str]]:
    """Signatures of the visible and the full change, or the error, as the fixtures write them."""
    pair = np.array([[i, j]])
    found: list[list[str] | dict[str, str]] = []
    *changes, codes = index.changes(pair)
    assert (index.visible_bits(pair) == changes[0]).all()
    for bits, code in zip(changes, codes[0].tolist(), strict=True):
        if code:
            assert not bits.any()
            found.append({"error": NAMES[code]})
        else:
            texts = index.texts(bits)[0]
            found.append(sorted(in_release_words(signature_text(c)) for c in parsed(texts)))
    return found[0], found[1]


def parsed(texts: list[str]) -> list[Component]:
    return [Component.parse(text) for text in texts]


def is_valid(index: ReleaseDeltaIndex, i: int, j: int) -> bool:
    return 1 <= index.n_sentences(np.array([[i, j]]))[0] <= 5


@pytest.mark.parametrize(
    "first", [0, *(pytest.param(n, marks=pytest.mark.slow) for n in (1, 2, 3))]
)
def test_recorded_changes_of_small_graphs_are_reproduced(first: int) -> None:
    """400 pairs made to hit every rule of the diffs, errors among them; every fourth at a time."""
    for number, case in enumerate(micro()["visible_diff"]):
        if number % 4 != first:
            continue
        index, want = index_of([case["a"], case["b"]]), case["expected"]
        assert answers(index, 0, 1) == (want["partial"], want["full"]), number
        if want["sentences"] is not None:
            assert index.n_sentences(np.array([[0, 1]])).tolist() == [want["sentences"]], number
            assert is_valid(index, 0, 1) == want["valid"], number


@pytest.mark.parametrize("name", TASKS)
def test_recorded_changes_of_whole_tasks_are_reproduced(name: str) -> None:
    """All pairs forward, and those backward that were recorded: 985 pairs, 28 of which fail."""
    graphs, tables = task_key_frames(name)
    index, pairs = ReleaseDeltaIndex.from_tables(*tables, RELEASE), expected(name)["pairs"]
    assert index.n_key_frames == len(graphs)
    table_of = pairs["signature_table"]
    for i, j, valid, n_sentences, *wanted in pairs["forward"] + pairs["backward"]:
        want = tuple(w if isinstance(w, dict) else sorted(table_of[k] for k in w) for w in wanted)
        assert answers(index, i, j) == want, (i, j)
        if n_sentences is not None:
            assert index.n_sentences(np.array([[i, j]])).tolist() == [n_sentences], (i, j)
            assert is_valid(index, i, j) == valid, (i, j)
    edges, n_changes = index.edges()
    valid_rows = [row for row in pairs["forward"] if row[2]]
    assert edges.tolist() == [row[:2] for row in valid_rows]
    assert n_changes.tolist() == [row[3] for row in valid_rows]
    assert index.first_failure() is None


def test_the_fixtures_still_hold_what_they_are_there_for() -> None:
    """A fixture without failing pairs would let every failure rule go untested."""
    errors = Counter(
        str(case["expected"][which]) if isinstance(case["expected"][which], dict) else "fine"
        for case in micro()["visible_diff"]
        for which in ("partial", "full")
    )
    assert errors["{'error': 'AssertionError'}"] == 56
    assert errors["{'error': 'TypeError'}"] == 4


def test_recorded_object_names_are_reproduced() -> None:
    """With the words that the release found in a name as its category; then any else is dropped."""
    for name, text in micro()["object_names"]:
        if isinstance(text, dict):
            assert release_label(name, "thing") is None
            continue
        words = text.removeprefix("the ")
        assert release_label(name, f"thing_{words.replace(' ', '_')}") == words


@pytest.mark.parametrize(
    ("name", "label"),
    [("robot_r1", "robot r1"), ("fetch_zzzqqq_0", "fetch"), ("r1pro_abcdqf_0", "r1pro")],
)
def test_the_model_id_of_an_agent_is_no_word(name: str, label: str) -> None:
    assert release_label(name, "agent") == label


@pytest.mark.parametrize(
    ("name", "category", "label"),
    [
        ("top_cabinet_tynnnw_1", "top_cabinet", "top cabinet"),
        ("plate_banana_3", "banana_plate", "plate banana"),
        ("plate_banana_3", "plate", "plate"),
        ("cooked__diced__banana", "System", "cooked diced banana"),
        ("robot_r1", "agent", "robot r1"),
        ("", "", "object"),
        ("12_3", "", None),
    ],
)
def test_six_letters_are_a_word_if_the_category_has_it(
    name: str, category: str, label: str | None
) -> None:
    """Model ids have six letters too; particle systems are named by what they are."""
    assert release_label(name, category) == label


# Random worlds: the category of an object stays, and the parents of most; whether it is there, seen
# and in a state changes.
KINDS: dict[str, list[tuple[str, list[str] | None]]] = {
    "robot_r1": [("agent", None)],
    "table_7": [("table", None), ("table", [])],
    "apple_1": [("apple", None)],
    "apple_2": [("apple", None), ("apple", ["apple"])],
    "half_apple_1_0": [("half_apple", ["apple_1"]), ("half_apple", None), ("half_apple", [])],
    "half_apple_1_1": [("half_apple", ["apple_1"]), ("half_apple", ["apple"])],
    "half_apple_2_0": [("half_apple", ["apple_2"]), ("half_apple", None)],
    "diced__apple": [("System", ["apple"]), ("System", ["apple_1"]), ("System", None)],
    "mash": [("System", ["12_3"]), ("System", []), ("System", ["apple_1", "apple_2"])],
    "cooked__diced__apple": [("System", ["apple_1"]), ("System", None)],
    "cooked_mash_2": [("cooked_mash", ["apple_1", "cooked_apple_9"]), ("cooked_mash", ["table_7"])],
    "cooked": [("soup", ["apple_2", "apple_1"]), ("soup", ["a.b"])],
    "pork_and_beans_1": [("pork_and_beans", ["pork_1", "beans.x"]), ("pork_and_beans", ["a.b"])],
    "a.b": [("soup", None), ("soup", ["pork_and_beans_1"])],
    "12_3": [("table", ["apple_1"]), ("odd", None)],
    "salad(1),": [("salad", ["apple_1", "pork_and_beans_1"]), ("salad", ["apple_2", "44_5"])],
    "stew_1": [("stew", ["apple_1", "a.b", "table_7"]), ("stew", ["apple_1", "robot_r1"])],
}
RARE = ("12_3", "mash")
STATES = ("Cooked", "Open", "Foo")
PAIRS = (
    ("robot_r1", "apple_1"),
    ("robot_r1", "table_7"),
    ("apple_1", "table_7"),
    ("table_7", "apple_1"),
    ("half_apple_1_0", "a.b"),
    ("a.b", "pork_and_beans_1"),
    ("pork_and_beans_1", "robot_r1"),
    ("table_7", "table_7"),
    ("12_3", "robot_r1"),
    ("diced__apple", "table_7"),
)
LINKS = ("OnTop", "Touching", "Cooked", "ContactBodies")


@st.composite
def worlds(draw: st.DrawFn) -> list[Graph]:
    """Up to four complete graphs of the official layout."""
    kinds = {name: draw(st.sampled_from(options)) for name, options in KINDS.items()}
    turning = draw(st.sets(st.sampled_from(sorted(KINDS)), max_size=4))
    graphs = []
    for _ in range(draw(st.integers(2, 4))):
        for name in sorted(turning):
            others = [kind for kind in KINDS[name] if kind[0] == kinds[name][0]]
            kinds[name] = draw(st.sampled_from(others))
        is_there = draw(st.lists(st.booleans(), min_size=len(KINDS), max_size=len(KINDS)))
        nodes = []
        for name in sorted(name for name, there in zip(KINDS, is_there, strict=True) if there):
            if name in RARE and draw(st.integers(0, 3)):
                continue
            category, parent = kinds[name]
            seen = draw(st.sampled_from([SHOWN, SHOWN, SHOWN, HIDDEN, {}]))
            states = sorted(draw(st.sets(st.sampled_from(STATES), max_size=2)))
            node = {"name": name, "category": category, "states": states, "visibility": seen}
            nodes.append(node if parent is None else node | {"parent": parent})
        ends = draw(st.lists(st.sampled_from(PAIRS), max_size=6, unique=True))
        edges = [
            {"from": a, "to": b, "states": sorted(draw(st.sets(st.sampled_from(LINKS))))}
            for a, b in ends
        ]
        graphs.append({"nodes": nodes, "edges": edges})
    return graphs


@given(worlds())
def test_changes_of_every_pair_agree_with_the_twin(graphs: list[Graph]) -> None:
    """Signatures, failures, sentences, draws and entries: forward, backward, of a pair of one."""
    index = index_of(graphs)
    labels = labels_of(key_frame_tables(graphs)[2])
    edges = []
    failures = []
    for i, j in product(range(len(graphs)), repeat=2):
        pair = np.array([[i, j]])
        wanted: list[list[str] | dict[str, str]] = []
        n_sentences, n_draws, entries = 0, (0, 0), None
        for is_full in (False, True):
            try:
                diff = twin.visible_diff(graphs[i], graphs[j], is_full=is_full)
                wanted.append(sorted(twin.signatures(diff, labels)))
                if not is_full:
                    n_sentences = twin.count_sentences(diff, labels)
                    n_draws = twin.count_draws(diff)
                    entries = entries_of(diff, labels)
            except ERRORS as error:
                wanted.append({"error": type(error).__name__})
        assert answers(index, i, j) == tuple(wanted), (i, j)
        assert bool(index.failure_text(i, j)) == any(isinstance(w, dict) for w in wanted)
        assert index.n_sentences(pair).tolist() == [n_sentences]
        assert index.n_draws(pair).tolist() == [list(n_draws)]
        if entries is None:
            with pytest.raises(PairError, match=f"key frames {i} to {j}"):
                index.action_entries(i, j)
        else:
            assert Counter(index.action_entries(i, j)) == Counter(entries)
        failures += [(i, j)] if i < j and entries is None else []
        edges += [(i, j)] if i < j and 1 <= n_sentences <= 5 else []
    first = index.first_failure()
    assert (first and first[:2]) == (failures[0] if failures else None)
    assert list(map(tuple, index.edges()[0].tolist())) == ([] if failures else edges)
    assert len({signature_text(c) for c in index.components}) == len(index.components)


def entries_of(diff: twin.Diff, labels: twin.Labels) -> list[tuple[Any, ...]]:
    def bare(name: str) -> str:
        return twin.named(labels, name).removeprefix("the ")

    found: list[tuple[Any, ...]] = [
        (node.operation, "node", state, bare(node.name), None)
        for node in diff.nodes
        for state in node.states & twin.KNOWN
    ]
    found += [
        (edge.operation, "edge", state, *map(bare, edge.ends))
        for edge in diff.edges
        for state in edge.states & twin.KNOWN
    ]
    for former, text in twin.transitions(diff, labels):
        parents = sorted(p.removeprefix("the ").replace(" and ", " & ") for p in former)
        result = None if text == "cooked" else text.removeprefix("the ")
        state = "Transition" if result else "Cooked"
        found.append(("transition", "transition", state, " and ".join(parents), result))
    return found


def node(
    name: str,
    *states: str,
    category: str | None = None,
    parent: list[str] | None = None,
    seen: dict[str, list[int]] = SHOWN,
) -> dict[str, Any]:
    kind = name.rsplit("_", 1)[0] if category is None else category
    found = {"name": name, "category": kind, "states": list(states), "visibility": seen}
    return found if parent is None else found | {"parent": parent}


def graph(*nodes: dict[str, Any], edges: tuple[tuple[str, str, str], ...] = ()) -> Graph:
    return {
        "nodes": list(nodes),
        "edges": [{"from": a, "to": b, "states": [s]} for a, b, s in edges],
    }


def test_of_several_objects_with_one_label_the_last_by_name_says_where_they_come_from() -> None:
    """The release takes any of them; ours must not depend on the order of rows."""
    after = [
        node("soup_1", parent=["pan_1", "pot_1"], category="a"),
        node("soup_2", parent=["pot_1"], category="b"),
    ]
    for nodes in (after, after[::-1]):
        index = index_of([graph(node("pan_1"), node("pot_1")), graph(*nodes)])
        assert {str(c) for c in index.visible(0, 1)} == {"~Transition(pot, soup)"}
        assert index.n_sentences(np.array([[0, 1]])).tolist() == [1]


def test_a_substance_made_twice_comes_from_what_it_was_made_of_then() -> None:
    """Any one of its parents for all key frames would make wrong changes, or fail."""

    def diced(*parent: str) -> dict[str, Any]:
        return node("diced__tomato", category="System", parent=list(parent))

    halves = [node(f"half_tomato_{k}_0") for k in (6, 7)]
    cherry = node("cherry_tomato_9")
    index = index_of(
        [
            graph(*halves, cherry),
            graph(halves[0], cherry, diced("tomato_7")),
            graph(halves[0], cherry),
            graph(cherry, diced("tomato_6")),
            graph(diced("cherry_tomato_9")),
        ]
    )
    from_half, from_cherry = (
        f"~Transition({parent}, diced tomato)" for parent in ("half tomato", "cherry tomato")
    )
    assert {str(c) for c in index.full(0, 1)} == {from_half}
    assert {str(c) for c in index.full(2, 3)} == {from_half}
    assert {str(c) for c in index.full(2, 4)} == {from_cherry}
    assert {str(c) for c in index.full(1, 4)} == set()
    # Backwards it comes from nothing that goes.
    assert index.changes(np.array([[2, 1], [4, 2], [4, 3]]))[2][:, 1].tolist() == [1, 0, 0]
    assert index.first_failure() is None


def test_entries_come_in_the_order_of_a_text() -> None:
    """Wordings are drawn in this order: another one would change every answer."""
    index = index_of(
        [
            graph(node("cup_1", "Open"), node("pan_2"), edges=(("cup_1", "pan_2", "OnTop"),)),
            graph(
                node("cup_1", "Frozen", "Burnt"),
                node("pan_2"),
                node("cooked__cup", category="System", parent=["cup_1"]),
                edges=(("pan_2", "cup_1", "Under"),),
            ),
        ]
    )
    assert index.action_entries(0, 1) == [
        ("add", "node", "Burnt", "cup", None),
        ("add", "node", "Frozen", "cup", None),
        ("add", "edge", "Under", "pan", "cup"),
        ("remove", "node", "Open", "cup", None),
        ("remove", "edge", "OnTop", "cup", "pan"),
        ("transition", "transition", "Cooked", "cup", None),
    ]
    assert [len(index.action_entries(*pair)) for pair in ((1, 0), (1, 1))] == [5, 0]


PARTICLES = [
    graph(node("apple_1"), node("cup_1")),
    graph(node("apple_1"), node("cup_1", "Open")),
    graph(node("cup_1"), node("diced__apple", category="System", parent=["apple"])),
    graph(node("diced__apple", category="System", parent=["apple"])),
    graph(node("cup_1")),
]


def test_a_failing_pair_is_told_and_empties_the_transition_graph() -> None:
    """The release writes no question about such a demonstration; silence would look like a bug."""
    fine, failing = index_of(PARTICLES[:4]), index_of([*PARTICLES[:2], *PARTICLES[:1:-1]])
    assert fine.first_failure() is None
    assert len(fine.edges()[0]) == 5
    assert failing.first_failure() == (2, 3, 1)
    assert failing.edges()[0].shape == (0, 2)
    assert failing.failure_text(0, 1) == ""
    with pytest.raises(PairError, match=r"key frames 2 to 3: AssertionError: .*'diced__apple'"):
        failing.action_entries(2, 3)
    edges = build_transition_graph(build_segmented_frames(5), failing)
    assert edges.equals(TransitionGraph.empty())


def test_edges_of_objects_that_are_no_nodes_are_never_worded() -> None:
    """Their category is unknown; an empty one must not match other empty ones."""
    before = graph(node("cup_1"), edges=(("cup_1", "ghost_1", "OnTop"),))
    index = index_of([before, graph(node("cup_1", "Open"))])
    assert {str(c) for c in index.full(0, 1)} == {"+Open(cup)"}


def test_an_index_without_key_frames_answers_with_empty_arrays() -> None:
    """A demonstration without key frames must reach the trajectories as zero paths."""
    index = index_of([])
    pairs, n_changes = index.edges()
    assert (index.n_key_frames, pairs.shape, n_changes.shape) == (0, (0, 2), (0,))
    assert index.texts(index.visible_bits(pairs)).to_list() == []
    assert index.first_failure() is None


def test_constants_of_another_profile_are_refused() -> None:
    """Scoring one profile's questions by the other's changes would go unnoticed."""
    with pytest.raises(SettingsError, match="'paper' has no constants"):
        ReleaseDeltaIndex.from_tables(*key_frame_tables(PARTICLES[:2]), PAPER)


def test_wrong_pairs_and_tables_are_refused() -> None:
    """Compiled code does not check bounds: it would read other memory."""
    scene_graphs, visibility, objects = key_frame_tables(PARTICLES[:2])
    index = ReleaseDeltaIndex.from_tables(scene_graphs, visibility, objects, RELEASE)
    for pair in ((0, 2), (-1, 0)):
        with pytest.raises(EnactError, match=r"1 of 1 pairs name a key frame outside 0\.\.1"):
            index.action_entries(*pair)
    with pytest.raises(ReplayError, match=r"scene_graphs\.subject: 1 names.*'cup_1'"):
        ReleaseDeltaIndex.from_tables(
            scene_graphs, visibility, objects.filter(pl.col("object_name") != "cup_1"), RELEASE
        )
