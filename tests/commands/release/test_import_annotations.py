"""Annotated videos enter a data root by the command, or are told what is wrong with them."""

import shutil
from pathlib import Path

import pytest

from enact_assets.answers.baselines.known_models import KnownModels
from enact_assets.cli import main
from enact_assets.demonstrations.pictures.demonstration_sources import (
    EmbeddedSource,
    RecordedSource,
    VideoSource,
    all_sources,
)
from enact_assets.demonstrations.pictures.recorded_pictures import is_shown
from enact_assets.demonstrations.recordings.folders import Recordings
from enact_assets.demonstrations.recordings.watched_folders import look_at
from enact_assets.pipeline.lineage.versions import EMBEDDED, Arrived
from enact_assets.settings.classes import VIDEO, CameraSettings, Variant
from enact_assets.settings.paths import DataRoot
from enact_assets.settings.registry import load_registry

from reference.small_videos import write_video

GOOD = (
    "time,change,predicate,subject,object,category\n,object,,cup,,cup\n,object,,lid,,lid\n"
    "0,add,OnTop,lid,cup,\n1,remove,OnTop,lid,cup,\n"
)
FISHEYE = Variant(
    "fisheye", "state", camera=CameraSettings(projection="fisheye"), is_as_recorded=False
)


def filmed(folder: Path, text: str = GOOD, name: str = "annotation.csv") -> Path:
    write_video(folder / "external_sensor1.mp4", 60)
    (folder / name).write_text(text)
    return folder


def printed(capsys: pytest.CaptureFixture[str]) -> str:
    return " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("way", ["folder", "above", "file"])
