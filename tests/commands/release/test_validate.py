"""``enact-assets validate``: whatever import takes, all pictures of it, every message once."""

import json
import shutil
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from official_files import png
from PIL import Image

from enact_assets.cli import main
from enact_assets.commands.validating import wanted_pictures
from enact_assets.demonstrations.pictures.checks import NOTES, PROBLEMS, Wanted, check_pictures
from enact_assets.demonstrations.replay.annotated import read_annotated
from enact_assets.demonstrations.replay.recorded import read_recorded
from enact_assets.demonstrations.replay.recorded_export import write_recorded
from enact_assets.engine.given_pictures import undecoded_size
from enact_assets.engine.progress import Progress
from enact_assets.settings.frame_ids import COUNTED_FROM_0, FrameIds

from reference.conformance import TASKS, replay_path
from reference.small_videos import grey, write_video

N_FRAMES = 90
KEY_FRAMES = (20, 50)
"""Of ``FILMED``: the first, and 20 frames after the change."""
FILMED = (
    "frame,change,predicate,subject,object,category\n,object,,cup,,cup\n,object,,lid,,lid\n"
    "30,add,OnTop,lid,cup,\n"
)
CAMERA = "external_sensor1"


@pytest.fixture(scope="module")
def filmed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("films") / "open_jar_3"
    write_video(folder / f"{CAMERA}.mp4", N_FRAMES)
    (folder / "annotation.csv").write_text(FILMED)
    return folder


