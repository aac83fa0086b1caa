"""The player on four versions of OmniGibson: ``omnigibson_fakes.py`` makes one fake of each.

Fakes prove names and flow only. The numbers are those of the acceptance points of the issue's
specification.
"""

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from omnigibson_worlds import (
    LAYOUTS,
    PROFILES,
    Layout,
    Machine,
    World,
    make_interpreter,
    write_worlds,
)
from PIL import Image
from test_omnigibson import held, refused, replayed

from enact_assets.demonstrations.replay.omnigibson import playback_request
from enact_assets.demonstrations.replay.omnigibson_import import list_demonstrations
from enact_assets.demonstrations.replay.omnigibson_runs import Player
from enact_assets.engine.errors import PlaybackError

pytestmark = pytest.mark.slow

Machines = Callable[[str], Machine]
SCRIPT = World(
    90,
    {"apple": "apple", "table": "table", "fridge": "fridge", "knife": "carving_knife"},
    {
        ("OnTop", "apple", "table"): range(40),
        ("Open", "fridge", None): [*range(10, 30), 70],
        ("Touching", "knife", "apple"): range(38, 41),
        ("Hidden", "fridge", None): range(50, 60),
        ("Grasping:right", "robot_r1", "knife"): range(20, 75),
        ("OnTop", "half_apple_0", "table"): range(41, 62),
        ("Particles", "diced__apple", None): range(62, 90),
        ("Covered", "table", "diced__apple"): range(63, 90),
    },
    added={40: {"half_apple_0": "half_apple", "half_apple_1": "half_apple"}},
    removed={40: ["apple"], 61: ["half_apple_0"]},
    systems_added={61: ["diced__apple"]},
    asleep={"fridge": range(31, 69), "table": range(5, 90)},
)


def played(machine: Machine, world: World, layout: Layout | None = None, **given: Any) -> Path:
    """The folder of what was played of ``world``, whose file has the machine's layout unless one
    is given."""
    written = {} if layout is None else {"layout": layout}
    about = machine.demonstration(world, **written)
    request = playback_request("d", about, machine.root / "p", **given)
    folder = Path(request.output)
    if request.frames is None:
        found = folder / "replay.jsonl"
    else:
        found = folder / f"pictures/{request.frames[-1]:06d}.png"
    Player().run(request, found.is_file)
    return folder


def facts_of(folder: Path) -> list[dict[str, Any]]:
    """What was written, but for what names the file and the version."""
    lines = [json.loads(line) for line in (folder / "replay.jsonl").read_text().splitlines()]
    return [
        {k: v for k, v in one.items() if k not in ("source_sha", "omnigibson")} for one in lines
    ]


def test_1_the_same_script_gives_the_same_facts_boxes_and_pictures(machines: Machines) -> None:
    facts, pictures = {}, {}
    for profile in PROFILES:
        machine = machines(profile)
        metadata = machine.data_set / "systems/diced__apple/metadata.json"
        metadata.parent.mkdir(parents=True)
        metadata.write_text('{"type": "macro_physical_particle"}')
        facts[profile] = facts_of(played(machine, SCRIPT))
        folder = played(machine, SCRIPT, frames=(3, 41, 88))
        pictures[profile] = {p.name: p.read_bytes() for p in (folder / "pictures").glob("*.png")}
    assert len(facts["1.1.1"]) > 30
    assert len(pictures["1.1.1"]) == 3
    for profile in PROFILES:
        assert facts[profile] == facts["1.1.1"], profile
        assert pictures[profile] == pictures["1.1.1"], profile


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("size", [7, 33, 1000])
def test_5_frame_numbers_reach_the_watcher_unshifted(
    machines: Machines, profile: str, size: int
) -> None:
    """States of the fake carry their frame number, which its camera logs and shows."""
    machine = machines(profile)
    world = replace(SCRIPT, systems_added={}, facts={("Open", "fridge", None): range(45, 90)})
    played(machine, world, chunk_frames=size)
    assert [seen["frame"] for seen in machine.seen()] == list(range(90))
    frames = (0, 1, 39, 40, 41, 42, 89)
    folder = played(machine, world, chunk_frames=size, frames=frames)
    for frame in frames:
        with Image.open(folder / f"pictures/{frame:06d}.png") as picture:
            assert picture.getpixel((0, 0))[0] == frame
    seen = machine.seen()[90:]
    assert [bool(s["holding"]) for s in seen] == [False] * 6 + [True]
    assert LAYOUTS[profile].is_as_many == (profile == "3.9")


