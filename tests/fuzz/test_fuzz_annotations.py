"""Annotations in any state: refused with places and advice, or tables that contradict nothing."""

import random
from pathlib import Path

import pytest
from fuzz_cases import check_message, count, fuzz, scratch
from hypothesis import given
from hypothesis import strategies as st

from enact_assets.demonstrations.replay.annotated import check_annotation, read_annotated
from enact_assets.demonstrations.replay.validation import check_replay
from enact_assets.engine.errors import AnnotationError

from reference.annotations import EXAMPLES
from reference.broken_recordings import BYTES
from reference.small_videos import write_video

pytestmark = pytest.mark.slow

SIGNS = (",", '"', "\n", "[", "]", "{", "}", ";", "\u0661", "\u2028", "\x1b[31m")
VALUES = ("null", "-1", "0", "5", "1e400", "NaN", "true", "9" * 5000, "a" * 5000)
WORDS = ("object", "add", "remove", "show", "Exists", "bread", "time", "Transition")
PIECES = [*BYTES, *(word.encode() for word in (*SIGNS, *VALUES, *WORDS))]


@pytest.fixture(scope="module")
def video(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pictures = tmp_path_factory.mktemp("video") / "external_sensor1.mp4"
    return write_video(pictures, 300)


def damaged(content: bytes, seed: int, n: int) -> bytes:
    """``n`` places deleted, repeated, swapped or overwritten."""
    draw = random.Random(seed)  # noqa: S311 - a test
    for _ in range(n):
        if draw.random() < 0.5:
            lines = content.split(b"\n")
            at = draw.randrange(len(lines))
            other = draw.randrange(len(lines))
            way = draw.randrange(3)
            if way == 0:
                del lines[at]
            elif way == 1:
                lines.insert(at, lines[other])
            else:
                lines[at], lines[other] = lines[other], lines[at]
            content = b"\n".join(lines)
        elif content:
            at = draw.randrange(len(content))
            length = draw.choice([0, 1, 1, 3, 30])
            piece = draw.choice([b"", *PIECES])
            content = content[:at] + piece + content[at + length :]
    return content


@fuzz()
@given(name=st.sampled_from(sorted(EXAMPLES)), seed=st.integers(0, 2**32), n=st.integers(1, 4))
def test_a_damaged_annotation_is_refused_or_read(name: str, seed: int, n: int, video: Path) -> None:
    with scratch() as folder:
        (folder / video.name).symlink_to(video)
        (folder / name).write_bytes(damaged(EXAMPLES[name].encode(), seed, n))
        problems = check_annotation(folder / name).problems
        for problem in problems:
            check_message(str(problem))
        try:
            tables = read_annotated(folder / name, "d")
        except AnnotationError as error:
            assert problems
            check_message(str(error), str(folder / name))
            count("annotation", "refused")
            return
        assert not problems
        check_replay(tables.demonstrations, tables.facts, tables.objects)
        count("annotation", "accepted")
