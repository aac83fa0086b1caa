"""The commands on folders made by somebody hostile: nothing leaves the output, the good go on.

Each case has one sound task, and beside it damaged ones, odd names, links that lead out. Whatever
happens to those, the sound task comes out as if it had been alone, nothing outside of the output is
changed, and the exit code says whether something failed.
"""

import contextlib
import io
import json
import os
import shutil
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from fuzz_cases import check_message, count, fuzz, scratch
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from enact_assets.cli import main
from enact_assets.questions.asked.official import FIELDS

from reference.broken_recordings import broken_recordings
from reference.small_videos import write_video

pytestmark = pytest.mark.slow

GOOD = "good_task_1"
N_FRAMES = 300
EVERY = 40
ID_STEP = 6
"""Key frames of the release are at least 200 ids apart."""
CAMERA = "external_sensor1"
SEGMENTED = "segmented_scene_graph_0.json"


@cache
def good_recording() -> bytes:
    """Things change one after the other, every ``EVERY`` frames, and all of it is seen."""
    names = ["fridge", "lamp", "cup", "table", "oven"]
    turns = [("Open", "fridge"), ("ToggledOn", "lamp"), ("Cooked", "cup"), ("Open", "oven")]
    frames: dict[str, Any] = {}
    held: dict[str, list[str]] = {name: [] for name in names}
    for k in range(N_FRAMES):
        if k and k % EVERY == 0:
            state, name = turns[k // EVERY % len(turns)]
            held[name] = [] if held[name] else [state]
        frames[str(ID_STEP * k + 1)] = {
            "type": "full",
            "nodes": [
                {
                    "name": f"{name}_1",
                    "category": name,
                    "states": held[name],
                    "visibility": {CAMERA: [9000, 1, 2, 300, 400, 512, 512]},
                }
                for name in names
            ],
            "edges": [{"from": "cup_1", "to": "table_1", "states": ["OnTop"]}],
        }
    return json.dumps(frames).encode()


@cache
def picture() -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (64, 64), (9, 99, 199)).save(out, "PNG")
    return out.getvalue()


def write_good(root: Path, *, with_pictures: bool) -> None:
    (root / GOOD).mkdir(parents=True)
    (root / GOOD / "scene_graph_0.json").write_bytes(good_recording())
    if with_pictures:
        (root / GOOD / CAMERA).mkdir()
        for frame_id in range(1, ID_STEP * N_FRAMES, ID_STEP):
            (root / GOOD / CAMERA / f"{frame_id:05d}.png").write_bytes(picture())


def run(*arguments: object) -> tuple[int, str]:
    """Exit code and output of a command. The stream is as strict as a pipe is."""
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="utf-8", errors="strict", write_through=True)
    with contextlib.redirect_stdout(stream), contextlib.redirect_stderr(stream):
        try:
            code = main([os.fspath(a) if isinstance(a, Path) else str(a) for a in arguments])
        except SystemExit as stop:
            code = int(stop.code or 0)
    shown = raw.getvalue().decode()
    assert code in (0, 1, 2), shown
    assert "Traceback" not in shown
    assert (code == 1) == ("failed: " in shown), (code, shown)
    for line in shown.splitlines():
        check_message(line)
    return code, shown


Tree = dict[str, bytes | str]


def tree(root: Path) -> Tree:
    """Everything below ``root``; links are not followed."""
    found: Tree = {}
    for folder, folders, files in os.walk(root):
        for name in (*folders, *files):
            path = Path(folder, name)
            key = str(path.relative_to(root))
            if path.is_symlink():
                found[key] = f"-> {path.readlink()}"
            elif path.is_dir():
                found[key] = "folder"
            else:
                found[key] = path.read_bytes()
    return found


def part(found: Tree, name: str) -> Tree:
    """The files of ``found`` below the folder ``name``."""
    return {k: v for k, v in found.items() if k.startswith(f"{name}/") and isinstance(v, bytes)}


@contextlib.contextmanager
def unchanged(*roots: Path) -> Iterator[None]:
    before = [tree(root) for root in roots]
    yield
    assert [tree(root) for root in roots] == before


