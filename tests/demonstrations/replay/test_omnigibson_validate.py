"""``enact-assets validate`` of raw demonstrations, on a machine that can look into them."""

import json
from pathlib import Path

import pytest
from omnigibson_worlds import Machine, World, write_worlds

from enact_assets.cli import main
from enact_assets.commands.release.importing import import_paths
from enact_assets.demonstrations.recordings.folders import Recordings
from enact_assets.settings.paths import DataRoot


def said(capsys: pytest.CaptureFixture[str]) -> str:
    return " ".join(capsys.readouterr().out.split())


def test_raw_demonstrations_are_looked_into(
    machine: Machine, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    worlds = (World(5, {"apple": "apple"}), World(9, {"apple": "apple"}))
    raw = write_worlds(machine.python, tmp_path / "tidy_up.hdf5", *worlds)
    assert main(["validate", str(raw)]) == 0
    assert "2 demonstrations of 14 frames in all" in said(capsys)
    odd = write_worlds(machine.python, tmp_path / "a b.hdf5", *worlds)
    assert main(["validate", str(odd)]) == 1
    assert "'a b.demo_1' cannot name a partition" in said(capsys)

    root = DataRoot(tmp_path / "root")
    import_paths([raw], root)
    file = Recordings(root.recordings).file("tidy_up.demo_1")
    assert main(["validate", str(file.parent)]) == 0
    assert f"no problems. 9 frames of episode 1 of {raw}" in said(capsys)
    good = json.loads(file.read_text())
    for changes, part in (
        ({"n_frames": 5}, f"n_frames is 5, but episode 1 of {raw} has 9 frames"),
        ({"episode": 4}, f"episode 4 cannot be played from {raw} (can be: 0, 1)"),
    ):
        file.write_text(json.dumps(good | changes))
        assert main(["validate", str(file)]) == 1
        assert part in said(capsys)
    raw.write_bytes(b"no")
    assert main(["validate", str(raw)]) == 1
    assert "is not a readable HDF5 file" in said(capsys)
