"""What stands in place of a file: pipes, devices and endless texts end in one message."""

import os
import signal
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from types import FrameType

import pytest

from enact_assets.commands.release.layout import read_key_frame_ids
from enact_assets.demonstrations.pictures.recorded_pictures import read_pictures
from enact_assets.demonstrations.recordings.folders import CAMERA
from enact_assets.demonstrations.recordings.videos import read_frames
from enact_assets.demonstrations.replay.annotated import read_annotated
from enact_assets.demonstrations.replay.frame_stream import FrameStream
from enact_assets.demonstrations.replay.omnigibson import read_demonstration
from enact_assets.engine.errors import EnactError
from enact_assets.engine.given_files import read_given
from enact_assets.engine.given_pictures import read_picture_file, undecoded_size
from enact_assets.pipeline.root.scope import read_scope
from enact_assets.questions.asked.official import numbered_lines
from enact_assets.settings.registry import load_registry

READERS: dict[str, Callable[[Path], object]] = {
    "scene_graph.json": FrameStream,
    "scene_graph.json.gz": FrameStream,
    "annotation.json": lambda path: read_annotated(path, "cups-0"),
    "omnigibson.json": read_demonstration,
    "segmented.json": read_key_frame_ids,
    "questions.jsonl": lambda path: list(numbered_lines(path)),
    "00000.png": undecoded_size,
    "00001.png": read_picture_file,
    f"{CAMERA}/00000.png": lambda path: list(read_pictures(path.parents[1], {0: 0}, 1)),
    f"{CAMERA}.mp4": lambda path: list(read_frames(path, [0], 1)),
    "registry.yaml": load_registry,
    "scope.yaml": lambda path: read_scope(path.parent),
}


@pytest.fixture(autouse=True)
def _at_most_a_minute() -> Iterator[None]:
    def stop(_number: int, _frame: FrameType | None) -> None:
        raise TimeoutError("a reader waits at a pipe, or reads without end")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(60)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("kind", ["a named pipe", "a device"])
def test_readers_refuse_what_is_no_file(tmp_path: Path, name: str, kind: str) -> None:
    """A pipe as picture held `validate` up for ever; a link to /dev/zero took all memory."""
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    if kind == "a device":
        path.symlink_to("/dev/zero")
    else:
        os.mkfifo(path)
    with pytest.raises(EnactError) as refused:
        READERS[name](path)
    assert name in str(refused.value)
    assert kind in str(refused.value)


def test_links_to_files_are_followed_and_long_files_refused(tmp_path: Path) -> None:
    (tmp_path / "text").write_bytes(b"12345")
    (tmp_path / "link").symlink_to(tmp_path / "text")
    assert read_given(tmp_path / "link", 5) == b"12345"
    with pytest.raises(OSError, match="the most that is read"):
        read_given(tmp_path / "link", 4)
    with pytest.raises(IsADirectoryError):
        read_given(tmp_path)


def times(n: int, name: str) -> str:
    return ", ".join(n * [f"*{name}"])


MERGING = "\n".join(
    ["a0: &a0 {k: v}", *(f"a{n}: &a{n} {{<<: [{times(9, f'a{n - 1}')}]}}" for n in range(1, 12))]
)
LISTS = [
    "a0: &a0 [x]",
    *(f"a{n}: &a{n} [{times(9, f'a{n - 1}')}]" for n in range(1, 20)),
]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (MERGING, "more than 10000 keys"),
        ("# " + "x" * 2_000_000, "more than 2 MB"),
        ("gatings: 0777", "line 1: 0777 is another number"),
        ("gatings: 1:30", "line 1: 1:30 is another number"),
        ("gatings: 1:30.5", "line 1: 1:30.5 is another number"),
    ],
    ids=["merge keys", "comment", "octal", "base 60", "base 60 with fraction"],
)
def test_yaml_is_read_in_bounded_time(tmp_path: Path, text: str, told: str) -> None:
    """The first two took a minute; the others were other numbers than people wrote."""
    path = tmp_path / "registry.yaml"
    path.write_text(text)
    with pytest.raises(EnactError, match=told):
        load_registry(path)


def test_lists_that_name_each_other_many_times_cost_nothing(tmp_path: Path) -> None:
    path = tmp_path / "registry.yaml"
    path.write_text("\n".join([*LISTS, "demonstrations: *a19"]))
    with pytest.raises(EnactError):
        load_registry(path)


def test_a_small_file_takes_little_memory(tmp_path: Path) -> None:
    """Faults N18: 256 MB were asked for, more than a limited process gets."""
    (tmp_path / "small").write_bytes(b"x" * 1000)
    tracemalloc.start()
    try:
        assert read_given(tmp_path / "small") == b"x" * 1000
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("n", [0, 1, 2**16, 2**16 + 1, 200_000])
def test_a_file_that_is_longer_than_it_says_is_read_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, n: int
) -> None:
    """Files of /proc say that they are empty; others grow while they are read."""
    content = os.urandom(n)
    (tmp_path / "file").write_bytes(content)
    empty = Path("/proc/self/status").stat()
    monkeypatch.setattr(os, "fstat", lambda _: empty)
    assert read_given(tmp_path / "file") == content
    assert read_given(tmp_path / "file", n) == content
    with pytest.raises(OSError, match="has more than") if n else nullcontext():
        read_given(tmp_path / "file", n - 1 if n else 0)
