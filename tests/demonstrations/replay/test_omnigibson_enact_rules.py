"""Rules ``enact``: one case per rule of the authors' scene graph builder, on graphs made by hand.

Facts by them, from states of a small simulator to the release's scene graphs."""

import gzip
import itertools
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import polars as pl
import pytest
from omnigibson_fakes import ROWS

from enact_assets.demonstrations.replay.omnigibson import read_played
from enact_assets.demonstrations.replay.omnigibson_player import enact_rules as rules
from enact_assets.demonstrations.replay.omnigibson_player.enact_rules import (
    Selection,
    Thing,
    kept,
    parents_of,
)
from enact_assets.demonstrations.replay.omnigibson_player.facts import EnactFacts
from enact_assets.demonstrations.replay.omnigibson_player.reply import IntervalWriter
from enact_assets.demonstrations.replay.omnigibson_player.request import RefusalError
from enact_assets.demonstrations.replay.recorded import read_recorded
from enact_assets.demonstrations.replay.recorded_export import write_recorded
from enact_assets.demonstrations.replay.result import ReplayTables
from enact_assets.demonstrations.replay.validation import check_replay
from enact_assets.settings.predicates import RELEASE_PREDICATES

from reference.recorded_tables import reconstruct
from reference.release_deltas import state_diff

THINGS = {
    "robot": Thing("agent", "robot"),
    "apple": Thing("apple"),
    "bowl": Thing("bowl"),
    "box": Thing("box"),
    "box_1": Thing("box"),
    "shelf": Thing("shelf"),
    "ceilings": Thing("ceilings"),
    "floor": Thing("floors"),
    "drive": Thing("driveway"),
    "grass": Thing("lawn"),
    "water": Thing("System", "system"),
}
Edges = dict[tuple[str, str], set[str]]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        pytest.param(
            {("apple", "bowl"): "OnTop Under"}, {("apple", "bowl"): "OnTop Under"}, id="0"
        ),
        pytest.param(
            {("robot", "floor"): "OnTop", ("apple", "robot"): "OnTop Inside Under AttachedTo"},
            {("apple", "robot"): "AttachedTo"},
            id="on, in and under a robot",
        ),
        pytest.param(
            {("robot", "water"): "Covered Contains", ("bowl", "water"): "Covered"},
            {("robot", "water"): "Contains", ("bowl", "water"): "Covered"},
            id="a robot covered by a system",
        ),
        pytest.param(
            {("apple", "bowl"): "Inside OnTop Under"},
            {("apple", "bowl"): "Inside Under"},
            id="on top beside inside",
        ),
        pytest.param(
            {("bowl", "apple"): "Under OnTop AttachedTo", ("apple", "bowl"): "Inside"},
            {("bowl", "apple"): "AttachedTo", ("apple", "bowl"): "Inside"},
            id="nested the other way",
        ),
        pytest.param(
            {
                ("apple", "shelf"): "Inside",
                ("bowl", "box"): "Inside",
                ("apple", "bowl"): "OnTop",
                ("bowl", "apple"): "Under",
                ("apple", "box_1"): "OnTop",
            },
            {
                ("apple", "shelf"): "Inside",
                ("bowl", "box"): "Inside",
                ("apple", "box_1"): "OnTop",
            },
            id="both inside something",
        ),
        pytest.param(
            {("apple", "ceilings"): "Under OnTop"}, {("apple", "ceilings"): "OnTop"}, id="ceiling"
        ),
        pytest.param(
            {(g, "apple"): "Under OnTop" for g in ("floor", "drive", "grass")},
            {(g, "apple"): "OnTop" for g in ("floor", "drive", "grass")},
            id="ground under a thing",
        ),
        pytest.param(
            {("apple", "floor"): "Under"}, {("apple", "floor"): "Under"}, id="a thing under ground"
        ),
        pytest.param(
            {("box", "box_1"): "OnTop Under Touching Draped"},
            {("box", "box_1"): "Draped"},
            id="one category",
        ),
        pytest.param(
            {
                ("robot", "apple"): "LeftGrasping",
                ("apple", "bowl"): "Under OnTop",
                ("shelf", "apple"): "Under",
                ("shelf", "bowl"): "Under",
            },
            {
                ("robot", "apple"): "LeftGrasping",
                ("apple", "bowl"): "OnTop",
                ("shelf", "bowl"): "Under",
            },
            id="either is held",
        ),
        pytest.param(
            {("robot", "apple"): "RightGrasping OnTop"},
            {("robot", "apple"): "RightGrasping"},
            id="a grasp stays",
        ),
        pytest.param(
            # The apple is in the bowl still for the second edge, though it lies on the robot too.
            {("apple", "robot"): "Inside", ("bowl", "box"): "Inside", ("apple", "bowl"): "OnTop"},
            {("bowl", "box"): "Inside"},
            id="what is dropped still counts",
        ),
    ],
)
def test_7_each_rule_drops_what_the_replay_drops(
    given: dict[tuple[str, str], str], expected: dict[tuple[str, str], str]
) -> None:
    edges = {pair: set(states.split()) for pair, states in given.items()}
    assert kept(edges, THINGS) == {pair: set(text.split()) for pair, text in expected.items()}


