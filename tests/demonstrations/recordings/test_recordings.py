"""Recordings: taken in by link or copy, under names that cannot leave the data root.

Some appear in a folder that others write to, while they do."""

import os
from pathlib import Path

import pytest

from enact_assets.answers.baselines.known_models import KnownModels
from enact_assets.demonstrations.pictures.demonstration_sources import all_sources
from enact_assets.demonstrations.recordings.folders import CAMERA, Recordings
from enact_assets.demonstrations.recordings.watched_folders import (
    WATCH_VARIABLE,
    look_at,
    watched_folders,
)
from enact_assets.demonstrations.replay.omnigibson import RawDemonstration, write_demonstration
from enact_assets.engine.errors import LakeError, OutputError, RecordingError
from enact_assets.engine.progress import unheard
from enact_assets.pipeline.lineage.versions import EMBEDDED, GONE, Arrived
from enact_assets.settings.paths import DataRoot


def make_recording(folder: Path, name: str = "scene_graph_0.json") -> Path:
    folder.mkdir(parents=True)
    (folder / name).write_text("{}")
    return folder


def test_a_link_is_found_and_replaced(tmp_path: Path) -> None:
    """Imported again from elsewhere, the old place must not be read any more."""
    recordings = Recordings(tmp_path / "data" / "recordings")
    assert recordings.names() == []
    assert recordings.add(make_recording(tmp_path / "a" / "tidy_1")) == "tidy_1"
    assert recordings.names() == ["tidy_1"]
    recordings.add(make_recording(tmp_path / "b" / "tidy_1", "scene_graph_0.json.gz"))
    found = recordings.file("tidy_1").resolve()
    assert found == tmp_path / "b" / "tidy_1" / "scene_graph_0.json.gz"


@pytest.mark.parametrize("copy", [False, True])
def test_a_linked_folder_keeps_the_name_it_was_given_by(tmp_path: Path, copy: bool) -> None:
    """``incoming/tidy_1 -> nas/run_0007`` came in as run_0007; the link must not follow tidy_1."""
    real = make_recording(tmp_path / "nas" / "run_0007")
    (tmp_path / "incoming").mkdir()
    given = tmp_path / "incoming" / "tidy_1"
    given.symlink_to(real)
    recordings = Recordings(tmp_path / "data" / "recordings")
    assert recordings.add(given, copy=copy) == "tidy_1"
    assert recordings.names() == ["tidy_1"]
    if not copy:
        assert recordings.folder("tidy_1").readlink() == real


def test_a_folder_may_be_given_by_where_one_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = make_recording(tmp_path / "tidy_1")
    (folder / "external_sensor1").mkdir()
    recordings = Recordings(tmp_path / "data" / "recordings")
    for stands, given in (
        (folder, "."),
        (folder / "external_sensor1", ".."),
        (tmp_path, "tidy_1/"),
    ):
        monkeypatch.chdir(stands)
        assert recordings.add(Path(given)) == "tidy_1"


def test_a_copy_stands_on_its_own(tmp_path: Path) -> None:
    recordings = Recordings(tmp_path / "data" / "recordings")
    source = make_recording(tmp_path / "tidy_1")
    recordings.add(source, copy=True)
    (source / "scene_graph_0.json").unlink()
    assert recordings.file("tidy_1").read_text() == "{}"
    make_recording(tmp_path / "again" / "tidy_1")
    with pytest.raises(RecordingError, match="already exists"):
        recordings.add(tmp_path / "again" / "tidy_1")


@pytest.mark.parametrize("of", ["copy", "zip"])
def test_what_is_taken_in_is_on_disk_before_it_has_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, of: str
) -> None:
    """faults N14: after a power cut an import that was done is whole, for copies and zips alike."""
    recordings, flushed = Recordings(tmp_path / "data" / "recordings"), set[int]()
    place = recordings.folder("tidy_1")
    sync, rename = os.fsync, Path.replace

    def flush(file: int) -> None:
        flushed.add(os.fstat(file).st_ino)
        sync(file)

    def checked(source: Path, target: Path) -> Path:
        if target == place:
            made = [source, *source.rglob("*")]
            assert len(made) >= 2
            assert {path.stat().st_ino for path in made} <= flushed
            flushed.clear()
        return rename(source, target)

    monkeypatch.setattr(os, "fsync", flush)
    monkeypatch.setattr(Path, "replace", checked)
    if of == "copy":
        source = make_recording(tmp_path / "tidy_1")
        (source / CAMERA).mkdir()
        (source / CAMERA / "00001.png").write_bytes(b"png")
        recordings.add(source, copy=True)
    else:
        with recordings.taking_in("tidy_1", of) as folder:
            (folder / CAMERA).mkdir(parents=True)
            (folder / CAMERA / "00001.png").write_bytes(b"png")
            (folder / "scene_graph_0.json").write_bytes(b"{}")
    assert recordings.root.stat().st_ino in flushed


