"""``enact-assets import FILE.hdf5``, and the way from there to pictures, by the command line."""

import json
from pathlib import Path

import pytest
from omnigibson_worlds import Machine, World, write_worlds

from enact_assets.data_root.paths import DataRoot
from enact_assets.data_root.recordings import Recordings
from enact_assets.official.importing import import_paths
from enact_assets.replay.omnigibson import read_demonstration

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
