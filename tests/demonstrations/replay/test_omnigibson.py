"""Raw demonstrations, played back by the real player in a second interpreter, over the fake."""

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from omnigibson_worlds import Machine, World, make_interpreter

from enact_assets.demonstrations.pictures.omnigibson_source import render_sha
from enact_assets.demonstrations.replay import omnigibson_runs
from enact_assets.demonstrations.replay.omnigibson import (
    playback_request,
    read_played,
    replay_omnigibson,
)
from enact_assets.demonstrations.replay.omnigibson_player.request import View
from enact_assets.demonstrations.replay.omnigibson_runs import Player
from enact_assets.demonstrations.replay.result import ReplayTables
from enact_assets.demonstrations.replay.validation import check_replay
from enact_assets.engine.errors import PlaybackError

pytestmark = pytest.mark.slow

KITCHEN = {"apple": "apple", "table": "table", "fridge": "fridge"}


def replayed(machine: Machine, *worlds: World, episode: int = 0, **given: Any) -> ReplayTables:
    about = machine.demonstration(*worlds, episode=episode, **given)
    name, output = about.parent.name, machine.root / "played" / about.parent.name
    tables = replay_omnigibson(name, about, output, Player())
    check_replay(tables.demonstrations, tables.facts, tables.objects)
    return tables


def held(tables: ReplayTables, predicate: str) -> list[tuple[Any, ...]]:
    rows = tables.facts.filter(pl.col("predicate") == predicate)
    return sorted(rows.select("subject", "object", "frame_from", "frame_to").rows())


def parents(tables: ReplayTables) -> dict[str, list[str]]:
    return dict(tables.objects.select("object_name", "parents").iter_rows())


def test_two_hands_hold_different_things(machine: Machine) -> None:
    world = World(
        12,
        KITCHEN,
        {
            ("Grasping:left", "robot_r1", "apple"): range(2, 9),
            ("Grasping:right", "robot_r1", "table"): range(5, 12),
        },
    )
    tables = replayed(machine, world)
    assert held(tables, "LeftGrasping") == [("robot_r1", "apple", 2, 9)]
    assert held(tables, "RightGrasping") == [("robot_r1", "table", 5, 12)]
    assert tables.demonstrations.row(0, named=True) | {"world_sha": ""} == {
        "demonstration": "raw.demo_0",
        "source": "omnigibson",
        "activity": "slicing_apples",
        "seed": None,
        "n_frames": 12,
        "frame_rate_hz": 30.0,
        "world_sha": "",
        "frame_id_runs": [0, 0],
        **dict.fromkeys(("attempts", "replaced")),
    }


def test_a_single_arm_is_the_right_one(machine: Machine) -> None:
    grasp = {("Grasping:0", "robot_r1", "apple"): range(1, 4)}
    tables = replayed(machine, World(5, KITCHEN, grasp, arms=("0",)))
    assert held(tables, "RightGrasping") == [("robot_r1", "apple", 1, 4)]


def test_opening_touching_and_what_lies_on_what(machine: Machine) -> None:
    world = World(
        10,
        KITCHEN,
        {
            ("Open", "fridge", None): [1, 2, 5, 6, 7],
            ("OnTop", "apple", "table"): range(10),
            ("Under", "table", "apple"): range(10),  # no state of the fake: nobody asks for it
            ("Touching", "apple", "table"): range(3),
            ("NextTo", "apple", "fridge"): range(10),
        },
    )
    tables = replayed(machine, world)
    assert held(tables, "Open") == [("fridge", None, 1, 3), ("fridge", None, 5, 8)]
    assert held(tables, "OnTop") == [("apple", "table", 0, 10)]
    assert held(tables, "Touching") == [("apple", "table", 0, 3)]
    assert not held(tables, "NextTo")
    assert held(tables, "Exists") == [(n, None, 0, 10) for n in sorted([*KITCHEN, "robot_r1"])]


SLICING = World(
    14,
    {"apple": "apple", "apple_1": "apple", "knife": "carving_knife", "table": "table"},
    {
        ("OnTop", "apple", "table"): range(14),
        ("OnTop", "half_apple_0", "table"): range(14),
        ("Touching", "knife", "apple_1"): range(2, 14),
        ("Particles", "diced__apple", None): range(9, 14),
        ("Covered", "table", "diced__apple"): range(10, 14),
    },
    added={
        5: {
            f"half_{name}_{k}": "half_apple" for name in ("apple", "apple_1") for k in (0, 1)
        },
    },
    removed={5: ["apple", "apple_1"], 8: ["half_apple_0"]},
    systems_added={8: ["diced__apple"]},
)  # fmt: skip