SHORT = World(6, {"apple": "apple", "table": "table"}, {("OnTop", "apple", "table"): range(2, 5)})


def test_3_states_may_be_one_more_than_actions_or_as_many(machines: Machines) -> None:
    """Whatever the version that plays: excerpts have the layout that it expects."""
    machine = machines("3.7")
    expected = facts_of(played(machine, SHORT))
    as_many = replace(LAYOUTS["3.7"], is_as_many=True, version="3.8.0")
    assert facts_of(played(machine, SHORT, as_many, chunk_frames=2)) == expected
    raw = machine.root / "n.hdf5"
    for version in (None, "3.10.1"):
        write_worlds(machine.python, raw, SHORT, layout=replace(as_many, version=version))
        assert len(list_demonstrations(raw).demonstrations) == 1
    write_worlds(machine.python, raw, SHORT, layout=replace(as_many, version="3.7.2"))
    with pytest.raises(PlaybackError, match=r"6 states and 6 actions; .* was cut off"):
        list_demonstrations(raw)
    machine = machines("3.9")
    one_more = replace(LAYOUTS["3.9"], is_as_many=False)
    assert facts_of(played(machine, SHORT, one_more, chunk_frames=2)) == expected
    cut = write_worlds(machine.python, machine.root / "cut.hdf5", SHORT, cut_off={0: "action"})
    with pytest.raises(
        PlaybackError, match=r"6 states and 4 actions; .* The recording was cut off"
    ):
        list_demonstrations(cut)


def test_3_the_camera_rides_on_r1pro_and_on_a_robot_with_a_model(machines: Machines) -> None:
    for profile in ("3.7", "enact", "3.9"):
        machine = machines(profile)
        played(machine, replace(SHORT, robot_class="R1Pro"))
        paths = {seen["path"] for seen in machine.seen()}
        assert paths == {"/controllable__r1pro__robot_r1/base_link/external_sensor1"}


def test_3_the_longest_of_several_demonstrations_is_offered_first(machines: Machines) -> None:
    machine = machines("3.7")
    worlds = [World(n, {"apple": "apple"}) for n in (5, 30, 12)]
    raw = write_worlds(machine.python, machine.root / "raw.hdf5", *worlds, layout=LAYOUTS["3.7"])
    found = list_demonstrations(raw).demonstrations
    assert [(one.episode, one.n_frames) for one in found] == [(1, 30), (2, 12), (0, 5)]


@pytest.mark.parametrize("profile", ["3.7", "3.9"])
def test_3_nested_states_tell_about_gpu_dynamics_and_systems_do_not(
    machines: Machines, profile: str
) -> None:
    """Rows load under the dynamics only under which they were written."""
    machine = machines(profile)
    washing = replace(SHORT, objects={"sponge": "sponge"}, facts={}, removers=("sponge",))
    played(machine, replace(washing, on_gpu=True))
    played(machine, replace(washing, systems_saved=("stain",)))


@pytest.mark.parametrize("profile", ["3.7", "enact", "3.9"])
def test_4_a_group_without_which_playback_says_nothing_is_named(
    machines: Machines, profile: str
) -> None:
    bare = replace(LAYOUTS[profile], has_metadata=False)
    message = refused(machines(profile), SHORT, layout=bare)
    assert "raw.hdf5, demo_0: recorded with OmniGibson 3." in message
    assert "the episode has no group 'init_metadata', without which this version" in message


def test_4_playback_that_returns_without_a_word_is_no_success(
    machines: Machines, tmp_path: Path
) -> None:
    machine = machines("3.7")
    changed(
        machine,
        tmp_path,
        "envs/data_wrapper.py",
        "'init_metadata')",
        "'init_metadata', 'poses')",
    )
    message = refused(machine, SHORT)
    assert "OmniGibson 3.7.2 returned from playback before frame 0 without an error" in message
    assert "Error: 'poses'" in next(machine.root.rglob("player.log")).read_text()


def changed(machine: Machine, folder: Path, file: str, text: str, by: str) -> None:
    """Give ``machine`` an OmniGibson in whose ``file`` is ``by`` instead of ``text``."""
    python = make_interpreter(folder / "changed", machine.profile)
    module = folder / "changed/fake/omnigibson" / file
    assert text in module.read_text()
    module.write_text(module.read_text().replace(text, by))
    machine.monkeypatch.setenv("OMNIGIBSON_PYTHON", str(python))


