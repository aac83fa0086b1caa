"""Files of key frames: ascending ids, or an error that names the file."""

import json
from collections.abc import Sequence
from typing import Any

import pytest
from fuzz_cases import fuzz, read_file
from hypothesis import given
from hypothesis import strategies as st

from enact_assets.commands.release.layout import read_key_frame_ids
from enact_assets.engine.errors import RecordingError

from reference.broken_recordings import BYTES, JUNK

pytestmark = pytest.mark.slow

keys = (
    st.integers(0, 10**6).map(str)
    | st.sampled_from(["", "0", "00", "007", "-1", "1.5", "٣", "²", "9" * 15, "9" * 16, "\udc00"])
    | st.text(max_size=5)
)
objects = st.dictionaries(keys, st.sampled_from(JUNK) | st.just({}), max_size=6)
trees: st.SearchStrategy[Any] = objects | st.sampled_from(JUNK) | st.lists(objects, max_size=2)


@st.composite
def files(draw: st.DrawFn) -> bytes:
    if draw(st.integers(0, 9)) == 0:
        return draw(st.binary(max_size=40))
    text = json.dumps(draw(trees), ensure_ascii=draw(st.booleans()))
    data = text.encode(draw(st.sampled_from(["utf-8", "utf-8", "utf-16", "latin-1"])), "replace")
    for _ in range(draw(st.sampled_from([0, 0, 1, 2]))):
        at = draw(st.integers(0, len(data)))
        junk = draw(st.sampled_from([*BYTES, b"[" * 100_000, b'{"1":' * 50_000]))
        data = data[:at] + junk + data[at + draw(st.integers(0, 3)) :]
    return data


def read(data: bytes) -> Sequence[int] | None:
    name = "segmented_scene_graph_0.json"
    return read_file("key frame files", name, data, read_key_frame_ids, RecordingError)


@given(files())
@fuzz()
def test_key_frames_ascend_or_their_file_is_refused(data: bytes) -> None:
    found = read(data)
    if found is not None:
        assert list(found) == sorted(set(found))
        assert all(0 <= i < 10**15 for i in found)


@given(st.lists(st.sampled_from(["60", "61", "300", "0"]), min_size=1, max_size=4))
@fuzz(0.1)
def test_a_key_frame_that_stands_twice_is_refused(ids: list[str]) -> None:
    """JSON readers keep the last of them, and a file glued together goes unnoticed."""
    text = "{" + ", ".join(f'"{i}": {{}}' for i in ids) + "}"
    assert (read(text.encode()) is None) == (len(set(ids)) < len(ids))