def test_halves_come_from_the_whole_that_left_also_if_two_are_cut_at_once(machine: Machine) -> None:
    tables = replayed(machine, SLICING)
    assert parents(tables) == {
        "apple": [],
        "apple_1": [],
        "knife": [],
        "robot_r1": [],
        "table": [],
        "half_apple_0": ["apple"],
        "half_apple_1": ["apple"],
        "half_apple_1_0": ["apple_1"],
        "half_apple_1_1": ["apple_1"],
        "diced__apple": ["half_apple_0"],
    }
    assert held(tables, "OnTop") == [("apple", "table", 0, 6), ("half_apple_0", "table", 6, 9)]
    assert held(tables, "Touching") == [("apple_1", "knife", 2, 6)]
    assert held(tables, "Covered") == [("table", "diced__apple", 10, 14)]
    is_system = dict(tables.objects.select("object_name", "is_particle_system").iter_rows())
    assert [name for name, yes in is_system.items() if yes] == ["diced__apple"]


def test_an_object_that_leaves_takes_its_facts_along_and_may_come_back(machine: Machine) -> None:
    world = World(
        12,
        KITCHEN,
        {("OnTop", "apple", "table"): range(12), ("Inside", "apple", "fridge"): range(12)},
        added={7: {"apple": "apple"}},
        removed={3: ["apple"]},
    )
    tables = replayed(machine, world)
    assert held(tables, "Exists")[:2] == [("apple", None, 0, 4), ("apple", None, 8, 12)]
    assert held(tables, "OnTop") == [("apple", "table", 0, 4), ("apple", "table", 8, 12)]
    assert parents(tables)["apple"] == []


def test_views_are_boxes_of_what_the_camera_labels(machine: Machine) -> None:
    world = World(6, KITCHEN, {("Hidden", "fridge", None): range(2, 4)})
    seen = replayed(machine, world).observability
    assert seen.get_column("camera").unique().to_list() == ["external_sensor1"]
    fridge = seen.filter(pl.col("object_name") == "fridge").sort("frame_from")
    assert fridge.select("frame_from", "frame_to").rows() == [(0, 2), (4, 6)]
    # Second of apple, fridge, robot, table: a stripe of 4 x 62 pixels from row 2 on.
    box = fridge.select(pl.col("^.*(pixels|px)$")).row(0)
    assert box == (4 * 62, 4, 2, 7, 63, 64, 64)


def test_a_crash_half_way_is_tried_once_more_and_what_was_done_is_kept(machine: Machine) -> None:
    plain = World(8, SLICING.objects, {("Open", "fridge", None): range(3, 8)})
    told: list[str] = []
    steps: list[tuple[float, float]] = []
    files = []
    first = machine.demonstration(plain, SLICING)
    second = first.with_name("second.json")
    second.write_text(first.read_text().replace('"episode": 0', '"episode": 1'))
    for episode, about in enumerate((first, second)):
        output = machine.root / "played" / str(episode)
        if episode == 1:
            machine.crash_at(9, times=1)
        tables = replay_omnigibson(
            f"demo_{episode}",
            about,
            output,
            Player(say=told.append),
            lambda p: steps.append((p.done, p.total)),
        )
        files.append(next(output.glob("*/replay.jsonl")))
        assert tables.demonstrations.item(0, "n_frames") == (8, 14)[episode]
    (line,) = told
    ended = "demo_1: the player was ended by SIGKILL at frame 1 of 14 or soon after."
    assert line == f"{ended} It is tried once more."
    assert not list(machine.root.rglob("excerpt*"))  # nor of the player that was killed
    assert steps[0][1] == 8
    assert steps[-1] == (14, 14)
    before = [file.stat().st_mtime_ns for file in files]
    machine.crash_at(0, times=99)  # neither is played again
    for episode, about in enumerate((first, second)):
        output = machine.root / "played" / str(episode)
        replay_omnigibson(f"demo_{episode}", about, output, Player(), print)
    assert [file.stat().st_mtime_ns for file in files] == before


def test_an_end_without_output_is_a_crash_whatever_the_exit_code(machine: Machine) -> None:
    liar = machine.root / "liar"
    liar.write_text("#!/bin/sh\nexit 0\n")
    liar.chmod(0o755)
    machine.monkeypatch.setenv("OMNIGIBSON_PYTHON", str(liar))
    about = machine.demonstration(World(3, KITCHEN))
    with pytest.raises(PlaybackError, match=r"ended without finishing its output, 2 times"):
        replay_omnigibson("d", about, machine.root / "played/d", Player(), print)