def test_a_video_comes_in_by_its_folder_or_its_annotation(
    tmp_path: Path, way: str, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = filmed(tmp_path / "films" / "open_jar_3")
    path = {"folder": folder, "above": folder.parent, "file": folder / "annotation.csv"}[way]
    assert main(["import", str(path), "--data", str(tmp_path / "data")]) == 0
    assert "open_jar_3" in printed(capsys)
    recordings = Recordings(DataRoot(tmp_path / "data").recordings)
    assert recordings.names() == ["open_jar_3"]
    assert all_sources(recordings).find("open_jar_3").name == "video"


def test_a_bad_annotation_does_not_come_in(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It would fail in every run from then on."""
    folder = filmed(tmp_path / "open_jar_3", GOOD.replace("0,add", "9,add"))
    assert main(["import", str(folder), "--data", str(tmp_path / "data")]) == 1
    out = printed(capsys)
    assert "line 4, time: 9 s lies after the end" in out
    assert "enact-assets validate" in out
    assert not (tmp_path / "data").exists()


def test_validate_and_check_tell_all_and_import_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = filmed(tmp_path / "films" / "bad_1", GOOD.replace("lid,cup", "lit,cup"))
    good = filmed(tmp_path / "films" / "good_1")
    data = ["--data", str(tmp_path / "data")]
    for command in (["validate", str(bad)], ["import", str(bad), "--check", *data]):
        assert main(command) == 1
        out = printed(capsys)
        assert "line 4, subject: 'lit' is not among the objects (did you mean 'lid'?)" in out
        assert "line 5, subject" in out
        assert "2 problems" in out
    assert main(["validate", str(good / "annotation.csv")]) == 0
    assert "2 objects, 2 changes; the video has 60 frames of 48 x 32 px, 30.00" in printed(capsys)
    assert main(["validate", str(tmp_path / "films")]) == 1
    out = printed(capsys)
    assert "2 problems" in out
    assert "no problems" in out
    assert not (tmp_path / "data").exists()


def test_validate_reads_whatever_import_takes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "replay").mkdir()
    graphs = tmp_path / "replay" / "scene_graph_0.json"
    graphs.write_text('{"1": {"nodes": [], "edges": [], "type": "full"}}')
    assert main(["validate", str(graphs.parent)]) == 0
    assert "1 frames" in printed(capsys)
    graphs.write_text('{"1": {"nodes": []')
    (tmp_path / "questions.jsonl").write_text('{"id": "x"}\n')
    for path in (graphs, tmp_path / "questions.jsonl", tmp_path / "gone", tmp_path):
        assert main(["validate", str(path)]) == 1
        assert str(path) in capsys.readouterr().out.replace("\n", "")
    assert main(["validate", str(tmp_path / "gone.csv")]) == 1
    assert "no such file or folder" in printed(capsys)


def test_a_folder_with_scene_graphs_stays_a_recording(tmp_path: Path) -> None:
    """An annotation laid beside them changes nothing."""
    recordings = Recordings(tmp_path / "recordings")
    folder = filmed(recordings.folder("both_1"))
    assert isinstance(all_sources(recordings).find("both_1"), VideoSource)
    (folder / "scene_graph_0.json").write_text("{}")
    found = all_sources(recordings).find("both_1")
    assert type(found) is RecordedSource
    assert isinstance(all_sources(recordings).find("setting_the_table-0"), EmbeddedSource)


def test_who_shows_what(tmp_path: Path) -> None:
    """A variant is shown where it changes no picture, or where its pictures came along."""
    recordings = Recordings(tmp_path / "recordings")
    folder = filmed(recordings.folder("film_1"))
    contact = load_registry().variant("contact")

    def shows(variant: Variant) -> bool:
        return is_shown(recordings, "film_1", VIDEO, variant)

    assert shows(contact)
    assert not shows(FISHEYE)
    assert is_shown(recordings, "setting_the_table-0", EMBEDDED, FISHEYE)
    (folder / "variant_fisheye").mkdir()
    assert not shows(FISHEYE)  # nothing is in it yet
    (folder / "variant_fisheye" / "00000.png").write_bytes(b"")
    assert shows(FISHEYE)
    shutil.rmtree(folder / "variant_fisheye")
    (folder / "variant_fisheye.mkv").write_bytes(b"")
    assert shows(FISHEYE)


def test_what_changes_a_recording_changes_its_version(tmp_path: Path) -> None:
    """Pictures of other variants count among the pictures, and not for what is replayed."""
    recordings = Recordings(tmp_path / "recordings")
    folder = filmed(recordings.folder("film_1"))
    arrived = Arrived(recordings, tmp_path / "question_files", KnownModels(DataRoot(tmp_path)))

    def versions() -> tuple[str, str, str]:
        return (
            arrived.version("recording", ("film_1",)),
            arrived.version("recorded_variant", ("fisheye",)),
            arrived.version("recorded_variant", ("high",)),
        )

    def pictures() -> str | None:
        return arrived.recorded_pictures(("film_1", "state"), lambda: "made", lambda: [0])

    before, before_pictures = versions(), pictures()
    assert before[1] == before[2]
    assert arrived.version("recording", ("setting_the_table-0",)) == EMBEDDED
    write_video(folder / "variant_fisheye.mp4", 60)
    after = versions()
    assert pictures() != before_pictures
    assert after[0] == before[0]
    assert after[1] != before[1]
    assert after[2] == before[2]
    (folder / "variant_fisheye.mp4").unlink()
    assert (versions(), pictures()) == (before, before_pictures)
    (folder / "annotation.csv").write_text(GOOD + "\n")
    assert versions()[0] != before[0]


def test_a_film_that_appears_in_a_watched_folder_waits_for_all_its_pictures(
    tmp_path: Path,
) -> None:
    recordings = Recordings(tmp_path / "data" / "recordings")
    folder = filmed(tmp_path / "incoming" / "film_1")
    (folder / "variant_fisheye").mkdir()
    first = look_at([tmp_path / "incoming"], recordings, {})
    assert first.added == []
    (folder / "variant_fisheye" / "00000.png").write_bytes(b"one")
    second = look_at([tmp_path / "incoming"], recordings, first.growing)
    assert second.added == []
    third = look_at([tmp_path / "incoming"], recordings, second.growing)
    assert third.added == ["film_1"]
