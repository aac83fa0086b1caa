"""Rules ``enact`` through the player's process, on the fakes of all versions."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import polars as pl
import pytest
from omnigibson_worlds import LAYOUTS, PROFILES, Machine, World, write_worlds

from enact_assets.demonstrations.recordings.folders import Recordings
from enact_assets.demonstrations.replay.omnigibson import (
    playback_request,
    read_demonstration,
    read_played,
    write_demonstration,
)
from enact_assets.demonstrations.replay.omnigibson_import import import_demonstrations
from enact_assets.demonstrations.replay.omnigibson_player.request import View
from enact_assets.demonstrations.replay.omnigibson_runs import Player
from enact_assets.demonstrations.replay.recorded import read_recorded
from enact_assets.demonstrations.replay.recorded_export import FLAVOURS, write_recorded
from enact_assets.demonstrations.replay.result import ReplayTables
from enact_assets.demonstrations.replay.validation import check_replay
from enact_assets.engine.errors import PlaybackError

from reference.recorded_tables import reconstruct

pytestmark = pytest.mark.slow

Machines = Callable[[str], Machine]
N = 40
CUT, DICE, BACK = 19, 29, 34
SALAD = World(
    N,
    {
        "apple": "apple",
        "bowl": "bowl",
        "knife": "carving_knife",
        "table": "table",
        "walls": "walls",
        "toilet_udiezm_0": "toilet",
    },
    {
        ("OnTop", "apple", "bowl"): range(20),
        ("Inside", "apple", "bowl"): range(5, 15),
        ("OnTop", "knife", "table"): range(N),
        ("Under", "bowl", "knife"): range(N),
        ("OnTop", "robot_r1", "walls"): range(N),
        ("Touching", "apple", "bowl"): range(20),
        ("Open", "toilet_udiezm_0", None): range(7, N),
        ("Inside", "half_apple_0", "bowl"): range(CUT + 1, DICE + 1),
        ("Contains", "bowl", "diced__apple"): range(DICE + 2, N),
        ("Saturated", "bowl", "diced__apple"): range(DICE + 3, N),
        ("Under", "apple", "bowl"): range(BACK + 1, N),
        ("SlicerActive", "knife", None): range(N),
        ("Covered", "robot_r1", "diced__apple"): range(DICE + 1, N),
        ("Particles", "diced__apple", None): range(DICE + 1, N),
        # The knife is held while the gripper is closed, a finger touches it, and the ray meets it.
        ("Closed:left", "robot_r1", None): [*range(8, 26), *range(33, 36)],
        ("Touches:left", "knife", None): range(6, 36),
        ("Hit:left", "knife", None): range(10, 30),
        ("Touches:left", "bowl", None): range(12, 14),
    },
    added={
        CUT: {"half_apple_0": "half_apple", "half_apple_1": "half_apple"},
        BACK: {"apple": "apple"},
    },
    removed={CUT: ["apple"], DICE: ["half_apple_0", "half_apple_1"]},
    systems_added={DICE: ["diced__apple"]},
    robot_class="R1Pro",
    grasping_mode="assisted",
    scope=("robot_r1", "apple", "bowl", "knife", "diced__apple"),
)
FACTS = {
    ("OnTop", "apple", "bowl", 0, 5),
    ("OnTop", "apple", "bowl", 15, 20),
    ("Inside", "apple", "bowl", 5, 15),
    ("Under", "bowl", "knife", 0, 10),
    ("Under", "bowl", "knife", 26, N),
    ("Open", "toilet_udiezm_0", None, 7, N),
    ("Inside", "half_apple_0", "bowl", CUT + 1, DICE + 1),
    ("Contains", "bowl", "diced__apple", DICE + 2, N),
    ("Saturated", "bowl", "diced__apple", DICE + 3, N),
    ("Under", "apple", "bowl", BACK + 1, N),
    ("LeftGrasping", "robot_r1", "knife", 10, 26),
}
PARENTS: dict[str, list[str] | None] = {
    "apple": None,
    "bowl": None,
    "knife": None,
    "robot_r1": None,
    "toilet_udiezm_0": None,
    "half_apple_0": ["apple"],
    "half_apple_1": ["apple"],
    "diced__apple": ["apple"],
}


def world_of(profile: str) -> World:
    """OmniGibson 1.1.1 has no R1Pro, and plays physical grasps only; 3.9 has what is held in rows,
    of a file that it recorded itself."""
    world = replace(SALAD, facts=dict(SALAD.facts))
    if profile == "1.1.1":
        return replace(world, robot_class="R1", grasping_mode="physical")
    if profile == "3.9":
        world.facts[("Attached:left", "robot_r1", "knife")] = range(10, 26)
        for name in ("Touches:left", "Hit:left"):  # not looked at
            del world.facts[(name, "knife", None)]
    return world


def imported(machine: Machine, world: World) -> Path:
    """The ``omnigibson.json`` that importing a file of ``world`` writes."""
    metadata = machine.data_set / "systems/diced__apple/metadata.json"
    metadata.parent.mkdir(parents=True, exist_ok=True)
    metadata.write_text('{"type": "macro_physical_particle"}')
    raw = machine.root / "salad.hdf5"
    write_worlds(machine.python, raw, world, layout=LAYOUTS[machine.profile])
    recordings = Recordings(machine.root / "recordings")
    [name], _ = import_demonstrations(raw, recordings)
    return recordings.file(name)


def played(machine: Machine, about: Path, **changes: Any) -> ReplayTables:
    request = playback_request("d", about, machine.root / "played", **changes)
    file = Path(request.output) / "replay.jsonl"
    Player().run(request, file.is_file)
    tables = read_played(file, "d")
    check_replay(tables.demonstrations, tables.facts, tables.objects)
    return tables


def facts_of(tables: ReplayTables) -> set[tuple[Any, ...]]:
    columns = ("predicate", "subject", "object", "frame_from", "frame_to")
    return {row for row in tables.facts.select(columns).iter_rows() if row[0] != "Exists"}


@pytest.mark.parametrize("profile", PROFILES)
def test_all_versions_write_the_facts_of_the_authors_replay(
    machines: Machines, profile: str
) -> None:
    machine = machines(profile)
    about = imported(machine, world_of(profile))
    for chunk_frames in (1000, 9):
        tables = played(machine, about, chunk_frames=chunk_frames)
        assert facts_of(tables) == FACTS
        assert dict(tables.objects.select("object_name", "parents").iter_rows()) == PARENTS
        seen = set(tables.observability["object_name"])
        assert seen == set(PARENTS)
    everything = facts_of(played(machine, about, rules="all"))
    assert ("OnTop", "knife", "table", 0, N) in everything
    assert ("Touching", "apple", "bowl", 0, 20) in everything
    assert ("OnTop", "apple", "bowl", 0, 20) in everything
    held = {fact for fact in everything if "Grasping" in fact[0]}
    # Friction is OmniGibson's to say; all others are held by the same rule as above.
    assert held == (
        set() if profile == "1.1.1" else {("LeftGrasping", "robot_r1", "knife", 10, 26)}
    )


@pytest.mark.parametrize("profile", ["3.7", "3.9"])
def test_6_physical_grasps_follow_the_same_rule_also_without_a_state_of_contacts(
    machines: Machines, profile: str
) -> None:
    """3.9 has no state ``ContactBodies``: there the gripper is asked what it feels."""
    machine = machines(profile)
    assert (
        facts_of(played(machine, imported(machine, replace(SALAD, grasping_mode="physical"))))
        == FACTS
    )


Graph = dict[str, Any]


def graph_at(frame: int) -> Graph:
    """What the authors' replay writes of a frame of SALAD, by hand."""
    category = {"robot_r1": "agent", **SALAD.objects, **SALAD.added[CUT]}
    holding = [(p, s, o) for p, s, o, start, stop in FACTS if start <= frame < stop]
    nodes: list[Graph] = []
    for name in SALAD.there()[frame] & set(PARENTS):
        states = [p for p, s, o in holding if (s, o) == (name, None)]
        node = {"name": name, "category": category.get(name, "System"), "states": states}
        parents = PARENTS[name]
        nodes.append(node if parents is None else {**node, "parent": parents})
    pairs = {(s, o) for _, s, o in holding if o is not None}
    edges = [
        {"from": s, "to": o, "states": [p for p, *of in holding if of == [s, o]]} for s, o in pairs
    ]
    return {"nodes": nodes, "edges": edges}


