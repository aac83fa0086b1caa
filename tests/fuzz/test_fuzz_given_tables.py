"""Step files and actions in any state: a message that names the file, or rows; no traceback."""

import random
from pathlib import Path

import pytest
from fuzz_cases import fuzz, is_refused, scratch
from hypothesis import given
from hypothesis import strategies as st

from enact_assets.demonstrations.recordings.folders import Recordings
from enact_assets.engine.errors import StepFileError
from enact_assets.questions.world.annotated_videos import ACTIONS, write_annotated_videos
from enact_assets.questions.world.step_files import read_step_file

from reference.broken_recordings import BYTES
from reference.small_step_files import three_kitchens
from reference.small_videos import write_video

pytestmark = pytest.mark.slow

FILES = ("step_annotations.csv", "video_information.csv", "step_idx_description.csv")
SIGNS = (";", "\t", ",", '"', "\r\n", "\ufeff", "#", "u\u0308")
WORDS = (*SIGNS, "-1", "1,250", "0:02,5", "ja", "NaN")
PIECES = [*BYTES, b"\xff\xfe", b"\xfc", b"9" * 5000, *(word.encode() for word in WORDS)]
ACTION_ROWS = "start;end;verb;object;place\n0;1,5;put;cup;table\n1:02;2;take;cup;\n"
ANNOTATION = """time,change,predicate,subject,object,category
,object,,robot,,agent
,object,,cup,,cup
,object,,table,,table
0,add,OnTop,cup,table,
"""


def damaged(content: bytes, seed: int, n: int) -> bytes:
    draw = random.Random(seed)  # noqa: S311 - a test
    if draw.random() < 0.2:
        return draw.randbytes(draw.randrange(80))
    for _ in range(n):
        at = draw.randrange(len(content) + 1)
        content = content[:at] + draw.choice(PIECES) + content[at + draw.choice([0, 0, 1, 9]) :]
    return content


@fuzz()
@given(name=st.sampled_from(FILES), seed=st.integers(0, 2**32), n=st.integers(1, 4))
def test_a_damaged_step_file_is_refused_or_read(name: str, seed: int, n: int) -> None:
    with scratch() as folder:
        file = three_kitchens(folder / "x") / name
        file.write_bytes(damaged(file.read_bytes(), seed, n))
        is_refused("step file", lambda: read_step_file(file.parent, "x"), StepFileError,
                   names=str(file.parent))  # fmt: skip


@fuzz(0.3)
@given(seed=st.integers(0, 2**32), n=st.integers(1, 4))
def test_damaged_actions_are_left_out_or_read(seed: int, n: int, video: Path) -> None:
    with scratch() as folder:
        recording = folder / "recordings/a"
        recording.mkdir(parents=True)
        (recording / video.name).symlink_to(video)
        (recording / "annotation.csv").write_text(ANNOTATION)
        (recording / ACTIONS).write_bytes(damaged(ACTION_ROWS.encode(), seed, n))
        recordings = Recordings(folder / "recordings")
        is_refused("actions", lambda: write_annotated_videos(recordings, folder / "out"),
                   StepFileError, names=str(folder))  # fmt: skip


@pytest.fixture(scope="module")
def video(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_video(tmp_path_factory.mktemp("video") / "external_sensor1.mp4", 10, rate=2)