def test_7_task_furniture_and_what_comes_later_count() -> None:
    selection = Selection(["robot", "apple", "knife_of_another_scene"])
    start = ["robot", "apple", "table", "toilet_udiezm_0", "walls", "dust"]
    assert selection.at(start) == {"robot", "apple", "toilet_udiezm_0"}
    cut = ["robot", "table", "toilet_udiezm_0", "walls", "half_apple_0", "diced__apple", "dust"]
    assert selection.at(cut) == {"robot", "toilet_udiezm_0", "half_apple_0", "diced__apple"}
    # The table leaves and comes back: from then on it counts. The apple counts again.
    assert selection.at(["robot", "apple"]) == {"robot", "apple"}
    assert selection.at(["robot", "table", "apple", "dust"]) == {"robot", "table", "apple", "dust"}


def test_7_parents_are_the_one_thing_that_left_or_what_a_system_says() -> None:
    assert parents_of("half_apple_0", {"apple"}, is_system=False) == ["apple"]
    assert parents_of("half_apple_0", {"apple", "pear"}, is_system=False) is None
    assert parents_of("cup", set(), is_system=False) is None
    assert parents_of("diced__apple", {"half_apple_0", "half_apple_1"}, is_system=True) == ["apple"]
    assert parents_of("water", set(), is_system=True) == ["water"]
    assert parents_of("cooked__diced__apple", {"x"}, is_system=True) == ["cooked__apple"]


def test_states_are_all_of_omnigibson_but_those_excluded() -> None:
    written = [*rules.STATES, *rules.RELATIONS, *rules.PARTICLE_RELATIONS]
    boolean = ROWS["1.1.1"]["boolean_states"]
    # IsGrasping, which the release does not word, is left out too; docs/sources.md says so.
    assert sorted([*written, *rules.EXCLUDED, "IsGrasping"]) == sorted(boolean)
    assert {*written, rules.LEFT, rules.RIGHT} <= set(RELEASE_PREDICATES)
    assert len(rules.FURNITURE) == 17