def in_order(graph: Graph) -> list[str]:
    """Nodes and edges without what is seen; their order, and that of states, says nothing."""
    records = [dict(record) for record in (*graph["nodes"], *graph["edges"])]
    for record in records:
        record.pop("visibility", None)
        record["states"] = sorted(record["states"])
    return sorted(json.dumps(record, sort_keys=True) for record in records)


def test_8_exported_facts_are_the_authors_graphs_to_the_releases_reader(
    machines: Machines, tmp_path: Path
) -> None:
    machine = machines("3.7")
    tables = played(machine, imported(machine, world_of("3.7")))
    file = tmp_path / "scene_graph_0.json"
    for flavour in FLAVOURS:
        write_recorded(tables, file, flavour=flavour)
        graphs = list(reconstruct(json.loads(file.read_text())))
        assert [frame for frame, _ in graphs] == list(range(N))
        for frame, graph in graphs:
            assert in_order(graph) == in_order(graph_at(frame))
        again = read_recorded(file, "d")
        assert facts_of(again) == FACTS
        # The layout has one list per node: what comes back without parents had none before.
        assert again.objects.sort(pl.all()).equals(tables.objects.sort(pl.all()))


def test_10_the_default_camera_of_r1pro_is_that_of_the_authors(machines: Machines) -> None:
    for profile in ("3.7", "enact", "3.9"):
        about = read_demonstration(imported(machines(profile), world_of(profile)))
        assert about.rules == "enact"
        assert about.view() == View()
        assert (about.link, about.position_m) == ("zed_link", (0.06, 0.01, 0.15))
        assert about.orientation_xyzw == (-1.0, 0.0, 0.0, 0.0)
        assert (about.view().name, about.size_px) == ("external_sensor1", 512)
        assert (about.view().aperture_mm, about.view().focal_length_mm) == (40.0, 17.0)
    other = read_demonstration(imported(machines("1.1.1"), world_of("1.1.1")))
    assert (other.link, other.position_m) == ("base_link", (-0.4, 0.0, 1.75))


