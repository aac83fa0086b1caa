"""A trial of an installation: what it measures, and the bundle that a first user sends.

Bundles of real installations go to the folder ``omnigibson_bundles`` beside this file, unpacked:
then the last test reads them as it reads one of the fake.
"""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from zipfile import ZipFile

import numpy as np
import pytest
from omnigibson_worlds import PROFILES, Machine
from PIL import Image
from test_omnigibson_enact_player import FACTS, N, imported, world_of

from enact_assets.cli import main
from enact_assets.demonstrations.replay.omnigibson import read_demonstration, read_played
from enact_assets.demonstrations.replay.omnigibson_player.request import View
from enact_assets.demonstrations.replay.omnigibson_player.trial import (
    Report,
    angle_deg,
    drift_of,
    lagging,
    relative_pose,
    save_beside,
)
from enact_assets.demonstrations.replay.omnigibson_runs import one_gpu, try_installation
from enact_assets.demonstrations.replay.validation import check_replay

Machines = Callable[[str], Machine]
HALF = 0.5**0.5
BUNDLES = sorted(Path(__file__).with_name("omnigibson_bundles").glob("*/"))


def test_the_camera_is_seen_from_its_link_however_the_link_turns() -> None:
    # The link is turned by 90 degrees about z: what is along its x is along y of the world.
    link = [1.0, 2.0, 3.0], [0.0, 0.0, HALF, HALF]
    position, turn = relative_pose(([1.0, 2.06, 3.0], [HALF, HALF, 0.0, 0.0]), link)
    assert position == pytest.approx([0.06, 0.0, 0.0])
    assert turn == pytest.approx([1.0, 0.0, 0.0, 0.0])
    assert angle_deg(turn, View.orientation_xyzw) == pytest.approx(0.0)
    assert angle_deg([0.0, 0.0, 0.0, 1.0], [0.0, HALF, 0.0, HALF]) == pytest.approx(90.0)


def test_boxes_that_change_after_more_renders_lag() -> None:
    early, late = (9, 0, 0, 2, 2, 64, 64), (9, 1, 0, 3, 2, 64, 64)
    seen = {1: {"cup": early}, 3: {"cup": late}, 8: {"cup": late, "pan": early}}
    assert lagging(seen, 1) == ["cup", "pan"]
    assert lagging(seen, 3) == ["pan"]
    assert lagging(seen, 8) == []


def test_drift_is_measured_from_the_scene_file_and_robots_are_left_out() -> None:
    def at(*position: float) -> SimpleNamespace:
        return SimpleNamespace(get_position_orientation=lambda: (position, (0, 0, 0, 1)))

    registry = {
        "sofa": {"root_link": {"pos": [1.0, 0.0, 0.0]}},
        "robot": {"root_link": {"pos": [0.0, 0.0, 0.0]}},
        "gone": {"root_link": {"pos": [0.0, 0.0, 0.0]}},
        "odd": {},
    }
    objects = {"sofa": at(1.0, 0.3, 0.4), "robot": at(9.0, 9.0, 9.0), "odd": at(0.0, 0.0, 0.0)}
    assert drift_of(registry, objects, ["robot"]) == {"sofa": pytest.approx(0.5)}


def test_a_picture_stands_beside_itself_with_boxes(tmp_path: Path) -> None:
    pixels = np.full((20, 30, 4), 7, np.uint8)
    save_beside(pixels, {"cup": (9, 4, 5, 20, 15, 20, 30)}, tmp_path / "both.png")
    both = np.asarray(Image.open(tmp_path / "both.png"))
    assert both.shape == (20, 60, 3)
    assert (both[:, :30] == 7).all()
    assert both[5, 34:51].tolist() == [[255, 40, 40]] * 17
    assert both[15, 50].tolist() == [255, 40, 40]
    assert both[2, 32].tolist() == [7, 7, 7]