NAMES = [
    "-x", "--dry-run", ".hidden", "..x", "a..b", "a b", "é", "x" * 121, "x" * 250, "a\nb",
    "a\x1b[31mb",
    "[red]", "[", "%s", "{}", "$HOME", "~", "a\\b", "C:", "nul", "\u202eb", "\udcff",
    "a\udc80b", "*", "?", "'", '"', "a|b", "setting_the_table-0",
    "setting_the_table-\u0663", "a;b", "_",
    "good_task_1 ",
    "0", "a+b", "a@b", "GOOD_TASK_1", "..\u2215etc", "con.json", "scene_graph_0.json",
]  # fmt: skip
names = st.sampled_from(NAMES) | st.text(
    st.characters(exclude_characters="/\0", exclude_categories=["Cs"]), min_size=1, max_size=12
).filter(lambda name: name not in (".", "..", GOOD) and len(name.encode()) < 200)
bad_names = st.lists(names, max_size=3, unique=True)


@st.composite
def bad_tasks(draw: st.DrawFn) -> list[tuple[str, str, bytes]]:
    """(folder, file, content) of tasks that are damaged, or odd by name only."""
    found = []
    for name in draw(bad_names):
        kind = draw(st.sampled_from(["broken", "broken", "sound", "short", "empty"]))
        data, is_compressed = draw(broken_recordings()) if kind == "broken" else (b"", False)
        if kind == "sound":
            data = good_recording()
        if kind == "short":
            data = good_recording()[: draw(st.integers(0, len(good_recording())))]
        file = "scene_graph_0.json.gz" if is_compressed else "scene_graph_0.json"
        found.append((name, file, data))
    return found


def write_bad(root: Path, tasks: list[tuple[str, str, bytes]]) -> None:
    for name, file, data in tasks:
        with contextlib.suppress(OSError, UnicodeEncodeError):
            (root / name).mkdir(exist_ok=True)
            (root / name / file).write_bytes(data)


KEY_FRAME = f"{CAMERA}/00060.png"
LINKS = ["task", "camera", "segmented", "picture", "dangling task", "dangling picture", "loop"]
links = st.lists(st.tuples(st.sampled_from([GOOD, "other"]), st.sampled_from(LINKS)), max_size=2)


def write_links(
    output: Path, outside: Path, wanted: list[tuple[str, str]], picture_name: str
) -> None:
    """Links in ``output`` that lead to ``outside``, which has files that could be overwritten."""
    (outside / "folder" / CAMERA).mkdir(parents=True)
    (outside / "folder" / "precious").write_text("precious")
    (outside / "folder" / SEGMENTED).write_text("precious")
    (outside / "folder" / picture_name).write_text("precious")
    for task, kind in wanted:
        with contextlib.suppress(FileExistsError, NotADirectoryError):
            folder = output / task
            if kind not in ("task", "dangling task", "loop"):
                (folder / CAMERA).parent.mkdir(parents=True, exist_ok=True)
            match kind:
                case "task":
                    folder.symlink_to(outside / "folder")
                case "dangling task":
                    folder.symlink_to(outside / "new")
                case "loop":
                    folder.symlink_to(folder)
                case "camera":
                    (folder / CAMERA).symlink_to(outside / "folder" / CAMERA)
                case "segmented":
                    (folder / SEGMENTED).symlink_to(outside / "folder" / SEGMENTED)
                case "picture":
                    (folder / CAMERA).mkdir(exist_ok=True)
                    (folder / picture_name).symlink_to(outside / "folder" / picture_name)
                case _:
                    (folder / CAMERA).mkdir(exist_ok=True)
                    (folder / picture_name).symlink_to(outside / "new.png")


@cache
def base() -> Path:
    """The sound task alone, segmented and asked about, with pictures."""
    import atexit
    import tempfile

    root = Path(tempfile.mkdtemp(prefix="fuzz_base")).resolve()
    atexit.register(shutil.rmtree, root, ignore_errors=True)
    write_good(root / "in", with_pictures=True)
    assert run("segment", root / "in", root / "out")[0] == 0
    for file in (root / "in" / GOOD / CAMERA).iterdir():
        if not (root / "out" / GOOD / CAMERA / file.name).exists():
            file.unlink()
    arguments = ("--num-to-sample", 3)
    assert run("qa", root / "out", root / "in", root / "QA" / "q.jsonl", *arguments)[0] == 0
    assert (root / "QA" / "q.jsonl").stat().st_size > 1000
    return root