def test_the_camera_is_where_it_was_asked_for_and_high_is_up(machines: Machines) -> None:
    machine = machines("3.7")
    about = imported(machine, world_of("3.7"))
    played(machine, about)
    seen = machine.seen()[0]
    assert seen["path"] == "/controllable__r1pro__robot_r1/zed_link/external_sensor1"
    assert seen["position"] == [0.06, 0.01, 0.15]
    # The link's y axis points down, its z axis forward.
    high = read_demonstration(about).view(height_offset_m=0.5)
    assert high.lifted_m == pytest.approx((0.06, -0.49, 0.15))
    assert View(link="base_link", height_offset_m=0.5).lifted_m == pytest.approx((0.06, 0.01, 0.65))


def test_without_a_task_the_rules_refuse_and_all_objects_can_be_had(machines: Machines) -> None:
    machine = machines("3.7")
    about = imported(machine, replace(world_of("3.7"), scope=("pear",)))
    with pytest.raises(PlaybackError, match="none of the 1 objects of its task is in the scene"):
        played(machine, about)
    write_demonstration(about, msgspec.structs.replace(read_demonstration(about), rules="all"))
    assert facts_of(played(machine, about))


def test_rules_are_part_of_what_facts_depend_on_and_not_of_pictures(machines: Machines) -> None:
    machine = machines("1.1.1")
    about = imported(machine, world_of("1.1.1"))

    def folder(**changes: Any) -> str:
        return playback_request("d", about, machine.root / "played", **changes).output

    assert folder() != folder(rules="all")
    assert folder(frames=(1,)) == folder(frames=(2,), rules="all")
