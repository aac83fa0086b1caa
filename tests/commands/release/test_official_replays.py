"""Official downloads: N + 1 scene graphs with a video of N pictures, or key frames alone."""

import gzip
import json
import re
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from PIL import Image

from enact_assets.answers.baselines.known_models import KnownModels
from enact_assets.cli import main
from enact_assets.commands.release.evidence import gating_of
from enact_assets.commands.release.importing import import_paths
from enact_assets.demonstrations.pictures.checks import Wanted, check_pictures
from enact_assets.demonstrations.pictures.demonstration_sources import all_sources
from enact_assets.demonstrations.recordings.folders import Recordings
from enact_assets.demonstrations.recordings.videos import read_frames
from enact_assets.demonstrations.replay.recorded import read_recorded
from enact_assets.demonstrations.replay.result import ReplayTables
from enact_assets.demonstrations.replay.sources import PictureRequest
from enact_assets.engine.errors import RenderError
from enact_assets.engine.lake.image_store import ImageStore
from enact_assets.engine.progress import unheard
from enact_assets.pipeline.bulk.chain import BulkSettings, tables_of_demonstration
from enact_assets.pipeline.lineage.versions import EMBEDDED, Arrived
from enact_assets.pipeline.steps.profiles import SEGMENT
from enact_assets.questions.key_frames.given_key_frames import is_given
from enact_assets.settings.classes import QuestionSettings
from enact_assets.settings.frame_ids import COUNTED_FROM_0, FrameIds
from enact_assets.settings.paths import DataRoot
from enact_assets.settings.profile import PAPER, PROFILES, RELEASE
from enact_assets.settings.registry import load_registry

from reference.official_replays import CAMERA, N_PICTURES, graph_at, number_in, write_replay

TASK = "bringing_water_1750844141719178"
OTHER = "canning_food_1751278778230696"
GRAPHS = "scene_graph_0.json"