def key_picture() -> str:
    return sorted(k for k in tree(base() / "out" / GOOD) if k.endswith(".png"))[1]


@given(bad_tasks(), links, st.sampled_from(["release", "release", "paper"]))
@fuzz(0.3)
def test_segment(bad: list[tuple[str, str, bytes]], wanted: Any, profile: str) -> None:
    with scratch() as root:
        shutil.copytree(base() / "in", root / "in")
        write_bad(root / "in", bad)
        output, outside = root / "out", root / "outside"
        output.mkdir()
        write_links(output, outside, wanted, key_picture())
        with unchanged(root / "in", outside):
            code, shown = run("segment", root / "in", output, "--profile", profile)
        is_linked = any(task == GOOD for task, _ in wanted)
        found = part(tree(output), GOOD)
        if not is_linked:
            assert f"failed: {GOOD}:" not in shown
            assert f"{GOOD}/{SEGMENTED}" in found
            if profile == "release":
                assert found == part(tree(base() / "out"), GOOD)
        assert not any(name.endswith(".tmp") for name in tree(output))
        assert {path.name for path in root.iterdir()} == {"in", "out", "outside"}
        if code == 0 and not is_linked:
            assert "failed" not in shown.replace(str(root), "")
        count("command segment", f"exit {code}")


@given(
    bad_tasks(),
    bad_tasks(),
    links,
    st.sampled_from([b"{}", b"[]", b'{"1": {}}', b'{"9": 1, "9": 2}']),
)
@fuzz(0.3)
def test_qa(
    bad: list[tuple[str, str, bytes]], other: list[tuple[str, str, bytes]], wanted: Any, keys: bytes
) -> None:
    with scratch() as root:
        shutil.copytree(base() / "in", root / "in")
        shutil.copytree(base() / "out", root / "segmented")
        write_bad(root / "in", bad)
        write_bad(root / "segmented", [(name, SEGMENTED, keys) for name, _, _ in (*bad, *other)])
        output, outside = root / "QA", root / "outside"
        output.mkdir()
        (outside / "folder").mkdir(parents=True)
        for _, kind in wanted:
            place = {
                "task": f"QA/images/forward_world_modeling_3_steps/{GOOD}",
                "camera": "QA/images",
                "segmented": "q.jsonl",
                "picture": "QA/images/inverse_world_modeling_3_steps",
            }.get(kind, "QA")
            if not any((output / parent).is_symlink() for parent in Path(place).parents):
                (output / place).parent.mkdir(parents=True, exist_ok=True)
                with contextlib.suppress(FileExistsError):
                    (output / place).symlink_to(outside / ("new" if "dang" in kind else "folder"))
        with unchanged(root / "in", root / "segmented", outside):
            code, shown = run(
                "qa", root / "segmented", root / "in", output / "q.jsonl", "--num-to-sample", 3
            )
        if not wanted:
            assert f"failed: {GOOD}:" not in shown
            lines = (output / "q.jsonl").read_bytes().splitlines()
            mine = [line for line in lines if json.loads(line)["task_name"] == GOOD]
            assert mine == (base() / "QA" / "q.jsonl").read_bytes().splitlines()
            images = {k: v for k, v in tree(output).items() if f"/{GOOD}/" in k}
            assert images == {k: v for k, v in tree(base() / "QA").items() if f"/{GOOD}/" in k}
        assert not any(name.endswith(".tmp") for name in tree(output))
        count("command qa", f"exit {code}")


def answer_lines() -> list[dict[str, Any]]:
    lines = (base() / "QA" / "q.jsonl").read_text().splitlines()
    return [json.loads(line) | {"answer": "[2, 1]"} for line in lines]


