"""Segmented activities: key frames without the frames between are the demonstration."""

import gzip
import json
import shutil
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from enact_assets.cli import main
from enact_assets.commands.release.evidence import gating_of
from enact_assets.commands.release.importing import import_paths
from enact_assets.demonstrations.pictures.demonstration_sources import all_sources
from enact_assets.demonstrations.recordings.folders import Recordings
from enact_assets.demonstrations.replay.recorded import read_recorded
from enact_assets.demonstrations.replay.result import ReplayTables
from enact_assets.demonstrations.replay.sources import Silent
from enact_assets.pipeline.bulk.chain import BulkSettings, tables_of_demonstration
from enact_assets.questions.key_frames.given_key_frames import is_given
from enact_assets.settings.classes import QuestionSettings
from enact_assets.settings.paths import DataRoot
from enact_assets.settings.profile import PAPER, PROFILES, RELEASE

from reference.official_replays import CAMERA, graph_at, write_replay

TASK = "bringing_water_1750844141719178"
SEGMENTED = "segmented_scene_graph_0.json"
QUESTIONS = QuestionSettings(trajectories_per_length=5)


@pytest.fixture(scope="module")
def official(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A replay, and beside it what `segment` makes of it."""
    folder = tmp_path_factory.mktemp("official")
    write_replay(folder / "replayed" / TASK)
    assert main(["segment", str(folder / "replayed"), str(folder / "segmented")]) == 0
    return folder


@pytest.fixture
def segmented(official: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(official / "segmented" / TASK, tmp_path / "in" / TASK))


def replay_of(folder: Path, root: DataRoot) -> ReplayTables:
    assert import_paths([folder], root).is_success
    return all_sources(Recordings(root.recordings)).find(TASK).replay(TASK, Silent())


def made(replay: ReplayTables, profile: str) -> dict[str, pl.DataFrame]:
    settings = BulkSettings(gating_of(PROFILES[profile]), QUESTIONS)
    return tables_of_demonstration(replay, settings).tables


def in_full(folder: Path) -> Path:
    """The same key frames, each with its whole graph, of which nothing is left out."""
    ids = json.loads((folder / SEGMENTED).read_text())
    (folder / SEGMENTED).write_text(json.dumps({k: graph_at(int(k)) for k in ids}))
    return folder


@pytest.mark.parametrize("written", ["differences", "in full", "compressed"])
def test_questions_are_those_of_the_replay(
    official: Path, segmented: Path, tmp_path: Path, written: str
) -> None:
    """What can be seen at a key frame decides them, as do the facts that hold there."""
    if written == "in full":
        in_full(segmented)
    elif written == "compressed":
        content = gzip.compress((segmented / SEGMENTED).read_bytes())
        (segmented / f"{SEGMENTED}.gz").write_bytes(content)
        (segmented / SEGMENTED).unlink()
    whole = read_recorded(official / "replayed" / TASK / "scene_graph_0.json", TASK)
    replay = replay_of(segmented, DataRoot(tmp_path / "data"))
    assert is_given(replay.demonstrations)
    assert not is_given(whole.demonstrations)
    expected, found = made(whole, RELEASE.name), made(replay, RELEASE.name)
    assert expected["qa"].height > 10
    columns = ["question_id", "answer", "prompt", "key_frames"]
    assert found["qa"].select(columns).equals(expected["qa"].select(columns))
    assert found["scene_graphs"].equals(expected["scene_graphs"])
    ids, others = (t["segmented_frames"]["frame_id"].to_list() for t in (found, expected))
    assert ids == others


def test_all_frames_are_key_frames_under_every_gating(segmented: Path, tmp_path: Path) -> None:
    """By the paper's rules nothing would be left: a change has to last for 40 frames."""
    replay = replay_of(segmented, DataRoot(tmp_path / "data"))
    tables = made(replay, PAPER.name)
    ids = [int(k) for k in json.loads((segmented / SEGMENTED).read_text())]
    assert tables["segmented_frames"]["frame_id"].to_list() == ids
    assert "Touching" in replay.facts["predicate"]
    assert "Touching" not in tables["scene_graphs"]["predicate"]  # its gating does not count it
    assert tables["segmented_frames"]["changes"].list.len()[1:].min() > 0
    assert tables["qa"].height > 0


def test_a_replay_is_never_replaced_by_its_key_frames(
    official: Path, segmented: Path, tmp_path: Path
) -> None:
    root = DataRoot(tmp_path / "data")
    replay_of(segmented, root)
    assert import_paths([official / "replayed"], root).is_success
    [failure] = import_paths([segmented], root).failures
    assert f"the replay of {TASK} was imported" in str(failure.error)
    assert Recordings(root.recordings).file(TASK).name == "scene_graph_0.json"


def test_what_differences_leave_out_is_said(
    segmented: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["validate", str(segmented)]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "note: " in out
    assert "key frames are written as differences" in out
    assert "no problems. 5 key frames" in out
    assert main(["import", str(segmented), "--data", str(tmp_path / "data")]) == 0
    assert "import its replayed activity instead" in " ".join(capsys.readouterr().out.split())
    assert main(["validate", str(in_full(segmented))]) == 0
    assert "written as differences" not in " ".join(capsys.readouterr().out.split())


def spoil(folder: Path, how: str) -> None:
    file = folder / SEGMENTED
    content: dict[str, Any] = json.loads(file.read_text())
    if how == "cut off":
        file.write_text(file.read_text()[:-100])
    elif how == "no picture":
        sorted((folder / CAMERA).iterdir())[2].unlink()
    elif how == "listed twice":
        first = next(iter(content.values()))
        first["nodes"].append(first["nodes"][0])
        file.write_text(json.dumps(content))


@pytest.mark.parametrize(
    ("how", "part"),
    [
        ("cut off", "cut off or is still being written"),
        ("no picture", "1 of 5 key frames have no picture"),
        ("listed twice", "is listed twice"),
    ],
)
def test_what_is_wrong_is_named(
    how: str, part: str, segmented: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spoil(segmented, how)
    assert main(["validate", str(segmented)]) == 1
    assert part in " ".join(capsys.readouterr().out.split())