@pytest.fixture(scope="module")
def official(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A replay, and beside it what `segment` makes of it."""
    folder = tmp_path_factory.mktemp("official")
    write_replay(folder / "replayed_activities" / TASK)
    folders = [str(folder / name) for name in ("replayed_activities", "segmented")]
    assert main(["segment", *folders]) == 0
    return folder


@pytest.fixture(scope="module")
def replayed(official: Path) -> Path:
    return official / "replayed_activities"


def key_frames(replay: ReplayTables, gating: str) -> pl.DataFrame:
    entry = gating_of(PROFILES[gating])
    recorded = replay.demonstrations, replay.facts, replay.objects
    return SEGMENT.of(entry.profile)(*recorded, entry, replay.later_parents).segmented_frames


def shown(root: DataRoot, replay: ReplayTables, frames: pl.DataFrame) -> dict[int, int]:
    """Frame id of each key frame -> the number in its picture."""
    store = ImageStore(root.images)
    variant = load_registry().variant("baseline")
    request = PictureRequest(replay.demonstrations, frames, variant, store, pl.DataFrame)
    sources = all_sources(Recordings(root.recordings))
    images = sources.named("recorded").pictures(request).join(frames, on="key_frame")
    ids_and_shas = images.select("frame_id", "image_sha").iter_rows()
    return {frame_id: number_in(store.read(sha)) for frame_id, sha in ids_and_shas}


def replay_in(root: DataRoot, name: str = TASK) -> ReplayTables:
    return all_sources(Recordings(root.recordings)).find(name).replay(name, unheard)


@pytest.mark.parametrize("given", ["folder", "one folder", "zip"])
@pytest.mark.parametrize("profile", sorted(PROFILES))
def test_a_key_frame_shows_the_picture_of_its_id(
    replayed: Path, tmp_path: Path, profile: str, given: str
) -> None:
    """Counted from 0, every picture would be that of the frame after."""
    root = DataRoot(tmp_path / "data")
    if given == "zip":
        name = str(tmp_path / replayed.name)
        path = Path(shutil.make_archive(name, "zip", replayed.parent, replayed.name))
    else:
        path = replayed if given == "folder" else replayed / TASK
    assert import_paths([path], root).is_success
    replay = replay_in(root)
    assert replay.demonstrations["n_frames"].item() == N_PICTURES + 1
    frames = key_frames(replay, profile)
    assert frames["frame_id"].min() > 0  # the frame without a picture is none
    found = shown(root, replay, frames)
    assert len(found) == frames.height >= 4
    assert found == {frame_id: frame_id for frame_id in found}


def test_files_that_the_release_extracts_are_the_same_pictures(
    replayed: Path, tmp_path: Path
) -> None:
    """It calls the first picture 00001.png and has none of id 0."""
    video, n_pictures = replayed / TASK / f"{CAMERA}.mp4", 70
    task = write_replay(tmp_path / TASK, n_pictures)
    (task / CAMERA).mkdir()
    for k, pixels in read_frames(video, range(n_pictures), N_PICTURES):
        Image.fromarray(pixels).save(task / CAMERA / f"{k + 1:05d}.png")
    (task / f"{CAMERA}.mp4").unlink()
    assert main(["validate", str(task)]) == 0
    root = DataRoot(tmp_path / "data")
    import_paths([task], root)
    replay = replay_in(root)
    assert shown(root, replay, key_frames(replay, "release")) == {59: 59}


@pytest.mark.parametrize(("n_lacking", "first_seen"), [(-1, 1), (2, 1), (1, 0)])
def test_other_numbers_are_refused_naming_both(
    n_lacking: int, first_seen: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """At once, not after minutes of `materialize`. One picture fewer is one that was lost, if
    something is seen at id 0.
    """
    task = write_replay(tmp_path / TASK, 80, n_lacking, first_seen)
    root = DataRoot(tmp_path / "data")
    [failure] = import_paths([task], root).failures
    assert f"has 80 pictures, the replay {80 + n_lacking} frames" in str(failure.error)
    assert not root.recordings.exists() or not any(root.recordings.iterdir())
    Recordings(root.recordings).add(task)  # as from a watched folder
    replay = replay_in(root)
    expected = (
        f"has 80 frames, the replay {80 + n_lacking}. .*one picture per frame.*One picture fewer"
    )
    with pytest.raises(RenderError, match=expected):
        shown(root, replay, key_frames(replay, "release"))
    assert main(["import", str(task), "--check", "--data", str(tmp_path / "data")]) == 1
    assert f"has 80 frames, the replay {80 + n_lacking}" in capsys.readouterr().out


@pytest.mark.parametrize("without", ["0", "70"])
def test_other_ids_do_not_lack_a_picture(tmp_path: Path, without: str) -> None:
    """Nothing says which one is missing: the first, the last, or one in between."""
    task = write_replay(tmp_path / TASK, 80, 2)
    graphs = json.loads((task / GRAPHS).read_text())
    del graphs[without]
    (task / GRAPHS).write_text(json.dumps(graphs))
    assert main(["validate", str(task)]) == 1
    root = DataRoot(tmp_path / "data")
    assert not import_paths([task], root).is_success
    Recordings(root.recordings).add(task)
    replay = replay_in(root)
    with pytest.raises(RenderError, match="has 80 frames, the replay 81"):
        shown(root, replay, key_frames(replay, "release"))


def test_a_key_frame_without_a_picture_is_named(
    replayed: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """A gating may take pictures at the moment of a change, hence at the first frame."""
    root = DataRoot(tmp_path / "data")
    import_paths([replayed], root)
    replay = replay_in(root)
    gating = gating_of(PAPER)
    at_once = replace(gating, profile=replace(PAPER, settle_frames=0))
    recorded = replay.demonstrations, replay.facts, replay.objects
    frames = SEGMENT.of(PAPER)(*recorded, at_once, None).segmented_frames
    ids = frames["frame_id"].to_list()
    assert list(shown(root, replay, frames)) == ids[1:]
    assert re.search(r"1 of \d+ key frames .*00000.png.*Set settle_frames", caplog.text)
    wanted = Wanted(
        N_PICTURES + 1, FrameIds(COUNTED_FROM_0), frames["frame"].to_numpy().astype(np.int64), {}
    )
    [finding] = check_pictures(replayed / TASK, wanted)
    assert finding.kind == "no_first_picture"
    assert "Set settle_frames" in str(finding)


def test_the_commands_of_the_release_show_the_same_pictures(official: Path, tmp_path: Path) -> None:
    """Key frames are copied, then labelled: both read the video."""
    copied = sorted((official / "segmented" / TASK / CAMERA).iterdir())
    assert [number_in(np.asarray(Image.open(p))) for p in copied] == [int(p.stem) for p in copied]
    output = tmp_path / "QA" / "all.jsonl"
    folders = [str(official / name) for name in ("segmented", "replayed_activities")]
    assert main(["qa", *folders, str(output)]) == 0
    questions = [json.loads(line) for line in output.read_text().splitlines()]
    assert questions
    assert all((tmp_path / image).is_file() for q in questions for image in q["images"])


def test_halves_are_named_and_the_others_come_in(
    replayed: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "replayed_activities"
    shutil.copytree(replayed, folder)
    (folder / OTHER).mkdir()
    (folder / "empty_1").mkdir()
    (folder / "notes").mkdir()
    (folder / "notes" / "readme.txt").write_text("of nobody's concern")
    shutil.copy(replayed / TASK / f"{CAMERA}.mp4", folder / OTHER)
    root = DataRoot(tmp_path / "data")
    failures = {o.name: str(o.error) for o in import_paths([folder], root).failures}
    assert failures.keys() == {OTHER, "empty_1"}
    assert "has pictures of external_sensor1, but no scene_graph_0.json" in failures[OTHER]
    assert "is empty" in failures["empty_1"]
    assert Recordings(root.recordings).names() == [TASK]
    assert main(["validate", str(folder)]) == 1
    out = " ".join(capsys.readouterr().out.split())
    assert f"no problems. {N_PICTURES + 1} frames" in out
    assert "has pictures of external_sensor1" in out
    [alone] = import_paths([folder / OTHER], root).failures
    assert "but no scene_graph_0.json" in str(alone.error)


def test_a_replay_without_pictures_comes_in_and_says_so(replayed: Path, tmp_path: Path) -> None:
    """Its facts can be looked at; its pictures may come later."""
    task = tmp_path / TASK
    shutil.copytree(replayed / TASK, task)
    (task / f"{CAMERA}.mp4").unlink()
    summary = import_paths([task], DataRoot(tmp_path / "data"))
    assert summary.is_success
    assert any("no pictures. Add" in note for note in summary.notes)


def test_a_folder_of_another_kind_is_named(tmp_path: Path) -> None:
    (tmp_path / "raw_hdf5").mkdir()
    (tmp_path / "raw_hdf5" / "tidy_up.hdf5").write_bytes(b"x")
    [failure] = import_paths([tmp_path / "raw_hdf5"], DataRoot(tmp_path / "data")).failures
    assert "Its 1 raw demonstrations are imported as files, such as" in str(failure.error)


def test_a_video_that_was_cut_off_is_refused(
    replayed: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    task = Path(shutil.copytree(replayed / TASK, tmp_path / TASK))
    video = task / f"{CAMERA}.mp4"
    video.write_bytes(video.read_bytes()[:-9000])
    assert main(["validate", str(task)]) == 1
    assert f"{CAMERA}.mp4" in capsys.readouterr().out
    [failure] = import_paths([task], DataRoot(tmp_path / "data")).failures
    assert f"{CAMERA}.mp4" in str(failure.error)


@pytest.mark.parametrize("given", ["folder", "zip"])
def test_versions_tell_one_import_from_the_next(replayed: Path, tmp_path: Path, given: str) -> None:
    """A recording that was unpacked from another zip is made again, as any other."""
    root = DataRoot(tmp_path / "data")
    arrived = Arrived(Recordings(root.recordings), root.question_files, KnownModels(root))

    def version_of(n_pictures: int) -> str:
        folder = write_replay(tmp_path / str(n_pictures) / TASK, n_pictures).parent
        if given == "zip":
            folder = Path(shutil.make_archive(str(folder), "zip", folder))
        assert import_paths([folder], root).is_success
        return arrived.version("recording", (TASK,))

    first = version_of(70)
    assert first == arrived.version("recording", (TASK,))
    shutil.rmtree(root.recordings)
    assert arrived.version("recording", (TASK,)) == EMBEDDED
    assert version_of(71) != first


SEGMENTED = "segmented_scene_graph_0.json"
QUESTIONS = QuestionSettings(trajectories_per_length=5)


@pytest.fixture
def segmented(official: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(official / "segmented" / TASK, tmp_path / "in" / TASK))


def replay_of(folder: Path, root: DataRoot) -> ReplayTables:
    assert import_paths([folder], root).is_success
    return replay_in(root)


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
    whole = read_recorded(official / "replayed_activities" / TASK / GRAPHS, TASK)
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
    replayed: Path, segmented: Path, tmp_path: Path
) -> None:
    root = DataRoot(tmp_path / "data")
    replay_of(segmented, root)
    assert import_paths([replayed], root).is_success
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
        first["nodes"].append({**first["nodes"][0], "states": ["Other"]})
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