def test_the_player_sees_nothing_of_our_installation(machine: Machine) -> None:
    machine.monkeypatch.setenv("PYTHONPATH", "/nowhere")
    machine.monkeypatch.setenv("VIRTUAL_ENV", "/nowhere")
    variables = omnigibson_runs.player_variables()
    assert not {"PYTHONPATH", "VIRTUAL_ENV"} & set(variables)
    replayed(machine, World(3, KITCHEN))


def refused(machine: Machine, *worlds: World, **given: Any) -> str:
    """What the player says, in one message and without a second attempt."""
    with pytest.raises(PlaybackError) as caught:
        replayed(machine, *(worlds or (World(4, KITCHEN),)), **given)
    assert "Traceback" not in str(caught.value)
    assert ", 2 times" not in str(caught.value)
    assert not (machine.root / "crashes").exists()
    return str(caught.value)


def test_a_missing_interpreter_is_named(machine: Machine) -> None:
    about = machine.demonstration(World(4, KITCHEN))
    for value, what in (
        ("", "OMNIGIBSON_PYTHON is not set. Set OMNIGIBSON_PYTHON to the Python that OmniGibson"),
        ("no/such/python", "'no/such/python' is not a program that can be run"),
        (str(machine.root), "is not a program that can be run"),
    ):
        machine.monkeypatch.setenv("OMNIGIBSON_PYTHON", value)
        with pytest.raises(PlaybackError, match=what):
            replay_omnigibson("d", about, machine.root / "played/d", Player(), print)


def test_a_missing_gpu_is_told(machine: Machine) -> None:
    machine.set_gpu("No devices were found", code=6)
    assert "nvidia-smi lists no GPU (it said: No devices were found)" in refused(machine)
    (machine.root / "bin/nvidia-smi").unlink()
    machine.monkeypatch.setenv("PATH", str(machine.root / "bin"))
    assert "no nvidia-smi on the path: OmniGibson needs an NVIDIA RTX GPU" in refused_now(machine)


def refused_now(machine: Machine) -> str:
    about = machine.root / "recordings/raw.demo_0/omnigibson.json"
    with pytest.raises(PlaybackError) as caught:
        replay_omnigibson("d", about, machine.root / "played/d", Player(), print)
    return str(caught.value)


def test_a_missing_data_set_or_scene_is_told(machine: Machine) -> None:
    (machine.root / "data_set/scenes/Rs_int").rename(machine.root / "data_set/scenes/Beechwood")
    assert "plays in scene 'Rs_int', which is not in" in (message := refused(machine))
    assert "(there: Beechwood)" in message
    (machine.root / "key").unlink()
    assert "OmniGibson's key of the data set is not at" in refused_now(machine)
    machine.monkeypatch.setenv("OMNIGIBSON_DATASET_PATH", str(machine.root / "none"))
    assert "python -m omnigibson.install" in (message := refused_now(machine))
    assert "OmniGibson's data set is not at" in message


@pytest.mark.parametrize(
    ("given", "what"),
    [
        ({"scene_file": None}, "no attribute 'scene_file', which is the scene file it was"),
        ({"config": None}, "no attribute 'config', which is its settings"),
        ({"config": [1]}, "attribute 'config' is not a JSON object"),
    ],
)
def test_a_file_without_its_scene_or_settings_is_refused(
    machine: Machine, given: dict[str, Any], what: str
) -> None:
    assert what in refused(machine, **given)


def test_a_file_that_is_none_or_cut_off_is_refused(machine: Machine) -> None:
    about = machine.demonstration(World(4, KITCHEN))
    raw = machine.root / "raw.hdf5"
    text = about.read_text()
    about.write_text(text.replace('"episode": 0', '"episode": 7'))
    assert "no demo_7 (there: demo_0)" in refused_now(machine)
    about.write_text(text)
    raw.write_bytes(b"not HDF5")
    assert "is not a readable HDF5 file" in refused_now(machine)
    raw.unlink()
    assert "raw.hdf5 cannot be read (No such file or directory)" in refused_now(machine)
    about.write_text('{"file": 3}')
    assert "Expected `str`, got `int` - at `$.file`" in refused_now(machine)


def test_a_camera_needs_a_link_and_hands_need_names(machine: Machine) -> None:
    about = machine.demonstration(World(4, KITCHEN))
    about.write_text(about.read_text().replace("base_link", "eyes"))
    assert "no link 'eyes' to put the camera on (it has: base_link)" in refused_now(machine)
    message = refused(machine, World(4, KITCHEN, arms=("0", "1")))
    assert "has arms 0, 1: left and right cannot be told apart" in message