def slow_twin(edges: Edges, things: dict[str, Thing]) -> Edges:
    """The rules of docs/sources.md, one after the other, each over all edges."""
    said = [(a, b, s) for (a, b), states in edges.items() for s in states]
    held = [b for a, b, s in said if things[a].kind == "robot" and s.endswith("Grasping")]
    inside = [a for a, _, s in said if s == "Inside"]

    def is_dropped(a: str, b: str, s: str) -> bool:
        one, two = things[a], things[b]
        if "system" in (one.kind, two.kind):
            return one.kind == "robot" and s == "Covered"
        return (
            ("robot" in (one.kind, two.kind) and s in ("OnTop", "Inside", "Under"))
            or (s == "OnTop" and (a, b, "Inside") in said)
            or (s in ("OnTop", "Under") and (b, a, "Inside") in said)
            or (s in ("OnTop", "Under") and a in inside and b in inside)
            or (s == "Under" and "ceiling" in two.category)
            or (s in ("OnTop", "Under", "Touching") and one.category == two.category)
            or (s == "Under" and one.category in ("floors", "driveway", "lawn"))
            or (s == "Under" and (a in held or b in held))
        )

    found: Edges = {}
    for a, b, s in said:
        if not is_dropped(a, b, s):
            found.setdefault((a, b), set()).add(s)
    return found


def test_all_rules_together_equal_the_slow_twin() -> None:
    names = ("robot", "apple", "box", "box_1", "floor", "water")
    pairs = list(itertools.permutations(names, 2))
    states: list[Any] = ["OnTop", "Inside", "Under", "Covered", "LeftGrasping", "AttachedTo"]
    for k in range(1, 60):
        edges = {
            pair: {s for j, s in enumerate(states) if (k * (i + 3) + j * j * 7 + i * j) % 5 == 0}
            for i, pair in enumerate(pairs)
            if (k + i) % 7 < 4
        }
        for pair, held in edges.items():
            if pair[0] != "robot":
                held.discard("LeftGrasping")
        assert kept(edges, THINGS) == slow_twin(edges, THINGS)


Graph = dict[str, Any]
BOX = (90, 1, 2, 10, 10, 64, 64)

CATEGORIES = {
    "robot_r1": "agent",
    "apple": "apple",
    "bowl": "bowl",
    "knife": "carving_knife",
    "toilet_udiezm_0": "toilet",
    "walls": "walls",
    "table": "table",
    "half_apple_0": "half_apple",
    "half_apple_1": "half_apple",
}
TASK = ("robot_r1", "apple", "bowl", "knife", "dust")
FRAMES: list[tuple[str, str]] = [
    # What is there, and what holds; the robot's left gripper is closed where it says so.
    (
        "robot_r1 apple bowl knife toilet_udiezm_0 walls table dust",
        (
            "apple OnTop table, apple Touching bowl, knife OnTop bowl, bowl Covered dust,"
            " apple Frozen, walls Under apple, robot_r1 OnTop bowl, robot_r1 Covered dust"
        ),
    ),
    (
        "robot_r1 apple bowl knife toilet_udiezm_0 walls table dust",
        (
            "apple Inside bowl, apple OnTop bowl, bowl Under apple, knife Touches left,"
            " closed left, knife Hit left, bowl Under knife, bowl Covered dust,"
            " toilet_udiezm_0 Open"
        ),
    ),
    (
        "robot_r1 bowl knife toilet_udiezm_0 walls table half_apple_0 half_apple_1 dust",
        (
            "half_apple_0 Inside bowl, half_apple_1 Inside bowl, half_apple_0 OnTop half_apple_1,"
            " knife Touches left, closed left, bowl Saturated dust, toilet_udiezm_0 Open"
        ),
    ),
    (
        "robot_r1 bowl knife toilet_udiezm_0 walls table diced__apple",
        "bowl Contains diced__apple, knife OnTop toilet_udiezm_0, toilet_udiezm_0 Open",
    ),
    (
        "robot_r1 bowl knife toilet_udiezm_0 walls table diced__apple apple",
        "bowl Contains diced__apple, apple Cooked, apple Under bowl, toilet_udiezm_0 Open",
    ),
]


def node(name: str, states: str = "", *, parent: list[str] | None = None) -> Graph:
    category = CATEGORIES.get(name, "System")
    seen = {"external_sensor1": list(BOX)}
    made = {"name": name, "category": category, "states": states.split(), "visibility": seen}
    return made if parent is None else {**made, "parent": parent}


def edge(subject: str, states: str, other: str) -> Graph:
    return {"from": subject, "to": other, "states": states.split()}