hostile = st.sampled_from(
    ["../../x", "/etc/passwd", "", None, 7, ["../x"], [1], "a/b", "\0", "x" * 300, [[]], {}, GOOD,
     1e300, "\ud800", [None], "[red]", "inverse", [str(10**20)], 10**400, True, "9" * 5000,
     ["9" * 5000]]
)  # fmt: skip
field_names = st.sampled_from([*FIELDS, "answer"])
damages = st.lists(st.tuples(st.integers(0, 30), field_names, hostile), max_size=4)
model_names = st.sampled_from(
    ["m", "", "a b", ".", "..", "\udcff", "a\nb", "\x1b[31m", "x" * 200, "x" * 230, "[bold]", "é",
     "%s", "_report"]
)  # fmt: skip


@given(
    damages,
    st.lists(
        st.tuples(model_names, st.sampled_from([b"", b"{", b"[]", b'{"id": 3}', b"\xff", b"null"]))
    ),
    bad_tasks(),
    st.sampled_from(["none", "none", "report.json", "results.jsonl", "folder", "root loop"]),
    st.tuples(st.sampled_from(["release", "paper"]), st.booleans()),
)
@fuzz(0.3)
def test_eval(damage: Any, models: Any, bad: Any, link: str, mode: tuple[str, bool]) -> None:
    profile, is_analyzed = mode
    with scratch() as root:
        shutil.copytree(base() / "in", root / "in")
        shutil.copytree(base() / "out", root / "segmented")
        write_bad(root / "in", bad)
        write_bad(root / "segmented", [(name, SEGMENTED, b"{}") for name, _, _ in bad])
        (root / "answers").mkdir()
        sound = answer_lines()
        damaged = [dict(row) for row in sound]
        for at, name, value in damage:
            damaged[at % len(damaged)][name] = value
        files = {"sound": sound, "damaged": damaged}
        for model, rows in files.items():
            text = "\n".join(map(json.dumps, rows))
            (root / "answers" / f"enact_ordering_{model}.jsonl").write_text(text)
        for model, data in models:
            with contextlib.suppress(OSError):
                (root / "answers" / f"enact_ordering_{model}.jsonl").write_bytes(data)
        outside, output = root / "outside", root / "report"
        outside.mkdir()
        (outside / "precious").write_text("precious")
        if link == "root loop":
            output.symlink_to(output)
        else:
            output.mkdir()
            if link == "folder":
                (output / "sound").symlink_to(outside)
            elif link != "none":
                (output / "sound").mkdir()
                (output / "sound" / link).symlink_to(outside / "precious")
        with unchanged(root / "in", root / "segmented", root / "answers", outside):
            code, shown = run(
                "eval", root / "answers", "--segmented-data", root / "segmented", "--raw-data",
                root / "in", "--output-root", output, "--profile", profile,
                *(["--analyze-wrong-cases"] if is_analyzed else []),
            )  # fmt: skip
        if link == "none":
            # Key frames of the one profile are none of the other, so these rows are of no task:
            # nothing could be scored, which is a failure and no report.
            assert ("failed: sound:" in shown) == (profile == "paper")
            report = output / "sound" / "report.json"
            assert report.exists() == (profile == "release")
            if profile == "release":
                assert json.loads(report.read_text())["overall"]["count"] == len(sound)
        elif link != "root loop":
            assert "failed: sound:" in shown
        count("command eval", f"exit {code}")


