"""``enact-assets import FILE.hdf5``, and the way from there to pictures, by the command line."""

import json
import math
from pathlib import Path
from typing import Any

import pytest
from omnigibson_worlds import Machine, World, write_worlds

from enact_assets.commands.release.importing import import_paths
from enact_assets.demonstrations.recordings.folders import Recordings
from enact_assets.demonstrations.replay.omnigibson import read_demonstration
from enact_assets.demonstrations.replay.omnigibson_import import list_demonstrations
from enact_assets.engine.errors import PlaybackError
from enact_assets.settings.paths import DataRoot

pytestmark = pytest.mark.slow

WORLDS = (World(5, {"apple": "apple"}), World(9, {"apple": "apple"}))


def errors(root: DataRoot, *paths: Path) -> list[str]:
    return [str(o.error) for o in import_paths(paths, root).failures]


def test_every_demonstration_of_a_file_is_taken_in(machine: Machine, tmp_path: Path) -> None:
    raw = write_worlds(machine.python, tmp_path / "tidy_up.hdf5", *WORLDS)
    root = DataRoot(tmp_path / "root")
    machine.set_gpu("none", code=1)  # it is not asked for
    (outcome,) = import_paths([raw], root).outcomes
    assert outcome.numbers == {"demonstrations": 2}
    recordings = Recordings(root.recordings)
    assert recordings.names() == ["tidy_up.demo_0", "tidy_up.demo_1"]
    about = read_demonstration(recordings.file("tidy_up.demo_1"))
    assert (about.file, about.episode, about.n_frames) == (str(raw), 1, 9)
    assert about.activity == "slicing_apples"
    shown = json.loads(recordings.file("tidy_up.demo_1").read_text())
    assert shown["position_m"] == [-0.4, 0.0, 1.75]  # to be seen and edited
    (error,) = errors(root, raw)
    assert "2 of its 2 demonstrations already exist, the first:" in error


def test_an_episode_that_was_cut_off_is_left_out_and_told(machine: Machine, tmp_path: Path) -> None:
    raw = write_worlds(machine.python, tmp_path / "raw.hdf5", *WORLDS, cut_off={0: "action"})
    root = DataRoot(tmp_path / "root")
    summary = import_paths([raw], root)
    assert summary.is_success
    assert summary.outcomes[0].numbers == {"demonstrations": 1}
    assert Recordings(root.recordings).names() == ["raw.demo_1"]
    (note,) = [n for n in summary.notes if n.startswith("Left out: ")]
    assert f"{raw}, demo_0: 5 states and 3 actions" in note
    none = write_worlds(
        machine.python, tmp_path / "none.hdf5", *WORLDS, cut_off={0: "action", 1: "transitions"}
    )
    (error,) = errors(root, none)
    assert f"{none}: none of its 2 demonstrations can be played, first: {none}, demo_0" in error