DICED = node("diced__apple", parent=["apple"])
HALVES = [node(f"half_apple_{k}", parent=["apple"]) for k in (0, 1)]
AUTHORS: list[Graph] = [
    {
        "nodes": [node(n) for n in ("robot_r1", "apple", "bowl", "knife", "toilet_udiezm_0")]
        + [node("dust")],
        "edges": [edge("knife", "OnTop", "bowl"), edge("bowl", "Covered", "dust")],
    },
    {
        "nodes": [node(n) for n in ("robot_r1", "apple", "bowl", "knife")]
        + [node("toilet_udiezm_0", "Open"), node("dust")],
        "edges": [
            edge("apple", "Inside", "bowl"),
            edge("robot_r1", "LeftGrasping", "knife"),
            edge("bowl", "Covered", "dust"),
        ],
    },
    {
        "nodes": [node(n) for n in ("robot_r1", "bowl", "knife")]
        + [node("toilet_udiezm_0", "Open"), node("dust"), *HALVES],
        "edges": [
            edge("half_apple_0", "Inside", "bowl"),
            edge("half_apple_1", "Inside", "bowl"),
            edge("bowl", "Saturated", "dust"),
        ],
    },
    {
        "nodes": [node(n) for n in ("robot_r1", "bowl", "knife")]
        + [node("toilet_udiezm_0", "Open"), DICED],
        "edges": [
            edge("bowl", "Contains", "diced__apple"),
            edge("knife", "OnTop", "toilet_udiezm_0"),
        ],
    },
    {
        "nodes": [node(n) for n in ("robot_r1", "bowl", "knife")]
        + [node("toilet_udiezm_0", "Open"), DICED, node("apple", "Cooked")],
        "edges": [edge("bowl", "Contains", "diced__apple"), edge("apple", "Under", "bowl")],
    },
]
"""What the authors' replay writes of FRAMES, by hand."""

KINDS = {
    name: type(name, (), {})
    for name in "OnTop Inside Under Touching Covered Contains Saturated".split()  # noqa: SIM905
} | {name: type(name, (), {}) for name in ("Frozen", "Open", "Cooked", "ContactBodies")}


class Small:
    """A simulator of one frame after the other; ``env`` and ``scene`` are itself."""

    def __init__(self, task: Any) -> None:
        self.task = task
        self.holds: set[str] = set()
        self.finger = object()
        self._things: dict[str, Any] = {}

    def load(self, there: str, holds: str) -> None:
        self.holds = {text.strip() for text in holds.split(",")}
        made = {n: self._things.get(n) or self._make(n) for n in there.split() if n in CATEGORIES}
        self._things = made
        self.active_systems = {
            name: SimpleNamespace(name=name) for name in there.split() if name not in CATEGORIES
        }

    def _make(self, name: str) -> Any:
        def state_of(kind: str) -> Any:
            if kind == "ContactBodies":
                return SimpleNamespace(
                    get_value=lambda: {self.finger} if f"{name} Touches left" in self.holds else ()
                )
            if kind in ("Frozen", "Open", "Cooked"):
                return SimpleNamespace(get_value=lambda: f"{name} {kind}" in self.holds)

            def of_pair(other: Any) -> bool:
                is_system = other.name not in CATEGORIES
                if is_system != (kind in ("Covered", "Contains", "Saturated")):
                    raise ValueError("fails, as OmniGibson's")
                return f"{name} {kind} {other.name}" in self.holds

            return SimpleNamespace(get_value=of_pair)

        states = {made: state_of(kind) for kind, made in KINDS.items()}
        links = {"base_link": SimpleNamespace(prim_path=f"/{name}")}
        return SimpleNamespace(name=name, category=CATEGORIES[name], states=states, links=links)

    @property
    def objects(self) -> list[Any]:
        return list(self._things.values())

    @property
    def robots(self) -> list[Any]:
        robot = self._things["robot_r1"]
        robot.arm_names = ["left"]
        target = 0.0 if "closed left" in self.holds else 0.05
        controller = SimpleNamespace(
            goal={"target": [target]}, _command_output_limits=([0.0], [0.05])
        )
        robot.controllers = {"gripper_left": controller}
        robot.finger_links = {"left": [self.finger]}
        robot._find_gripper_raycast_collisions = lambda arm: {
            f"/{text.split()[0]}" for text in self.holds if text.endswith(f"Hit {arm}")
        }
        return [robot]