@pytest.fixture(scope="module")
def replay(filmed: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same in the layout of the public release, without pictures."""
    file = tmp_path_factory.mktemp("replays") / "scene_graph_0.json"
    write_recorded(read_annotated(filmed / "annotation.csv", "open_jar_3"), file)
    return file


@pytest.fixture
def recording(replay: Path, tmp_path: Path) -> Path:
    """Of 90 frames, with a picture of each key frame."""
    folder = tmp_path / "recorded_1"
    folder.mkdir()
    (folder / replay.name).symlink_to(replay)
    write_png_files(folder / CAMERA)
    return folder


def write_png_files(folder: Path, ids: tuple[int, ...] = KEY_FRAMES) -> None:
    folder.mkdir(exist_ok=True)
    for k in ids:
        (folder / f"{k:05d}.png").write_bytes(png(grey(k)))


def videos(n_frames: int, *names: str) -> Callable[[Path], None]:
    def write(folder: Path) -> None:
        for name in names:
            write_video(folder / name, n_frames)

    return write


def pictures(place: str, *ids: int) -> Callable[[Path], None]:
    return lambda folder: write_png_files(folder / place, ids)


A_SHORT_VIDEO = videos(30, "variant_high.mkv")
AN_UNKNOWN_VARIANT = videos(3, "variant_nosuchvariant.mp4")
VIDEO_TOO = videos(3, f"{CAMERA}.mp4")
FROM_1000 = pictures(CAMERA, 1000, 1001)
FEW = pictures("variant_high", 20)
HIGH = "variant_high.mp4"


def no_pictures(folder: Path) -> None:
    shutil.rmtree(folder / CAMERA)


def one_is_missing(folder: Path) -> None:
    (folder / CAMERA / "00050.png").unlink()


def one_is_cut_off(folder: Path) -> None:
    path = folder / CAMERA / "00050.png"
    path.write_bytes(path.read_bytes()[:-20])


def one_is_larger(folder: Path) -> None:
    (folder / CAMERA / "00021.png").write_bytes(png(np.zeros((8, 9, 3), np.uint8)))


def one_of_sixteen_bits(folder: Path) -> None:
    pixels = np.full((32, 48), 40_000, np.uint16)
    Image.fromarray(pixels).save(folder / CAMERA / "00050.png")


def one_decodes_to_nothing(folder: Path) -> None:
    """Every checksum is right, and the pixels are not there."""
    path = folder / CAMERA / "00050.png"
    found = path.read_bytes()
    at = found.index(b"IDAT") - 4
    end = at + 12 + int.from_bytes(found[at : at + 4], "big")
    pixels = zlib.compress(b"")
    chunk = b"IDAT" + pixels
    parts = len(pixels).to_bytes(4, "big"), chunk, zlib.crc32(chunk).to_bytes(4, "big")
    path.write_bytes(found[:at] + b"".join(parts) + found[end:])


def one_comes_twice(folder: Path) -> None:
    place = folder / CAMERA
    (place / "00050.png").rename(place / "50.png")
    Image.fromarray(grey(50)).save(place / "00050.JPG", "JPEG")


def one_has_a_hole(folder: Path) -> None:
    pixels = np.dstack([grey(50), np.full((32, 48), 255, np.uint8)])
    pixels[:8, :8, 3] = 0
    (folder / CAMERA / "00050.png").write_bytes(png(pixels))


def one_was_held_sideways(folder: Path) -> None:
    exif = Image.Exif()
    exif[0x0112] = 3
    Image.fromarray(grey(50)).save(folder / CAMERA / "00050.png", exif=exif)


def all_are_tiny(folder: Path) -> None:
    for k in KEY_FRAMES:
        (folder / CAMERA / f"{k:05d}.png").write_bytes(png(np.zeros((4, 6, 3), np.uint8)))


def a_short_video(folder: Path) -> None:
    shutil.rmtree(folder / CAMERA)
    write_video(folder / f"{CAMERA}.mp4", N_FRAMES - 2)


def a_variant_that_is_no_video(folder: Path) -> None:
    (folder / "variant_high.gif").write_bytes(b"")


def an_empty_variant(folder: Path) -> None:
    (folder / "variant_high").mkdir()


def one_is_there_as_jpeg_too(folder: Path) -> None:
    Image.fromarray(grey(50)).save(folder / CAMERA / "00050.JPG", "JPEG")


def a_file_for_a_folder(folder: Path) -> None:
    shutil.rmtree(folder / CAMERA)
    (folder / CAMERA).write_bytes(b"")


def another_was_held_sideways(folder: Path) -> None:
    """What says so stands behind the pixels; upright it has the size of all others."""
    exif = Image.Exif()
    exif[0x0112] = 6
    path = folder / CAMERA / "00021.png"
    path.write_bytes(png(grey(21).transpose(1, 0, 2)))
    found, note = path.read_bytes(), b"eXIf" + exif.tobytes()[6:]
    chunk = (len(note) - 4).to_bytes(4, "big") + note + zlib.crc32(note).to_bytes(4, "big")
    path.write_bytes(found[:-12] + chunk + found[-12:])


CASES: list[tuple[str, Callable[[Path], None], str, str]] = [
    # kind, what is done to a good recording, where, part of the message
    ("no_pictures", no_pictures, CAMERA, "2 key frames need a picture. Put them there: 00020.png"),
    ("no_picture_of", one_is_missing, CAMERA, "1 of 2 key frames have no picture, first 00050.png"),
    ("broken", one_is_cut_off, CAMERA, "1 of 2 picture files cannot be used, first 00050.png: "),
    ("broken", one_of_sixteen_bits, CAMERA, "convert it to 8 bits"),
    ("broken", one_decodes_to_nothing, CAMERA, "1 of 2 picture files cannot be used, first 00050"),
    ("several", one_comes_twice, CAMERA, "00050.JPG and 50.png show one frame. Keep one of them."),
    ("on_white", one_has_a_hole, CAMERA, "1 of 2 pictures of key frames are transparent in part"),
    ("turned", one_was_held_sideways, CAMERA, "1 of 2 pictures of key frames say how the camera"),
    ("tiny", all_are_tiny, CAMERA, "2 of 2 pictures of key frames are below 32 px: 00020.png, 6 x"),
    ("sizes", one_is_larger, CAMERA, "2 of 48 x 32 px, 1 of 9 x 8 px, first of the rarest 00021"),
    ("bad_video", a_short_video, f"{CAMERA}.mp4", "has 88 frames, the replay 90"),
    ("bad_video", A_SHORT_VIDEO, "variant_high.mkv", "has 30 frames, the replay 90"),
    ("unknown_variant", AN_UNKNOWN_VARIANT, "variant_nosuchvariant.mp4", "known: aperture_30"),
    ("no_place", a_variant_that_is_no_video, "variant_high.gif", "neither a folder with pictures"),
    ("no_place", an_empty_variant, "variant_high", "Convert, rename or remove it."),
    ("other_frames", FROM_1000, CAMERA, "2 of 4 picture files match no frame of the replay"),
    ("unused_video", VIDEO_TOO, f"{CAMERA}.mp4", "external_sensor1/ with pictures counts instead"),
    *(
        ("unused_video", videos(90, HIGH, other), other, f"{HIGH} counts instead")
        for other in ("variant_high.mkv", "variant_high.MP4")
    ),
    ("outranked", one_is_there_as_jpeg_too, CAMERA, "1 of 3 picture files show a frame that an"),
    ("no_folder", a_file_for_a_folder, CAMERA, "a file, not a folder with pictures. A video needs"),
    ("no_variant_picture_of", FEW, "variant_high", "1 of 2 key frames have no"),
    ("as_recorded", videos(3, "variant_contact.mp4"), "variant_contact.mp4", "the baseline's"),
]


def said(capsys: pytest.CaptureFixture[str]) -> str:
    return " ".join(capsys.readouterr().out.split())


def test_a_picture_that_says_behind_its_pixels_how_it_was_held(
    recording: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    another_was_held_sideways(recording)
    assert not main(["validate", str(recording)])
    assert "pictures of 2 sizes" not in said(capsys)


@pytest.mark.parametrize("case", CASES, ids=[f"{kind} {place}" for kind, _, place, _ in CASES])
def test_what_is_wrong_with_pictures_is_told_with_its_place(
    case: tuple[str, Callable[[Path], None], str, str],
    recording: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    kind, spoil, place, part = case
    spoil(recording)
    assert main(["validate", str(recording)]) == (kind in PROBLEMS)
    out = said(capsys)
    note = "note: " if kind in NOTES else ""
    assert f"{note}{recording / place}: " in out
    assert part in out
    assert ("no problems. 90 frames" in out) == (kind in NOTES)


def test_every_message_about_pictures_is_tested() -> None:
    elsewhere = {"no_first_picture", "other_size"}
    assert {case[0] for case in CASES} | elsewhere == set(PROBLEMS | NOTES)


def test_pictures_of_another_size_than_the_recorded_boxes_are_noted(recording: Path) -> None:
    write_video(recording / "variant_high.mp4", N_FRAMES)
    frames = np.array(KEY_FRAMES)
    size = undecoded_size(recording / CAMERA / "00020.png")

    def found(size_px: tuple[int, int] | None) -> list[str]:
        variants = {"high": frames}
        wanted = Wanted(N_FRAMES, FrameIds(COUNTED_FROM_0), frames, variants, size_px=size_px)
        findings = check_pictures(recording, wanted)
        assert not any(finding.is_problem for finding in findings)
        return [f"{finding.place.name}: {finding.what}" for finding in findings]

    assert found(size) == found(None) == []
    of_camera, of_variant = found((512, 256))
    said = "48 x 32 px, but boxes of the recording are in 512 x"
    assert of_camera.startswith(f"{CAMERA}: {said} 256")
    assert of_variant.startswith(f"variant_high.mp4: {said} 256")
    replay = read_recorded(replay_path(TASKS[1]), "recording")
    assert wanted_pictures(replay).size_px == (512, 512)


def test_all_that_is_wrong_with_pictures_is_told_at_once(
    recording: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for spoil in (one_is_cut_off, AN_UNKNOWN_VARIANT, A_SHORT_VIDEO):
        spoil(recording)
    data = ["--data", str(recording.parent / "data")]
    for command in (["validate", str(recording)], ["import", str(recording), "--check", *data]):
        assert main(command) == 1
        out = said(capsys)
        assert out.count("picture files cannot be used") == 1
        assert "nosuchvariant" in out
        assert "variant_high.mkv: has 30 frames" in out
        assert "3 problems in the pictures" in out


def test_a_good_recording_has_nothing_wrong(
    recording: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_video(recording / "variant_high.mp4", N_FRAMES)
    (recording / CAMERA / "._00020.png").write_bytes(b"what macOS leaves beside a copy")
    assert main(["validate", str(recording)]) == 0
    assert said(capsys).endswith("no problems. 90 frames.")


def test_variants_of_an_annotated_video_have_as_many_frames(
    filmed: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also where the annotation itself is wrong: whoever mends it should not start again."""
    folder = Path(shutil.copytree(filmed, tmp_path / "open_jar_3"))
    assert main(["validate", str(folder)]) == 0
    assert "no problems. 2 objects" in said(capsys)
    write_video(folder / "variant_high.mp4", N_FRAMES - 1)
    assert main(["validate", str(folder)]) == 1
    assert "variant_high.mp4: has 89 frames, the replay 90" in said(capsys)
    (folder / "annotation.csv").write_text(FILMED.replace("lid,cup", "lit,cup"))
    assert main(["validate", str(folder / "annotation.csv")]) == 1
    out = said(capsys)
    assert "'lit' is not among the objects" in out
    assert "variant_high.mp4: has 89 frames, the replay 90" in out


def test_a_video_with_pictures_that_cannot_be_decoded_is_told(
    filmed: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its packets are all there, and its first picture is good: only decoding tells."""
    folder = Path(shutil.copytree(filmed, tmp_path / "open_jar_3"))
    video = folder / f"{CAMERA}.mp4"
    content = video.read_bytes()
    half = len(content) // 4
    video.write_bytes(content[:half] + bytes(len(content) // 4) + content[2 * half :])
    assert main(["validate", str(folder)]) == 1
    assert f"{CAMERA}.mp4" in said(capsys)


def test_names_are_checked_as_import_does(
    filmed: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, part in (("setting_the_table-7", "embedded demonstration"), ("a b", "cannot name")):
        folder = Path(shutil.copytree(filmed, tmp_path / "films" / name))
        for path in (folder, folder / "annotation.csv"):
            assert main(["validate", str(path)]) == 1
            out = said(capsys)
            assert part in out
            assert "annotation.csv: no other problems. 2 objects" in out
            assert main(["import", str(path), "--data", str(tmp_path / "root")]) == 1
            assert part in said(capsys)
    assert main(["validate", str(folder.parent)]) == 1
    assert "a b: the folder name cannot be a task name" in said(capsys)
    (tmp_path / "link_1").symlink_to(folder)
    assert main(["validate", str(tmp_path / "link_1")]) == 0


def test_what_nobody_reads_is_told(
    filmed: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = Path(shutil.copytree(filmed, tmp_path / "open_jar_3"))
    (folder / "annotation.json").write_text("{}")
    assert main(["validate", str(folder)]) == 0
    assert "annotation.json is ignored, because annotation.csv takes precedence" in said(capsys)
    for name, part in (("notes.txt", "`import` does not take this"), ("gone", "no such file")):
        if name != "gone":
            (tmp_path / name).write_text("")
        assert main(["validate", str(tmp_path / name)]) == 1
        assert part in said(capsys)


def test_nothing_is_called_good_that_import_refuses(
    filmed: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A path that is not there, empty ones, and files of other kinds."""
    (tmp_path / "empty").mkdir()
    (tmp_path / "questions.jsonl").touch()
    (tmp_path / "cut_off.zip").write_bytes(b"PK")
    zipfile.ZipFile(tmp_path / "empty.zip", "w").close()
    (tmp_path / "dangling").symlink_to("gone")
    names = ("gone", "gone.csv", "dangling", "empty", "questions.jsonl", "cut_off.zip", "empty.zip")
    for path in (*(tmp_path / name for name in names), filmed / f"{CAMERA}.mp4"):
        assert main(["validate", str(path)]) == 1
        out = said(capsys)
        assert path.name in out
        assert "no problems" not in out
        assert main(["import", str(path), "--data", str(tmp_path / "root")]) == 1
    assert main(["validate", str(tmp_path / "gone"), str(filmed)]) == 1


def test_warnings_are_printed_and_stop_nothing(
    filmed: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = Path(shutil.copytree(filmed, tmp_path / "open_jar_3"))
    (folder / "annotation.csv").write_text(FILMED + "60,show,,lid,,\n")
    assert main(["validate", str(folder)]) == 0
    out = said(capsys)
    assert "annotation.csv: line 5, change: 'lid' is unseen until here, frame 60" in out
    assert "no problems. 2 objects" in out
    assert main(["import", str(folder), "--data", str(tmp_path / "root")]) == 0
    assert "1 warning: line 5, change: 'lid' is unseen until here" in said(capsys)


def test_raw_demonstrations_are_not_read_as_annotations(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without OmniGibson's Python, as far as that goes."""
    monkeypatch.delenv("OMNIGIBSON_PYTHON", raising=False)
    raw, folder = tmp_path / "raw.hdf5", tmp_path / "tidy_up.demo_0"
    raw.write_bytes(b"x")
    assert main(["validate", str(raw)]) == 1
    out = said(capsys)
    assert f"{raw}: OMNIGIBSON_PYTHON is not set" in out
    assert "annotation" not in out
    folder.mkdir()
    about = folder / "omnigibson.json"
    about.write_text(json.dumps({"file": str(raw), "episode": 0, "n_frames": 10}))
    assert main(["validate", str(folder)]) == 0
    assert "10 frames of episode 0" in said(capsys)
    for text, part in (
        ('{"file": "gone.hdf5", "episode": 0, "n_frames": 10}', "cannot be read"),
        ('{"file": "raw.hdf5", "episode": "first"}', "Expected `int`"),
    ):
        about.write_text(text)
        assert main(["validate", str(folder)]) == 1
        assert part in said(capsys)


def test_how_far_it_is_can_be_heard(recording: Path, filmed: Path) -> None:
    heard: list[tuple[str, float, float]] = []

    def hear(progress: Progress) -> None:
        heard.append((progress.text, progress.done, progress.total))

    tables = read_annotated(filmed / "annotation.csv", "d")
    wanted = wanted_pictures(tables)
    assert isinstance(wanted, Wanted)
    assert wanted.key_frames.tolist() == list(KEY_FRAMES)
    assert check_pictures(recording, wanted, hear) == []
    assert heard == [(CAMERA, 1, 2), (CAMERA, 2, 2)]
    heard.clear()
    assert check_pictures(filmed, wanted, hear) == []
    assert heard[-1] == (f"{CAMERA}.mp4", N_FRAMES, N_FRAMES)
    assert undecoded_size(recording / CAMERA / "00020.png") == (48, 32)


def test_a_dry_run_of_segment_counts_the_pictures_that_would_be_used(
    recording: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """PNG files go before a video of the same name, and one is cut off or missing."""
    command = ["segment", str(recording.parent), str(recording.parent / "out"), "--dry-run"]
    one_is_cut_off(recording)
    assert main([*command, "--profile", "paper"]) == 0
    out = capsys.readouterr().out
    assert out.splitlines()[1].split()[-2:] == ["1", "1"]
    assert "00050.png" in out
    VIDEO_TOO(recording)
    one_is_missing(recording)
    assert main([*command, "--profile", "paper"]) == 0
    counts = capsys.readouterr().out.splitlines()[1].split()
    assert counts[-2:] == ["1", "1"]  # pictures, and key frames without one
    (recording / CAMERA / "00020.png").unlink()
    write_video(recording / f"{CAMERA}.mp4", N_FRAMES)
    assert main([*command, "--profile", "paper"]) == 0
    assert capsys.readouterr().out.splitlines()[1].split()[-2:] == ["2", "0"]
