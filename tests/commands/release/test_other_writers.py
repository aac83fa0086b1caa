"""Replays and folders as others write them: read as the public release reads them, or refused.

Key frames of the replays in here are those that the release keeps: frame 59 of each.
"""

import json
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from official_files import run
from rich.console import Console

from enact_assets.commands.outcomes import print_failures
from enact_assets.commands.release.layout import find_tasks, is_task_name, read_key_frame_ids
from enact_assets.commands.release.outcomes import Summary
from enact_assets.commands.table import parser
from enact_assets.settings.classes import is_partition_name

BOX = [900, 10, 10, 60, 60, 512, 512]
FRAME: dict[str, Any] = {
    "nodes": [
        {
            "name": "fridge_xyzabq_0",
            "category": "fridge",
            "states": ["Open"],
            "visibility": {"external_sensor1": BOX},
        },
        {
            "name": "mug_103",
            "category": "mug",
            "states": [],
            "visibility": {"external_sensor1": BOX},
        },
    ],
    "edges": [{"from": "mug_103", "to": "fridge_xyzabq_0", "states": ["Inside"]}],
    "type": "full",
}
Frames = dict[str, dict[str, Any]]
Edit = Callable[[dict[str, Any]], object]


def frames(edit: Edit = lambda frame: None, only: int | None = None) -> Frames:
    """62 frames; ``edit`` changes each, or ``only`` one."""
    found = {str(k): deepcopy(FRAME) for k in range(62)}
    for key, frame in found.items():
        if only is None or key == str(only):
            edit(frame)
    return found


def write(folder: Path, replay: Frames | None = None) -> Path:
    folder.mkdir(parents=True)
    (folder / "scene_graph_0.json").write_text(json.dumps(replay or frames()))
    return folder


def squeezed(text: str) -> str:
    """Without blanks: lines are broken where they end."""
    return "".join(text.split())


def mug(frame: dict[str, Any]) -> dict[str, Any]:
    return frame["nodes"][1]


def replaced(frame: dict[str, Any], other: dict[str, Any]) -> None:
    frame.clear()
    frame.update(other)


PART = {"nodes": [], "edges": []}
READ: dict[str, Frames] = {
    "nan_in_unused_field": frames(lambda f: f["nodes"][0].update(position=[float("nan"), 0.0])),
    "visibility_missing": frames(lambda f: mug(f).pop("visibility")),
    "visibility_null": frames(lambda f: mug(f).update(visibility=None)),
    "sensor_null": frames(lambda f: mug(f).update(visibility={"external_sensor1": None})),
    "pixels_float": frames(
        lambda f: mug(f).update(visibility={"external_sensor1": [900.0, *BOX[1:]]})
    ),
    "parent_null": frames(lambda f: mug(f).update(parent=None)),
    "states_missing": frames(lambda f: mug(f).pop("states")),
    "edge_states_missing": frames(lambda f: f["edges"][0].pop("states")),
    "diff_without_add": frames(
        lambda f: replaced(f, {"type": "diff", "remove": PART, "update": PART}), only=40
    ),
    "ids_not_ascending": {str(k): deepcopy(FRAME) for k in (*range(40), 41, 40, *range(42, 62))},
    "state_twice": frames(lambda f: f["nodes"][0].update(states=["Open", "Open"])),
    "edge_twice": frames(lambda f: f["edges"].append(deepcopy(f["edges"][0]))),
    "node_twice": frames(lambda f: f["nodes"].append(deepcopy(mug(f)))),
}
REFUSED: dict[str, tuple[Frames, str]] = {
    "category_changes": (
        frames(lambda f: mug(f).update(category="cup"), only=30),
        (
            "category: was 'mug' in an earlier frame and is 'cup' now. An object keeps its "
            "category: give a new object a new name."
        ),
    ),
    "category_missing": (
        frames(lambda f: mug(f).pop("category")),
        "frame id 0, nodes[1].category: is missing. Write what kind of thing it is, such as 'mug'",
    ),
    "ids_zero_padded": (
        {f"{k:05d}": deepcopy(FRAME) for k in range(62)},
        "no leading zeros: 59 and not 00059; then ':'), found '00000",
    ),
    "ids_negative": (
        {str(k - 9): deepcopy(FRAME) for k in range(62)},
        (
            "expected a quoted frame id (decimal, at most 15 digits, no leading zeros: 59 and not "
            "00059; then ':'), found '-9"
        ),
    ),
    "name_300_characters": (
        frames(lambda f: f["nodes"].append({**mug(f), "name": "x" * 300})),
        "has 300 characters; at most 200 are allowed. Shorten it",
    ),
    "state_empty_text": (
        frames(lambda f: f["nodes"][0]["states"].append("")),
        (
            "nodes['fridge_xyzabq_0'].states: '' is not a state name: expected letters, "
            "digits and '_', not starting with a digit, at most 100. Rename it, or leave it out"
        ),
    ),
    "type_missing_once": (
        frames(lambda f: f.pop("type"), only=40),
        "frame id 40, type: is missing. Write what the frame is: 'full', 'diff' or 'empty'",
    ),
}


def test_what_has_one_meaning_has_the_key_frames_of_the_release(tmp_path: Path) -> None:
    for name, replay in READ.items():
        write(tmp_path / "in" / name, replay)
    assert run("segment", tmp_path / "in", tmp_path / "out") == 0
    written = {p.name: p / "segmented_scene_graph_0.json" for p in (tmp_path / "out").iterdir()}
    assert {name: read_key_frame_ids(file) for name, file in written.items()} == {
        name: [59] for name in READ
    }