@given(
    bad_tasks(),
    st.lists(st.tuples(model_names, st.sampled_from([b"", b"{}", b"\xff", b"[]\n"])), max_size=2),
    st.sampled_from(["none", "none", "none", "recordings", "question_files", "file", "entry"]),
    st.booleans(),
)
@fuzz(0.2)
def test_import(bad: Any, models: Any, link: str, is_copy: bool) -> None:
    with scratch() as root:
        shutil.copytree(base() / "in", root / "in")
        write_bad(root / "in", bad)
        shutil.copy(base() / "QA" / "q.jsonl", root / "sound.jsonl")
        paths = [root / "in", root / "sound.jsonl"]
        for model, data in models:
            path = root / f"{model}.jsonl"
            with contextlib.suppress(OSError):
                path.write_bytes(data)
                paths.append(path)
        if bad and is_copy:
            with contextlib.suppress(OSError, UnicodeEncodeError):
                (root / "in" / bad[0][0] / "dangling").symlink_to(root / "gone")
        data_root, outside = root / "data", root / "outside"
        (outside / "folder").mkdir(parents=True)
        (outside / "precious").write_text("precious")
        data_root.mkdir()
        if link in ("recordings", "question_files"):
            (data_root / link).symlink_to(outside / "folder")
        elif link == "file":
            (data_root / "question_files").mkdir()
            (data_root / "question_files" / "sound.jsonl").symlink_to(outside / "precious")
        elif link == "entry":
            (data_root / "recordings").mkdir()
            (data_root / "recordings" / GOOD).symlink_to(outside / "folder")
        with unchanged(root / "in", outside):
            options = ["--copy"] if is_copy else []
            code, shown = run("import", *paths, "--data", data_root, *options)
        if link != "recordings":
            assert f"failed: {GOOD}:" not in shown
            file = data_root / "recordings" / GOOD / "scene_graph_0.json"
            assert file.read_bytes() == good_recording()
        if link in ("none", "recordings", "entry"):
            kept = data_root / "question_files" / "sound.jsonl"
            assert kept.read_bytes() == (root / "sound.jsonl").read_bytes()
        assert not any(name.endswith(".tmp") for name in tree(data_root))
        count("command import", f"exit {code}")


@pytest.mark.parametrize(
    "odd", ["[/red]", "a" * 300, "\udcff", "-", "a\nb", "loop", "file", "[bold]x"]
)
@pytest.mark.parametrize("place", ["input", "output"])
@pytest.mark.parametrize("command", ["segment", "qa", "eval", "import"])
def test_odd_arguments_end_in_an_exit_code(command: str, place: str, odd: str) -> None:
    with scratch() as root:
        path = root / odd
        if odd == "loop":
            path.symlink_to(path)
        elif odd == "file":
            path.write_text("x")
        given_in = path if place == "input" else base() / "in"
        segmented = path if place == "input" else base() / "out"
        given_out = path if place == "output" else root / "out"
        calls: dict[str, list[object]] = {
            "segment": ["segment", given_in, given_out],
            "qa": ["qa", segmented, base() / "in", given_out / "q.jsonl", "--no-pictures"],
            "eval": [
                "eval", path if place == "input" else base() / "QA" / "q.jsonl", "--segmented-data",
                base() / "out", "--raw-data", base() / "in", "--output-root", given_out,
            ],
            "import": ["import", given_in, "--data", given_out],
        }  # fmt: skip
        with unchanged(base()):
            code, _ = run(*calls[command])
        count(f"command {command}", f"exit {code}")


@pytest.mark.parametrize("kind", ["short video", "no video"])
def test_a_task_with_a_video_that_is_none_fails_and_leaves_nothing(kind: str) -> None:
    with scratch() as root:
        shutil.copytree(base() / "in", root / "in")
        bad = root / "in" / "bad_1"
        shutil.copytree(base() / "in" / GOOD, bad)
        shutil.rmtree(bad / CAMERA)
        video = bad / f"{CAMERA}.mp4"
        if kind == "no video":
            video.write_bytes(b"no video")
        else:
            write_video(video, N_FRAMES - 20)
        code, shown = run("segment", root / "in", root / "out")
        assert code == 1
        assert "failed: bad_1:" in shown
        assert part(tree(root / "out"), GOOD) == part(tree(base() / "out"), GOOD)
        assert list((root / "out").iterdir()) == [root / "out" / GOOD]
        shutil.copytree(base() / "out" / GOOD, root / "out" / "bad_1")
        code, shown = run(
            "qa", root / "out", root / "in", root / "QA" / "q.jsonl", "--num-to-sample", 3
        )
        assert code == 1, shown
        lines = (root / "QA" / "q.jsonl").read_bytes().splitlines()
        mine = [line for line in lines if json.loads(line)["task_name"] == GOOD]
        assert mine == (base() / "QA" / "q.jsonl").read_bytes().splitlines()
        count("command segment", f"exit {code}")
