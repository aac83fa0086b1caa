"""Recordings that appear in a folder that others write to, while they do."""

import os
from pathlib import Path

import pytest

from enact_assets.demonstrations.recordings.folders import Recordings
from enact_assets.demonstrations.recordings.watched_folders import (
    WATCH_VARIABLE,
    look_at,
    watched_folders,
)


@pytest.fixture
def recordings(tmp_path: Path) -> Recordings:
    return Recordings(tmp_path / "data" / "recordings")


def appear(folder: Path, name: str, text: str = "{}", *, file: str = "scene_graph_0.json") -> Path:
    place = folder / name
    (place / "external_sensor1").mkdir(parents=True, exist_ok=True)
    (place / file).write_text(text)
    return place


def test_a_recording_is_taken_in_when_it_looks_the_same_twice(
    recordings: Recordings, tmp_path: Path
) -> None:
    """One that is still being copied would be read by half, and fail, or worse, not fail."""
    watched = tmp_path / "incoming"
    place = appear(watched, "fold_towels")
    packed = appear(watched, "pour_tea", file="scene_graph_0.json.gz")
    first = look_at([watched], recordings, {})
    assert first.added == first.problems == []
    assert set(first.growing) == {str(place), str(packed)}
    (place / "scene_graph_0.json").write_text("{} ")
    (packed / "external_sensor1" / "00000.png").write_bytes(b"half a pict")
    second = look_at([watched], recordings, first.growing)
    assert second.added == []
    (packed / "external_sensor1" / "00000.png").write_bytes(b"half a picture")
    third = look_at([watched], recordings, second.growing)
    assert third.added == ["fold_towels"]
    fourth = look_at([watched], recordings, third.growing)
    assert fourth.added == ["pour_tea"]
    assert recordings.names() == ["fold_towels", "pour_tea"]
    assert recordings.folder("fold_towels").samefile(place)
    last = look_at([watched], recordings, fourth.growing)
    assert last.added == last.problems == []
    assert last.growing == {}


def test_what_cannot_be_used_is_told_and_stops_nobody(
    recordings: Recordings, tmp_path: Path
) -> None:
    watched, gone = tmp_path / "incoming", tmp_path / "gone"
    appear(watched, "a bad name")
    appear(watched, "fold_towels")
    (watched / "notes.txt").write_text("no recording")
    (watched / "empty").mkdir()
    (watched / "nowhere").symlink_to(tmp_path / "not there")
    before = look_at([gone, watched], recordings, {})
    look = look_at([gone, watched], recordings, before.growing)
    assert look.added == ["fold_towels"]
    assert len(look.problems) == 2
    assert str(gone) in look.problems[0]
    assert "a bad name" in look.problems[1]


def test_a_name_that_is_taken_stays_what_it_was(recordings: Recordings, tmp_path: Path) -> None:
    """Two folders with one name would replace each other at every look."""
    mine = appear(tmp_path / "mine", "fold_towels")
    recordings.add(mine)
    appear(tmp_path / "incoming", "fold_towels", "{...}")
    look = look_at([tmp_path / "incoming"], recordings, {})
    assert look.growing == {}
    assert len(look.problems) == 1
    assert str(mine) in look.problems[0]
    assert recordings.folder("fold_towels").samefile(mine)


def test_a_link_is_taken_in_once_under_its_own_name(recordings: Recordings, tmp_path: Path) -> None:
    """Under the name of its target it looked new at every look, and was linked for ever."""
    real = appear(tmp_path / "nas", "run_0007")
    (tmp_path / "incoming").mkdir()
    (tmp_path / "incoming" / "tidy_1").symlink_to(real)
    added, before = [], {}
    for _ in range(5):
        look = look_at([tmp_path / "incoming"], recordings, before)
        added, before = added + look.added, look.growing
    assert added == recordings.names() == ["tidy_1"]


def test_folders_are_separated_as_in_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(WATCH_VARIABLE, raising=False)
    assert watched_folders() == []
    monkeypatch.setenv(WATCH_VARIABLE, os.pathsep.join(["a", "", "b c"]))
    assert watched_folders() == [Path("a"), Path("b c")]