def task(*names: str) -> Any:
    scope = {f"{n}.n.01_1": SimpleNamespace(wrapped_obj=SimpleNamespace(name=n)) for n in names}
    return SimpleNamespace(object_scope={**scope, "gone.n.01_1": SimpleNamespace(wrapped_obj=None)})


@pytest.fixture
def played(tmp_path: Path) -> ReplayTables:
    header = {
        "activity": "slicing_apples",
        "frame_rate_hz": 30.0,
        "source_sha": "0",
        "camera": "external_sensor1",
    }
    small = Small(task(*TASK))
    with IntervalWriter(tmp_path / "replay.jsonl", header) as writer:
        facts = EnactFacts(writer, "here", "assisted", is_grasp_in_state=False)
        for frame, (there, holds) in enumerate(FRAMES):
            small.load(there, holds)
            held, names = facts.at(small, small)
            writer.add_frame(frame, held, dict.fromkeys(names, BOX))
        writer.finish(len(FRAMES))
    return read_played(tmp_path / "replay.jsonl", "d")


def in_order(graph: Graph) -> list[str]:
    """Texts of nodes and edges; their order, and that of states, says nothing."""
    records = [*graph["nodes"], *graph["edges"]]
    return sorted(json.dumps({**r, "states": sorted(r["states"])}, sort_keys=True) for r in records)


@pytest.mark.parametrize("flavour", ["full", "diff"])
def test_8_exported_facts_are_the_authors_graphs_to_the_releases_reader(
    played: ReplayTables, tmp_path: Path, flavour: Any
) -> None:
    check_replay(played.demonstrations, played.facts, played.objects)
    file = tmp_path / "scene_graph_0.json.gz"
    write_recorded(played, file, flavour=flavour)
    frames = json.loads(gzip.decompress(file.read_bytes()))
    read = [(number, json.loads(json.dumps(graph))) for number, graph in reconstruct(frames)]
    assert [number for number, _ in read] == list(range(len(FRAMES)))
    for (_, graph), authors in zip(read, AUTHORS, strict=True):
        assert in_order(graph) == in_order(authors)
    for k, j in ((0, 1), (1, 2), (2, 3), (3, 4), (0, 2), (0, 3)):
        ours, theirs = (state_diff(g[k], g[j]) for g in ([g for _, g in read], AUTHORS))
        assert sorted(map(str, ours.nodes)) == sorted(map(str, theirs.nodes))
        assert set(ours.edges) == set(theirs.edges)
    if flavour == "full":
        again = read_recorded(file, "d")
        columns = ["predicate", "subject", "object", "frame_from", "frame_to"]
        assert again.facts.select(columns).equals(played.facts.select(columns))
        # The layout has one list per node: what comes back without parents had none before.
        assert again.objects.sort(pl.all()).equals(played.objects.sort(pl.all()))


def test_a_task_without_objects_is_refused(tmp_path: Path) -> None:
    for scope, part in (
        (SimpleNamespace(), "has no objects of its own, by which rules 'enact' select"),
        (
            task("pear"),
            "none of the 2 objects of its task is in the scene, the first: 'gone",
        ),
    ):
        small = Small(scope)
        small.load(*FRAMES[0])
        with IntervalWriter(tmp_path / "replay.jsonl", {}) as writer:
            facts = EnactFacts(writer, "here", "physical", is_grasp_in_state=False)
            with pytest.raises(RefusalError, match=part):
                facts.at(small, small)