def test_tables_of_a_report_survive_what_comes_from_files(tmp_path: Path) -> None:
    report = Report(tmp_path, "Trial of <a>")
    report.add("Speed", "x < y", ["a|b", "n"], [["<b>|c\nd", 0.12345], [None, 3]])
    report.add("To look at", "- [ ] look")
    report.write()
    markdown = (tmp_path / "report.md").read_text()
    assert "## Speed\n\nx < y\n\n| a\\|b | n |\n| --- | --- |\n| <b>\\|c d | 0.123 |" in markdown
    assert "| None | 3 |\n\n## To look at\n\n- [ ] look" in markdown
    found = json.loads((tmp_path / "found.json").read_text())
    assert found["Speed"]["rows"] == [["<b>|c\nd", 0.12345], [None, 3]]


@pytest.mark.slow
@pytest.mark.parametrize("profile", PROFILES)
def test_a_trial_reports_what_a_first_user_needs(
    machines: Machines, profile: str, capsys: pytest.CaptureFixture[str]
) -> None:
    machine = machines(profile)
    world = replace(world_of(profile), moved_m={"table": 0.25})
    world.facts[("Lags", "bowl", None)] = range(N)
    raw = Path(read_demonstration(imported(machine, world)).file)
    folder = machine.root / "trial"
    given = ["--out", str(folder), "--frames", "24", "--pictures", "5"]
    assert main(["omnigibson", "try", str(raw), *given]) == 0, (folder / "player.log").read_text()
    said = " ".join(capsys.readouterr().out.split())
    assert "24/24 frames" in said
    assert f"{folder}.zip: the trial. It has versions, facts, pictures, messages" in said
    report = (folder / "report.md").read_text()
    assert f"has the features of {profile}." in report
    assert "Of all that the player uses, nothing is missing or has other arguments." in report
    assert "| GPU, driver, memory | NVIDIA GeForce RTX 4090 |" in report
    assert "| grasps | " in report
    pictures = sorted(p.name for p in (folder / "pictures").iterdir())
    assert pictures == [f"{frame:06d}.png" for frame in (0, 5, 11, 17, 23)]
    assert all(f"](pictures/{name})" in report for name in pictures)
    assert f"hours for all {N} frames" in report
    assert "It is 0.0000 m and 0.00 degrees from where it was asked for." in report
    # The bowl is seen from the fifth render on, the apple is gone from frame 20 on.
    assert "| 11 | 5 | 1 | 1 | bowl |" in report
    assert "| table | 0.250 |" in report
    if profile != "1.1.1":
        assert "| 11 | LeftGrasping | knife | yes | " in report
    assert check_bundle(folder) == 24


@pytest.mark.slow
def test_a_bundle_holds_all_frames_unless_it_is_told_otherwise(machines: Machines) -> None:
    machine = machines("3.7")
    raw = Path(read_demonstration(imported(machine, world_of("3.7"))).file)
    folder = machine.root / "trial"
    assert main(["omnigibson", "try", str(raw), "--out", str(folder)]) == 0
    assert check_bundle(folder) == N
    assert len(list((folder / "pictures").iterdir())) == 10
    facts = read_played(folder / "replay.jsonl", "d").facts
    columns = ("predicate", "subject", "object", "frame_from", "frame_to")
    assert {r for r in facts.select(columns).iter_rows() if r[0] != "Exists"} == FACTS
    with ZipFile(folder.with_name("trial.zip")) as archive:
        names = {name.partition("/")[2] for name in archive.namelist()}
    assert {"report.md", "found.json", "replay.jsonl", "player.log"} < names
    assert sum(name.startswith("pictures/") for name in names) == 10