def test_a_file_that_cannot_be_listed_is_told(
    machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = DataRoot(tmp_path / "root")
    raw = tmp_path / "raw.hdf5"
    assert errors(root, raw) == [f"{raw}: no such file or folder"]
    raw.write_bytes(b"no")
    assert "is not a readable HDF5 file" in errors(root, raw)[0]
    write_worlds(machine.python, raw)
    assert "contains no demonstration" in errors(root, raw)[0]
    write_worlds(machine.python, raw, *WORLDS, scene_file=None)
    assert "no attribute 'scene_file'" in errors(root, raw)[0]
    odd = write_worlds(machine.python, tmp_path / "a b.hdf5", *WORLDS)
    assert "a b.demo_1" in errors(root, odd)[0]
    monkeypatch.delenv("OMNIGIBSON_PYTHON")
    assert "OMNIGIBSON_PYTHON is not set" in errors(root, raw)[0]
    assert not Recordings(root.recordings).names()


def _shorter(name: str) -> Any:
    return lambda demo: demo[name].pop()


DAMAGED = {
    "no rows of state": lambda demo: demo.update(state=3.0),
    "no rows of action": lambda demo: demo.update(action={"below": [1.0]}),
    "no rows of reward": lambda demo: demo.pop("reward"),
    "no action was recorded": lambda demo: demo.update(
        {k: rows[: k.startswith("state")] for k, rows in demo.items() if isinstance(rows, list)}
    ),
    "state_size has 4 rows, but state has 5": _shorter("state_size"),
    "truncated has 3 rows, but action has 4": _shorter("truncated"),
    "attribute 'transitions' is not a JSON object, but 5": lambda demo: demo.update(
        transitions="5"
    ),
    "attribute 'transitions', 1 is not a JSON object, but 7": lambda demo: demo.update(
        transitions='{"1": 7}'
    ),
    "attribute 'transitions', 1.objects.add is not a JSON list": lambda demo: demo.update(
        transitions='{"1": {"objects": {"add": {}}}}'
    ),
    "attribute 'transitions': invalid literal": lambda demo: demo.update(transitions='{"a": {}}'),
    "attribute 'transitions' is not JSON": lambda demo: demo.update(transitions=5),
    "cannot be read (maximum recursion depth": lambda demo: demo.update(transitions="[" * 99_999),
}
"""Reason -> what was done to the episode."""


def test_damaged_episodes_are_left_out_each_with_its_reason(
    machine: Machine, tmp_path: Path
) -> None:
    def damage(what: dict[str, Any]) -> None:
        for k, change in enumerate(DAMAGED.values()):
            change(what["demos"][f"demo_{k}"])
        whole = what["demos"][f"demo_{len(DAMAGED)}"]
        what["demos"] |= {"demo_\u00b2": whole, "demo_007": whole, "demo_": whole}

    worlds = [WORLDS[0]] * (len(DAMAGED) + 1)
    raw = write_worlds(machine.python, tmp_path / "raw.hdf5", *worlds, damage=damage)
    found = list_demonstrations(raw)
    assert [one.episode for one in found.demonstrations] == [len(DAMAGED)]
    for k, (part, reason) in enumerate(zip(DAMAGED, found.reasons, strict=True)):
        assert reason.startswith(f"{raw}, demo_{k}: {part}")


@pytest.mark.parametrize(
    ("attribute", "change", "message"),
    [
        ("config", {"task": None}, "'config', task is not a JSON object, but null"),
        ("config", {"robots": None}, "'config', robots is not a JSON list, but null"),
        ("config", {"env": {"action_frequency": "fast"}}, "a number above 0, but 'fast'"),
        ("config", {"env": {"action_frequency": -5}}, "a number above 0, but -5"),
        ("config", {"env": {"action_frequency": math.nan}}, "a number above 0, but nan"),
        ("scene_file", {"objects_info": None}, "objects_info is not a JSON object, but null"),
        ("scene_file", {"state": []}, "'scene_file', state is not a JSON object, but []"),
        ("scene_file", {"state": {"registry": None}}, "state.registry is not a JSON object"),
    ],
)
def test_a_file_with_odd_settings_is_refused_by_name(
    machine: Machine, tmp_path: Path, attribute: str, change: dict[str, Any], message: str
) -> None:
    def damage(what: dict[str, Any]) -> None:
        whole = json.loads(what["attributes"][attribute])
        what["attributes"][attribute] = json.dumps(whole | change)

    raw = write_worlds(machine.python, tmp_path / "raw.hdf5", *WORLDS, damage=damage)
    with pytest.raises(PlaybackError) as caught:
        list_demonstrations(raw)
    assert message in str(caught.value)
    assert str(caught.value).startswith(str(raw))


def test_a_robot_without_a_class_does_not_keep_a_file_out(machine: Machine, tmp_path: Path) -> None:
    """Playing it names the robot."""

    def damage(what: dict[str, Any]) -> None:
        scene = json.loads(what["attributes"]["scene_file"])
        del scene["objects_info"]["init_info"]["robot_r1"]["class_name"]
        what["attributes"]["scene_file"] = json.dumps(scene)

    raw = write_worlds(machine.python, tmp_path / "raw.hdf5", *WORLDS, damage=damage)
    assert len(list_demonstrations(raw).demonstrations) == 2