UNKNOWN = {
    "argument": ("3.7", "envs/data_wrapper.py", "record_data", "save", "turns recording off"),
    "order": ("3.9", "envs/data_wrapper.py", "actions, state, size", "actions, state[1:], size[1:]",
              "with which states playback steps"),
    "switch": ("3.7", "macros.py", "| data_paths()", "| {'ROOT': 1}", "where the data are"),
    "scene": ("3.7", "scenes/scene_base.py", "'registry': self._registry.dump_state()", "'all': 1",
              "how the state of a scene is nested"),
    "function": ("3.7", "envs/env_base.py", "n_render_iterations=1", "renders=1",
                 "Environment.step has no parameter 'n_render_iterations'"),
    "property": ("1.1.1", "scenes/scene_base.py", "def active_systems", "def systems_now",
                 "no omnigibson.scenes.scene_base:Scene.active_systems"),
}  # fmt: skip
"""What -> profile, file, its text, what stands there instead, and a part of the message."""


@pytest.mark.parametrize("what", UNKNOWN)
def test_2_what_is_unknown_is_refused_by_the_first_difference(
    machines: Machines, tmp_path: Path, what: str
) -> None:
    profile, file, text, by, part = UNKNOWN[what]
    machine = machines(profile)
    changed(machine, tmp_path, file, text, by)
    message = refused(machine, SHORT)
    assert "1 difference, the first: " in message
    assert part in message


def test_2_a_missing_folder_of_data_is_named(machines: Machines) -> None:
    machine = machines("3.9")
    (machine.root / "data/omnigibson.key").unlink()
    message = refused(machine, SHORT)
    assert "OmniGibson's key of the data set is not at" in message
    assert "./setup.sh --dataset" in message
    shutil.rmtree(machine.root / "data")
    message = refused(machine, SHORT)
    assert "OmniGibson cannot be imported: Data path" in message
    assert "Set OMNIGIBSON_DATA_PATH" in message


@pytest.mark.parametrize(
    ("profile", "layout", "robot", "part"),
    [
        ("1.1.1", "3.7", "R1Pro", "its states begin with the pose of the scene"),
        ("3.7", "1.1.1", "R1", "its states do not begin with the pose of the scene"),
        ("3.7", "3.9", "R1Pro", "made by omnigibson.robots.robot:Robot, which this version lacks"),
        ("3.9", "3.7", "R1Pro", "made by omnigibson.robots.r1pro:R1Pro, which this version lacks"),
    ],
)
def test_a_file_of_another_version_is_refused_and_others_go_on(
    machines: Machines, profile: str, layout: str, robot: str, part: str
) -> None:
    machine = machines(profile)
    message = refused(machine, replace(SHORT, robot_class=robot), layout=LAYOUTS[layout])
    assert f"but OMNIGIBSON_PYTHON has OmniGibson {LAYOUTS[profile].version or '1.1.1'}" in message
    assert part in message
    played(machine, SHORT)


def test_6_rows_of_3_9_say_what_an_assisted_grasp_holds(machines: Machines) -> None:
    world = replace(
        SHORT, grasping_mode="assisted", facts={("Attached:left", "robot_r1", "apple"): range(2, 4)}
    )
    machine = machines("3.9")
    assert held(replayed(machine, world), "LeftGrasping") == [("robot_r1", "apple", 2, 4)]
    # Rows of 3.8 to 3.9.1, without the block, load as well; then gripper, contact and ray decide.
    older = replace(LAYOUTS["3.9"], has_grasps=False, version="3.9.0")
    by_rule = dict.fromkeys(
        [("Closed:left", "robot_r1", None), ("Touches:left", "apple", None),
         ("Hit:left", "apple", None)], range(3, 5))  # fmt: skip
    tables = replayed(machine, replace(world, facts=by_rule), layout=older)
    assert held(tables, "LeftGrasping") == [("robot_r1", "apple", 3, 5)]


def test_a_full_scene_is_handed_on_where_it_can_be(machines: Machines) -> None:
    machine = machines("3.7")
    scene = machine.root / "full.json"
    scene.write_text("{}")
    played(machine, SHORT, full_scene_file=str(scene))
    with pytest.raises(PlaybackError, match=r"its file .*none\.json cannot be read \(No such"):
        played(machine, SHORT, full_scene_file=str(machine.root / "none.json"))
    machine = machines("1.1.1")
    with pytest.raises(PlaybackError, match=r"OmniGibson 1\.1\.1 cannot add a full scene"):
        played(machine, SHORT, full_scene_file=str(scene))