def test_what_has_none_is_refused_with_file_field_value_and_advice(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, (replay, _) in REFUSED.items():
        write(tmp_path / "in" / name, replay)
    assert run("segment", tmp_path / "in", tmp_path / "out") == 1
    printed = squeezed(capsys.readouterr().out)
    for name, (_, message) in REFUSED.items():
        assert f"failed:{name}:{tmp_path / 'in' / name / 'scene_graph_0.json'}" in printed
        assert squeezed(message) in printed
    assert not (tmp_path / "out").exists()


NAMES = ["a b", "50%", "(1)", "käse", "ka\u0308se", "[bold]", "a..b", "-x", "a|b", "+", "&;$x"]


def test_a_task_may_have_any_name_that_can_be_printed(tmp_path: Path) -> None:
    """Here a name is only that of a folder. In a data root it becomes a partition."""
    for name in NAMES:
        write(tmp_path / "in" / name)
    assert run("segment", tmp_path / "in", tmp_path / "out") == 0
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == sorted(NAMES)
    assert not any(map(is_task_name, ["", ".", "..", ".x", "a\\b", "a\nb", "\udcff", "x" * 121]))


def test_a_name_that_cannot_be_imported_is_told_with_what_can(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = ["a b", "[bold]", "käse"]
    for name in names:
        write(tmp_path / "in" / name)
    assert run("import", tmp_path / "in", "--data", tmp_path / "data") == 1
    printed = squeezed(capsys.readouterr().out)
    for name in names:
        said = f"{name}: the folder name cannot be a task name (letters a to z and A to Z, "
        assert squeezed(said) in printed
    summary = Summary()
    assert find_tasks(tmp_path / "in", summary, is_well_named=is_partition_name) == []
    assert "digits and _.:+@- only" in str(summary.failures[0].error)


def test_one_task_folder_is_segmented(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As in the release, which also prefers it to folders below."""
    task = write(tmp_path / "in" / "tidy_1")
    write(task / "old")
    assert run("segment", task, tmp_path / "out") == 0
    assert [p.name for p in (tmp_path / "out").iterdir()] == ["tidy_1"]
    monkeypatch.chdir(task)
    assert run("segment", ".", tmp_path / "again") == 0
    assert [p.name for p in (tmp_path / "again").iterdir()] == ["tidy_1"]
    assert run("segment", task, task.parent) == 2
    assert squeezed("is an input folder") in squeezed(capsys.readouterr().err)
    assert sorted(p.name for p in task.iterdir()) == ["old", "scene_graph_0.json"]


def test_places_are_those_of_the_release_unless_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "answers.jsonl").touch()
    calls = [
        (("segment",), "data/replayed_activities: no such folder in"),
        (("qa",), "data/segmented_activities: no such folder in"),
        (("eval", "answers.jsonl"), "data/segmented_activities: no such folder in"),
    ]
    for call, message in calls:
        assert run(*call) == 2
        told = squeezed(capsys.readouterr().err)
        assert squeezed(message) in told
        assert squeezed("It is the default of") in told
    write(tmp_path / "data" / "replayed_activities" / "tidy_1")
    assert run("segment") == 0
    segmented = tmp_path / "data" / "segmented_activities" / "tidy_1"
    assert read_key_frame_ids(segmented / "segmented_scene_graph_0.json") == [59]
    asked = parser().parse_args(["qa"])
    assert list(map(str, (asked.segmented, asked.replayed, asked.output))) == [
        "data/segmented_activities",
        "data/replayed_activities",
        "data/QA/enact_ordering.jsonl",
    ]


def test_failures_that_are_not_printed_are_in_a_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of 40 failures ten were named nowhere."""
    for k in range(32):
        write(tmp_path / "in" / f"broken_{k:02d}", {"0": {"type": "half"}})
    write(tmp_path / "in" / "tidy_1")
    file = tmp_path / "out" / "failed.txt"
    assert run("segment", tmp_path / "in", tmp_path / "out") == 1
    printed = squeezed(capsys.readouterr().out)
    assert printed.count("failed:broken") == 30
    assert f"...2morefailed;{file}listsall32" in printed
    lines = file.read_text().splitlines()
    assert len(lines) == 33
    assert lines[-1].startswith("broken_31: ")
    assert run("segment", tmp_path / "in", tmp_path / "out", "--all") == 1
    assert capsys.readouterr().out.count("failed: ") == 32
    assert run("segment", tmp_path / "in", tmp_path / "dry", "--dry-run") == 1
    assert squeezed("2 more failed; --all shows them") in squeezed(capsys.readouterr().out)
    assert not (tmp_path / "dry").exists()


def test_a_file_of_failures_goes_with_them_and_one_of_others_stays(tmp_path: Path) -> None:
    console, file = Console(quiet=True), tmp_path / "failed.txt"
    many = [(f"t{k}", "why\x1b") for k in range(31)]
    assert print_failures(console, many, file)
    assert "\x1b" not in file.read_text()
    assert not print_failures(console, many[:2], file)
    assert not file.exists()
    file.write_text("my own")
    for failed in (many, []):
        assert not print_failures(console, failed, file)
    assert file.read_text() == "my own"