def check_bundle(folder: Path) -> int:
    """Frames of a bundle in which everything is there and fits together."""
    found = json.loads((folder / "found.json").read_text())
    assert {"Demonstration", "This machine", "OmniGibson", "Speed", "Camera"} <= set(found)
    assert not [row for row in found["OmniGibson"]["rows"] if row[0] == "differs"]
    tables = read_played(folder / "replay.jsonl", "d")
    check_replay(tables.demonstrations, tables.facts, tables.objects)
    assert tables.observability.height
    frames = [row[0] for row in found["Does segmentation lag behind the state?"]["rows"]]
    pictures = sorted((folder / "pictures").iterdir())
    assert [p.name for p in pictures] == [f"{frame:06d}.png" for frame in frames]
    for path in pictures:
        with Image.open(path) as picture:
            assert picture.width == 2 * picture.height
    assert (folder / "player.log").is_file()
    return int(tables.demonstrations.item(0, "n_frames"))


def test_bundles_that_users_sent_are_read() -> None:
    """There is none so far."""
    assert not [folder.name for folder in BUNDLES if check_bundle(folder) < 1]


@pytest.mark.slow
def test_a_trial_that_is_refused_says_how_far_it_got(
    machines: Machines, capsys: pytest.CaptureFixture[str]
) -> None:
    machine = machines("3.7")
    raw = Path(read_demonstration(imported(machine, world_of("3.7"))).file)
    machine.set_gpu("No devices were found", code=6)
    folder = machine.root / "trial"
    assert main(["omnigibson", "try", str(raw), "--out", str(folder)]) == 1
    said = " ".join(capsys.readouterr().out.split())
    assert "nvidia-smi lists no GPU" in said
    assert "trial.zip: the trial as far as it got." in said
    report = (folder / "report.md").read_text()
    assert "## It stops here" in report
    assert "recorded with OmniGibson | 3.7.2" in report
    with ZipFile(folder.with_name("trial.zip")) as archive:
        names = [name.partition("/")[2] for name in archive.namelist()]
    assert names == ["report.md", "found.json", "refusal.txt", "player.log"]
    assert main(["omnigibson", "try", str(folder / "none.hdf5"), "--out", str(folder)]) == 2
    assert "no such file" in capsys.readouterr().err
    assert main(["omnigibson", "try", str(raw), "--out", str(machine.root)]) == 2
    assert "has files, and none of a trial. Name another" in capsys.readouterr().err
    program = machine.root / "og-python"  # as one that crashes before it can write a report
    program.write_text("#!/bin/sh\necho it crashed\nexit 64\n")
    program.chmod(0o755)
    machine.monkeypatch.setenv("OMNIGIBSON_PYTHON", str(program))
    assert main(["omnigibson", "try", str(raw), "--out", str(folder)]) == 1
    assert capsys.readouterr().out == "it crashed\n"  # and nothing of the trial before


@pytest.mark.slow
def test_a_crash_in_the_middle_leaves_what_was_found_until_then(
    machines: Machines, capsys: pytest.CaptureFixture[str]
) -> None:
    machine = machines("3.9")
    raw = Path(read_demonstration(imported(machine, world_of("3.9"))).file)
    machine.crash_at(17, times=1)
    folder = machine.root / "trial"
    assert main(["omnigibson", "try", str(raw), "--out", str(folder)]) == 1
    assert "a crash of the fake" in capsys.readouterr().out
    assert "has the features of 3.9." in (folder / "report.md").read_text()
    with ZipFile(folder.with_name("trial.zip")) as archive:
        names = [name.partition("/")[2] for name in archive.namelist()]
    assert names[:3] == ["report.md", "found.json", "player.log"]
    assert names[3:] == [f"pictures/{frame:06d}.png" for frame in (0, 4, 8, 13)]


@pytest.mark.slow
def test_a_trial_waits_while_a_replay_uses_the_gpu(machines: Machines, tmp_path: Path) -> None:
    machines("3.7")

    def say(text: str) -> None:
        raise RuntimeError(text)

    with (
        one_gpu(tmp_path / "gpu.lock", print),
        pytest.raises(RuntimeError, match="Another replay uses the GPU"),
    ):
        try_installation(tmp_path / "raw.hdf5", tmp_path / "trial", [], tmp_path, say=say)
