"""Recorded replays in any state of repair: tables like the slow twin's, or an error saying why."""

import gzip
import json
import time
from pathlib import Path
from typing import Any

import pytest
from fuzz_cases import check_message, count, fuzz, scratch
from hypothesis import given
from hypothesis import strategies as st

from enact_assets.commands.release.asking import questions_of
from enact_assets.commands.release.evidence import changes_at, gating_of
from enact_assets.commands.release.segmenting import as_official, graphs_of
from enact_assets.demonstrations.replay.recorded import read_recorded
from enact_assets.demonstrations.replay.result import ReplayTables
from enact_assets.demonstrations.replay.validation import check_replay
from enact_assets.engine.errors import EnactError, RecordingError
from enact_assets.pipeline.steps.profiles import SEGMENT
from enact_assets.questions.asked.official_rows import in_official_order, official_questions
from enact_assets.settings.profile import PROFILES, Profile
from enact_assets.settings.registry import QuestionSettings

from reference.broken_recordings import broken_recordings, damaged_trees, read_or_refuse
from reference.recorded_tables import assert_same
from reference.small_recordings import other_forms, recordings

pytestmark = pytest.mark.slow

STRIDE = 40
ID_STEP = 6
"""Key frames of the release are at least 200 ids apart."""
EMPTY = {"type": "empty"}


def stretched(tree: Any) -> Any:
    """The same with ``STRIDE`` - 1 unchanged frames after each: long enough to have key frames."""
    if not isinstance(tree, dict):
        return tree
    long: dict[str, Any] = {}
    for key, frame in tree.items():
        if key.isascii() and key.isdigit() and len(key) < 12:
            first = int(key) * STRIDE * ID_STEP
            long[str(first)] = frame
            long |= {str(first + k * ID_STEP): EMPTY for k in range(1, STRIDE)}
        else:
            long[key] = frame
    return long


sound = recordings(max_frames=16).filter(lambda recording: len(recording) > 5)


@given(other_forms())
@fuzz()
def test_what_is_said_in_another_form_is_read_as_the_same(forms: tuple[Any, Any]) -> None:
    recording, other = forms
    with scratch() as folder:
        assert read_or_refuse(json.dumps(other).encode(), folder) is None
        found = read_recorded(folder / "recording.json", "fuzz_1")
        (folder / "recording.json").write_text(json.dumps(recording))
        expected = read_recorded(folder / "recording.json", "fuzz_1")
    assert_same(found, expected)
    count("recordings, other forms", "accepted")


@given(broken_recordings())
@fuzz()
def test_a_recording_is_refused_or_read_as_the_twin_reads_it(broken: tuple[bytes, bool]) -> None:
    data, is_compressed = broken
    with scratch() as folder:
        message = read_or_refuse(data, folder, is_compressed=is_compressed)
    count("recordings, short", "accepted" if message is None else "refused")


@given(sound | damaged_trees(), st.booleans())
@fuzz(0.5)
def test_what_is_read_goes_through_all_stages_or_ends_in_our_error(
    tree: Any, is_compressed: bool
) -> None:
    """An accepted recording that brings down a later stage takes a whole batch with it."""
    data = json.dumps(stretched(tree)).encode()
    name = "recording.json.gz" if is_compressed else "recording.json"
    with scratch() as folder:
        path = folder / name
        path.write_bytes(gzip.compress(data) if is_compressed else data)
        try:
            replay = read_recorded(path, "fuzz_1")
        except RecordingError as error:
            check_message(str(error), str(path))
            count("recordings, long", "refused")
            return
    for profile in PROFILES.values():
        try:
            n_questions = ask(replay, profile)
        except EnactError as error:
            check_message(str(error))
            count(f"stages, {profile.name}", type(error).__name__)
        else:
            outcome = "questions" if n_questions else "no question"
            count(f"stages, {profile.name}", outcome)


def ask(replay: ReplayTables, profile: Profile) -> int:
    """All stages up to official questions, and key frames as files hold them."""
    recorded = replay.demonstrations, replay.facts, replay.objects
    check_replay(*recorded, replay.later_parents)
    found = SEGMENT.of(profile)(*recorded, gating_of(profile), replay.later_parents)
    frames = found.segmented_frames
    ids = frames.sort("key_frame")["frame_id"].to_list()
    changes = changes_at(replay, ids, profile, "again")
    assert changes.graphs.equals(found.scene_graphs)
    json.dumps(as_official(ids, graphs_of(replay, found)))
    qa, _ = questions_of(changes, QuestionSettings(trajectories_per_length=3))
    return len(official_questions(in_official_order(qa), frames))


def bomb(folder: Path, name: str, parts: list[bytes]) -> Path:
    path = folder / name
    with gzip.open(path, "wb", compresslevel=1) if name.endswith(".gz") else path.open("wb") as out:
        for part in parts:
            out.write(part)
    return path


MEGABYTE = 1 << 20
NODE = b'{"name":"a","category":"a","states":[],"visibility":{}}'
BOMBS: dict[str, list[bytes]] = {
    "brackets": [b'{"0": {"type": "full", "nodes": '] + [b"[" * MEGABYTE] * 64,
    "braces": [b'{"0": '] + [b'{"a":' * (MEGABYTE // 5)] * 64,
    "blanks": [b'{"0": '] + [b" " * MEGABYTE] * 200,
    "blanks first": [b" " * MEGABYTE] * 200,
    "zeros": [b"\0" * MEGABYTE] * 200,
    "one text": [b'{"0": {"type": "full", "nodes": [{"name": "'] + [b"a" * MEGABYTE] * 200,
    "one number": [b'{"0": {"type": "full", "nodes": ['] + [b"9" * MEGABYTE] * 100,
    "one key": [b'{"'] + [b"9" * MEGABYTE] * 100,
    "backslashes": [b'{"0": {"x": "'] + [b"\\" * MEGABYTE] * 100,
    "same node, two things": [b'{"0": {"type": "full", "edges": [], "nodes": [']
    + [(NODE + b",") * (MEGABYTE // 60)] * 30
    + [NODE.replace(b"[]", b'["Open"]') + b"]}}"],
    "many frames": [
        b'{"0": {"type":"full","nodes":[],"edges":[]}',
        b"".join(b',"%d":{"type":"empty"}' % k for k in range(1, 500_000)),
        b"}x",
    ],
}  # fmt: skip


@pytest.mark.parametrize("suffix", [".json", ".json.gz"])
@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_is_refused_in_bounded_time_and_memory(
    name: str, suffix: str, tmp_path: Path
) -> None:
    """A small archive that unpacks to gigabytes must not fill the machine."""
    path = bomb(tmp_path, f"bomb{suffix}", BOMBS[name])
    start = time.perf_counter()
    with pytest.raises(RecordingError) as caught:
        read_recorded(path, "fuzz_1")
    assert time.perf_counter() - start < 20
    check_message(str(caught.value), str(path))
    count("recordings, bombs", "refused")


@pytest.mark.parametrize("suffix", [".json", ".json.gz"])
def test_half_a_million_identical_nodes_are_one_in_bounded_time(
    suffix: str, tmp_path: Path
) -> None:
    """Identical repeats mean what one of them means, however many they are."""
    nodes = [(NODE + b",") * (MEGABYTE // 60)] * 30 + [NODE]
    parts = [b'{"0": {"type": "full", "edges": [], "nodes": [', *nodes, b"]}}"]
    start = time.perf_counter()
    read = read_recorded(bomb(tmp_path, f"repeats{suffix}", parts), "fuzz_1")
    assert time.perf_counter() - start < 20
    assert read.objects["object_name"].to_list() == ["a"]