def test_grasps_that_version_1_1_1_cannot_restore_are_refused(machine: Machine) -> None:
    message = refused(machine, World(4, KITCHEN, grasping_mode="assisted"))
    assert (
        "recorded with grasping_mode 'assisted', whose states this version cannot load" in message
    )


def test_another_omnigibson_is_refused_before_anything_is_played(
    machine: Machine, tmp_path: Path
) -> None:
    python = make_interpreter(tmp_path / "other")
    wrapper = tmp_path / "other/fake/omnigibson/envs/data_wrapper.py"
    wrapper.write_text(wrapper.read_text().replace("episode_id, record=True", "episode, record"))
    machine.monkeypatch.setenv("OMNIGIBSON_PYTHON", str(python))
    message = refused(machine)
    assert "OmniGibson 1.1.1 (features of 1.1.1) is not as the player needs it: 2" in message
    assert "DataPlaybackWrapper.playback_episode has no parameter 'episode_id'" in message
    wrapper.unlink()
    message = refused_now(machine)
    assert "OmniGibson 1.1.1 is not one that can be played with (1.1.1, 3.7, enact, 3.9)" in message
    assert "5 differences, the first: which class plays HDF5 files (playback: none of" in message


def test_an_interpreter_without_a_package_is_refused(machine: Machine, tmp_path: Path) -> None:
    python = make_interpreter(tmp_path / "bare")
    (site,) = (tmp_path / "bare").glob("lib/python3*/site-packages")
    (site / "dagster_pipes").unlink()
    machine.monkeypatch.setenv("OMNIGIBSON_PYTHON", str(python))
    assert "has no dagster_pipes. Install dagster-pipes there" in refused(machine)
    (site / "numpy").unlink()
    assert "has no numpy. OMNIGIBSON_PYTHON must name the interpreter" in refused_now(machine)


def test_what_was_played_is_read_or_refused_by_line(machine: Machine) -> None:
    replayed(machine, SLICING)
    file = next((machine.root / "played").rglob("replay.jsonl"))
    lines = file.read_text().splitlines()

    def broken(changed: list[str]) -> str:
        copy = machine.root / "broken.jsonl"
        copy.write_text("\n".join(changed) + "\n")
        with pytest.raises(PlaybackError) as caught:
            read_played(copy, "d")
        return str(caught.value)

    assert "line 1: not a replay in format enact_assets.omnigibson.1" in broken(lines[1:])
    assert "was cut off" in broken(lines[:-1])
    assert "was cut off (found {'object': 9, 'fact'" in broken([*lines[:1], *lines[2:]])
    assert "line 3: Input data was truncated" in broken([*lines[:2], "{", *lines[3:]])
    assert "line 4: Invalid value 'fable'" in broken(
        [*lines[:3], json.dumps({"type": "fable"}), *lines[4:]]
    )


def test_the_folder_of_a_replay_is_named_by_what_decides_it(machine: Machine) -> None:
    about = machine.demonstration(World(4, KITCHEN))

    def folder(**given: Any) -> str:
        return playback_request("d", about, machine.root, **given).output

    first = folder()
    assert folder() == first
    assert folder(view=View(position_m=(0.0, 0.0, 1.0))) != first
    assert folder(frames=(1, 2)) == folder(frames=(3,)) != first
    raw = machine.root / "raw.hdf5"
    raw.write_bytes(raw.read_bytes() + b" ")
    assert folder() != first


def test_what_is_added_to_omnigibson_json_names_folders_and_pictures(machine: Machine) -> None:
    about = machine.demonstration(World(4, KITCHEN))
    plain = json.loads(about.read_text())

    def names(**fields: Any) -> set[str]:
        about.write_text(json.dumps(plain | fields))
        asked = playback_request("d", about, machine.root, frames=(1,))
        facts = playback_request("d", about, machine.root)
        return {facts.output, asked.output, render_sha("w", asked, 1)}

    without_renders = {k: v for k, v in plain.items() if k != "renders"}
    first = names()
    about.write_text(json.dumps(without_renders))
    assert playback_request("d", about, machine.root).output in first
    assert not names(renders=9) & first
    scene = about.with_name("full.json")  # a relative path begins at omnigibson.json
    scene.write_text("{}")
    full = names(full_scene_file="full.json")
    assert not full & first
    scene.write_text("[]")
    assert not names(full_scene_file="full.json") & full
    assert names(full_scene_file=str(scene)) == names(full_scene_file="full.json")
    with pytest.raises(PlaybackError, match=r"Expected `int` >= 1 - at `\$.renders`"):
        names(renders=0)