def test_a_link_inside_the_data_root_moves_with_it(tmp_path: Path) -> None:
    recordings = Recordings(tmp_path / "data" / "recordings")
    recordings.add(make_recording(tmp_path / "data" / "raw" / "tidy_1"))
    moved = (tmp_path / "data").rename(tmp_path / "elsewhere")
    assert Recordings(moved / "recordings").file("tidy_1").read_text() == "{}"


def test_what_is_no_recording_is_refused(tmp_path: Path) -> None:
    recordings = Recordings(tmp_path / "recordings")
    (tmp_path / "empty").mkdir()
    with pytest.raises(RecordingError, match="no scene_graph_0"):
        recordings.add(tmp_path / "empty")
    with pytest.raises(LakeError, match="cannot name a partition"):
        recordings.add(make_recording(tmp_path / "has space"))
    for name in ("../x", "", ".hidden", "a/b"):
        assert not recordings.has(name)
    with pytest.raises(RecordingError, match="Import the recording again"):
        recordings.file("gone")


def test_what_cannot_be_copied_leaves_nothing_behind(tmp_path: Path) -> None:
    """Half a copy under a temporary name would stay for good, unseen."""
    recordings = Recordings(tmp_path / "data" / "recordings")
    source = make_recording(tmp_path / "tidy_1")
    (source / "dangling").symlink_to(tmp_path / "gone")
    with pytest.raises(OutputError, match="cannot be made from"):
        recordings.add(source, copy=True)
    assert list(recordings.root.iterdir()) == []


def test_a_recording_that_cannot_be_reached_is_not_simulated_instead(tmp_path: Path) -> None:
    """A disk that is not mounted must not turn a person's demonstration into one of ours."""
    folder = make_recording(tmp_path / "disk" / "setting_the_table-0")
    recordings = Recordings(tmp_path / "recordings")
    recordings.add(folder)
    arrived = Arrived(recordings, tmp_path, KnownModels(DataRoot(tmp_path)))
    before = arrived.version("recording", ("setting_the_table-0",))
    (tmp_path / "disk").rename(tmp_path / "away")
    assert recordings.is_unreachable("setting_the_table-0")
    assert arrived.version("recording", ("setting_the_table-0",)) == GONE
    with pytest.raises(RecordingError, match="cannot be reached"):
        all_sources(recordings).find("setting_the_table-0").replay("setting_the_table-0", unheard)
    (tmp_path / "away").rename(tmp_path / "disk")
    assert arrived.version("recording", ("setting_the_table-0",)) == before
    recordings.unlink("setting_the_table-0")
    assert arrived.version("recording", ("setting_the_table-0",)) == EMBEDDED


def test_a_raw_demonstration_that_was_replaced_is_another_version(tmp_path: Path) -> None:
    """faults N4: of its HDF5 size and time count, as for what was played of it; of a full scene the
    content, also one of equal size and time. Without the file there is no version.
    """
    raw, scene = tmp_path / "raw.hdf5", tmp_path / "raw.demo_0" / "full.json"
    scene.parent.mkdir()
    about = RawDemonstration(str(raw), 0, 9, full_scene_file=scene.name)
    write_demonstration(scene.with_name("omnigibson.json"), about)
    raw.write_bytes(bytes(9))
    scene.write_text("{}")
    recordings = Recordings(tmp_path / "data" / "recordings")
    name = recordings.add(scene.parent)
    arrived = Arrived(recordings, tmp_path, KnownModels(DataRoot(tmp_path)))

    def version() -> str:
        return arrived.version("recording", (name,))

    first, time = version(), scene.stat().st_mtime_ns
    assert version() == first != GONE
    scene.write_text("[]")
    os.utime(scene, ns=(time, time))
    second = version()
    raw.write_bytes(bytes(10))
    third = version()
    os.utime(raw, ns=(9, 9))
    assert len({first, second, third, version()}) == 4
    raw.rename(tmp_path / "away.hdf5")
    assert version() == GONE


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
